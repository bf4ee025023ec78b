// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Every completion token that Asio has, on its timer and on ours. yield_context is in tokens_spawn.cpp.

#include "parity/timers.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/consign.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prepend.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <future>
#include <memory>

namespace {

using namespace parity;

int plain_calls = 0;

void plain_function(error_code ec)
{
    plain_calls += !ec;
}

struct member
{
    int calls = 0;
    void on_timer(error_code ec) { calls += !ec; }
};

/// Callable as an rvalue only, as completion handlers are called.
struct once_only
{
    int* calls;
    void operator()(error_code ec) && { *calls += !ec; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(tokens)

BOOST_AUTO_TEST_CASE_TEMPLATE(callbacks_of_every_kind, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, 0ms);
    int calls = 0;
    t.async_wait([&](error_code) { ++calls; });
    t.async_wait([&calls, n = 0](error_code) mutable { calls += ++n; });
    t.async_wait([&calls, p = std::make_unique<int>(1)](error_code) { calls += *p; });
    t.async_wait([&](auto) { ++calls; });
    t.async_wait([&](const error_code&) { ++calls; });
    t.async_wait(once_only{&calls});
    auto lvalue = [&](error_code) { ++calls; };
    t.async_wait(lvalue);
    const auto constant = [&](error_code) { ++calls; };
    t.async_wait(constant);
    std::function<void(error_code)> function = lvalue;
    t.async_wait(function);
    t.async_wait(asio::any_completion_handler<void(error_code)>(lvalue));
    member m;
    t.async_wait(std::bind(&member::on_timer, &m, std::placeholders::_1));
    plain_calls = 0;
    t.async_wait(plain_function);
    t.async_wait(&plain_function);
    BOOST_CHECK_EQUAL(ctx.run(), 13u);
    BOOST_CHECK_EQUAL(calls, 10);
    BOOST_CHECK_EQUAL(m.calls, 1);
    BOOST_CHECK_EQUAL(plain_calls, 2);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_lvalue_handler_is_copied_not_moved_from, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, 0ms);
    auto shared = std::make_shared<int>(0);
    auto handler = [shared](error_code) { ++*shared; };
    t.async_wait(handler);
    t.async_wait(handler);
    BOOST_CHECK_EQUAL(shared.use_count(), 4);
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(*shared, 2);
    BOOST_CHECK_EQUAL(shared.use_count(), 2);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(futures, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, 0ms);
    std::future<void> f = t.async_wait(asio::use_future);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    f.get();

    ctx.restart();
    t.expires_after(1h);
    f = t.async_wait(asio::use_future);
    t.cancel();
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EXCEPTION(
        f.get(), boost::system::system_error, [](const auto& e) { return e.code() == asio::error::operation_aborted; });

    ctx.restart();
    t.expires_after(0ms);
    std::future<int> wrapped = t.async_wait(asio::use_future([](error_code ec) { return ec ? 1 : 2; }));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(wrapped.get(), 2);

    // A context that goes down breaks the promise.
    std::future<void> broken;
    {
        asio::io_context gone;
        Timer u(gone, 1h);
        broken = u.async_wait(asio::use_future);
    }
    BOOST_CHECK_THROW(broken.get(), std::future_error);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(detached, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, 0ms);
    t.async_wait(asio::detached);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(deferred, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer t(ctx, 1h);
    auto op = t.async_wait(asio::deferred);
    // Nothing is started before it is launched.
    BOOST_CHECK_EQUAL(t.expires_after(0ms), 0u);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    ctx.restart();
    std::move(op)(l(0));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);

    ctx.restart();
    auto chain = t.async_wait(asio::deferred([&](error_code ec) {
        l.lines.push_back({1, ec});
        t.expires_after(1ms);
        return t.async_wait(asio::deferred);
    }));
    std::move(chain)(l(2));
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1, 2}));

    // Launched from an lvalue, an operation may be launched again.
    ctx.restart();
    auto again = t.async_wait(asio::deferred);
    again(l(3));
    again(l(4));
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(l.succeeded(), 5u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(adapters, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx, 0ms);
    error_code result = asio::error::eof;
    int calls = 0;
    t.async_wait(asio::as_tuple([&](std::tuple<error_code> args) {
        result = std::get<0>(args);
        ++calls;
    }));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK(!result);

    ctx.restart();
    result = asio::error::eof;
    t.async_wait(asio::redirect_error([&] { ++calls; }, result));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK(!result);

    ctx.restart();
    t.expires_after(1h);
    std::future<void> f = t.async_wait(asio::redirect_error(asio::use_future, result));
    t.cancel();
    ctx.run();
    f.get();
    BOOST_CHECK(result == asio::error::operation_aborted);

    ctx.restart();
    t.expires_after(0ms);
    t.async_wait(asio::prepend([&](int n, error_code) { calls += n; }, 10));
    auto kept = std::make_shared<int>(0);
    std::weak_ptr<int> watch = kept;
    t.async_wait(asio::consign([&](error_code) { calls += !watch.expired(); }, std::move(kept)));
    ctx.run();
    BOOST_CHECK_EQUAL(calls, 13);
    BOOST_CHECK(watch.expired());
}

// Asio's executor_with_default is not a complete type yet when clang 14 asks whether it is an executor, so that there even Asio's
// own timers do not compile with it.
#if defined(__clang__) && __clang_major__ < 16
BOOST_AUTO_TEST_CASE(default_tokens_on_a_rebound_timer)
{
    BOOST_TEST_MESSAGE("SKIPPED: this clang does not compile Asio's own timers with a default token");
}
#else
BOOST_AUTO_TEST_CASE_TEMPLATE(default_tokens_on_a_rebound_timer, Family, families)
{
    asio::io_context ctx;
    typename asio::detached_t::as_default_on_t<typename Family::template timer<>> t(ctx, 0ms);
    t.async_wait();
    BOOST_CHECK_EQUAL(ctx.run(), 1u);

    ctx.restart();
    auto u = asio::detached.as_default_on(typename Family::template timer<io_executor>(ctx, 0ms));
    u.async_wait();
    BOOST_CHECK_EQUAL(ctx.run(), 1u);

    // Deferred is everybody's default on newer Boosts.
#if BOOST_VERSION >= 108500
    ctx.restart();
    journal l;
    typename Family::template timer<> v(ctx, 0ms);
    v.async_wait()(l(0));
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(l.succeeded(), 1u);
#endif
}
#endif

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

BOOST_AUTO_TEST_CASE_TEMPLATE(coroutines, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    auto body = [&]() -> asio::awaitable<int> {
        Timer t(ctx, 1ms);
        co_await t.async_wait(asio::use_awaitable);
        BOOST_CHECK(steady::now() >= t.expiry());

        error_code ec = asio::error::eof;
        t.expires_after(0ms);
        co_await t.async_wait(asio::redirect_error(asio::use_awaitable, ec));
        BOOST_CHECK(!ec);

        t.expires_after(0ms);
        auto [tuple_ec] = co_await t.async_wait(asio::as_tuple(asio::use_awaitable));
        BOOST_CHECK(!tuple_ec);

        t.expires_after(0ms);
        co_await t.async_wait(asio::deferred);

        t.expires_after(1h);
        asio::post(ctx, [&] { t.cancel(); });
        try
        {
            co_await t.async_wait(asio::use_awaitable);
            BOOST_ERROR("no exception");
        }
        catch (const boost::system::system_error& e)
        {
            BOOST_CHECK(e.code() == asio::error::operation_aborted);
        }
        co_return 7;
    };
    int result = 0;
    asio::co_spawn(ctx, body(), [&](std::exception_ptr e, int value) {
        BOOST_CHECK(!e);
        result = value;
    });
    ctx.run();
    BOOST_CHECK_EQUAL(result, 7);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_coroutine_is_cancelled, Timer, timers)
{
    for (auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total})
    {
        asio::io_context ctx;
        asio::cancellation_signal signal;
        error_code result;
        asio::co_spawn(
            ctx,
            [&]() -> asio::awaitable<void> {
                co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
                co_await asio::this_coro::throw_if_cancelled(false);
                Timer t(ctx, 1h);
                co_await t.async_wait(asio::redirect_error(asio::use_awaitable, result));
            },
            asio::bind_cancellation_slot(signal.slot(), asio::detached));
        ctx.poll();
        signal.emit(type);
        ctx.run();
        BOOST_CHECK(result == asio::error::operation_aborted);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(default_awaitable, Family, families)
{
    using timer = typename asio::use_awaitable_t<>::as_default_on_t<typename Family::template timer<>>;
    asio::io_context ctx;
    int steps = 0;
    asio::co_spawn(
        ctx,
        [&]() -> asio::awaitable<void> {
            timer t(co_await asio::this_coro::executor);
            t.expires_after(1ms);
            co_await t.async_wait();
            ++steps;
            auto u = asio::use_awaitable.as_default_on(typename Family::template timer<>(ctx, 0ms));
            co_await u.async_wait();
            ++steps;
            using tuple_timer =
                typename asio::as_tuple_t<asio::use_awaitable_t<>>::template as_default_on_t<typename Family::template timer<>>;
            tuple_timer v(ctx, 0ms);
            auto [ec] = co_await v.async_wait();
            steps += !ec;
        },
        asio::detached);
    ctx.run();
    BOOST_CHECK_EQUAL(steps, 3);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_waiting_coroutine_is_destroyed_with_the_context, Timer, timers)
{
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watch = token;
    {
        asio::io_context ctx;
        asio::co_spawn(
            ctx,
            [](asio::io_context& c, std::shared_ptr<int>) -> asio::awaitable<void> {
                Timer t(c, 1h);
                co_await t.async_wait(asio::use_awaitable);
            }(ctx, std::move(token)),
            asio::detached);
        ctx.poll();
        BOOST_CHECK(!watch.expired());
    }
    BOOST_CHECK(watch.expired());
}

#endif

BOOST_AUTO_TEST_SUITE_END()
