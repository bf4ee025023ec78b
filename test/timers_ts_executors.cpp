// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The library where Asio's default executor is the polymorphic one of the Networking TS.
#define BOOST_ASIO_USE_TS_EXECUTOR_AS_DEFAULT

// Asio has no such executor in the one case; in the other the part that is compiled separately has another default.
#if !defined(BOOST_ASIO_NO_TS_EXECUTORS) && !defined(BOOST_ASIO_SEPARATE_COMPILATION)

#include <boost_ext/timers.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <type_traits>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using manual = boost_ext::manual_clock;

static_assert(std::is_same_v<asio::any_io_executor, asio::executor>);

} // namespace

BOOST_AUTO_TEST_SUITE(timers_ts_executors)

BOOST_AUTO_TEST_CASE(everything_works_on_them)
{
    manual::reset();
    asio::io_context context;
    const asio::any_io_executor ex = context.get_executor();
    int calls = 0;
    const auto handler = [&](error_code ec) {
        BOOST_TEST(!ec);
        ++calls;
    };

    boost_ext::basic_waitable_timer<manual> timer(ex, 1h);
    timer.async_wait(handler);
    boost_ext::async_sleep_for<manual>(ex, 1h, handler);
    boost_ext::basic_interval<manual> interval(ex, 1h);
    interval.async_tick([&](error_code ec, auto) { handler(ec); });
    boost_ext::basic_named_timers<manual> names(ex);
    names.async_wait("name", 1h, handler);
    boost_ext::basic_job_scheduler<manual> jobs(ex);
    jobs.run_after(1h, [&] { ++calls; });
    boost_ext::basic_waitable_timer<manual> slow(ex, 2h);
    slow.async_wait(boost_ext::timeout<manual>(1h, [&](error_code ec) {
        BOOST_TEST(ec == asio::error::timed_out);
        ++calls;
    }));
    manual::run_for(context, 1h);
    BOOST_TEST(calls == 6);
}

BOOST_AUTO_TEST_CASE(a_watch_of_the_wall_clock_too)
{
    asio::io_context context;
    boost_ext::clock_watch watch(asio::any_io_executor(context.get_executor())), other(context);
    int aborted = 0;
    const auto handler = [&](error_code ec) { aborted += ec == asio::error::operation_aborted; };
    watch.async_wait(handler);
    other.async_wait(handler);
    BOOST_TEST(watch.cancel() == 1u);
    BOOST_TEST(other.cancel() == 1u);
    context.run();
    BOOST_TEST(aborted == 2);
}

BOOST_AUTO_TEST_SUITE_END()

#else

#include <boost/test/unit_test.hpp>

#endif
