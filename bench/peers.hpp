// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_PEERS_HPP
#define BOOST_EXT_BENCH_PEERS_HPP

// The rows that a timer of another library can be put to. A Loop offers
//
//   explicit Loop(std::size_t n);              n timers, none armed
//   void arm(std::size_t i, nanoseconds d);    arms, or moves the deadline of an armed one
//   void renew(std::size_t i, nanoseconds d);  destroys timer i, creates it anew and arms it
//   void poll();                               runs what is ready, does not block
//   std::size_t fired() const;

#include "timer_workloads.hpp"

namespace bench {

/// Ours behind the same interface: moving a deadline is reschedule_after.
class our_loop
{
public:
    static constexpr const char* name = "boost_ext";

    explicit our_loop(std::size_t n) : timers_(n) {}

    void arm(std::size_t i, nanoseconds d)
    {
        if (!timers_[i])
            timers_[i].emplace(context_);
        if (timers_[i]->reschedule_after(d) == 0)
            timers_[i]->async_wait(count{fired_});
    }

    void renew(std::size_t i, nanoseconds d)
    {
        timers_[i].reset();
        timers_[i].emplace(context_, d);
        timers_[i]->async_wait(count{fired_});
    }

    void poll()
    {
        context_.poll();
        context_.restart();
    }

    std::size_t fired() const { return fired_; }

private:
    struct count
    {
        std::size_t& fired;
        void operator()(const boost::system::error_code& ec) const { fired += !ec; }
    };

    boost::asio::io_context context_{1};
    std::size_t fired_ = 0;
    std::vector<std::optional<boost_ext::steady_timer>> timers_;
};

template <class Loop>
class moving
{
public:
    explicit moving(std::size_t n) : n_(n), loop_(n)
    {
        for (std::size_t i = 0; i < n; ++i)
            loop_.arm(i, far_away(random_));
    }

    double run(std::size_t count, bool renew)
    {
        const auto start = clock::now();
        for (std::size_t i = 0; i < count; ++i)
        {
            const std::size_t which = random_.below(n_);
            if (renew)
                loop_.renew(which, seconds(180));
            else
                loop_.arm(which, seconds(180));
            if (i % drain_every == drain_every - 1)
                loop_.poll();
        }
        return nanoseconds_since(start) / static_cast<double>(count);
    }

private:
    std::size_t n_;
    random_source random_{13};
    Loop loop_;
};

template <class Loop>
std::vector<double> arm_and_fire(std::size_t n)
{
    random_source random(3);
    Loop loop(n);
    const double count = static_cast<double>(n);
    const auto first = std::chrono::milliseconds(20) + nanoseconds(static_cast<std::int64_t>(count * 1000));
    const nanoseconds spread = std::chrono::milliseconds(250);
    auto start = clock::now();
    for (std::size_t i = 0; i < n; ++i)
        loop.arm(i, first + random.below(spread));
    const double schedule = nanoseconds_since(start) / count;
    std::this_thread::sleep_until(clock::now() + first + spread + std::chrono::milliseconds(5));
    start = clock::now();
    while (loop.fired() < n)
        loop.poll();
    return {schedule, nanoseconds_since(start) / count};
}

template <class Peer>
int compare_with(int argc, char** argv)
{
    const options o(argc, argv);
    report out(Peer::name, o);
    std::vector<std::size_t> sizes{1000, 100000, 1000000};
    const std::size_t slice = o.quick ? 50000 : 200000;
    for (std::size_t n : sizes)
    {
        if (o.max_n && n > o.max_n)
            continue;
        {
            moving<our_loop> ours(n);
            moving<Peer> theirs(n);
            for (bool renew : {false, true})
                compare(
                    out, {{renew ? "lifecycle, random order" : "move a deadline", "ns"}}, "any", Peer::name, n, 7,
                    [&] { return std::vector<double>{ours.run(slice, renew)}; },
                    [&] { return std::vector<double>{theirs.run(slice, renew)}; });
        }
        compare(
            out, {{"schedule", "ns"}, {"expire", "ns"}}, "any", Peer::name, n, 5, [n] { return arm_and_fire<our_loop>(n); },
            [n] { return arm_and_fire<Peer>(n); });
    }
    return 0;
}

} // namespace bench

#endif
