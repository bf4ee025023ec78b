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

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using mutex = boost_ext::detail::light_mutex;
using guard = std::lock_guard<mutex>;

/// Have the kernel refuse membarrier to this process, as a sandbox may. False if that cannot be.
bool forbid_barriers()
{
    ::sock_filter allow_the_rest[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const ::sock_fprog program{4, allow_the_rest};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

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

BOOST_AUTO_TEST_CASE(a_sandbox_that_was_entered_after_the_first_mutex)
{
    mutex first;
    const ::pid_t child = ::fork();
    if (child == 0)
    {
        ::alarm(60);
        if (!forbid_barriers())
            ::_exit(0);
        std::atomic<mutex*> shared{nullptr};
        long n = 0;
        std::thread([&] {
            for (int round = 0;; ++round)
            {
                mutex* m;
                while (!(m = shared))
                {
                }
                for (int i = 0; i != round % 50 * 8; ++i)
                    static_cast<void>(shared.load());
                {
                    guard lock(*m);
                    ++n;
                }
                shared = nullptr;
            }
        }).detach();
        for (int round = 0; round != 200; ++round)
        {
            mutex m;
            n = 0;
            long own = 0;
            for (shared = &m; shared; ++own)
            {
                guard lock(m);
                ++n;
            }
            if (n != own + 1)
                ::_exit(1);
        }
        ::_exit(0);
    }
    int status = -1;
    BOOST_REQUIRE_EQUAL(::waitpid(child, &status, 0), child);
    BOOST_TEST(status == 0);
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
