// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Expiry, cancel and stop race for the same waits from three threads and more: each wait completes
// exactly once, what cancel counted is what was aborted, and nothing is left. To be run under
// ThreadSanitizer.

#include <boost_ext/named_timers.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

struct counters
{
    std::atomic<long> expired{0}, cancelled{0}, stopped{0}, other{0};

    void count(error_code ec)
    {
        if (!ec)
            ++expired;
        else if (ec == asio::error::operation_aborted)
            ++cancelled;
        else if (ec == boost_ext::error::stopped)
            ++stopped;
        else
            ++other;
    }

    long total() const { return expired + cancelled + stopped + other; }
};

const std::vector<std::string> names_in_use{"alice", "bob", "carol", "dave"};

} // namespace

BOOST_AUTO_TEST_SUITE(named_timers_stress)

BOOST_AUTO_TEST_CASE(expiry_cancel_and_stop_from_three_threads)
{
    constexpr int rounds = 110;
    constexpr int waits = 1000;
    counters counts;
    long counted_by_cancel = 0;
    for (int round = 0; round < rounds; ++round)
    {
        asio::io_context io;
        boost_ext::named_timers names(io);
        std::vector<std::unique_ptr<std::atomic<int>>> calls;
        for (int i = 0; i < waits; ++i)
        {
            calls.push_back(std::make_unique<std::atomic<int>>(0));
            names.async_wait(
                names_in_use[static_cast<std::size_t>(i % 4)], (i % 50) * 10us, [&, c = calls.back().get()](error_code ec) {
                    ++*c;
                    counts.count(ec);
                });
        }
        std::thread expiry([&] { io.run(); });
        std::thread canceller([&] {
            for (int i = 0; names.size() != 0; ++i)
            {
                counted_by_cancel += static_cast<long>(names.cancel(names_in_use[static_cast<std::size_t>(i % 4)], 3));
                names.reschedule_after(names_in_use[static_cast<std::size_t>(i / 4 % 4)], 100us);
            }
        });
        std::thread stopper([&, round] {
            std::this_thread::sleep_for(std::chrono::microseconds(round * 7));
            names.stop();
        });
        stopper.join();
        canceller.join();
        expiry.join();
        for (const auto& c : calls)
            BOOST_TEST_REQUIRE(c->load() == 1);
        BOOST_TEST_REQUIRE(names.size() == 0u);
    }
    BOOST_TEST(counts.total() == long{rounds} * waits);
    BOOST_TEST(counts.cancelled == counted_by_cancel);
    BOOST_TEST(counts.other == 0);
    BOOST_TEST_MESSAGE("expired " << counts.expired << ", cancelled " << counts.cancelled << ", stopped " << counts.stopped);
}

BOOST_AUTO_TEST_CASE(of_each_wait_it_is_known_whether_cancel_took_it)
{
    constexpr int rounds = 40;
    constexpr std::size_t waits = 500;
    std::vector<std::string> name;
    for (std::size_t i = 0; i < waits; ++i)
        name.push_back("wait " + std::to_string(i));
    for (int round = 0; round < rounds; ++round)
    {
        asio::io_context io;
        boost_ext::named_timers names(io);
        auto strand = asio::make_strand(io);
        std::vector<counters> counts(waits);
        std::vector<long> taken(waits, 0);
        for (std::size_t i = 0; i < waits; ++i)
            names.async_wait(name[i], std::chrono::microseconds(i % 100),
                asio::bind_executor(strand, [&counts, i](error_code ec) { counts[i].count(ec); }));
        std::thread expiry([&] { io.run(); });
        std::thread also_expiry([&] { io.run(); });
        std::thread stopper([&, round] {
            std::this_thread::sleep_for(std::chrono::microseconds(round * 10));
            names.stop();
        });
        for (std::size_t i = 0; i < waits; ++i)
        {
            taken[i * 7 % waits] = static_cast<long>(names.cancel(name[i * 7 % waits]));
            names.reschedule_after(name[i * 3 % waits], 20us);
        }
        stopper.join();
        expiry.join();
        also_expiry.join();
        for (std::size_t i = 0; i < waits; ++i)
        {
            BOOST_TEST_REQUIRE(counts[i].total() == 1);
            BOOST_TEST_REQUIRE(counts[i].other == 0);
            BOOST_TEST_REQUIRE(counts[i].cancelled == taken[i]);
        }
    }
}

BOOST_AUTO_TEST_CASE(everything_at_once_on_several_threads)
{
    constexpr int waits = 10000;
    counters counts;
    std::atomic<long> counted_by_cancel{0};
    asio::thread_pool pool(3);
    boost_ext::named_timers names(pool);
    auto strand = asio::make_strand(pool);
    std::vector<std::thread> threads;
    std::atomic<bool> done{false};
    threads.emplace_back([&] {
        for (int i = 0; i < waits; ++i)
            names.async_wait(names_in_use[static_cast<std::size_t>(i % 4)], (i % 20) * 10us,
                asio::bind_executor(strand, [&](error_code ec) { counts.count(ec); }));
    });
    threads.emplace_back([&] {
        for (int i = 0; i < waits; ++i)
        {
            auto p = names.prepare(names_in_use[static_cast<std::size_t>(i % 4)], (i % 20) * 10us);
            p.async_start([&](error_code ec) { counts.count(ec); });
        }
    });
    threads.emplace_back([&] {
        for (int i = 0; !done; ++i)
        {
            const auto& name = names_in_use[static_cast<std::size_t>(i % 4)];
            counted_by_cancel += static_cast<long>(names.cancel(name, 1));
            names.reschedule_after(name, 50us);
            static_cast<void>(names.contains(name));
        }
    });
    threads[0].join();
    threads[1].join();
    std::this_thread::sleep_for(1ms);
    names.stop();
    done = true;
    threads[2].join();
    pool.join();
    BOOST_TEST(counts.total() == 2L * waits);
    BOOST_TEST(counts.cancelled == counted_by_cancel);
    BOOST_TEST(counts.other == 0);
    BOOST_TEST(names.size() == 0u);
}

BOOST_AUTO_TEST_CASE(destroyed_in_any_thread)
{
    counters counts;
    for (int round = 0; round < 200; ++round)
    {
        asio::io_context io;
        auto names = std::make_shared<boost_ext::named_timers>(io);
        for (int i = 0; i < 20; ++i)
            names->async_wait("a", i * 5us, [&](error_code ec) { counts.count(ec); });
        std::thread expiry([&] { io.run(); });
        std::thread destroyer([n = std::move(names)]() mutable { n.reset(); });
        destroyer.join();
        expiry.join();
    }
    BOOST_TEST(counts.total() == 200 * 20);
    BOOST_TEST(counts.cancelled + counts.other == 0);
}

BOOST_AUTO_TEST_SUITE_END()
