// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// For ThreadSanitizer: many threads arm, move, reschedule, cancel and destroy timers of their own on one context, while
// others run it. Every wait completes exactly once, and none early.

#include <boost_ext/steady_timer.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using timer = boost_ext::steady_timer;

struct tally
{
    std::atomic<std::size_t> started{0}, succeeded{0}, aborted{0}, taken{0}, early{0};
};

// One thread's part. A handler sees the deadline it was started for, which rescheduling earlier may undercut.
void use_timers(asio::io_context& ctx, tally& all, unsigned seed)
{
    std::mt19937 random(seed);
    auto below = [&](unsigned n) { return random() % n; };
    std::vector<std::optional<timer>> timers(30);
    for (int step = 0; step < 4000; ++step)
    {
        auto& t = timers[below(30)];
        if (!t)
            t.emplace(ctx);
        const auto later = clock_type::now() + std::chrono::microseconds(below(400));
        switch (below(8))
        {
        case 0:
        case 1:
        case 2:
            all.taken += t->expires_at(later);
            ++all.started;
            t->async_wait([&all, later](error_code ec) {
                if (ec)
                {
                    ++all.aborted;
                    return;
                }
                ++all.succeeded;
                all.early += clock_type::now() < later;
            });
            break;
        case 3:
            all.taken += t->cancel();
            break;
        case 4:
            all.taken += t->cancel_one();
            break;
        case 5:
            t->reschedule_at((std::max)(later, t->expiry()));
            break;
        case 6:
        {
            auto& u = timers[below(30)];
            if (&u == &t || (u && u->expiry() > clock_type::time_point()))
                break;
            u.emplace(std::move(*t));
            break;
        }
        case 7:
            if (below(4) == 0)
            {
                all.taken += t->cancel();
                t.reset();
            }
            break;
        }
        if (step % 256 == 0)
            std::this_thread::yield();
    }
    for (auto& t : timers)
        if (t)
            all.taken += t->cancel();
}

} // namespace

BOOST_AUTO_TEST_SUITE(concurrency_arm_cancel_expire)

BOOST_AUTO_TEST_CASE(many_threads_on_one_context)
{
    tally all;
    asio::io_context ctx;
    auto guard = asio::make_work_guard(ctx);
    std::atomic<std::size_t> counted{0};
    std::vector<std::thread> runners, users;
    for (int i = 0; i < 2; ++i)
        runners.emplace_back([&] { counted += ctx.run(); });
    const unsigned seed = std::random_device()();
    BOOST_TEST_MESSAGE("seed " << seed);
    for (unsigned i = 0; i < 4; ++i)
        users.emplace_back([&, i] { use_timers(ctx, all, seed + i); });
    for (auto& t : users)
        t.join();
    guard.reset();
    for (auto& t : runners)
        t.join();
    BOOST_CHECK_EQUAL(all.succeeded + all.aborted, all.started);
    BOOST_CHECK_EQUAL(all.aborted, all.taken);
    BOOST_CHECK_EQUAL(counted, all.started);
    BOOST_CHECK_EQUAL(all.early, 0u);
}

// The wake-up that must not be lost: another thread arms earlier than everything that run() sleeps for.
BOOST_AUTO_TEST_CASE(ever_earlier_deadlines)
{
    asio::io_context ctx;
    auto guard = asio::make_work_guard(ctx);
    timer anchor(ctx, 1h);
    anchor.async_wait([](error_code) {});
    std::thread runner([&] { ctx.run(); });
    std::vector<std::thread> users;
    std::atomic<int> done{0};
    for (int i = 0; i < 3; ++i)
        users.emplace_back([&, i] {
            for (int k = 0; k < 300; ++k)
            {
                std::atomic<bool> fired{false};
                timer t(ctx, std::chrono::microseconds(50 * i));
                t.async_wait([&](error_code) { fired = true; });
                while (!fired)
                    std::this_thread::yield();
                ++done;
            }
        });
    for (auto& t : users)
        t.join();
    BOOST_CHECK_EQUAL(done, 900);
    anchor.cancel();
    guard.reset();
    runner.join();
}

BOOST_AUTO_TEST_CASE(rescheduled_by_many_threads)
{
    asio::io_context ctx;
    auto guard = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    std::atomic<int> fired{0};
    std::vector<std::thread> users;
    for (int i = 0; i < 4; ++i)
        users.emplace_back([&, i] {
            timer t(ctx, 1h);
            for (int k = 0; k < 100; ++k)
            {
                std::atomic<bool> done{false};
                t.expires_after(1h);
                t.async_wait([&](error_code ec) {
                    fired += !ec;
                    done = true;
                });
                for (int n = 0; n < 20; ++n)
                    t.reschedule_after(std::chrono::microseconds(3600000000 - n * 1000 + i));
                t.reschedule_after(std::chrono::microseconds(k % 7 * 20));
                while (!done)
                    std::this_thread::yield();
            }
        });
    for (auto& t : users)
        t.join();
    guard.reset();
    runner.join();
    BOOST_CHECK_EQUAL(fired, 400);
}

BOOST_AUTO_TEST_SUITE_END()
