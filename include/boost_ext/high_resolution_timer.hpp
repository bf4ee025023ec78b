// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_HIGH_RESOLUTION_TIMER_HPP
#define BOOST_EXT_HIGH_RESOLUTION_TIMER_HPP

#include <boost_ext/basic_waitable_timer.hpp>
#include <chrono>

namespace boost_ext {

/// A timer on the clock with the shortest tick.
/**
 * @par Example
 * @code
 * boost_ext::high_resolution_timer timer(context, std::chrono::microseconds(250));
 * @endcode
 *
 * @see basic_waitable_timer
 */
using high_resolution_timer = basic_waitable_timer<std::chrono::high_resolution_clock>;

} // namespace boost_ext

#endif
