// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// yield_context on Asio's timer and ours. It is the one token that links with a compiled part of Boost
// (boost_context): the build defines BOOST_EXT_TEST_HAS_CONTEXT where that is to be had.

#include <boost/test/unit_test.hpp>

#if defined(BOOST_EXT_TEST_HAS_CONTEXT) && __has_include(<boost/context/fiber.hpp>)

#include "parity/timers.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/spawn.hpp>

#include <exception>

namespace {

using namespace parity;

} // namespace

BOOST_AUTO_TEST_SUITE(tokens_spawn)

BOOST_AUTO_TEST_CASE_TEMPLATE(yielding, Timer, timers)
{
    asio::io_context ctx;
    int steps = 0;
    asio::spawn(
        ctx,
        [&](asio::yield_context yield) {
            Timer t(ctx, 1ms);
            t.async_wait(yield);
            BOOST_CHECK(steady::now() >= t.expiry());
            ++steps;

            error_code ec = asio::error::eof;
            t.expires_after(0ms);
            t.async_wait(yield[ec]);
            BOOST_CHECK(!ec);
            ++steps;

            t.expires_after(0ms);
            auto result = t.async_wait(asio::as_tuple(yield));
            BOOST_CHECK(!std::get<0>(result));
            ++steps;

            t.expires_after(1h);
            asio::post(ctx, [&] { t.cancel(); });
            t.async_wait(yield[ec]);
            BOOST_CHECK(ec == asio::error::operation_aborted);
            ++steps;

            t.expires_after(1h);
            asio::post(ctx, [&] { t.cancel(); });
            BOOST_CHECK_THROW(t.async_wait(yield), boost::system::system_error);
            ++steps;
        },
        [&](std::exception_ptr e) { BOOST_CHECK(!e); });
    ctx.run();
    BOOST_CHECK_EQUAL(steps, 5);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fiber_is_cancelled, Timer, timers)
{
    asio::io_context ctx;
    asio::cancellation_signal signal;
    error_code result;
    asio::spawn(
        ctx,
        [&](asio::yield_context yield) {
            yield.throw_if_cancelled(false);
            Timer t(ctx, 1h);
            t.async_wait(yield[result]);
        },
        asio::bind_cancellation_slot(signal.slot(), asio::detached));
    ctx.poll();
    signal.emit(asio::cancellation_type::terminal);
    ctx.run();
    BOOST_CHECK(result == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_waiting_fiber_is_unwound_with_the_context, Timer, timers)
{
    bool unwound = false;
    {
        asio::io_context ctx;
        asio::spawn(
            ctx,
            [&](asio::yield_context yield) {
                struct note
                {
                    bool& flag;
                    ~note() { flag = true; }
                } n{unwound};
                Timer t(ctx, 1h);
                t.async_wait(yield);
            },
            asio::detached);
        ctx.poll();
        BOOST_CHECK(!unwound);
    }
    BOOST_CHECK(unwound);
}

BOOST_AUTO_TEST_SUITE_END()

#else

BOOST_AUTO_TEST_CASE(this_build_has_no_boost_context)
{
}

#endif
