// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// System calls, counted by standing in front of the C library; wake-ups with slack; and lateness.

#include "timer_workloads.hpp"

#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cmath>
#include <functional>

namespace {

std::atomic<std::size_t> timer_settings{0};
std::atomic<std::size_t> polls{0};

} // namespace

extern "C" int timerfd_settime(int fd, int flags, const itimerspec* to, itimerspec* old)
{
    static const auto next = reinterpret_cast<decltype(&timerfd_settime)>(::dlsym(RTLD_NEXT, "timerfd_settime"));
    ++timer_settings;
    return next(fd, flags, to, old);
}

extern "C" int epoll_wait(int fd, epoll_event* events, int max, int timeout)
{
    static const auto next = reinterpret_cast<decltype(&epoll_wait)>(::dlsym(RTLD_NEXT, "epoll_wait"));
    ++polls;
    return next(fd, events, max, timeout);
}

namespace {

using namespace bench;

std::vector<double> calls_since(std::size_t settings, std::size_t waits, double by)
{
    const auto s = static_cast<double>(timer_settings - settings);
    const auto w = static_cast<double>(polls - waits);
    return {(s + w) / by, s / by, w / by};
}

/// One timer that is armed again by its own handler, every millisecond.
template <class Timer>
std::vector<double> tick(std::size_t ticks)
{
    boost::asio::io_context context(1);
    Timer timer(context);
    std::size_t left = ticks;
    std::function<void(boost::system::error_code)> next = [&](boost::system::error_code) {
        if (left-- == 0)
            return;
        timer.expires_after(std::chrono::milliseconds(1));
        timer.async_wait([&next](boost::system::error_code ec) { next(ec); });
    };
    const std::size_t s = timer_settings, w = polls;
    next({});
    context.run();
    return calls_since(s, w, static_cast<double>(ticks));
}

/// One timer postponed a thousand times inside a handler, then cancelled.
template <class Timer, class Step>
std::vector<double> postpone()
{
    boost::asio::io_context context(1);
    Timer timer(context, seconds(60));
    timer.async_wait(no_op{});
    boost::asio::post(context, [&] {
        for (int i = 0; i < 1000; ++i)
            Step()(timer, seconds(60));
        timer.cancel();
    });
    const std::size_t s = timer_settings, w = polls;
    context.run();
    return calls_since(s, w, 1);
}

template <class Timer>
std::vector<double> slack_wakeups(std::size_t n, bool with_slack)
{
    boost::asio::io_context context(1);
    random_source random(31);
    std::vector<Timer> timers;
    timers.reserve(n);
    const std::size_t w = polls;
    for (std::size_t i = 0; i < n; ++i)
    {
        timers.emplace_back(context);
        if constexpr (!std::is_same_v<Timer, boost::asio::steady_timer>)
            if (with_slack)
                timers.back().slack(std::chrono::milliseconds(50));
        timers.back().expires_after(std::chrono::milliseconds(10) + random.below(seconds(1)));
        timers.back().async_wait(no_op{});
    }
    context.run();
    return {static_cast<double>(polls - w)};
}

/// Lateness of waits of 1 to 3 ms, in microseconds; each call makes one wait.
template <class Timer>
class lateness
{
public:
    double once(nanoseconds d)
    {
        double late = 0;
        timer_.expires_after(d);
        timer_.async_wait([&](boost::system::error_code) { late = nanoseconds_since(timer_.expiry()) / 1000; });
        context_.run();
        context_.restart();
        return late;
    }

private:
    boost::asio::io_context context_{1};
    Timer timer_{context_};
};

double quantile(std::vector<double> v, double q)
{
    std::sort(v.begin(), v.end());
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
}

/// Wait by wait in turns, so that a disturbance meets both alike.
void precision(report& out, const options& o, const std::string& state)
{
    if (!o.wants("lateness"))
        return;
    lateness<boost_ext::steady_timer> ours;
    lateness<boost::asio::steady_timer> theirs;
    random_source random(41);
    const std::size_t rounds = 5, samples = o.quick ? 200 : 1500;
    std::vector<result> rows(4);
    const char* names[] = {"lateness p50, ", "lateness p99, ", "lateness max, ", "fired early, "};
    std::vector<double> histograms[2] = {std::vector<double>(32), std::vector<double>(32)};
    for (std::size_t round = 0; round < rounds; ++round)
    {
        progress("lateness, " + state, 1, round + 1, rounds);
        std::vector<double> late[2];
        for (std::size_t i = 0; i < samples; ++i)
        {
            const nanoseconds d = std::chrono::milliseconds(1) + random.below(std::chrono::milliseconds(2));
            for (std::size_t turn = 0; turn < 2; ++turn)
            {
                const std::size_t who = (i + turn) % 2;
                late[who].push_back(who == 0 ? ours.once(d) : theirs.once(d));
            }
        }
        for (std::size_t who = 0; who < 2; ++who)
        {
            const auto early = std::count_if(late[who].begin(), late[who].end(), [](double l) { return l < 0; });
            const double values[] = {
                quantile(late[who], 0.5), quantile(late[who], 0.99), quantile(late[who], 1), static_cast<double>(early)};
            for (std::size_t k = 0; k < 4; ++k)
                (who == 0 ? rows[k].ours : rows[k].theirs).push_back(values[k]);
            for (double l : late[who])
                ++histograms[who][static_cast<std::size_t>(std::min(31.0, std::max(0.0, 2 * std::log2(std::max(l, 1.0)))))];
        }
    }
    for (std::size_t k = 0; k < 4; ++k)
    {
        rows[k].row = names[k] + state;
        rows[k].unit = k == 3 ? "" : "us";
        rows[k].variant = "any";
        rows[k].peer = "Asio";
        rows[k].n = 1;
        out.add(std::move(rows[k]));
    }
    out.add_series("lateness " + state + " ours", histograms[0]);
    out.add_series("lateness " + state + " theirs", histograms[1]);
}

} // namespace

int main(int argc, char** argv)
{
    using ours = boost_ext::steady_timer;
    using theirs = boost::asio::steady_timer;
    const options o(argc, argv);
    report out("kernel", o);

    const std::size_t ticks = o.quick ? 200 : 1000;
    if (o.wants("system calls"))
    {
        compare(
            out, {{"system calls a tick", ""}, {"  timerfd_settime", ""}, {"  epoll_wait", ""}}, "any", "Asio", 1, 5,
            [&] { return tick<ours>(ticks); }, [&] { return tick<theirs>(ticks); });
        compare(
            out, {{"system calls, 1000 postponements", ""}, {"  timerfd_settime", ""}, {"  epoll_wait", ""}}, "re-arm", "Asio", 1,
            5, [] { return postpone<ours, rearm_step>(); }, [] { return postpone<theirs, rearm_step>(); });
        compare(
            out, {{"system calls, 1000 postponements", ""}, {"  timerfd_settime", ""}, {"  epoll_wait", ""}}, "reschedule",
            "Asio", 1, 5, [] { return postpone<ours, reschedule_step>(); }, [] { return postpone<theirs, rearm_step>(); });
    }
    if (o.wants("wake-ups"))
        compare(
            out, {{"wake-ups, 1000 timers in 1 s, 50 ms slack", ""}}, "any", "Asio", 1000, o.quick ? 1 : 5,
            [] { return slack_wakeups<ours>(1000, true); }, [] { return slack_wakeups<theirs>(1000, false); });

    precision(out, o, "idle");
    {
        std::atomic<bool> stop{false};
        const auto spin = [&] {
            while (!stop.load(std::memory_order_relaxed))
            {
            }
        };
        std::thread a(spin), b(spin);
        precision(out, o, "busy");
        stop = true;
        a.join();
        b.join();
    }
}
