// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Testing on virtual time: a retry with exponential back-off takes its clock as a parameter,
// so that its hour-long schedule is checked in microseconds, to the nanosecond, and no thread
// ever waits.

#include <boost_ext/manual_clock.hpp>
#include <boost_ext/sleep.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <utility>
#include <vector>

using boost::system::error_code;
using namespace std::chrono_literals;

/// Tries until it works, waiting 1 s, 2 s, 4 s, ... but never more than ten minutes.
template <class Clock = std::chrono::steady_clock>
class retry
{
public:
    retry(boost::asio::io_context& context, std::function<bool()> attempt)
        : context_(context), attempt_(std::move(attempt))
    {
    }

    void start()
    {
        if (attempt_())
            return;
        boost_ext::async_sleep_for<Clock>(context_, delay_, [this](error_code ec) {
            if (!ec)
                start();
        });
        delay_ = (std::min)(2 * delay_, longest_);
    }

private:
    boost::asio::io_context& context_;
    std::function<bool()> attempt_;
    std::chrono::seconds delay_ = 1s;
    std::chrono::seconds longest_ = 10min;
};

int main()
{
    const auto real = std::chrono::steady_clock::now();

    using clock = boost_ext::manual_clock;
    boost::asio::io_context context;
    const auto start = clock::now();
    std::vector<std::chrono::seconds> attempts;

    retry<clock> connect(context, [&] {
        attempts.push_back(
            std::chrono::duration_cast<std::chrono::seconds>(clock::now() - start));
        return clock::now() - start >= 1h; // Down for an hour.
    });
    connect.start();
    clock::run(context); // Runs what is ready, jumps to the next expiry, and so on to the end.

    const std::vector<std::chrono::seconds> expected{0s, 1s, 3s, 7s, 15s, 31s, 63s, 127s, 255s,
        511s, 1023s, 1623s, 2223s, 2823s, 3423s, 4023s};
    const bool passed = attempts == expected;

    const auto took = std::chrono::steady_clock::now() - real;
    std::cout << attempts.size() << " attempts in " << (clock::now() - start) / 1s
              << " s of virtual time took " << took / 1us << " us\n";
    return passed ? 0 : 1;
}
