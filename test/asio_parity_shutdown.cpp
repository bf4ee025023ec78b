// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Parity of shutdown: handlers are destroyed uncalled, may own timers, and may touch timers while they go.

#include "parity/timers.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace {

using namespace parity;

/// Runs what it was given when it is destroyed, unless it was moved from.
class at_exit
{
public:
    explicit at_exit(std::function<void()> f) : f_(std::move(f)) {}

    at_exit(at_exit&& other) noexcept : f_(std::exchange(other.f_, nullptr)) {}

    ~at_exit()
    {
        if (f_)
            f_();
    }

private:
    std::function<void()> f_;
};

/// A service of the user's that is shut down after (made before) or before (made after) that of the timers.
class user_service : public asio::execution_context::service
{
public:
    static asio::execution_context::id id;

    explicit user_service(asio::execution_context& ctx) : asio::execution_context::service(ctx) {}

    std::function<void()> on_shutdown;
    std::function<void()> on_destruction;

    ~user_service()
    {
        if (on_destruction)
            on_destruction();
    }

private:
    void shutdown() override
    {
        if (on_shutdown)
            on_shutdown();
        on_shutdown = nullptr;
    }
};

asio::execution_context::id user_service::id;

} // namespace

BOOST_AUTO_TEST_SUITE(asio_parity_shutdown)

BOOST_AUTO_TEST_CASE_TEMPLATE(handlers_are_destroyed_uncalled, Timer, timers)
{
    bool called = false;
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watch = token;
    {
        asio::io_context ctx;
        Timer t(ctx, 1h), due(ctx, steady::now() - 1s), cancelled(ctx, 1h), destroyed(ctx, 1h);
        t.async_wait([&called, token](error_code) { called = true; });
        t.async_wait([&called, token](error_code) { called = true; });
        due.async_wait([&called, token](error_code) { called = true; });
        cancelled.async_wait([&called, token](error_code) { called = true; });
        cancelled.cancel();
        {
            Timer gone(std::move(destroyed));
            gone.async_wait([&called, token](error_code) { called = true; });
        }
        token.reset();
        BOOST_CHECK(!watch.expired());
    }
    BOOST_CHECK(watch.expired());
    BOOST_CHECK(!called);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(handlers_own_their_timers, Timer, timers)
{
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watch = token;
    {
        asio::io_context ctx;
        for (int i = 0; i < 20; ++i)
        {
            // In every state: pending, due, cancelled, collected.
            auto t = std::make_shared<Timer>(ctx, i % 2 ? 1h : -1h);
            t->async_wait([t, token](error_code) {});
            if (i % 5 == 4)
                t->cancel();
        }
        // Timers that own each other's handlers in a ring.
        auto a = std::make_shared<Timer>(ctx, 1h), b = std::make_shared<Timer>(ctx, 1h);
        a->async_wait([b, token](error_code) {});
        b->async_wait([a, token](error_code) {});
        token.reset();
        ctx.run_one();
    }
    BOOST_CHECK(watch.expired());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_dying_handler_cancels_and_initiates, Timer, timers)
{
    int died = 0, called = 0;
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watch = token;
    {
        asio::io_context ctx;
        auto other = std::make_shared<Timer>(ctx, 1h);
        other->async_wait([&called, token](error_code) { ++called; });
        auto t = std::make_shared<Timer>(ctx, 1h);
        t->async_wait([guard = at_exit([&, t, other, token] {
            ++died;
            t->cancel();
            t->async_wait([&called, token, t](error_code) { ++called; });
            other->expires_after(1ms);
            other->async_wait([&called, token, other](error_code) { ++called; });
            Timer moved(std::move(*other));
            *t = std::move(moved);
        }),
                          &called](error_code) { ++called; });
        token.reset();
        t.reset();
        other.reset();
    }
    BOOST_CHECK_EQUAL(died, 1);
    BOOST_CHECK_EQUAL(called, 0);
    BOOST_CHECK(watch.expired());
}

// A posted handler dies later than the timers' service was shut down, or earlier: both are good.
BOOST_AUTO_TEST_CASE_TEMPLATE(posted_handlers_own_timers, Timer, timers)
{
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watch = token;
    {
        asio::io_context ctx;
        for (int i = 0; i < 3; ++i)
        {
            auto t = std::make_shared<Timer>(ctx, 1h);
            t->async_wait([token](error_code) {});
            asio::post(ctx, [t, token, guard = at_exit([t, token] {
                t->cancel();
                t->async_wait([token](error_code) {});
            })] {});
        }
        token.reset();
    }
    BOOST_CHECK(watch.expired());
}

// Ours: the context's first timer of a clock is made by a handler that dies when the reactor is down already, and is moved about then.
BOOST_AUTO_TEST_CASE(a_first_timer_after_the_reactor)
{
    auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> watch = token;
    {
        asio::io_context ctx;
        asio_timer<> makes_the_reactor(ctx);
        asio::post(ctx, [token, guard = at_exit([&ctx, token] {
            auto t = std::make_shared<our_timer<>>(ctx, 1h);
            t->async_wait([t, token](error_code) {});
            BOOST_CHECK_EQUAL(t->reschedule_after(1s), 1u);
            BOOST_CHECK_EQUAL(t->reschedule_after(-1s), 1u);
            our_timer<> other(ctx, -2s);
            other.async_wait([token](error_code) {});
            other.slack(1s);
            other.reschedule_after(-3s);
        })] {});
        token.reset();
    }
    BOOST_CHECK(watch.expired());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(timers_owned_by_a_service, Timer, timers)
{
    for (bool before : {true, false})
    {
        int called = 0, shut_down = 0;
        auto token = std::make_shared<int>(0);
        std::weak_ptr<int> watch = token;
        {
            asio::io_context ctx;
            std::optional<Timer> first;
            if (!before)
                first.emplace(ctx);
            auto& service = asio::use_service<user_service>(ctx);
            auto t = std::make_shared<Timer>(ctx, 1h);
            auto u = std::make_shared<Timer>(ctx, 1h);
            t->async_wait([&called, token](error_code) { ++called; });
            u->async_wait([&called, token](error_code) { ++called; });
            service.on_shutdown = [&, t, u, token]() mutable {
                ++shut_down;
                // What a program may still do with its timers while the context goes down.
                t->cancel_one();
                t->cancel();
                t->expires_after(1ms);
                t->async_wait([&called, token](error_code) { ++called; });
                t->async_wait([&called, token, t](error_code) { ++called; });
                *u = std::move(*t);
                u->cancel();
                u->async_wait([&called, token](error_code) { ++called; });
                t.reset();
                u.reset();
                token.reset();
            };
            t.reset();
            u.reset();
            token.reset();
        }
        BOOST_CHECK_EQUAL(shut_down, 1);
        BOOST_CHECK_EQUAL(called, 0);
        BOOST_CHECK(watch.expired());
    }
}

// A service that is destroyed while that of the timers still exists, but long after its shutdown.
BOOST_AUTO_TEST_CASE_TEMPLATE(timers_that_die_with_a_service, Timer, timers)
{
    asio::io_context ctx;
    Timer first(ctx);
    auto t = std::make_shared<Timer>(ctx, 1h);
    t->async_wait([](error_code) {});
    asio::use_service<user_service>(ctx).on_destruction = [t]() mutable {
        t->cancel();
        t.reset();
    };
}

// Ours: the same where the timer goes on waiting, in a handler that owns it. The handler outlives the service. (In Asio freed memory is used.)
BOOST_AUTO_TEST_CASE(a_timer_that_starts_waiting_while_a_service_dies)
{
    auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> watch = token;
    {
        asio::io_context ctx;
        auto t = std::make_shared<our_timer<>>(ctx, 1h);
        t->async_wait([token](error_code) {});
        asio::use_service<user_service>(ctx).on_destruction = [t, token]() mutable {
            t->expires_after(1h);
            t->async_wait([t, token](error_code) {});
            t.reset();
            token.reset();
        };
        token.reset();
    }
    BOOST_CHECK(watch.expired());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_slot_is_emitted_during_shutdown, Timer, timers)
{
    asio::cancellation_signal signal;
    bool called = false;
    {
        asio::io_context ctx;
        auto t = std::make_shared<Timer>(ctx, 1h);
        t->async_wait(asio::bind_cancellation_slot(signal.slot(), [&called](error_code) { called = true; }));
        auto u = std::make_shared<Timer>(ctx, 1h);
        u->async_wait([t, u, guard = at_exit([&signal] { signal.emit(asio::cancellation_type::terminal); })](error_code) {});
    }
    BOOST_CHECK(!called);
    signal.slot().clear();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(work_on_the_other_context_is_released, Timer, timers)
{
    asio::io_context other;
    {
        asio::io_context ctx;
        Timer t(ctx, 1h);
        t.async_wait(asio::bind_executor(other.get_executor(), [](error_code) {}));
        BOOST_CHECK_EQUAL(other.poll(), 0u);
        BOOST_CHECK(!other.stopped());
    }
    BOOST_CHECK_EQUAL(other.run(), 0u);
    BOOST_CHECK(other.stopped());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_pool_goes_down_with_waits, Family, families)
{
    using timer = typename Family::template timer<>;
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watch = token;
    {
        asio::thread_pool pool(2);
        for (int i = 0; i < 10; ++i)
        {
            auto t = std::make_shared<timer>(pool, 1h);
            t->async_wait([t, token](error_code) {});
        }
        token.reset();
        pool.stop();
    }
    BOOST_CHECK(watch.expired());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_context_that_never_ran, Timer, timers)
{
    {
        asio::io_context ctx;
        Timer t(ctx);
    }
    {
        asio::io_context ctx;
        Timer t(ctx, 1ms);
        t.async_wait([](error_code) {});
        let_pass(t.expiry());
    }
}

BOOST_AUTO_TEST_SUITE_END()
