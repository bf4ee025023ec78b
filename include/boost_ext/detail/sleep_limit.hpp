// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_SLEEP_LIMIT_HPP
#define BOOST_EXT_DETAIL_SLEEP_LIMIT_HPP

#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/timeout_arithmetic.hpp>
#include <chrono>
#include <type_traits>

// What a sleep is told: a length or a deadline, in whatever unit the caller likes.

namespace boost_ext {
namespace detail {

/// Whether T is a length of time: any duration of the standard library's, or what the clock's own can be made of.
template <class Clock, class T>
struct is_sleep_length : std::is_convertible<const T&, typename Clock::duration>
{
};

template <class Clock, class Rep, class Period>
struct is_sleep_length<Clock, std::chrono::duration<Rep, Period>> : std::true_type
{
};

/// The length in the clock's unit, rounded up: an hours::max() that is counted in nanoseconds must not wrap around into the past.
template <class Clock, class Rep, class Period>
constexpr typename Clock::duration sleep_length(const std::chrono::duration<Rep, Period>& from)
{
    return timeout_to_duration<typename Clock::duration>(from);
}

template <class Clock, class From>
constexpr typename Clock::duration sleep_length(const From& from)
{
    return from;
}

/// A duration that counts from the launch, as a deadline.
template <class Clock>
struct sleep_for_limit
{
    typename Clock::duration length;

    typename Clock::time_point deadline(typename Clock::time_point now) const { return saturating_add(now, length); }
};

/// An absolute deadline.
template <class Clock>
struct sleep_until_limit
{
    typename Clock::time_point time;

    template <class Duration>
    explicit sleep_until_limit(const std::chrono::time_point<Clock, Duration>& tp)
        : time(sleep_length<Clock>(tp.time_since_epoch()))
    {
    }

    typename Clock::time_point deadline(typename Clock::time_point) const { return time; }
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_SLEEP_LIMIT_HPP
