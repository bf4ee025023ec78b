// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// What a limit means, on virtual time. Real operations are in timeout_operations.cpp, coroutines in
// timeout_coroutines.cpp, threads in timeout_stress.cpp.

#include <boost_ext/timeout.hpp>

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/timer_statistics.hpp>
#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>
#include "allocators.hpp"
#include "count_allocations.hpp"
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace asio = boost::asio;
using asio::cancellation_type;
using boost::system::error_code;
using boost_ext::timeout;
using namespace std::chrono_literals;

// What timeout works on; anything else is refused by a static_assert, which goes by this.
template <class Signature>
constexpr bool is_supported = boost_ext::detail::timeout_signature<Signature>::is_supported;
static_assert(is_supported<void(error_code)> && is_supported<void(const error_code&, int)>);
static_assert(is_supported<void(std::exception_ptr)> && is_supported<void(std::exception_ptr, int)>);
static_assert(!is_supported<void()> && !is_supported<void(int)> && !is_supported<void(std::tuple<error_code>)>);

namespace {

using clock_type = boost_ext::manual_clock;
using timer = boost_ext::basic_waitable_timer<clock_type>;
using deadline = boost_ext::basic_deadline<clock_type>;

/// A completion, and when it came.
struct outcome
{
    int calls = 0;
    error_code ec;
    clock_type::time_point when;

    auto handler()
    {
        return [this](error_code e) {
            ++calls;
            ec = e;
            when = clock_type::now();
        };
    }
};

struct virtual_time
{
    virtual_time()
    {
        clock_type::reset();
        start = clock_type::now();
    }

    void run() { clock_type::run(context); }

    void check(const outcome& o, const error_code& ec, clock_type::duration when) const
    {
        BOOST_TEST(o.calls == 1);
        BOOST_TEST(o.ec == ec);
        BOOST_TEST((o.when - start).count() == when.count());
    }

    std::size_t pending() { return boost_ext::statistics(context).pending; }

    asio::io_context context;
    clock_type::time_point start;
};

const error_code success;
const error_code timed_out = asio::error::timed_out;
const error_code aborted = asio::error::operation_aborted;

/// An operation under the control of the test: it keeps its handler until told to complete it.
template <class Signature>
struct held;

template <class... Args>
struct held<void(Args...)>
{
    int started = 0;
    std::function<void(Args...)> complete;            // calls the handler directly, wherever that is
    std::function<void(cancellation_type)> cancelled; // what the operation does in its cancellation handler
    std::vector<cancellation_type> emissions;

    template <class Token>
    auto async_run(Token&& token)
    {
        return asio::async_initiate<Token, void(Args...)>(
            [](auto handler, held* self) {
                ++self->started;
                auto slot = asio::get_associated_cancellation_slot(handler);
                auto shared = std::make_shared<decltype(handler)>(std::move(handler));
                self->complete = [self, shared](Args... args) mutable {
                    auto h = std::move(*shared);
                    self->complete = nullptr;
                    std::move(h)(std::move(args)...);
                };
                if (slot.is_connected())
                    slot.assign([self](cancellation_type t) {
                        self->emissions.push_back(t);
                        if (self->cancelled)
                            self->cancelled(t);
                    });
            },
            token, this);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(timeout_, virtual_time)

// When the limit is what ended the operation

BOOST_AUTO_TEST_CASE(limit_gives_timed_out)
{
    timer t(context, 1h);
    outcome o;
    t.async_wait(timeout<clock_type>(5s, o.handler()));
    run();
    check(o, timed_out, 5s);
}

BOOST_AUTO_TEST_CASE(operation_in_time_keeps_its_result)
{
    timer t(context, 4s);
    outcome o;
    t.async_wait(timeout<clock_type>(5s, o.handler()));
    run();
    check(o, success, 4s);
    BOOST_TEST(pending() == 0U);
}

BOOST_AUTO_TEST_CASE(handlers_may_be_references)
{
    timer t(context, 1h);
    outcome o;
    auto handler = o.handler();
    t.async_wait(timeout<clock_type>(5s, std::ref(handler)));
    run();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(o.ec == asio::error::timed_out);
}

BOOST_AUTO_TEST_CASE(limits_of_every_kind)
{
    timer t(context, 1h);
    outcome a, b, c;
    t.async_wait(timeout(clock_type::now() + 2s, a.handler()));
    t.async_wait(timeout(deadline::after(3s), b.handler()));
    t.async_wait(timeout(std::chrono::time_point_cast<std::chrono::seconds>(clock_type::now() + 4s), c.handler()));
    run();
    check(a, timed_out, 2s);
    check(b, timed_out, 3s);
    check(c, timed_out, 4s);
}

BOOST_AUTO_TEST_CASE(durations_are_on_the_steady_clock_by_default)
{
    static_assert(
        std::is_same_v<decltype(timeout(1s, asio::detached)), decltype(timeout<std::chrono::steady_clock>(1s, asio::detached))>);
    asio::steady_timer t(context, 1h);
    outcome o;
    t.async_wait(timeout(1ms, o.handler()));
    context.run();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(o.ec == timed_out);
}

BOOST_AUTO_TEST_CASE(other_results_are_delivered_as_they_are)
{
    held<void(error_code, std::size_t)> op;
    op.cancelled = [&](cancellation_type) { asio::post(context, [&] { op.complete(asio::error::eof, 7); }); };
    error_code ec;
    std::size_t n = 0;
    op.async_run(timeout<clock_type>(5s, asio::bind_executor(context, [&](error_code e, std::size_t m) {
        ec = e;
        n = m;
    })));
    run();
    BOOST_TEST(op.emissions.size() == 1U);
    BOOST_TEST(ec == asio::error::eof);
    BOOST_TEST(n == 7U);
}

BOOST_AUTO_TEST_CASE(other_arguments_are_kept)
{
    std::size_t n = 0;
    std::unique_ptr<int> p;
    error_code ec;
    auto initiation = [&](auto handler) {
        auto slot = asio::get_associated_cancellation_slot(handler);
        slot.assign([h = std::make_shared<decltype(handler)>(std::move(handler))](cancellation_type) {
            std::move (*h)(error_code(asio::error::operation_aborted), std::size_t(3), std::make_unique<int>(4));
        });
    };
    auto token = timeout<clock_type>(5s, asio::bind_executor(context, [&](error_code e, std::size_t m, std::unique_ptr<int> q) {
        ec = e;
        n = m;
        p = std::move(q);
    }));
    asio::async_initiate<decltype(token), void(error_code, std::size_t, std::unique_ptr<int>)>(initiation, token);
    run();
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 3U);
    BOOST_TEST((p && *p == 4));
}

BOOST_AUTO_TEST_CASE(arguments_keep_their_category)
{
    error_code ec;
    std::string text = "abc", got;
    for (const bool elsewhere : {false, true})
    {
        // Called where it is to be delivered, or inside the initiation, from where it is posted.
        const auto initiation = [&](auto handler) {
            const auto executor = asio::get_associated_executor(handler);
            auto complete = [&, h = std::move(handler)]() mutable {
                std::move(h)(error_code(asio::error::eof), text, std::make_unique<int>(4));
            };
            if (elsewhere)
                complete();
            else
                asio::post(executor, std::move(complete));
        };
        auto token =
            timeout<clock_type>(5s, asio::bind_executor(context, [&](error_code e, std::string& s, std::unique_ptr<int> p) {
                ec = e;
                got = s + std::to_string(*p);
            }));
        asio::async_initiate<decltype(token), void(error_code, std::string&, std::unique_ptr<int>)>(initiation, token);
        run();
        context.restart();
        BOOST_TEST(ec == asio::error::eof);
        BOOST_TEST(got == "abc4");
        got.clear();
        BOOST_TEST(text == "abc");
    }
}

BOOST_AUTO_TEST_CASE(every_cancellation_result_is_one)
{
    const std::vector<error_code> results = {asio::error::operation_aborted,
        make_error_code(boost::system::errc::operation_canceled), error_code(ECANCELED, boost::system::generic_category()),
        error_code(asio::experimental::error::channel_cancelled)};
    for (const error_code& result : results)
    {
        held<void(error_code)> op;
        op.cancelled = [&](cancellation_type) { asio::post(context, [&] { op.complete(result); }); };
        outcome o;
        op.async_run(timeout<clock_type>(5s, asio::bind_executor(context, o.handler())));
        run();
        context.restart();
        BOOST_TEST(o.ec == timed_out);

        // The same result with no cancellation sent.
        op.async_run(timeout<clock_type>(5s, asio::bind_executor(context, o.handler())));
        asio::post(context, [&] { op.complete(result); });
        run();
        context.restart();
        BOOST_TEST(o.ec == result);
        BOOST_TEST(o.calls == 2);
    }
}

BOOST_AUTO_TEST_CASE(exception_pointers)
{
    const auto code_of = [](std::exception_ptr e) {
        try
        {
            std::rethrow_exception(e);
        }
        catch (const boost::system::system_error& s)
        {
            return s.code();
        }
        catch (...)
        {
            return error_code(asio::error::fault);
        }
    };
    const auto result_for = [&](std::exception_ptr e) {
        held<void(std::exception_ptr, int)> op;
        op.cancelled = [&](cancellation_type) { asio::post(context, [&, e] { op.complete(e, 42); }); };
        std::exception_ptr got;
        int n = 0;
        op.async_run(timeout<clock_type>(5s, asio::bind_executor(context, [&](std::exception_ptr x, int i) {
            got = x;
            n = i;
        })));
        run();
        context.restart();
        BOOST_TEST(n == 42);
        return got;
    };
    using boost::system::system_error;
    BOOST_TEST(code_of(result_for(std::make_exception_ptr(system_error(aborted)))) == timed_out);
    BOOST_TEST(code_of(result_for(std::make_exception_ptr(
                   system_error(error_code(asio::experimental::error::channel_cancelled))))) == timed_out);
    // From the standard library, of either category.
    BOOST_TEST(code_of(result_for(std::make_exception_ptr(
                   std::system_error(std::make_error_code(std::errc::operation_canceled))))) == timed_out);
    BOOST_TEST(code_of(result_for(std::make_exception_ptr(
                   std::system_error(error_code(asio::experimental::error::channel_cancelled))))) == timed_out);
    BOOST_TEST(code_of(result_for(std::make_exception_ptr(system_error(asio::error::eof)))) == asio::error::eof);
    BOOST_TEST(code_of(result_for(std::make_exception_ptr(std::runtime_error("x")))) == asio::error::fault);
    BOOST_TEST(!result_for(std::exception_ptr()));
}

BOOST_AUTO_TEST_CASE(the_operation_is_waited_for)
{
    held<void(error_code)> op;
    outcome o;
    op.async_run(timeout<clock_type>(5s, asio::bind_executor(context, o.handler())));
    timer late(context, 1h);
    late.async_wait([&](error_code) { op.complete(asio::error::operation_aborted); });
    run();
    check(o, timed_out, 1h);
}

// Who is first

BOOST_AUTO_TEST_CASE(cancellation_from_outside_stays_what_it_is)
{
    timer t(context, 1h);
    asio::cancellation_signal signal;
    outcome o;
    t.async_wait(timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), o.handler())));
    timer at(context, 3s);
    at.async_wait([&](error_code) { signal.emit(cancellation_type::terminal); });
    run();
    check(o, aborted, 3s);

    outcome p;
    context.restart();
    t.async_wait(timeout<clock_type>(5s, p.handler()));
    at.expires_after(1s);
    at.async_wait([&](error_code) { t.cancel(); });
    run();
    check(p, aborted, 4s);
}

BOOST_AUTO_TEST_CASE(the_slot_acts_at_once)
{
    timer t(context, 1h);
    asio::cancellation_signal signal;
    outcome o;
    t.async_wait(timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), o.handler())));
    signal.emit(cancellation_type::total);
    clock_type::advance(2h);
    run();
    check(o, aborted, 2h);
}

BOOST_AUTO_TEST_CASE(same_instant_goes_to_whichever_completion_runs_first)
{
    // The wait was armed before its limit, so it completes first.
    timer t(context, 5s);
    outcome o;
    t.async_wait(timeout<clock_type>(5s, o.handler()));
    run();
    check(o, success, 5s);

    // A cancellation that is queued when the limit comes.
    context.restart();
    outcome p;
    t.expires_after(1h);
    t.async_wait(timeout<clock_type>(5s, p.handler()));
    t.cancel();
    clock_type::advance(5s);
    run();
    check(p, aborted, 10s);
}

BOOST_AUTO_TEST_CASE(the_limit_is_decided_on_the_handlers_executor)
{
    // The operation's completion waits on the handler's context; the limit comes meanwhile.
    asio::io_context handlers;
    timer t(context, 1h);
    outcome o;
    t.async_wait(timeout<clock_type>(5s, asio::bind_executor(handlers, o.handler())));
    t.cancel();
    context.poll();
    clock_type::advance(5s);
    context.poll();
    handlers.restart();
    handlers.poll();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(o.ec == aborted);
}

BOOST_AUTO_TEST_CASE(of_two_cancellations_the_first_sent_decides)
{
    for (const bool outside_first : {true, false})
    {
        held<void(error_code)> op;
        asio::cancellation_signal signal;
        outcome o;
        op.async_run(
            timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, o.handler()))));
        timer at(context, outside_first ? 4s : 6s), end(context, 7s);
        at.async_wait([&](error_code) { signal.emit(cancellation_type::partial); });
        end.async_wait([&](error_code) { op.complete(asio::error::operation_aborted); });
        run();
        context.restart();
        BOOST_TEST(o.calls == 1);
        BOOST_TEST(o.ec == (outside_first ? aborted : timed_out));
        // Both reach the operation.
        BOOST_TEST_REQUIRE(op.emissions.size() == 2U);
        BOOST_TEST((op.emissions[outside_first ? 0 : 1] == cancellation_type::partial));
        BOOST_TEST((op.emissions[outside_first ? 1 : 0] == cancellation_type::terminal));
    }
}

BOOST_AUTO_TEST_CASE(limits_nest_and_the_shorter_wins)
{
    timer t(context, 1h);
    outcome a, b, c;
    t.async_wait(timeout<clock_type>(5s, timeout<clock_type>(2s, a.handler())));
    t.async_wait(timeout<clock_type>(2s, timeout<clock_type>(5s, b.handler())));
    t.async_wait(timeout<clock_type>(3s, timeout<clock_type>(3s, c.handler())));
    run();
    check(a, timed_out, 2s);
    check(b, timed_out, 2s);
    check(c, timed_out, 3s);
    BOOST_TEST(pending() == 0U);
}

#if BOOST_VERSION >= 108600
BOOST_AUTO_TEST_CASE(cancel_after_counts_as_outside)
{
    asio::steady_timer t(context, 1h);
    outcome a, b;
    t.async_wait(timeout(1h, asio::cancel_after(1ms, a.handler())));
    t.async_wait(asio::cancel_after(1ms, timeout(1h, b.handler())));
    context.run();
    BOOST_TEST(a.ec == aborted);
    BOOST_TEST(b.ec == aborted);
}
#endif

// What is emitted

BOOST_AUTO_TEST_CASE(terminal_by_default_or_as_asked_for)
{
    held<void(error_code)> op;
    op.async_run(timeout<clock_type>(1s, asio::bind_executor(context, [](error_code) {})));
    run();
    context.restart();
    BOOST_TEST_REQUIRE(op.emissions.size() == 1U);
    BOOST_TEST((op.emissions[0] == cancellation_type::terminal));
    op.complete(success);

    op.async_run(timeout<clock_type>(1s, cancellation_type::total, asio::bind_executor(context, [](error_code) {})));
    run();
    context.restart();
    BOOST_TEST_REQUIRE(op.emissions.size() == 2U);
    BOOST_TEST((op.emissions[1] == cancellation_type::total));
    op.complete(success);

    timer t(context, 1h);
    outcome o;
    t.async_wait(timeout<clock_type>(1s, cancellation_type::partial))(o.handler());
    run();
    BOOST_TEST(o.ec == timed_out);
}

BOOST_AUTO_TEST_CASE(on_limit_is_called_instead)
{
    timer t(context, 1h);
    outcome o;
    int called = 0;
    clock_type::time_point when;
    t.async_wait(timeout<clock_type>(
        5s,
        [&] {
            ++called;
            when = clock_type::now();
            BOOST_TEST(context.get_executor().running_in_this_thread());
            t.cancel();
        },
        o.handler()));
    run();
    BOOST_TEST(called == 1);
    check(o, timed_out, 5s);

    // Nothing is emitted, and an outside cancellation gets through.
    context.restart();
    held<void(error_code)> op;
    asio::cancellation_signal signal;
    op.async_run(timeout<clock_type>(
        5s, [&] { ++called; }, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, o.handler()))));
    run();
    BOOST_TEST(called == 2);
    BOOST_TEST(op.emissions.empty());
    signal.emit(cancellation_type::total);
    BOOST_TEST(op.emissions.size() == 1U);
    op.complete(success);
}

BOOST_AUTO_TEST_CASE(on_limit_runs_on_the_handlers_executor)
{
    asio::io_context handlers;
    timer t(context, 1h);
    bool called = false;
    outcome o;
    t.async_wait(timeout<clock_type>(
        5s,
        [&] {
            called = true;
            BOOST_TEST(handlers.get_executor().running_in_this_thread());
            t.cancel();
        },
        asio::bind_executor(handlers, o.handler())));
    clock_type::advance(5s);
    context.poll();
    BOOST_TEST(!called);
    handlers.poll();
    BOOST_TEST(called);
    context.poll();
    handlers.restart();
    handlers.poll();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(o.ec == timed_out);
}

BOOST_AUTO_TEST_CASE(on_limit_is_not_called_for_what_was_not_started_or_is_over)
{
    timer t(context, 1s);
    int called = 0;
    outcome a, b;
    t.async_wait(timeout<clock_type>(
        0s, [&] { ++called; }, a.handler()));
    t.async_wait(timeout<clock_type>(
        5s, [&] { ++called; }, b.handler()));
    run();
    clock_type::advance(1h);
    run();
    BOOST_TEST(called == 0);
    check(a, timed_out, 0s);
    check(b, success, 1s);
}

BOOST_AUTO_TEST_CASE(on_limit_may_make_the_operation_complete_at_once)
{
    held<void(error_code)> op;
    outcome o;
    auto life = std::make_shared<int>(1);
    op.async_run(timeout<clock_type>(
        5s,
        [&op, life] {
            op.complete(asio::error::operation_aborted);
            BOOST_TEST(*life == 1);
        },
        asio::bind_executor(context, o.handler())));
    run();
    check(o, timed_out, 5s);
    BOOST_TEST(life.use_count() == 1);
}

// When the limit counts from

BOOST_AUTO_TEST_CASE(durations_count_from_initiation)
{
    timer t(context, 1h);
    outcome o, p;
    const auto token = timeout<clock_type>(5s, std::function<void(error_code)>(o.handler()));
    clock_type::advance(10s);
    t.async_wait(token);
    run();
    check(o, timed_out, 15s);

    // Stored and reused: initiating from an lvalue copies.
    context.restart();
    auto reused = timeout<clock_type>(5s, std::function<void(error_code)>(p.handler()));
    t.async_wait(reused);
    t.async_wait(reused);
    run();
    BOOST_TEST(p.calls == 2);
    BOOST_TEST(bool(reused.token_));
}

BOOST_AUTO_TEST_CASE(deferred_durations_count_from_launch)
{
    timer t(context, 1h);
    outcome o, p, q;
    auto first = t.async_wait(timeout<clock_type>(5s, asio::deferred));
    auto second = t.async_wait(asio::deferred) | timeout<clock_type>(5s);
    auto third = t.async_wait(asio::deferred) | timeout<clock_type>(5s, cancellation_type::partial);
    clock_type::advance(10s);
    std::move(first)(o.handler());
    std::move(second)(p.handler());
    std::move(third)(q.handler());
    run();
    check(o, timed_out, 15s);
    check(p, timed_out, 15s);
    check(q, timed_out, 15s);
}

BOOST_AUTO_TEST_CASE(deferred_operations_can_be_launched_again)
{
    timer t(context, 1h);
    outcome o, p;
    const auto operation = t.async_wait(timeout<clock_type>(5s, asio::deferred));
    operation(o.handler());
    run();
    context.restart();
    operation(p.handler());
    run();
    check(o, timed_out, 5s);
    check(p, timed_out, 10s);
}

BOOST_AUTO_TEST_CASE(time_points_are_absolute)
{
    timer t(context, 1h);
    outcome o;
    auto operation = t.async_wait(timeout(deadline::after(5s), asio::deferred));
    clock_type::advance(3s);
    std::move(operation)(o.handler());
    run();
    check(o, timed_out, 5s);
}

BOOST_AUTO_TEST_CASE(never_arms_nothing)
{
    timer t(context, 1h);
    outcome o;
    t.async_wait(timeout(deadline::never(), o.handler()));
    BOOST_TEST(pending() == 1U);
    run();
    check(o, success, 1h);

    context.restart();
    outcome p;
    t.expires_after(1s);
    t.async_wait(timeout<clock_type>(clock_type::duration::max(), p.handler()));
    run();
    check(p, success, 1h + 1s);
}

// Limits that have passed

BOOST_AUTO_TEST_CASE(passed_limits_start_nothing)
{
    clock_type::advance(1s);
    const auto refused = [&](auto limit) {
        held<void(error_code, int, std::string)> op;
        bool called = false;
        op.async_run(timeout<clock_type>(limit, asio::bind_executor(context, [&](error_code ec, int i, std::string s) {
            called = true;
            BOOST_TEST(ec == timed_out);
            BOOST_TEST(i == 0);
            BOOST_TEST(s.empty());
        })));
        BOOST_TEST(!called);
        context.restart();
        BOOST_TEST(context.poll() == 1U);
        BOOST_TEST(called);
        BOOST_TEST(op.started == 0);
    };
    refused(0s);
    refused(-1ns);
    refused(clock_type::duration::min());
    refused(clock_type::now());
    refused(clock_type::now() - 1s);
    refused(clock_type::time_point::min());
    refused(deadline::at(clock_type::now()));
}

BOOST_AUTO_TEST_CASE(passed_limits_give_exceptions_too)
{
    held<void(std::exception_ptr)> op;
    std::exception_ptr e;
    op.async_run(timeout<clock_type>(0s, asio::bind_executor(context, [&](std::exception_ptr x) { e = x; })));
    run();
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(e), boost::system::system_error,
        [](const boost::system::system_error& x) { return x.code() == timed_out; });
    BOOST_TEST(op.started == 0);
}

BOOST_AUTO_TEST_CASE(passed_limits_on_the_handlers_executor)
{
    asio::io_context handlers;
    timer t(context, 1h);
    outcome o;
    t.async_wait(timeout<clock_type>(0s, asio::bind_executor(handlers, o.handler())));
    run();
    BOOST_TEST(o.calls == 0);
    handlers.poll();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(o.ec == timed_out);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_made_comes_from_the_operation)
{
    struct rigid
    {
        explicit rigid(int n) : value(n) {}
        int value;
    };
    held<void(error_code, rigid)> op;
    op.cancelled = [&](cancellation_type) { op.complete(asio::error::operation_aborted, rigid(8)); };
    error_code ec;
    int value = 0;
    op.async_run(timeout<clock_type>(0s, asio::bind_executor(context, [&](error_code e, rigid r) {
        ec = e;
        value = r.value;
    })));
    run();
    BOOST_TEST(op.started == 1);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(value == 8);
}

// Arming

BOOST_AUTO_TEST_CASE(nothing_is_armed_for_what_completes_inside_the_initiation)
{
    outcome o;
    auto token = timeout<clock_type>(5s, asio::bind_executor(context, o.handler()));
    asio::async_initiate<decltype(token), void(error_code)>([](auto h) { h(error_code(asio::error::eof)); }, token);
    BOOST_TEST(o.calls == 0); // never inline
    BOOST_TEST(pending() == 0U);
    context.poll();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(o.ec == asio::error::eof);
}

BOOST_AUTO_TEST_CASE(armed_after_the_initiation)
{
    outcome o;
    std::size_t before = 99;
    held<void(error_code)> op;
    auto token = timeout<clock_type>(5s, asio::bind_executor(context, o.handler()));
    asio::async_initiate<decltype(token), void(error_code)>(
        [&](auto h) {
            op.async_run(std::move(h));
            before = pending();
        },
        token);
    BOOST_TEST(before == 0U);
    BOOST_TEST(pending() == 1U);
    asio::post(context, [&] { op.complete(success); });
    context.poll();
    BOOST_TEST(pending() == 0U);
    BOOST_TEST(o.calls == 1);
}

namespace {

/// An initiation with an executor, which is only to be asked for before the start.
struct with_executor
{
    using executor_type = asio::io_context::executor_type;

    asio::io_context* context;
    bool* started;

    executor_type get_executor() const noexcept
    {
        BOOST_TEST(!*started);
        return context->get_executor();
    }

    template <class Handler>
    void operator()(Handler handler) const
    {
        *started = true;
        auto shared = std::make_shared<Handler>(std::move(handler));
        asio::get_associated_cancellation_slot(*shared).assign([shared](cancellation_type) {
            auto ex = asio::get_associated_executor(*shared);
            asio::post(ex, [shared] { std::move (*shared)(error_code(asio::error::operation_aborted)); });
        });
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(the_limit_lives_on_the_initiations_executor)
{
    asio::io_context handlers;
    for (const int depth : {1, 2})
    {
        bool started = false;
        outcome o;
        const auto launch = [&](auto token) {
            asio::async_initiate<decltype(token), void(error_code)>(with_executor{&context, &started}, token);
        };
        auto handler = asio::bind_executor(handlers, o.handler());
        if (depth == 1)
            launch(timeout<clock_type>(5s, handler));
        else
            launch(timeout<clock_type>(1h, timeout<clock_type>(5s, handler)));
        BOOST_TEST(started);
        BOOST_TEST(pending() == std::size_t(depth));
        BOOST_TEST(boost_ext::statistics(handlers).pending == 0U);
        clock_type::advance(5s);
        for (int i = 0; i < 4; ++i)
        {
            context.restart();
            context.poll();
            handlers.restart();
            handlers.poll();
        }
        BOOST_TEST(o.calls == 1);
        BOOST_TEST(o.ec == timed_out);
    }
}

namespace {

/// An initiation that has told its executor by the function alone.
struct with_function_only
{
    asio::io_context* context;

    asio::io_context::executor_type get_executor() const noexcept { return context->get_executor(); }

    template <class Handler>
    void operator()(Handler handler) const
    {
        asio::post(*context, [h = std::move(handler)]() mutable { std::move(h)(error_code()); });
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(get_executor_is_enough)
{
    asio::io_context handlers;
    outcome o;
    auto token = timeout<clock_type>(5s, asio::bind_executor(handlers, o.handler()));
    asio::async_initiate<decltype(token), void(error_code)>(with_function_only{&context}, token);
    BOOST_TEST(pending() == 1U);
    BOOST_TEST(boost_ext::statistics(handlers).pending == 0U);
    context.poll();
    handlers.poll();
    BOOST_TEST(o.calls == 1);
}

BOOST_AUTO_TEST_CASE(the_initiations_executor_is_found_under_adapters)
{
    timer t(context, 1h);
    outcome a, b, c;
    t.async_wait(asio::bind_executor(asio::make_strand(context), timeout<clock_type>(5s, a.handler())));
    t.async_wait(asio::append(timeout<clock_type>(6s, [f = b.handler()](error_code ec, int) { f(ec); }), 1));
    t.async_wait(timeout<clock_type>(1h, asio::bind_executor(context, asio::consign(timeout<clock_type>(7s, c.handler()), 1))));
    BOOST_TEST(pending() == 7U);
    run();
    check(a, timed_out, 5s);
    check(b, timed_out, 6s);
    check(c, timed_out, 7s);
}

BOOST_AUTO_TEST_CASE(or_else_on_the_handlers)
{
    held<void(error_code)> op;
    outcome o;
    op.async_run(timeout<clock_type>(5s, asio::bind_executor(context, o.handler())));
    BOOST_TEST(pending() == 1U);
    op.complete(success);
    run();
    BOOST_TEST(o.calls == 1);
}

// Handlers

BOOST_AUTO_TEST_CASE(an_operation_may_complete_inside_its_cancellation_handler)
{
    held<void(error_code)> op;
    op.cancelled = [&](cancellation_type) { op.complete(asio::error::operation_aborted); };
    outcome o;
    op.async_run(timeout<clock_type>(5s, asio::bind_executor(context, o.handler())));
    run();
    check(o, timed_out, 5s);

    context.restart();
    asio::cancellation_signal signal;
    outcome p;
    op.async_run(timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, p.handler()))));
    signal.emit(cancellation_type::terminal);
    BOOST_TEST(p.calls == 0);
    run();
    check(p, aborted, 5s);
}

BOOST_AUTO_TEST_CASE(what_is_called_at_the_limit_may_run_the_context)
{
    // And so the completion: it stays until it returns, and then goes.
    auto life = std::make_shared<int>(1);
    const std::weak_ptr<int> alive = life;
    outcome o;
    timer t(context, 1h);
    bool stays = false;
    t.async_wait(timeout<clock_type>(
        5s,
        [&, life] {
            t.cancel();
            context.poll();
            BOOST_TEST(o.calls == 1);
            stays = !alive.expired();
        },
        o.handler()));
    life.reset();
    run();
    check(o, timed_out, 5s);
    BOOST_TEST(stays);
    BOOST_TEST(alive.expired());

    // The operation's cancellation handler likewise, whoever emits.
    for (const bool outside : {false, true})
    {
        life = std::make_shared<int>(1);
        const std::weak_ptr<int> owned = life;
        o = outcome();
        stays = false;
        asio::cancellation_signal signal;
        auto token =
            timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, o.handler())));
        asio::async_initiate<decltype(token), void(error_code)>(
            [&](auto handler) {
                auto slot = asio::get_associated_cancellation_slot(handler);
                auto h = std::make_shared<decltype(handler)>(std::move(handler));
                slot.assign([&, owned, life, h](cancellation_type) {
                    auto mine = std::move(*h);
                    std::move(mine)(aborted);
                    BOOST_TEST(o.calls == 0);
                    context.poll();
                    BOOST_TEST(o.calls == 1);
                    stays = !owned.expired();
                });
            },
            token);
        life.reset();
        context.restart();
        if (outside)
            signal.emit(cancellation_type::terminal);
        run();
        BOOST_TEST(o.calls == 1);
        BOOST_TEST(o.ec == (outside ? aborted : timed_out));
        BOOST_TEST(stays);
        BOOST_TEST(owned.expired());
        BOOST_TEST(!signal.slot().has_handler());
    }
}

BOOST_AUTO_TEST_CASE(completion_on_the_handlers_executor_wherever_it_was_called)
{
    asio::io_context handlers;
    held<void(error_code)> op;
    bool called = false;
    op.async_run(timeout<clock_type>(5s, asio::bind_executor(handlers, [&](error_code) {
        called = true;
        BOOST_TEST(handlers.get_executor().running_in_this_thread());
    })));
    op.complete(success);
    BOOST_TEST(!called);
    handlers.poll();
    BOOST_TEST(called);
}

namespace {

/// Runs everything at once: it can neither be posted to nor has a context. Newer Boosts associate such a one with
/// handlers that have none.
struct at_once
{
    template <class F>
    void execute(F f) const
    {
        f();
    }

    bool operator==(const at_once&) const noexcept { return true; }
    bool operator!=(const at_once&) const noexcept { return false; }
};

} // namespace

BOOST_AUTO_TEST_CASE(executors_that_cannot_be_posted_to)
{
    timer t(context, 1h);
    outcome o, p;
    t.async_wait(timeout<clock_type>(5s, asio::bind_executor(at_once(), o.handler())));
    t.async_wait(timeout<clock_type>(0s, asio::bind_executor(at_once(), p.handler())));
    BOOST_TEST(p.calls == 0);
    run();
    check(o, timed_out, 5s);
    check(p, timed_out, 0s);
}

BOOST_AUTO_TEST_CASE(no_executor_at_all)
{
    // Neither has the initiation one nor the handler: the limit lives on the system's.
    asio::steady_timer t(context, 1h);
    outcome o;
    auto waits = timeout(1ms, o.handler());
    asio::async_initiate<decltype(waits), void(error_code)>([&](auto h) { t.async_wait(std::move(h)); }, waits);
    context.run();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(o.ec == timed_out);

    const auto result_of = [](auto limit, auto initiation) {
        auto result = std::make_shared<std::promise<error_code>>();
        auto token = timeout(limit, [result](error_code ec) { result->set_value(ec); });
        asio::async_initiate<decltype(token), void(error_code)>(initiation, token);
        return result->get_future().get();
    };
    BOOST_TEST(result_of(0s, [](auto) { BOOST_ERROR("started"); }) == timed_out);
    BOOST_TEST(result_of(1h, [](auto h) { h(error_code(asio::error::eof)); }) == asio::error::eof);
}

BOOST_AUTO_TEST_CASE(the_handlers_context_is_left_alone_after_completion)
{
    timer t(context, 1s);
    outcome o;
    for (const bool on_strand : {false, true})
    {
        asio::io_context handlers;
        if (on_strand)
            t.async_wait(timeout<clock_type>(5s, asio::bind_executor(asio::make_strand(handlers), o.handler())));
        else
            t.async_wait(timeout<clock_type>(5s, asio::bind_executor(handlers, o.handler())));
        clock_type::advance(1s);
        context.restart();
        context.poll();
        handlers.poll();
        // What is left of the limit in the other context must not keep this one from coming to its end.
        BOOST_TEST(handlers.stopped());
    }
    BOOST_TEST(o.calls == 2);
    context.restart();
    context.poll();
    BOOST_TEST(pending() == 0U);
}

BOOST_AUTO_TEST_CASE(a_completion_may_outlive_the_context_that_the_limit_lives_on)
{
    for (const bool reached : {false, true})
        for (const bool dropped : {false, true})
        {
            std::optional<asio::io_context> handlers(std::in_place), operations(std::in_place);
            outcome o;
            {
                timer t(*operations, reached ? 1h : 1s);
                t.async_wait(timeout<clock_type>(5s, asio::bind_executor(*handlers, o.handler())));
                clock_type::advance(5s);
                operations->poll();
                if (reached)
                {
                    handlers->poll(); // emits
                    operations->restart();
                    operations->poll();
                }
            }
            operations.reset();
            BOOST_TEST(o.calls == 0);
            if (!dropped)
            {
                handlers->restart();
                handlers->poll();
                BOOST_TEST(o.calls == 1);
                BOOST_TEST(o.ec == (reached ? timed_out : success));
            }
            handlers.reset();
        }
}

namespace {

/// Starts a wait under a limit when it is destroyed.
class last_will
{
public:
    explicit last_will(asio::io_context& c) : timer_(std::make_unique<timer>(c, 1h)) {}

    last_will(last_will&&) = default;
    last_will& operator=(last_will&&) = delete;

    ~last_will()
    {
        if (timer_)
            timer_->async_wait(timeout<clock_type>(5s, [](error_code) { BOOST_ERROR("called"); }));
    }

private:
    std::unique_ptr<timer> timer_;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_limit_may_be_armed_on_a_context_that_is_being_destroyed)
{
    asio::io_context other;
    timer t(other, 1h);
    t.async_wait([will = last_will(other)](error_code) { BOOST_ERROR("called"); });
    asio::post(other, [will = last_will(other)] { BOOST_ERROR("called"); });
}

BOOST_AUTO_TEST_CASE(the_users_slot_refers_to_nothing_of_ours_afterwards)
{
    asio::cancellation_signal signal;
    timer t(context, 1s);
    outcome o;
    t.async_wait(timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), o.handler())));
    BOOST_TEST(signal.slot().has_handler());
    run();
    BOOST_TEST(o.calls == 1);
    BOOST_TEST(!signal.slot().has_handler());

    // Nor inside the handler.
    context.restart();
    bool cleared = false;
    t.expires_after(1h);
    t.async_wait(timeout<clock_type>(
        5s, asio::bind_cancellation_slot(signal.slot(), [&](error_code) { cleared = !signal.slot().has_handler(); })));
    run();
    BOOST_TEST(cleared);

    // A limit that has passed never touches it.
    context.restart();
    bool mine = false;
    signal.slot().assign([&](cancellation_type) { mine = true; });
    t.async_wait(timeout<clock_type>(0s, asio::bind_cancellation_slot(signal.slot(), o.handler())));
    run();
    signal.emit(cancellation_type::terminal);
    BOOST_TEST(mine);
}

BOOST_AUTO_TEST_CASE(a_handler_that_somebody_else_put_into_the_slot_stays)
{
    asio::cancellation_signal signal;
    held<void(error_code)> op;
    outcome o;
    op.async_run(timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, o.handler()))));
    bool mine = false;
    signal.slot().assign([&](cancellation_type) { mine = true; });
    op.complete(success);
    run();
    signal.emit(cancellation_type::terminal);
    BOOST_TEST(mine);
}

namespace {

struct account
{
    std::size_t allocations = 0;
    std::size_t live = 0;
};

template <class T>
struct counting_allocator
{
    using value_type = T;

    explicit counting_allocator(account& a) : counts(&a) {}

    template <class U>
    counting_allocator(const counting_allocator<U>& other) : counts(other.counts)
    {
    }

    T* allocate(std::size_t n)
    {
        ++counts->allocations;
        ++counts->live;
        return std::allocator<T>().allocate(n);
    }

    void deallocate(T* p, std::size_t n)
    {
        --counts->live;
        std::allocator<T>().deallocate(p, n);
    }

    friend bool operator==(const counting_allocator& a, const counting_allocator& b) { return a.counts == b.counts; }
    friend bool operator!=(const counting_allocator& a, const counting_allocator& b) { return a.counts != b.counts; }

    account* counts;
};

} // namespace

BOOST_AUTO_TEST_CASE(state_is_allocated_with_the_handlers_allocator_and_freed_before_the_call)
{
    for (const auto limit : {clock_type::duration(0s), clock_type::duration(1s), clock_type::duration(5s)})
    {
        account counts;
        std::size_t live = 99;
        held<void(error_code)> op;
        op.cancelled = [&](cancellation_type) { op.complete(asio::error::operation_aborted); };
        op.async_run(timeout<clock_type>(limit,
            asio::bind_allocator(
                counting_allocator<void*>(counts), asio::bind_executor(context, [&](error_code) { live = counts.live; }))));
        BOOST_TEST(counts.allocations >= 1U);
        timer t(context, 3s);
        t.async_wait([&](error_code) {
            if (op.complete)
                op.complete(success);
        });
        run();
        context.restart();
        BOOST_TEST(live == 0U);
        BOOST_TEST(counts.live == 0U);
    }
}

namespace {

/// Starts an operation under limits again and again. Some complete in time, some are ended.
struct operation_loop
{
    asio::io_context& context;
    timer t{context};
    int left = 0;

    void next()
    {
        if (left-- == 0)
            return;
        t.expires_after(1s);
        const auto limit = left % 3 == 0 ? 500ms : 5s;
        t.async_wait(timeout<clock_type>(limit, timeout<clock_type>(6s, [this](error_code) { next(); })));
    }

    void run(int times)
    {
        left = times;
        asio::post(context, [this] { next(); });
        context.restart();
        clock_type::run(context);
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(memory_is_used_again)
{
    if (!allocations::replaced)
        return;
    operation_loop loop{context};
    loop.run(1000);
    const allocation_count count;
    loop.run(1000);
    BOOST_TEST(count.so_far() == 0U);
}

BOOST_AUTO_TEST_CASE(dropped_operations)
{
    // The context goes with everything pending in it, the handlers uncalled.
    auto life = std::make_shared<int>(0);
    asio::cancellation_signal signal;
    {
        asio::io_context other;
        timer t(other, 1h);
        t.async_wait(
            timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), [life](error_code) { BOOST_ERROR("called"); })));
        t.async_wait(timeout<clock_type>(1s, [life](error_code) { BOOST_ERROR("called"); }));
        clock_type::advance(2s);
    }
    BOOST_TEST(life.use_count() == 1);
    signal.emit(cancellation_type::terminal);

    // An executor in the user's slot would not survive its context.
    {
        asio::io_context other;
        timer t(other, 1h);
        t.async_wait(timeout<clock_type>(5s,
            asio::bind_cancellation_slot(
                signal.slot(), asio::bind_executor(asio::make_strand(other), [](error_code) { BOOST_ERROR("called"); }))));
        BOOST_TEST(signal.slot().has_handler());
    }
    BOOST_TEST(!signal.slot().has_handler());

    // An operation that throws was not started.
    auto token = timeout<clock_type>(5s,
        asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, [life](error_code) { BOOST_ERROR("called"); })));
    const auto initiate = [&] {
        asio::async_initiate<decltype(token), void(error_code)>([](auto) { throw std::runtime_error("no"); }, token);
    };
    BOOST_CHECK_THROW(initiate(), std::runtime_error);
    BOOST_TEST(!signal.slot().has_handler());
    run();
    BOOST_TEST(pending() == 0U);
}

BOOST_AUTO_TEST_CASE(dropped_operations_leave_nothing_behind)
{
    // What the operation has put into its slot refers back to the slot, as an executor of the handler does.
    auto life = std::make_shared<int>(0);
    const auto drop = [&](auto token) {
        asio::async_initiate<decltype(token), void(error_code)>(
            [life](auto handler) {
                asio::get_associated_cancellation_slot(handler).assign(
                    [life, ex = asio::get_associated_executor(handler)](cancellation_type) {});
            },
            token);
        BOOST_TEST(life.use_count() == 1);
    };
    drop(timeout<clock_type>(5s, asio::bind_executor(context, [](error_code) { BOOST_ERROR("called"); })));
    drop(timeout<clock_type>(
        5s, timeout<clock_type>(6s, asio::bind_executor(context, [](error_code) { BOOST_ERROR("called"); }))));

    // Nested limits do the same to each other.
    {
        asio::io_context other;
        timer t(other, 1h);
        asio::cancellation_signal signal;
        t.async_wait(timeout<clock_type>(5s,
            timeout<clock_type>(
                6s, [life] {}, asio::bind_cancellation_slot(signal.slot(), [](error_code) { BOOST_ERROR("called"); }))));
        BOOST_TEST(life.use_count() > 1);
    }
    BOOST_TEST(life.use_count() == 1);

    // An operation may drop its handler when it is cancelled.
    for (const bool outside : {true, false})
    {
        outcome o;
        asio::cancellation_signal signal;
        auto token =
            timeout<clock_type>(5s, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, o.handler())));
        asio::async_initiate<decltype(token), void(error_code)>(
            [life](auto handler) {
                auto slot = asio::get_associated_cancellation_slot(handler);
                auto ex = asio::get_associated_executor(handler);
                auto h = std::make_shared<std::optional<decltype(handler)>>(std::move(handler));
                slot.assign([life, ex, h](cancellation_type) {
                    h->reset();
                    BOOST_TEST(life.use_count() > 1);
                });
            },
            token);
        if (outside)
            signal.emit(cancellation_type::terminal);
        context.restart();
        run();
        BOOST_TEST(o.calls == 0);
        BOOST_TEST(!signal.slot().has_handler());
        BOOST_TEST(life.use_count() == 1);
    }
}

namespace {

/// Has an executor, and counts how often it is asked for it.
struct asked_for_executor
{
    using executor_type = asio::io_context::executor_type;

    executor_type ex;
    int* times;

    executor_type get_executor() const noexcept
    {
        ++*times;
        return ex;
    }

    void operator()(error_code) {}
};

} // namespace

BOOST_AUTO_TEST_CASE(the_handler_is_left_alone_once_the_operation_runs)
{
    // Another thread may be completing it.
    int times = 0;
    int at_start = 0;
    std::function<void()> drop;
    auto token = timeout<clock_type>(5s, asked_for_executor{context.get_executor(), &times});
    asio::async_initiate<decltype(token), void(error_code)>(
        [&](auto handler) {
            drop = [h = std::make_shared<decltype(handler)>(std::move(handler))] {};
            at_start = times;
        },
        token);
    BOOST_TEST(pending() == 1U);
    BOOST_TEST(times == at_start);
}

namespace {

/// Calls f in a handler of the context while no more than n allocations succeed. False if it threw.
template <class F>
bool run_short_of_memory(asio::io_context& context, long n, F f)
{
    bool threw = false;
    asio::post(context, [&] {
        const failing_allocations failing(n);
        try
        {
            f();
        }
        catch (const std::bad_alloc&)
        {
            threw = true;
        }
    });
    // A thread of its own, since this one has memory to recycle.
    std::thread([&] { context.run_one(); }).join();
    return !threw;
}

} // namespace

BOOST_AUTO_TEST_CASE(without_memory_either_it_throws_or_the_operation_ends)
{
    if (!allocations::replaced)
        return;
    int thrown = 0, given_up = 0;
    outcome o;
    for (long n = 0; o.ec != timed_out; ++n)
    {
        asio::io_context other;
        timer t(other, 1h);
        o = outcome();
        auto token = timeout<clock_type>(5s, o.handler());
        if (!run_short_of_memory(other, n, [&] { t.async_wait(std::move(token)); }))
        {
            ++thrown;
            BOOST_TEST(t.cancel() == 0U);
            BOOST_TEST(o.calls == 0);
            continue;
        }
        other.poll();
        given_up += o.calls;
        BOOST_TEST(o.ec == (o.calls ? error_code(asio::error::no_memory) : success));
        clock_type::advance(5s);
        other.poll();
        BOOST_TEST(o.calls == 1);
    }
    BOOST_TEST(thrown > 0);
    BOOST_TEST(given_up > 0);
}

namespace {

struct handler_with_an_allocator
{
    using allocator_type = test::counting_allocator<void>;
    allocator_type get_allocator() const noexcept { return allocator; }
    void operator()(error_code) const {}

    std::unique_ptr<int> moved_with_it = std::make_unique<int>();
    allocator_type allocator;
};

} // namespace

BOOST_AUTO_TEST_CASE(without_memory_an_operation_may_ask_for_the_allocator_of_a_handler_that_it_moved)
{
    if (!allocations::replaced)
        return;
    test::account memory;
    int started = 0;
    for (long n = 0; n != 30; ++n)
    {
        const failing_allocations failing(n);
        try
        {
            asio::io_context other;
            asio::steady_timer t(other, 1h);
            t.async_wait(timeout(5s, handler_with_an_allocator{std::make_unique<int>(), test::counting_allocator<void>(memory)}));
            ++started;
        }
        catch (const std::bad_alloc&)
        {
        }
    }
    BOOST_TEST(started > 0);
    BOOST_TEST(started < 30);
    BOOST_TEST(memory.live == 0U);
}

BOOST_AUTO_TEST_CASE(without_memory_on_limit_is_called_at_once)
{
    if (!allocations::replaced)
        return;
    int given_up = 0;
    outcome o;
    for (long n = 0; o.ec != timed_out; ++n)
    {
        asio::io_context other;
        held<void(error_code)> op;
        int called = 0;
        o = outcome();
        auto token = timeout<clock_type>(
            5s, [&] { ++called; }, asio::bind_executor(other, o.handler()));
        if (!run_short_of_memory(other, n, [&] { op.async_run(std::move(token)); }))
        {
            BOOST_TEST(called == 0);
            continue;
        }
        given_up += called;
        const error_code wanted = called ? error_code(asio::error::no_memory) : timed_out;
        clock_type::advance(5s);
        other.restart();
        other.poll();
        BOOST_TEST(called == 1);
        op.complete(asio::error::operation_aborted);
        other.restart();
        other.poll();
        BOOST_TEST(o.calls == 1);
        BOOST_TEST(o.ec == wanted);
    }
    BOOST_TEST(given_up > 0);
}

BOOST_AUTO_TEST_CASE(exceptions_leave_run)
{
    timer t(context, 1s);
    t.async_wait(timeout<clock_type>(5s, [](error_code) { throw std::runtime_error("mine"); }));
    BOOST_CHECK_THROW(run(), std::runtime_error);
    run();
    BOOST_TEST(pending() == 0U);
}

BOOST_AUTO_TEST_CASE(one_budget_for_a_chain)
{
    const deadline budget = deadline::after(5s);
    timer t(context);
    std::vector<error_code> results;
    std::function<void()> next = [&] {
        t.expires_after(2s);
        t.async_wait(timeout(budget, [&](error_code ec) {
            results.push_back(ec);
            if (!ec)
                next();
        }));
    };
    next();
    run();
    BOOST_TEST_REQUIRE(results.size() == 3U);
    BOOST_TEST(!results[1]);
    BOOST_TEST(results[2] == timed_out);
    BOOST_TEST((clock_type::now() - start == 5s));
}

BOOST_AUTO_TEST_SUITE_END()
