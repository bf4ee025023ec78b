// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/missed_tick.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>
#include <boost_ext/interval.hpp>
#include <boost_ext/job_scheduler.hpp>
#include <boost_ext/manual_clock.hpp>
#include <chrono>
#include <type_traits>
#include <vector>

using boost_ext::manual_clock;
using boost_ext::missed_tick;

namespace {

using seconds = std::chrono::seconds;
using interval = boost_ext::basic_interval<manual_clock>;
using job_scheduler = boost_ext::basic_job_scheduler<manual_clock>;

manual_clock::time_point at(int s)
{
    return manual_clock::time_point(seconds(s));
}

/// The tick due at 20 is delivered at 55, and the one after it in time. {scheduled, missed, scheduled}.
std::vector<int> ticks(missed_tick policy)
{
    manual_clock::reset();
    boost::asio::io_context context;
    interval iv(context, at(20), seconds(10), policy);
    std::vector<int> seen;
    const auto note = [&](manual_clock::time_point t) {
        seen.push_back(static_cast<int>(std::chrono::duration_cast<seconds>(t.time_since_epoch()).count()));
    };
    iv.async_tick([&](boost::system::error_code, interval::tick_info tick) {
        note(tick.scheduled);
        seen.push_back(static_cast<int>(tick.missed));
        iv.async_tick([&](boost::system::error_code, interval::tick_info next) { note(next.scheduled); });
    });
    manual_clock::advance_to(at(55));
    context.poll();
    manual_clock::run(context);
    return seen;
}

/// A job every 10 whose first run takes 25: when its first three runs begin.
std::vector<int> runs(missed_tick policy)
{
    manual_clock::reset();
    boost::asio::io_context context;
    job_scheduler jobs(context);
    std::vector<int> begun;
    jobs.run_every(
        seconds(10),
        [&] {
            begun.push_back(
                static_cast<int>(std::chrono::duration_cast<seconds>(manual_clock::now().time_since_epoch()).count()));
            if (begun.size() == 1)
                manual_clock::advance(seconds(25));
            if (begun.size() == 3)
                jobs.stop();
        },
        policy);
    manual_clock::run(context);
    return begun;
}

} // namespace

BOOST_AUTO_TEST_SUITE(missed_ticks)

BOOST_AUTO_TEST_CASE(skip_unless_asked_for_another)
{
    boost::asio::io_context context;
    BOOST_TEST((interval(context, seconds(1)).policy() == missed_tick::skip));
    BOOST_TEST((interval(context, seconds(1), missed_tick::delay).policy() == missed_tick::delay));
    BOOST_TEST(!(std::is_convertible<missed_tick, int>::value));
}

BOOST_AUTO_TEST_CASE(ticks_follow_the_policy)
{
    BOOST_TEST(ticks(missed_tick::burst) == (std::vector<int>{20, 0, 30}), boost::test_tools::per_element());
    BOOST_TEST(ticks(missed_tick::skip) == (std::vector<int>{50, 3, 60}), boost::test_tools::per_element());
    BOOST_TEST(ticks(missed_tick::delay) == (std::vector<int>{20, 3, 65}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(jobs_follow_the_policy)
{
    BOOST_TEST(runs(missed_tick::burst) == (std::vector<int>{10, 35, 35}), boost::test_tools::per_element());
    BOOST_TEST(runs(missed_tick::skip) == (std::vector<int>{10, 35, 40}), boost::test_tools::per_element());
    BOOST_TEST(runs(missed_tick::delay) == (std::vector<int>{10, 45, 55}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
