// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_SYSTEM_TIMER_HPP
#define BOOST_EXT_SYSTEM_TIMER_HPP

#include <boost_ext/basic_waitable_timer.hpp>
#include <chrono>

namespace boost_ext {

/// A timer on the wall clock, which may be set.
/**
 * A step of the clock, in either direction, is followed at once.
 *
 * @par Example
 * @code
 * // On the hour, and still on the hour if the clock is set meanwhile.
 * boost_ext::system_timer hourly(
 *     context, std::chrono::ceil<std::chrono::hours>(std::chrono::system_clock::now()));
 * @endcode
 *
 * @see basic_waitable_timer
 */
using system_timer = basic_waitable_timer<std::chrono::system_clock>;

} // namespace boost_ext

#endif
