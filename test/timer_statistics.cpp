// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// With the counters; timer_statistics_off.cpp is without.
#if !defined(BOOST_EXT_ENABLE_STATISTICS)
#define BOOST_EXT_ENABLE_STATISTICS
#endif

#include <boost_ext/timer_statistics.hpp>

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/boottime_timer.hpp>
#include <boost_ext/clock_watch.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/steady_timer.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::next_expiry;
using boost_ext::statistics;
using boost_ext::timer_statistics;
using namespace std::chrono_literals;

using manual = boost_ext::manual_clock;
using timer = boost_ext::basic_waitable_timer<manual>;
using time_point = manual::time_point;

static_assert(std::is_same_v<decltype(timer_statistics::pending), std::size_t>);
static_assert(std::is_same_v<decltype(timer_statistics::scheduled), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::fired), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::cancelled), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::rescheduled), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::live_entries), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::dead_entries), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::kernel_arms), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::wakeups), std::uint64_t>);
static_assert(std::is_same_v<decltype(timer_statistics::lateness), std::array<std::uint64_t, 64>>);
static_assert(std::is_aggregate_v<timer_statistics>);
static_assert(std::is_trivially_copyable_v<timer_statistics>);
static_assert(std::is_same_v<decltype(statistics(std::declval<asio::execution_context&>())), timer_statistics>);
static_assert(std::is_same_v<decltype(next_expiry<manual>(std::declval<asio::execution_context&>())), std::optional<time_point>>);

struct fixture
{
    fixture() { manual::reset(); }

    timer_statistics now() { return statistics(ctx); }

    static void ignore(error_code) {}

    asio::io_context ctx;
};

std::uint64_t sum(const timer_statistics& s)
{
    return std::accumulate(s.lateness.begin(), s.lateness.end(), std::uint64_t{0});
}

bool all_zero(const timer_statistics& s)
{
    return s.pending + s.scheduled + s.fired + s.cancelled + s.rescheduled + s.live_entries + s.dead_entries + s.kernel_arms +
        s.wakeups + sum(s) ==
        0;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(timer_statistics_on, fixture)

BOOST_AUTO_TEST_CASE(asking_creates_nothing)
{
    asio::execution_context plain; // has no scheduler, and could not have a timer without one
    BOOST_CHECK(all_zero(statistics(plain)));
    BOOST_CHECK(!next_expiry<manual>(plain));
    BOOST_CHECK(!next_expiry<std::chrono::steady_clock>(plain));
    BOOST_CHECK(!asio::has_service<boost_ext::detail::service_directory>(plain));

    BOOST_CHECK(all_zero(now()));
    BOOST_CHECK(!asio::has_service<boost_ext::detail::service_directory>(ctx));
    timer t(ctx);
    BOOST_CHECK(all_zero(now()));
    BOOST_CHECK(!next_expiry<std::chrono::steady_clock>(ctx));
}

BOOST_AUTO_TEST_CASE(waits_are_counted)
{
    timer a(ctx, 1s), b(ctx, 2s), c(ctx, 3s);
    for (int i = 0; i != 3; ++i)
        a.async_wait(ignore);
    for (int i = 0; i != 2; ++i)
        b.async_wait(ignore);
    c.async_wait(ignore);
    BOOST_CHECK_EQUAL(now().pending, 6u);
    BOOST_CHECK_EQUAL(now().scheduled, 6u);

    BOOST_CHECK_EQUAL(a.cancel_one(), 1u);
    BOOST_CHECK_EQUAL(now().pending, 5u); // before its handler has run
    BOOST_CHECK_EQUAL(now().cancelled, 1u);

    BOOST_CHECK_EQUAL(b.reschedule_after(5s), 2u);
    BOOST_CHECK_EQUAL(c.reschedule_after(500ms), 1u);
    BOOST_CHECK_EQUAL(now().rescheduled, 3u);
    BOOST_CHECK_EQUAL(now().pending, 5u);

    manual::advance(1s);
    BOOST_CHECK_EQUAL(now().fired, 3u); // collected, though no handler has run
    BOOST_CHECK_EQUAL(now().pending, 2u);
    BOOST_CHECK_EQUAL(a.reschedule_after(1s), 0u);
    BOOST_CHECK_EQUAL(now().rescheduled, 3u);

    BOOST_CHECK_EQUAL(b.expires_after(9s), 2u);
    BOOST_CHECK_EQUAL(now().cancelled, 3u);
    BOOST_CHECK_EQUAL(now().pending, 0u);
    BOOST_CHECK_EQUAL(ctx.poll(), 6u);
    const timer_statistics s = now();
    BOOST_CHECK_EQUAL(s.scheduled, s.fired + s.cancelled + s.pending);
    BOOST_CHECK_EQUAL(s.scheduled, 6u);
}

BOOST_AUTO_TEST_CASE(every_way_of_cancelling_is_counted)
{
    asio::cancellation_signal signal;
    auto a = std::make_unique<timer>(ctx, 1s);
    timer b(ctx, 1s), c(ctx, 1s);
    a->async_wait(ignore);
    b.async_wait(asio::bind_cancellation_slot(signal.slot(), ignore));
    c.async_wait(ignore);
    signal.emit(asio::cancellation_type::total);
    BOOST_CHECK_EQUAL(now().cancelled, 1u);
    a.reset();
    BOOST_CHECK_EQUAL(now().cancelled, 2u);
    c = timer(ctx);
    BOOST_CHECK_EQUAL(now().cancelled, 3u);
    BOOST_CHECK_EQUAL(now().pending, 0u);
    BOOST_CHECK_EQUAL(ctx.poll(), 3u);
}

BOOST_AUTO_TEST_CASE(what_a_step_completes_has_fired)
{
    boost_ext::clock_watch watch(ctx);
    watch.async_wait(ignore);
    watch.async_wait(ignore);
    BOOST_CHECK_EQUAL(now().pending, 2u);
    BOOST_CHECK(!next_expiry<std::chrono::steady_clock>(ctx));
    asio::use_service<boost_ext::detail::clock_steps>(ctx).stepped();
    BOOST_CHECK_EQUAL(now().pending, 0u);
    BOOST_CHECK_EQUAL(now().fired, 2u);
    BOOST_CHECK_EQUAL(now().lateness[0], 2u);
    BOOST_CHECK_EQUAL(ctx.poll(), 2u);
    watch.async_wait(ignore);
    watch.cancel();
    BOOST_CHECK_EQUAL(now().fired, 2u);
    BOOST_CHECK_EQUAL(now().cancelled, 1u);
}

BOOST_AUTO_TEST_CASE(lateness_is_a_histogram_of_powers_of_two)
{
    const auto late = [&](std::chrono::nanoseconds d) {
        timer t(ctx, 1s);
        t.async_wait(ignore);
        t.async_wait(ignore);
        const timer_statistics before = now();
        manual::advance(1s + d);
        const timer_statistics after = now();
        BOOST_CHECK_EQUAL(sum(after) - sum(before), 2u); // it counts waits
        std::size_t bucket = 64;
        for (std::size_t i = 0; i != 64; ++i)
            if (after.lateness[i] != before.lateness[i])
                bucket = i;
        return bucket;
    };
    BOOST_CHECK_EQUAL(late(0ns), 0u);
    BOOST_CHECK_EQUAL(late(1ns), 0u);
    BOOST_CHECK_EQUAL(late(2ns), 1u);
    BOOST_CHECK_EQUAL(late(3ns), 1u);
    BOOST_CHECK_EQUAL(late(4ns), 2u);
    BOOST_CHECK_EQUAL(late(1023ns), 9u);
    BOOST_CHECK_EQUAL(late(1024ns), 10u);
    BOOST_CHECK_EQUAL(late(1s), 29u);
    for (std::size_t i = 2; i != 61; ++i)
    {
        manual::reset();
        BOOST_CHECK_EQUAL(late(std::chrono::nanoseconds(1LL << i)), i);
        manual::reset();
        BOOST_CHECK_EQUAL(late(std::chrono::nanoseconds((1LL << i) - 1)), i - 1);
    }
    BOOST_CHECK_EQUAL(sum(now()), now().fired);
}

BOOST_AUTO_TEST_CASE(as_late_as_can_be)
{
    timer t(ctx, (time_point::min)());
    manual::advance((manual::duration::max)());
    t.async_wait(ignore);
    ctx.poll();
    BOOST_CHECK_EQUAL(now().fired, 1u);
    BOOST_CHECK_EQUAL(sum(now()), 1u);
}

BOOST_AUTO_TEST_CASE(entries)
{
    std::vector<std::unique_ptr<timer>> timers;
    for (int i = 0; i != 1000; ++i)
    {
        timers.push_back(std::make_unique<timer>(ctx, std::chrono::seconds(i + 1)));
        timers.back()->async_wait(ignore);
        timers.back()->async_wait(ignore);
    }
    BOOST_CHECK_EQUAL(now().live_entries, 1000u); // an entry a timer, however many wait
    BOOST_CHECK_EQUAL(now().dead_entries, 0u);
    for (int round = 0; round != 50; ++round)
    {
        // Later leaves the entries as they are; earlier leaves dead ones behind, but not ever more.
        for (auto& t : timers)
            BOOST_REQUIRE_EQUAL(t->reschedule_at(t->expiry() + 2h), 2u);
        for (auto& t : timers)
            BOOST_REQUIRE_EQUAL(t->reschedule_at(t->expiry() - 2h), 2u);
        const timer_statistics s = now();
        BOOST_REQUIRE_EQUAL(s.live_entries, 1000u);
        BOOST_REQUIRE_LE(s.dead_entries, s.live_entries + 100);
    }
    timers.clear();
    BOOST_CHECK_EQUAL(now().live_entries, 0u);
    BOOST_CHECK_LE(now().dead_entries, 100u);
    ctx.poll();
}

BOOST_AUTO_TEST_CASE(the_kernel_timer_is_only_moved_earlier)
{
    {
        timer t(ctx, 1s);
        t.async_wait(ignore);
    }
    BOOST_CHECK_EQUAL(now().kernel_arms, 0u); // a manual clock has none

    boost_ext::steady_timer a(ctx, 2h), b(ctx, 3h), c(ctx, 1h);
    a.async_wait(ignore);
    BOOST_CHECK_EQUAL(now().kernel_arms, 1u);
    b.async_wait(ignore);
    BOOST_CHECK_EQUAL(now().kernel_arms, 1u);
    c.async_wait(ignore);
    BOOST_CHECK_EQUAL(now().kernel_arms, 2u);
    for (int i = 0; i != 1000; ++i)
        c.reschedule_after(4h + std::chrono::seconds(i));
    a.cancel();
    b.cancel();
    BOOST_CHECK_EQUAL(now().kernel_arms, 2u);
    BOOST_CHECK_EQUAL(now().rescheduled, 1000u);
    BOOST_CHECK_EQUAL(now().wakeups, 0u);
}

BOOST_AUTO_TEST_CASE(wakeups)
{
    std::vector<std::unique_ptr<timer>> timers;
    for (int i = 0; i != 100; ++i)
    {
        timers.push_back(std::make_unique<timer>(ctx, 1s));
        timers.back()->async_wait(ignore);
    }
    manual::advance(1s);
    BOOST_CHECK_EQUAL(now().wakeups, 1u);
    BOOST_CHECK_EQUAL(now().fired, 100u);
    BOOST_CHECK_EQUAL(ctx.poll(), 100u);
}

BOOST_AUTO_TEST_CASE(summed_over_all_clocks)
{
    timer m(ctx, 1s);
    boost_ext::steady_timer s(ctx, 1h);
    boost_ext::boottime_timer b(ctx, 1ms);
    m.async_wait(ignore);
    s.async_wait(ignore);
    b.async_wait(ignore);
    BOOST_CHECK_EQUAL(now().pending, 3u);
    BOOST_CHECK_EQUAL(now().scheduled, 3u);
    BOOST_CHECK_EQUAL(now().live_entries, 3u);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    BOOST_CHECK_EQUAL(now().fired, 1u);
    BOOST_CHECK_EQUAL(s.cancel(), 1u);
    BOOST_CHECK_EQUAL(now().cancelled, 1u);
    BOOST_CHECK_EQUAL(now().pending, 1u);
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
    BOOST_CHECK_EQUAL(now().fired, 2u);

    // Another context counts for itself.
    asio::io_context second;
    timer other(second, 1s);
    other.async_wait(ignore);
    BOOST_CHECK_EQUAL(now().pending, 0u);
    BOOST_CHECK_EQUAL(statistics(second).pending, 1u);
}

BOOST_AUTO_TEST_CASE(in_real_time_nothing_is_lost)
{
    std::vector<std::unique_ptr<boost_ext::steady_timer>> timers;
    for (int i = 0; i != 100; ++i)
    {
        timers.push_back(std::make_unique<boost_ext::steady_timer>(ctx, std::chrono::microseconds(37 * i)));
        timers.back()->async_wait(ignore);
    }
    BOOST_CHECK_EQUAL(ctx.run(), 100u);
    const timer_statistics s = now();
    BOOST_CHECK_EQUAL(s.fired, 100u);
    BOOST_CHECK_EQUAL(sum(s), 100u);
    BOOST_CHECK_GE(s.wakeups, 1u);
    BOOST_CHECK_LE(s.wakeups, 100u);
    BOOST_CHECK_GE(s.kernel_arms, 1u);
    BOOST_CHECK_EQUAL(s.pending, 0u);
}

BOOST_AUTO_TEST_CASE(the_next_expiry)
{
    timer a(ctx, 3s), b(ctx, 2s), never(ctx, (time_point::max)());
    BOOST_CHECK(!next_expiry<manual>(ctx)); // nobody waits
    never.async_wait(ignore);
    BOOST_CHECK(!next_expiry<manual>(ctx)); // max() aside
    a.async_wait(ignore);
    BOOST_CHECK(next_expiry<manual>(ctx) == a.expiry());
    b.async_wait(ignore);
    BOOST_CHECK(next_expiry<manual>(ctx) == b.expiry());
    BOOST_CHECK_EQUAL(b.reschedule_after(10s), 1u);
    BOOST_CHECK(next_expiry<manual>(ctx) == a.expiry());
    a.slack(1h); // the expiry is what it was
    BOOST_CHECK_EQUAL(a.reschedule_after(4s), 1u);
    BOOST_CHECK(next_expiry<manual>(ctx) == a.expiry());
    BOOST_CHECK_EQUAL(a.cancel(), 1u);
    BOOST_CHECK(next_expiry<manual>(ctx) == b.expiry());
    BOOST_CHECK_EQUAL(b.reschedule_after(1s), 1u);
    BOOST_CHECK(next_expiry<manual>(ctx) == time_point(1s));
    timer moved(std::move(b));
    BOOST_CHECK(next_expiry<manual>(ctx) == time_point(1s));
    manual::advance(1s);
    BOOST_CHECK(!next_expiry<manual>(ctx)); // collected
    BOOST_CHECK(!next_expiry<std::chrono::steady_clock>(ctx));
    ctx.poll();

    boost_ext::steady_timer s(ctx, 1h);
    s.async_wait(ignore);
    BOOST_CHECK(next_expiry<std::chrono::steady_clock>(ctx) == s.expiry());
    BOOST_CHECK(!next_expiry<boost_ext::boottime_clock>(ctx));
}

BOOST_AUTO_TEST_CASE(may_be_asked_in_any_thread)
{
    asio::thread_pool pool(2);
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    std::thread asker([&] {
        while (!done)
        {
            const timer_statistics s = statistics(pool);
            wrong += s.scheduled != s.fired + s.cancelled + s.pending;
            static_cast<void>(next_expiry<std::chrono::steady_clock>(pool));
        }
    });
    for (int i = 0; i != 500; ++i)
    {
        boost_ext::steady_timer t(pool, std::chrono::microseconds(i % 3));
        t.async_wait(ignore);
        t.async_wait(ignore);
    }
    pool.join();
    done = true;
    asker.join();
    BOOST_CHECK_EQUAL(wrong, 0);
    BOOST_CHECK_EQUAL(statistics(pool).scheduled, 1000u);
    BOOST_CHECK_EQUAL(statistics(pool).pending, 0u);
}

BOOST_AUTO_TEST_CASE(printing)
{
    timer_statistics s;
    s.pending = 1;
    s.scheduled = 22;
    s.fired = 3;
    s.cancelled = 4;
    s.rescheduled = 5;
    s.live_entries = 6;
    s.dead_entries = 7;
    s.kernel_arms = 8;
    s.wakeups = 9;
    s.lateness[0] = 11;
    s.lateness[20] = 12;
    s.lateness[63] = 13;
    std::ostringstream out;
    BOOST_CHECK(&(out << s) == &out);
    std::istringstream in(out.str());
    const std::pair<const char*, std::uint64_t> expected[] = {{"pending", 1}, {"scheduled", 22}, {"fired", 3}, {"cancelled", 4},
        {"rescheduled", 5}, {"live_entries", 6}, {"dead_entries", 7}, {"kernel_arms", 8}, {"wakeups", 9}};
    for (const auto& e : expected)
    {
        std::string text, name;
        BOOST_REQUIRE(std::getline(in, text));
        std::istringstream words(text);
        std::uint64_t value = 0;
        BOOST_CHECK(words >> name >> value);
        BOOST_CHECK_EQUAL(name, e.first);
        BOOST_CHECK_EQUAL(value, e.second);
    }
    std::string text;
    BOOST_REQUIRE(std::getline(in, text));
    BOOST_CHECK_EQUAL(text.substr(0, 8), "lateness");
    std::string rest((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (const char* n : {"11", "12", "13"})
        BOOST_CHECK(rest.find(n) != std::string::npos);

    // The most has forty stars, whatever is there has one, however much it is.
    s.lateness[0] = (std::numeric_limits<std::uint64_t>::max)();
    s.lateness[20] = s.lateness[0] / 2 + 1;
    std::ostringstream bars;
    bars << s;
    BOOST_CHECK(bars.str().find("18446744073709551615 " + std::string(40, '*') + '\n') != std::string::npos);
    BOOST_CHECK(bars.str().find("9223372036854775808 " + std::string(20, '*') + '\n') != std::string::npos);
    BOOST_CHECK(bars.str().find(" 13 *\n") != std::string::npos);

    std::ostringstream nothing;
    nothing << timer_statistics();
    BOOST_CHECK(nothing.str().find("lateness") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
