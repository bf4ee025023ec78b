// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_LIMIT_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_LIMIT_HPP

#include <boost_ext/deadline.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/timeout_arithmetic.hpp>

#include <chrono>

namespace boost_ext {
namespace detail {

/// When the limit of one launch comes.
template <class Clock>
struct timeout_expiry
{
    typename Clock::time_point time;
    bool passed; ///< Not after the time of the launch: the operation is not to be started.
};

/// A limit that counts from each launch.
template <class Clock>
struct timeout_after
{
    using clock_type = Clock;

    typename Clock::duration length;

    timeout_expiry<Clock> launch() const { return {saturating_add(Clock::now(), length), length <= Clock::duration::zero()}; }
};

/// A limit at a fixed time.
template <class Clock>
struct timeout_at
{
    using clock_type = Clock;

    typename Clock::time_point time;

    timeout_expiry<Clock> launch() const { return {time, time <= Clock::now()}; }
};

/// What a user may give as a limit, and what it is kept as. DurationClock is the clock of durations.
template <class Limit, class DurationClock>
struct timeout_limit
{
};

template <class Rep, class Period, class DurationClock>
struct timeout_limit<std::chrono::duration<Rep, Period>, DurationClock>
{
    using type = timeout_after<DurationClock>;

    static type make(const std::chrono::duration<Rep, Period>& d)
    {
        return {timeout_to_duration<typename DurationClock::duration>(d)};
    }
};

template <class Clock, class Duration, class DurationClock>
struct timeout_limit<std::chrono::time_point<Clock, Duration>, DurationClock>
{
    using type = timeout_at<Clock>;

    static type make(const std::chrono::time_point<Clock, Duration>& t) { return {basic_deadline<Clock>::at(t).time()}; }
};

template <class Clock, class DurationClock>
struct timeout_limit<basic_deadline<Clock>, DurationClock>
{
    using type = timeout_at<Clock>;

    static type make(const basic_deadline<Clock>& d) { return {d.time()}; }
};

/// SFINAE: exists for limits only.
template <class Limit, class DurationClock>
using timeout_limit_t = typename timeout_limit<Limit, DurationClock>::type;

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_LIMIT_HPP
