// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// A job runner: one-shots, periodic jobs, a watchdog that is fed, and an orderly end.

#include <boost_ext/job_scheduler.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

using namespace std::chrono_literals;

int main()
{
    boost::asio::io_context io;
    boost_ext::job_scheduler jobs(io);

    jobs.run_after(20ms, [] { std::cout << "once\n"; });

    // The function may be move-only, and may ask for its own id.
    jobs.run_every(10ms, [&, left = std::make_unique<int>(3)](boost_ext::job_id self) {
        std::cout << "again, " << --*left << " to go\n";
        if (*left == 0)
            jobs.cancel(self);
    });

    // A watchdog is a job that keeps being moved away. Moving allocates nothing.
    bool barked = false;
    const boost_ext::job_id watchdog = jobs.run_after(200ms, [&] {
        barked = true;
        std::cout << "no sign of life\n";
    });
    const boost_ext::job_id heartbeat =
        jobs.run_every(5ms, [&] { jobs.reschedule_after(watchdog, 200ms); });

    // What is missed while a slow job runs: skip (the default) drops it, burst catches up,
    // delay counts from the end of the run.
    int polls = 0;
    jobs.run_every(
        10ms, [&] { ++polls; }, boost_ext::missed_tick::burst);

    // To destroy what a job uses: cancel it, and wait until it is not running any more.
    auto buffer = std::make_unique<std::string>();
    const boost_ext::job_id writer = jobs.run_every(1ms, [&] { buffer->push_back('x'); });

    jobs.run_after(30ms, [&] {
        jobs.async_cancel(writer, [&](boost::system::error_code, bool cancelled) {
            std::cout << "the writer was " << (cancelled ? "cancelled\n" : "gone already\n");
            buffer.reset();
        });
    });

    jobs.run_after(60ms, [&] {
        jobs.cancel(heartbeat);
        jobs.async_stop(
            [](boost::system::error_code) { std::cout << "nothing runs any more\n"; });
    });

    io.run(); // returns: no job is pending

    return !barked && !buffer && polls > 0 && jobs.size() == 0 ? 0 : 1;
}
