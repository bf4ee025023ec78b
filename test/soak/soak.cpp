// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Two threads churn timers on one context for a given time: they arm, cancel, re-arm, reschedule, move
// and destroy them, while those that nobody touches expire. At the end every wait that was started
// has completed exactly once, and the process is no larger than it was after the first fifth.
//
//   soak [SECONDS [TIMERS [SEED]]]

#include <boost_ext/steady_timer.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using error_code = boost::system::error_code;
using clock_type = std::chrono::steady_clock;

namespace {

struct tally
{
    std::uint64_t operations = 0;
    std::uint64_t started = 0;
    std::uint64_t fired = 0;
    std::uint64_t aborted = 0;
    std::uint64_t cancelled = 0; // what cancel() and expires_after() said they had taken
    std::uint64_t wrong = 0;     // completions that should not have been

    void add(const tally& other)
    {
        operations += other.operations;
        started += other.started;
        fired += other.fired;
        aborted += other.aborted;
        cancelled += other.cancelled;
        wrong += other.wrong;
    }
};

// A part of the timers that is only ever touched on its own strand.
class shard
{
public:
    shard(asio::io_context& context, std::size_t timers, std::uint64_t seed)
        : context_(context), strand_(asio::make_strand(context)), random_(seed), timers_(timers)
    {
    }

    // Churns until the deadline, then lets what is pending expire.
    void start(clock_type::time_point until)
    {
        until_ = until;
        asio::post(strand_, [this] { step(); });
    }

    const tally& counts() const noexcept { return counts_; }

    std::uint64_t outstanding() const
    {
        std::uint64_t sum = 0;
        for (const entry& e : timers_)
            sum += static_cast<std::uint64_t>(e.waits);
        return sum;
    }

private:
    struct entry
    {
        std::optional<boost_ext::steady_timer> timer;
        std::int64_t waits = 0; // started and not completed, wherever the timer has been moved to
    };

    void step()
    {
        for (int i = 0; i < 256; ++i)
            operate(pick());
        counts_.operations += 256;
        if (clock_type::now() < until_)
            asio::post(strand_, [this] { step(); });
    }

    entry& pick() { return timers_[random_() % timers_.size()]; }

    // Most deadlines are never reached, as with idle timeouts; some are due at once.
    clock_type::duration delay()
    {
        const auto kind = random_() % 16;
        if (kind == 0)
            return std::chrono::nanoseconds(0);
        if (kind < 8)
            return std::chrono::microseconds(random_() % 1'000);
        return std::chrono::milliseconds(random_() % 500);
    }

    void wait(entry& e)
    {
        ++counts_.started;
        ++e.waits;
        e.timer->async_wait(asio::bind_executor(strand_, [this, &e](error_code error) {
            if (--e.waits < 0)
                ++counts_.wrong;
            if (!error)
                ++counts_.fired;
            else if (error == asio::error::operation_aborted)
                ++counts_.aborted;
            else
                ++counts_.wrong;
        }));
    }

    void operate(entry& e)
    {
        if (!e.timer)
            e.timer.emplace(context_);
        switch (random_() % 12)
        {
        case 0:
            counts_.cancelled += e.timer->cancel();
            break;
        case 1:
            counts_.cancelled += e.timer->cancel_one();
            break;
        case 2:
            e.timer.reset();
            break;
        case 3:
        {
            entry& other = pick();
            if (&other != &e && other.timer)
                *e.timer = std::move(*other.timer);
            break;
        }
        case 4:
        {
            boost_ext::steady_timer moved(std::move(*e.timer));
            *e.timer = std::move(moved);
            break;
        }
        case 5:
        case 6:
        case 7:
            e.timer->reschedule_after(delay());
            break;
        default:
            counts_.cancelled += e.timer->expires_after(delay());
            wait(e);
            if (random_() % 8 == 0)
                wait(e);
        }
    }

    asio::io_context& context_;
    asio::strand<asio::io_context::executor_type> strand_;
    std::mt19937_64 random_;
    std::deque<entry> timers_;
    clock_type::time_point until_;
    tally counts_;
};

std::size_t resident_bytes()
{
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

double mebibytes(std::size_t bytes)
{
    return static_cast<double>(bytes) / (1024. * 1024.);
}

} // namespace

int main(int argc, char* argv[])
{
    const auto argument = [&](int i, std::uint64_t otherwise) {
        return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
    };
    const auto seconds = std::chrono::seconds(argument(1, 120));
    const auto timers = static_cast<std::size_t>(argument(2, 100'000));
    const auto seed = argument(3, std::random_device{}());
    std::cout << timers << " timers, two threads, " << seconds.count() << " s, seed " << seed << std::endl;

    asio::io_context context;
    std::vector<std::unique_ptr<shard>> shards;
    for (std::uint64_t i = 0; i < 4; ++i)
        shards.push_back(std::make_unique<shard>(context, timers / 4 + 1, seed + i));

    const auto start = clock_type::now();
    for (auto& s : shards)
        s->start(start + seconds);
    std::thread first([&] { context.run(); });
    std::thread second([&] { context.run(); });

    // A leak of any size shows as growth from sample to sample; a pile-up of work that a busy machine
    // leaves behind shows as a peak.
    constexpr int samples = 20;
    std::vector<std::size_t> memory;
    for (int i = 1; i < samples; ++i)
    {
        std::this_thread::sleep_until(start + i * clock_type::duration(seconds) / samples);
        memory.push_back(resident_bytes());
    }
    const auto middle = memory.begin() + samples / 2;
    const auto early = *std::max_element(memory.begin() + samples / 5, middle);
    const auto late = *std::max_element(middle, memory.end());
    first.join();
    second.join();

    tally sum;
    std::uint64_t outstanding = 0;
    for (const auto& s : shards)
    {
        sum.add(s->counts());
        outstanding += s->outstanding();
    }
    const bool flat = late <= early + early / 10 + 8u * 1024u * 1024u;
    const bool accounted =
        sum.started == sum.fired + sum.aborted && outstanding == 0 && sum.wrong == 0 && sum.cancelled <= sum.aborted;
    std::cout << std::fixed << std::setprecision(1) << sum.operations << " operations, " << sum.started << " waits: " << sum.fired
              << " fired, " << sum.aborted << " aborted, " << outstanding << " lost, " << sum.wrong << " wrong\n"
              << "memory, MiB:";
    for (const std::size_t bytes : memory)
        std::cout << ' ' << mebibytes(bytes);
    std::cout << "\nits peak in the first half " << mebibytes(early) << " MiB, in the second " << mebibytes(late) << " MiB\n"
              << (accounted ? "every wait is accounted for\n" : "WAITS ARE NOT ACCOUNTED FOR\n")
              << (flat ? "memory is flat\n" : "MEMORY HAS GROWN\n");
    return accounted && flat ? 0 : 1;
}
