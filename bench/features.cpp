// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// What is built on the timers: timeout over the bare operation, a million jobs, a day of intervals in virtual time.

#include "timer_workloads.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost_ext/interval.hpp>
#include <boost_ext/job_scheduler.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/timeout.hpp>

#include <unordered_map>

namespace {

using namespace bench;

/// A chain of posted operations, each with or without a limit.
template <bool Limited>
std::vector<double> bare_or_limited(std::size_t count)
{
    boost::asio::io_context context(1);
    boost_ext::steady_timer timer(context);
    struct chain
    {
        boost::asio::io_context& context;
        boost_ext::steady_timer& timer;
        std::size_t left;

        void go()
        {
            if (left-- == 0)
                return;
            timer.expires_at(clock::time_point());
            auto next = [this](boost::system::error_code) { go(); };
            if constexpr (Limited)
                timer.async_wait(boost_ext::timeout(seconds(30), next));
            else
                timer.async_wait(next);
        }
    };
    chain c{context, timer, count};
    const auto start = clock::now();
    c.go();
    context.run();
    return {nanoseconds_since(start) / static_cast<double>(count)};
}

/// {ns to submit, ns to cancel, bytes} a job.
std::vector<double> jobs(std::size_t n)
{
    boost::asio::io_context context(1);
    random_source random(5);
    std::vector<boost_ext::job_id> ids(n);
    const double before = bytes_in_use();
    boost_ext::job_scheduler scheduler(context);
    auto start = clock::now();
    for (boost_ext::job_id& id : ids)
        id = scheduler.run_after(far_away(random), [] {});
    const double submit = nanoseconds_since(start) / static_cast<double>(n);
    const double bytes = (bytes_in_use() - before) / static_cast<double>(n);
    start = clock::now();
    for (const boost_ext::job_id& id : ids)
        scheduler.cancel(id);
    context.poll();
    return {submit, nanoseconds_since(start) / static_cast<double>(n), bytes};
}

/// The same by hand: a timer for each job in a map, removed by its own handler.
std::vector<double> jobs_by_hand(std::size_t n)
{
    boost::asio::io_context context(1);
    random_source random(5);
    const double before = bytes_in_use();
    std::unordered_map<std::uint64_t, boost::asio::steady_timer> map;
    auto start = clock::now();
    for (std::uint64_t id = 0; id < n; ++id)
    {
        auto& timer = map.try_emplace(id, context, far_away(random)).first->second;
        timer.async_wait([&map, id](boost::system::error_code ec) {
            if (!ec)
                map.erase(id);
        });
    }
    const double submit = nanoseconds_since(start) / static_cast<double>(n);
    const double bytes = (bytes_in_use() - before) / static_cast<double>(n);
    start = clock::now();
    for (std::uint64_t id = 0; id < n; ++id)
        map.erase(id);
    context.poll();
    return {submit, nanoseconds_since(start) / static_cast<double>(n), bytes};
}

/// The same with plain timers of ours.
std::vector<double> plain_timers(std::size_t n)
{
    boost::asio::io_context context(1);
    random_source random(5);
    const double before = bytes_in_use();
    std::vector<boost_ext::steady_timer> timers;
    timers.reserve(n);
    auto start = clock::now();
    for (std::size_t i = 0; i < n; ++i)
    {
        timers.emplace_back(context, far_away(random));
        timers.back().async_wait(no_op{});
    }
    const double submit = nanoseconds_since(start) / static_cast<double>(n);
    const double bytes = (bytes_in_use() - before) / static_cast<double>(n);
    start = clock::now();
    timers.clear();
    context.poll();
    return {submit, nanoseconds_since(start) / static_cast<double>(n), bytes};
}

/// Seconds that a day of a thousand one-minute intervals takes in virtual time.
double virtual_day()
{
    using interval = boost_ext::basic_interval<boost_ext::manual_clock>;
    boost_ext::manual_clock::reset();
    boost::asio::io_context context(1);
    std::size_t ticks = 0;
    struct ticker
    {
        interval every;
        std::size_t& ticks;

        void go()
        {
            every.async_tick([this](boost::system::error_code ec, interval::tick_info) {
                if (ec)
                    return;
                ++ticks;
                go();
            });
        }
    };
    std::vector<std::unique_ptr<ticker>> tickers;
    for (int i = 0; i < 1000; ++i)
    {
        tickers.push_back(std::unique_ptr<ticker>(new ticker{interval(context, std::chrono::minutes(1)), ticks}));
        tickers.back()->go();
    }
    const auto start = clock::now();
    boost_ext::manual_clock::run_for(context, std::chrono::hours(24));
    const double s = nanoseconds_since(start) / 1e9;
    if (ticks != 1440000)
        std::fprintf(stderr, "\n%zu ticks, not 1440000\n", ticks);
    return s;
}

} // namespace

int main(int argc, char** argv)
{
    const options o(argc, argv);
    report out("features", o);
    const std::size_t n = o.max_n ? o.max_n : 1000000;
    if (o.wants("timeout"))
        compare(
            out, {{"timeout, over the bare wait", "ns"}}, "any", "bare wait", 1, 7, [] { return bare_or_limited<true>(20000); },
            [] { return bare_or_limited<false>(20000); });
    if (o.wants("jobs"))
    {
        const std::vector<row_name> rows{{"jobs: submit", "ns"}, {"jobs: cancel", "ns"}, {"jobs: memory", "B"}};
        compare(
            out, rows, "any", "Asio + map", n, 5, [n] { return jobs(n); }, [n] { return jobs_by_hand(n); });
        compare(
            out, rows, "any", "plain timers", n, 5, [n] { return jobs(n); }, [n] { return plain_timers(n); });
    }
    if (o.wants("virtual day"))
        compare(
            out, {{"virtual day, 1.44 M ticks", "s"}}, "manual", "a real day", 1000, o.quick ? 3 : 5,
            [] { return std::vector<double>{virtual_day()}; }, [] { return std::vector<double>{86400}; });
}
