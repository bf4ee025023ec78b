// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/detail/tick_policy.hpp>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>

using boost_ext::missed_tick;
using boost_ext::detail::saturating_add;
using boost_ext::detail::tick_deliver;

namespace {

using clock_type = std::chrono::steady_clock;
using time_point = clock_type::time_point;
using duration = clock_type::duration;

constexpr time_point at(std::int64_t n)
{
    return time_point(duration(n));
}

template <class TimePoint>
constexpr bool comes_to(
    const boost_ext::detail::tick_step<TimePoint>& step, TimePoint scheduled, std::uint64_t missed, TimePoint next)
{
    return step.scheduled == scheduled && step.missed == missed && step.next == next;
}

constexpr auto earliest = (time_point::min)();
constexpr auto latest = (time_point::max)();

} // namespace

BOOST_AUTO_TEST_SUITE(tick_policy)

BOOST_AUTO_TEST_CASE(in_time)
{
    for (auto policy : {missed_tick::burst, missed_tick::skip, missed_tick::delay})
        for (int now : {20, 21, 29})
            BOOST_TEST(comes_to(tick_deliver(policy, at(20), duration(10), at(now)), at(20), 0, at(30)));
}

BOOST_AUTO_TEST_CASE(late)
{
    constexpr duration period(10);
    BOOST_TEST(comes_to(tick_deliver(missed_tick::burst, at(20), period, at(55)), at(20), 0, at(30)));
    BOOST_TEST(comes_to(tick_deliver(missed_tick::skip, at(20), period, at(55)), at(50), 3, at(60)));
    BOOST_TEST(comes_to(tick_deliver(missed_tick::delay, at(20), period, at(55)), at(20), 3, at(65)));
    BOOST_TEST(comes_to(tick_deliver(missed_tick::skip, at(20), period, at(30)), at(30), 1, at(40)));
    BOOST_TEST(comes_to(tick_deliver(missed_tick::delay, at(20), period, at(30)), at(20), 1, at(40)));
}

BOOST_AUTO_TEST_CASE(a_clock_that_was_set_back)
{
    for (auto policy : {missed_tick::burst, missed_tick::skip, missed_tick::delay})
        BOOST_TEST(comes_to(tick_deliver(policy, at(20), duration(10), at(-5)), at(20), 0, at(30)));
}

BOOST_AUTO_TEST_CASE(over_the_whole_range)
{
    BOOST_TEST(comes_to(tick_deliver(missed_tick::skip, earliest, duration(1), latest), latest, ~std::uint64_t(0), latest));
    BOOST_TEST(comes_to(
        tick_deliver(missed_tick::skip, earliest, duration(2), latest), latest - duration(1), ~std::uint64_t(0) / 2, latest));
    BOOST_TEST(comes_to(tick_deliver(missed_tick::delay, earliest, duration(1), latest), earliest, ~std::uint64_t(0), latest));
    BOOST_TEST(comes_to(tick_deliver(missed_tick::burst, latest, duration(1), latest), latest, 0, latest));
    BOOST_TEST(comes_to(tick_deliver(missed_tick::skip, at(0), (duration::max)(), at(5)), at(0), 0, latest));
}

BOOST_AUTO_TEST_CASE(other_representations)
{
    using narrow = std::chrono::time_point<clock_type, std::chrono::duration<int, std::milli>>;
    BOOST_TEST(tick_deliver(missed_tick::skip, (narrow::min)(), narrow::duration(3), (narrow::max)()).missed == 1431655765u);

    using real = std::chrono::time_point<clock_type, std::chrono::duration<double>>;
    auto r = [](double d) { return real(real::duration(d)); };
    BOOST_TEST(comes_to(tick_deliver(missed_tick::skip, r(1), real::duration(0.5), r(2.25)), r(2), 2, r(2.5)));
    // Further back than can be counted, which is where real numbers begin: the next tick is ahead all the same.
    BOOST_TEST(comes_to(
        tick_deliver(missed_tick::skip, (real::min)(), real::duration(0.5), r(2.25)), r(2.25), ~std::uint64_t(0), r(2.75)));
}

BOOST_AUTO_TEST_CASE(adding_saturates)
{
    BOOST_TEST((saturating_add(at(5), duration(3)) == at(8)));
    BOOST_TEST((saturating_add(at(5), duration(-8)) == at(-3)));
    BOOST_TEST((saturating_add(latest, duration(1)) == latest));
    BOOST_TEST((saturating_add(at(1), (duration::max)()) == latest));
    BOOST_TEST((saturating_add(at(-5), (duration::max)()) == latest - duration(5)));
    BOOST_TEST((saturating_add(earliest, duration(-1)) == earliest));
    BOOST_TEST((saturating_add(at(-5), (duration::min)()) == earliest));
    BOOST_TEST((saturating_add(at(5), (duration::min)()) == earliest + duration(5)));
    BOOST_TEST((saturating_add(latest, (duration::min)()) == at(-1)));
}

BOOST_AUTO_TEST_SUITE_END()
