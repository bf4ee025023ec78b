// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Timers from code that is not asynchronous: a thread runs the context, the others wait on
// futures.

#include <boost_ext/sleep.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <future>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main()
{
    boost::asio::io_context context;
    auto work = boost::asio::make_work_guard(context);
    std::thread runner([&] { context.run(); });
    const auto start = std::chrono::steady_clock::now();
    bool aborted = false;

    boost_ext::steady_timer timer(context, 20ms);
    std::future<void> expired = timer.async_wait(boost::asio::use_future);
    std::future<void> slept =
        boost_ext::async_sleep_for(context, 30ms, boost::asio::use_future);
    expired.get();
    slept.get();

    timer.expires_after(1h);
    std::future<void> cancelled = timer.async_wait(boost::asio::use_future);
    timer.cancel();
    try
    {
        cancelled.get();
    }
    catch (const boost::system::system_error& e)
    {
        aborted = e.code() == boost::asio::error::operation_aborted;
        std::cout << "cancelled: " << e.code().message() << '\n';
    }

    work.reset();
    runner.join();
    return aborted && std::chrono::steady_clock::now() - start >= 30ms ? 0 : 1;
}
