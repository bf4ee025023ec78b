// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/boottime_timer.hpp>

#include <boost_ext/steady_timer.hpp>
#include <boost_ext/timer_statistics.hpp>

#include "timer_of_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <future>
#include <type_traits>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using clock_type = boost_ext::boottime_clock;
using timer = boost_ext::boottime_timer;

static_assert(std::is_same_v<timer::duration, std::chrono::nanoseconds>);
using cases = test::timer_of_clock<timer, clock_type>;

} // namespace

BOOST_AUTO_TEST_SUITE(boottime_timer)

BOOST_AUTO_TEST_CASE(never_early_and_exactly_once)
{
    cases::never_early_and_exactly_once();
}
BOOST_AUTO_TEST_CASE(at_a_time_point)
{
    cases::at_a_time_point();
}
BOOST_AUTO_TEST_CASE(blocking)
{
    cases::blocking();
}
BOOST_AUTO_TEST_CASE(rescheduled)
{
    cases::rescheduled();
}
BOOST_AUTO_TEST_CASE(far_away)
{
    cases::far_away();
}

BOOST_AUTO_TEST_CASE(at_a_time_point_in_order)
{
    asio::io_context ctx;
    const auto now = clock_type::now();
    std::vector<int> order;
    timer a(ctx, now + 4ms), b(ctx, now + 2ms), c(ctx, now + 3ms), d(ctx, now - 1h);
    a.async_wait([&](error_code) { order.push_back(3); });
    b.async_wait([&](error_code) { order.push_back(1); });
    c.async_wait([&](error_code) { order.push_back(2); });
    d.async_wait([&](error_code) { order.push_back(0); });
    ctx.run();
    BOOST_CHECK((order == std::vector<int>{0, 1, 2, 3}));
    BOOST_CHECK(clock_type::now() >= now + 4ms);
}

BOOST_AUTO_TEST_CASE(cancelling_and_rescheduling)
{
    asio::io_context ctx;
    timer t(ctx, 1h);
    std::vector<error_code> results;
    t.async_wait([&](error_code ec) { results.push_back(ec); });
    t.async_wait([&](error_code ec) { results.push_back(ec); });
    BOOST_CHECK_EQUAL(t.cancel_one(), 1u);
    BOOST_CHECK_EQUAL(t.reschedule_after(2ms), 1u);
    const auto due = t.expiry();
    ctx.run();
    BOOST_REQUIRE_EQUAL(results.size(), 2u);
    BOOST_CHECK(results[0] == asio::error::operation_aborted);
    BOOST_CHECK(!results[1]);
    BOOST_CHECK(clock_type::now() >= due);

    t.expires_after((timer::duration::max)());
    BOOST_CHECK(t.expiry() == (timer::time_point::max)());
    t.async_wait([&](error_code ec) { results.push_back(ec); });
    ctx.restart();
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(t.expires_after(1ms), 1u);
    ctx.run();
    BOOST_CHECK(results.at(2) == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(beside_steady_timers_and_in_a_blocked_pool)
{
    asio::thread_pool pool(2);
    timer b(pool, 3ms);
    boost_ext::steady_timer s(pool, 1ms);
    std::promise<void> both[2];
    const auto due = b.expiry();
    b.async_wait([&](error_code ec) {
        BOOST_CHECK(!ec);
        BOOST_CHECK(clock_type::now() >= due);
        both[0].set_value();
    });
    s.async_wait([&](error_code ec) {
        BOOST_CHECK(!ec);
        both[1].set_value();
    });
    both[0].get_future().get();
    both[1].get_future().get();
    pool.join();
}

BOOST_AUTO_TEST_CASE(the_earliest_of_its_clock_can_be_asked)
{
    asio::io_context ctx;
    timer a(ctx, 2h), b(ctx, 1h);
    boost_ext::steady_timer s(ctx, 1s);
    BOOST_CHECK(!boost_ext::next_expiry<clock_type>(ctx));
    a.async_wait([](error_code) {});
    b.async_wait([](error_code) {});
    s.async_wait([](error_code) {});
    BOOST_CHECK(boost_ext::next_expiry<clock_type>(ctx) == b.expiry());
    BOOST_CHECK_EQUAL(boost_ext::statistics(ctx).pending, 3u);
}

BOOST_AUTO_TEST_SUITE_END()
