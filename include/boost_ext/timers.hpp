// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_TIMERS_HPP
#define BOOST_EXT_TIMERS_HPP

/// @file
/// Everything the library offers, in one include.

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/boottime_clock.hpp>
#include <boost_ext/boottime_timer.hpp>
#include <boost_ext/clock_watch.hpp>
#include <boost_ext/deadline.hpp>
#include <boost_ext/error.hpp>
#include <boost_ext/high_resolution_timer.hpp>
#include <boost_ext/interval.hpp>
#include <boost_ext/job_id.hpp>
#include <boost_ext/job_scheduler.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/missed_tick.hpp>
#include <boost_ext/named_timers.hpp>
#include <boost_ext/sleep.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost_ext/system_timer.hpp>
#include <boost_ext/timeout.hpp>
#include <boost_ext/timer_statistics.hpp>
#include <boost_ext/version.hpp>

#endif // BOOST_EXT_TIMERS_HPP
