// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Parity over the contexts and executors that a timer can live on, custom clocks, and fork.

#include "parity/timers.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>

namespace {

using namespace parity;

/// A context of the user's own, whose handlers run on somebody else's executor. It has the reactor to itself.
class borrowing_context : public asio::execution_context
{
public:
    using executor_type = asio::strand<asio::io_context::executor_type>;

    explicit borrowing_context(asio::io_context& lender) : executor_(lender.get_executor()) {}

    ~borrowing_context()
    {
        shutdown();
        destroy();
    }

    executor_type get_executor() noexcept { return executor_; }

private:
    executor_type executor_;
};

using custom_context_timers = std::tuple<asio_timer<>, our_timer<>, asio_timer<borrowing_context::executor_type>,
    our_timer<borrowing_context::executor_type>>;

/// A clock that stands still until it is told; the time is only ever looked at, as a custom WaitTraits has it.
template <class Tag, class Duration>
struct told_clock
{
    using duration = Duration;
    using rep = typename duration::rep;
    using period = typename duration::period;
    using time_point = std::chrono::time_point<told_clock>;
    static constexpr bool is_steady = false;

    static inline std::atomic<rep> ticks{0};

    static time_point now() noexcept { return time_point(duration(ticks.load())); }

    static void tell(duration d) { ticks = d.count(); }
};

/// What Asio asks of a clock, and no more.
struct plain_clock
{
    using duration = std::chrono::milliseconds;
    using time_point = std::chrono::time_point<steady, duration>;

    static time_point now() noexcept { return std::chrono::floor<duration>(steady::now()); }
};

/// Looks at the clock again after at most a millisecond of real time.
template <class Clock>
struct look_often
{
    static inline std::atomic<int> asked{0};

    static typename Clock::duration to_wait_duration(const typename Clock::duration& d)
    {
        ++asked;
        using std::chrono::ceil;
        const auto most = ceil<typename Clock::duration>(1ms);
        return d < most ? d : most;
    }

    static typename Clock::duration to_wait_duration(const typename Clock::time_point& tp)
    {
        return to_wait_duration(tp - Clock::now());
    }
};

// The behaviour that every context must show, with handlers that run on this thread.
template <class Timer>
void exercise(asio::io_context& ctx)
{
    journal l;
    const auto base = steady::now();
    Timer a(ctx, base + 2ms), b(ctx, base + 1ms), c(ctx, 1h), d(ctx, base - 1s);
    a.async_wait(l(2));
    b.async_wait(l(1));
    c.async_wait(l(3));
    d.async_wait(l(0));
    asio::post(ctx, [&] { l.lines.push_back({9, {}}); });
    for (int i = 0; i < 4; ++i)
        BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(c.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{9, 0, 1, 2, 3}));
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

} // namespace

BOOST_AUTO_TEST_SUITE(asio_parity_contexts)

BOOST_AUTO_TEST_CASE_TEMPLATE(every_concurrency_hint, Timer, timers)
{
    for (int hint :
        {1, 2, BOOST_ASIO_CONCURRENCY_HINT_SAFE, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO})
    {
        asio::io_context ctx(hint);
        exercise<Timer>(ctx);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(several_contexts_at_once, Timer, timers)
{
    asio::io_context one, two;
    journal l;
    Timer a(one, 1ms), b(two, 0ms);
    a.async_wait(l(0));
    b.async_wait(l(1));
    BOOST_CHECK_EQUAL(one.run(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{0}));
    BOOST_CHECK_EQUAL(two.run(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(thread_pools, Family, families)
{
    std::atomic<int> fired{0}, aborted{0};
    asio::thread_pool pool(2);
    using on_pool = typename Family::template timer<asio::thread_pool::executor_type>;
    using on_any = typename Family::template timer<>;
    std::vector<std::unique_ptr<on_pool>> some;
    std::vector<std::unique_ptr<on_any>> others;
    auto handler = [&](error_code ec) { ++(ec ? aborted : fired); };
    for (int i = 0; i < 100; ++i)
    {
        some.push_back(std::make_unique<on_pool>(pool, i % 5 * 1ms));
        some.back()->async_wait(handler);
        others.push_back(std::make_unique<on_any>(pool.get_executor(), i % 5 * 1ms));
        others.back()->async_wait(handler);
    }
    on_pool late(pool, 1h);
    late.async_wait(handler);
    BOOST_CHECK_EQUAL(late.cancel(), 1u);
    pool.join();
    BOOST_CHECK_EQUAL(fired, 200);
    BOOST_CHECK_EQUAL(aborted, 1);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_system_executor, Family, families)
{
    std::promise<error_code> first, second, third;
    std::thread::id there;
    typename Family::template timer<asio::system_executor> a(asio::system_executor(), 1ms);
    typename Family::template timer<> b(asio::system_executor(), 1ms);
    typename Family::template timer<> c(asio::system_executor(), 1h);
    a.async_wait([&](error_code ec) {
        there = std::this_thread::get_id();
        first.set_value(ec);
    });
    b.async_wait([&](error_code ec) { second.set_value(ec); });
    c.async_wait([&](error_code ec) { third.set_value(ec); });
    BOOST_CHECK(!first.get_future().get());
    BOOST_CHECK(there != std::this_thread::get_id());
    BOOST_CHECK(!second.get_future().get());
    BOOST_CHECK_EQUAL(c.cancel(), 1u);
    BOOST_CHECK(third.get_future().get() == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_timer_on_a_strand, Family, families)
{
    asio::io_context ctx;
    using strand_type = asio::strand<asio::io_context::executor_type>;
    strand_type strand(ctx.get_executor());
    typename Family::template timer<strand_type> a(strand, 0ms);
    typename Family::template timer<> b(strand, 1ms);
    int inside = 0;
    a.async_wait([&](error_code) { inside += strand.running_in_this_thread(); });
    b.async_wait([&](error_code) { inside += strand.running_in_this_thread(); });
    BOOST_CHECK(a.get_executor() == strand);
    ctx.run();
    BOOST_CHECK_EQUAL(inside, 2);

    typename Family::template timer<> c(std::move(a));
    ctx.restart();
    c.expires_after(0ms);
    c.async_wait([&](error_code) { inside += strand.running_in_this_thread(); });
    ctx.run();
    BOOST_CHECK_EQUAL(inside, 3);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_timer_on_an_any_executor_of_a_pool_moved_to_an_io_context, Family, families)
{
    using timer = typename Family::template timer<>;
    asio::thread_pool pool(1);
    asio::io_context ctx;
    timer t(pool, 1h);
    std::promise<error_code> done;
    t.async_wait([&](error_code ec) { done.set_value(ec); });
    journal l;
    timer u(ctx, 0ms);
    u.async_wait(l(0));
    t = std::move(u);
    BOOST_CHECK(done.get_future().get() == asio::error::operation_aborted);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
    pool.join();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_custom_execution_context, Timer, custom_context_timers)
{
    asio::io_context ctx;
    borrowing_context custom(ctx);
    journal l;
    Timer t(custom, 1ms);
    BOOST_CHECK(t.get_executor() == custom.get_executor());
    t.async_wait(l(0));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);

    ctx.restart();
    t.expires_after(1h);
    t.async_wait(l(1));
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

// The service is that of the context given, not of the one its executor belongs to: with the context go the waits.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_custom_context_takes_its_waits_along, Timer, custom_context_timers)
{
    asio::io_context ctx;
    bool called = false;
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watch = token;
    {
        borrowing_context custom(ctx);
        auto t = std::make_unique<Timer>(custom, 1h);
        Timer& ref = *t;
        ref.async_wait([&called, t = std::move(t), token = std::move(token)](error_code) { called = true; });
        BOOST_CHECK(!watch.expired());
    }
    BOOST_CHECK(watch.expired());
    BOOST_CHECK_EQUAL(ctx.run(), 0u);
    BOOST_CHECK(!called);
}

// ---- Custom clocks -----------------------------------------------------------------------------------------------

template <class Family, class Duration>
void custom_clock()
{
    using clock_type = told_clock<Family, Duration>;
    using traits = look_often<clock_type>;
    using timer = typename Family::template timer<asio::any_io_executor, clock_type, traits>;
    static_assert(std::is_same_v<typename timer::traits_type, traits>);
    static_assert(std::is_same_v<typename timer::time_point, typename clock_type::time_point>);

    clock_type::tell(Duration(1000));
    traits::asked = 0;
    asio::io_context ctx;
    journal l;
    timer a(ctx, Duration(100));
    timer b(ctx, Duration(50));
    timer never(ctx, (Duration::max)());
    BOOST_CHECK(a.expiry() == typename clock_type::time_point(Duration(1100)));
    BOOST_CHECK(never.expiry() == (clock_type::time_point::max)());
    a.async_wait(l(0));
    b.async_wait(l(1));
    never.async_wait(l(2));
    BOOST_CHECK_EQUAL(ctx.run_one_for(3ms), 0u);
    BOOST_CHECK_GE(traits::asked, 1);
    clock_type::tell(Duration(1049));
    BOOST_CHECK_EQUAL(ctx.run_one_for(3ms), 0u);
    clock_type::tell(Duration(1050));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{1}));
    clock_type::tell(Duration(5000));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{1, 0}));
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);
    BOOST_CHECK_EQUAL(never.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);

    // A clock may be set back: what was due is not due any more. And forth: it fires.
    ctx.restart();
    l.lines.clear();
    a.expires_at(typename clock_type::time_point(Duration(6000)));
    a.async_wait(l(0));
    clock_type::tell(Duration(10));
    b.expires_at(typename clock_type::time_point(Duration(20)));
    b.async_wait(l(1));
    BOOST_CHECK_EQUAL(ctx.run_one_for(3ms), 0u);
    clock_type::tell(Duration(21));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    clock_type::tell(Duration(5999));
    BOOST_CHECK_EQUAL(ctx.run_one_for(3ms), 0u);
    clock_type::tell(Duration(6000));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{1, 0}));

    // Blocking waits go through the traits as well.
    a.expires_after(Duration(100));
    std::thread helper([] {
        std::this_thread::sleep_for(3ms);
        clock_type::tell(Duration(7000));
    });
    a.wait();
    BOOST_CHECK(clock_type::now() >= a.expiry());
    helper.join();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(custom_clock_in_milliseconds, Family, families)
{
    custom_clock<Family, std::chrono::milliseconds>();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(custom_clock_in_nanoseconds, Family, families)
{
    custom_clock<Family, std::chrono::nanoseconds>();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(custom_clock_with_few_bits, Family, families)
{
    custom_clock<Family, std::chrono::duration<int, std::micro>>();
}

// A deadline that has passed by the time it is armed, and before the clock's epoch.
BOOST_AUTO_TEST_CASE_TEMPLATE(before_the_epoch, Family, families)
{
    using clock_type = told_clock<std::pair<Family, int>, std::chrono::milliseconds>;
    using timer = typename Family::template timer<asio::any_io_executor, clock_type, look_often<clock_type>>;
    using time_point = typename clock_type::time_point;
    asio::io_context ctx;
    journal l;
    clock_type::tell(-500ms);
    timer a(ctx, time_point(-400ms)), b(ctx, time_point(-600ms)), c(ctx, (time_point::min)());
    a.async_wait(l(0));
    b.async_wait(l(1));
    c.async_wait(l(2));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(ctx.run_one_for(2ms), 0u);
    clock_type::tell(-400ms);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{2, 1, 0}));

    // Adding to a negative time saturates at the lower end too.
    a.expires_after((std::chrono::milliseconds::min)());
    BOOST_CHECK(a.expiry() == (time_point::min)());
}

// The reactor's timer was set by what the clock said then: what is armed after a jump is looked at by what it says now.
BOOST_AUTO_TEST_CASE_TEMPLATE(arming_after_a_custom_clock_jumped, Family, families)
{
    using clock_type = told_clock<std::pair<Family, long>, std::chrono::milliseconds>;
    using timer = typename Family::template timer<asio::any_io_executor, clock_type>;
    clock_type::tell(0ms);
    asio::io_context ctx;
    journal l;
    asio_timer<> guard(ctx, 1min);
    guard.async_wait(l(9));
    timer a(ctx, 1h), b(ctx);
    a.async_wait(l(0));
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    clock_type::tell(3h);
    BOOST_CHECK_EQUAL(a.expires_after(-1h), 1u); // due, and later than what the reactor's timer was set for
    a.async_wait(l(1));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1}));

    // Not due yet, but sooner than it would have been by the clock as it was.
    a.expires_after(1h);
    a.async_wait(l(2));
    BOOST_CHECK_EQUAL(a.cancel(), 1u);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    clock_type::tell(4h);
    b.expires_after(2ms);
    b.async_wait(l(3));
    clock_type::tell(4h + 2ms);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_clock_with_the_least_members, Family, families)
{
    using timer = typename Family::template timer<asio::any_io_executor, plain_clock>;
    asio::io_context ctx;
    journal l;
    timer t(ctx, 1ms);
    t.async_wait(l(0));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
    t.expires_after(1ms);
    t.wait();
    BOOST_CHECK(plain_clock::now() >= t.expiry());
}

// Timers of several clocks share a context.
BOOST_AUTO_TEST_CASE_TEMPLATE(several_clocks_on_one_context, Family, families)
{
    asio::io_context ctx;
    journal l;
    typename Family::template timer<asio::any_io_executor, std::chrono::system_clock> wall(ctx, 2ms);
    typename Family::template timer<> mono(ctx, 1ms);
    wall.async_wait(l(1));
    mono.async_wait(l(0));
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 2u); // in either order: on a machine that stalls both are due at once
}

// ---- Fork --------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE_TEMPLATE(pending_waits_fire_in_parent_and_child, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer a(ctx, 5ms), b(ctx, 10ms), past(ctx, steady::now() - 1s), cancelled(ctx, 7ms);
    b.async_wait(l(2));
    a.async_wait(l(1));
    past.async_wait(l(0));
    cancelled.async_wait(l(3));
    BOOST_CHECK_EQUAL(cancelled.cancel(), 1u);
    ctx.notify_fork(asio::execution_context::fork_prepare);
    const pid_t child = ::fork();
    BOOST_REQUIRE(child >= 0);
    if (child == 0)
    {
        ctx.notify_fork(asio::execution_context::fork_child);
        bool good = ctx.run() == 4 && l.ids() == std::vector<int>{3, 0, 1, 2} && l.aborted() == 1;
        // Timers can be armed anew in the child.
        ctx.restart();
        a.expires_after(1ms);
        a.async_wait(l(4));
        good = good && ctx.run() == 1 && l.succeeded() == 4;
        ::_exit(good ? 0 : 1);
    }
    ctx.notify_fork(asio::execution_context::fork_parent);
    BOOST_CHECK_EQUAL(ctx.run(), 4u);
    BOOST_CHECK((l.ids() == std::vector<int>{3, 0, 1, 2}));
    int status = -1;
    BOOST_CHECK_EQUAL(::waitpid(child, &status, 0), child);
    BOOST_CHECK(WIFEXITED(status));
    BOOST_CHECK_EQUAL(WEXITSTATUS(status), 0);
}

BOOST_AUTO_TEST_SUITE_END()
