// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// A million timers on one context, as a server with as many connections has them: armed,
// postponed, half of them cancelled, and the other half expiring within a tenth of a second.

#include <boost_ext/steady_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t count = 1000000;

/// Prints what one step took for each of n timers.
template <class Function>
void step(const char* name, std::size_t n, Function f)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    f();
    const std::chrono::duration<double, std::nano> took = clock::now() - start;
    std::cout << name << ": " << static_cast<long>(took.count() / static_cast<double>(n))
              << " ns each\n";
}

} // namespace

int main()
{
    using timer = boost_ext::steady_timer::rebind_executor<
        boost::asio::io_context::executor_type>::other; // Smaller than with any_io_executor.
    boost::asio::io_context context(1);
    std::vector<timer> timers;
    timers.reserve(count);
    std::size_t expired = 0;
    std::size_t aborted = 0;

    step("create and arm", count, [&] {
        for (std::size_t i = 0; i != count; ++i)
        {
            timers.emplace_back(context, 10min + std::chrono::microseconds(i));
            timers.back().async_wait([&](error_code ec) { ++(ec ? aborted : expired); });
        }
    });
    step("postpone", count, [&] {
        for (auto& t : timers)
            t.reschedule_after(20min);
    });
    step("cancel", count / 2, [&] {
        for (std::size_t i = 0; i < count; i += 2)
            timers[i].cancel();
    });
    step("bring forward", count / 2, [&] {
        for (std::size_t i = 1; i < count; i += 2)
            timers[i].reschedule_after(std::chrono::microseconds(i / 10));
    });
    step("complete", count, [&] { context.run(); });

    std::cout << expired << " expired, " << aborted << " were cancelled\n";
    return expired == count / 2 && aborted == count / 2 ? 0 : 1;
}
