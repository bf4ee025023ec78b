// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// A drop-in for boost::asio::steady_timer: the same class, written for Asio, on either timer.

#include <boost_ext/steady_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <iostream>
#include <string>
#include <utility>

using boost::system::error_code;
using namespace std::chrono_literals;

/// Calls a function once things have been quiet for a while. Whose timer it is makes no
/// difference here.
template <class Timer>
class debounce
{
public:
    debounce(boost::asio::io_context& context, typename Timer::duration quiet)
        : timer_(context), quiet_(quiet)
    {
    }

    template <class Function>
    void touch(Function f)
    {
        timer_.expires_after(quiet_); // Cancels the wait before.
        timer_.async_wait([f = std::move(f)](error_code ec) {
            if (!ec)
                f();
        });
    }

private:
    Timer timer_;
    typename Timer::duration quiet_;
};

template <class Timer>
std::string trace()
{
    boost::asio::io_context context;
    std::string result;
    debounce<Timer> search(context, 10ms);
    for (const char* typed : {"t", "ti", "timers"})
        search.touch(
            [&result, typed] { result += std::string("searched for ") + typed + ", "; });

    Timer first(context, 20ms);
    Timer second(context, 5ms);
    first.async_wait([&](error_code) { result += "first, "; });
    second.async_wait([&](error_code) { result += "second, "; });
    Timer moved(std::move(first)); // The wait moves along.

    const auto handlers = context.run();
    return result + std::to_string(handlers) + " handlers";
}

int main()
{
    const std::string theirs = trace<boost::asio::steady_timer>();
    const std::string ours = trace<boost_ext::steady_timer>();
    std::cout << theirs << '\n' << ours << '\n';
    return theirs == ours ? 0 : 1;
}
