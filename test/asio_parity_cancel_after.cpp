// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Where the Boost in use has cancel_after and cancel_at, their overloads that take a timer accept ours: unqualified, and
// under the names that a program has after the text substitution of the timer's type.

#include "parity/timers.hpp"

#include <boost/test/unit_test.hpp>

#if __has_include(<boost/asio/cancel_after.hpp>)

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <memory>
#include <new>

namespace {

using namespace parity;

// Up to Boost 1.90 Asio's own overloads with a timer name `basic_waitable_timer<Clock, WaitTraits>`, and so compile for
// any_io_executor alone. Ours take every executor.
#if BOOST_VERSION < 109100
using cancelling_timers = std::tuple<asio_timer<>, our_timer<>, our_timer<io_executor>>;
#else
using cancelling_timers = timers;
#endif

using signature = void(error_code);

/// An initiation need not be a class.
void start_at_once(asio::any_completion_handler<signature> handler, asio::any_io_executor ex)
{
    asio::post(ex, asio::append(std::move(handler), error_code()));
}

/// Has no memory to give.
template <class T>
struct poor_allocator
{
    using value_type = T;
    poor_allocator() = default;
    template <class U>
    poor_allocator(const poor_allocator<U>&)
    {
    }
    [[noreturn]] T* allocate(std::size_t) { throw std::bad_alloc(); }
    void deallocate(T*, std::size_t) {}
    friend bool operator==(const poor_allocator&, const poor_allocator&) { return true; }
    friend bool operator!=(const poor_allocator&, const poor_allocator&) { return false; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(asio_parity_cancel_after)

BOOST_AUTO_TEST_CASE_TEMPLATE(the_limit_cancels, Timer, cancelling_timers)
{
    asio::io_context ctx;
    journal l;
    Timer limit(ctx);
    Timer slow(ctx, 1h);
    slow.async_wait(cancel_after(limit, 1ms, l(0)));
    ctx.run();
    BOOST_CHECK((l.ids() == std::vector<int>{0}));
    BOOST_CHECK_EQUAL(l.aborted(), 1u);

    ctx.restart();
    slow.async_wait(boost::asio::cancel_after(limit, 1ms, l(1)));
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 2u);

    ctx.restart();
    slow.async_wait(cancel_at(limit, steady::now() + 1ms, l(2)));
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 3u);

    ctx.restart();
    slow.async_wait(boost::asio::cancel_at(limit, steady::now() + 1ms, l(3)));
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 4u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_limit_with_a_cancellation_type, Timer, cancelling_timers)
{
    asio::io_context ctx;
    journal l;
    Timer limit(ctx);
    Timer slow(ctx, 1h);
    slow.async_wait(cancel_after(limit, 1ms, asio::cancellation_type::total, l(0)));
    ctx.run();
    ctx.restart();
    slow.async_wait(boost::asio::cancel_after(limit, 1ms, asio::cancellation_type::partial, l(1)));
    ctx.run();
    ctx.restart();
    slow.async_wait(cancel_at(limit, steady::now(), asio::cancellation_type::total, l(2)));
    ctx.run();
    ctx.restart();
    slow.async_wait(boost::asio::cancel_at(limit, steady::now(), asio::cancellation_type::total, l(3)));
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 4u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_operation_within_its_limit, Timer, cancelling_timers)
{
    asio::io_context ctx;
    journal l;
    Timer limit(ctx);
    Timer quick(ctx, 1ms);
    quick.async_wait(boost::asio::cancel_after(limit, 1h, l(0)));
    ctx.run();
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
    // The limit's wait is gone, and the timer is free.
    BOOST_CHECK_EQUAL(limit.cancel(), 0u);
    BOOST_CHECK(limit.expiry() > steady::now());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(cancelled_from_outside, Timer, cancelling_timers)
{
    asio::io_context ctx;
    journal l;
    asio::cancellation_signal signal;
    Timer limit(ctx);
    Timer slow(ctx, 1h);
    slow.async_wait(asio::bind_cancellation_slot(signal.slot(), boost::asio::cancel_after(limit, 1h, l(0))));
    ctx.poll();
    signal.emit(asio::cancellation_type::terminal);
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(other_tokens, Timer, cancelling_timers)
{
    asio::io_context ctx;
    Timer limit(ctx);
    Timer slow(ctx, 1h);
    auto f = slow.async_wait(boost::asio::cancel_after(limit, 1ms, asio::use_future));
    ctx.run();
    BOOST_CHECK_THROW(f.get(), boost::system::system_error);

    ctx.restart();
    error_code result;
    auto op = slow.async_wait(cancel_after(limit, 1ms, asio::deferred));
    std::move(op)([&](error_code ec) { result = ec; });
    ctx.run();
    BOOST_CHECK(result == asio::error::operation_aborted);

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
    ctx.restart();
    result = {};
    asio::co_spawn(
        ctx,
        [&]() -> asio::awaitable<void> {
            auto [ec] = co_await slow.async_wait(boost::asio::cancel_after(limit, 1ms, asio::as_tuple(asio::use_awaitable)));
            result = ec;
        },
        asio::detached);
    ctx.run();
    BOOST_CHECK(result == asio::error::operation_aborted);
#endif
}

// The forms without a timer are Asio's, and know our operations as any other.
BOOST_AUTO_TEST_CASE_TEMPLATE(without_a_timer, Timer, cancelling_timers)
{
    asio::io_context ctx;
    journal l;
    Timer slow(ctx, 1h);
    slow.async_wait(boost::asio::cancel_after(1ms, l(0)));
    ctx.run();
    ctx.restart();
    slow.async_wait(boost::asio::cancel_at(steady::now() + 1ms, l(1)));
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 2u);
}

// Ours: the partial form, with the token given later. (In Asio it does not compile.)
BOOST_AUTO_TEST_CASE_TEMPLATE(one_limit_inside_another, Timer, cancelling_timers)
{
    asio::io_context ctx;
    journal l;
    Timer limit(ctx), shorter(ctx), slow(ctx, 1h);
    slow.async_wait(asio::cancel_after(limit, 1h, asio::cancel_after(1ms, l(0))));
    ctx.run();
    ctx.restart();
    slow.async_wait(asio::cancel_after(1h, asio::cancel_after(limit, 1ms, l(1))));
    ctx.run();
    ctx.restart();
    slow.async_wait(asio::cancel_after(limit, 1h, asio::cancel_after(shorter, 1ms, l(2))));
    ctx.run();
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2}));
    BOOST_CHECK_EQUAL(l.aborted(), 3u);
}

BOOST_AUTO_TEST_CASE(partial_adapters)
{
    asio::io_context ctx;
    journal l;
    our_timer<> limit(ctx);
    our_timer<> slow(ctx, 1h);
    slow.async_wait(cancel_after(limit, 1ms)(l(0)));
    ctx.run();
    ctx.restart();
    slow.async_wait(boost::asio::cancel_at(limit, steady::now() + 1ms, asio::cancellation_type::total)(l(1)));
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 2u);

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
    ctx.restart();
    auto op = slow.async_wait(asio::deferred) | cancel_after(limit, 1ms);
    std::move(op)(l(2));
    ctx.run();
    BOOST_CHECK_EQUAL(l.aborted(), 3u);
#endif
}

BOOST_AUTO_TEST_CASE(a_function_as_initiation)
{
    asio::io_context ctx;
    journal l;
    our_timer<> limit(ctx);
    auto once = cancel_after(limit, 1h, l(0));
    asio::async_initiate<decltype(once), signature>(&start_at_once, once, ctx.get_executor());
    ctx.run();
    ctx.restart();
    const auto kept = cancel_at(limit, steady::now() + 1h, l(1));
    asio::async_initiate<decltype(kept), signature>(&start_at_once, kept, ctx.get_executor());
    ctx.run();
    BOOST_CHECK_EQUAL(l.succeeded(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1}));
}

BOOST_AUTO_TEST_CASE(handlers_that_are_only_moved_and_tokens_that_are_kept)
{
    asio::io_context ctx;
    our_timer<> limit(ctx);
    our_timer<> slow(ctx, 1h);
    error_code result;
    slow.async_wait(cancel_after(limit, 1ms, [&, only = std::make_unique<int>(1)](error_code ec) { result = ec; }));
    ctx.run();
    BOOST_CHECK(result == asio::error::operation_aborted);

    const auto token = cancel_after(limit, 1ms, asio::use_future);
    for (int i = 0; i != 2; ++i)
    {
        ctx.restart();
        auto f = slow.async_wait(token);
        ctx.run();
        BOOST_CHECK_THROW(f.get(), boost::system::system_error);
    }
}

BOOST_AUTO_TEST_CASE(without_memory_the_timer_stays_as_it_was)
{
    asio::io_context ctx;
    journal l;
    our_timer<> limit(ctx, 1h);
    our_timer<> slow(ctx, 1h);
    const auto expiry = limit.expiry();
    limit.async_wait(l(0));
    BOOST_CHECK_THROW(
        slow.async_wait(cancel_after(limit, 1ms, asio::bind_allocator(poor_allocator<void>(), l(1)))), std::bad_alloc);
    BOOST_CHECK(limit.expiry() == expiry);
    ctx.poll();
    BOOST_CHECK(l.ids().empty());
    BOOST_CHECK_EQUAL(limit.cancel(), 1u);
    BOOST_CHECK_EQUAL(slow.cancel(), 0u);
    ctx.run();
    BOOST_CHECK((l.ids() == std::vector<int>{0}));
}

BOOST_AUTO_TEST_SUITE_END()

#else

BOOST_AUTO_TEST_CASE(this_boost_has_no_cancel_after)
{
}

#endif
