// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/steady_timer.hpp>
#include <boost_ext/timers.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <iostream>

int main()
{
    boost::asio::io_context context;
    boost_ext::steady_timer timer(context, std::chrono::milliseconds(1));
    bool fired = false;
    timer.async_wait([&fired](boost::system::error_code error) { fired = !error; });
    context.run();
    std::cout << "boost_ext timers " << BOOST_EXT_TIMERS_VERSION << '\n';
    return fired ? 0 : 1;
}
