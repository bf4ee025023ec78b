// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Periodic ticks: a loop that does not drift, and what the policies make of a stall.

#include <boost_ext/interval.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>

using boost::system::error_code;
using boost_ext::missed_tick;
using namespace std::chrono_literals;

class heartbeat
{
public:
    explicit heartbeat(boost::asio::io_context& context) : interval_(context, 5ms) {}

    void start()
    {
        interval_.async_tick([this](error_code ec, boost_ext::interval::tick_info tick) {
            if (ec)
                return; // Cancelled, or the interval is gone.
            beats_ += 1 + tick.missed;
            if (beats_ < 10)
                start();
        });
    }

    std::uint64_t beats() const { return beats_; }

private:
    boost_ext::interval interval_;
    std::uint64_t beats_ = 0;
};

/// Ticks are due every 10 s. The first is taken in time, the others from second 55 on.
void show(const char* name, missed_tick policy)
{
    using clock = boost_ext::manual_clock;
    clock::reset();
    const auto start = clock::now();
    boost::asio::io_context context;
    boost_ext::basic_interval<clock> interval(context, 10s, policy);

    std::cout << name << ':';
    int taken = 0;
    std::function<void(error_code, decltype(interval)::tick_info)> take =
        [&](error_code, decltype(interval)::tick_info tick) {
            std::cout << "  " << (tick.scheduled - start) / 1s;
            if (tick.missed)
                std::cout << " (missed " << tick.missed << ')';
            if (++taken == 1)
                clock::advance(45s); // The stall.
            if (taken != 6)
                interval.async_tick(take);
        };
    interval.async_tick(take);
    clock::run(context);
    std::cout << '\n';
}

int main()
{
    show("burst", missed_tick::burst); // 10  20  30  40  50  60
    show("skip ", missed_tick::skip);  // 10  50 (missed 3)  60  70  80  90
    show("delay", missed_tick::delay); // 10  20 (missed 3)  65  75  85  95

    boost::asio::io_context context;
    const auto start = std::chrono::steady_clock::now();
    heartbeat beat(context);
    beat.start();
    context.run();
    return beat.beats() >= 10 && std::chrono::steady_clock::now() - start >= 50ms ? 0 : 1;
}
