// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// One suite over Asio's timer and ours: both must show the same behaviour, point by point of the drop-in
// contract. Where ours does better on purpose, the test says so and asserts it of ours alone.
// This file: the surface, order, counts, cancelling, moving, destroying. The others are asio_parity_*.cpp.

#include "parity/timers.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/test/unit_test.hpp>
#include <boost/version.hpp>
#include <boost_ext/steady_timer.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <optional>

namespace {

using namespace parity;

// ---- The surface: the same expressions are valid, explicit or not, and of the same type --------------------------

template <class Timer>
void take(Timer);

template <class Void, class Timer, class... Args>
struct is_implicit_impl : std::false_type
{
};

template <class Timer, class... Args>
struct is_implicit_impl<std::void_t<decltype(take<Timer>({std::declval<Args>()...}))>, Timer, Args...> : std::true_type
{
};

/// Is `Timer t = {args...}` valid?
template <class Timer, class... Args>
constexpr bool is_implicit = is_implicit_impl<void, Timer, Args...>::value;

/// Expression<Timer>, or one same type for all if it is not valid.
struct invalid;

template <template <class> class Expression, class Timer, class = void>
struct result
{
    using type = invalid;
};

template <template <class> class Expression, class Timer>
struct result<Expression, Timer, std::void_t<Expression<Timer>>>
{
    using type = Expression<Timer>;
};

template <class T>
using executor_of = typename T::executor_type;
template <class T>
using get_executor_result = decltype(std::declval<T&>().get_executor());
template <class T>
using clock_of = typename T::clock_type;
template <class T>
using duration_of = typename T::duration;
template <class T>
using time_point_of = typename T::time_point;
template <class T>
using traits_of = typename T::traits_type;
template <class T>
using cancel_result = decltype(std::declval<T&>().cancel());
template <class T>
using cancel_one_result = decltype(std::declval<T&>().cancel_one());
template <class T>
using expiry_result = decltype(std::declval<const T&>().expiry());
template <class T>
using expires_at_result = decltype(std::declval<T&>().expires_at(std::declval<const steady::time_point&>()));
template <class T>
using expires_after_result = decltype(std::declval<T&>().expires_after(std::declval<const steady::duration&>()));
template <class T>
using wait_result = decltype(std::declval<T&>().wait());
template <class T>
using wait_ec_result = decltype(std::declval<T&>().wait(std::declval<error_code&>()));
template <class T>
using async_wait_result = decltype(std::declval<T&>().async_wait(std::declval<void (*)(error_code)>()));

template <class T>
using old_cancel = decltype(std::declval<T&>().cancel(std::declval<error_code&>()));
template <class T>
using old_cancel_one = decltype(std::declval<T&>().cancel_one(std::declval<error_code&>()));
template <class T>
using old_expires_at = decltype(std::declval<const T&>().expires_at());
template <class T>
using old_expires_at_ec =
    decltype(std::declval<T&>().expires_at(std::declval<const steady::time_point&>(), std::declval<error_code&>()));
template <class T>
using old_expires_from_now = decltype(std::declval<const T&>().expires_from_now());
template <class T>
using old_expires_from_now_d = decltype(std::declval<T&>().expires_from_now(std::declval<const steady::duration&>()));
template <class T>
using old_expires_from_now_ec =
    decltype(std::declval<T&>().expires_from_now(std::declval<const steady::duration&>(), std::declval<error_code&>()));

template <template <class> class Expression, class Theirs, class Ours>
constexpr bool same = std::is_same_v<typename result<Expression, Theirs>::type, typename result<Expression, Ours>::type>;

template <template <class> class Expression, class Timer>
constexpr bool valid = !std::is_same_v<typename result<Expression, Timer>::type, invalid>;

template <class T, class Executor>
using rebound = typename T::template rebind_executor<Executor>::other;

template <class Theirs, class Ours>
constexpr bool check_surface()
{
    static_assert(same<executor_of, Theirs, Ours> && valid<executor_of, Ours>);
    static_assert(same<get_executor_result, Theirs, Ours> && valid<get_executor_result, Ours>);
    static_assert(same<clock_of, Theirs, Ours> && valid<clock_of, Ours>);
    static_assert(same<duration_of, Theirs, Ours> && valid<duration_of, Ours>);
    static_assert(same<time_point_of, Theirs, Ours> && valid<time_point_of, Ours>);
    static_assert(same<traits_of, Theirs, Ours> && valid<traits_of, Ours>);
    static_assert(same<cancel_result, Theirs, Ours> && valid<cancel_result, Ours>);
    static_assert(same<cancel_one_result, Theirs, Ours> && valid<cancel_one_result, Ours>);
    static_assert(same<expiry_result, Theirs, Ours> && valid<expiry_result, Ours>);
    static_assert(same<expires_at_result, Theirs, Ours> && valid<expires_at_result, Ours>);
    static_assert(same<expires_after_result, Theirs, Ours> && valid<expires_after_result, Ours>);
    static_assert(same<wait_result, Theirs, Ours> && valid<wait_result, Ours>);
    static_assert(same<wait_ec_result, Theirs, Ours> && valid<wait_ec_result, Ours>);
    static_assert(same<async_wait_result, Theirs, Ours> && valid<async_wait_result, Ours>);

    // The deprecated members are there exactly where Asio has them.
    static_assert(same<old_cancel, Theirs, Ours>);
    static_assert(same<old_cancel_one, Theirs, Ours>);
    static_assert(same<old_expires_at, Theirs, Ours>);
    static_assert(same<old_expires_at_ec, Theirs, Ours>);
    static_assert(same<old_expires_from_now, Theirs, Ours>);
    static_assert(same<old_expires_from_now_d, Theirs, Ours>);
    static_assert(same<old_expires_from_now_ec, Theirs, Ours>);
#if BOOST_VERSION < 108700 && !defined(BOOST_ASIO_NO_DEPRECATED)
    static_assert(valid<old_expires_from_now_ec, Ours> && valid<old_cancel, Ours>);
#endif

    using ex = const typename Ours::executor_type&;
    using tp = const steady::time_point&;
    using d = const steady::duration&;
    using ctx = asio::io_context&;

    static_assert(std::is_constructible_v<Ours, ex> && !is_implicit<Ours, ex> && !is_implicit<Theirs, ex>);
    static_assert(is_implicit<Ours, ex, tp> && is_implicit<Theirs, ex, tp>);
    static_assert(is_implicit<Ours, ex, d> && is_implicit<Theirs, ex, d>);
    static_assert(std::is_constructible_v<Ours, ctx> && !is_implicit<Ours, ctx> && !is_implicit<Theirs, ctx>);
    static_assert(std::is_constructible_v<Ours, ctx, tp> && !is_implicit<Ours, ctx, tp> && !is_implicit<Theirs, ctx, tp>);
    static_assert(std::is_constructible_v<Ours, ctx, d> && !is_implicit<Ours, ctx, d> && !is_implicit<Theirs, ctx, d>);
    static_assert(!std::is_constructible_v<Ours, int&> && !std::is_constructible_v<Ours, const asio::io_context&>);
    static_assert(!std::is_default_constructible_v<Ours> && !std::is_default_constructible_v<Theirs>);
    // Any std::chrono duration that converts without loss is taken.
    static_assert(std::is_constructible_v<Ours, ctx, std::chrono::hours>);
    static_assert(std::is_constructible_v<Ours, ex, std::chrono::minutes>);

    static_assert(!std::is_copy_constructible_v<Ours> && !std::is_copy_assignable_v<Ours>);
    static_assert(std::is_move_constructible_v<Ours> && std::is_move_assignable_v<Ours>);
    static_assert(std::is_convertible_v<Ours&&, Ours>);
    static_assert(std::is_nothrow_move_constructible_v<Ours> >= std::is_nothrow_move_constructible_v<Theirs>);
    static_assert(std::is_nothrow_move_assignable_v<Ours> >= std::is_nothrow_move_assignable_v<Theirs>);
    static_assert(std::is_nothrow_destructible_v<Ours> && std::is_swappable_v<Ours>);
    static_assert(noexcept(std::declval<Ours&>().get_executor()) == noexcept(std::declval<Theirs&>().get_executor()));
    static_assert(noexcept(std::declval<Ours&>().get_executor()));

    static_assert(sizeof(Ours) <= sizeof(Theirs));
    static_assert(std::is_same_v<rebound<Ours, typename Ours::executor_type>, Ours>);
    return true;
}

static_assert(check_surface<asio_timer<>, our_timer<>>());
static_assert(check_surface<asio_timer<io_executor>, our_timer<io_executor>>());
static_assert(std::is_same_v<boost_ext::steady_timer, boost_ext::basic_waitable_timer<std::chrono::steady_clock>>);
static_assert(std::is_same_v<boost_ext::steady_timer::executor_type, asio::any_io_executor>);
static_assert(std::is_same_v<boost_ext::steady_timer::traits_type, asio::wait_traits<std::chrono::steady_clock>>);

// Converting moves: where the executor converts, and only there.
template <class General, class Special>
constexpr bool check_conversions()
{
    static_assert(std::is_convertible_v<Special&&, General> && std::is_assignable_v<General&, Special&&>);
    static_assert(!std::is_constructible_v<Special, General&&> && !std::is_assignable_v<Special&, General&&>);
    static_assert(!std::is_constructible_v<General, Special&> && !std::is_constructible_v<General, const Special&>);
    return true;
}

static_assert(check_conversions<asio_timer<>, asio_timer<io_executor>>());
static_assert(check_conversions<our_timer<>, our_timer<io_executor>>());

// A token that hands back the initiation, to look at what a token adapter can see of it.
struct show_initiation
{
};

} // namespace

template <class... Signatures>
struct boost::asio::async_result<show_initiation, Signatures...>
{
    template <class Initiation, class Token, class... Args>
    static std::decay_t<Initiation> initiate(Initiation&& initiation, Token&&, Args&&...)
    {
        static_assert(sizeof...(Args) == 0, "the initiation of async_wait takes the handler alone");
        return std::forward<Initiation>(initiation);
    }
};

BOOST_AUTO_TEST_SUITE(asio_parity)

BOOST_AUTO_TEST_CASE_TEMPLATE(initiation_tells_its_executor, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx);
    auto initiation = t.async_wait(show_initiation());
    static_assert(std::is_same_v<typename decltype(initiation)::executor_type, typename Timer::executor_type>);
    static_assert(noexcept(initiation.get_executor()));
    BOOST_CHECK(initiation.get_executor() == ctx.get_executor());

    journal l;
    t.expires_at(steady::now());
    initiation(l(1));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

// ---- Construction and expiry -------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(construction, Timer, timers)
{
    asio::io_context ctx;
    const auto ex = ctx.get_executor();
    const auto tp = steady::now() + 1h;

    Timer a(ex);
    Timer b(ctx);
    BOOST_CHECK(a.expiry() == steady::time_point());
    BOOST_CHECK(b.expiry() == steady::time_point());
    BOOST_CHECK(a.get_executor() == ex);
    BOOST_CHECK(b.get_executor() == ex);

    Timer c(ex, tp);
    Timer d(ctx, tp);
    BOOST_CHECK(c.expiry() == tp);
    BOOST_CHECK(d.expiry() == tp);

    const auto before = steady::now();
    Timer e(ex, 1h);
    Timer f(ctx, 1h);
    const auto after = steady::now();
    BOOST_CHECK(e.expiry() >= before + 1h && e.expiry() <= after + 1h);
    BOOST_CHECK(f.expiry() >= before + 1h && f.expiry() <= after + 1h);

    BOOST_CHECK_EQUAL(ctx.run(), 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(setting_the_expiry, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx);
    const auto tp = steady::now() + 1h;
    BOOST_CHECK_EQUAL(t.expires_at(tp), 0u);
    BOOST_CHECK(t.expiry() == tp);
    const auto before = steady::now();
    BOOST_CHECK_EQUAL(t.expires_after(5min), 0u);
    BOOST_CHECK(t.expiry() >= before + 5min);
    BOOST_CHECK(t.expiry() <= steady::now() + 5min);
    BOOST_CHECK_EQUAL(t.expires_after(-5min), 0u);
    BOOST_CHECK(t.expiry() < steady::now());
    t.cancel();
    BOOST_CHECK(t.expiry() < steady::now());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(expires_after_saturates, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx);
    BOOST_CHECK_EQUAL(t.expires_after((steady::duration::max)()), 0u);
    BOOST_CHECK(t.expiry() == (steady::time_point::max)());
    Timer u(ctx, (steady::duration::max)());
    BOOST_CHECK(u.expiry() == (steady::time_point::max)());
    Timer v(ctx.get_executor(), (steady::duration::max)() - 1ns);
    BOOST_CHECK(v.expiry() == (steady::time_point::max)());

    journal l;
    t.async_wait(l(0));
    u.async_wait(l(1));
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(ctx.run_one_for(2ms), 0u);
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    BOOST_CHECK_EQUAL(u.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(l.aborted(), 2u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(far_future_and_far_past, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer never(ctx, (steady::time_point::max)());
    Timer nearly_never(ctx, (steady::time_point::max)() - 1ns);
    Timer least(ctx, (steady::time_point::min)());
    Timer past(ctx, steady::now() - 1h);
    Timer lowest(ctx);
    lowest.expires_after((steady::duration::min)());
    never.async_wait(l(0));
    nearly_never.async_wait(l(1));
    past.async_wait(l(2));
    least.async_wait(l(3));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{3, 2}));
    lowest.async_wait(l(4));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 3u);
    BOOST_CHECK_EQUAL(never.cancel() + nearly_never.cancel(), 2u);
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fresh_timer_fires_at_once, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx);
    journal l;
    t.async_wait(l(0));
    BOOST_CHECK(l.lines.empty());
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(blocking_wait, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, 3ms);
    t.wait();
    BOOST_CHECK(steady::now() >= t.expiry());
    t.wait();

    t.expires_after(3ms);
    error_code ec = asio::error::operation_aborted;
    t.wait(ec);
    BOOST_CHECK(!ec);
    BOOST_CHECK(steady::now() >= t.expiry());

    Timer fresh(ctx);
    fresh.wait(ec);
    BOOST_CHECK(!ec);

    // A blocking wait and an asynchronous one do not disturb each other.
    journal l;
    t.expires_after(2ms);
    t.async_wait(l(0));
    t.wait();
    BOOST_CHECK(l.lines.empty());
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(never_early, Timer, timers)
{
    asio::io_context ctx;
    for (auto d : {0us, 1us, 50us, 999us, 1000us, 1500us, 3000us})
    {
        Timer t(ctx, d);
        bool called = false;
        t.async_wait([&](error_code ec) {
            called = true;
            BOOST_CHECK(!ec);
            BOOST_CHECK(steady::now() >= t.expiry());
        });
        ctx.run();
        ctx.restart();
        BOOST_CHECK(called);
    }
}

#if BOOST_VERSION < 108700 && !defined(BOOST_ASIO_NO_DEPRECATED)
BOOST_AUTO_TEST_CASE_TEMPLATE(deprecated_members, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1h);
    error_code ec = asio::error::operation_aborted;
    t.async_wait(l(0));
    BOOST_CHECK_EQUAL(t.cancel(ec), 1u);
    BOOST_CHECK(!ec);
    t.async_wait(l(1));
    ec = asio::error::operation_aborted;
    BOOST_CHECK_EQUAL(t.cancel_one(ec), 1u);
    BOOST_CHECK(!ec);
    BOOST_CHECK(t.expires_at() == t.expiry());
    t.async_wait(l(2));
    const auto tp = steady::now() + 2h;
    ec = asio::error::operation_aborted;
    BOOST_CHECK_EQUAL(t.expires_at(tp, ec), 1u);
    BOOST_CHECK(!ec);
    BOOST_CHECK(t.expires_at() == tp);
    BOOST_CHECK(t.expires_from_now() <= 2h);
    BOOST_CHECK(t.expires_from_now() > 1h);
    t.async_wait(l(3));
    BOOST_CHECK_EQUAL(t.expires_from_now(3h), 1u);
    BOOST_CHECK(t.expires_from_now() > 2h);
    t.async_wait(l(4));
    ec = asio::error::operation_aborted;
    BOOST_CHECK_EQUAL(t.expires_from_now(-1h, ec), 1u);
    BOOST_CHECK(!ec);
    BOOST_CHECK(t.expires_from_now() <= -1h);
    BOOST_CHECK_EQUAL(t.expires_from_now((steady::duration::max)()), 0u);
    BOOST_CHECK(t.expiry() == (steady::time_point::max)());
    BOOST_CHECK_EQUAL(ctx.run(), 5u);
    BOOST_CHECK_EQUAL(l.aborted(), 5u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3, 4}));
}
#endif

// ---- Order -------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(waits_of_one_timer_are_first_in_first_out, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1ms);
    for (int i = 0; i < 10; ++i)
        t.async_wait(l(i));
    BOOST_CHECK_EQUAL(ctx.run(), 10u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    BOOST_CHECK_EQUAL(l.succeeded(), 10u);
    ctx.restart();

    // Cancelling keeps that order.
    l.lines.clear();
    t.expires_after(1h);
    for (int i = 0; i < 10; ++i)
        t.async_wait(l(i));
    BOOST_CHECK_EQUAL(t.cancel(), 10u);
    BOOST_CHECK_EQUAL(ctx.run(), 10u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    BOOST_CHECK_EQUAL(l.aborted(), 10u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(timers_complete_in_order_of_expiry, Timer, timers)
{
    for (auto offset : {steady::duration(-1h), steady::duration(1ms)})
    {
        asio::io_context ctx;
        journal l;
        const auto base = steady::now() + offset;
        std::vector<std::unique_ptr<Timer>> all;
        std::vector<int> expected;
        for (int i = 0; i < 101; ++i)
        {
            const int place = i * 37 % 101;
            all.push_back(std::make_unique<Timer>(ctx, base + place * 10us));
            all.back()->async_wait(l(place));
            expected.push_back(i);
        }
        BOOST_CHECK_EQUAL(ctx.run(), 101u);
        BOOST_CHECK(l.ids() == expected);
        BOOST_CHECK_EQUAL(l.succeeded(), 101u);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(equal_expiries, Timer, timers)
{
    for (auto offset : {steady::duration(-1h), steady::duration(1ms)})
    {
        asio::io_context ctx;
        journal l;
        const auto tp = steady::now() + offset;
        std::vector<std::unique_ptr<Timer>> all;
        std::vector<int> expected;
        for (int i = 0; i < 64; ++i)
        {
            all.push_back(std::make_unique<Timer>(ctx, tp));
            expected.push_back(i);
        }
        for (int i = 0; i < 64; ++i)
            all[static_cast<std::size_t>(i * 13 % 64)]->async_wait(l(i));
        BOOST_CHECK_EQUAL(ctx.run(), 64u);
        BOOST_CHECK_EQUAL(l.succeeded(), 64u);
        // Ours: first armed, first fired.
        if (is_ours<Timer>())
            BOOST_CHECK(l.ids() == expected);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(never_completed_in_the_initiating_function, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, steady::now() - 1s);
    journal l;
    asio::post(ctx, [&] {
        t.async_wait(l(0));
        BOOST_CHECK(l.lines.empty());
        asio::post(ctx, [&] { l.lines.push_back({1, {}}); });
        BOOST_CHECK(l.lines.empty());
    });
    BOOST_CHECK_EQUAL(ctx.run(), 3u);
    BOOST_CHECK((l.ids() == std::vector<int>{1, 0}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(post_overtakes_an_expired_wait, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, steady::now() - 1s);
    journal l;
    t.async_wait(l(0));
    asio::post(ctx, [&] { l.lines.push_back({1, {}}); });
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{1, 0}));
}

// ---- What run and poll count -------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(run_counts_the_handlers, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    std::vector<std::unique_ptr<Timer>> all;
    for (int i = 0; i < 100; ++i)
    {
        all.push_back(std::make_unique<Timer>(ctx, (i % 10) * 200us));
        for (int k = 0; k <= i % 3; ++k)
            all.back()->async_wait(l(i));
    }
    BOOST_CHECK_EQUAL(ctx.run(), 199u);
    BOOST_CHECK_EQUAL(l.lines.size(), 199u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(run_one_counts_one_each, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    const auto base = steady::now();
    Timer a(ctx, base + 1ms);
    Timer b(ctx, base + 2ms);
    Timer c(ctx, base - 1ms);
    a.async_wait(l(1));
    b.async_wait(l(2));
    c.async_wait(l(0));
    for (std::size_t i = 1; i <= 3; ++i)
    {
        BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
        BOOST_CHECK_EQUAL(l.lines.size(), i);
    }
    BOOST_CHECK_EQUAL(ctx.run_one(), 0u);
    BOOST_CHECK(ctx.stopped());
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(poll_counts_what_is_due, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer later(ctx, 1h);
    later.async_wait(l(9));
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(ctx.poll_one(), 0u);
    BOOST_CHECK(!ctx.stopped());

    Timer a(ctx, steady::now());
    Timer b(ctx, steady::now());
    a.async_wait(l(0));
    b.async_wait(l(1));
    b.async_wait(l(2));
    let_pass(b.expiry());
    std::size_t n = 0;
    while (n < 2)
    {
        const std::size_t one = ctx.poll_one();
        BOOST_CHECK_LE(one, 1u);
        n += one;
        BOOST_CHECK_EQUAL(l.lines.size(), n);
    }
    while (n < 3)
        n += ctx.poll();
    BOOST_CHECK_EQUAL(l.lines.size(), 3u);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(later.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    BOOST_CHECK(ctx.stopped());
    BOOST_CHECK_EQUAL(l.lines.size(), 4u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(deadline_of_a_cancelled_timer_is_not_counted, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer keep(ctx, 1h);
    keep.async_wait(l(9));
    Timer t(ctx, 1ms);
    t.async_wait(l(0));
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    let_pass(t.expiry());
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(ctx.poll_one(), 0u);
    BOOST_CHECK_EQUAL(ctx.run_one_for(3ms), 0u);

    // The same while run() is blocked over that deadline.
    Timer end(ctx, 6ms);
    end.async_wait(l(1));
    t.expires_after(2ms);
    t.async_wait(l(2));
    t.expires_after(1h);
    keep.cancel();
    BOOST_CHECK_EQUAL(ctx.run(), 3u);
    BOOST_CHECK_EQUAL(l.lines.size(), 4u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(destroyed_timers_leave_nothing_to_count, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    for (int i = 0; i < 50; ++i)
    {
        Timer t(ctx, 1ms);
        t.async_wait(l(i));
    }
    BOOST_CHECK_EQUAL(ctx.poll(), 50u);
    BOOST_CHECK_EQUAL(l.aborted(), 50u);
    ctx.restart();
    Timer end(ctx, 4ms);
    end.async_wait(l(99));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(two_threads_count_exactly, Timer, timers)
{
    asio::io_context ctx;
    constexpr int number = 2000;
    std::atomic<std::size_t> fired{0};
    std::vector<std::unique_ptr<Timer>> all;
    const auto base = steady::now();
    for (int i = 0; i < number; ++i)
    {
        all.push_back(std::make_unique<Timer>(ctx, base + i % 40 * 500us));
        all.back()->async_wait([&](error_code) { ++fired; });
    }
    std::size_t other = 0;
    std::thread second([&] { other = ctx.run(); });
    const std::size_t mine = ctx.run();
    second.join();
    BOOST_CHECK_EQUAL(mine + other, static_cast<std::size_t>(number));
    BOOST_CHECK_EQUAL(fired, static_cast<std::size_t>(number));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(two_threads_count_exactly_while_timers_are_cancelled, Timer, timers)
{
    asio::io_context ctx;
    constexpr std::size_t number = 1000;
    std::atomic<std::size_t> completed{0};
    std::vector<std::unique_ptr<Timer>> all;
    const auto base = steady::now();
    for (std::size_t i = 0; i < number; ++i)
    {
        all.push_back(std::make_unique<Timer>(ctx, base + i % 20 * 1ms));
        all.back()->async_wait([&](error_code) { ++completed; });
    }
    // Odd ones are cancelled at whatever point of their life; each completes once all the same.
    for (std::size_t i = 1; i < number; i += 2)
        asio::post(ctx, [&, i] { all[i]->cancel(); });
    std::size_t other = 0;
    std::thread second([&] {
        while (const std::size_t n = ctx.run_one())
            other += n;
    });
    const std::size_t mine = ctx.run();
    second.join();
    BOOST_CHECK_EQUAL(mine + other, number + number / 2);
    BOOST_CHECK_EQUAL(completed, number);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_pending_wait_is_work_until_its_handler_has_run, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, 1h);
    int calls = 0;
    const auto handler = [&](error_code) {
        ++calls;
        BOOST_CHECK(!ctx.stopped());
    };
    t.async_wait(handler);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(t.expires_after(1ms), 1u);
    BOOST_CHECK(!ctx.stopped());
    t.async_wait(handler);
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(calls, 2);
    BOOST_CHECK(ctx.stopped());

    // A timer with nobody waiting is no work.
    ctx.restart();
    t.expires_after(1h);
    BOOST_CHECK_EQUAL(ctx.run(), 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(stop_and_restart, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1ms);
    t.async_wait(l(0));
    ctx.stop();
    let_pass(t.expiry());
    BOOST_CHECK_EQUAL(ctx.run(), 0u);
    BOOST_CHECK(l.lines.empty());
    ctx.restart();
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

// ---- Cancelling --------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(cancel_returns_what_it_took, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1h);
    BOOST_CHECK_EQUAL(t.cancel(), 0u);
    BOOST_CHECK_EQUAL(t.cancel_one(), 0u);
    for (int i = 0; i < 5; ++i)
        t.async_wait(l(i));
    BOOST_CHECK_EQUAL(t.cancel_one(), 1u);
    BOOST_CHECK_EQUAL(t.cancel_one(), 1u);
    BOOST_CHECK(l.lines.empty());
    BOOST_CHECK_EQUAL(ctx.poll(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1}));
    BOOST_CHECK_EQUAL(t.cancel(), 3u);
    BOOST_CHECK_EQUAL(t.cancel(), 0u);
    BOOST_CHECK_EQUAL(ctx.poll(), 3u);
    BOOST_CHECK_EQUAL(l.aborted(), 5u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3, 4}));
    BOOST_CHECK_EQUAL(t.cancel_one(), 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(setting_the_expiry_cancels_first, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1h);
    t.async_wait(l(0));
    t.async_wait(l(1));
    BOOST_CHECK_EQUAL(t.expires_at(steady::now() + 2h), 2u);
    t.async_wait(l(2));
    BOOST_CHECK_EQUAL(t.expires_after(0ms), 1u);
    t.async_wait(l(3));
    BOOST_CHECK_EQUAL(ctx.run(), 4u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3}));
    BOOST_CHECK_EQUAL(l.aborted(), 3u);
    BOOST_CHECK(!l.lines[3].ec);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(elapsed_but_not_collected_is_cancelled, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1ms);
    t.async_wait(l(0));
    t.async_wait(l(1));
    let_pass(t.expiry());
    BOOST_CHECK_EQUAL(t.cancel_one(), 1u);
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(l.aborted(), 2u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(collected_is_success, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer a(ctx, steady::now() - 2s);
    Timer b(ctx, steady::now() - 1s);
    a.async_wait(l(0));
    b.async_wait(l(1));
    b.async_wait(l(2));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{0}));
    BOOST_CHECK_EQUAL(b.cancel_one(), 0u);
    BOOST_CHECK_EQUAL(b.cancel(), 0u);
    BOOST_CHECK_EQUAL(b.expires_after(1h), 0u);
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(l.succeeded(), 3u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_timer_used_from_its_own_handler, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, steady::now());
    int rounds = 0;
    struct again
    {
        Timer& t;
        int& rounds;
        void operator()(error_code ec)
        {
            BOOST_CHECK(!ec);
            if (++rounds == 20)
                return;
            BOOST_CHECK_EQUAL(t.expires_at(t.expiry() + 100us), 0u);
            t.async_wait(again{t, rounds});
        }
    };
    t.async_wait(again{t, rounds});
    BOOST_CHECK_EQUAL(ctx.run(), 20u);
    BOOST_CHECK_EQUAL(rounds, 20);
}

// ---- Moving ------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(move_construction_carries_waits, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer a(ctx, 2ms);
    const auto tp = a.expiry();
    a.async_wait(l(0));
    a.async_wait(l(1));
    Timer b(std::move(a));
    BOOST_CHECK(b.expiry() == tp);
    BOOST_CHECK(a.expiry() == steady::time_point());
    BOOST_CHECK(b.get_executor() == ctx.get_executor());
    BOOST_CHECK_EQUAL(a.cancel(), 0u);
    b.async_wait(l(2));
    BOOST_CHECK_EQUAL(ctx.run(), 3u);
    BOOST_CHECK_EQUAL(l.succeeded(), 3u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2}));

    // The moved-from timer is as good as a new one.
    ctx.restart();
    BOOST_CHECK(a.get_executor() == ctx.get_executor());
    a.async_wait(l(3));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    ctx.restart();
    a.expires_after(1h);
    a.async_wait(l(4));
    b.expires_after(1h);
    b.async_wait(l(5));
    BOOST_CHECK_EQUAL(a.cancel(), 1u);
    BOOST_CHECK_EQUAL(b.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(move_assignment_cancels_the_target, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer a(ctx, 1h);
    Timer b(ctx, 2h);
    const auto tp = a.expiry();
    a.async_wait(l(0));
    b.async_wait(l(1));
    b.async_wait(l(2));
    b = std::move(a);
    BOOST_CHECK(l.lines.empty());
    BOOST_CHECK(b.expiry() == tp);
    BOOST_CHECK(a.expiry() == steady::time_point());
    BOOST_CHECK_EQUAL(ctx.poll(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{1, 2}));
    BOOST_CHECK_EQUAL(l.aborted(), 2u);
    BOOST_CHECK_EQUAL(a.cancel(), 0u);
    BOOST_CHECK_EQUAL(b.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 3u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(move_assignment_across_contexts, Timer, timers)
{
    asio::io_context one, two;
    journal l;
    Timer a(one, 1ms);
    Timer b(two, 1h);
    a.async_wait(l(0));
    b.async_wait(l(1));
    b = std::move(a);
    BOOST_CHECK(b.get_executor() == one.get_executor());
    BOOST_CHECK(a.get_executor() == one.get_executor());
    BOOST_CHECK(a.expiry() == steady::time_point());
    BOOST_CHECK_EQUAL(two.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
    BOOST_CHECK_EQUAL(one.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{1, 0}));

    // Both work in the context they now belong to.
    one.restart();
    b.expires_after(0ms);
    b.async_wait(l(2));
    a.async_wait(l(3));
    two.restart();
    BOOST_CHECK_EQUAL(two.run(), 0u);
    BOOST_CHECK_EQUAL(one.run(), 2u);
    BOOST_CHECK_EQUAL(l.succeeded(), 3u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_moved_timer_outlives_the_context_it_left, Timer, timers)
{
    asio::io_context one;
    journal l;
    Timer a(one, 1ms);
    a.async_wait(l(0));
    {
        asio::io_context two;
        Timer b(two, 1h);
        b.async_wait(l(1));
        b = std::move(a);
        two.run();
        a = std::move(b);
    }
    BOOST_CHECK_EQUAL(one.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(self_move_is_safe, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1ms);
    const auto tp = t.expiry();
    t.async_wait(l(0));
    Timer& same_timer = t;
    t = std::move(same_timer);
    BOOST_CHECK(t.expiry() == tp);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(swapping, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer a(ctx, 1h);
    Timer b(ctx, 1ms);
    a.async_wait(l(0));
    b.async_wait(l(1));
    std::swap(a, b);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
    BOOST_CHECK_EQUAL(a.cancel(), 0u);
    BOOST_CHECK_EQUAL(b.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{1, 0}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(timers_in_a_growing_vector, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    std::vector<Timer> all;
    const auto base = steady::now();
    for (int i = 0; i < 100; ++i)
    {
        all.emplace_back(ctx, base + (100 - i) * 10us);
        all.back().async_wait(l(i));
    }
    all.erase(all.begin() + 50);
    BOOST_CHECK_EQUAL(ctx.run(), 100u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 99u);
    std::vector<int> fired;
    for (const auto& line : l.lines)
        if (!line.ec)
            fired.push_back(line.id);
    BOOST_CHECK(std::is_sorted(fired.rbegin(), fired.rend()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(converting_moves, Family, families)
{
    using special = typename Family::template timer<io_executor>;
    using general = typename Family::template timer<>;
    asio::io_context one, two;
    journal l;

    special a(one, 1ms);
    const auto tp = a.expiry();
    a.async_wait(l(0));
    general b(std::move(a));
    BOOST_CHECK(b.expiry() == tp);
    BOOST_CHECK(a.expiry() == steady::time_point());
    BOOST_CHECK(b.get_executor() == one.get_executor());
    BOOST_CHECK_EQUAL(one.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);

    one.restart();
    a.expires_after(1ms);
    a.async_wait(l(1));
    general c(two, 1h);
    c.async_wait(l(2));
    c = std::move(a);
    BOOST_CHECK(c.get_executor() == one.get_executor());
    BOOST_CHECK_EQUAL(two.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
    BOOST_CHECK_EQUAL(one.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 2, 1}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(moving_after_collection, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    std::optional<Timer> a(std::in_place, ctx, steady::now() - 2s);
    Timer b(ctx, steady::now() - 3s);
    a->async_wait(l(0));
    b.async_wait(l(1));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    Timer c(std::move(*a));
    a.reset();
    BOOST_CHECK_EQUAL(c.cancel(), 0u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);
}

// ---- Destroying --------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(destruction_aborts, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    {
        Timer t(ctx, 1h);
        t.async_wait(l(0));
        t.async_wait(l(1));
    }
    BOOST_CHECK(l.lines.empty());
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(l.aborted(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_handler_destroys_its_own_timer, Timer, timers)
{
    asio::io_context ctx;
    auto t = std::make_unique<Timer>(ctx, 0ms);
    journal l;
    t->async_wait([&](error_code ec) {
        l(0)(ec);
        t.reset();
    });
    t->async_wait(l(1));
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK(!t);
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);

    // The timer may live in the handler itself.
    ctx.restart();
    auto owned = std::make_unique<Timer>(ctx, 0ms);
    Timer& ref = *owned;
    ref.async_wait([&l, owned = std::move(owned)](error_code ec) { l(2)(ec); });
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 3u);
}

BOOST_AUTO_TEST_SUITE_END()
