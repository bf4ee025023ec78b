// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/detail/clock_driver.hpp>

#include <boost_ext/boottime_clock.hpp>

#include <boost/asio/wait_traits.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace {

using namespace std::chrono_literals;
using boost_ext::detail::clock_driver;

/// A clock that shows what it is told to.
template <class Rep, class Period>
struct set_clock
{
    using rep = Rep;
    using period = Period;
    using duration = std::chrono::duration<Rep, Period>;
    using time_point = std::chrono::time_point<set_clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept { return shown; }

    static inline time_point shown{};
};

template <class Clock>
using driver = clock_driver<Clock, boost::asio::wait_traits<Clock>>;

/// The real time, in another resolution.
template <class Rep, class Period, class Base, bool Steady>
struct real_clock
{
    using rep = Rep;
    using period = Period;
    using duration = std::chrono::duration<Rep, Period>;
    using time_point = std::chrono::time_point<real_clock>;
    static constexpr bool is_steady = Steady;

    static time_point now() noexcept
    {
        static const auto start = Base::now();
        return time_point(std::chrono::duration_cast<duration>(Base::now() - start));
    }
};

template <class Clock>
void sleeps_no_less()
{
    const auto until = Clock::now() + std::chrono::duration_cast<typename Clock::duration>(3ms);
    driver<Clock>::sleep_until(until);
    BOOST_TEST((Clock::now() >= until));
    driver<Clock>::sleep_until(until);
    driver<Clock>::sleep_until((Clock::time_point::min)());
}

} // namespace

BOOST_AUTO_TEST_SUITE(clock_driver_suite)

BOOST_AUTO_TEST_CASE(microseconds_are_rounded_down_but_never_to_none_and_bounded)
{
    using clock = set_clock<std::int64_t, std::nano>;
    clock::shown = clock::time_point();
    const auto us = [](clock::duration d, long most) { return driver<clock>::microseconds_until(clock::time_point(d), most); };
    BOOST_TEST(us(0ns, 100) == 0);
    BOOST_TEST(us(-1ns, 100) == 0);
    BOOST_TEST(us(1ns, 100) == 1);
    BOOST_TEST(us(1us, 100) == 1);
    BOOST_TEST(us(999ns, 100) == 1);
    BOOST_TEST(us(1999ns, 100) == 1);
    BOOST_TEST(us(2000ns, 100) == 2);
    BOOST_TEST(us(99us, 100) == 99);
    BOOST_TEST(us(100us, 100) == 100);
    BOOST_TEST(us(101us, 100) == 100);
    BOOST_TEST(us((clock::duration::max)(), 100) == 100);
    BOOST_TEST(us((clock::duration::min)(), 100) == 0);
}

BOOST_AUTO_TEST_CASE(the_bound_may_be_more_than_the_clock_can_express)
{
    // An hour in microseconds does not fit into 31 bits.
    constexpr long hour = 3600L * 1000000;
    using small = set_clock<std::int32_t, std::micro>;
    small::shown = small::time_point();
    BOOST_TEST(driver<small>::microseconds_until(small::time_point(small::duration(5000)), hour) == 5000);
    BOOST_TEST(driver<small>::microseconds_until((small::time_point::max)(), hour) == (std::numeric_limits<std::int32_t>::max)());
    using tiny = set_clock<std::int16_t, std::milli>;
    tiny::shown = tiny::time_point();
    BOOST_TEST(driver<tiny>::microseconds_until(tiny::time_point(tiny::duration(5)), hour) == 5000);
    // And the other way round.
    using great = set_clock<std::int64_t, std::ratio<86400>>;
    great::shown = great::time_point();
    BOOST_TEST(driver<great>::microseconds_until((great::time_point::max)(), hour) == hour);
    using real = set_clock<double, std::ratio<1>>;
    real::shown = real::time_point();
    BOOST_TEST(driver<real>::microseconds_until(real::time_point(real::duration(0.005)), hour) >= 5000);
    BOOST_TEST(driver<real>::microseconds_until((real::time_point::max)(), hour) == hour);
}

BOOST_AUTO_TEST_CASE(every_kind_of_clock_is_slept_on)
{
    sleeps_no_less<std::chrono::steady_clock>();
    sleeps_no_less<std::chrono::system_clock>();
    sleeps_no_less<boost_ext::boottime_clock>();
    sleeps_no_less<real_clock<std::int32_t, std::micro, std::chrono::steady_clock, true>>();
    sleeps_no_less<real_clock<std::int64_t, std::milli, std::chrono::system_clock, false>>();
    sleeps_no_less<real_clock<double, std::ratio<1>, std::chrono::steady_clock, true>>();
}

BOOST_AUTO_TEST_CASE(a_clock_that_the_kernel_cannot_sleep_on_is_known_as_such)
{
    BOOST_TEST(!boost_ext::detail::kernel_sleep(::clockid_t(12345), 1ns));
    BOOST_TEST(boost_ext::detail::kernel_sleep(CLOCK_REALTIME, 1ns)); // long ago
}

BOOST_AUTO_TEST_SUITE_END()
