// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BOOTTIME_TIMER_HPP
#define BOOST_EXT_BOOTTIME_TIMER_HPP

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/boottime_clock.hpp>

namespace boost_ext {

/// A timer that counts the time for which the machine is suspended.
/**
 * @par Example
 * @code
 * // A lease of ten minutes that ends on time even if the lid is closed meanwhile.
 * boost_ext::boottime_timer lease(context, std::chrono::minutes(10));
 * @endcode
 *
 * @see basic_waitable_timer
 */
using boottime_timer = basic_waitable_timer<boottime_clock>;

} // namespace boost_ext

#endif
