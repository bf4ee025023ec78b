// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Must not compile, and the message must say what to write instead: as_tuple has packed the error away before timeout can see it.

#include <boost_ext/steady_timer.hpp>
#include <boost_ext/timeout.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>

int main()
{
    boost::asio::io_context context;
    boost_ext::steady_timer timer(context);
    timer.async_wait(boost::asio::as_tuple(boost_ext::timeout(std::chrono::seconds(1), [](auto) {})));
}
