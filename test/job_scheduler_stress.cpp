// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Jobs submitted, moved, cancelled and stopped from several threads while they run. To be run under
// ThreadSanitizer.

#include <boost_ext/job_scheduler.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::job_id;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_scheduler_stress)

BOOST_AUTO_TEST_CASE(what_was_cancelled_never_starts_and_all_else_runs_once)
{
    constexpr int threads = 3;
    constexpr int jobs_each = 8000;
    asio::thread_pool pool(2);
    boost_ext::job_scheduler jobs(pool);
    std::vector<std::unique_ptr<std::atomic<int>>> state(threads * jobs_each);
    for (auto& s : state)
        s = std::make_unique<std::atomic<int>>(0);
    std::atomic<long> ran{0}, cancelled{0};
    std::vector<std::thread> submitters;
    for (int t = 0; t < threads; ++t)
    {
        submitters.emplace_back([&, t] {
            std::vector<job_id> ids;
            for (int i = 0; i < jobs_each; ++i)
            {
                std::atomic<int>& s = *state[static_cast<std::size_t>(t * jobs_each + i)];
                ids.push_back(jobs.run_after((i % 10) * 20us, [&] {
                    // 0: untouched, 1: ran, 2: cancel returned true
                    if (s.exchange(1) != 0)
                        ran = -1000000000;
                    ++ran;
                }));
                if (i % 3 == 0)
                    jobs.reschedule_after(ids[ids.size() / 2], 50us);
                if (i % 2 == 0 && jobs.cancel(ids[static_cast<std::size_t>(i) * 7 % ids.size()]))
                {
                    const std::size_t which = static_cast<std::size_t>(i) * 7 % ids.size();
                    if (state[static_cast<std::size_t>(t * jobs_each) + which]->exchange(2) != 0)
                        cancelled = -1000000000;
                    ++cancelled;
                }
            }
        });
    }
    for (auto& s : submitters)
        s.join();
    pool.join();
    BOOST_TEST(ran + cancelled == long{threads} * jobs_each);
    BOOST_TEST(jobs.size() == 0u);
}

BOOST_AUTO_TEST_CASE(periodic_jobs_never_overlap_and_async_cancel_waits_for_them)
{
    asio::thread_pool pool(3);
    boost_ext::job_scheduler jobs(pool);
    std::atomic<int> overlaps{0}, completions{0}, runs_after_cancel{0};
    for (int round = 0; round < 100; ++round)
    {
        struct shared
        {
            std::atomic<int> inside{0};
            std::atomic<bool> over{false};
            int unguarded = 0; // touched by runs alone, and at last by async_cancel's handler
        };
        auto s = std::make_shared<shared>();
        const job_id id = jobs.run_every(10us, [&, s] {
            if (++s->inside != 1)
                ++overlaps;
            if (s->over)
                ++runs_after_cancel;
            ++s->unguarded;
            --s->inside;
        });
        std::thread mover([&, id] {
            for (int i = 0; i < 20; ++i)
                jobs.reschedule_after(id, 5us);
        });
        std::this_thread::sleep_for(100us);
        std::promise<void> done;
        jobs.async_cancel(id, [&, s](error_code ec, bool cancelled) {
            if (!ec && cancelled)
                ++completions;
            s->over = true;
            ++s->unguarded;
            done.set_value();
        });
        done.get_future().wait();
        mover.join();
    }
    BOOST_TEST(overlaps == 0);
    BOOST_TEST(runs_after_cancel == 0);
    BOOST_TEST(completions == 100);
    jobs.stop();
    pool.join();
}

BOOST_AUTO_TEST_CASE(stop_races_with_everything)
{
    for (int round = 0; round < 60; ++round)
    {
        asio::thread_pool pool(2);
        auto jobs = std::make_unique<boost_ext::job_scheduler>(pool);
        std::atomic<int> running{0};
        std::atomic<bool> stopped{false};
        std::atomic<int> late{0};
        const auto work = [&] {
            ++running;
            if (stopped)
                ++late;
            --running;
        };
        std::thread submitter([&] {
            for (int i = 0; i < 200; ++i)
            {
                jobs->run_after(10us, work);
                jobs->run_every(20us, work, boost_ext::missed_tick::burst);
                jobs->cancel(jobs->run_after(10us, work));
            }
        });
        std::thread stopper([&, round] {
            std::this_thread::sleep_for(std::chrono::microseconds(20 * round));
            std::promise<void> done;
            jobs->async_stop([&](error_code) {
                stopped = true;
                done.set_value();
            });
            done.get_future().wait();
        });
        stopper.join();
        submitter.join();
        BOOST_TEST(jobs->size() == 0u);
        BOOST_TEST((jobs->run_after(0s, work) == job_id{}));
        jobs.reset();
        pool.join();
        BOOST_TEST(late == 0);
    }
}

BOOST_AUTO_TEST_CASE(destroyed_in_any_thread_while_jobs_run)
{
    for (int round = 0; round < 100; ++round)
    {
        asio::thread_pool pool(2);
        auto jobs = std::make_shared<boost_ext::job_scheduler>(pool);
        std::atomic<int> runs{0};
        for (int i = 0; i < 10; ++i)
            jobs->run_every(10us, [&] { ++runs; });
        std::atomic<int> completed{0};
        jobs->async_cancel(jobs->run_every(10us, [&] { ++runs; }), [&](error_code, bool cancelled) { completed += cancelled; });
        std::this_thread::sleep_for(50us);
        std::thread destroyer([j = std::move(jobs)]() mutable { j.reset(); });
        destroyer.join();
        pool.join();
        BOOST_TEST(completed == 1);
    }
}

BOOST_AUTO_TEST_CASE(contexts_that_go_while_jobs_are_pending_and_being_cancelled)
{
    for (int round = 0; round < 100; ++round)
    {
        std::atomic<int> alive{0};
        const auto make = [&] {
            ++alive;
            return std::shared_ptr<void>(nullptr, [&](void*) { --alive; });
        };
        {
            asio::thread_pool pool(2);
            boost_ext::job_scheduler jobs(pool);
            std::vector<job_id> ids;
            for (int i = 0; i < 50; ++i)
                ids.push_back(jobs.run_every((i + 1) * 10us, [g = make()] {}));
            std::this_thread::sleep_for(100us);
            for (std::size_t i = 0; i < ids.size(); i += 2)
                jobs.async_cancel(ids[i], [g = make()](error_code, bool) {});
            pool.stop();
        }
        BOOST_TEST(alive == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
