// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// For ThreadSanitizer: threads race to make the first timer of a context, so that one of two services is thrown away.

#include <boost_ext/steady_timer.hpp>
#include <boost_ext/system_timer.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

/// Lets all threads go at the same moment.
class gate
{
public:
    explicit gate(int threads) : missing_(threads) {}

    void pass()
    {
        --missing_;
        while (missing_ > 0)
            std::this_thread::yield();
    }

private:
    std::atomic<int> missing_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(concurrency_service_creation)

BOOST_AUTO_TEST_CASE(racing_for_the_first_timer)
{
    constexpr int threads = 4;
    for (int round = 0; round < 150; ++round)
    {
        asio::io_context ctx;
        gate start(threads);
        std::atomic<int> fired{0};
        std::atomic<std::size_t> counted{0};
        std::vector<std::thread> all;
        for (int i = 0; i < threads; ++i)
            all.emplace_back([&] {
                start.pass();
                boost_ext::steady_timer t(ctx, 0ms);
                t.async_wait([&](error_code) { ++fired; });
                counted += ctx.run();
            });
        for (auto& t : all)
            t.join();
        // A thread whose run() came back early left its wait to be aborted by its timer's end.
        ctx.restart();
        counted += ctx.run();
        BOOST_REQUIRE_EQUAL(fired, threads);
        BOOST_REQUIRE_EQUAL(counted, static_cast<std::size_t>(threads));
    }
}

BOOST_AUTO_TEST_CASE(racing_for_two_clocks)
{
    constexpr int threads = 4;
    for (int round = 0; round < 100; ++round)
    {
        asio::io_context ctx;
        gate start(threads);
        std::atomic<int> fired{0};
        std::vector<std::thread> all;
        for (int i = 0; i < threads; ++i)
            all.emplace_back([&, i] {
                start.pass();
                if (i % 2 == 0)
                {
                    boost_ext::steady_timer t(ctx, 0ms);
                    t.async_wait([&](error_code) { ++fired; });
                    ctx.run();
                }
                else
                {
                    boost_ext::system_timer t(ctx, 0ms);
                    t.async_wait([&](error_code) { ++fired; });
                    ctx.run();
                }
            });
        for (auto& t : all)
            t.join();
        ctx.restart();
        ctx.run();
        BOOST_REQUIRE_EQUAL(fired, threads);
    }
}

BOOST_AUTO_TEST_SUITE_END()
