// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// For ThreadSanitizer: ticks are delivered by several threads, with no strand, while the thread that
// owns the interval resets, cancels, moves and destroys it. Every tick completes exactly once.

#include <boost_ext/interval.hpp>
#include <boost_ext/sleep.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::interval;
using namespace std::chrono_literals;

namespace {

using other_interval = interval::rebind_executor<asio::deferred_t::executor_with_default<asio::any_io_executor>>::other;

/// A context that three threads run.
class running_context
{
public:
    running_context()
    {
        for (int i = 0; i != 3; ++i)
            threads_.emplace_back([this] { context.run(); });
    }

    ~running_context() { finish(); }

    void finish()
    {
        work_.reset();
        for (auto& thread : threads_)
            if (thread.joinable())
                thread.join();
    }

    asio::io_context context;

private:
    asio::executor_work_guard<asio::io_context::executor_type> work_{context.get_executor()};
    std::vector<std::thread> threads_;
};

void wait_for(const std::atomic<int>& value, int expected)
{
    while (value.load() != expected)
        std::this_thread::yield();
}

} // namespace

BOOST_AUTO_TEST_SUITE(interval_stress)

BOOST_AUTO_TEST_CASE(the_owner_interferes_with_the_delivery)
{
    running_context running;
    std::mt19937 random(42);
    std::atomic<int> completed{0};
    int started = 0;
    auto iv = std::make_unique<interval>(running.context, 20us);

    for (int round = 0; round != 5000; ++round)
    {
        ++started;
        iv->async_tick([&](error_code ec, interval::tick_info info) {
            if (ec && info != interval::tick_info{})
                std::terminate();
            completed.fetch_add(1);
        });
        bool may_go_on = false;
        for (int i = 0; i != 3; ++i)
        {
            switch (random() % 9)
            {
            case 0:
                iv->reset();
                break;
            case 1:
                iv->reset_after(std::chrono::microseconds(random() % 100));
                break;
            case 2:
                iv->reset_immediately();
                break;
            case 3:
                iv->period(std::chrono::microseconds(1 + random() % 50));
                break;
            case 4:
            {
                interval moved(std::move(*iv));
                *iv = std::move(moved);
                break;
            }
            case 5:
                std::this_thread::yield();
                break;
            case 6:
                if (iv->cancel())
                    may_go_on = true; // At once: that tick is no longer pending.
                break;
            case 7:
                if (random() % 4 == 0)
                {
                    iv = std::make_unique<interval>(running.context, 20us);
                    may_go_on = true;
                }
                break;
            case 8:
            {
                other_interval moved(std::move(*iv));
                *iv = std::move(moved);
                break;
            }
            }
            if (may_go_on)
                break;
        }
        if (!may_go_on)
            wait_for(completed, started);
    }
    wait_for(completed, started);
    iv.reset();
    running.finish();
    BOOST_TEST(completed.load() == started);
}

BOOST_AUTO_TEST_CASE(a_handler_destroys_the_interval_while_async_tick_returns)
{
    running_context running;
    std::atomic<int> completed{0};
    for (int i = 0; i != 3000; ++i)
    {
        auto owner = std::make_shared<std::unique_ptr<interval>>();
        *owner = std::make_unique<interval>(running.context, interval::clock_type::now(), 1us);
        interval& iv = **owner;
        iv.async_tick([owner, &completed](error_code, interval::tick_info) {
            owner->reset();
            completed.fetch_add(1);
        });
    }
    running.finish();
    BOOST_TEST(completed.load() == 3000);
}

BOOST_AUTO_TEST_CASE(every_interval_ticks_on_whatever_thread)
{
    struct loop
    {
        explicit loop(asio::io_context& context) : iv(context, 10us) {}

        void next()
        {
            iv.async_tick([this](error_code ec, interval::tick_info) {
                if (!ec && --left != 0)
                    next();
            });
        }

        interval iv;
        int left = 300;
    };

    running_context running;
    std::vector<std::unique_ptr<loop>> loops;
    for (int i = 0; i != 20; ++i)
    {
        loops.push_back(std::make_unique<loop>(running.context));
        loops.back()->next();
    }
    running.finish();
    for (auto& l : loops)
        BOOST_TEST(l->left == 0);
}

BOOST_AUTO_TEST_CASE(a_slot_on_the_handlers_strand)
{
    running_context running;
    std::atomic<int> completed{0};
    auto strand = asio::make_strand(running.context);
    for (int i = 0; i != 2000; ++i)
    {
        struct one
        {
            explicit one(asio::io_context& context) : iv(context, 10us) {}
            interval iv;
            asio::cancellation_signal signal;
        };
        auto o = std::make_shared<one>(running.context);
        asio::post(strand, [o, strand, &completed] {
            o->iv.async_tick(asio::bind_cancellation_slot(o->signal.slot(),
                asio::bind_executor(strand, [o, &completed](error_code, interval::tick_info) { completed.fetch_add(1); })));
        });
        asio::post(strand, [o] { o->signal.emit(asio::cancellation_type::total); });
    }
    running.finish();
    BOOST_TEST(completed.load() == 2000);
}

BOOST_AUTO_TEST_CASE(sleeps_from_many_threads)
{
    running_context running;
    std::atomic<int> completed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i != 2000; ++i)
                boost_ext::async_sleep_for(running.context, std::chrono::microseconds((i + t) % 50), [&](error_code ec) {
                    if (!ec)
                        completed.fetch_add(1);
                });
        });
    for (auto& thread : threads)
        thread.join();
    running.finish();
    BOOST_TEST(completed.load() == 6000);
}

BOOST_AUTO_TEST_CASE(a_sleep_that_ends_before_its_start_returns_takes_the_slot_along)
{
    running_context running;
    std::atomic<int> completed{0};
    for (int i = 0; i != 3000; ++i)
    {
        auto signal = std::make_shared<asio::cancellation_signal>();
        const auto slot = signal->slot();
        boost_ext::async_sleep_for(running.context, std::chrono::microseconds(i % 7),
            asio::bind_cancellation_slot(slot, [signal = std::move(signal), &completed](error_code ec) mutable {
                signal.reset();
                if (!ec)
                    completed.fetch_add(1);
            }));
    }
    running.finish();
    BOOST_TEST(completed.load() == 3000);
}

BOOST_AUTO_TEST_CASE(a_slot_is_used_again_while_it_emits)
{
    constexpr int rounds = 3000;
    struct again
    {
        void operator()(error_code ec)
        {
            aborted += ec == asio::error::operation_aborted;
            if (aborted != rounds)
                boost_ext::async_sleep_for(
                    context, 1h, asio::bind_cancellation_slot(signal.slot(), [this](error_code e) { (*this)(e); }));
            ++started;
        }

        asio::io_context& context;
        asio::cancellation_signal signal{};
        std::atomic<int> started{0};
        std::atomic<int> aborted{0};
    };

    running_context running;
    again sleeper{running.context};
    asio::post(running.context, [&] { sleeper(error_code()); });
    for (int i = 1; i <= rounds; ++i)
    {
        wait_for(sleeper.started, i);
        sleeper.signal.emit(asio::cancellation_type::terminal); // The handler may run, and sleep again, before this returns.
    }
    running.finish();
    BOOST_TEST(sleeper.aborted.load() == rounds);
}

BOOST_AUTO_TEST_SUITE_END()
