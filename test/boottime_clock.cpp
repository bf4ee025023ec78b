// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/boottime_clock.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <time.h>
#include <type_traits>

namespace {

using clock_type = boost_ext::boottime_clock;

static_assert(std::is_same_v<clock_type::duration, std::chrono::nanoseconds>);
static_assert(std::is_same_v<clock_type::rep, clock_type::duration::rep>);
static_assert(std::is_same_v<clock_type::period, std::nano>);
static_assert(std::is_same_v<clock_type::time_point, std::chrono::time_point<clock_type>>);
static_assert(std::is_same_v<decltype(clock_type::now()), clock_type::time_point>);
static_assert(noexcept(clock_type::now()));
static_assert(clock_type::is_steady);

clock_type::time_point kernel_time()
{
    ::timespec t;
    BOOST_REQUIRE_EQUAL(::clock_gettime(CLOCK_BOOTTIME, &t), 0);
    return clock_type::time_point(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

} // namespace

BOOST_AUTO_TEST_SUITE(boottime_clock)

BOOST_AUTO_TEST_CASE(is_the_kernels_boot_time)
{
    for (int i = 0; i != 1000; ++i)
    {
        const auto before = kernel_time();
        const auto now = clock_type::now();
        const auto after = kernel_time();
        BOOST_REQUIRE(before <= now);
        BOOST_REQUIRE(now <= after);
    }
}

BOOST_AUTO_TEST_CASE(never_goes_back_and_is_at_least_the_steady_time)
{
    auto last = clock_type::now();
    BOOST_CHECK(last.time_since_epoch().count() > 0);
    for (int i = 0; i != 1000; ++i)
    {
        // Suspended time is counted on top.
        const auto steady = std::chrono::steady_clock::now().time_since_epoch();
        const auto now = clock_type::now();
        BOOST_REQUIRE(now >= last);
        BOOST_REQUIRE(now.time_since_epoch() >= steady);
        last = now;
    }
}

BOOST_AUTO_TEST_SUITE_END()
