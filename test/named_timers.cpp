// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/manual_clock.hpp>
#include <boost_ext/named_timers.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "allocators.hpp"
#include "count_allocations.hpp"

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

using clock_type = boost_ext::basic_manual_clock<struct named_timers_test>;
using named_timers_t = boost_ext::basic_named_timers<clock_type>;
using time_point = clock_type::time_point;
using log_type = std::vector<std::string>;

std::string result(error_code ec)
{
    if (!ec)
        return "expired";
    if (ec == asio::error::operation_aborted)
        return "cancelled";
    if (ec == boost_ext::error::stopped)
        return "stopped";
    return ec.message();
}

struct fixture
{
    fixture()
    {
        clock_type::reset();
        start = clock_type::now();
    }

    time_point time(int s) const { return start + std::chrono::seconds(s); }

    /// A handler that logs its name and what it got.
    auto append(std::string who)
    {
        return [this, who](error_code ec) { log.push_back(who + " " + result(ec)); };
    }

    time_point start;
    asio::io_context io;
    log_type log;
};

/// Counts how many copies of itself are alive.
struct tracer
{
    explicit tracer(int& n) : count(&n) { ++*count; }
    tracer(const tracer& other) : count(other.count) { ++*count; }
    tracer& operator=(const tracer&) = delete;
    ~tracer() { --*count; }
    void operator()(error_code) const {}
    int* count;
};

/// Counts the bytes that it has handed out.
template <class T>
struct counting_allocator
{
    using value_type = T;
    explicit counting_allocator(long& n, long& c) : live(&n), calls(&c) {}
    template <class U>
    counting_allocator(const counting_allocator<U>& other) : live(other.live), calls(other.calls)
    {
    }
    T* allocate(std::size_t n)
    {
        *live += static_cast<long>(n * sizeof(T));
        ++*calls;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n)
    {
        *live -= static_cast<long>(n * sizeof(T));
        std::allocator<T>().deallocate(p, n);
    }
    friend bool operator==(const counting_allocator& a, const counting_allocator& b) { return a.live == b.live; }
    friend bool operator!=(const counting_allocator& a, const counting_allocator& b) { return a.live != b.live; }
    long* live;
    long* calls;
};

using test::limited_allocator;

/// A handler with an allocator and the signal of its own slot.
struct self_cancelling
{
    using cancellation_slot_type = asio::cancellation_slot;
    using allocator_type = limited_allocator<void>;
    cancellation_slot_type get_cancellation_slot() const noexcept { return signal->slot(); }
    allocator_type get_allocator() const noexcept { return allocator; }
    void operator()(error_code) const {}
    std::unique_ptr<asio::cancellation_signal> signal;
    limited_allocator<void> allocator;
};

/// An executor that runs everything in another thread, which is faster than the one that submits.
struct faster_thread
{
    asio::io_context* io;
    asio::execution_context& query(asio::execution::context_t) const noexcept { return *io; }
    static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept
    {
        return asio::execution::blocking_t::never;
    }
    faster_thread require(asio::execution::blocking_t::never_t) const noexcept { return *this; }
    template <class Function>
    void execute(Function f) const
    {
        std::thread(std::move(f)).join();
    }
    bool operator==(const faster_thread& other) const noexcept { return io == other.io; }
    bool operator!=(const faster_thread& other) const noexcept { return io != other.io; }
};

/// A handler there.
struct faster_handler
{
    using executor_type = faster_thread;
    executor_type get_executor() const noexcept { return executor; }
    void operator()(error_code ec) const { function(ec); }
    faster_thread executor;
    std::function<void(error_code)> function;
};

/// A token that returns a reference to where the outcome will be.
struct into
{
    error_code& outcome;
};

} // namespace

template <>
struct boost::asio::async_result<into, void(error_code)>
{
    template <class Initiation, class... Args>
    static error_code& initiate(Initiation&& initiation, const into& token, Args&&... args)
    {
        error_code& outcome = token.outcome;
        std::forward<Initiation>(initiation)([&outcome](error_code ec) { outcome = ec; }, std::forward<Args>(args)...);
        return outcome;
    }
};

BOOST_FIXTURE_TEST_SUITE(named_timers, fixture)

BOOST_AUTO_TEST_CASE(has_the_names_of_every_class_over_a_clock)
{
    using steady = boost_ext::named_timers;
    static_assert(std::is_same<steady, boost_ext::basic_named_timers<std::chrono::steady_clock>>::value, "");
    static_assert(std::is_same<steady::clock_type, std::chrono::steady_clock>::value, "");
    static_assert(std::is_same<steady::duration, std::chrono::steady_clock::duration>::value, "");
    static_assert(std::is_same<steady::time_point, std::chrono::steady_clock::time_point>::value, "");
    static_assert(std::is_same<steady::executor_type, asio::any_io_executor>::value, "");
    static_assert(steady::npos == static_cast<std::size_t>(-1), "");
    using rebound = steady::rebind_executor<asio::io_context::executor_type>::other;
    rebound on_io(io);
    BOOST_TEST((on_io.get_executor() == io.get_executor()));
    named_timers_t names(io.get_executor());
    BOOST_TEST((names.get_executor() == asio::any_io_executor(io.get_executor())));
    static_assert(!std::is_convertible<asio::io_context&, steady>::value, "the constructors are explicit");
}

// Expiry

BOOST_AUTO_TEST_CASE(waits_expire_and_cost_one_handler_each)
{
    named_timers_t names(io);
    names.async_wait("a", 10s, append("a"));
    names.async_wait(std::string("b"), time(5), append("b"));
    names.async_wait("a", 20s, append("a2"));
    names.async_wait("past", time(-5), append("past"));
    BOOST_TEST(names.size() == 4u);
    BOOST_TEST(names.contains("a"));
    BOOST_TEST(log.empty());
    BOOST_TEST(clock_type::run(io) == 4u);
    BOOST_TEST((log == log_type{"past expired", "b expired", "a expired", "a2 expired"}));
    BOOST_TEST(names.size() == 0u);
    BOOST_TEST(!names.contains("a"));
    BOOST_TEST(!names.contains("b"));
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(the_name_is_copied)
{
    named_timers_t names(io);
    {
        std::string name("a name that is too long for the string's own room");
        names.async_wait(name, 1s, append("a"));
        name.assign(name.size(), 'x');
    }
    BOOST_TEST(names.contains("a name that is too long for the string's own room"));
    BOOST_TEST(names.cancel("a name that is too long for the string's own room") == 1u);
    io.run();
}

BOOST_AUTO_TEST_CASE(any_text_is_a_name)
{
    using namespace std::string_view_literals;
    named_timers_t names(io);
    const std::string very_long(1 << 20, 'x');
    const std::vector<std::string_view> texts{""sv, "\0"sv, "a"sv, "a\0"sv, "a\0b"sv, "a\0c"sv, "A"sv, very_long};
    for (std::string_view text : texts)
        names.async_wait(text, 1s, append("wait"));
    auto p = names.prepare("", 1s);
    BOOST_TEST(names.size() == texts.size() + 1);
    BOOST_TEST(!names.contains("b"));
    BOOST_TEST(!names.contains(std::string_view(very_long).substr(1)));
    for (std::string_view text : texts)
    {
        const std::string again(text);
        BOOST_TEST(names.contains(again));
        BOOST_TEST(names.reschedule_after(again, 2s) == 1u);
        BOOST_TEST(names.cancel(again) == (text.empty() ? 2u : 1u));
        BOOST_TEST(!names.contains(again));
    }
    BOOST_TEST(names.size() == 0u);
    BOOST_TEST(io.run() == texts.size());
}

BOOST_AUTO_TEST_CASE(each_object_has_names_of_its_own)
{
    named_timers_t names(io), others(io);
    names.async_wait("a", 1s, append("a"));
    others.async_wait("a", 1s, append("other a"));
    BOOST_TEST(names.cancel("a") == 1u);
    BOOST_TEST(others.contains("a"));
    names.stop();
    BOOST_TEST(clock_type::run(io) == 2u);
    BOOST_TEST((log == log_type{"a cancelled", "other a expired"}));
}

BOOST_AUTO_TEST_CASE(works_whatever_the_concurrency_hint_is)
{
    for (int hint : {1, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO})
    {
        log.clear();
        asio::io_context own(hint);
        named_timers_t names(own);
        names.async_wait("a", 1s, append("1"));
        names.async_wait("a", 2s, append("2"));
        auto p = names.prepare("b", 9s);
        p.async_start(append("3"));
        BOOST_TEST(names.cancel("a", 1) == 1u);
        BOOST_TEST(names.reschedule_after("b", 1s) == 1u);
        BOOST_TEST(clock_type::run(own) == 3u);
        BOOST_TEST((log == log_type{"1 cancelled", "3 expired", "2 expired"}));
    }
}

BOOST_AUTO_TEST_CASE(max_never_expires_and_is_work)
{
    named_timers_t names(io);
    names.async_wait("a", (clock_type::duration::max)(), append("a"));
    names.async_wait("a", (time_point::max)(), append("b"));
    clock_type::run(io);
    BOOST_TEST(log.empty());
    BOOST_TEST(!io.stopped());
    BOOST_TEST(names.cancel("a") == 2u);
    BOOST_TEST(io.run() == 2u);
}

BOOST_AUTO_TEST_CASE(a_wait_leaves_when_it_is_decided_before_the_handler_is_called)
{
    named_timers_t names(io);
    names.async_wait("a", 1s, [&](error_code ec) {
        BOOST_TEST(!ec);
        BOOST_TEST(!names.contains("a"));
        BOOST_TEST(names.size() == 0u);
        BOOST_TEST(names.cancel("a") == 0u);
        names.async_wait("a", 1s, append("again"));
    });
    BOOST_TEST(clock_type::run(io) == 2u);
    BOOST_TEST((log == log_type{"again expired"}));
}

// Cancelling

BOOST_AUTO_TEST_CASE(cancel_takes_the_oldest_first_whatever_the_expiry)
{
    named_timers_t names(io);
    names.async_wait("a", 30s, append("1"));
    names.async_wait("a", 10s, append("2"));
    names.async_wait("b", 1h, append("b"));
    names.async_wait("a", 20s, append("3"));
    BOOST_TEST(names.cancel("unknown") == 0u);
    BOOST_TEST(names.cancel("a", 0) == 0u);
    BOOST_TEST(names.cancel("a", 2) == 2u);
    BOOST_TEST(names.size() == 2u);
    BOOST_TEST(names.contains("a"));
    BOOST_TEST(names.cancel("a") == 1u);
    BOOST_TEST(!names.contains("a"));
    BOOST_TEST(names.cancel("a") == 0u);
    BOOST_TEST(log.empty());
    BOOST_TEST(io.poll() == 3u);
    BOOST_TEST((log == log_type{"1 cancelled", "2 cancelled", "3 cancelled"}));
    BOOST_TEST(names.cancel("b", named_timers_t::npos) == 1u);
    BOOST_TEST(io.run() == 1u);
}

BOOST_AUTO_TEST_CASE(cancel_takes_an_expiry_that_is_queued)
{
    named_timers_t names(io);
    names.async_wait("a", 1s, append("a"));
    names.async_wait("a", 1s, append("b"));
    clock_type::advance(1s);
    BOOST_TEST(names.size() == 2u);
    BOOST_TEST(names.cancel("a") == 2u);
    BOOST_TEST(io.run() == 2u);
    BOOST_TEST((log == log_type{"a cancelled", "b cancelled"}));
}

BOOST_AUTO_TEST_CASE(completions_come_oldest_first_also_if_younger_expiries_are_queued)
{
    for (bool stop : {false, true})
    {
        log.clear();
        io.restart();
        named_timers_t names(io);
        auto strand = asio::make_strand(io);
        names.async_wait("a", 20s, append("1"));
        names.async_wait("a", 2s, asio::bind_executor(strand, append("other executor")));
        names.async_wait("a", 2s, append("2"));
        names.async_wait("a", 30s, append("3"));
        names.async_wait("a", 1s, append("4"));
        clock_type::advance(2s);
        if (stop)
            names.stop();
        else
            BOOST_TEST(names.cancel("a") == 5u);
        BOOST_TEST(io.run() == 5u);
        const auto other = std::find(log.begin(), log.end(), stop ? "other executor stopped" : "other executor cancelled");
        BOOST_REQUIRE((other != log.end()));
        log.erase(other);
        const std::string why = stop ? " stopped" : " cancelled";
        BOOST_TEST((log == log_type{"1" + why, "2" + why, "3" + why, "4" + why}));
    }
}

BOOST_AUTO_TEST_CASE(one_executor_is_the_same_whatever_type_holds_it)
{
    named_timers_t names(io);
    const auto on_io = [this](const char* who) { return asio::bind_executor(io.get_executor(), append(who)); };
    names.async_wait("a", 20s, on_io("1"));
    names.async_wait("a", 1s, append("2"));
    names.async_wait("a", 20s, append("3"));
    names.async_wait("a", 1s, on_io("4"));
    clock_type::advance(1s);
    BOOST_TEST(names.cancel("a") == 4u);
    BOOST_TEST(io.run() == 4u);
    BOOST_TEST((log == log_type{"1 cancelled", "2 cancelled", "3 cancelled", "4 cancelled"}));
}

BOOST_AUTO_TEST_CASE(a_wait_cancelled_earlier_completes_earlier_and_each_with_its_own_error)
{
    named_timers_t names(io);
    names.async_wait("old", 20s, append("old"));
    names.async_wait("queued", 1s, append("queued"));
    clock_type::advance(1s);
    BOOST_TEST(names.cancel("old") == 1u);
    names.stop();
    BOOST_TEST(io.run() == 2u);
    BOOST_TEST((log == log_type{"old cancelled", "queued stopped"}));
}

BOOST_AUTO_TEST_CASE(many_completions_on_an_executor_that_does_not_run_hold_up_nobody)
{
    named_timers_t names(io);
    asio::io_context other;
    int there = 0;
    for (int i = 0; i < 1000; ++i)
        names.async_wait(
            "a", 1h, asio::bind_executor(other, [&](error_code ec) { there += ec == asio::error::operation_aborted; }));
    names.async_wait("a", 1h, append("1"));
    names.async_wait("a", 1s, append("2"));
    clock_type::advance(1s);
    BOOST_TEST(names.cancel("a") == 1002u);
    io.run();
    BOOST_TEST(log.size() == 2u);
    other.run();
    BOOST_TEST(there == 1000);
}

BOOST_AUTO_TEST_CASE(each_executor_gets_its_completions_oldest_first_however_many_there_are_on_others)
{
    named_timers_t names(io);
    asio::io_context other;
    std::vector<int> here, there, expected;
    for (int i = 0; i < 300; ++i)
        names.async_wait("a", (i % 2 == 0 ? 1h : (300 - i) * 1s), asio::bind_executor(other, [&, i](error_code ec) {
            BOOST_TEST((ec == asio::error::operation_aborted));
            there.push_back(i);
        }));
    for (int i = 0; i < 300; ++i)
        names.async_wait("a", (i % 2 == 0 ? 1h : (300 - i) * 1s), [&, i](error_code ec) {
            BOOST_TEST((ec == asio::error::operation_aborted));
            here.push_back(i);
        });
    for (int i = 0; i < 300; ++i)
        expected.push_back(i);
    clock_type::advance(300s);
    BOOST_TEST(names.cancel("a", 450) == 450u);
    BOOST_TEST(names.cancel("a") == 150u);
    BOOST_TEST(io.run() == 600u);
    BOOST_TEST(here == expected, boost::test_tools::per_element());
    BOOST_TEST(other.run() == 300u);
    BOOST_TEST(there == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(completions_on_very_many_executors_hold_up_nobody)
{
    std::vector<asio::strand<asio::io_context::executor_type>> strands;
    for (int i = 0; i < 200; ++i)
        strands.push_back(asio::make_strand(io));
    int cancelled = 0, not_cancelled = 0;
    {
        named_timers_t names(io);
        for (std::size_t i = 0; i < 800; ++i)
            names.async_wait("a", (i % 3 == 0 ? 1s : 1h), asio::bind_executor(strands[i % 200], [&](error_code ec) {
                ++(ec == asio::error::operation_aborted ? cancelled : not_cancelled);
            }));
        clock_type::advance(1s);
        BOOST_TEST(names.cancel("a", 600) == 600u);
        for (int i = 0; i < 300; ++i)
            io.poll_one();
    }
    io.run();
    BOOST_TEST(cancelled == 600);
    BOOST_TEST(not_cancelled == 200);
}

BOOST_AUTO_TEST_CASE(cancel_from_a_handler_of_the_same_batch)
{
    named_timers_t names(io);
    names.async_wait("a", 1s, [&](error_code ec) {
        log.push_back("a " + result(ec));
        BOOST_TEST(names.cancel("b") == 1u);
    });
    names.async_wait("b", 1s, append("b"));
    BOOST_TEST(clock_type::run(io) == 2u);
    BOOST_TEST((log == log_type{"a expired", "b cancelled"}));
}

BOOST_AUTO_TEST_CASE(success_is_decided_on_the_executor_of_the_handler)
{
    named_timers_t names(io);
    asio::io_context other;
    names.async_wait("a", 1s, asio::bind_executor(other, append("a")));
    names.async_wait("b", 1s, asio::bind_executor(other, append("b")));
    clock_type::run(io);
    BOOST_TEST(log.empty());
    BOOST_TEST(names.size() == 2u);
    BOOST_TEST(names.cancel("a") == 1u);
    BOOST_TEST(other.run() == 2u);
    BOOST_TEST((log == log_type{"a cancelled", "b expired"}));
    BOOST_TEST(names.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_slot_cancels_by_the_rules_of_cancel)
{
    for (auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total})
    {
        log.clear();
        io.restart();
        named_timers_t names(io);
        asio::cancellation_signal pending, queued, late;
        names.async_wait("a", 1h, asio::bind_cancellation_slot(pending.slot(), append("pending")));
        names.async_wait("a", 1s, asio::bind_cancellation_slot(queued.slot(), append("queued")));
        names.async_wait("a", 1s, asio::bind_cancellation_slot(late.slot(), append("late")));
        pending.emit(asio::cancellation_type::none);
        BOOST_TEST(names.size() == 3u);
        pending.emit(type);
        BOOST_TEST(names.size() == 2u);
        clock_type::advance(1s);
        queued.emit(type);
        BOOST_TEST(names.size() == 1u);
        BOOST_TEST(io.run() == 3u);
        late.emit(type);
        BOOST_TEST((log == log_type{"pending cancelled", "queued cancelled", "late expired"}));
        BOOST_TEST(!pending.slot().has_handler());
        BOOST_TEST(!late.slot().has_handler());
    }
}

BOOST_AUTO_TEST_CASE(a_completion_leaves_alone_what_another_wait_put_into_the_slot)
{
    named_timers_t names(io);
    asio::cancellation_signal signal;
    names.async_wait("a", 1s, asio::bind_cancellation_slot(signal.slot(), append("first")));
    names.async_wait("b", 1h, asio::bind_cancellation_slot(signal.slot(), append("second")));
    BOOST_TEST(clock_type::run_for(io, 1s) == 1u);
    signal.emit(asio::cancellation_type::total);
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST((log == log_type{"first expired", "second cancelled"}));
    BOOST_TEST(!signal.slot().has_handler());
}

BOOST_AUTO_TEST_CASE(the_signal_may_go_before_the_wait)
{
    named_timers_t names(io);
    auto signal = std::make_unique<asio::cancellation_signal>();
    names.async_wait("a", 1s, asio::bind_cancellation_slot(signal->slot(), append("a")));
    names.async_wait("b", 1h, asio::bind_cancellation_slot(signal->slot(), append("b")));
    signal.reset();
    BOOST_TEST(names.cancel("b") == 1u);
    BOOST_TEST(clock_type::run(io) == 2u);
    BOOST_TEST((log == log_type{"b cancelled", "a expired"}));
}

BOOST_AUTO_TEST_CASE(cancel_first_then_the_slot)
{
    named_timers_t names(io);
    asio::cancellation_signal signal;
    names.async_wait("a", 1h, asio::bind_cancellation_slot(signal.slot(), append("a")));
    BOOST_TEST(names.cancel("a") == 1u);
    signal.emit(asio::cancellation_type::total);
    names.stop();
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST((log == log_type{"a cancelled"}));
}

// Moving

BOOST_AUTO_TEST_CASE(reschedule_moves_every_started_wait_of_the_name)
{
    named_timers_t names(io);
    names.async_wait("a", 10s, append("a1"));
    names.async_wait("a", 20s, append("a2"));
    names.async_wait("b", 15s, append("b"));
    auto p = names.prepare("a", 1s);
    BOOST_TEST(names.reschedule_after("unknown", 1s) == 0u);
    BOOST_TEST(names.reschedule_at("a", time(30)) == 2u);
    BOOST_TEST(names.reschedule_after("b", 5s) == 1u);
    BOOST_TEST(clock_type::run_until(io, time(5)) == 1u);
    BOOST_TEST((log == log_type{"b expired"}));
    BOOST_TEST(clock_type::run_until(io, time(29)) == 0u);
    BOOST_TEST(clock_type::run_until(io, time(30)) == 2u);
    BOOST_TEST((log == log_type{"b expired", "a1 expired", "a2 expired"}));
    BOOST_TEST(names.size() == 1u);
    BOOST_TEST(names.reschedule_after("a", 1s) == 0u);
}

BOOST_AUTO_TEST_CASE(reschedule_moves_an_expiry_that_is_queued)
{
    named_timers_t names(io);
    names.async_wait("a", 10s, append("a"));
    clock_type::advance(10s);
    BOOST_TEST(names.reschedule_after("a", 10s) == 1u);
    io.poll();
    BOOST_TEST(log.empty());
    BOOST_TEST(names.contains("a"));
    clock_type::run_until(io, time(19));
    BOOST_TEST(log.empty());
    clock_type::run_until(io, time(20));
    BOOST_TEST((log == log_type{"a expired"}));
}

BOOST_AUTO_TEST_CASE(a_queued_expiry_that_is_moved_to_the_past_costs_one_handler)
{
    named_timers_t names(io);
    names.async_wait("a", 10s, append("a"));
    clock_type::advance(10s);
    BOOST_TEST(names.reschedule_at("a", time(5)) == 1u);
    BOOST_TEST(names.size() == 1u);
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST((log == log_type{"a expired"}));
}

BOOST_AUTO_TEST_CASE(a_queued_expiry_that_is_moved_to_max_waits_for_ever)
{
    named_timers_t names(io);
    clock_type::advance_to((time_point::max)());
    names.async_wait("a", time(1), append("a"));
    BOOST_TEST(names.reschedule_at("a", (time_point::max)()) == 1u);
    io.poll();
    BOOST_TEST(log.empty());
    BOOST_TEST(names.cancel("a") == 1u);
    BOOST_TEST(io.run() == 1u);
    clock_type::reset();
}

BOOST_AUTO_TEST_CASE(waits_moved_to_one_time_expire_oldest_first_also_if_some_were_queued)
{
    named_timers_t names(io);
    names.async_wait("a", 2s, append("1"));
    auto never_started = names.prepare("a", 1s);
    names.async_wait("a", 30s, append("2"));
    names.async_wait("a", 1s, append("3"));
    names.async_wait("a", 30s, append("4"));
    clock_type::advance(5s);
    BOOST_TEST(names.reschedule_at("a", time(20)) == 4u);
    clock_type::run(io);
    BOOST_TEST((log == log_type{"1 expired", "2 expired", "3 expired", "4 expired"}));
    BOOST_TEST((clock_type::now() == time(20)));
}

BOOST_AUTO_TEST_CASE(a_wait_moved_while_queued_can_be_cancelled_and_stopped)
{
    named_timers_t names(io);
    names.async_wait("a", 10s, append("a"));
    names.async_wait("b", 10s, append("b"));
    clock_type::advance(10s);
    BOOST_TEST(names.reschedule_after("a", 10s) == 1u);
    BOOST_TEST(names.reschedule_after("b", 10s) == 1u);
    BOOST_TEST(names.cancel("a") == 1u);
    io.poll();
    BOOST_TEST((log == log_type{"a cancelled"}));
    names.stop();
    io.run();
    BOOST_TEST((log == log_type{"a cancelled", "b stopped"}));
}

BOOST_AUTO_TEST_CASE(reschedule_after_saturates)
{
    named_timers_t names(io);
    clock_type::advance(1s);
    names.async_wait("a", 10s, append("a"));
    names.reschedule_after("a", (clock_type::duration::max)());
    clock_type::run_for(io, 1000h);
    BOOST_TEST(log.empty());
    names.reschedule_after("a", (clock_type::duration::min)());
    clock_type::run(io);
    BOOST_TEST((log == log_type{"a expired"}));
}

BOOST_AUTO_TEST_CASE(reschedule_allocates_nothing)
{
    named_timers_t names(io);
    names.async_wait("a name that is too long for the string's own room", 10s, append("a"));
    names.async_wait("queued", 1s, append("queued"));
    clock_type::advance(1s);
    const allocation_count before;
    for (int i = 0; i < 100; ++i)
    {
        names.reschedule_after("a name that is too long for the string's own room", 10s + i * 1s);
        names.reschedule_after("a name that is too long for the string's own room", 10s - i * 1ms);
        names.reschedule_after("queued", 10s);
    }
    BOOST_TEST(before.so_far() == 0u);
    io.poll();
    BOOST_TEST(before.so_far() == 0u);
    clock_type::run(io);
    BOOST_TEST((log == log_type{"a expired", "queued expired"}));
}

BOOST_AUTO_TEST_CASE(a_wait_that_waits_again_needs_no_memory_whatever_its_executors_are)
{
    const auto waits_again = [this](auto& names, const auto& executor) {
        names.async_wait("queued", 1s, asio::bind_executor(executor, append("queued")));
        clock_type::advance(1s);
        BOOST_TEST(names.reschedule_after("queued", 1s) == 1u);
        const allocation_count before;
        io.poll();
        BOOST_TEST(before.so_far() == 0u);
        clock_type::run(io);
        BOOST_TEST((log == log_type{"queued expired"}));
        log.clear();
        io.restart();
    };
    const auto on_each_executor = [this, waits_again](auto& names) {
        waits_again(names, io.get_executor());
        waits_again(names, asio::make_strand(io));
        waits_again(names, asio::any_io_executor(io.get_executor()));
        waits_again(names, asio::any_io_executor(asio::make_strand(io)));
    };
    named_timers_t on_any(io);
    on_each_executor(on_any);
    named_timers_t::rebind_executor<asio::io_context::executor_type>::other on_io(io);
    on_each_executor(on_io);
    using strand_type = asio::strand<asio::any_io_executor>;
    named_timers_t::rebind_executor<strand_type>::other on_strand(strand_type(io.get_executor()));
    on_each_executor(on_strand);
}

// Stopping

BOOST_AUTO_TEST_CASE(stop_ends_all_oldest_first)
{
    named_timers_t names(io);
    names.async_wait("b", 30s, append("1"));
    names.async_wait("a", 10s, append("2"));
    names.async_wait("b", 20s, append("3"));
    names.stop();
    BOOST_TEST(names.size() == 0u);
    BOOST_TEST(!names.contains("a"));
    BOOST_TEST(names.cancel("a") == 0u);
    BOOST_TEST(names.reschedule_after("a", 1s) == 0u);
    names.stop();
    BOOST_TEST(io.run() == 3u);
    BOOST_TEST((log == log_type{"1 stopped", "2 stopped", "3 stopped"}));
}

BOOST_AUTO_TEST_CASE(stop_takes_an_expiry_that_is_queued)
{
    named_timers_t names(io);
    names.async_wait("a", 1s, append("a"));
    clock_type::advance(1s);
    names.stop();
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST((log == log_type{"a stopped"}));
}

BOOST_AUTO_TEST_CASE(after_stop_every_wait_completes_with_stopped)
{
    named_timers_t names(io);
    auto before = names.prepare("a", 1s);
    auto cancelled = names.prepare("c", 1s);
    BOOST_TEST(names.cancel("c") == 1u);
    names.stop();
    auto after = names.prepare("b", 1s);
    BOOST_TEST(names.size() == 0u);
    before.async_start(append("before"));
    after.async_start(append("after"));
    cancelled.async_start(append("cancelled"));
    names.async_wait("x", 1s, append("x"));
    BOOST_TEST(log.empty());
    BOOST_TEST(io.run() == 4u);
    BOOST_TEST((log == log_type{"before stopped", "after stopped", "cancelled cancelled", "x stopped"}));
}

BOOST_AUTO_TEST_CASE(the_destructor_stops)
{
    std::optional<named_timers_t> names(std::in_place, io);
    names->async_wait("a", 1s, append("a"));
    auto p = names->prepare("a", 1s);
    auto deferred = names->async_wait("d", 1s, asio::deferred);
    names.reset();
    p.async_start(append("p"));
    std::move(deferred)(append("d"));
    BOOST_TEST(io.run() == 3u);
    BOOST_TEST((log == log_type{"a stopped", "p stopped", "d stopped"}));
}

BOOST_AUTO_TEST_CASE(a_handler_may_destroy_the_object)
{
    std::optional<named_timers_t> names(std::in_place, io);
    names->async_wait("a", 1s, [&](error_code) { names.reset(); });
    names->async_wait("a", 1s, append("a"));
    BOOST_TEST(clock_type::run(io) == 2u);
    BOOST_TEST((log == log_type{"a stopped"}));
}

// Prepared waits

BOOST_AUTO_TEST_CASE(prepared_counts_and_holds_no_work)
{
    named_timers_t names(io);
    auto p = names.prepare("a", 10s);
    BOOST_TEST(names.contains("a"));
    BOOST_TEST(names.size() == 1u);
    BOOST_TEST((p.get_executor() == names.get_executor()));
    io.poll();
    BOOST_TEST(io.stopped());
    {
        auto dropped = names.prepare("a", time(10));
        BOOST_TEST(names.size() == 2u);
    }
    BOOST_TEST(names.size() == 1u);
    p = names.prepare("b", 10s);
    BOOST_TEST(!names.contains("a"));
    BOOST_TEST(names.contains("b"));
    BOOST_TEST(names.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_duration_counts_from_the_start_a_time_point_does_not)
{
    named_timers_t names(io);
    auto relative = names.prepare("a", 10s);
    auto absolute = names.prepare("a", time(10));
    clock_type::advance(5s);
    relative.async_start(append("relative"));
    absolute.async_start(append("absolute"));
    BOOST_TEST(clock_type::run_until(io, time(10)) == 1u);
    BOOST_TEST((log == log_type{"absolute expired"}));
    BOOST_TEST(clock_type::run_until(io, time(15)) == 1u);
    BOOST_TEST((log == log_type{"absolute expired", "relative expired"}));
}

BOOST_AUTO_TEST_CASE(prepared_ages_from_prepare)
{
    named_timers_t names(io);
    auto p = names.prepare("a", 10s);
    names.async_wait("a", 1s, append("younger"));
    p.async_start(append("older"));
    BOOST_TEST(names.cancel("a", 1) == 1u);
    BOOST_TEST(clock_type::run(io) == 2u);
    BOOST_TEST((log == log_type{"older cancelled", "younger expired"}));
}

BOOST_AUTO_TEST_CASE(cancelled_before_the_start)
{
    named_timers_t names(io);
    auto p = names.prepare("a", 10s);
    BOOST_TEST(names.cancel("a") == 1u);
    BOOST_TEST(!names.contains("a"));
    BOOST_TEST(names.cancel("a") == 0u);
    p.async_start(append("p"));
    BOOST_TEST(log.empty());
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST((log == log_type{"p cancelled"}));
}

BOOST_AUTO_TEST_CASE(started_once)
{
    named_timers_t names(io);
    asio::cancellation_signal signal;
    auto p = names.prepare("a", 10s);
    p.async_start(append("first"));
    error_code second;
    p.async_start(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { second = ec; }));
    signal.emit(asio::cancellation_type::total);
    BOOST_TEST(!second);
    BOOST_TEST(io.poll() == 1u);
    BOOST_TEST((second == asio::error::already_started));
    auto moved = std::move(p);
    second = error_code();
    p.async_start([&](error_code ec) { second = ec; });
    io.poll();
    BOOST_TEST((second == asio::error::already_started));
    {
        auto gone = std::move(moved);
    }
    BOOST_TEST(names.size() == 1u);
    BOOST_TEST(clock_type::run(io) == 1u);
    BOOST_TEST((log == log_type{"first expired"}));
}

BOOST_AUTO_TEST_CASE(moving_before_the_start)
{
    static_assert(!std::is_copy_constructible<named_timers_t::prepared>::value, "");
    static_assert(std::is_nothrow_move_constructible<named_timers_t::prepared>::value, "");
    static_assert(std::is_nothrow_move_assignable<named_timers_t::prepared>::value, "");
    named_timers_t names(io), others(io);
    auto p = names.prepare("a", 10s);
    auto q = std::move(p);
    BOOST_TEST(names.size() == 1u);
    auto r = others.prepare("b", 10s);
    r = std::move(q);
    BOOST_TEST(others.size() == 0u);
    auto& self = r;
    r = std::move(self);
    BOOST_TEST(names.size() == 1u);
    r.async_start(append("r"));
    r = names.prepare("c", 1s);
    BOOST_TEST(clock_type::run(io) == 1u);
    BOOST_TEST((log == log_type{"r expired"}));
}

BOOST_AUTO_TEST_CASE(a_start_that_is_launched_later_is_the_start_of_the_same_wait)
{
    named_timers_t names(io);
    std::optional<named_timers_t::prepared> p(names.prepare("a", 10s));
    auto start_a = p->async_start(asio::deferred);
    auto start_again = p->async_start(asio::deferred);
    auto q = std::move(*p);
    p.reset();
    clock_type::advance(5s);
    std::move(start_a)(append("a"));
    std::move(start_again)(append("again"));
    BOOST_TEST(names.size() == 1u);
    p = names.prepare("dropped", 10s);
    auto start_dropped = p->async_start(asio::deferred);
    p.reset();
    std::move(start_dropped)(append("dropped"));
    BOOST_TEST(clock_type::run_until(io, time(14)) == 2u);
    BOOST_TEST(clock_type::run(io) == 1u);
    const std::string again = "again " + error_code(asio::error::already_started).message();
    BOOST_TEST((log == log_type{again, "dropped cancelled", "a expired"}));
    BOOST_TEST((clock_type::now() == time(15)));
}

BOOST_AUTO_TEST_CASE(a_slot_cancels_a_prepared_wait)
{
    named_timers_t names(io);
    asio::cancellation_signal signal;
    auto p = names.prepare("a", 10s);
    p.async_start(asio::bind_cancellation_slot(signal.slot(), append("p")));
    signal.emit(asio::cancellation_type::partial);
    BOOST_TEST(!names.contains("a"));
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST((log == log_type{"p cancelled"}));
}

// Tokens, executors, allocators

BOOST_AUTO_TEST_CASE(every_token_works)
{
    named_timers_t names(io);
    std::future<void> future = names.async_wait("a", 1s, asio::use_future);
    auto deferred = names.async_wait("b", 1s, asio::deferred);
    auto by_default = names.async_wait("b", time(1));
    names.async_wait("c", 1s, asio::detached);
    auto p = names.prepare("d", 1s);
    auto not_launched = p.async_start();
    BOOST_TEST(!names.contains("b"));
    BOOST_TEST(names.size() == 3u);
    clock_type::advance(10s);
    std::move(deferred)(append("b"));
    std::move(not_launched)(append("d"));
    std::move(by_default)(append("past"));
    BOOST_TEST(clock_type::run(io) == 5u);
    future.get();
    BOOST_TEST((log == log_type{"past expired", "b expired", "d expired"}));
    BOOST_TEST((clock_type::now() == time(11)));
}

BOOST_AUTO_TEST_CASE(what_a_token_returns_is_returned_as_it_is)
{
    named_timers_t names(io);
    error_code outcomes[3];
    auto p = names.prepare("a", 1s);
    BOOST_TEST(&names.async_wait("a", 1s, into{outcomes[0]}) == &outcomes[0]);
    BOOST_TEST(&names.async_wait("a", time(1), into{outcomes[1]}) == &outcomes[1]);
    BOOST_TEST(&p.async_start(into{outcomes[2]}) == &outcomes[2]);
    BOOST_TEST(names.cancel("a") == 3u);
    BOOST_TEST(io.run() == 3u);
    for (error_code ec : outcomes)
        BOOST_TEST((ec == asio::error::operation_aborted));
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
BOOST_AUTO_TEST_CASE(coroutines)
{
    named_timers_t names(io);
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            co_await names.async_wait("a", 1s);
            auto p = names.prepare("b", 1s);
            co_await p.async_start(asio::use_awaitable);
            names.stop();
            error_code ec;
            co_await names.async_wait("c", 1s, asio::redirect_error(asio::use_awaitable, ec));
            log.push_back(result(ec));
        },
        asio::detached);
    clock_type::run(io);
    BOOST_TEST((log == log_type{"stopped"}));
}
#endif

BOOST_AUTO_TEST_CASE(a_handler_may_be_a_reference)
{
    named_timers_t names(io);
    asio::cancellation_signal signal;
    auto handler = asio::bind_cancellation_slot(signal.slot(), append("handler"));
    names.async_wait("a", 1s, std::ref(handler));
    BOOST_TEST(clock_type::run(io) == 1u);
    BOOST_TEST(!signal.slot().has_handler());
    auto p = names.prepare("a", 1s);
    p.async_start(std::ref(handler));
    signal.emit(asio::cancellation_type::total);
    BOOST_TEST(names.size() == 0u);
    p.async_start(std::ref(handler));
    names.stop();
    names.async_wait("a", 1s, std::ref(handler));
    io.restart();
    BOOST_TEST(io.run() == 3u);
    const std::string again = "handler " + error_code(asio::error::already_started).message();
    BOOST_TEST((log == log_type{"handler expired", "handler cancelled", again, "handler stopped"}));
}

BOOST_AUTO_TEST_CASE(the_handler_runs_on_its_executor)
{
    named_timers_t names(io);
    auto strand = asio::make_strand(io);
    const auto inside = [&](error_code) {
        BOOST_TEST(strand.running_in_this_thread());
        log.push_back("ran");
    };
    names.async_wait("a", 1s, asio::bind_executor(strand, inside));
    auto p = names.prepare("b", 1s);
    names.cancel("b");
    p.async_start(asio::bind_executor(strand, inside));
    p.async_start(asio::bind_executor(strand, inside));
    clock_type::run(io);
    BOOST_TEST(log.size() == 3u);
}

BOOST_AUTO_TEST_CASE(the_handler_brings_its_memory_which_is_freed_before_it_is_called)
{
    named_timers_t names(io);
    long live = 0, calls = 0;
    int handled = 0;
    const auto handler = [&](error_code) {
        BOOST_TEST(live == 0);
        ++handled;
    };
    names.async_wait("a", 1s, asio::bind_allocator(counting_allocator<void>(live, calls), handler));
    BOOST_TEST(live > 0);
    clock_type::run(io);
    names.stop();
    names.async_wait("a", 1s, asio::bind_allocator(counting_allocator<void>(live, calls), handler));
    io.restart();
    io.run();
    BOOST_TEST(handled == 2);
    BOOST_TEST(calls >= 2);
}

// Memory and lifetimes

BOOST_AUTO_TEST_CASE(out_of_memory_changes_nothing)
{
    named_timers_t names(io);
    names.async_wait("a", 1s, append("a"));
    int failures = 0;
    const std::string name("a name that is too long for the string's own room");
    for (long n = 0;; ++n)
    {
        asio::cancellation_signal signal;
        auto handler = asio::bind_cancellation_slot(signal.slot(), [this](error_code ec) { log.push_back(result(ec)); });
        try
        {
            const failing_allocations failing(n);
            names.async_wait(name, 2s, handler);
        }
        catch (const std::bad_alloc&)
        {
            ++failures;
            BOOST_TEST(names.size() == 1u);
            BOOST_TEST(!names.contains(name));
            BOOST_TEST(!signal.slot().has_handler());
            continue;
        }
        BOOST_TEST(names.contains(name));
        BOOST_TEST(clock_type::run(io) == 2u);
        break;
    }
    BOOST_TEST((failures >= 3 || !allocations::replaced));
    BOOST_TEST((log == log_type{"a expired", "expired"}));
}

BOOST_AUTO_TEST_CASE(out_of_memory_leaves_a_prepared_wait_prepared)
{
    named_timers_t names(io);
    auto p = names.prepare("a", 1s);
    for (long n = 0;; ++n)
    {
        auto handler = append("p");
        try
        {
            const failing_allocations failing(n);
            p.async_start(std::move(handler));
            break;
        }
        catch (const std::bad_alloc&)
        {
            BOOST_TEST(names.size() == 1u);
            BOOST_TEST(names.reschedule_after("a", 1s) == 0u);
        }
    }
    BOOST_TEST(clock_type::run(io) == 1u);
    BOOST_TEST((log == log_type{"p expired"}));
}

BOOST_AUTO_TEST_CASE(out_of_memory_leaves_a_wait_that_was_decided_to_be_started)
{
    using on_io = boost_ext::basic_named_timers<clock_type, asio::wait_traits<clock_type>, asio::io_context::executor_type>;
    on_io names(io);
    auto p = names.prepare("a", 1s);
    names.stop();
    int failures = 0;
    for (int n = 0;; ++n)
    {
        int left = n;
        asio::cancellation_signal signal;
        try
        {
            p.async_start(
                asio::bind_cancellation_slot(signal.slot(), asio::bind_allocator(limited_allocator<void>(left), append("p"))));
            BOOST_TEST(io.run() == 1u);
            break;
        }
        catch (const std::bad_alloc&)
        {
            ++failures;
            BOOST_TEST(!signal.slot().has_handler());
        }
    }
    BOOST_TEST(failures == 2);
    BOOST_TEST((log == log_type{"p stopped"}));
}

BOOST_AUTO_TEST_CASE(a_handler_that_goes_when_memory_runs_out_takes_its_signal_along)
{
    using on_io = named_timers_t::rebind_executor<asio::io_context::executor_type>::other;
    on_io names(io);
    auto p = names.prepare("a", 1s);
    BOOST_TEST(names.cancel("a") == 1u);
    for (int n : {0, 1})
    {
        int left = n;
        BOOST_CHECK_THROW(
            p.async_start(self_cancelling{std::make_unique<asio::cancellation_signal>(), limited_allocator<void>(left)}),
            std::bad_alloc);
    }
    p.async_start(append("p"));
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST((log == log_type{"p cancelled"}));
}

BOOST_AUTO_TEST_CASE(names_leave_nothing_behind)
{
    named_timers_t names(io);
    const allocation_count before;
    for (int i = 0; i < 10000; ++i)
        names.async_wait("session-" + std::to_string(i), 1h, [](error_code) {});
    for (int i = 0; i < 10000; ++i)
        BOOST_TEST_REQUIRE(names.cancel("session-" + std::to_string(i)) == 1u);
    BOOST_TEST(io.poll() == 10000u);
    BOOST_TEST(before.bytes_kept() < 400000);
}

BOOST_AUTO_TEST_CASE(an_exception_leaves_run)
{
    named_timers_t names(io);
    names.async_wait("a", 1s, [](error_code) { throw 1; });
    names.async_wait("a", 1s, append("a"));
    BOOST_CHECK_THROW(clock_type::run(io), int);
    BOOST_TEST(names.size() == 1u);
    clock_type::run(io);
    BOOST_TEST((log == log_type{"a expired"}));
}

BOOST_AUTO_TEST_CASE(a_handler_may_take_along_what_started_it)
{
    named_timers_t names(io);
    std::optional<named_timers_t::prepared> p(names.prepare("a", 1s));
    auto launch = std::make_unique<decltype(p->async_start(asio::deferred))>(p->async_start(asio::deferred));
    BOOST_TEST(names.cancel("a") == 1u);
    p.reset();
    const auto take_along = [&](error_code ec) {
        launch.reset();
        log.push_back(result(ec));
    };
    auto& operation = *launch;
    std::move(operation)(faster_handler{{&io}, take_along});
    BOOST_TEST((log == log_type{"cancelled"}));
}

BOOST_AUTO_TEST_CASE(a_context_that_goes_destroys_the_handlers)
{
    int alive = 0;
    asio::cancellation_signal signal;
    auto own = std::make_unique<asio::io_context>();
    named_timers_t names(*own);
    auto prepared = names.prepare("p", 1s);
    auto started = names.prepare("p", 1s);
    started.async_start(tracer(alive));
    names.async_wait("pending", 1h, tracer(alive));
    names.async_wait("queued", 1s, tracer(alive));
    names.async_wait("cancelled", 1h, tracer(alive));
    names.async_wait("slot", 1h, asio::bind_cancellation_slot(signal.slot(), tracer(alive)));
    names.cancel("cancelled");
    clock_type::advance(1s);
    BOOST_TEST(alive == 5);
    own.reset();
    BOOST_TEST(alive == 0);
    BOOST_TEST(names.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_completion_that_was_handed_to_another_context_survives_its_own)
{
    asio::io_context other;
    auto own = std::make_unique<asio::io_context>();
    auto names = std::make_unique<named_timers_t>(*own);
    names->async_wait("a", 1s, asio::bind_executor(other, append("a")));
    clock_type::advance(1s);
    own->poll();
    names.reset();
    own.reset();
    BOOST_TEST(other.run() == 1u);
    BOOST_TEST((log == log_type{"a stopped"}));
}

BOOST_AUTO_TEST_CASE(a_completion_that_was_handed_over_survives_its_context_though_the_object_does_not_go_first)
{
    asio::io_context other;
    int alive = 0;
    auto own = std::make_unique<asio::io_context>();
    named_timers_t names(*own);
    for (const char* name : {"expires", "cancelled", "moved earlier", "moved", "stopped"})
        names.async_wait(name, 1s, asio::bind_executor(other, [this, name, t = tracer(alive)](error_code ec) {
            log.push_back(name + (" " + result(ec)));
        }));
    clock_type::advance(1s);
    own->poll();
    BOOST_TEST(names.reschedule_after("moved", 1s) == 1u);
    own.reset();
    BOOST_TEST(names.size() == 5u);
    BOOST_TEST(names.cancel("cancelled") == 1u);
    BOOST_TEST(names.reschedule_after("moved earlier", -1s) == 0u);
    BOOST_TEST(other.run_one() == 1u);
    BOOST_TEST(names.cancel("expires") == 0u);
    other.poll_one();
    other.poll_one();
    names.async_wait("late", 1s, tracer(alive));
    names.stop();
    other.run();
    BOOST_TEST(alive == 0);
    BOOST_TEST(
        (log == log_type{"expires expired", "cancelled cancelled", "moved earlier expired", "moved stopped", "stopped stopped"}));
}

BOOST_AUTO_TEST_CASE(a_signal_may_outlive_the_context_of_a_strand)
{
    asio::cancellation_signal pending, cancelled;
    {
        asio::io_context own;
        named_timers_t names(asio::make_strand(own));
        names.async_wait("pending", 1h, asio::bind_cancellation_slot(pending.slot(), append("pending")));
        auto p = names.prepare("cancelled", 1h);
        p.async_start(asio::bind_cancellation_slot(cancelled.slot(), append("cancelled")));
        BOOST_TEST(names.cancel("cancelled") == 1u);
    }
    pending.emit(asio::cancellation_type::all);
    BOOST_TEST(log.empty());
}

BOOST_AUTO_TEST_CASE(a_completion_that_was_handed_over_survives_the_strand_of_its_timers)
{
    asio::io_context other;
    {
        asio::io_context own;
        named_timers_t names(asio::make_strand(own));
        names.async_wait("a", 1s, asio::bind_executor(other, append("a")));
        names.async_wait("b", 1s, asio::bind_executor(other, append("b")));
        clock_type::advance(1s);
        own.poll();
        BOOST_TEST(names.cancel("a") == 1u);
    }
    BOOST_TEST(other.run() == 2u);
    BOOST_TEST((log == log_type{"a cancelled", "b stopped"}));
}

BOOST_AUTO_TEST_CASE(a_wait_that_has_no_context_to_wait_on_again_is_dropped)
{
    asio::io_context other;
    int alive = 0;
    auto own = std::make_unique<asio::io_context>();
    named_timers_t names(*own);
    names.async_wait("a", 1s, asio::bind_executor(other, tracer(alive)));
    clock_type::advance(1s);
    own->poll();
    BOOST_TEST(names.reschedule_after("a", 1s) == 1u);
    own.reset();
    BOOST_TEST(other.run() == 1u);
    BOOST_TEST(alive == 0);
    BOOST_TEST(names.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_handler_may_own_the_object)
{
    int alive = 0;
    {
        asio::io_context own;
        auto names = std::make_shared<named_timers_t>(own);
        names->async_wait("a", 1s, [names, t = tracer(alive)](error_code) {});
        names->async_wait("a", 1h, [names, t = tracer(alive)](error_code) {});
        auto guard = std::shared_ptr<void>(
            nullptr, [names, &alive](void*) { names->async_wait("late", 1s, [t = tracer(alive)](error_code) {}); });
        names->async_wait("a", 1h, [guard](error_code) {});
        guard.reset();
        names.reset();
        clock_type::run_for(own, 1s);
        BOOST_TEST(alive == 1);
    }
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(made_and_used_while_the_context_goes)
{
    using late_clock = boost_ext::basic_manual_clock<struct named_timers_late>;
    using late_timers = boost_ext::basic_named_timers<late_clock>;
    for (const bool with_reactor : {false, true})
    {
        int alive = 0;
        {
            asio::io_context own;
            if (with_reactor)
                asio::steady_timer reactor(own);
            const auto use = [&](void*) {
                auto names = std::make_shared<late_timers>(own);
                for (auto expiry : {1s, -1s, -1s, 1s})
                    names->async_wait("a", expiry, [names, t = tracer(alive)](error_code) {});
            };
            asio::post(own, [guard = std::shared_ptr<void>(nullptr, use)] {});
        }
        BOOST_TEST(alive == 0);
    }
}

BOOST_AUTO_TEST_CASE(works_on_real_clocks)
{
    asio::thread_pool pool(2);
    boost_ext::named_timers names(pool);
    std::atomic<int> expired{0};
    for (int i = 0; i < 100; ++i)
        names.async_wait("a", 1ms, [&](error_code ec) { expired += !ec; });
    pool.join();
    BOOST_TEST(expired == 100);
}

BOOST_AUTO_TEST_SUITE_END()
