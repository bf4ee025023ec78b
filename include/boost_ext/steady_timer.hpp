// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_STEADY_TIMER_HPP
#define BOOST_EXT_STEADY_TIMER_HPP

#include <boost_ext/basic_waitable_timer.hpp>
#include <chrono>

namespace boost_ext {

/// A timer on the monotonic clock: what timeouts are measured with.
/**
 * @see basic_waitable_timer
 */
using steady_timer = basic_waitable_timer<std::chrono::steady_clock>;

} // namespace boost_ext

#endif
