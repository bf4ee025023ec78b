// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BENCH_TIMER_WORKLOADS_HPP
#define BOOST_EXT_BENCH_TIMER_WORKLOADS_HPP

// What is done with the timers. Every workload is a template over the timer type and uses the public interface that
// both have; only reschedule uses what ours adds.

#include "harness.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/version.hpp>

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/steady_timer.hpp>

#include <malloc.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

namespace bench {

using std::chrono::nanoseconds;
using std::chrono::seconds;

/// The cheapest handler there is: what is measured is the timer.
struct no_op
{
    void operator()(const boost::system::error_code&) const {}
};

/// How many aborted waits may pile up before they are drained.
constexpr std::size_t drain_every = 64;

/// Deadlines that do not come while the benchmark runs.
inline nanoseconds far_away(random_source& random)
{
    return seconds(120) + random.below(seconds(60));
}

inline void describe(report& out)
{
    out.add_series("boost_version", {static_cast<double>(BOOST_VERSION)});
}

/// One timeout for all, as a server has it: later than anything that is pending.
struct same_duration
{
    static nanoseconds draw(random_source&) { return seconds(180); }
};

/// Any duration: half of the new deadlines are earlier than the old ones.
struct any_duration
{
    static nanoseconds draw(random_source& random) { return far_away(random); }
};

/// n timers on one context, all armed.
template <class Timer>
class population
{
public:
    population(std::size_t n, int concurrency_hint) : context_(concurrency_hint)
    {
        timers_.reserve(n);
        for (std::size_t i = 0; i < n; ++i)
        {
            timers_.emplace_back(context_);
            timers_.back().expires_after(far_away(random_));
            timers_.back().async_wait(no_op{});
        }
    }

    boost::asio::io_context& context() { return context_; }
    std::vector<Timer>& timers() { return timers_; }
    random_source& random() { return random_; }

private:
    boost::asio::io_context context_;
    std::vector<Timer> timers_;
    random_source random_{7};
};

/// expires_after and async_wait on one timer picked at random: the previous wait is aborted.
struct rearm_step
{
    static constexpr bool aborts = true;

    template <class Timer>
    void operator()(Timer& timer, nanoseconds d) const
    {
        timer.expires_after(d);
        timer.async_wait(no_op{});
    }
};

/// Moves the deadline of a timer picked at random, and its wait goes on: there is nothing to drain.
struct reschedule_step
{
    static constexpr bool aborts = false;

    template <class Timer>
    void operator()(Timer& timer, nanoseconds d) const
    {
        timer.reschedule_after(d);
    }
};

template <class Timer, class Step, class Duration>
class steps
{
public:
    explicit steps(std::size_t n) : population_(n, 1) {}

    double run(std::size_t count)
    {
        random_source& random = population_.random();
        std::vector<Timer>& timers = population_.timers();
        const clock::time_point start = clock::now();
        for (std::size_t i = 0; i < count; ++i)
        {
            Step()(timers[random.below(timers.size())], Duration::draw(random));
            if (Step::aborts && i % drain_every == drain_every - 1)
                population_.context().poll();
        }
        return nanoseconds_since(start) / static_cast<double>(count);
    }

private:
    population<Timer> population_;
};

template <class Timer, class Duration = same_duration>
using rearm = steps<Timer, rearm_step, Duration>;

template <class Timer, class Duration = same_duration>
using reschedule = steps<Timer, reschedule_step, Duration>;

/// With n alive: destroys one, and creates and arms another in its place; the oldest, or one picked at random.
template <class Timer, bool Random>
class lifecycle
{
public:
    explicit lifecycle(std::size_t n) : timers_(n)
    {
        for (std::optional<Timer>& t : timers_)
            make(t);
    }

    double run(std::size_t count)
    {
        const clock::time_point start = clock::now();
        for (std::size_t i = 0; i < count; ++i)
        {
            if (Random)
                next_ = random_.below(timers_.size());
            make(timers_[next_]);
            if (++next_ == timers_.size())
                next_ = 0;
            if (i % drain_every == drain_every - 1)
                context_.poll();
        }
        return nanoseconds_since(start) / static_cast<double>(count);
    }

private:
    void make(std::optional<Timer>& t)
    {
        t.reset();
        t.emplace(context_, seconds(30));
        t->async_wait(no_op{});
    }

    boost::asio::io_context context_{1};
    std::vector<std::optional<Timer>> timers_;
    random_source random_{11};
    std::size_t next_ = 0;
};

/// Arms n timers with random deadlines, lets all of them pass, then runs the handlers. {schedule, expire}, ns a timer.
template <class Timer>
std::vector<double> schedule_and_expire(std::size_t n)
{
    boost::asio::io_context context(1);
    std::vector<Timer> timers;
    timers.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        timers.emplace_back(context);

    random_source random(3);
    const double count = static_cast<double>(n);
    const nanoseconds spread = std::chrono::milliseconds(250);
    const auto first = clock::now() + std::chrono::milliseconds(20) + nanoseconds(static_cast<std::int64_t>(count * 800));

    const auto start = clock::now();
    for (Timer& t : timers)
    {
        t.expires_at(first + random.below(spread));
        t.async_wait(no_op{});
    }
    const double schedule = nanoseconds_since(start) / count;

    std::this_thread::sleep_until(first + spread + std::chrono::milliseconds(1));
    const auto expired = clock::now();
    const std::size_t ran = context.run();
    const double expire = nanoseconds_since(expired) / count;
    if (ran != n)
        std::fprintf(stderr, "\n%zu handlers ran, not %zu\n", ran, n);
    return {schedule, expire};
}

/// n timers due at the same instant, and beside them a post that posts itself again. {ns a timer, the longest time that
/// the post waited for its turn, in ms}.
template <class Timer>
std::vector<double> expire_at_once(std::size_t n)
{
    boost::asio::io_context context(1);
    std::vector<Timer> timers;
    timers.reserve(n);
    const auto due = clock::now() + std::chrono::milliseconds(20) + nanoseconds(static_cast<std::int64_t>(n) * 800);
    std::size_t fired = 0;
    for (std::size_t i = 0; i < n; ++i)
    {
        timers.emplace_back(context, due);
        timers.back().async_wait([&fired](const boost::system::error_code&) { ++fired; });
    }
    std::this_thread::sleep_until(due + std::chrono::milliseconds(1));

    struct bystander
    {
        boost::asio::io_context& context;
        const std::size_t& fired;
        std::size_t n;
        double longest = 0;

        void go()
        {
            boost::asio::post(context, [this, posted = clock::now()] {
                longest = std::max(longest, nanoseconds_since(posted));
                if (fired < n)
                    go();
            });
        }
    };
    bystander beside{context, fired, n};
    beside.go();
    const auto start = clock::now();
    context.run();
    return {nanoseconds_since(start) / static_cast<double>(n), beside.longest / 1e6};
}

/// Two threads run one context, and each takes steps on timers of its own. Wall time a step of one thread.
template <class Timer, class Step>
class two_threads
{
public:
    explicit two_threads(std::size_t n) : population_(n, 2) {}

    double run(std::size_t count)
    {
        std::atomic<int> ready{0};
        const auto work = [&](std::size_t part) {
            random_source random(part + 21 + round_);
            std::vector<Timer>& timers = population_.timers();
            const std::size_t half = timers.size() / 2;
            ++ready;
            while (ready != 2)
                std::this_thread::yield();
            for (std::size_t i = 0; i < count; ++i)
            {
                Step()(timers[part * half + random.below(half)], same_duration::draw(random));
                if (Step::aborts && i % drain_every == drain_every - 1)
                    population_.context().poll();
            }
        };
        std::thread other(work, 1u);
        while (ready != 1)
            std::this_thread::yield();
        const clock::time_point start = clock::now();
        work(0u);
        other.join();
        ++round_;
        return nanoseconds_since(start) / static_cast<double>(count);
    }

private:
    population<Timer> population_;
    std::uint64_t round_ = 0;
};

/// Bytes that the allocator has handed out, headers included.
inline double bytes_in_use()
{
    const struct mallinfo2 m = ::mallinfo2();
    return static_cast<double>(m.uordblks + m.hblkhd);
}

/// Bytes a timer that has one wait pending, everything included: the object, the operation, the queue.
template <class Timer>
std::vector<double> memory_per_wait(std::size_t n)
{
    const double before = bytes_in_use();
    population<Timer> p(n, 1);
    return {(bytes_in_use() - before) / static_cast<double>(n)};
}

/// KiB that stay with the context, beyond what it had with n timers, when a burst of timers has come and gone.
template <class Timer>
std::vector<double> memory_after_burst(std::size_t n, std::size_t burst)
{
    population<Timer> p(n, 1);
    const double before = bytes_in_use();
    {
        random_source random(5);
        std::vector<Timer> more;
        more.reserve(burst);
        for (std::size_t i = 0; i < burst; ++i)
        {
            more.emplace_back(p.context(), far_away(random));
            more.back().async_wait(no_op{});
        }
        for (Timer& t : more)
            t.cancel();
        p.context().poll();
    }
    return {(bytes_in_use() - before) / 1024};
}

} // namespace bench

#endif
