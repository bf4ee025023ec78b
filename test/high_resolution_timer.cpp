// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/high_resolution_timer.hpp>

#include "timer_of_clock.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

using cases = test::timer_of_clock<boost_ext::high_resolution_timer, std::chrono::high_resolution_clock>;

BOOST_AUTO_TEST_SUITE(high_resolution_timer)

BOOST_AUTO_TEST_CASE(never_early_and_exactly_once)
{
    cases::never_early_and_exactly_once();
}
BOOST_AUTO_TEST_CASE(at_a_time_point)
{
    cases::at_a_time_point();
}
BOOST_AUTO_TEST_CASE(blocking)
{
    cases::blocking();
}
BOOST_AUTO_TEST_CASE(rescheduled)
{
    cases::rescheduled();
}
BOOST_AUTO_TEST_CASE(far_away)
{
    cases::far_away();
}

BOOST_AUTO_TEST_SUITE_END()
