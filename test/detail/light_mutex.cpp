// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Who may be in the mutex: one at a time, whether it is the owner or not.

#include <boost_ext/detail/light_mutex.hpp>

#include <boost/test/unit_test.hpp>

#ifdef BOOST_EXT_TEST_HAS_CONTEXT
#include <boost/context/fiber.hpp>
#endif

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using mutex = boost_ext::detail::light_mutex;
using guard = std::lock_guard<mutex>;

} // namespace

BOOST_AUTO_TEST_SUITE(light_mutex)

BOOST_AUTO_TEST_CASE(the_owner_and_those_that_come_later)
{
    for (int round = 0; round != 200; ++round)
    {
        mutex m;
        long n = 0;
        const auto count = [&] {
            for (int i = 0; i != 200; ++i)
            {
                guard lock(m);
                ++n;
            }
        };
        std::thread a(count), b(count);
        count();
        a.join();
        b.join();
        BOOST_REQUIRE_EQUAL(n, 600);
    }
}

BOOST_AUTO_TEST_CASE(an_owner_that_ended_and_threads_in_its_place)
{
    for (int round = 0; round != 50; ++round)
    {
        mutex* m = nullptr;
        long n = 0;
        std::thread([&] {
            m = new mutex;
            guard lock(*m);
            ++n;
        }).join();
        std::vector<std::thread> others; // one of them has the address of the first
        for (int t = 0; t != 3; ++t)
            others.emplace_back([&] {
                for (int i = 0; i != 100; ++i)
                {
                    guard lock(*m);
                    ++n;
                }
            });
        for (std::thread& t : others)
            t.join();
        BOOST_REQUIRE_EQUAL(n, 301);
        delete m;
    }
}

BOOST_AUTO_TEST_CASE(a_child_process_disowns_its_copy)
{
    mutex m;
    {
        guard lock(m);
    }
    const ::pid_t child = ::fork();
    if (child == 0)
    {
        long n = 0;
        const auto count = [&] {
            for (int i = 0; i != 10000; ++i)
            {
                guard lock(m);
                ++n;
            }
        };
        std::thread t(count);
        count();
        t.join();
        ::_exit(n == 20000 ? 0 : 1);
    }
    int status = -1;
    BOOST_REQUIRE_EQUAL(::waitpid(child, &status, 0), child);
    BOOST_TEST(status == 0);
    guard lock(m);
}

#ifdef BOOST_EXT_TEST_HAS_CONTEXT

BOOST_AUTO_TEST_CASE(a_stack_that_goes_on_in_another_thread_is_not_the_owner_there)
{
    mutex m;
    std::atomic<bool> held{false}, inside{false};
    boost::context::fiber fiber([&](boost::context::fiber&& caller) {
        for (int i = 0; i < 2; ++i) // a loop, as an optimiser then likes to keep what it thinks does not change
        {
            m.lock();
            for (held = i == 1; held && !inside && i != 50; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            BOOST_TEST(!inside);
            m.unlock();
            caller = std::move(caller).resume();
        }
        return std::move(caller);
    });
    fiber = std::move(fiber).resume();
    std::thread t([&] { fiber = std::move(fiber).resume(); });
    while (!held)
        std::this_thread::yield();
    {
        guard lock(m);
        inside = true;
    }
    t.join();
}

#endif

BOOST_AUTO_TEST_SUITE_END()
