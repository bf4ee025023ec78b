// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// One of two libraries that use the same context: its functions start with LIBRARY.

#include <boost_ext/steady_timer.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/config.hpp>

#include <chrono>
#include <memory>
#include <vector>

#define BOOST_EXT_TEST_NAME(name) BOOST_JOIN(LIBRARY, name)

namespace {

std::vector<std::unique_ptr<boost_ext::steady_timer>> timers;

} // namespace

extern "C" BOOST_SYMBOL_EXPORT void BOOST_EXT_TEST_NAME(_arm)(boost::asio::io_context& context, long& completed)
{
    for (int i = 0; i != 20000; ++i)
    {
        timers.push_back(std::make_unique<boost_ext::steady_timer>(context, std::chrono::hours(1)));
        timers.back()->async_wait([&completed](boost::system::error_code) { ++completed; });
    }
}

extern "C" BOOST_SYMBOL_EXPORT void BOOST_EXT_TEST_NAME(_destroy_all_but_the_last)()
{
    timers.erase(timers.begin(), timers.end() - 1);
}

extern "C" BOOST_SYMBOL_EXPORT void BOOST_EXT_TEST_NAME(_destroy)()
{
    timers.clear();
}
