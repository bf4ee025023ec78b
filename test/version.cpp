// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/version.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

#if BOOST_EXT_TIMERS_VERSION < 100
#error "the version must be usable in the preprocessor"
#endif

BOOST_AUTO_TEST_SUITE(version)

BOOST_AUTO_TEST_CASE(counts_as_boost_does)
{
    BOOST_TEST(BOOST_EXT_TIMERS_VERSION / 100000 == 0);
    BOOST_TEST(BOOST_EXT_TIMERS_VERSION / 100 % 1000 == 1);
    BOOST_TEST(BOOST_EXT_TIMERS_VERSION % 100 == 0);
}

#if defined(BOOST_EXT_TIMERS_PACKAGE_VERSION)
BOOST_AUTO_TEST_CASE(the_package_has_the_version_of_the_header)
{
    const auto major = BOOST_EXT_TIMERS_VERSION / 100000;
    const auto minor = BOOST_EXT_TIMERS_VERSION / 100 % 1000;
    const auto patch = BOOST_EXT_TIMERS_VERSION % 100;
    BOOST_TEST(
        std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch) == BOOST_EXT_TIMERS_PACKAGE_VERSION);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
