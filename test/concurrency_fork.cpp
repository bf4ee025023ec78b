// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// For ThreadSanitizer: a process forks with thousands of waits pending, while another context is busy in other threads.
// The forking context itself is at rest meanwhile, as notify_fork demands.

#include <boost_ext/steady_timer.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using timer = boost_ext::steady_timer;

} // namespace

BOOST_AUTO_TEST_SUITE(concurrency_fork)

BOOST_AUTO_TEST_CASE(fork_under_load)
{
    // The load: threads of another context, which the children never touch.
    asio::io_context other;
    auto guard = asio::make_work_guard(other);
    std::atomic<bool> enough{false};
    std::vector<std::thread> load;
    load.emplace_back([&] { other.run(); });
    load.emplace_back([&] {
        std::vector<timer> timers;
        for (int i = 0; i < 20; ++i)
            timers.emplace_back(other);
        for (std::size_t k = 0; !enough; ++k)
        {
            timer& t = timers[k % timers.size()];
            t.expires_after(std::chrono::microseconds(k % 5 * 50));
            t.async_wait([](error_code) {});
            if (k % 64 == 0)
                std::this_thread::sleep_for(100us);
        }
    });

    constexpr std::size_t number = 2000;
    for (int round = 0; round < 5; ++round)
    {
        asio::io_context ctx;
        std::size_t fired = 0;
        std::vector<timer> timers;
        timers.reserve(number);
        for (std::size_t i = 0; i < number; ++i)
        {
            timers.emplace_back(ctx, std::chrono::microseconds(i % 50 * 100));
            timers.back().async_wait([&](error_code ec) { fired += !ec; });
        }
        // Some fire before the fork, some were postponed, so that the kernel timer stands too early.
        std::size_t before = ctx.poll();
        for (std::size_t i = 0; i < number; i += 3)
            timers[i].reschedule_after(3ms);

        ctx.notify_fork(asio::execution_context::fork_prepare);
        const pid_t child = ::fork();
        BOOST_REQUIRE(child >= 0);
        if (child == 0)
        {
            ctx.notify_fork(asio::execution_context::fork_child);
            before += ctx.run();
            ::_exit(before == number && fired == number ? 0 : 1);
        }
        ctx.notify_fork(asio::execution_context::fork_parent);
        before += ctx.run();
        BOOST_CHECK_EQUAL(before, number);
        BOOST_CHECK_EQUAL(fired, number);
        int status = -1;
        BOOST_CHECK_EQUAL(::waitpid(child, &status, 0), child);
        BOOST_CHECK(WIFEXITED(status));
        BOOST_CHECK_EQUAL(WEXITSTATUS(status), 0);
    }
    enough = true;
    load[1].join();
    guard.reset();
    load[0].join();
}

// The context's own threads rest at a gate while the process forks, and go on afterwards.
BOOST_AUTO_TEST_CASE(fork_between_two_runs_of_several_threads)
{
    asio::io_context ctx;
    std::atomic<std::size_t> completed{0};
    std::size_t started = 0;
    for (int round = 0; round < 5; ++round)
    {
        std::vector<timer> timers;
        for (int i = 0; i < 200; ++i)
        {
            timers.emplace_back(ctx, std::chrono::microseconds(i * 20));
            timers.back().async_wait([&](error_code) { ++completed; });
            ++started;
        }
        const std::size_t so_far = completed;
        ctx.restart();
        {
            std::thread second([&] { ctx.run_for(1ms); });
            ctx.run_for(1ms);
            second.join();
        }
        ctx.notify_fork(asio::execution_context::fork_prepare);
        const pid_t child = ::fork();
        BOOST_REQUIRE(child >= 0);
        if (child == 0)
        {
            ctx.notify_fork(asio::execution_context::fork_child);
            ctx.restart();
            ctx.run();
            ::_exit(completed == so_far + 200 ? 0 : 1);
        }
        ctx.notify_fork(asio::execution_context::fork_parent);
        ctx.restart();
        std::thread second([&] { ctx.run(); });
        ctx.run();
        second.join();
        BOOST_CHECK_EQUAL(completed, started);
        int status = -1;
        BOOST_CHECK_EQUAL(::waitpid(child, &status, 0), child);
        BOOST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
