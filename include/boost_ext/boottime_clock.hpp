// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BOOTTIME_CLOCK_HPP
#define BOOST_EXT_BOOTTIME_CLOCK_HPP

#include <boost/config.hpp>
#include <boost_ext/detail/clock_driver.hpp>
#include <chrono>
#include <time.h>

namespace boost_ext {

/// The time since the machine was started, including the time that it was suspended.
/**
 * Linux's `CLOCK_BOOTTIME`. The steady clock stops while the machine is suspended; this one does not.
 *
 * @par Thread Safety
 * May be read from any thread.
 *
 * @par Exception Safety
 * Does not throw.
 *
 * @par Complexity
 * Constant.
 *
 * @par Example
 * @code
 * // A lease of ten minutes that ends on time even if the lid is closed meanwhile.
 * boost_ext::boottime_timer lease(context, std::chrono::minutes(10));
 * @endcode
 */
class BOOST_SYMBOL_VISIBLE boottime_clock
{
public:
    /// Nanoseconds.
    using duration = std::chrono::nanoseconds;

    /// What durations count with.
    using rep = duration::rep;

    /// The unit of durations.
    using period = duration::period;

    /// A time on this clock.
    using time_point = std::chrono::time_point<boottime_clock>;

    /// It never goes back.
    static constexpr bool is_steady = true;

    /// The time now.
    static time_point now() noexcept
    {
        ::timespec t;
        ::clock_gettime(CLOCK_BOOTTIME, &t);
        return time_point(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
    }
};

} // namespace boost_ext

#endif
