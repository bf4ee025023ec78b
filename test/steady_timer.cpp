// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/steady_timer.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <type_traits>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using timer = boost_ext::steady_timer;

static_assert(std::is_same_v<timer, boost_ext::basic_waitable_timer<clock_type>>);
static_assert(std::is_same_v<timer::clock_type, clock_type>);
static_assert(std::is_same_v<timer::time_point, clock_type::time_point>);
static_assert(std::is_same_v<timer::duration, clock_type::duration>);
static_assert(std::is_same_v<timer::traits_type, asio::wait_traits<clock_type>>);
static_assert(std::is_same_v<timer::executor_type, asio::any_io_executor>);

} // namespace

BOOST_AUTO_TEST_SUITE(steady_timer)

BOOST_AUTO_TEST_CASE(never_early_and_exactly_once)
{
    asio::io_context ctx;
    int calls = 0;
    for (auto d : {0us, 10us, 1000us, 2500us})
    {
        timer t(ctx, d);
        t.async_wait([&](error_code ec) {
            ++calls;
            BOOST_CHECK(!ec);
            BOOST_CHECK(clock_type::now() >= t.expiry());
        });
        ctx.run();
        ctx.restart();
    }
    BOOST_CHECK_EQUAL(calls, 4);
}

BOOST_AUTO_TEST_CASE(at_a_time_point)
{
    asio::io_context ctx;
    const auto when = clock_type::now() + 3ms;
    timer t(ctx, when);
    error_code result = asio::error::eof;
    t.async_wait([&](error_code ec) {
        result = ec;
        BOOST_CHECK(clock_type::now() >= when);
    });
    ctx.run();
    BOOST_CHECK(!result);

    ctx.restart();
    t.expires_at(clock_type::now() + 1h);
    t.async_wait([&](error_code ec) { result = ec; });
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    ctx.run();
    BOOST_CHECK(result == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(blocking)
{
    asio::io_context ctx;
    timer t(ctx, 2ms);
    t.wait();
    BOOST_CHECK(clock_type::now() >= t.expiry());
    error_code ec = asio::error::eof;
    t.expires_after(2ms);
    t.wait(ec);
    BOOST_CHECK(!ec);
    BOOST_CHECK(clock_type::now() >= t.expiry());
}

BOOST_AUTO_TEST_CASE(rescheduled)
{
    asio::io_context ctx;
    timer t(ctx, 1h);
    error_code result = asio::error::eof;
    t.async_wait([&](error_code ec) { result = ec; });
    BOOST_CHECK_EQUAL(t.reschedule_after(2h), 1u);
    BOOST_CHECK_EQUAL(t.reschedule_at(clock_type::now() + 2ms), 1u);
    ctx.run();
    BOOST_CHECK(!result);
    BOOST_CHECK(clock_type::now() >= t.expiry());
}

BOOST_AUTO_TEST_CASE(far_away)
{
    asio::io_context ctx;
    timer never(ctx, (clock_type::time_point::max)());
    timer past(ctx, (clock_type::time_point::min)());
    int fired = 0;
    never.async_wait([&](error_code ec) { fired += !ec; });
    past.async_wait([&](error_code ec) { fired += !ec; });
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(fired, 1);
    ctx.poll();
    BOOST_CHECK_EQUAL(fired, 1);
    BOOST_CHECK_EQUAL(never.cancel(), 1u);
    ctx.run();
    BOOST_CHECK_EQUAL(fired, 1);
}

BOOST_AUTO_TEST_SUITE_END()
