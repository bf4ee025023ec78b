// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_VERSION_HPP
#define BOOST_EXT_VERSION_HPP

/// The version of the library, counted as Boost counts its own.
/**
 * `BOOST_EXT_TIMERS_VERSION % 100` is the patch level,
 * `BOOST_EXT_TIMERS_VERSION / 100 % 1000` the minor version and
 * `BOOST_EXT_TIMERS_VERSION / 100000` the major version: 100 is 0.1.0.
 *
 * @par Example
 * @code
 * #if BOOST_EXT_TIMERS_VERSION >= 100
 * // 0.1.0 or newer
 * #endif
 * @endcode
 */
#define BOOST_EXT_TIMERS_VERSION 100

#endif // BOOST_EXT_VERSION_HPP
