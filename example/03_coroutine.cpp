// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Timers in C++20 coroutines: sleeping without a timer object, and a timer to wait on.

#include <boost_ext/sleep.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <iostream>

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> countdown()
{
    for (int i = 3; i != 0; --i)
    {
        std::cout << i << "...\n";
        co_await boost_ext::async_sleep_for(10ms); // On the coroutine's own executor.
    }
    co_await boost_ext::async_sleep_until(std::chrono::system_clock::now() + 10ms);
    std::cout << "lift-off\n";
}

asio::awaitable<bool> wait_or_be_told(boost_ext::steady_timer& timer)
{
    auto [ec] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return ec == asio::error::operation_aborted; // true: somebody called timer.cancel().
}

int main()
{
    asio::io_context context;
    bool finished = false;
    bool told = false;

    asio::co_spawn(context, countdown(), [&](std::exception_ptr e) { finished = !e; });

    boost_ext::steady_timer timer(context, 1h);
    asio::co_spawn(
        context, wait_or_be_told(timer), [&](std::exception_ptr, bool t) { told = t; });
    boost_ext::async_sleep_for(
        context, 20ms, [&](boost::system::error_code) { timer.cancel(); });

    context.run();
    return finished && told ? 0 : 1;
}

#else

int main()
{
    std::cout << "This example needs C++20 coroutines.\n";
}

#endif
