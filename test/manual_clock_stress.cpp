// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Several threads advance one manual clock while several contexts, run by several threads, arm, cancel, reschedule and wait on it.
// Its point is ThreadSanitizer, and that no wait is lost, doubled or early.

#include <boost_ext/manual_clock.hpp>

#include <boost_ext/basic_waitable_timer.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

struct stress_tag;
using manual = boost_ext::basic_manual_clock<stress_tag>;
using timer = boost_ext::basic_waitable_timer<manual>;

struct account
{
    std::atomic<std::uint64_t> started{0}, fired{0}, aborted{0}, cancelled{0}, early{0};
};

/// Arms and is armed again from its own handler, on its context's strand.
class worker : public std::enable_shared_from_this<worker>
{
public:
    worker(asio::io_context& ctx, account& a, unsigned seed, int rounds)
        : strand_(asio::make_strand(ctx)), timer_(strand_), other_(strand_), account_(a), random_(seed), left_(rounds)
    {
    }

    void start()
    {
        asio::post(strand_, [self = shared_from_this()] { self->arm(); });
    }

private:
    void arm()
    {
        if (left_-- == 0)
        {
            account_.cancelled += other_.cancel();
            return;
        }
        timer_.expires_after(std::chrono::nanoseconds(random_() % 2000));
        ++account_.started;
        timer_.async_wait([self = shared_from_this(), due = timer_.expiry()](error_code ec) {
            self->finished(ec, due);
            self->arm();
        });
        if (random_() % 4 == 0)
        {
            account_.cancelled += other_.expires_after(std::chrono::nanoseconds(random_() % 5000));
            ++account_.started;
            other_.async_wait([self = shared_from_this()](error_code ec) { self->finished(ec, manual::time_point()); });
            other_.reschedule_after(std::chrono::nanoseconds(random_() % 5000));
        }
        if (random_() % 16 == 0)
            account_.cancelled += timer_.cancel();
        if (random_() % 64 == 0)
            manual::advance(std::chrono::nanoseconds(random_() % 100));
    }

    void finished(error_code ec, manual::time_point due)
    {
        if (ec)
            ++account_.aborted;
        else
        {
            ++account_.fired;
            if (manual::now() < due)
                ++account_.early;
        }
    }

    asio::strand<asio::io_context::executor_type> strand_;
    timer timer_, other_;
    account& account_;
    std::minstd_rand random_;
    int left_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(manual_clock_stress)

BOOST_AUTO_TEST_CASE(several_threads_advance_and_several_contexts_wait)
{
    manual::reset();
    account a;
    asio::io_context contexts[3];
    unsigned seed = 1;
    for (asio::io_context& ctx : contexts)
        for (int i = 0; i != 8; ++i)
            std::make_shared<worker>(ctx, a, seed++, 300)->start();

    std::atomic<bool> done{false};
    std::vector<std::thread> advancers;
    for (unsigned i = 0; i != 3; ++i)
        advancers.emplace_back([&done, i] {
            std::minstd_rand random(i + 1000);
            while (!done)
            {
                if (random() % 2)
                    manual::advance(std::chrono::nanoseconds(random() % 500));
                else if (random() % 2)
                    manual::advance_to_next();
                else
                    manual::advance_to(manual::now() + std::chrono::nanoseconds(random() % 100));
                std::this_thread::yield();
            }
        });
    // Blocking waits beside them.
    std::thread blocker([&] {
        timer t(contexts[0]);
        for (int i = 0; i != 50; ++i)
        {
            t.expires_after(500ns);
            t.wait();
            if (manual::now() < t.expiry())
                ++a.early;
        }
    });
    std::vector<std::thread> runners;
    for (asio::io_context& ctx : contexts)
        for (int i = 0; i != 2; ++i)
            runners.emplace_back([&ctx] { ctx.run(); });
    for (std::thread& t : runners)
        t.join(); // ends only if no wait is lost
    blocker.join();
    done = true;
    for (std::thread& t : advancers)
        t.join();

    BOOST_CHECK_EQUAL(a.started, a.fired + a.aborted);
    BOOST_CHECK_EQUAL(a.aborted, a.cancelled);
    BOOST_CHECK_EQUAL(a.early, 0u);
    BOOST_CHECK_GE(a.started, 3u * 8u * 300u);
}

BOOST_AUTO_TEST_CASE(arming_races_advancing)
{
    // One wait a round: if the arming thread missed the advance and the advancing one the wait, run() would hang.
    manual::reset();
    asio::io_context ctx;
    for (int i = 0; i != 1000; ++i)
    {
        std::atomic<int> ready{0};
        std::thread advancer([&] {
            ++ready;
            while (ready != 2)
            {
            }
            manual::advance(10ns);
        });
        timer t(ctx, 10ns);
        int calls = 0;
        ++ready;
        while (ready != 2)
        {
        }
        t.async_wait([&](error_code ec) {
            BOOST_CHECK(!ec);
            ++calls;
        });
        ctx.restart();
        BOOST_REQUIRE_EQUAL(ctx.run(), 1u);
        BOOST_REQUIRE_EQUAL(calls, 1);
        advancer.join();
    }
}

BOOST_AUTO_TEST_CASE(contexts_come_and_go_while_the_clock_moves)
{
    manual::reset();
    std::atomic<bool> done{false};
    std::thread advancer([&] {
        while (!done)
        {
            manual::advance(3ns);
            manual::advance_to_next();
            std::this_thread::yield();
        }
    });
    std::atomic<int> lost{0}; // Boost.Test's own checks are for one thread
    std::thread others[2];
    for (std::thread& t : others)
        t = std::thread([&lost] {
            for (int i = 0; i != 200; ++i)
            {
                asio::io_context ctx;
                timer a(ctx, 5ns), b(ctx, 1h);
                int calls = 0;
                a.async_wait([&](error_code) { ++calls; });
                b.async_wait([&](error_code) { ++calls; });
                ctx.run_one();
                if (calls == 0)
                    ++lost;
                // Whatever is pending or queued goes with the context.
            }
        });
    for (std::thread& t : others)
        t.join();
    done = true;
    advancer.join();
    BOOST_CHECK_EQUAL(lost, 0);
}

BOOST_AUTO_TEST_SUITE_END()
