// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Compiled with -fno-exceptions, and not linked: then the program has to say what a throw does.

#include <boost_ext/timers.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/throw_exception.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>

namespace boost {
void throw_exception(const std::exception&)
{
    std::abort();
}

void throw_exception(const std::exception&, const boost::source_location&)
{
    std::abort();
}
} // namespace boost

void use_everything(boost::asio::io_context& context)
{
    using boost::system::error_code;
    using std::chrono::seconds;
    const auto take = [](error_code) {};

    boost_ext::steady_timer timer(context, seconds(1));
    timer.async_wait(take);
    timer.async_wait(boost_ext::timeout(seconds(1), take));
    boost_ext::async_sleep_for(context, seconds(1), take);
    boost_ext::interval interval(context, seconds(1));
    interval.async_tick([](error_code, boost_ext::interval::tick_info) {});
    boost_ext::job_scheduler jobs(context);
    jobs.async_cancel(jobs.run_every(seconds(1), [] {}), [](error_code, bool) {});
    jobs.async_stop(take);
    boost_ext::named_timers names(context);
    names.async_wait("name", seconds(1), take);
    names.prepare("name", seconds(1)).async_start(take);
    boost_ext::clock_watch watch(context);
    watch.async_wait(take);
    context.run();
}
