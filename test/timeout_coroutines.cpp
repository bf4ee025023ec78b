// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Limits on and in coroutines.

#include <boost_ext/timeout.hpp>

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost/asio.hpp>
#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

#include <boost/asio/experimental/awaitable_operators.hpp> // needs coroutines itself

namespace asio = boost::asio;
using asio::awaitable;
using asio::cancellation_type;
using asio::use_awaitable;
using boost::system::error_code;
using boost::system::system_error;
using boost_ext::timeout;
using namespace std::chrono_literals;

namespace {

using clock_type = boost_ext::manual_clock;
using timer = boost_ext::basic_waitable_timer<clock_type>;
using deadline = boost_ext::basic_deadline<clock_type>;

const error_code timed_out = asio::error::timed_out;
const error_code aborted = asio::error::operation_aborted;

error_code code_of(std::exception_ptr e)
{
    if (!e)
        return {};
    try
    {
        std::rethrow_exception(e);
    }
    catch (const system_error& s)
    {
        return s.code();
    }
}

/// Waits in two steps, and gives a number.
awaitable<int> in(clock_type::duration d)
{
    timer t(co_await asio::this_coro::executor, d / 2);
    co_await t.async_wait(use_awaitable);
    t.expires_after(d / 2);
    co_await t.async_wait(use_awaitable);
    co_return 42;
}

awaitable<error_code> outcome_of(awaitable<int> a)
{
    try
    {
        co_await std::move(a);
    }
    catch (const system_error& e)
    {
        co_return e.code();
    }
    co_return error_code();
}

struct virtual_time
{
    virtual_time()
    {
        clock_type::reset();
        start = clock_type::now();
    }

    clock_type::duration elapsed() const { return clock_type::now() - start; }

    /// Runs a coroutine to its end.
    void run(std::function<awaitable<void>()> f)
    {
        bool done = false;
        asio::co_spawn(context, f, [&](std::exception_ptr e) {
            done = true;
            if (e)
                std::rethrow_exception(e);
        });
        clock_type::run(context);
        context.restart();
        BOOST_TEST(done);
    }

    asio::io_context context;
    clock_type::time_point start;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(timeout_coroutines, virtual_time)

BOOST_AUTO_TEST_CASE(operations)
{
    run([&]() -> awaitable<void> {
        timer t(context, 1h);
        error_code ec;
        co_await t.async_wait(timeout<clock_type>(5s, asio::redirect_error(use_awaitable, ec)));
        BOOST_TEST(ec == timed_out);
        BOOST_TEST((elapsed() == 5s));
        auto [e] = co_await t.async_wait(timeout<clock_type>(5s, asio::experimental::as_tuple(use_awaitable)));
        BOOST_TEST(e == timed_out);
        BOOST_TEST((elapsed() == 10s));
        t.expires_after(1s);
        co_await t.async_wait(timeout<clock_type>(5s, use_awaitable));
        BOOST_TEST((elapsed() == 11s));
        // With no token at all.
        t.expires_after(1s);
        co_await t.async_wait(timeout<clock_type>(5s));
        BOOST_TEST((elapsed() == 12s));
        t.expires_after(1s);
        co_await (t.async_wait(asio::deferred) | timeout<clock_type>(5s));
        BOOST_TEST((elapsed() == 13s));
    });
}

BOOST_AUTO_TEST_CASE(default_token_of_the_object)
{
    run([&]() -> awaitable<void> {
        asio::use_awaitable_t<>::as_default_on_t<timer> t(context, 1h);
        error_code ec;
        try
        {
            co_await t.async_wait(timeout<clock_type>(5s));
        }
        catch (const system_error& e)
        {
            ec = e.code();
        }
        BOOST_TEST(ec == timed_out);

        // Found under Asio's adapters too.
        t.expires_after(1s);
        awaitable<int> adapted = t.async_wait(asio::append(timeout<clock_type>(5s), 42));
        BOOST_TEST(co_await std::move(adapted) == 42);
    });
}

BOOST_AUTO_TEST_CASE(spawned_coroutines)
{
    std::exception_ptr e;
    int value = 0;
    const auto handler = [&](std::exception_ptr x, int v) {
        e = x;
        value = v;
    };
    asio::co_spawn(context, in(8s), timeout<clock_type>(5s, handler));
    clock_type::run(context);
    BOOST_TEST(code_of(e) == timed_out);
    BOOST_TEST((elapsed() == 5s));

    context.restart();
    asio::co_spawn(context, in(4s), timeout<clock_type>(5s, handler));
    clock_type::run(context);
    BOOST_TEST(!e);
    BOOST_TEST(value == 42);
    BOOST_TEST((elapsed() == 9s));
}

BOOST_AUTO_TEST_CASE(spawned_coroutines_that_are_handled_elsewhere)
{
    // The emission happens on the coroutine's executor, the completion on the handler's.
    asio::io_context handlers;
    for (const bool outside : {false, true})
    {
        asio::cancellation_signal signal;
        std::exception_ptr e;
        int calls = 0;
        asio::co_spawn(asio::make_strand(context), in(1h),
            timeout<clock_type>(
                5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(handlers, [&](std::exception_ptr x, int) {
                    ++calls;
                    e = x;
                    BOOST_TEST(handlers.get_executor().running_in_this_thread());
                }))));
        context.restart();
        context.poll();
        if (outside)
            asio::post(handlers, [&] { signal.emit(cancellation_type::terminal); });
        else
            clock_type::advance(5s);
        for (int i = 0; i < 4; ++i)
        {
            handlers.restart();
            handlers.poll();
            context.restart();
            context.poll();
        }
        BOOST_TEST(calls == 1);
        BOOST_TEST(code_of(e) == (outside ? aborted : timed_out));
        BOOST_TEST(!signal.slot().has_handler());
    }
}

BOOST_AUTO_TEST_CASE(a_limit_is_sent_when_the_handlers_executor_gets_to_it)
{
    asio::io_context handlers;
    asio::cancellation_signal signal;
    int calls = 0;
    error_code ec;
    asio::co_spawn(context, in(1h),
        timeout<clock_type>(
            5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(handlers, [&](std::exception_ptr x, int) {
                ++calls;
                ec = code_of(x);
            }))));
    context.poll();
    clock_type::advance(5s);
    context.restart();
    context.poll();
    handlers.poll();
    signal.emit(cancellation_type::terminal); // while the limit's is on its way to the coroutine
    for (int i = 0; i < 4; ++i)
    {
        context.restart();
        context.poll();
        handlers.restart();
        handlers.poll();
    }
    BOOST_TEST(calls == 1);
    BOOST_TEST(ec == timed_out);
}

BOOST_AUTO_TEST_CASE(emission_for_a_coroutine_that_has_just_ended)
{
    // A cancellation that was sent to a coroutine's executor when the coroutine was about to complete there must find
    // nothing: Boost 1.81 would follow a pointer into the slot's memory.
    asio::io_context handlers;
    asio::cancellation_signal signal;
    int calls = 0;
    error_code ec = asio::error::fault;
    asio::co_spawn(context, in(2s),
        timeout<clock_type>(
            5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(handlers, [&](std::exception_ptr x, int) {
                ++calls;
                ec = code_of(x);
            }))));
    context.poll();
    clock_type::advance(1s);
    context.poll();
    clock_type::advance(1s);
    signal.emit(cancellation_type::terminal);
    for (int i = 0; i < 4; ++i)
    {
        context.restart();
        context.poll();
        handlers.restart();
        handlers.poll();
    }
    BOOST_TEST(calls == 1);
    BOOST_TEST((!ec || ec == aborted));
}

BOOST_AUTO_TEST_CASE(coroutines_on_strands_of_type_erased_executors)
{
    using strand_type = asio::strand<asio::any_io_executor>;
    const strand_type strand(context.get_executor());
    std::exception_ptr e;
    asio::co_spawn(strand, in(8s), timeout<clock_type>(5s, [&](std::exception_ptr x, int) {
        e = x;
        BOOST_TEST(strand.running_in_this_thread());
    }));
    clock_type::run(context);
    BOOST_TEST(code_of(e) == timed_out);

    // One that knows its executor.
    context.restart();
    error_code inner;
    asio::co_spawn(
        strand,
        [&]() -> awaitable<void, strand_type> {
            timer t(context, 1h);
            const auto wait = [](timer& w) -> awaitable<void, strand_type> {
                co_await w.async_wait(timeout<clock_type>(9s, asio::use_awaitable_t<strand_type>()));
            };
            try
            {
                co_await timeout<clock_type>(1s, wait(t));
            }
            catch (const system_error& error)
            {
                inner = error.code();
            }
        },
        timeout<clock_type>(5s, asio::detached));
    clock_type::run(context);
    BOOST_TEST(inner == timed_out);
    BOOST_TEST((elapsed() == 6s));
}

BOOST_AUTO_TEST_CASE(awaitables)
{
    run([&]() -> awaitable<void> {
        BOOST_TEST(co_await timeout<clock_type>(5s, in(4s)) == 42);
        BOOST_TEST((elapsed() == 4s));
        BOOST_TEST(co_await outcome_of(timeout<clock_type>(5s, in(8s))) == timed_out);
        BOOST_TEST((elapsed() == 9s));
        // The awaiting coroutine goes on unharmed.
        BOOST_TEST(co_await timeout(deadline::after(2s), in(1s)) == 42);
        BOOST_TEST((elapsed() == 10s));
        BOOST_TEST(co_await outcome_of(timeout(clock_type::now(), in(1s))) == timed_out);
        BOOST_TEST(co_await outcome_of(timeout<clock_type>(1s, cancellation_type::total, in(8s))) == timed_out);
        BOOST_TEST((elapsed() == 11s));
        BOOST_TEST(co_await outcome_of(timeout<clock_type>(9s, timeout<clock_type>(1s, in(8s)))) == timed_out);
        BOOST_TEST(co_await outcome_of(timeout<clock_type>(1s, timeout<clock_type>(9s, in(8s)))) == timed_out);
        BOOST_TEST((elapsed() == 13s));
    });
}

BOOST_AUTO_TEST_CASE(awaitables_count_from_their_co_await)
{
    run([&]() -> awaitable<void> {
        awaitable<int> a = timeout<clock_type>(5s, in(4s));
        timer t(context, 10s);
        co_await t.async_wait(use_awaitable);
        BOOST_TEST(co_await std::move(a) == 42);
        BOOST_TEST((elapsed() == 14s));
    });
}

BOOST_AUTO_TEST_CASE(awaitables_of_every_result)
{
    struct rigid
    {
        explicit rigid(int n) : value(n) {}
        int value;
    };
    run([&]() -> awaitable<void> {
        co_await timeout<clock_type>(5s, []() -> awaitable<void> { co_return; }());
        auto p =
            co_await timeout<clock_type>(5s, []() -> awaitable<std::unique_ptr<int>> { co_return std::make_unique<int>(3); }());
        BOOST_TEST(*p == 3);
        BOOST_TEST((co_await timeout<clock_type>(5s, []() -> awaitable<rigid> { co_return rigid(4); }())).value == 4);
        bool thrown = false;
        try
        {
            co_await timeout<clock_type>(5s, []() -> awaitable<void> {
                throw std::runtime_error("mine");
                co_return;
            }());
        }
        catch (const std::runtime_error& e)
        {
            thrown = std::string("mine") == e.what();
        }
        BOOST_TEST(thrown);
    });
}

BOOST_AUTO_TEST_CASE(coroutines_side_by_side)
{
    using namespace asio::experimental::awaitable_operators;
    const auto ends_with = [](std::exception_ptr e) -> awaitable<void> {
        timer t(co_await asio::this_coro::executor, 1h);
        error_code ignored;
        co_await t.async_wait(asio::redirect_error(use_awaitable, ignored));
        std::rethrow_exception(e);
    };
    const auto both = [](awaitable<void> a, awaitable<void> b) -> awaitable<int> {
        co_await (std::move(a) && std::move(b));
        co_return 1;
    };
    const auto either = [](awaitable<int> a, awaitable<int> b) -> awaitable<int> {
        co_await (std::move(a) || std::move(b));
        co_return 1;
    };
    run([&]() -> awaitable<void> {
        // The limit cancels them all, and all of them say so.
        BOOST_TEST(co_await outcome_of(timeout<clock_type>(1s, either(in(8s), in(9s)))) == timed_out);
        BOOST_TEST((elapsed() == 1s));
        const std::exception_ptr cancelled = std::make_exception_ptr(system_error(aborted));
        const std::exception_ptr other = std::make_exception_ptr(std::runtime_error("mine"));
        BOOST_TEST(co_await outcome_of(timeout<clock_type>(1s, both(ends_with(cancelled), ends_with(other)))) == timed_out);
        BOOST_TEST((elapsed() == 2s));
        // Each with a limit of its own.
        BOOST_TEST(co_await outcome_of(either(timeout<clock_type>(5s, in(8s)), timeout<clock_type>(5s, in(4s)))) == error_code());
        BOOST_TEST((elapsed() == 6s));
        // Another error than a cancellation stays.
        bool thrown = false;
        try
        {
            co_await timeout<clock_type>(1s, both(ends_with(other), ends_with(cancelled)));
        }
        catch (const asio::multiple_exceptions&)
        {
            thrown = true;
        }
        BOOST_TEST(thrown);
    });
}

BOOST_AUTO_TEST_CASE(awaitables_with_on_limit)
{
    run([&]() -> awaitable<void> {
        timer inner(context, 1h);
        BOOST_TEST(co_await outcome_of(timeout<clock_type>(
                       2s, [&] { inner.cancel(); },
                       [](timer& t) -> awaitable<int> {
                           co_await t.async_wait(use_awaitable);
                           co_return 1;
                       }(inner))) == timed_out);
        BOOST_TEST((elapsed() == 2s));
    });
}

BOOST_AUTO_TEST_CASE(cancelling_the_awaiting_coroutine)
{
    asio::cancellation_signal signal;
    std::exception_ptr e;
    for (const auto type : {cancellation_type::terminal, cancellation_type::total})
    {
        asio::co_spawn(
            context,
            [&]() -> awaitable<void> {
                co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
                co_await timeout<clock_type>(5s, in(8s));
            },
            asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr x) { e = x; }));
        timer t(context, 1s);
        t.async_wait([&](error_code) { signal.emit(type); });
        clock_type::run(context);
        context.restart();
        BOOST_TEST(code_of(e) == aborted);
    }
    BOOST_TEST((elapsed() == 2s));
}

BOOST_AUTO_TEST_SUITE_END()

#endif // defined(BOOST_ASIO_HAS_CO_AWAIT)
