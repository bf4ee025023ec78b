// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The one header that includes all of it.
#include <boost_ext/timers.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(timers)

BOOST_AUTO_TEST_CASE(says_which_version_it_is)
{
    BOOST_TEST(BOOST_EXT_TIMERS_VERSION >= 100);
}

BOOST_AUTO_TEST_SUITE_END()
