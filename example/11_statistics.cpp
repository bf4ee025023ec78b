// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Looking inside: what the timers of a context have done, and when the next one is due.

#define BOOST_EXT_ENABLE_STATISTICS // Alike in all translation units: best on the command line.
#include <boost_ext/timer_statistics.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <iostream>
#include <vector>

using boost::system::error_code;
using namespace std::chrono_literals;

int main()
{
    using clock = std::chrono::steady_clock;
    boost::asio::io_context context;
    std::vector<boost_ext::steady_timer> timers;
    for (int i = 0; i != 100; ++i)
    {
        timers.emplace_back(context, 10ms + i * 100us);
        timers.back().async_wait([](error_code) {});
    }
    for (std::size_t i = 0; i != 20; ++i)
        timers[i].cancel();
    for (std::size_t i = 20; i != 50; ++i)
        timers[i].reschedule_after(30ms);

    if (auto next = boost_ext::next_expiry<clock>(context))
        std::cout << "the next wait is due in " << (*next - clock::now()) / 1us << " us\n";
    const bool before = boost_ext::statistics(context).pending == 80;

    context.run();

    const boost_ext::timer_statistics s = boost_ext::statistics(context);
    std::cout << s;
    const bool after = s.pending == 0 && !boost_ext::next_expiry<clock>(context);
    const bool counted =
        s.scheduled == 100 && s.fired == 80 && s.cancelled == 20 && s.rescheduled == 30;
    return before && after && counted ? 0 : 1;
}
