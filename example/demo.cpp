// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// What tools/demo.sh runs: the three ways in which a wait can complete, an hour of virtual time, then the
// same work for Asio's timer and for ours, a few hundred thousand timers each, a table of what it cost,
// and a verdict.
//
//   demo [TIMERS]      200,000 unless told

#include <boost_ext/interval.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/steady_timer.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using error_code = boost::system::error_code;
using clock_type = std::chrono::steady_clock;

namespace {

// ------------------------------------------------------------------ three completion styles

void callbacks()
{
    std::cout << "A callback: three timers, armed in the wrong order\n";
    asio::io_context context;
    boost_ext::steady_timer third(context, 300ms);
    boost_ext::steady_timer first(context, 100ms);
    boost_ext::steady_timer second(context, 200ms);
    third.async_wait([](error_code) { std::cout << "    third,  after 300 ms\n"; });
    first.async_wait([](error_code) { std::cout << "    first,  after 100 ms\n"; });
    second.async_wait([](error_code) { std::cout << "    second, after 200 ms\n"; });
    context.run();
}

void futures()
{
    std::cout << "A future: this thread waits while another one runs the context\n";
    asio::io_context context;
    boost_ext::steady_timer timer(context, 200ms);
    std::future<void> done = timer.async_wait(asio::use_future);
    std::thread runner([&context] { context.run(); });
    done.get();
    std::cout << "    ready, after 200 ms\n";
    runner.join();
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
asio::awaitable<void> count_down(int from)
{
    boost_ext::steady_timer timer(co_await asio::this_coro::executor);
    for (int i = from; i > 0; --i)
    {
        std::cout << "    " << i << " ..." << std::endl;
        timer.expires_after(150ms);
        co_await timer.async_wait(asio::use_awaitable);
    }
    std::cout << "    go\n";
}

void coroutines()
{
    std::cout << "A coroutine: co_await in a loop\n";
    asio::io_context context;
    asio::co_spawn(context, count_down(3), asio::detached);
    context.run();
}
#else
void coroutines()
{
    std::cout << "A coroutine: this compiler has none, try C++20\n";
}
#endif

void virtual_time()
{
    std::cout << "An hour of heartbeats, on a clock that the program moves itself\n";
    using manual = boost_ext::manual_clock;
    asio::io_context context;
    boost_ext::basic_interval<manual> heartbeat(context, 15s);
    int beats = 0;
    std::function<void(error_code, decltype(heartbeat)::tick_info)> beat =
        [&](error_code error, decltype(heartbeat)::tick_info) {
            if (error)
                return;
            ++beats;
            heartbeat.async_tick(beat);
        };
    heartbeat.async_tick(beat);
    const auto start = clock_type::now();
    manual::run_for(context, 1h);
    const std::chrono::duration<double, std::micro> took = clock_type::now() - start;
    std::cout << "    " << beats << " beats, after " << std::lround(took.count())
              << " microseconds\n";
}

// ------------------------------------------------------------------------- the comparison

enum stage
{
    arm,      // start a wait
    rearm,    // expires_after and async_wait on a pending timer
    postpone, // the idle timeout: give a pending wait more time
    expire,   // from due to the handler having run
    stages
};

constexpr std::array<const char*, stages> stage_names{
    "arm a timer", "re-arm a pending one", "postpone an idle timeout", "expire it"};

// Nanoseconds a timer, for each stage.
using costs = std::array<double, stages>;

// With Asio's timer more time is had by cancelling the wait and starting another one.
template <class Handler>
void give_more_time(asio::steady_timer& timer, clock_type::time_point expiry, Handler handler)
{
    timer.expires_at(expiry);
    timer.async_wait(handler);
}

template <class Handler>
void give_more_time(boost_ext::steady_timer& timer, clock_type::time_point expiry, Handler)
{
    timer.reschedule_at(expiry);
}

// Prints which stage is at work, over the line that said so before; a file gets no such lines.
void progress(const char* library, int round, const char* what)
{
    static const bool live = ::isatty(STDOUT_FILENO) != 0;
    if (!live)
        return;
    std::cout << "\r    round " << round << "   " << std::left << std::setw(12) << library
              << std::setw(28) << what << std::flush;
}

template <class Timer>
costs measure(const char* library, int round, std::size_t count)
{
    asio::io_context context(1);
    std::vector<Timer> timers;
    timers.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        timers.emplace_back(context.get_executor());

    std::mt19937_64 random(42);
    std::vector<clock_type::duration> delays(count);
    for (auto& delay : delays)
        delay = std::chrono::nanoseconds(random() % 1'000'000'000u);

    std::size_t fired = 0;
    const auto handler = [&fired](error_code error) { fired += error ? 0u : 1u; };

    costs result{};
    const auto timed = [&](stage which, auto work) {
        progress(library, round, stage_names[which]);
        const auto start = clock_type::now();
        work();
        result[which] =
            std::chrono::duration<double, std::nano>(clock_type::now() - start).count() /
            static_cast<double>(count);
    };

    // Far enough away that nothing is due before the last stage asks for it.
    const auto later = clock_type::now() + 1h;
    timed(arm, [&] {
        for (std::size_t i = 0; i < count; ++i)
        {
            timers[i].expires_at(later + delays[i]);
            timers[i].async_wait(handler);
        }
    });
    timed(rearm, [&] {
        for (std::size_t i = 0; i < count; ++i)
        {
            timers[i].expires_at(later + delays[count - 1 - i]);
            timers[i].async_wait(handler);
            if (i % 64 == 63)
                context.poll();
        }
        context.poll();
    });
    timed(postpone, [&] {
        for (std::size_t i = 0; i < count; ++i)
        {
            give_more_time(timers[i], later + 10s + delays[i], handler);
            if (i % 64 == 63)
                context.poll();
        }
        context.poll();
    });

    // All of them are due within a tenth of a second that begins when the last has been armed and is
    // over when the clock starts.
    const auto soon = clock_type::now() + 50ms + count * 1us;
    for (std::size_t i = 0; i < count; ++i)
    {
        timers[i].expires_at(soon + delays[i] / 10);
        timers[i].async_wait(handler);
        if (i % 64 == 63)
            context.poll();
    }
    context.poll();
    const bool early = fired != 0 && clock_type::now() < soon;
    progress(library, round, "wait until all are due");
    std::this_thread::sleep_until(soon + 101ms);
    timed(expire, [&] { context.run(); });
    if (fired != count || early)
    {
        std::cout << "\nVerdict: " << library << " fired " << fired << " of " << count
                  << " timers" << (early ? ", some of them early" : "") << "; that is a bug\n";
        std::exit(1);
    }
    return result;
}

costs least(const costs& a, const costs& b)
{
    costs result{};
    for (std::size_t i = 0; i < stages; ++i)
        result[i] = std::min(a[i], b[i]);
    return result;
}

// Says what the table means, in two lines. Every completion was counted on the way here.
void verdict(const costs& asios, const costs& ours, std::size_t completions)
{
    std::size_t faster = 0;
    double product = 1;
    for (std::size_t i = 0; i < stages; ++i)
    {
        faster += ours[i] < asios[i] ? 1u : 0u;
        product *= asios[i] / ours[i];
    }
    const double mean = std::pow(product, 1.0 / int{stages});
    std::cout << "\nVerdict: boost_ext was faster in " << faster << " of " << int{stages}
              << " stages, " << std::fixed << std::setprecision(1) << mean
              << " times Asio's speed in the (geometric) mean.\n"
              << "         All " << completions
              << " timers fired, each exactly once and none early.\n";
}

void compare(std::size_t count)
{
    constexpr int rounds = 3;
    std::cout << "The same work for Asio's timer and ours, " << count
              << " timers each, best of " << rounds << " rounds\n";

    costs asios{};
    costs ours{};
    for (int round = 1; round <= rounds; ++round)
    {
        const costs a = measure<asio::steady_timer>("Asio", round, count);
        const costs b = measure<boost_ext::steady_timer>("boost_ext", round, count);
        asios = round == 1 ? a : least(asios, a);
        ours = round == 1 ? b : least(ours, b);
    }
    progress("", rounds, "done");
    std::cout << '\n';

    std::cout << std::left << std::setw(30) << "    nanoseconds a timer" << std::right
              << std::setw(10) << "Asio" << std::setw(12) << "boost_ext" << std::setw(12)
              << "Asio/ours" << '\n'
              << "    " << std::string(60, '-') << '\n';
    for (std::size_t i = 0; i < stages; ++i)
        std::cout << "    " << std::left << std::setw(26) << stage_names[i] << std::right
                  << std::fixed << std::setprecision(0) << std::setw(10) << asios[i]
                  << std::setw(12) << ours[i] << std::setprecision(1) << std::setw(11)
                  << asios[i] / ours[i] << "x\n";
    verdict(asios, ours, 2 * rounds * count);
}

} // namespace

int main(int argc, char* argv[])
{
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200'000;
    if (count == 0)
    {
        std::cerr << "usage: demo [TIMERS]\n";
        return 2;
    }

    callbacks();
    futures();
    coroutines();
    virtual_time();
    std::cout << '\n';
    compare(count);
}
