// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_TEST_TIMER_OF_CLOCK_HPP
#define BOOST_EXT_TEST_TIMER_OF_CLOCK_HPP

// What holds for the timer of every clock that the kernel drives. Real time: never early, exactly once, and no bound on lateness.

#include <boost_ext/basic_waitable_timer.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <type_traits>

namespace test {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

template <class Timer, class Clock>
struct timer_of_clock
{
    using clock_type = Clock;

    static_assert(std::is_same_v<Timer, boost_ext::basic_waitable_timer<clock_type>>);
    static_assert(std::is_same_v<typename Timer::clock_type, clock_type>);
    static_assert(std::is_same_v<typename Timer::time_point, typename clock_type::time_point>);
    static_assert(std::is_same_v<typename Timer::duration, typename clock_type::duration>);
    static_assert(std::is_same_v<typename Timer::traits_type, asio::wait_traits<clock_type>>);
    static_assert(std::is_same_v<typename Timer::executor_type, asio::any_io_executor>);

    static void never_early_and_exactly_once()
    {
        asio::io_context ctx;
        int calls = 0;
        for (auto d : {0us, 10us, 1000us, 2500us})
        {
            Timer t(ctx, d);
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

    static void at_a_time_point()
    {
        asio::io_context ctx;
        const auto when = clock_type::now() + 3ms;
        Timer t(ctx, when);
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

    static void blocking()
    {
        asio::io_context ctx;
        Timer t(ctx, 2ms);
        t.wait();
        BOOST_CHECK(clock_type::now() >= t.expiry());
        error_code ec = asio::error::eof;
        t.expires_after(2ms);
        t.wait(ec);
        BOOST_CHECK(!ec);
        BOOST_CHECK(clock_type::now() >= t.expiry());
    }

    static void rescheduled()
    {
        asio::io_context ctx;
        Timer t(ctx, 1h);
        error_code result = asio::error::eof;
        t.async_wait([&](error_code ec) { result = ec; });
        BOOST_CHECK_EQUAL(t.reschedule_after(2h), 1u);
        BOOST_CHECK_EQUAL(t.reschedule_at(clock_type::now() + 2ms), 1u);
        ctx.run();
        BOOST_CHECK(!result);
        BOOST_CHECK(clock_type::now() >= t.expiry());
    }

    static void far_away()
    {
        asio::io_context ctx;
        Timer never(ctx, (clock_type::time_point::max)());
        Timer past(ctx, (clock_type::time_point::min)());
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
};

} // namespace test

#endif
