// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TICK_POLICY_HPP
#define BOOST_EXT_DETAIL_TICK_POLICY_HPP

#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/missed_tick.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

// The arithmetic of periodic ticks, free of any timer: everything here is a pure function of time
// points, so that interval and run_every follow one rule and tests can state it in numbers.

namespace boost_ext {
namespace detail {

/// What the delivery of one tick comes to.
template <class TimePoint>
struct tick_step
{
    TimePoint scheduled;  ///< The time the delivered tick stands for.
    std::uint64_t missed; ///< How many ticks are thereby never delivered.
    TimePoint next;       ///< When the following tick is due.
};

/// floor((now - due) / period), saturating.
/// Precondition: period is positive and due is not after now.
template <class TimePoint>
constexpr std::uint64_t tick_periods_between(TimePoint due, TimePoint now, typename TimePoint::duration period)
{
    using rep = typename TimePoint::rep;
    const rep from = due.time_since_epoch().count();
    const rep to = now.time_since_epoch().count();
    if constexpr (std::is_integral<rep>::value && sizeof(rep) <= sizeof(std::uint64_t))
    {
        // Modulo 2^64 the difference is exact although to - from need not fit in rep.
        return (static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)) / static_cast<std::uint64_t>(period.count());
    }
    else
    {
        // Converting a value out of range is undefined, so the limit is asked for first.
        const auto quotient = (to - from) / period.count();
        constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();
        return quotient < static_cast<decltype(quotient)>(most) ? static_cast<std::uint64_t>(quotient) : most;
    }
}

/// due + n * period.
/// Precondition: the result is not after some representable time point.
template <class TimePoint>
constexpr TimePoint tick_advance(TimePoint due, std::uint64_t n, typename TimePoint::duration period)
{
    using duration = typename TimePoint::duration;
    using rep = typename TimePoint::rep;
    const rep from = due.time_since_epoch().count();
    if constexpr (std::is_integral<rep>::value && sizeof(rep) <= sizeof(std::uint64_t))
    {
        // The product alone may exceed rep while the sum does not.
        return TimePoint(
            duration(static_cast<rep>(static_cast<std::uint64_t>(from) + n * static_cast<std::uint64_t>(period.count()))));
    }
    else
    {
        return TimePoint(duration(static_cast<rep>(from + static_cast<rep>(n) * period.count())));
    }
}

/// Delivers, at now, the tick that was due at due.
/**
 * A clock that was set back may show a time before due: the tick then counts as punctual.
 * A following tick that cannot be represented is due at TimePoint::max(), that is never.
 *
 * Precondition: period is positive.
 */
template <class TimePoint>
constexpr tick_step<TimePoint> tick_deliver(missed_tick policy, TimePoint due, typename TimePoint::duration period, TimePoint now)
{
    if (policy == missed_tick::burst || now < due)
        return tick_step<TimePoint>{due, 0, saturating_add(due, period)};

    const std::uint64_t missed = tick_periods_between(due, now, period);
    if (policy == missed_tick::delay)
        return tick_step<TimePoint>{due, missed, saturating_add(missed == 0 ? due : now, period)};

    // More periods than can be counted, as between the ends of a clock of real numbers, lead to now; else the schedule never catches up.
    const TimePoint scheduled = missed == (std::numeric_limits<std::uint64_t>::max)() ? now : tick_advance(due, missed, period);
    return tick_step<TimePoint>{scheduled, missed, saturating_add(scheduled, period)};
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TICK_POLICY_HPP
