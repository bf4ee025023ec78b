// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_SLEEP_LIMIT_HPP
#define BOOST_EXT_DETAIL_SLEEP_LIMIT_HPP

#include <boost_ext/detail/tick_policy.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

// What a sleep is told: a length or a deadline, in whatever unit the caller likes.

namespace boost_ext {
namespace detail {

/// The same length in the clock's unit, or the nearest one that this can hold: an hours::max() that
/// is counted in nanoseconds must not wrap around into the past.
template <class To, class Rep, class Period>
constexpr To sleep_duration_cast(const std::chrono::duration<Rep, Period>& from)
{
    using factor = std::ratio_divide<Period, typename To::period>;
    using to_rep = typename To::rep;
    if constexpr (std::is_integral<Rep>::value && std::is_integral<to_rep>::value && std::is_signed<to_rep>::value &&
        factor::den == 1)
    {
        constexpr std::intmax_t most = (std::numeric_limits<to_rep>::max)() / factor::num;
        constexpr std::intmax_t least = (std::numeric_limits<to_rep>::min)() / factor::num;
        if constexpr (std::is_signed<Rep>::value)
        {
            if (from.count() < least)
                return (To::min)();
            if (from.count() > most)
                return (To::max)();
        }
        else if (from.count() > static_cast<std::uintmax_t>(most))
            return (To::max)();
        return To(static_cast<to_rep>(static_cast<std::intmax_t>(from.count()) * factor::num));
    }
    else
        return from;
}

/// Anything else that the clock's duration can be made of.
template <class To, class From>
constexpr To sleep_duration_cast(const From& from)
{
    return from;
}

/// A duration that counts from the launch, as a deadline.
template <class Clock>
struct sleep_for_limit
{
    typename Clock::duration length;

    typename Clock::time_point deadline(typename Clock::time_point now) const { return tick_add(now, length); }
};

/// An absolute deadline.
template <class Clock>
struct sleep_until_limit
{
    typename Clock::time_point time;

    template <class Duration>
    explicit sleep_until_limit(const std::chrono::time_point<Clock, Duration>& tp)
        : time(sleep_duration_cast<typename Clock::duration>(tp.time_since_epoch()))
    {
    }

    typename Clock::time_point deadline(typename Clock::time_point) const { return time; }
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_SLEEP_LIMIT_HPP
