// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Without BOOST_EXT_ENABLE_STATISTICS: what works all the same, and what is 0.
#undef BOOST_EXT_ENABLE_STATISTICS

#include <boost_ext/timer_statistics.hpp>

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/steady_timer.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

using manual = boost_ext::manual_clock;
using timer = boost_ext::basic_waitable_timer<manual>;

} // namespace

BOOST_AUTO_TEST_SUITE(timer_statistics_off)

BOOST_AUTO_TEST_CASE(pending_and_next_expiry_always_work)
{
    manual::reset();
    asio::io_context ctx;
    BOOST_CHECK_EQUAL(boost_ext::statistics(ctx).pending, 0u);
    timer a(ctx, 2s), b(ctx, 1s), never(ctx, (manual::time_point::max)());
    boost_ext::steady_timer s(ctx, 1h);
    int calls = 0;
    const auto count = [&](error_code) { ++calls; };
    a.async_wait(count);
    a.async_wait(count);
    b.async_wait(count);
    never.async_wait(count);
    s.async_wait(count);
    BOOST_CHECK_EQUAL(boost_ext::statistics(ctx).pending, 5u);
    BOOST_CHECK(boost_ext::next_expiry<manual>(ctx) == b.expiry());
    BOOST_CHECK(boost_ext::next_expiry<std::chrono::steady_clock>(ctx) == s.expiry());
    manual::advance(1s);
    BOOST_CHECK_EQUAL(boost_ext::statistics(ctx).pending, 4u);
    BOOST_CHECK(boost_ext::next_expiry<manual>(ctx) == a.expiry());
    BOOST_CHECK_EQUAL(a.reschedule_after(2s), 2u);
    BOOST_CHECK_EQUAL(a.cancel(), 2u);
    BOOST_CHECK(!boost_ext::next_expiry<manual>(ctx));
    BOOST_CHECK_EQUAL(boost_ext::statistics(ctx).pending, 2u);

    const boost_ext::timer_statistics t = boost_ext::statistics(ctx);
    BOOST_CHECK_EQUAL(
        t.scheduled + t.fired + t.cancelled + t.rescheduled + t.live_entries + t.dead_entries + t.kernel_arms + t.wakeups, 0u);
    BOOST_CHECK_EQUAL(std::accumulate(t.lateness.begin(), t.lateness.end(), std::uint64_t{0}), 0u);
    BOOST_CHECK_EQUAL(ctx.poll(), 3u);
    BOOST_CHECK_EQUAL(calls, 3);
}

BOOST_AUTO_TEST_CASE(translation_units_that_disagree_are_told_so)
{
    auto& modes = boost_ext::detail::statistics_modes;
    BOOST_CHECK_EQUAL(modes, 1);
    asio::io_context ctx;
    modes = 3; // as if another one had been compiled with the counters
    BOOST_CHECK_THROW(boost_ext::steady_timer(ctx, 1h), std::logic_error);
    modes = 1;
    boost_ext::steady_timer t(ctx, 1h);
    t.async_wait([](error_code) {});
    BOOST_CHECK_EQUAL(boost_ext::statistics(ctx).pending, 1u);
}

BOOST_AUTO_TEST_SUITE_END()
