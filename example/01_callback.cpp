// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// A timer with a callback: waiting, cancelling, and moving the deadline of a pending wait.

#include <boost_ext/steady_timer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <iostream>

using boost::system::error_code;
using namespace std::chrono_literals;

int main()
{
    boost::asio::io_context context;
    int expired = 0;
    int aborted = 0;

    boost_ext::steady_timer timer(context, 20ms);
    timer.async_wait([&](error_code ec) {
        if (!ec)
        {
            ++expired;
            std::cout << "the timer has expired\n";
        }
    });

    boost_ext::steady_timer never(context, 1h);
    never.async_wait([&](error_code ec) {
        if (ec == boost::asio::error::operation_aborted)
        {
            ++aborted;
            std::cout << "the wait was cancelled\n";
        }
    });
    never.cancel();

    boost_ext::steady_timer watchdog(context, 1h);
    watchdog.async_wait([&](error_code ec) {
        if (!ec)
        {
            ++expired;
            std::cout << "the watchdog has barked\n";
        }
    });
    watchdog.reschedule_after(30ms); // The wait goes on; nothing is cancelled.

    context.run();
    return expired == 2 && aborted == 1 ? 0 : 1;
}
