// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/deadline.hpp>

#include <boost_ext/manual_clock.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

using boost_ext::basic_deadline;
using boost_ext::deadline;
using clock_type = boost_ext::manual_clock;
using budget = basic_deadline<clock_type>;
using namespace std::chrono_literals;

static_assert(std::is_same_v<deadline, basic_deadline<std::chrono::steady_clock>>);
static_assert(std::is_same_v<budget::clock_type, clock_type>);
static_assert(std::is_same_v<budget::duration, clock_type::duration>);
static_assert(std::is_same_v<budget::time_point, clock_type::time_point>);
static_assert(std::is_copy_constructible_v<deadline> && std::is_copy_assignable_v<deadline>);

namespace {

struct virtual_time
{
    virtual_time() { clock_type::reset(); }
};

/// A clock that stands still at 0.
struct real_clock
{
    using duration = std::chrono::duration<double>;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<real_clock>;
    static time_point now() { return time_point(); }
};

/// A clock whose time points are those of another one, as the standard allows.
struct borrowing_clock : clock_type
{
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(deadline_, virtual_time)

BOOST_AUTO_TEST_CASE(after_counts_from_now)
{
    clock_type::advance(3s);
    const budget d = budget::after(5s);
    BOOST_TEST((d.time() == clock_type::now() + 5s));
    BOOST_TEST((d.remaining() == 5s));
    BOOST_TEST(!d.expired());
    clock_type::advance(2s);
    BOOST_TEST((d.remaining() == 3s));
}

BOOST_AUTO_TEST_CASE(expired_from_its_time_on)
{
    const budget d = budget::after(5s);
    clock_type::advance(5s - 1ns);
    BOOST_TEST(!d.expired());
    clock_type::advance(1ns);
    BOOST_TEST(d.expired());
    BOOST_TEST((d.remaining() == 0s));
    clock_type::advance(1s);
    BOOST_TEST(d.expired());
    BOOST_TEST((d.remaining() == -1s));
}

BOOST_AUTO_TEST_CASE(at_keeps_the_time)
{
    const clock_type::time_point t = clock_type::now() + 7s;
    BOOST_TEST((budget::at(t).time() == t));
    BOOST_TEST((budget::at(std::chrono::time_point_cast<std::chrono::seconds>(t)).time() == t));
    BOOST_TEST(budget::at(clock_type::time_point::min()).expired());
}

BOOST_AUTO_TEST_CASE(a_clock_may_borrow_the_time_points_of_another)
{
    const clock_type::time_point t = clock_type::now() + 7s;
    BOOST_TEST((basic_deadline<borrowing_clock>::at(t).time() == t));
    BOOST_TEST((basic_deadline<borrowing_clock>::after(7s).time() == t));
}

BOOST_AUTO_TEST_CASE(never_is_the_greatest_and_never_comes)
{
    const budget never = budget::never();
    BOOST_TEST((never.time() == clock_type::time_point::max()));
    BOOST_TEST((never.remaining() == clock_type::duration::max()));
    BOOST_TEST(!never.expired());
    BOOST_TEST((budget::after(10000h) < never));
    clock_type::advance(1h);
    BOOST_TEST((never.remaining() == clock_type::duration::max()));
    BOOST_TEST((deadline::never().remaining() == deadline::duration::max()));
}

BOOST_AUTO_TEST_CASE(after_saturates)
{
    clock_type::advance(1s);
    BOOST_TEST((budget::after(clock_type::duration::max()) == budget::never()));
    BOOST_TEST((budget::after(std::chrono::hours::max()) == budget::never()));
    BOOST_TEST((budget::after(std::chrono::duration<double>(1e300)) == budget::never()));
    BOOST_TEST(budget::after(std::chrono::hours::min()).expired());
    BOOST_TEST((deadline::after(deadline::duration::max()) == deadline::never()));
    const budget past = budget::at(clock_type::time_point::min());
    BOOST_TEST((past.remaining() == clock_type::duration::min()));
}

BOOST_AUTO_TEST_CASE(finer_units_are_rounded_up)
{
    using picoseconds = std::chrono::duration<long long, std::pico>;
    BOOST_TEST((budget::after(picoseconds(1)).remaining() == 1ns));
    BOOST_TEST((budget::after(std::chrono::duration<double>(0.5)).remaining() == 500ms));
}

BOOST_AUTO_TEST_CASE(a_unit_that_does_not_divide_the_clocks_is_rounded_up)
{
    using frames = std::chrono::duration<std::int64_t, std::ratio<1, 60>>;
    BOOST_TEST((budget::after(frames(1)).remaining() == 16666667ns));
    BOOST_TEST((budget::after(frames(2)).remaining() == 33333334ns));
    BOOST_TEST((budget::after(frames(3)).remaining() == 50ms));
    BOOST_TEST((budget::after(frames(-1)).remaining() == -16666666ns));
    // Long before the clock's end, and yet more than the numerator can be multiplied by.
    const auto century = 24h * 365 * 150;
    const auto far = budget::after(std::chrono::duration_cast<frames>(century));
    BOOST_TEST((far.remaining() == century));
}

BOOST_AUTO_TEST_CASE(real_numbers_are_rounded_up)
{
    for (int i = 1; i != 1000; ++i)
    {
        const std::chrono::duration<float> d(static_cast<float>(i) / 997);
        const auto exact = static_cast<long double>(d.count()) * 1000000000;
        const auto got = static_cast<long double>(budget::after(d).remaining().count());
        BOOST_TEST((got >= exact && got < exact + 1));
    }
    BOOST_TEST((budget::after(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())) == budget::never()));
}

BOOST_AUTO_TEST_CASE(a_clock_that_counts_in_real_numbers_is_not_rounded)
{
    using real_budget = basic_deadline<real_clock>;
    for (int i = 0; i != 2000; ++i)
    {
        const auto time = real_budget::after(std::chrono::milliseconds(i)).time().time_since_epoch().count();
        BOOST_TEST((time > i / 1000. - 1e-9 && time < i / 1000. + 1e-9));
    }
    const auto tenth = std::chrono::duration<long double>(0.1L);
    BOOST_TEST((real_budget::after(tenth).time().time_since_epoch().count() < 0.11));
    BOOST_TEST((real_budget::after(std::chrono::hours::max()) < real_budget::never()));
}

BOOST_AUTO_TEST_CASE(comparisons)
{
    const budget a = budget::after(1s);
    const budget b = budget::after(2s);
    BOOST_TEST((a == a && !(a == b)));
    BOOST_TEST((a != b && !(a != a)));
    BOOST_TEST((a < b && !(b < a) && !(a < a)));
    BOOST_TEST((b > a && !(a > b) && !(a > a)));
    BOOST_TEST((a <= b && a <= a && !(b <= a)));
    BOOST_TEST((b >= a && a >= a && !(a >= b)));
}

#if defined(__cpp_lib_three_way_comparison)
BOOST_AUTO_TEST_CASE(a_class_with_a_deadline_can_have_default_comparisons)
{
    struct request
    {
        budget by;
        int id;
        auto operator<=>(const request&) const = default;
    };
    const budget a = budget::after(1s);
    const budget b = budget::after(2s);
    BOOST_TEST(((a <=> b) < 0 && (b <=> a) > 0 && (a <=> a) == 0));
    BOOST_TEST((request{a, 2} < request{b, 1} && request{a, 2} != request{a, 1}));
}
#endif

BOOST_AUTO_TEST_CASE(min_is_found_by_adl)
{
    const budget a = budget::after(1s);
    const budget b = budget::never();
    BOOST_TEST((min(a, b) == a));
    BOOST_TEST((min(b, a) == a));
    using std::min;
    BOOST_TEST((min(a, b) == a));
}

BOOST_AUTO_TEST_SUITE_END()
