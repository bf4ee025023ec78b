// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// For ThreadSanitizer: timers are handed from thread to thread, armed in one, moved and cancelled in the next, destroyed
// in a third. Handing over is the only synchronisation, as the contract allows.

#include <boost_ext/steady_timer.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using timer = boost_ext::steady_timer;

/// A queue of timers between two threads; an empty optional ends it.
class belt
{
public:
    void put(std::optional<timer> t)
    {
        {
            std::lock_guard lock(mutex_);
            timers_.push_back(std::move(t));
        }
        ready_.notify_one();
    }

    std::optional<timer> get()
    {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return !timers_.empty(); });
        std::optional<timer> t = std::move(timers_.front());
        timers_.pop_front();
        return t;
    }

private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<std::optional<timer>> timers_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(concurrency_hand_over)

BOOST_AUTO_TEST_CASE(from_thread_to_thread)
{
    asio::io_context one, two;
    auto guard_one = asio::make_work_guard(one);
    auto guard_two = asio::make_work_guard(two);
    std::thread run_one([&] { one.run(); });
    std::thread run_two([&] { two.run(); });

    constexpr int number = 3000;
    std::atomic<int> completed{0}, started{0};
    auto handler = [&](error_code) { ++completed; };
    belt armed, moved;
    std::thread arm([&] {
        for (int i = 0; i < number; ++i)
        {
            timer t(i % 2 ? one : two, std::chrono::microseconds(i % 5 * 100));
            ++started;
            t.async_wait(handler);
            armed.put(std::move(t));
        }
        armed.put(std::nullopt);
    });
    std::thread change([&] {
        timer kept(one, 1h);
        for (int i = 0; auto t = armed.get(); ++i)
        {
            switch (i % 4)
            {
            case 0:
                t->cancel();
                break;
            case 1:
                t->reschedule_after(std::chrono::microseconds(i % 3 * 200));
                break;
            case 2:
                // Across contexts; what kept was waiting for is aborted.
                kept = std::move(*t);
                ++started;
                kept.async_wait(handler);
                t.emplace(two, 100us);
                ++started;
                t->async_wait(handler);
                break;
            default:
                break;
            }
            moved.put(std::move(t));
        }
        moved.put(std::nullopt);
    });
    std::thread end([&] {
        for (int i = 0; auto t = moved.get(); ++i)
            if (i % 2)
                t->cancel_one();
    });
    arm.join();
    change.join();
    end.join();
    guard_one.reset();
    guard_two.reset();
    run_one.join();
    run_two.join();
    BOOST_CHECK_EQUAL(completed, started);
}

// A chain of waits on a pool: each handler runs on whatever thread, and starts the next wait of its timer.
BOOST_AUTO_TEST_CASE(round_a_pool)
{
    asio::thread_pool pool(3);
    constexpr int chains = 20, length = 100;
    std::atomic<int> steps{0};
    std::vector<timer> timers;
    for (int i = 0; i < chains; ++i)
        timers.emplace_back(pool);
    struct next
    {
        timer& t;
        std::atomic<int>& steps;
        int left;
        void operator()(error_code)
        {
            ++steps;
            if (left == 0)
                return;
            t.expires_after(std::chrono::microseconds(left % 3 * 30));
            t.async_wait(next{t, steps, left - 1});
        }
    };
    for (auto& t : timers)
        t.async_wait(next{t, steps, length - 1});
    pool.join();
    BOOST_CHECK_EQUAL(steps, chains * length);
}

BOOST_AUTO_TEST_SUITE_END()
