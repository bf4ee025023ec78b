// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// For ThreadSanitizer: a context is stopped while threads use its timers, and destroyed with waits in every state. No
// handler is lost, none is destroyed twice.

#include <boost_ext/steady_timer.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using timer = boost_ext::steady_timer;

/// Counts those of its kind that exist.
class counted
{
public:
    explicit counted(std::atomic<int>& alive) : alive_(&alive) { ++*alive_; }

    counted(const counted& other) : alive_(other.alive_) { ++*alive_; }

    ~counted() { --*alive_; }

    counted& operator=(const counted&) = delete;

private:
    std::atomic<int>* alive_;
};

/// A clock that, looked at by the thread that runs the context, gives another one time to start a wait: `looking` is 2 then.
struct slow_clock
{
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<slow_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;

    static inline std::atomic<int> looking{0};

    static time_point now()
    {
        int expected = 1;
        if (looking.compare_exchange_strong(expected, 2))
            std::this_thread::sleep_for(30ms);
        return time_point(std::chrono::steady_clock::now().time_since_epoch());
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(concurrency_stop_destroy)

BOOST_AUTO_TEST_CASE(stopped_and_destroyed_under_load)
{
    for (int round = 0; round < 20; ++round)
    {
        std::atomic<int> alive{0};
        {
            asio::io_context ctx;
            auto guard = asio::make_work_guard(ctx);
            std::atomic<bool> enough{false};
            std::vector<std::thread> threads;
            for (int i = 0; i < 2; ++i)
                threads.emplace_back([&] { ctx.run(); });
            for (int i = 0; i < 2; ++i)
                threads.emplace_back([&, i] {
                    for (int k = 0; !enough; ++k)
                    {
                        // The handler owns its timer.
                        auto t = std::make_shared<timer>(ctx, std::chrono::microseconds(k % 5 * 100 + i));
                        t->async_wait([t, c = counted(alive)](error_code) {});
                        if (k % 7 == 0)
                        {
                            timer u(ctx, 1h);
                            u.async_wait([c = counted(alive)](error_code) {});
                        }
                    }
                });
            std::this_thread::sleep_for(2ms);
            ctx.stop();
            std::this_thread::sleep_for(1ms);
            enough = true;
            for (auto& t : threads)
                t.join();
            BOOST_TEST_MESSAGE(alive << " handlers are destroyed with the context"); // on a busy machine, maybe none
        }
        BOOST_REQUIRE_EQUAL(alive, 0);
    }
}

BOOST_AUTO_TEST_CASE(a_pool_destroyed_under_load)
{
    for (int round = 0; round < 20; ++round)
    {
        std::atomic<int> alive{0};
        {
            asio::thread_pool pool(2);
            for (int i = 0; i < 100; ++i)
            {
                auto t = std::make_shared<timer>(pool, std::chrono::microseconds(i * 10));
                t->async_wait([t, c = counted(alive)](error_code) {
                    t->expires_after(100us);
                    t->async_wait([t, c](error_code) {});
                });
            }
            if (round % 2)
                std::this_thread::sleep_for(500us);
            pool.stop();
        }
        BOOST_REQUIRE_EQUAL(alive, 0);
    }
}

BOOST_AUTO_TEST_CASE(stopped_and_restarted_under_load)
{
    asio::io_context ctx;
    std::atomic<std::size_t> started{0}, completed{0};
    std::atomic<bool> enough{false};
    std::thread user([&] {
        std::vector<timer> timers;
        for (int i = 0; i < 50; ++i)
            timers.emplace_back(ctx);
        for (std::size_t k = 0; k < 5000; ++k)
        {
            timer& t = timers[k % timers.size()];
            t.expires_after(std::chrono::microseconds(k % 11 * 50));
            ++started;
            t.async_wait([&](error_code) { ++completed; });
        }
        enough = true;
    });
    while (!enough)
    {
        std::thread stopper([&] { ctx.stop(); });
        ctx.run();
        stopper.join();
        ctx.restart();
    }
    user.join();
    ctx.run();
    BOOST_CHECK_EQUAL(completed, started);
}

BOOST_AUTO_TEST_CASE(restarted_while_the_function_that_started_the_last_wait_is_yet_to_return)
{
    for (int round = 0; round < 10; ++round)
    {
        asio::io_context ctx;
        timer t(ctx);
        boost_ext::basic_waitable_timer<slow_clock> slow(ctx, 1ms);
        slow.async_wait([](error_code) {});
        slow_clock::looking = 0;
        // While the reactor looks at `slow`, and has yet to look at `t`.
        std::thread user([&] {
            while (slow_clock::looking != 2)
                std::this_thread::yield();
            t.expires_at((timer::time_point::min)());
            t.async_wait([](error_code) {});
        });
        std::this_thread::sleep_for(2ms);
        slow_clock::looking = 1;
        ctx.run();
        ctx.restart();
        std::this_thread::sleep_for(5ms);
        bool called = false;
        asio::post(ctx, [&] { called = true; });
        ctx.run();
        BOOST_CHECK(called);
        user.join();
        ctx.restart();
        ctx.run();
    }
}

BOOST_AUTO_TEST_SUITE_END()
