// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// What the timer offers beyond the drop-in: rescheduling, slack, and order among equals. In virtual time where the
// point is logic; where it is what the reactor has collected, in deadlines that passed long ago. What it shares with
// Asio's timer is tested in asio_parity*.cpp.

#include <boost_ext/basic_waitable_timer.hpp>

#include <boost_ext/manual_clock.hpp>
#include <boost_ext/steady_timer.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

struct tag;
using manual = boost_ext::basic_manual_clock<tag>;
using timer = boost_ext::basic_waitable_timer<manual>;
using time_point = manual::time_point;

/// A context, and what completed in it.
struct fixture
{
    struct line
    {
        int id;
        error_code ec;
        time_point when;
    };

    asio::io_context ctx;
    std::vector<line> lines;

    fixture() { manual::reset(); }

    auto operator()(int id)
    {
        return [this, id](error_code ec) { lines.push_back({id, ec, manual::now()}); };
    }

    std::vector<int> ids() const
    {
        std::vector<int> result;
        for (const line& l : lines)
            result.push_back(l.id);
        return result;
    }

    /// Moves the clock on and runs what that made ready.
    std::size_t advance(manual::duration d)
    {
        manual::advance(d);
        ctx.restart();
        return ctx.poll();
    }

    std::size_t poll()
    {
        ctx.restart();
        return ctx.poll();
    }
};

bool aborted(error_code ec)
{
    return ec == asio::error::operation_aborted;
}

/// A clock whose times are of that type, and how often it was looked at.
template <class Duration>
struct counting_clock
{
    using duration = Duration;
    using rep = typename duration::rep;
    using period = typename duration::period;
    using time_point = std::chrono::time_point<counting_clock>;
    static constexpr bool is_steady = true;

    static inline int looks = 0;

    static time_point now()
    {
        static const auto start = std::chrono::steady_clock::now();
        ++looks;
        return time_point(std::chrono::duration_cast<duration>(std::chrono::steady_clock::now() - start));
    }
};

#if defined(BOOST_ASIO_HAS_CONCEPTS)
template <class Timer, class Token>
concept waits_with = requires(Timer& timer, Token token) { timer.async_wait(token); };

// What is no completion token is told by the signature, as by Asio's, and not by an error inside.
static_assert(waits_with<boost_ext::basic_waitable_timer<std::chrono::steady_clock>, void (*)(boost::system::error_code)>);
static_assert(!waits_with<boost_ext::basic_waitable_timer<std::chrono::steady_clock>, int>);
#endif

} // namespace

BOOST_AUTO_TEST_SUITE(basic_waitable_timer)

static_assert(std::is_same_v<decltype(std::declval<timer&>().reschedule_at(std::declval<const time_point&>())), std::size_t>);
static_assert(
    std::is_same_v<decltype(std::declval<timer&>().reschedule_after(std::declval<const manual::duration&>())), std::size_t>);
static_assert(std::is_same_v<decltype(std::declval<timer&>().slack(1ms)), void>);
static_assert(std::is_same_v<decltype(std::declval<const timer&>().slack()), manual::duration>);

// Asio's timer of Boost 1.81 does not take it.
BOOST_FIXTURE_TEST_CASE(a_reference_to_a_handler, fixture)
{
    auto handler = (*this)(0);
    timer t(ctx, 10ms);
    t.async_wait(std::ref(handler));
    BOOST_CHECK_EQUAL(advance(10ms), 1u);
    BOOST_CHECK_EQUAL(lines.size(), 1u);
}

// ---- Rescheduling ------------------------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(postponing_keeps_the_waits, fixture)
{
    timer t(ctx, 10ms);
    t.async_wait((*this)(0));
    t.async_wait((*this)(1));
    const auto start = manual::now();
    BOOST_CHECK_EQUAL(t.reschedule_at(start + 30ms), 2u);
    BOOST_CHECK(t.expiry() == start + 30ms);
    BOOST_CHECK_EQUAL(advance(29ms), 0u);
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(t.reschedule_after(30ms), 2u);
    BOOST_CHECK(t.expiry() == start + 59ms);
    BOOST_CHECK_EQUAL(advance(29ms), 0u);
    BOOST_CHECK_EQUAL(advance(1ms), 2u);
    BOOST_CHECK((ids() == std::vector<int>{0, 1}));
    BOOST_CHECK(!lines[0].ec && !lines[1].ec);
    BOOST_CHECK(ctx.stopped());
    BOOST_CHECK_EQUAL(advance(1h), 0u);
}

BOOST_FIXTURE_TEST_CASE(moving_earlier_keeps_the_waits, fixture)
{
    timer t(ctx, 1h);
    t.async_wait((*this)(0));
    BOOST_CHECK_EQUAL(t.reschedule_after(10ms), 1u);
    BOOST_CHECK_EQUAL(advance(9ms), 0u);
    BOOST_CHECK_EQUAL(advance(1ms), 1u);
    BOOST_CHECK(!lines[0].ec);
    BOOST_CHECK_EQUAL(advance(2h), 0u);
}

BOOST_FIXTURE_TEST_CASE(back_and_forth, fixture)
{
    timer t(ctx, 1h);
    t.async_wait((*this)(0));
    const auto start = manual::now();
    for (int i = 0; i < 1000; ++i)
    {
        BOOST_REQUIRE_EQUAL(t.reschedule_at(start + std::chrono::milliseconds(10 + (i * 7919) % 1000)), 1u);
        BOOST_REQUIRE_EQUAL(poll(), 0u);
    }
    BOOST_CHECK_EQUAL(t.reschedule_at(start + 500ms), 1u);
    BOOST_CHECK_EQUAL(advance(499ms), 0u);
    BOOST_CHECK_EQUAL(advance(1ms), 1u);
    BOOST_CHECK_EQUAL(advance(2h), 0u);
    BOOST_CHECK_EQUAL(lines.size(), 1u);
}

BOOST_FIXTURE_TEST_CASE(with_nothing_pending_it_sets_the_expiry, fixture)
{
    timer t(ctx);
    const auto start = manual::now();
    BOOST_CHECK_EQUAL(t.reschedule_after(10ms), 0u);
    BOOST_CHECK(t.expiry() == start + 10ms);
    BOOST_CHECK_EQUAL(t.reschedule_at(start + 20ms), 0u);
    BOOST_CHECK(t.expiry() == start + 20ms);
    BOOST_CHECK_EQUAL(poll(), 0u);
    t.async_wait((*this)(0));
    BOOST_CHECK_EQUAL(advance(19ms), 0u);
    BOOST_CHECK_EQUAL(advance(1ms), 1u);

    // A wait that was cancelled is not carried over.
    t.expires_after(10ms);
    t.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(t.cancel(), 1u);
    BOOST_CHECK_EQUAL(t.reschedule_after(50ms), 0u);
    BOOST_CHECK_EQUAL(poll(), 1u);
    BOOST_CHECK(aborted(lines[1].ec));
    BOOST_CHECK_EQUAL(advance(1h), 0u);
}

BOOST_FIXTURE_TEST_CASE(rescheduling_saturates, fixture)
{
    timer t(ctx, 10ms);
    t.async_wait((*this)(0));
    manual::advance(1ms);
    BOOST_CHECK_EQUAL(t.reschedule_after((manual::duration::max)()), 1u);
    BOOST_CHECK(t.expiry() == (time_point::max)());
    BOOST_CHECK_EQUAL(advance(1h), 0u);
    BOOST_CHECK(!ctx.stopped());
    BOOST_CHECK_EQUAL(t.reschedule_at((time_point::min)()), 1u);
    BOOST_CHECK(t.expiry() == (time_point::min)());
    ctx.restart();
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK(!lines[0].ec);
}

BOOST_FIXTURE_TEST_CASE(rescheduled_to_the_past_it_fires_promptly, fixture)
{
    timer t(ctx, 1h);
    manual::advance(10ms);
    t.async_wait((*this)(0));
    BOOST_CHECK_EQUAL(t.reschedule_at(manual::now() - 5ms), 1u);
    BOOST_CHECK(lines.empty());
    BOOST_CHECK_EQUAL(poll(), 1u);
    t.expires_after(1h);
    t.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(t.reschedule_after(0ms), 1u);
    BOOST_CHECK_EQUAL(poll(), 1u);
    BOOST_CHECK((ids() == std::vector<int>{0, 1}));
}

BOOST_FIXTURE_TEST_CASE(a_collected_wait_is_not_carried_over, fixture)
{
    timer t(ctx, 10ms);
    t.async_wait((*this)(0));
    manual::advance(10ms);
    const auto later = manual::now() + 1h;
    BOOST_CHECK_EQUAL(t.reschedule_at(later), 0u);
    BOOST_CHECK(t.expiry() == later);
    t.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(poll(), 1u);
    BOOST_CHECK((ids() == std::vector<int>{0}));
    BOOST_CHECK(!lines[0].ec);
    BOOST_CHECK_EQUAL(t.reschedule_after(10ms), 1u);
    BOOST_CHECK_EQUAL(advance(10ms), 1u);
}

// The two of steady time: elapsed but not collected is carried over, collected is not.
BOOST_AUTO_TEST_CASE(elapsed_but_not_collected_is_carried_over)
{
    using clock = std::chrono::steady_clock;
    asio::io_context ctx;
    int successes = 0;
    boost_ext::steady_timer a(ctx, clock::now() - 2s), b(ctx, clock::now() - 1s);
    a.async_wait([&](error_code ec) { successes += !ec; });
    b.async_wait([&](error_code ec) { successes += !ec; });
    BOOST_CHECK_EQUAL(a.reschedule_after(1h), 1u);
    BOOST_CHECK_EQUAL(b.reschedule_after(1h), 1u);
    BOOST_CHECK_EQUAL(ctx.poll(), 0u);
    BOOST_CHECK_EQUAL(a.reschedule_at(clock::now() - 2s), 1u);
    BOOST_CHECK_EQUAL(b.reschedule_at(clock::now() - 1s), 1u);
    BOOST_CHECK_EQUAL(ctx.run_one(), 1u);
    const auto later = clock::now() + 1h;
    BOOST_CHECK_EQUAL(b.reschedule_at(later), 0u);
    BOOST_CHECK(b.expiry() == later);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(successes, 2);
}

BOOST_AUTO_TEST_CASE(never_early_after_rescheduling_in_real_time)
{
    using clock = std::chrono::steady_clock;
    asio::io_context ctx;
    boost_ext::steady_timer t(ctx, 1ms);
    int calls = 0;
    t.async_wait([&](error_code ec) {
        ++calls;
        BOOST_CHECK(!ec);
        BOOST_CHECK(clock::now() >= t.expiry());
    });
    for (int i = 0; i < 4; ++i)
    {
        if (calls != 0)
            break;
        t.reschedule_after(3ms);
        ctx.run_one_for(2ms);
    }
    ctx.run();
    BOOST_CHECK_EQUAL(calls, 1);

    // Earlier than what the kernel timer stands at.
    ctx.restart();
    t.expires_after(1h);
    t.async_wait([&](error_code ec) { calls += !ec; });
    ctx.poll();
    t.reschedule_after(1ms);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK_EQUAL(calls, 2);
}

BOOST_FIXTURE_TEST_CASE(rescheduling_in_the_handlers, fixture)
{
    timer t(ctx, 10ms);
    timer other(ctx, 20ms);
    other.async_wait((*this)(1));
    t.async_wait([&](error_code) {
        lines.push_back({0, {}, manual::now()});
        BOOST_CHECK_EQUAL(other.reschedule_after(100ms), 1u);
        BOOST_CHECK_EQUAL(t.reschedule_after(50ms), 0u);
        t.async_wait((*this)(2));
    });
    BOOST_CHECK_EQUAL(advance(10ms), 1u);
    BOOST_CHECK_EQUAL(advance(50ms), 1u);
    BOOST_CHECK_EQUAL(advance(49ms), 0u);
    BOOST_CHECK_EQUAL(advance(1ms), 1u);
    BOOST_CHECK((ids() == std::vector<int>{0, 2, 1}));
}

BOOST_FIXTURE_TEST_CASE(a_rescheduled_timer_is_cancelled_moved_and_destroyed_as_any_other, fixture)
{
    timer a(ctx, 10ms);
    a.async_wait((*this)(0));
    a.async_wait((*this)(1));
    a.async_wait((*this)(2));
    a.reschedule_after(1h);
    BOOST_CHECK_EQUAL(a.cancel_one(), 1u);
    timer b(std::move(a));
    BOOST_CHECK(a.expiry() == time_point());
    BOOST_CHECK_EQUAL(a.reschedule_after(5ms), 0u);
    BOOST_CHECK_EQUAL(b.reschedule_after(20ms), 2u);
    BOOST_CHECK_EQUAL(advance(19ms), 1u);
    BOOST_CHECK(aborted(lines[0].ec));
    {
        timer c(std::move(b));
        c.reschedule_after(1h);
    }
    BOOST_CHECK_EQUAL(poll(), 2u);
    BOOST_CHECK(aborted(lines[1].ec) && aborted(lines[2].ec));
    BOOST_CHECK((ids() == std::vector<int>{0, 1, 2}));
    BOOST_CHECK_EQUAL(advance(2h), 0u);
}

BOOST_FIXTURE_TEST_CASE(setting_the_expiry_after_rescheduling_cancels, fixture)
{
    timer t(ctx, 10ms);
    t.async_wait((*this)(0));
    t.reschedule_after(1h);
    BOOST_CHECK_EQUAL(t.expires_after(10ms), 1u);
    BOOST_CHECK_EQUAL(poll(), 1u);
    BOOST_CHECK(aborted(lines[0].ec));
    BOOST_CHECK_EQUAL(advance(2h), 0u);
}

BOOST_FIXTURE_TEST_CASE(a_slot_cancels_a_rescheduled_wait, fixture)
{
    asio::cancellation_signal signal;
    timer a(ctx, 10ms);
    a.async_wait((*this)(0));
    a.async_wait(asio::bind_cancellation_slot(signal.slot(), (*this)(1)));
    a.reschedule_after(1h);
    timer b(std::move(a));
    b.reschedule_after(5ms);
    signal.emit(asio::cancellation_type::total);
    BOOST_CHECK_EQUAL(poll(), 1u);
    BOOST_CHECK((ids() == std::vector<int>{1}));
    BOOST_CHECK(aborted(lines[0].ec));
    BOOST_CHECK_EQUAL(b.reschedule_after(7ms), 1u);
    BOOST_CHECK_EQUAL(advance(7ms), 1u);
    BOOST_CHECK(!lines[1].ec);
}

BOOST_FIXTURE_TEST_CASE(a_pending_rescheduled_wait_is_work, fixture)
{
    timer t(ctx, 10ms);
    t.async_wait((*this)(0));
    for (int i = 0; i < 10; ++i)
    {
        t.reschedule_after(20ms);
        BOOST_CHECK_EQUAL(advance(10ms), 0u);
        BOOST_CHECK(!ctx.stopped());
    }
    BOOST_CHECK_EQUAL(advance(10ms), 1u);
    BOOST_CHECK(ctx.stopped());
}

// ---- Order among equals ------------------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(first_armed_first_fired, fixture)
{
    std::vector<timer> all;
    for (int i = 0; i < 20; ++i)
        all.emplace_back(ctx, 10ms);
    std::vector<int> expected;
    for (int i = 0; i < 20; ++i)
    {
        all[static_cast<std::size_t>(i * 7 % 20)].async_wait((*this)(i));
        expected.push_back(i);
    }
    BOOST_CHECK_EQUAL(advance(1h), 20u);
    BOOST_CHECK(ids() == expected);
}

BOOST_FIXTURE_TEST_CASE(a_further_wait_does_not_change_the_place, fixture)
{
    timer a(ctx, 10ms), b(ctx, 10ms);
    a.async_wait((*this)(0));
    b.async_wait((*this)(2));
    a.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(advance(10ms), 3u);
    BOOST_CHECK((ids() == std::vector<int>{0, 1, 2}));
}

BOOST_FIXTURE_TEST_CASE(rescheduling_gives_a_new_place, fixture)
{
    const auto when = manual::now() + 10ms;
    timer a(ctx, when), b(ctx, when), c(ctx, 1h), d(ctx, 1ms);
    a.async_wait((*this)(2));
    b.async_wait((*this)(0));
    c.async_wait((*this)(3));
    d.async_wait((*this)(4));
    a.reschedule_at(when);
    c.reschedule_at(when);
    d.reschedule_at(when);
    timer e(ctx, when);
    e.async_wait((*this)(5));
    BOOST_CHECK_EQUAL(advance(10ms), 5u);
    BOOST_CHECK((ids() == std::vector<int>{0, 2, 3, 4, 5}));
}

BOOST_FIXTURE_TEST_CASE(cancelled_and_armed_anew_it_goes_to_the_end, fixture)
{
    timer a(ctx, 10ms), b(ctx, 10ms);
    a.async_wait((*this)(0));
    b.async_wait((*this)(1));
    a.cancel();
    a.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(advance(10ms), 3u);
    BOOST_CHECK((ids() == std::vector<int>{0, 1, 2}));
    BOOST_CHECK(aborted(lines[0].ec));

    // The same when a slot, or cancel_one, took its only wait.
    lines.clear();
    asio::cancellation_signal signal;
    a.expires_after(10ms);
    b.expires_after(10ms);
    a.async_wait(asio::bind_cancellation_slot(signal.slot(), (*this)(0)));
    b.async_wait((*this)(1));
    signal.emit(asio::cancellation_type::terminal);
    a.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(advance(10ms), 3u);
    BOOST_CHECK((ids() == std::vector<int>{0, 1, 2}));
}

BOOST_FIXTURE_TEST_CASE(moving_keeps_the_place, fixture)
{
    timer a(ctx, 10ms), b(ctx, 10ms), c(ctx, 10ms);
    a.async_wait((*this)(0));
    b.async_wait((*this)(1));
    c.async_wait((*this)(2));
    timer d(std::move(a));
    timer e(std::move(b));
    d.async_wait((*this)(10));
    BOOST_CHECK_EQUAL(advance(10ms), 4u);
    BOOST_CHECK((ids() == std::vector<int>{0, 10, 1, 2}));
}

BOOST_FIXTURE_TEST_CASE(past_expiries_are_ordered_by_expiry, fixture)
{
    manual::advance(1h);
    const auto now = manual::now();
    timer a(ctx, now - 1ms), b(ctx, now - 3ms), c(ctx, now - 2ms), d(ctx, now), e(ctx, now - 3ms);
    asio::post(ctx, [&] {
        a.async_wait((*this)(2));
        b.async_wait((*this)(0));
        c.async_wait((*this)(1));
        d.async_wait((*this)(3));
    });
    BOOST_CHECK_EQUAL(poll(), 5u);
    BOOST_CHECK_EQUAL(lines.size(), 4u);

    // In steady time the reactor collects them together.
    using clock = std::chrono::steady_clock;
    lines.clear();
    const auto then = clock::now();
    boost_ext::steady_timer p(ctx, then - 1ms), q(ctx, then - 3ms), r(ctx, then - 2ms), s(ctx, then - 3ms);
    p.async_wait((*this)(3));
    q.async_wait((*this)(0));
    r.async_wait((*this)(2));
    s.async_wait((*this)(1));
    ctx.restart();
    BOOST_CHECK_EQUAL(ctx.run(), 4u);
    BOOST_CHECK((ids() == std::vector<int>{0, 1, 2, 3}));
}

// ---- Slack -------------------------------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(slack_is_a_property_of_the_timer, fixture)
{
    timer t(ctx);
    BOOST_CHECK(t.slack() == 0ms);
    t.slack(5ms);
    BOOST_CHECK(t.slack() == 5ms);
    t.expires_after(10ms);
    t.expires_at(manual::now() + 10ms);
    t.cancel();
    t.reschedule_after(10ms);
    BOOST_CHECK(t.slack() == 5ms);
    BOOST_CHECK_THROW(t.slack(-1ns), std::invalid_argument);
    BOOST_CHECK(t.slack() == 5ms);

    timer u(std::move(t));
    BOOST_CHECK(u.slack() == 5ms);
    BOOST_CHECK(t.slack() == 0ms);
    timer v(ctx);
    v.slack(1h);
    v = std::move(u);
    BOOST_CHECK(v.slack() == 5ms);
    BOOST_CHECK(u.slack() == 0ms);
    v.slack(0ms);
    BOOST_CHECK(v.slack() == 0ms);
    v.slack((manual::duration::max)());
    BOOST_CHECK(v.slack() == (manual::duration::max)());
}

BOOST_FIXTURE_TEST_CASE(slack_is_never_early_and_never_later_than_it_says, fixture)
{
    timer t(ctx);
    t.slack(5ms);
    t.expires_after(10ms);
    t.async_wait((*this)(0));
    BOOST_CHECK_EQUAL(advance(9ms), 0u);
    advance(1ms);
    advance(5ms);
    BOOST_CHECK_EQUAL(lines.size(), 1u);
    BOOST_CHECK(!lines[0].ec);

    // Turned off.
    t.slack(0ms);
    t.expires_after(10ms);
    t.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(advance(9ms), 0u);
    BOOST_CHECK_EQUAL(advance(1ms), 1u);
}

BOOST_AUTO_TEST_CASE(slack_does_not_keep_back_what_has_expired_already)
{
    // With hours of slack that counted, this would take hours.
    asio::io_context io;
    boost_ext::steady_timer armed(io, std::chrono::steady_clock::now() - 1ms);
    armed.slack(10h);
    armed.async_wait([](error_code) {});
    boost_ext::steady_timer moved(io, 20h);
    moved.slack(10h);
    moved.async_wait([](error_code) {});
    moved.reschedule_at(std::chrono::steady_clock::now() - 1ms);
    BOOST_TEST(io.run() == 2u);
}

BOOST_FIXTURE_TEST_CASE(slack_holds_from_the_next_arming_on, fixture)
{
    timer t(ctx, 10ms);
    t.async_wait((*this)(0));
    t.slack(1h);
    BOOST_CHECK_EQUAL(advance(10ms), 1u);
    t.expires_after(10ms);
    t.async_wait((*this)(1));
    t.slack(0ms);
    advance(10ms);
    advance(1h);
    BOOST_CHECK_EQUAL(lines.size(), 2u);
}

BOOST_FIXTURE_TEST_CASE(neighbours_share_a_wake_up, fixture)
{
    timer a(ctx, 10ms), b(ctx, 30ms), c(ctx, 50ms);
    a.slack(100ms);
    b.slack(0ms);
    c.slack(100ms);
    a.async_wait((*this)(0));
    b.async_wait((*this)(1));
    c.async_wait((*this)(2));
    advance(30ms);
    BOOST_CHECK((ids() == std::vector<int>{0, 1}));
    advance(120ms);
    BOOST_CHECK((ids() == std::vector<int>{0, 1, 2}));
}

BOOST_FIXTURE_TEST_CASE(virtual_time_runs_through_slack, fixture)
{
    timer a(ctx, 10ms), b(ctx, 30ms);
    const auto start = manual::now();
    a.slack(100ms);
    a.async_wait((*this)(0));
    b.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(manual::run(ctx), 2u);
    BOOST_CHECK((ids() == std::vector<int>{0, 1}));
    BOOST_CHECK(lines[0].when >= start + 10ms && lines[0].when <= start + 110ms);
    BOOST_CHECK(lines[1].when == start + 30ms);
}

// Nobody is woken up by a clock that is moved by hand, so that there is nothing to wait for.
BOOST_FIXTURE_TEST_CASE(what_is_due_on_a_manual_clock_is_due_at_once_whatever_its_slack, fixture)
{
    manual::advance(1h);
    timer a(ctx, manual::now() - 1ms), b(ctx, manual::now()), c(ctx, 1h);
    for (timer* t : {&a, &b, &c})
        t->slack(10ms);
    a.async_wait((*this)(0));
    BOOST_CHECK_EQUAL(poll(), 1u);
    b.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(poll(), 1u);
    c.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(poll(), 0u);
    c.reschedule_after(-1ms);
    BOOST_CHECK_EQUAL(poll(), 1u);
}

BOOST_FIXTURE_TEST_CASE(slack_that_overflows, fixture)
{
    timer a(ctx, 10ms), b(ctx, 1s);
    a.slack((manual::duration::max)());
    a.async_wait((*this)(0));
    b.async_wait((*this)(1));
    BOOST_CHECK_EQUAL(advance(9ms), 0u);
    advance(1s);
    BOOST_CHECK((ids() == std::vector<int>{0, 1}));
    a.expires_at((time_point::max)() - 1ns);
    a.async_wait((*this)(2));
    BOOST_CHECK_EQUAL(advance(1h), 0u);
    BOOST_CHECK_EQUAL(a.cancel(), 1u);
    BOOST_CHECK_EQUAL(poll(), 1u);
}

// The end of the window is then the last time that there is, of whatever type times are. Nobody is woken up for it before.
template <class Duration>
void slack_to_the_end_of_time()
{
    using clock = counting_clock<Duration>;
    asio::io_context ctx;
    boost_ext::basic_waitable_timer<clock> a(ctx), b(ctx);
    bool fired = false;
    a.slack((Duration::max)());
    a.expires_after(std::chrono::duration_cast<Duration>(1h));
    a.async_wait([&](error_code ec) { fired = !ec; });
    ctx.poll();
    clock::looks = 0;
    BOOST_CHECK_EQUAL(ctx.run_for(20ms), 0u);
    BOOST_CHECK_LE(clock::looks, 10);

    BOOST_CHECK_EQUAL(a.reschedule_after(Duration(0)), 1u);
    b.expires_after(std::chrono::duration_cast<Duration>(1ms));
    b.async_wait([](error_code) {});
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK(fired);
}

BOOST_AUTO_TEST_CASE(slack_that_overflows_on_any_clock)
{
    slack_to_the_end_of_time<std::chrono::nanoseconds>();
    slack_to_the_end_of_time<std::chrono::duration<int, std::milli>>();
    slack_to_the_end_of_time<std::chrono::duration<unsigned, std::milli>>();
    slack_to_the_end_of_time<std::chrono::duration<double>>();
    slack_to_the_end_of_time<std::chrono::duration<float>>();
}

// In real time: a wait with much slack comes along with the one that has none, in order of expiry.
BOOST_AUTO_TEST_CASE(slack_in_real_time)
{
    using clock = std::chrono::steady_clock;
    asio::io_context ctx;
    std::vector<int> order;
    const auto base = clock::now();
    boost_ext::steady_timer a(ctx), b(ctx, base + 6ms);
    a.slack(1h);
    a.expires_at(base + 2ms);
    a.async_wait([&](error_code) {
        order.push_back(0);
        BOOST_CHECK(clock::now() >= a.expiry());
    });
    b.async_wait([&](error_code) {
        order.push_back(1);
        BOOST_CHECK(clock::now() >= b.expiry());
    });
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK((order == std::vector<int>{0, 1}));

    // A short slack ends in time on its own.
    ctx.restart();
    a.slack(2ms);
    a.expires_after(1ms);
    a.async_wait([&](error_code) { order.push_back(2); });
    BOOST_CHECK_EQUAL(ctx.run(), 1u);

    // Rescheduling with a smaller slack than the wait was armed with takes effect at once.
    ctx.restart();
    a.slack(1h);
    a.expires_after(1ms);
    a.async_wait([&](error_code) { order.push_back(3); });
    a.slack(0ms);
    BOOST_CHECK_EQUAL(a.reschedule_after(1ms), 1u);
    BOOST_CHECK_EQUAL(ctx.run(), 1u);
    BOOST_CHECK((order == std::vector<int>{0, 1, 2, 3}));
}

// They are more than the reactor collects at a time. It does not leave the rest to the next end of a window, an hour later.
BOOST_AUTO_TEST_CASE(everything_whose_expiry_has_passed_shares_the_wake_up)
{
    using clock = std::chrono::steady_clock;
    asio::io_context ctx;
    const auto base = clock::now() - 1s;
    std::vector<boost_ext::steady_timer> all;
    std::vector<int> order, expected;
    for (int i = 0; i < 10000; ++i)
    {
        all.emplace_back(ctx, base + std::chrono::microseconds(i));
        all.back().slack(i == 0 ? 1005ms : 1h);
        all.back().async_wait([&, i](error_code) { order.push_back(i); });
        expected.push_back(i);
    }
    BOOST_CHECK_EQUAL(ctx.run(), 10000u);
    BOOST_CHECK(order == expected);
}

// ---- All of it, against a model ----------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(slack_of_a_wait_that_was_armed_at_the_end_of_time)
{
    // Nothing wakes the reactor up before `b`, so `a`, which may wait for longer, is not collected before.
    using clock = std::chrono::steady_clock;
    asio::io_context ctx;
    const auto base = clock::now();
    boost_ext::steady_timer a(ctx, clock::time_point::max()), b(ctx, base + 30ms);
    a.slack(1h);
    std::size_t fired = 0;
    a.async_wait([&](error_code ec) {
        fired += !ec;
        BOOST_CHECK(clock::now() >= b.expiry());
    });
    BOOST_CHECK_EQUAL(a.reschedule_at(base + 2ms), 1u);
    b.async_wait([&](error_code ec) { fired += !ec; });
    BOOST_CHECK_EQUAL(ctx.run(), 2u);

    // The same once the timer was cancelled, when it has kept its place in the queue.
    ctx.restart();
    a.slack(0ms);
    a.expires_after(1h);
    a.async_wait([](error_code) {});
    a.expires_at(clock::time_point::max());
    a.slack(1h);
    a.async_wait([&](error_code ec) {
        fired += !ec;
        BOOST_CHECK(clock::now() >= b.expiry());
    });
    const auto now = clock::now();
    BOOST_CHECK_EQUAL(a.reschedule_at(now + 2ms), 1u);
    b.expires_at(now + 30ms);
    b.async_wait([&](error_code ec) { fired += !ec; });
    BOOST_CHECK_EQUAL(ctx.run(), 3u);
    BOOST_CHECK_EQUAL(fired, 4u);
}

BOOST_FIXTURE_TEST_CASE(random_operations_against_a_model, fixture)
{
    const auto seed = std::random_device()();
    BOOST_TEST_MESSAGE("seed " << seed);
    BOOST_TEST_CONTEXT("seed " << seed)
    {
        std::mt19937 random(seed);
        auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };

        constexpr int number = 50;
        // The model: for each timer its deadline, its place in the order of arming, and its waits.
        struct state
        {
            time_point expiry;
            std::uint64_t place = 0;
            std::vector<int> waits;
        };
        std::vector<timer> all;
        std::vector<state> model(number);
        for (int i = 0; i < number; ++i)
            all.emplace_back(ctx);
        std::uint64_t places = 0;
        int next_id = 0;
        std::vector<std::pair<int, bool>> expected;
        auto abort_all = [&](state& s) {
            for (int id : s.waits)
                expected.emplace_back(id, false);
            const std::size_t n = s.waits.size();
            s.waits.clear();
            return n;
        };

        for (int step = 0; step < 20000; ++step)
        {
            const auto i = static_cast<std::size_t>(below(number));
            timer& t = all[i];
            state& s = model[i];
            const auto later = manual::now() + std::chrono::milliseconds(1 + below(40));
            switch (below(8))
            {
            case 0:
                BOOST_REQUIRE_EQUAL(t.expires_at(later), abort_all(s));
                s.expiry = later;
                break;
            case 1:
            case 2:
                if (s.expiry <= manual::now())
                    break;
                if (s.waits.empty())
                    s.place = ++places;
                s.waits.push_back(next_id);
                t.async_wait((*this)(next_id++));
                break;
            case 3:
                BOOST_REQUIRE_EQUAL(t.reschedule_at(later), s.waits.size());
                s.expiry = later;
                s.place = ++places;
                break;
            case 4:
                BOOST_REQUIRE_EQUAL(t.cancel_one(), s.waits.empty() ? 0u : 1u);
                if (!s.waits.empty())
                {
                    expected.emplace_back(s.waits.front(), false);
                    s.waits.erase(s.waits.begin());
                }
                break;
            case 5:
            {
                const auto k = static_cast<std::size_t>(below(number));
                if (i == k)
                    break;
                abort_all(model[k]);
                all[k] = std::move(t);
                model[k] = std::exchange(s, state());
                break;
            }
            case 6:
                if (below(4) == 0)
                    BOOST_REQUIRE_EQUAL(t.cancel(), abort_all(s));
                break;
            case 7:
            {
                manual::advance(std::chrono::milliseconds(below(12)));
                std::vector<state*> due;
                for (state& m : model)
                    if (!m.waits.empty() && m.expiry <= manual::now())
                        due.push_back(&m);
                std::sort(due.begin(), due.end(),
                    [](state* l, state* r) { return std::tie(l->expiry, l->place) < std::tie(r->expiry, r->place); });
                for (state* m : due)
                {
                    for (int id : m->waits)
                        expected.emplace_back(id, true);
                    m->waits.clear();
                }
                BOOST_REQUIRE_EQUAL(poll(), expected.size());
                BOOST_REQUIRE_EQUAL(lines.size(), expected.size());
                for (std::size_t n = 0; n < expected.size(); ++n)
                {
                    BOOST_REQUIRE_EQUAL(lines[n].id, expected[n].first);
                    BOOST_REQUIRE_EQUAL(!lines[n].ec, expected[n].second);
                }
                lines.clear();
                expected.clear();
                break;
            }
            }
            BOOST_REQUIRE(t.expiry() == model[i].expiry);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
