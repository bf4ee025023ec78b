// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/manual_clock.hpp>

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/interval.hpp>
#include <boost_ext/job_scheduler.hpp>
#include <boost_ext/named_timers.hpp>
#include <boost_ext/sleep.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost_ext/timeout.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

using manual = boost_ext::manual_clock;
using timer = boost_ext::basic_waitable_timer<manual>;
using time_point = manual::time_point;
using duration = manual::duration;

class never_defined;
using other_clock = boost_ext::basic_manual_clock<never_defined>;

static_assert(std::is_same_v<duration, std::chrono::nanoseconds>);
static_assert(std::is_same_v<time_point, std::chrono::time_point<manual>>);
static_assert(std::is_same_v<manual::rep, duration::rep>);
static_assert(std::is_same_v<manual::period, duration::period>);
static_assert(std::is_same_v<other_clock::time_point, std::chrono::time_point<other_clock>>);
static_assert(!std::is_same_v<other_clock, manual>);
static_assert(std::is_same_v<decltype(manual::now()), time_point>);
static_assert(std::is_same_v<decltype(manual::advance_to_next()), bool>);
static_assert(std::is_same_v<decltype(manual::run(std::declval<asio::io_context&>())), std::size_t>);
static_assert(std::is_same_v<decltype(manual::run_for(std::declval<asio::io_context&>(), 1s)), std::size_t>);
static_assert(std::is_same_v<decltype(manual::run_until(std::declval<asio::io_context&>(), time_point())), std::size_t>);

time_point at(duration d)
{
    return time_point(d);
}

struct fixture
{
    struct line
    {
        int id;
        error_code ec;
        duration when;
    };

    fixture() { manual::reset(); }

    auto operator()(int id)
    {
        return [this, id](error_code ec) { lines.push_back({id, ec, manual::now().time_since_epoch()}); };
    }

    std::vector<int> ids() const
    {
        std::vector<int> result;
        for (const line& l : lines)
            result.push_back(l.id);
        return result;
    }

    std::vector<duration> times() const
    {
        std::vector<duration> result;
        for (const line& l : lines)
            result.push_back(l.when);
        return result;
    }

    std::vector<line> lines;
    asio::io_context ctx;
};

using ints = std::vector<int>;
using durations = std::vector<duration>;

} // namespace

BOOST_FIXTURE_TEST_SUITE(manual_clock, fixture)

// ---- the clock itself --------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(stands_still_until_it_is_moved)
{
    BOOST_CHECK(manual::now() == time_point());
    std::this_thread::sleep_for(1ms);
    BOOST_CHECK(manual::now() == time_point());
    manual::advance(3ns);
    BOOST_CHECK(manual::now() == at(3ns));
    manual::advance(0ns);
    BOOST_CHECK(manual::now() == at(3ns));
    manual::advance(2h);
    BOOST_CHECK(manual::now() == at(2h + 3ns));
}

BOOST_AUTO_TEST_CASE(one_clock_for_each_tag)
{
    other_clock::reset();
    other_clock::advance(5s);
    BOOST_CHECK(manual::now() == time_point());
    manual::advance(1s);
    BOOST_CHECK(other_clock::now().time_since_epoch() == 5s);

    boost_ext::basic_waitable_timer<other_clock> t(ctx, 1s);
    t.async_wait((*this)(0));
    manual::advance(1h);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(manual::run(ctx), 0u); // only waits on this clock
    other_clock::advance(1s);
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    other_clock::reset();
    BOOST_CHECK(other_clock::now() == other_clock::time_point());
    BOOST_CHECK(manual::now() == at(1h + 1s));
}

BOOST_AUTO_TEST_CASE(a_negative_advance_throws)
{
    manual::advance(5s);
    BOOST_CHECK_THROW(manual::advance(-1ns), std::invalid_argument);
    BOOST_CHECK_THROW(manual::advance((duration::min)()), std::invalid_argument);
    BOOST_CHECK(manual::now() == at(5s));
}

BOOST_AUTO_TEST_CASE(advance_to_the_past_does_nothing)
{
    manual::advance_to(at(5s));
    BOOST_CHECK(manual::now() == at(5s));
    manual::advance_to(at(4s));
    manual::advance_to((time_point::min)());
    manual::advance_to(at(5s));
    BOOST_CHECK(manual::now() == at(5s));
}

BOOST_AUTO_TEST_CASE(advance_to_the_past_makes_nothing_ready)
{
    manual::advance_to(at(5s));
    timer t(ctx, at(3s));
    t.async_wait((*this)(0));
    manual::advance_to(at(4s));
    BOOST_CHECK_EQUAL(t.cancel(), 1u); // it was not collected
    t.expires_at(at(3s));
    t.async_wait((*this)(1));
    manual::advance_to(at(5s));
    BOOST_CHECK_EQUAL(t.cancel(), 0u);
    BOOST_CHECK_EQUAL(ctx.poll(), 2u);
    BOOST_CHECK(lines.at(0).ec == asio::error::operation_aborted);
    BOOST_CHECK(!lines.at(1).ec);
}

BOOST_AUTO_TEST_CASE(overflow_saturates)
{
    timer late(ctx, (time_point::max)() - 1ns), never(ctx, (time_point::max)());
    late.async_wait((*this)(0));
    never.async_wait((*this)(1));
    manual::advance(1s);
    manual::advance((duration::max)());
    BOOST_CHECK(manual::now() == (time_point::max)());
    manual::advance(1s);
    manual::advance((duration::max)());
    BOOST_CHECK(manual::now() == (time_point::max)());
    // time_point::max() never fires, even then.
    ctx.poll();
    BOOST_CHECK((ids() == ints{0}));
    BOOST_CHECK_EQUAL(never.cancel(), 1u);
    manual::reset();
    BOOST_CHECK(manual::now() == time_point());
}

// ---- advancing ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(advancing_moves_in_one_jump_and_readies_in_order_of_expiry)
{
    timer c(ctx, 30ms), a(ctx, 10ms), d(ctx, 40ms), b(ctx, 20ms);
    c.async_wait((*this)(3));
    a.async_wait((*this)(1));
    d.async_wait((*this)(4));
    b.async_wait((*this)(2));
    manual::advance(30ms);
    BOOST_CHECK(lines.empty()); // it runs no handler itself
    BOOST_CHECK_EQUAL(ctx.poll(), 3u);
    BOOST_CHECK((ids() == ints{1, 2, 3}));
    BOOST_CHECK((times() == durations{30ms, 30ms, 30ms}));
    manual::advance_to(at(40ms) - 1ns);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    manual::advance(1ns);
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    for (const line& l : lines)
        BOOST_CHECK(!l.ec);
}

BOOST_AUTO_TEST_CASE(what_was_made_ready_is_no_longer_cancelled)
{
    timer t(ctx, 1s);
    t.async_wait((*this)(0));
    manual::advance(1s);
    BOOST_CHECK_EQUAL(t.cancel(), 0u);
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    BOOST_CHECK(!lines.at(0).ec);
}

BOOST_AUTO_TEST_CASE(advance_from_a_handler)
{
    timer a(ctx, 10ms), b(ctx, 20ms), c(ctx, 30ms);
    a.async_wait([&](error_code ec) {
        (*this)(1)(ec);
        manual::advance(10ms);
        BOOST_CHECK_EQUAL(lines.size(), 1u); // b does not run in here
        BOOST_CHECK(manual::advance_to_next());
        BOOST_CHECK(manual::now() == at(30ms));
        BOOST_CHECK(!manual::advance_to_next());
        manual::advance_to(at(35ms));
        BOOST_CHECK_EQUAL(lines.size(), 1u);
    });
    b.async_wait((*this)(2));
    c.async_wait((*this)(3));
    manual::advance(10ms);
    BOOST_CHECK_EQUAL(ctx.poll(), 3u);
    BOOST_CHECK((ids() == ints{1, 2, 3}));
    BOOST_CHECK((times() == durations{10ms, 35ms, 35ms}));
}

BOOST_AUTO_TEST_CASE(advance_wakes_a_context_that_is_blocked_in_run)
{
    timer t(ctx, 1h), u(ctx, 2h);
    t.async_wait((*this)(0));
    u.async_wait((*this)(1));
    std::size_t n = 0;
    std::thread runner([&] { n = ctx.run(); });
    std::this_thread::sleep_for(5ms); // most likely it is blocked by now; either way must work
    manual::advance(1h);
    manual::advance(1h);
    runner.join();
    BOOST_CHECK_EQUAL(n, 2u);
    BOOST_CHECK((ids() == ints{0, 1}));
}

BOOST_AUTO_TEST_CASE(advance_wakes_every_context_on_the_clock)
{
    asio::io_context second;
    asio::thread_pool pool(1);
    std::atomic<int> done{0};
    timer a(ctx, 1h), b(second, 1h), c(pool, 1h);
    a.async_wait([&](error_code) { ++done; });
    b.async_wait([&](error_code) { ++done; });
    c.async_wait([&](error_code) { ++done; });
    std::thread r1([&] { ctx.run(); }), r2([&] { second.run(); });
    manual::advance(1h);
    r1.join();
    r2.join();
    pool.join();
    BOOST_CHECK_EQUAL(done, 3);
}

BOOST_AUTO_TEST_CASE(what_is_armed_in_the_past_is_ready)
{
    manual::advance(1s);
    timer a(ctx, 0s), b(ctx, at(500ms)), c(ctx), d(ctx, (time_point::min)());
    for (timer* t : {&a, &b, &c, &d})
    {
        t->async_wait((*this)(0));
        BOOST_CHECK_EQUAL(ctx.poll(), 1u);
        ctx.restart();
    }
    BOOST_CHECK_EQUAL(lines.size(), 4u);
}

BOOST_AUTO_TEST_CASE(what_is_armed_in_the_past_comes_in_order_of_expiry)
{
    manual::advance(10s);
    timer a(ctx, at(5s)), b(ctx, at(3s)), c(ctx, at(4s)), d(ctx, at(3s));
    a.async_wait((*this)(4));
    b.async_wait((*this)(1));
    c.async_wait((*this)(3));
    d.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(manual::run(ctx), 4u);
    BOOST_CHECK((ids() == ints{1, 2, 3, 4}));
}

BOOST_AUTO_TEST_CASE(a_post_overtakes_a_wait_that_has_expired)
{
    manual::advance(10s);
    timer a(ctx, at(5s));
    a.async_wait((*this)(2));
    asio::post(ctx, [&] { (*this)(1)(error_code()); });
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
    BOOST_CHECK((ids() == ints{1, 2}));
}

// ---- to the next expiry ------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(advance_to_next_looks_at_all_contexts)
{
    asio::io_context second;
    BOOST_CHECK(!manual::advance_to_next());
    timer a(ctx, 20ms), b(second, 10ms), never(ctx, (time_point::max)());
    BOOST_CHECK(!manual::advance_to_next()); // nobody waits
    a.async_wait((*this)(1));
    b.async_wait((*this)(2));
    never.async_wait((*this)(3));
    BOOST_CHECK(manual::advance_to_next());
    BOOST_CHECK(manual::now() == at(10ms));
    BOOST_CHECK(lines.empty());
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(second.poll(), 1u);
    BOOST_CHECK(manual::advance_to_next());
    BOOST_CHECK(manual::now() == at(20ms));
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    BOOST_CHECK(!manual::advance_to_next()); // only max() is left
    BOOST_CHECK(manual::now() == at(20ms));
    BOOST_CHECK_EQUAL(never.cancel(), 1u);
    ctx.poll();
}

BOOST_AUTO_TEST_CASE(advance_to_next_looks_at_live_expiries_alone)
{
    timer a(ctx, 10ms), b(ctx, 20ms), c(ctx, 30ms), d(ctx, 40ms);
    auto e = std::make_unique<timer>(ctx, 5ms);
    for (timer* t : {&a, &b, &c, &d, e.get()})
        t->async_wait((*this)(0));
    e.reset();
    BOOST_CHECK_EQUAL(a.cancel(), 1u);
    BOOST_CHECK_EQUAL(b.reschedule_at(at(35ms)), 1u);
    BOOST_CHECK_EQUAL(c.expires_at(at(1ms)), 1u); // nobody waits for it any more
    BOOST_CHECK(manual::advance_to_next());
    BOOST_CHECK(manual::now() == at(35ms));
    BOOST_CHECK_EQUAL(d.reschedule_at(at(36ms)), 1u);
    BOOST_CHECK(manual::advance_to_next());
    BOOST_CHECK(manual::now() == at(36ms));
    BOOST_CHECK(!manual::advance_to_next());
    BOOST_CHECK_EQUAL(ctx.poll(), 5u);
}

// ---- back to the start -------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(reset_keeps_the_time_points_of_pending_waits)
{
    timer a(ctx, 10ms), b(ctx, 3h), c(ctx, 2h);
    a.async_wait((*this)(1));
    b.async_wait((*this)(3));
    c.async_wait((*this)(2));
    manual::advance(1h);
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    manual::reset();
    BOOST_CHECK(manual::now() == time_point());
    BOOST_CHECK(b.expiry() == at(3h));
    timer d(ctx, 5ms);
    d.async_wait((*this)(4));
    manual::advance(5ms);
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    manual::advance_to(at(2h) - 1ns);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK(manual::advance_to_next());
    BOOST_CHECK(manual::now() == at(2h));
    BOOST_CHECK(manual::advance_to_next());
    BOOST_CHECK(manual::now() == at(3h));
    BOOST_CHECK_EQUAL(ctx.poll(), 2u);
    BOOST_CHECK((ids() == ints{1, 4, 2, 3}));
}

BOOST_AUTO_TEST_CASE(reset_does_not_take_back_what_was_ready)
{
    timer a(ctx, 1h);
    a.async_wait((*this)(0));
    manual::advance(1h);
    manual::reset();
    BOOST_CHECK_EQUAL(ctx.poll(), 1u);
    BOOST_CHECK(!lines.at(0).ec);
}

BOOST_AUTO_TEST_CASE(many_resets_lose_nothing)
{
    std::vector<std::unique_ptr<timer>> timers;
    for (int i = 0; i != 300; ++i)
    {
        timers.push_back(std::make_unique<timer>(ctx, at(std::chrono::seconds(1000 + i * 37 % 300))));
        timers.back()->async_wait((*this)(i * 37 % 300));
        if (i % 10 == 9)
        {
            manual::advance(std::chrono::seconds(i));
            manual::reset();
        }
    }
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(manual::run(ctx), 300u);
    for (int i = 0; i != 300; ++i)
    {
        BOOST_CHECK_EQUAL(lines.at(static_cast<std::size_t>(i)).id, i);
        BOOST_CHECK(lines[static_cast<std::size_t>(i)].when == std::chrono::seconds(1000 + i));
    }
}

// ---- virtual time ------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(run_jumps_from_expiry_to_expiry)
{
    timer a(ctx, 3h), b(ctx, 1h), c(ctx, 2h), d(ctx, 2h);
    a.async_wait((*this)(4));
    b.async_wait((*this)(1));
    c.async_wait((*this)(2));
    d.async_wait((*this)(3));
    asio::post(ctx, [&] { BOOST_CHECK(manual::now() == time_point()); });
    BOOST_CHECK_EQUAL(manual::run(ctx), 5u);
    BOOST_CHECK((ids() == ints{1, 2, 3, 4}));
    BOOST_CHECK((times() == durations{1h, 2h, 2h, 3h}));
    BOOST_CHECK(manual::now() == at(3h));
    BOOST_CHECK(ctx.stopped()); // as after a poll() that finds no work
}

BOOST_AUTO_TEST_CASE(now_is_the_expiry_while_its_handlers_run)
{
    timer a(ctx, 1s), b(ctx, 2s);
    int left = 100;
    std::function<void()> chain = [&] {
        BOOST_CHECK(manual::now() == at(1s));
        if (--left)
            asio::post(ctx, chain);
    };
    a.async_wait([&](error_code) {
        chain();
        a.expires_after(0s);
        a.async_wait((*this)(1));
    });
    b.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(manual::run(ctx), 102u);
    BOOST_CHECK((times() == durations{1s, 2s}));
    BOOST_CHECK_EQUAL(left, 0);
}

BOOST_AUTO_TEST_CASE(what_handlers_arm_is_run_too)
{
    timer t(ctx, 1s);
    int ticks = 0;
    std::function<void(error_code)> again = [&](error_code) {
        BOOST_CHECK(manual::now() == at(std::chrono::seconds(++ticks)));
        if (ticks == 3600)
            return;
        t.expires_at(t.expiry() + 1s);
        t.async_wait(again);
    };
    t.async_wait(again);
    BOOST_CHECK_EQUAL(manual::run(ctx), 3600u);
    BOOST_CHECK(manual::now() == at(1h));
}

BOOST_AUTO_TEST_CASE(many_waits_a_nanosecond_apart)
{
    // So many that the queue has them in several lists, of which only the first is in order.
    std::vector<timer> timers;
    std::vector<int> got;
    for (int i = 0; i != 5000; ++i)
    {
        const int n = i * 1777 % 5000;
        timers.emplace_back(ctx, at(duration(n)));
        timers.back().async_wait([&got, n](error_code) {
            if (manual::now() == at(duration(n)))
                got.push_back(n);
        });
    }
    BOOST_CHECK_EQUAL(manual::run(ctx), 5000u);
    BOOST_REQUIRE_EQUAL(got.size(), 5000u);
    BOOST_CHECK(std::is_sorted(got.begin(), got.end()));
}

BOOST_AUTO_TEST_CASE(run_never_blocks_whatever_work_is_outstanding)
{
    const auto work = asio::make_work_guard(ctx);
    timer never(ctx, (time_point::max)()), t(ctx, 1s);
    boost_ext::steady_timer real(ctx, 1h);
    never.async_wait((*this)(9));
    real.async_wait((*this)(8));
    t.async_wait((*this)(0));
    BOOST_CHECK_EQUAL(manual::run(ctx), 1u);
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK(manual::now() == at(1s));
    BOOST_CHECK_EQUAL(manual::run(ctx), 0u);
    BOOST_CHECK_EQUAL(manual::run_for(ctx, 1s), 0u);
    BOOST_CHECK(manual::now() == at(2s));
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(never.cancel() + real.cancel(), 2u);
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
}

BOOST_AUTO_TEST_CASE(run_looks_at_that_context_alone)
{
    asio::io_context second;
    timer a(ctx, 2s), b(second, 1s), c(second, 3s);
    a.async_wait((*this)(1));
    b.async_wait((*this)(2));
    c.async_wait((*this)(3));
    BOOST_CHECK_EQUAL(manual::run(ctx), 1u);
    BOOST_CHECK((ids() == ints{1}));
    BOOST_CHECK(manual::now() == at(2s));
    BOOST_CHECK_EQUAL(manual::run(second), 2u);
    BOOST_CHECK((times() == durations{2s, 2s, 3s}));
}

BOOST_AUTO_TEST_CASE(stopped_is_what_poll_would_leave)
{
    BOOST_CHECK_EQUAL(manual::run(ctx), 0u);
    BOOST_CHECK(ctx.stopped());

    // It does not restart: nothing runs, and the clock stays.
    timer t(ctx, 1s);
    t.async_wait((*this)(0));
    BOOST_CHECK_EQUAL(manual::run(ctx), 0u);
    BOOST_CHECK(ctx.stopped());
    BOOST_CHECK(manual::now() == time_point());
    ctx.restart();
    BOOST_CHECK_EQUAL(manual::run(ctx), 1u);
    BOOST_CHECK(ctx.stopped());

    ctx.restart();
    t.expires_after(1h);
    t.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(manual::run_for(ctx, 1s), 0u);
    BOOST_CHECK(!ctx.stopped()); // there is work
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    BOOST_CHECK_EQUAL(manual::run_for(ctx, 1s), 1u);
    BOOST_CHECK(ctx.stopped());
    BOOST_CHECK(manual::now() == at(3s));
}

BOOST_AUTO_TEST_CASE(a_handler_that_stops_the_context_ends_the_run)
{
    timer a(ctx, 1s), b(ctx, 1s), c(ctx, 2s);
    a.async_wait([&](error_code ec) {
        (*this)(1)(ec);
        ctx.stop();
    });
    b.async_wait((*this)(2));
    c.async_wait((*this)(3));
    BOOST_CHECK_EQUAL(manual::run_until(ctx, at(1h)), 1u);
    BOOST_CHECK(ctx.stopped());
    BOOST_CHECK(manual::now() == at(1s));
    BOOST_CHECK((ids() == ints{1}));
    ctx.restart();
    BOOST_CHECK_EQUAL(manual::run_until(ctx, at(1h)), 2u);
    BOOST_CHECK((times() == durations{1s, 1s, 2s}));
    BOOST_CHECK(manual::now() == at(1h));

    // The last handler of all may do it too.
    ctx.restart();
    a.expires_after(1s);
    a.async_wait([&](error_code) { ctx.stop(); });
    BOOST_CHECK_EQUAL(manual::run_for(ctx, 1h), 1u);
    BOOST_CHECK(manual::now() == at(1h + 1s));
}

BOOST_AUTO_TEST_CASE(run_until_goes_up_to_a_time_and_leaves_the_clock_there)
{
    timer a(ctx, 1s), b(ctx, 2s), c(ctx, 2s + 1ns);
    a.async_wait((*this)(1));
    b.async_wait((*this)(2));
    c.async_wait((*this)(3));
    BOOST_CHECK_EQUAL(manual::run_until(ctx, at(1500ms)), 1u);
    BOOST_CHECK(manual::now() == at(1500ms));
    BOOST_CHECK_EQUAL(manual::run_until(ctx, at(2s)), 1u); // the end is included
    BOOST_CHECK((times() == durations{1s, 2s}));
    BOOST_CHECK_EQUAL(manual::run_for(ctx, 10s), 1u);
    BOOST_CHECK(manual::now() == at(12s));
    BOOST_CHECK(lines.back().when == 2s + 1ns);
}

BOOST_AUTO_TEST_CASE(run_until_the_past_runs_what_is_ready)
{
    manual::advance(10s);
    timer a(ctx, at(11s)), b(ctx, at(9s));
    a.async_wait((*this)(9));
    b.async_wait((*this)(1));
    asio::post(ctx, [&] { (*this)(0)(error_code()); });
    BOOST_CHECK_EQUAL(manual::run_until(ctx, at(5s)), 2u);
    BOOST_CHECK(manual::now() == at(10s));
    BOOST_CHECK_EQUAL(lines.size(), 2u);
    BOOST_CHECK_EQUAL(manual::run_until(ctx, (time_point::min)()), 0u);
    BOOST_CHECK(manual::now() == at(10s));
}

BOOST_AUTO_TEST_CASE(run_for_nothing_and_for_less)
{
    manual::advance(1s);
    timer a(ctx, 0s), b(ctx, 1ns);
    a.async_wait((*this)(0));
    b.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(manual::run_for(ctx, 0s), 1u);
    BOOST_CHECK_THROW(manual::run_for(ctx, -1ns), std::invalid_argument);
    BOOST_CHECK(manual::now() == at(1s));
    BOOST_CHECK_EQUAL(lines.size(), 1u);
    BOOST_CHECK_EQUAL(manual::run_for(ctx, (duration::max)()), 1u); // saturates
    BOOST_CHECK(manual::now() == (time_point::max)());
    BOOST_CHECK(lines.at(1).when == 1s + 1ns);
}

BOOST_AUTO_TEST_CASE(a_handler_may_advance_in_a_run)
{
    timer a(ctx, 1s), b(ctx, 5s), c(ctx, 20s);
    a.async_wait([&](error_code) { manual::advance(9s); });
    b.async_wait((*this)(1));
    c.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(manual::run(ctx), 3u);
    BOOST_CHECK((times() == durations{10s, 20s}));
}

BOOST_AUTO_TEST_CASE(an_exception_leaves_a_run)
{
    timer a(ctx, 1s), b(ctx, 1s), c(ctx, 2s);
    a.async_wait([](error_code) { throw std::runtime_error("from a handler"); });
    b.async_wait((*this)(1));
    c.async_wait((*this)(2));
    BOOST_CHECK_THROW(manual::run(ctx), std::runtime_error);
    BOOST_CHECK(manual::now() == at(1s));
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
    BOOST_CHECK((times() == durations{1s, 2s}));
}

BOOST_AUTO_TEST_CASE(cancelled_and_postponed_waits_in_a_run)
{
    timer a(ctx, 1s), b(ctx, 2s), c(ctx, 3s), d(ctx, 1500ms);
    a.async_wait([&](error_code) {
        BOOST_CHECK_EQUAL(b.reschedule_after(9s), 1u);
        BOOST_CHECK_EQUAL(d.cancel(), 1u);
        BOOST_CHECK_EQUAL(c.reschedule_at(at(2500ms)), 1u);
    });
    b.async_wait((*this)(2));
    c.async_wait((*this)(3));
    d.async_wait((*this)(4));
    BOOST_CHECK_EQUAL(manual::run(ctx), 4u);
    BOOST_CHECK((ids() == ints{4, 3, 2}));
    BOOST_CHECK((times() == durations{1s, 2500ms, 10s}));
}

BOOST_AUTO_TEST_CASE(slack_is_never_early_and_run_ends)
{
    timer a(ctx, 1s), b(ctx, 1100ms);
    a.slack(500ms);
    a.async_wait((*this)(1));
    b.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
    BOOST_CHECK((ids() == ints{1, 2}));
    BOOST_CHECK(lines[0].when >= 1s);
    BOOST_CHECK(lines[0].when <= 1500ms);
    BOOST_CHECK(lines[1].when == 1100ms);
}

BOOST_AUTO_TEST_CASE(bad_times_in_a_run)
{
    timer a(ctx, (time_point::min)()), b(ctx, (time_point::max)() - 1ns), c(ctx, (time_point::max)());
    a.async_wait((*this)(1));
    b.async_wait((*this)(2));
    c.async_wait((*this)(3));
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
    BOOST_CHECK((ids() == ints{1, 2}));
    BOOST_CHECK((times() == durations{0s, (duration::max)() - 1ns}));
    BOOST_CHECK(!ctx.stopped());
    manual::reset();
    BOOST_CHECK_EQUAL(c.reschedule_after(1s), 1u);
    BOOST_CHECK_EQUAL(manual::run(ctx), 1u);
    BOOST_CHECK(lines.back().when == 1s);
}

// ---- blocking ----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_blocking_wait_returns_when_another_thread_has_advanced_far_enough)
{
    timer t(ctx, 1h), past(ctx, time_point());
    past.wait();
    error_code ec = asio::error::eof;
    past.wait(ec);
    BOOST_CHECK(!ec);
    std::atomic<bool> returned{false};
    std::thread waiter([&] {
        t.wait();
        returned = true;
    });
    manual::advance(1h - 1ns);
    std::this_thread::sleep_for(5ms);
    BOOST_CHECK(!returned);
    manual::advance(1ns);
    waiter.join();
    BOOST_CHECK(returned);
    BOOST_CHECK(manual::now() >= t.expiry());
}

BOOST_AUTO_TEST_CASE(a_blocking_wait_returns_though_the_clock_was_turned_back_meanwhile)
{
    timer t(ctx, 1h);
    std::atomic<bool> returned{false};
    std::thread waiter([&] {
        t.wait();
        returned = true;
    });
    while (!returned)
    {
        std::this_thread::sleep_for(1ms); // most likely it is blocked by now; either way must work
        manual::advance(2h);
        manual::reset();
    }
    waiter.join();
    BOOST_CHECK(manual::now() == time_point());
}

BOOST_AUTO_TEST_CASE(a_program_ends_while_a_thread_is_blocked)
{
    // The thread stays blocked, and its timer alive: this program must end all the same.
    struct blocked_for_good;
    using clock = boost_ext::basic_manual_clock<blocked_for_good>;
    static asio::io_context& context = *new asio::io_context;
    static auto& t = *new boost_ext::basic_waitable_timer<clock>(context, 1h);
    std::thread([] { t.wait(); }).detach();
    std::this_thread::sleep_for(5ms);
    BOOST_CHECK(clock::now() == clock::time_point());
}

// ---- everything else works on it ---------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(sleeps)
{
    boost_ext::async_sleep_for<manual>(ctx, 1h, (*this)(1));
    boost_ext::async_sleep_until(ctx, at(2h), (*this)(2));
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
    BOOST_CHECK((times() == durations{1h, 2h}));
}

BOOST_AUTO_TEST_CASE(intervals)
{
    using interval = boost_ext::basic_interval<manual>;
    interval iv(ctx, 1min);
    int ticks = 0;
    std::function<void(error_code, interval::tick_info)> again = [&](error_code ec, interval::tick_info info) {
        BOOST_CHECK(!ec);
        BOOST_CHECK(info.scheduled == manual::now());
        BOOST_CHECK_EQUAL(info.missed, 0u);
        if (++ticks != 60)
            iv.async_tick(again);
    };
    iv.async_tick(again);
    manual::run(ctx);
    BOOST_CHECK_EQUAL(ticks, 60);
    BOOST_CHECK(manual::now() == at(1h));
}

BOOST_AUTO_TEST_CASE(timeouts)
{
    timer slow(ctx, 2h), quick(ctx, 30min);
    slow.async_wait(boost_ext::timeout<manual>(1h, (*this)(2)));
    quick.async_wait(boost_ext::timeout<manual>(1h, (*this)(1)));
    manual::run(ctx);
    BOOST_CHECK((ids() == ints{1, 2}));
    BOOST_CHECK((times() == durations{30min, 1h}));
    BOOST_CHECK(!lines[0].ec);
    BOOST_CHECK(lines[1].ec == asio::error::timed_out);
}

BOOST_AUTO_TEST_CASE(jobs_by_id)
{
    boost_ext::basic_job_scheduler<manual> jobs(ctx);
    jobs.run_after(1h, [&] { (*this)(1)(error_code()); });
    jobs.run_at(at(30min), [&] { (*this)(0)(error_code()); });
    boost_ext::job_id every;
    int runs = 0;
    every = jobs.run_every(20min, [&] {
        if (++runs == 5)
            BOOST_CHECK(jobs.cancel(every));
    });
    manual::run(ctx);
    BOOST_CHECK((times() == durations{30min, 1h}));
    BOOST_CHECK_EQUAL(runs, 5);
    BOOST_CHECK(manual::now() == at(100min));
}

BOOST_AUTO_TEST_CASE(names)
{
    boost_ext::basic_named_timers<manual> named(ctx);
    named.async_wait("a", 1h, (*this)(1));
    named.async_wait("b", at(2h), (*this)(2));
    named.async_wait("c", 3h, (*this)(3));
    BOOST_CHECK_EQUAL(named.cancel("b"), 1u);
    BOOST_CHECK_EQUAL(manual::run(ctx), 3u);
    BOOST_CHECK((ids() == ints{2, 1, 3}));
    BOOST_CHECK((times() == durations{0h, 1h, 3h}));
}

BOOST_AUTO_TEST_SUITE_END()
