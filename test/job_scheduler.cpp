// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/job_scheduler.hpp>
#include <boost_ext/manual_clock.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "allocators.hpp"
#include "count_allocations.hpp"

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::job_id;
using boost_ext::missed_tick;
using namespace std::chrono_literals;

namespace {

using clock_type = boost_ext::basic_manual_clock<struct job_scheduler_test>;
using scheduler = boost_ext::basic_job_scheduler<clock_type>;
using time_point = clock_type::time_point;
using log_type = std::vector<int>;

struct fixture
{
    fixture()
    {
        clock_type::reset();
        start = clock_type::now();
    }

    /// Seconds since the test began.
    long at() const { return static_cast<long>((clock_type::now() - start) / 1s); }
    time_point time(int s) const { return start + std::chrono::seconds(s); }
    auto append(int n)
    {
        return [this, n] { log.push_back(n); };
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
    void operator()() const {}
    int* count;
};

struct both_ways
{
    std::string* said;
    void operator()() const { *said = "f()"; }
    void operator()(job_id) const { *said = "f(job_id)"; }
};

using test::limited_allocator;

#if !defined(BOOST_ASIO_NO_TS_EXECUTORS)
/// Takes functions by value, so that it may ask for the allocator of a handler that was moved from already.
struct by_value_executor
{
    asio::io_context* io;

    asio::execution_context& context() const noexcept { return *io; }
    void on_work_started() const noexcept { io->get_executor().on_work_started(); }
    void on_work_finished() const noexcept { io->get_executor().on_work_finished(); }

    template <class F, class Allocator>
    void dispatch(F f, Allocator a) const
    {
        post(std::move(f), a);
    }
    template <class F, class Allocator>
    void post(F f, Allocator a) const
    {
        io->get_executor().post(std::move(f), a);
    }
    template <class F, class Allocator>
    void defer(F f, Allocator a) const
    {
        post(std::move(f), a);
    }

    bool operator==(by_value_executor other) const noexcept { return io == other.io; }
    bool operator!=(by_value_executor other) const noexcept { return io != other.io; }
};
#endif

/// Does not fit into what a type-erased executor has room for.
struct wide_executor
{
    asio::io_context* io;
    std::array<void*, 4> more{};

    asio::io_context& query(asio::execution::context_t) const noexcept { return *io; }
    wide_executor require(asio::execution::blocking_t::never_t) const noexcept { return *this; }

    template <class F>
    void execute(F f) const
    {
        asio::require(io->get_executor(), asio::execution::blocking.never).execute(std::move(f));
    }

    bool operator==(const wide_executor& other) const noexcept { return io == other.io; }
    bool operator!=(const wide_executor& other) const noexcept { return io != other.io; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(job_scheduler, fixture)

// The types

BOOST_AUTO_TEST_CASE(has_the_names_of_every_class_over_a_clock)
{
    using steady = boost_ext::job_scheduler;
    static_assert(std::is_same<steady, boost_ext::basic_job_scheduler<std::chrono::steady_clock>>::value, "");
    static_assert(std::is_same<steady::clock_type, std::chrono::steady_clock>::value, "");
    static_assert(std::is_same<steady::duration, std::chrono::steady_clock::duration>::value, "");
    static_assert(std::is_same<steady::time_point, std::chrono::steady_clock::time_point>::value, "");
    static_assert(std::is_same<steady::executor_type, asio::any_io_executor>::value, "");
    using rebound = steady::rebind_executor<asio::io_context::executor_type>::other;
    static_assert(std::is_same<rebound::executor_type, asio::io_context::executor_type>::value, "");
    rebound on_io(io);
    BOOST_TEST((on_io.get_executor() == io.get_executor()));
    scheduler s(io.get_executor());
    BOOST_TEST((s.get_executor() == asio::any_io_executor(io.get_executor())));
}

BOOST_AUTO_TEST_CASE(is_neither_copied_nor_moved)
{
    static_assert(!std::is_copy_constructible<scheduler>::value, "");
    static_assert(!std::is_move_constructible<scheduler>::value, "");
    static_assert(!std::is_copy_assignable<scheduler>::value, "");
    static_assert(!std::is_move_assignable<scheduler>::value, "");
    static_assert(!std::is_convertible<asio::io_context&, scheduler>::value, "the constructors are explicit");
}

// One-shots

BOOST_AUTO_TEST_CASE(run_at_and_run_after_run_once_at_their_time)
{
    scheduler s(io);
    s.run_at(time(20), [&] { log.push_back(static_cast<int>(at())); });
    s.run_after(10s, [&] { log.push_back(static_cast<int>(at())); });
    BOOST_TEST(s.size() == 2u);
    clock_type::run(io);
    BOOST_TEST((log == log_type{10, 20}));
    BOOST_TEST(s.size() == 0u);
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(is_never_run_inside_run_at)
{
    scheduler s(io);
    s.run_at(time(-5), append(1));
    s.run_at((time_point::min)(), append(0));
    BOOST_TEST(log.empty());
    io.run();
    BOOST_TEST((log == log_type{0, 1}));
}

BOOST_AUTO_TEST_CASE(in_order_of_time_then_of_submission)
{
    scheduler s(io);
    s.run_at(time(2), append(3));
    s.run_at(time(1), append(1));
    s.run_at(time(2), append(4));
    s.run_at(time(1), append(2));
    for (int i = 5; i < 100; ++i)
        s.run_at(time(2), append(i));
    clock_type::run(io);
    BOOST_TEST(log.size() == 99u);
    BOOST_TEST(std::is_sorted(log.begin(), log.end()));
}

BOOST_AUTO_TEST_CASE(in_order_of_time_when_all_are_overdue)
{
    scheduler s(io);
    for (int i = 9; i >= 0; --i)
        s.run_at(time(i), append(i));
    clock_type::advance(100s);
    io.run();
    BOOST_TEST((log == log_type{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

BOOST_AUTO_TEST_CASE(max_never_runs_and_is_work)
{
    scheduler s(io);
    const job_id id = s.run_after((clock_type::duration::max)(), append(1));
    s.run_at((time_point::max)(), append(2));
    clock_type::run(io);
    BOOST_TEST(log.empty());
    BOOST_TEST(!io.stopped());
    BOOST_TEST(s.size() == 2u);
    BOOST_TEST(s.cancel(id));
    s.stop();
    clock_type::run(io);
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(f_may_be_move_only_and_may_take_its_id)
{
    scheduler s(io);
    job_id given;
    const job_id id = s.run_after(1s, [&, p = std::make_unique<int>(7)](job_id self) {
        given = self;
        log.push_back(*p);
    });
    std::string said;
    s.run_after(1s, both_ways{&said});
    int plain = 0;
    std::function<void()> lvalue = [&] { ++plain; };
    s.run_after(1s, lvalue);
    clock_type::run(io);
    BOOST_TEST((given == id));
    BOOST_TEST((log == log_type{7}));
    BOOST_TEST(said == "f()");
    BOOST_TEST(plain == 1);
    BOOST_TEST(static_cast<bool>(lvalue));
}

BOOST_AUTO_TEST_CASE(runs_on_the_executor_given)
{
    auto strand = asio::make_strand(io);
    boost_ext::basic_job_scheduler<clock_type, asio::wait_traits<clock_type>, decltype(strand)> s(strand);
    bool inside = false;
    s.run_after(1s, [&] { inside = strand.running_in_this_thread(); });
    scheduler erased{asio::any_io_executor(strand)};
    bool erased_inside = false;
    erased.run_after(1s, [&] { erased_inside = strand.running_in_this_thread(); });
    clock_type::run(io);
    BOOST_TEST(inside);
    BOOST_TEST(erased_inside);
}

#if !defined(BOOST_ASIO_NO_TS_EXECUTORS)
BOOST_AUTO_TEST_CASE(runs_on_an_executor_of_the_networking_ts)
{
    boost_ext::basic_job_scheduler<clock_type, asio::wait_traits<clock_type>, by_value_executor> s(by_value_executor{&io});
    s.run_every(1s, [&](job_id self) {
        log.push_back(1);
        if (log.size() == 3)
            s.cancel(self);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 1, 1}));
    BOOST_TEST(io.stopped());
}
#endif

// Ids

BOOST_AUTO_TEST_CASE(ids_are_values)
{
    scheduler s(io);
    const job_id a = s.run_after(1s, [] {});
    const job_id b = s.run_after(1s, [] {});
    const job_id copy = a;
    BOOST_TEST((copy == a));
    BOOST_TEST((a != b));
    BOOST_TEST((a < b && b > a && a <= copy && a >= copy));
    BOOST_TEST((job_id{} == job_id()));
    BOOST_TEST((job_id{} != a));
    std::unordered_set<job_id> standard{a, b, copy};
    BOOST_TEST(standard.size() == 2u);
    BOOST_TEST(std::hash<job_id>()(a) == hash_value(copy));
    std::set<job_id> ordered{a, b, job_id{}};
    BOOST_TEST(ordered.size() == 3u);
}

BOOST_AUTO_TEST_CASE(ids_are_unique_across_schedulers)
{
    scheduler s(io), t(io);
    boost_ext::job_scheduler u(io);
    std::set<job_id> ids;
    for (int i = 0; i < 100; ++i)
    {
        ids.insert(s.run_after(1s, [] {}));
        ids.insert(t.run_after(1s, [] {}));
        ids.insert(u.run_after(1h, [] {}));
    }
    BOOST_TEST(ids.size() == 300u);
}

BOOST_AUTO_TEST_CASE(stale_foreign_and_empty_ids_are_harmless)
{
    scheduler s(io), other(io);
    const job_id stale = s.run_after(1s, append(1));
    clock_type::run(io);
    // Memory of the first is likely to be reused.
    const job_id live = s.run_after(1s, append(2));
    const job_id foreign = other.run_after(1s, append(3));
    for (job_id id : {stale, foreign, job_id{}})
    {
        BOOST_TEST(!s.cancel(id));
        BOOST_TEST(!s.reschedule_after(id, 1h));
        BOOST_TEST(!s.reschedule_at(id, time(1)));
        int completed = 0;
        s.async_cancel(id, [&](error_code ec, bool cancelled) {
            BOOST_TEST(!ec);
            BOOST_TEST(!cancelled);
            ++completed;
        });
        BOOST_TEST(completed == 0);
        io.restart();
        io.poll();
        BOOST_TEST(completed == 1);
    }
    BOOST_TEST(s.size() == 1u);
    BOOST_TEST(other.size() == 1u);
    io.restart();
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2, 3}));
    BOOST_TEST(!s.cancel(live));
}

// Cancelling

BOOST_AUTO_TEST_CASE(cancel_is_true_once_and_the_job_never_starts)
{
    scheduler s(io);
    int alive = 0;
    const job_id id = s.run_after(1s, [&, t = tracer(alive)] { log.push_back(1); });
    BOOST_TEST(alive == 1);
    BOOST_TEST(s.cancel(id));
    BOOST_TEST(s.size() == 0u);
    BOOST_TEST(!s.cancel(id));
    BOOST_TEST(!s.reschedule_after(id, 1s));
    const std::size_t counted = io.run();
    BOOST_TEST(counted <= 1u);
    BOOST_TEST(alive == 0);
    clock_type::advance(1h);
    io.restart();
    io.run();
    BOOST_TEST(log.empty());
}

BOOST_AUTO_TEST_CASE(cancel_of_a_job_due_in_the_same_batch)
{
    scheduler s(io);
    job_id b;
    s.run_after(1s, [&] {
        log.push_back(1);
        BOOST_TEST(s.cancel(b));
    });
    b = s.run_after(1s, append(2));
    clock_type::run(io);
    BOOST_TEST((log == log_type{1}));
}

BOOST_AUTO_TEST_CASE(cancel_of_a_job_that_is_queued)
{
    scheduler s(io);
    const job_id id = s.run_after(1s, append(1));
    clock_type::advance(1s);
    BOOST_TEST(s.cancel(id));
    io.run();
    BOOST_TEST(log.empty());
}

BOOST_AUTO_TEST_CASE(cancel_is_false_for_a_one_shot_that_has_started)
{
    scheduler s(io);
    s.run_after(1s, [&](job_id self) {
        BOOST_TEST(s.size() == 0u);
        BOOST_TEST(!s.cancel(self));
        BOOST_TEST(!s.reschedule_after(self, 1s));
        log.push_back(1);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1}));
}

BOOST_AUTO_TEST_CASE(a_one_shot_that_cancels_itself_leaves_nothing_behind)
{
    scheduler s(io);
    int alive = 0;
    job_id id = s.run_after(1s, [&, t = tracer(alive)](job_id self) { s.cancel(self); });
    clock_type::run(io);
    BOOST_TEST(alive == 0);
    BOOST_TEST(s.size() == 0u);
    BOOST_TEST(!s.cancel(id));
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(cancel_is_true_for_a_periodic_job_that_is_running)
{
    scheduler s(io);
    int alive = 0;
    s.run_every(1s, [&, t = tracer(alive)](job_id self) {
        BOOST_TEST(s.size() == 1u);
        BOOST_TEST(s.cancel(self));
        BOOST_TEST(s.size() == 0u);
        BOOST_TEST(!s.cancel(self));
        BOOST_TEST(!s.reschedule_after(self, 1s));
        BOOST_TEST(alive == 1);
        log.push_back(1);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1}));
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(f_may_cancel_jobs_when_it_is_destroyed)
{
    scheduler s(io);
    const job_id other = s.run_after(1s, append(1));
    auto canceller = std::shared_ptr<void>(nullptr, [&](void*) { log.push_back(s.cancel(other) ? 2 : 3); });
    const job_id id = s.run_after(1s, [canceller] {});
    canceller.reset();
    BOOST_TEST(s.cancel(id));
    BOOST_TEST((log == log_type{2}));
    clock_type::run(io);
    BOOST_TEST((log == log_type{2}));
}

// async_cancel and async_stop

BOOST_AUTO_TEST_CASE(async_cancel_of_a_pending_job)
{
    scheduler s(io);
    const job_id id = s.run_after(1s, append(1));
    s.async_cancel(id, [&](error_code ec, bool cancelled) {
        BOOST_TEST(!ec);
        BOOST_TEST(cancelled);
        log.push_back(2);
    });
    BOOST_TEST(log.empty());
    clock_type::run(io);
    BOOST_TEST((log == log_type{2}));
}

BOOST_AUTO_TEST_CASE(handlers_may_be_references)
{
    scheduler s(io);
    int calls = 0;
    auto cancelled = [&](error_code ec, bool) { calls += !ec; };
    auto stopped = [&](error_code ec) { calls += !ec; };
    s.async_cancel(s.run_after(1s, append(1)), std::ref(cancelled));
    s.async_stop(std::ref(stopped));
    clock_type::run(io);
    BOOST_TEST(calls == 2);
    BOOST_TEST(log.empty());
}

BOOST_AUTO_TEST_CASE(async_cancel_from_inside_completes_after_the_run)
{
    scheduler s(io);
    int alive = 0;
    auto on_cancel = [&](bool expected, int n) {
        return [&, expected, n](error_code ec, bool cancelled) {
            BOOST_TEST(!ec);
            BOOST_TEST(cancelled == expected);
            BOOST_TEST(alive == 0);
            log.push_back(n);
        };
    };
    s.run_every(1s, [&, t = tracer(alive)](job_id self) {
        s.async_cancel(self, on_cancel(true, 3));
        s.async_cancel(self, on_cancel(false, 4));
        io.poll(); // nothing completes as long as this is running
        log.push_back(1);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 3, 4}));

    log.clear();
    io.restart();
    s.run_after(1s, [&, t = tracer(alive)](job_id self) {
        s.async_cancel(self, on_cancel(false, 2));
        log.push_back(1);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2}));
}

BOOST_AUTO_TEST_CASE(async_cancel_from_another_thread_waits_for_the_run)
{
    scheduler s(io);
    std::promise<job_id> running;
    std::promise<void> go_on;
    std::atomic<bool> returned{false};
    s.run_after(1s, [&](job_id self) {
        running.set_value(self);
        go_on.get_future().wait();
        returned = true;
    });
    std::thread runner([&] { clock_type::run(io); });
    const job_id id = running.get_future().get();
    asio::io_context here;
    bool completed = false;
    s.async_cancel(id, asio::bind_executor(here.get_executor(), [&](error_code ec, bool cancelled) {
        BOOST_TEST(!ec);
        BOOST_TEST(!cancelled);
        BOOST_TEST(returned.load());
        completed = true;
    }));
    BOOST_TEST(here.poll() == 0u);
    BOOST_TEST(!here.stopped()); // the operation is work on the handler's executor
    go_on.set_value();
    BOOST_TEST(here.run() == 1u);
    BOOST_TEST(completed);
    runner.join();
}

BOOST_AUTO_TEST_CASE(async_cancel_whose_completion_was_handed_to_another_context_survives_its_own)
{
    const auto survives = [&](auto make_executor) {
        log.clear();
        asio::io_context other;
        asio::cancellation_signal signal;
        auto own = std::make_unique<asio::io_context>();
        auto s = std::make_unique<scheduler>(make_executor(*own));
        s->async_cancel(s->run_after(1s, append(1)),
            asio::bind_executor(other, [&](error_code ec, bool cancelled) { log.push_back(!ec && cancelled ? 2 : 3); }));
        s->run_after(1s, [&](job_id self) {
            s->async_cancel(
                self, asio::bind_executor(other, asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, bool) {
                    log.push_back(ec == asio::error::operation_aborted ? 4 : 5);
                })));
            signal.emit(asio::cancellation_type::total);
        });
        clock_type::run(*own);
        s.reset();
        own.reset();
        BOOST_TEST(log.empty());
        BOOST_TEST(other.run() == 2u);
        BOOST_TEST((log == log_type{2, 4}));
    };
    survives([](asio::io_context& own) { return own.get_executor(); });
    survives([](asio::io_context& own) { return asio::make_strand(own); }); // may not outlive its context
}

BOOST_AUTO_TEST_CASE(async_cancel_waits_until_a_function_that_has_returned_is_destroyed)
{
    for (bool throws : {false, true})
    {
        log.clear();
        io.restart();
        scheduler s(io);
        job_id id;
        auto guard = std::shared_ptr<void>(nullptr, [&](void*) {
            BOOST_TEST(s.size() == 0u);
            BOOST_TEST(!s.cancel(id));
            BOOST_TEST(!s.reschedule_after(id, 1s));
            s.async_cancel(id, [&](error_code ec, bool cancelled) { log.push_back(ec || cancelled ? -1 : 2); });
            io.poll();
            log.push_back(1);
        });
        id = s.run_after(1s, [throws, g = std::move(guard)] {
            if (throws)
                throw 42;
        });
        try
        {
            clock_type::run(io);
            BOOST_TEST(!throws);
        }
        catch (int)
        {
            BOOST_TEST(throws);
        }
        io.poll();
        BOOST_TEST((log == log_type{1, 2}));
        BOOST_TEST(io.stopped());
    }
}

BOOST_AUTO_TEST_CASE(async_cancel_is_aborted_by_its_own_slot_alone)
{
    for (auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total})
    {
        log.clear();
        io.restart();
        scheduler s(io);
        asio::cancellation_signal signal;
        s.run_every(1s, [&](job_id self) {
            s.async_cancel(self, asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, bool) {
                log.push_back(ec == asio::error::operation_aborted ? 1 : 0);
            }));
            s.async_cancel(self, [&](error_code ec, bool) { log.push_back(ec ? 3 : 2); });
            signal.emit(type);
            io.poll();
            BOOST_TEST((log == log_type{1}));
        });
        clock_type::run(io);
        BOOST_TEST((log == log_type{1, 2}));
        BOOST_TEST(!signal.slot().has_handler());
        BOOST_TEST(s.size() == 0u);
    }
}

BOOST_AUTO_TEST_CASE(async_stop_completes_when_nothing_runs)
{
    scheduler s(io);
    int alive = 0;
    s.run_every(1s, [&, t = tracer(alive)] {
        s.async_stop([&](error_code ec) {
            BOOST_TEST(!ec);
            BOOST_TEST(alive == 0);
            log.push_back(2);
        });
        BOOST_TEST(s.size() == 0u);
        io.poll();
        log.push_back(1);
    });
    s.run_after(1s, append(9));
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2}));

    io.restart();
    s.async_stop([&](error_code ec) { log.push_back(ec ? -1 : 3); });
    BOOST_TEST(log.size() == 2u);
    io.run();
    BOOST_TEST(log.back() == 3);
}

BOOST_AUTO_TEST_CASE(async_stop_is_aborted_by_its_own_slot)
{
    scheduler s(io);
    asio::cancellation_signal signal;
    s.run_after(1s, [&] {
        s.async_stop(asio::bind_cancellation_slot(
            signal.slot(), [&](error_code ec) { log.push_back(ec == asio::error::operation_aborted ? 1 : 0); }));
        signal.emit(asio::cancellation_type::total);
        signal.emit(asio::cancellation_type::total);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1}));
}

BOOST_AUTO_TEST_CASE(every_token_works)
{
    scheduler s(io);
    std::future<bool> future = s.async_cancel(s.run_after(1s, [] {}), asio::use_future);
    auto deferred = s.async_cancel(s.run_after(1s, append(1)), asio::deferred);
    auto by_default = s.async_cancel(job_id{});
    auto stop_by_default = s.async_stop();
    static_cast<void>(by_default);
    s.async_cancel(job_id{}, asio::detached);
    BOOST_TEST(s.size() == 1u); // deferred: cancelled when it is launched
    std::move(deferred)([&](error_code ec, bool cancelled) { log.push_back(!ec && cancelled ? 2 : 3); });
    BOOST_TEST(s.size() == 0u);
    clock_type::run(io);
    BOOST_TEST(future.get());
    BOOST_TEST((log == log_type{2}));
    std::move(stop_by_default)([&](error_code ec) { log.push_back(ec ? 5 : 4); });
    io.restart();
    io.run();
    BOOST_TEST(log.back() == 4);
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
BOOST_AUTO_TEST_CASE(coroutines)
{
    scheduler s(io);
    const job_id id = s.run_after(1s, append(1));
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            BOOST_TEST(co_await s.async_cancel(id, asio::use_awaitable));
            BOOST_TEST(!co_await s.async_cancel(id));
            co_await s.async_stop();
            log.push_back(2);
        },
        asio::detached);
    clock_type::run(io);
    BOOST_TEST((log == log_type{2}));
}
#endif

// Periodic jobs

BOOST_AUTO_TEST_CASE(run_every_first_runs_after_one_period_and_does_not_drift)
{
    scheduler s(io);
    const job_id id = s.run_every(10s, [&] { log.push_back(static_cast<int>(at())); });
    BOOST_TEST(s.size() == 1u);
    clock_type::run_for(io, 45s);
    BOOST_TEST((log == log_type{10, 20, 30, 40}));
    BOOST_TEST(s.size() == 1u);
    BOOST_TEST(s.cancel(id));
}

BOOST_AUTO_TEST_CASE(skip_is_the_default_and_starts_at_once)
{
    scheduler s(io);
    s.run_every(10s, [&](job_id self) {
        log.push_back(static_cast<int>(at()));
        if (log.size() == 1)
            clock_type::advance(25s);
        if (log.size() == 4)
            s.cancel(self);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{10, 35, 40, 50}));
}

BOOST_AUTO_TEST_CASE(burst_runs_all_of_them)
{
    scheduler s(io);
    s.run_every(
        10s,
        [&](job_id self) {
            log.push_back(static_cast<int>(at()));
            if (log.size() == 1)
                clock_type::advance(25s);
            if (log.size() == 5)
                s.cancel(self);
        },
        missed_tick::burst);
    clock_type::run(io);
    BOOST_TEST((log == log_type{10, 35, 35, 40, 50}));
}

BOOST_AUTO_TEST_CASE(delay_counts_from_the_return)
{
    scheduler s(io);
    s.run_every(
        10s,
        [&](job_id self) {
            log.push_back(static_cast<int>(at()));
            if (log.size() == 1)
                clock_type::advance(25s);
            if (log.size() == 2)
                clock_type::advance(3s);
            if (log.size() == 4)
                s.cancel(self);
        },
        missed_tick::delay);
    clock_type::run(io);
    BOOST_TEST((log == log_type{10, 45, 58, 68}));
}

BOOST_AUTO_TEST_CASE(a_late_start_applies_the_policy)
{
    const auto starts = [&](missed_tick policy) {
        log.clear();
        clock_type::reset();
        io.restart();
        scheduler s(io);
        s.run_every(
            10s,
            [&](job_id self) {
                log.push_back(static_cast<int>(at()));
                if (log.size() == 5)
                    s.cancel(self);
            },
            policy);
        clock_type::advance(35s);
        clock_type::run(io);
        return log;
    };
    BOOST_TEST((starts(missed_tick::skip) == log_type{35, 40, 50, 60, 70}));
    BOOST_TEST((starts(missed_tick::burst) == log_type{35, 35, 35, 40, 50}));
    BOOST_TEST((starts(missed_tick::delay) == log_type{35, 45, 55, 65, 75}));
}

BOOST_AUTO_TEST_CASE(never_overlaps_itself)
{
    scheduler s(io);
    int depth = 0;
    s.run_every(
        1s,
        [&](job_id self) {
            BOOST_TEST(++depth == 1);
            clock_type::advance(5s);
            io.poll();
            --depth;
            log.push_back(1);
            if (log.size() == 10)
                s.cancel(self);
        },
        missed_tick::burst);
    clock_type::run(io);
    BOOST_TEST(log.size() == 10u);
}

BOOST_AUTO_TEST_CASE(a_period_has_to_be_positive)
{
    scheduler s(io);
    int alive = 0;
    BOOST_CHECK_THROW(s.run_every(0s, tracer(alive)), std::invalid_argument);
    BOOST_CHECK_THROW(s.run_every(-1s, tracer(alive)), std::invalid_argument);
    BOOST_TEST(alive == 0);
    BOOST_TEST(s.size() == 0u);
    s.run_every((clock_type::duration::max)(), append(1));
    clock_type::run_for(io, 1h);
    BOOST_TEST(log.empty());
    BOOST_TEST(s.size() == 1u);
}

// Rescheduling

BOOST_AUTO_TEST_CASE(reschedule_moves_both_ways)
{
    scheduler s(io);
    const job_id a = s.run_after(10s, [&] { log.push_back(static_cast<int>(at())); });
    const job_id b = s.run_after(20s, [&] { log.push_back(static_cast<int>(at())); });
    BOOST_TEST(s.reschedule_after(a, 30s));
    BOOST_TEST(s.reschedule_at(b, time(5)));
    clock_type::run(io);
    BOOST_TEST((log == log_type{5, 30}));
    BOOST_TEST(!s.reschedule_after(a, 1s));
}

BOOST_AUTO_TEST_CASE(reschedule_after_saturates)
{
    scheduler s(io);
    clock_type::advance(1s);
    const job_id a = s.run_after(10s, append(1));
    BOOST_TEST(s.reschedule_after(a, (clock_type::duration::max)()));
    clock_type::run_for(io, 1000h);
    BOOST_TEST(log.empty());
    BOOST_TEST(s.reschedule_after(a, (clock_type::duration::min)()));
    clock_type::run(io);
    BOOST_TEST((log == log_type{1}));
}

BOOST_AUTO_TEST_CASE(reschedule_moves_a_job_that_is_due_but_has_not_started)
{
    scheduler s(io);
    const job_id a = s.run_after(10s, [&] { log.push_back(static_cast<int>(at())); });
    clock_type::advance(10s);
    BOOST_TEST(s.reschedule_after(a, 10s));
    io.poll();
    BOOST_TEST(log.empty());
    BOOST_TEST(s.size() == 1u);
    clock_type::advance(10s);
    BOOST_TEST(s.reschedule_after(a, 10s));
    BOOST_TEST(s.reschedule_after(a, 20s));
    clock_type::run(io);
    BOOST_TEST((log == log_type{40}));
}

BOOST_AUTO_TEST_CASE(a_job_of_the_same_batch_may_be_moved)
{
    scheduler s(io);
    job_id b;
    s.run_after(1s, [&] { BOOST_TEST(s.reschedule_after(b, 5s)); });
    b = s.run_after(1s, [&] { log.push_back(static_cast<int>(at())); });
    clock_type::run(io);
    BOOST_TEST((log == log_type{6}));
}

BOOST_AUTO_TEST_CASE(a_periodic_job_sets_its_next_run_from_inside)
{
    for (auto policy : {missed_tick::skip, missed_tick::burst, missed_tick::delay})
    {
        log.clear();
        clock_type::reset();
        io.restart();
        scheduler s(io);
        s.run_every(
            10s,
            [&](job_id self) {
                log.push_back(static_cast<int>(at()));
                if (log.size() == 1)
                {
                    BOOST_TEST(s.reschedule_after(self, 3s));
                    BOOST_TEST(s.reschedule_after(self, 7s));
                }
                if (log.size() == 3)
                    s.cancel(self);
            },
            policy);
        clock_type::run(io);
        BOOST_TEST((log == log_type{10, 17, 27}));
    }
}

BOOST_AUTO_TEST_CASE(a_periodic_job_that_was_moved_goes_on_from_there)
{
    scheduler s(io);
    const job_id id = s.run_every(10s, [&] { log.push_back(static_cast<int>(at())); });
    BOOST_TEST(s.reschedule_at(id, time(3)));
    clock_type::run_for(io, 30s);
    BOOST_TEST((log == log_type{3, 13, 23}));
}

// Order among equals

BOOST_AUTO_TEST_CASE(equal_times_by_the_latest_submission_or_rescheduling)
{
    scheduler s(io);
    const job_id a = s.run_at(time(10), append(1));
    s.run_at(time(10), append(2));
    const job_id c = s.run_at(time(5), append(3));
    s.run_at(time(10), append(4));
    s.reschedule_at(a, time(10));
    s.reschedule_at(c, time(10));
    clock_type::run(io);
    BOOST_TEST((log == log_type{2, 4, 1, 3}));
}

BOOST_AUTO_TEST_CASE(equal_times_where_one_was_moved_while_queued)
{
    scheduler s(io);
    const job_id a = s.run_at(time(1), append(1));
    clock_type::advance(1s);
    s.reschedule_at(a, time(10));
    s.run_at(time(10), append(2));
    const job_id c = s.run_at(time(10), append(3));
    io.poll();
    s.run_at(time(10), append(4));
    s.reschedule_at(c, time(10));
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2, 4, 3}));
}

BOOST_AUTO_TEST_CASE(equal_times_where_many_were_moved_while_queued)
{
    scheduler s(io);
    std::vector<job_id> ids;
    for (int i = 0; i < 200; ++i)
        ids.push_back(s.run_at(time(1), append(199 - i)));
    clock_type::advance(1s);
    for (int i = 199; i >= 0; --i)
        s.reschedule_at(ids[static_cast<std::size_t>(i)], time(10));
    for (int i = 200; i < 300; ++i)
        s.run_at(time(10), append(i));
    clock_type::run(io);
    BOOST_TEST(log.size() == 300u);
    BOOST_TEST(std::is_sorted(log.begin(), log.end()));
}

BOOST_AUTO_TEST_CASE(equal_times_with_periodic_jobs_by_submission)
{
    scheduler s(io);
    const job_id a = s.run_every(5s, append(1));
    const job_id b = s.run_every(10s, append(2));
    s.run_at(time(10), append(3));
    s.run_at(time(20), append(4));
    clock_type::run_for(io, 20s);
    BOOST_TEST((log == log_type{1, 1, 2, 3, 1, 1, 2, 4}));
    s.cancel(a);
    s.cancel(b);
}

BOOST_AUTO_TEST_CASE(equal_times_where_a_periodic_job_moved_itself)
{
    scheduler s(io);
    s.run_every(5s, [&](job_id self) {
        log.push_back(1);
        if (log.size() == 1)
        {
            s.reschedule_at(self, time(20));
            s.run_at(time(20), append(2));
        }
        else
        {
            s.cancel(self);
        }
    });
    s.run_at(time(20), append(3));
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 3, 1, 2}));
}

BOOST_AUTO_TEST_CASE(a_periodic_job_catches_up_in_order_of_time)
{
    const auto starts = [&](bool periodic_is_last) {
        log.clear();
        clock_type::reset();
        io.restart();
        scheduler s(io);
        if (periodic_is_last)
            s.run_at(time(30), append(2));
        s.run_every(
            10s,
            [&, runs = 0](job_id self) mutable {
                log.push_back(1);
                if (++runs == 3)
                    s.cancel(self);
            },
            missed_tick::burst);
        if (!periodic_is_last)
            s.run_at(time(30), append(2));
        clock_type::advance(35s);
        clock_type::run(io);
        return log;
    };
    BOOST_TEST((starts(true) == log_type{1, 1, 2, 1}));
    BOOST_TEST((starts(false) == log_type{1, 1, 1, 2}));
}

BOOST_AUTO_TEST_CASE(jobs_that_exchanged_tickets_can_be_cancelled_and_moved)
{
    scheduler s(io);
    const job_id a = s.run_at(time(1), append(1));
    clock_type::advance(1s);
    s.reschedule_at(a, time(10));
    std::vector<job_id> ids;
    s.run_at(time(10), [&] {
        log.push_back(2);
        BOOST_TEST(s.cancel(ids[0]));
        BOOST_TEST(s.reschedule_at(ids[1], time(30)));
    });
    for (int i = 3; i < 7; ++i)
        ids.push_back(s.run_at(time(10), append(i)));
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2, 5, 6, 4}));
    BOOST_TEST(s.size() == 0u);
}

// Work, memory and lifetimes

BOOST_AUTO_TEST_CASE(a_pending_job_is_work)
{
    scheduler s(io);
    const job_id id = s.run_after(1s, append(1));
    io.poll();
    BOOST_TEST(!io.stopped());
    s.cancel(id);
    io.poll();
    BOOST_TEST(io.stopped());

    io.restart();
    s.run_after(1s, append(1));
    s.stop();
    io.poll();
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(rearming_and_rescheduling_allocate_nothing)
{
    scheduler s(io);
    int runs = 0;
    const job_id periodic = s.run_every(1s, [&] { ++runs; });
    const job_id idle = s.run_after(1h, [] {});
    const job_id queued = s.run_after(1s, [] {});
    clock_type::run_for(io, 500ms);
    const allocation_count before;
    clock_type::advance(500ms);
    BOOST_TEST(s.reschedule_after(queued, 1h));
    for (int i = 0; i < 100; ++i)
    {
        s.reschedule_after(idle, 2h + i * 1s);
        s.reschedule_after(idle, 1h - i * 1s);
    }
    BOOST_TEST(before.so_far() == 0u);
    io.poll();
    for (int i = 0; i < 100; ++i)
    {
        clock_type::advance(1s);
        io.poll();
    }
    BOOST_TEST(before.so_far() == 0u);
    BOOST_TEST(runs == 101);
    s.cancel(periodic);
}

BOOST_AUTO_TEST_CASE(rearming_many_jobs_allocates_nothing)
{
    const auto on = [&](auto executor) {
        io.restart();
        boost_ext::basic_job_scheduler<clock_type, asio::wait_traits<clock_type>, decltype(executor)> s(executor);
        int runs = 0;
        for (int i = 0; i < 1000; ++i)
            s.run_every(1s, [&] { ++runs; });
        clock_type::run_for(io, 2s);
        const allocation_count before;
        clock_type::run_for(io, 20s);
        BOOST_TEST(before.so_far() == 0u);
        BOOST_TEST(runs == 22000);
        s.stop();
        io.poll();
    };
    const auto never_blocking = asio::require(io.get_executor(), asio::execution::blocking.never);
    on(asio::any_io_executor(io.get_executor()));
    on(io.get_executor());
    on(asio::make_strand(io));
    on(asio::any_io_executor(asio::make_strand(io)));
    on(never_blocking);
    on(asio::any_io_executor(never_blocking));
    on(asio::any_io_executor(wide_executor{&io}));
    on(asio::deferred_t::executor_with_default<asio::any_io_executor>(asio::any_io_executor(wide_executor{&io})));
}

BOOST_AUTO_TEST_CASE(a_periodic_job_goes_on_without_memory)
{
    scheduler s(io);
    int runs = 0;
    std::optional<failing_allocations> failing;
    s.run_every(1s, [&] {
        ++runs;
        s.run_after(10000h, [] {}); // takes a place in the queue
        failing.emplace(0);
    });
    for (int i = 0; i < 1000; ++i)
    {
        clock_type::advance(1s);
        io.poll();
        failing.reset();
    }
    BOOST_TEST(runs == 1000);
    s.stop();
    io.poll();
}

BOOST_AUTO_TEST_CASE(out_of_memory_changes_nothing)
{
    scheduler s(io);
    s.run_after(1s, append(1));
    int alive = 0;
    int failures = 0;
    for (long n = 0;; ++n)
    {
        try
        {
            const failing_allocations failing(n);
            s.run_after(2s, [this, t = tracer(alive)] { log.push_back(2); });
            break;
        }
        catch (const std::bad_alloc&)
        {
            ++failures;
            BOOST_TEST(alive == 0);
            BOOST_TEST(s.size() == 1u);
        }
    }
    BOOST_TEST(s.size() == 2u);
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2}));
    BOOST_TEST(alive == 0);

    // Most jobs find all they need at hand, so it takes many to meet every allocation.
    io.restart();
    for (int submitted = 0; submitted != 5000;)
    {
        try
        {
            const failing_allocations failing(submitted % 3);
            s.run_after(2s, tracer(alive));
            ++submitted;
        }
        catch (const std::bad_alloc&)
        {
            ++failures;
            BOOST_TEST_REQUIRE(alive == submitted);
            BOOST_TEST_REQUIRE(s.size() == static_cast<std::size_t>(submitted));
            s.run_after(2s, tracer(alive));
            ++submitted;
        }
    }
    BOOST_TEST((failures >= 10 || !allocations::replaced));
    clock_type::run(io);
    BOOST_TEST(alive == 0);
    BOOST_TEST(s.size() == 0u);
}

BOOST_AUTO_TEST_CASE(out_of_memory_on_an_executor_that_needs_some_changes_nothing)
{
    scheduler s(wide_executor{&io});
    int alive = 0;
    for (long n = 0;; ++n)
    {
        try
        {
            const failing_allocations failing(n);
            s.run_every(1s, tracer(alive));
            break;
        }
        catch (const std::bad_alloc&)
        {
            BOOST_TEST(alive == 0);
            BOOST_TEST(s.size() == 0u);
        }
    }
    BOOST_TEST(s.size() == 1u);
    clock_type::run_for(io, 3s);
    BOOST_TEST(alive == 1);
    s.stop();
    io.poll();
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(out_of_memory_does_not_stop_a_context_that_has_nothing_else_to_do)
{
    const auto on = [&](auto make_executor) {
        for (long n = 0;; ++n)
        {
            asio::io_context own;
            scheduler s(make_executor(own));
            try
            {
                const failing_allocations failing(n);
                s.run_after(1s, append(1));
                break;
            }
            catch (const std::bad_alloc&)
            {
                BOOST_TEST(!own.stopped());
            }
        }
    };
    on([](asio::io_context& own) { return own.get_executor(); });
    on([](asio::io_context& own) { return asio::make_strand(own); });
}

BOOST_AUTO_TEST_CASE(out_of_memory_in_async_cancel_and_async_stop_changes_nothing)
{
    using on_io = boost_ext::basic_job_scheduler<clock_type, asio::wait_traits<clock_type>, asio::io_context::executor_type>;
    on_io s(io);
    const job_id id = s.run_every(1s, append(1));
    const auto with_room_for = [&](int& left, auto handler) {
        return asio::bind_allocator(limited_allocator<void>(left), std::move(handler));
    };
    const auto on_cancel = [&](error_code ec, bool cancelled) { log.push_back(!ec && cancelled ? 2 : -2); };
    const auto on_stop = [&](error_code ec) { log.push_back(ec ? -3 : 3); };
    const auto count_failures = [&](auto launch) {
        asio::cancellation_signal signal;
        for (int n = 0;; ++n)
        {
            int left = n;
            try
            {
                launch(left, signal.slot());
                io.restart();
                io.poll(); // as long as left is there
                return n;
            }
            catch (const std::bad_alloc&)
            {
                BOOST_TEST(s.size() == 1u);
                BOOST_TEST(!signal.slot().has_handler());
            }
        }
    };
    BOOST_TEST(count_failures([&](int& left, asio::cancellation_slot slot) {
        s.async_cancel(id, asio::bind_cancellation_slot(slot, with_room_for(left, on_cancel)));
    }) >= 1);
    s.run_after(1s, append(1));
    BOOST_TEST(count_failures([&](int& left, asio::cancellation_slot slot) {
        s.async_stop(asio::bind_cancellation_slot(slot, with_room_for(left, on_stop)));
    }) >= 1);
    BOOST_TEST((log == log_type{2, 3}));

    // And with memory from operator new.
    scheduler t(io);
    t.run_after(1s, append(1));
    for (long n = 0;; ++n)
    {
        try
        {
            const failing_allocations failing(n);
            t.async_stop(on_stop);
            break;
        }
        catch (const std::bad_alloc&)
        {
            BOOST_TEST(t.size() == 1u);
        }
    }
    io.restart();
    io.poll();
    BOOST_TEST((log == log_type{2, 3, 3}));
}

/// A handler that owns the signal of its slot.
struct owner_of_its_signal
{
    using cancellation_slot_type = asio::cancellation_slot;
    using allocator_type = limited_allocator<void>;

    explicit owner_of_its_signal(int& left) : allocator(left) {}

    cancellation_slot_type get_cancellation_slot() const noexcept { return signal->slot(); }
    allocator_type get_allocator() const noexcept { return allocator; }

    void operator()(error_code, bool = false) const {}

    std::unique_ptr<asio::cancellation_signal> signal = std::make_unique<asio::cancellation_signal>();
    allocator_type allocator;
};

BOOST_AUTO_TEST_CASE(out_of_memory_while_the_handler_owns_its_signal)
{
    using on_io = boost_ext::basic_job_scheduler<clock_type, asio::wait_traits<clock_type>, asio::io_context::executor_type>;
    on_io s(io);
    const job_id id = s.run_after(1s, append(1));
    int none = 0;
    BOOST_CHECK_THROW(s.async_cancel(id, owner_of_its_signal(none)), std::bad_alloc);
    BOOST_CHECK_THROW(s.async_stop(owner_of_its_signal(none)), std::bad_alloc);
    BOOST_TEST(s.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_that_returns_completes_its_waiters_without_memory)
{
    using on_io = boost_ext::basic_job_scheduler<clock_type, asio::wait_traits<clock_type>, asio::io_context::executor_type>;
    on_io s(io);
    int left = 1;
    s.run_after(1s, [&](job_id self) {
        s.async_cancel(self, asio::bind_allocator(limited_allocator<void>(left), [&](error_code ec, bool cancelled) {
            log.push_back(ec || cancelled ? 2 : 1);
        }));
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1}));
}

BOOST_AUTO_TEST_CASE(a_function_that_cannot_be_copied_changes_nothing)
{
    struct thrower
    {
        thrower() = default;
        thrower(const thrower&) { throw std::runtime_error("copy"); }
        void operator()() const {}
    };
    scheduler s(io);
    const thrower f;
    BOOST_CHECK_THROW(s.run_after(1s, f), std::runtime_error);
    BOOST_TEST(s.size() == 0u);
    BOOST_TEST(io.poll() == 0u);
}

BOOST_AUTO_TEST_CASE(an_exception_leaves_run_and_stops_only_that_job)
{
    scheduler s(io);
    int alive = 0;
    s.run_every(1s, [&, t = tracer(alive)](job_id self) {
        s.async_cancel(self, [&](error_code ec, bool cancelled) { log.push_back(!ec && cancelled ? 7 : 8); });
        throw std::runtime_error("periodic");
    });
    s.run_at(time(1), [&] { throw 42; });
    s.run_at(time(1), append(1));
    clock_type::advance(1s);
    BOOST_CHECK_THROW(io.run(), std::runtime_error);
    BOOST_TEST(alive == 0);
    BOOST_CHECK_THROW(io.run(), int);
    BOOST_TEST(s.size() == 1u);
    clock_type::run(io);
    BOOST_TEST(log.size() == 2u);
    BOOST_TEST(s.size() == 0u);

    // Without a cancel: a throwing periodic job is over.
    log.clear();
    io.restart();
    const job_id id = s.run_every(1s, [] { throw 1; });
    BOOST_CHECK_THROW(clock_type::run(io), int);
    BOOST_TEST(s.size() == 0u);
    BOOST_TEST(!s.cancel(id));
    clock_type::run(io);
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(stop_drops_pending_jobs_and_takes_no_more)
{
    scheduler s(io);
    int alive = 0;
    for (int i = 0; i < 10; ++i)
    {
        s.run_after(1s, tracer(alive));
        s.run_every(1s, tracer(alive));
    }
    BOOST_TEST(alive == 20);
    s.stop();
    BOOST_TEST(s.size() == 0u);
    BOOST_TEST((s.run_after(1s, tracer(alive)) == job_id{}));
    BOOST_TEST((s.run_at(time(1), tracer(alive)) == job_id{}));
    BOOST_TEST((s.run_every(1s, tracer(alive)) == job_id{}));
    io.poll();
    BOOST_TEST(alive == 0);
    BOOST_TEST(io.stopped());
    s.stop();
}

BOOST_AUTO_TEST_CASE(stop_from_inside_a_job)
{
    scheduler s(io);
    s.run_every(1s, [&] {
        log.push_back(1);
        s.stop();
        log.push_back(2);
    });
    s.run_after(1s, append(3));
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2}));
}

BOOST_AUTO_TEST_CASE(the_destructor_stops)
{
    int alive = 0;
    {
        scheduler s(io);
        s.run_after(1s, tracer(alive));
        s.run_every(1s, tracer(alive));
    }
    io.poll();
    BOOST_TEST(alive == 0);
    BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(a_job_may_destroy_its_scheduler)
{
    std::optional<scheduler> s(std::in_place, io);
    int alive = 0;
    s->run_every(1s, [&, t = tracer(alive)](job_id self) {
        s->async_cancel(self, [&](error_code ec, bool cancelled) { log.push_back(!ec && cancelled ? 2 : 3); });
        s->run_after(1s, append(9));
        s.reset();
        BOOST_TEST(alive == 1);
        log.push_back(1);
    });
    clock_type::run(io);
    BOOST_TEST((log == log_type{1, 2}));
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(a_job_may_own_its_scheduler)
{
    int alive = 0;
    {
        asio::io_context own;
        auto s = std::make_shared<scheduler>(own);
        s->run_after(1s, [s, t = tracer(alive)] {});
        s->run_every(1s, [s, t = tracer(alive)] {});
        s->run_after(1h, [s, t = tracer(alive)] {});
        s.reset();
        clock_type::run_for(own, 5s);
        BOOST_TEST(alive == 2);
    }
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(cancelling_the_job_that_owns_the_scheduler)
{
    int alive = 0;
    auto s = std::make_shared<scheduler>(io);
    scheduler& ref = *s;
    const job_id id = s->run_after(1s, [s, t = tracer(alive)] {});
    s.reset();
    BOOST_TEST(ref.cancel(id));
    BOOST_TEST(alive == 0);
    clock_type::run(io);
}

BOOST_AUTO_TEST_CASE(a_context_that_goes_takes_the_pending_jobs_along)
{
    int alive = 0;
    auto own = std::make_unique<asio::io_context>();
    scheduler s(*own);
    s.run_after(1s, tracer(alive));
    s.run_every(1s, tracer(alive));
    s.run_after(1s, tracer(alive));
    const job_id cancelled = s.run_after(1s, tracer(alive));
    s.run_after(1h, tracer(alive));
    clock_type::advance(2s); // some are queued
    s.cancel(cancelled);
    own.reset();
    BOOST_TEST(alive == 0);
    BOOST_TEST(s.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_stopped_scheduler_takes_no_jobs_also_when_its_context_is_gone)
{
    int alive = 0;
    auto own = std::make_unique<asio::io_context>();
    scheduler s(*own);
    const job_id id = s.run_after(1s, tracer(alive));
    s.stop();
    own.reset();
    const auto keep = [&](std::unique_ptr<int> p) { return [&, q = std::move(p), t = tracer(alive)] {}; };
    auto f = keep(std::make_unique<int>(1));
    BOOST_TEST((s.run_after(1s, std::move(f)) == job_id{}));
    BOOST_TEST((s.run_every(1s, tracer(alive)) == job_id{}));
    BOOST_TEST(alive == 1); // f, moved from
    BOOST_TEST(!s.cancel(id));
    BOOST_TEST(!s.reschedule_after(id, 1s));
    BOOST_TEST(s.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_context_that_goes_after_a_job_threw)
{
    int alive = 0;
    {
        asio::io_context own;
        scheduler s(own);
        s.run_after(1s, [&, t = tracer(alive)] {
            s.async_stop([t](error_code) {});
            throw 1;
        });
        s.run_after(1s, tracer(alive));
        clock_type::advance(1s);
        BOOST_CHECK_THROW(own.run(), int);
    }
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(a_function_that_submits_when_it_is_destroyed_with_the_context)
{
    int alive = 0;
    {
        asio::io_context own;
        auto s = std::make_shared<scheduler>(own);
        auto guard = std::shared_ptr<void>(nullptr, [s, &alive](void*) { s->run_after(1s, tracer(alive)); });
        s->run_after(1s, [guard] {});
        s.reset();
    }
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(many_jobs_leave_no_memory_behind)
{
    scheduler s(io);
    const allocation_count before;
    std::vector<job_id> ids;
    for (int i = 0; i < 20000; ++i)
        ids.push_back(s.run_after(1h + i * 1ms, [] {}));
    for (job_id id : ids)
        BOOST_TEST_REQUIRE(s.cancel(id));
    io.poll();
    ids = {};
    BOOST_TEST(before.bytes_kept() < 1000000); // pools of the process among them; the jobs had five times as much
}

BOOST_AUTO_TEST_CASE(works_on_other_clocks_and_contexts)
{
    asio::thread_pool pool(2);
    boost_ext::job_scheduler s(pool);
    std::atomic<int> runs{0};
    std::promise<void> done;
    s.run_every(1ms, [&](job_id self) {
        if (++runs == 5)
        {
            s.cancel(self);
            done.set_value();
        }
    });
    done.get_future().wait();
    pool.join();
    BOOST_TEST(runs == 5);

    boost_ext::basic_job_scheduler<std::chrono::system_clock> wall(io);
    wall.run_at(std::chrono::system_clock::now() + 1ms, append(1));
    io.run();
    BOOST_TEST((log == log_type{1}));
}

BOOST_AUTO_TEST_CASE(works_where_locking_is_switched_off)
{
    asio::io_context unsafe(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE);
    scheduler s(unsafe);
    s.run_after(1s, append(1));
    s.cancel(s.run_after(1s, append(2)));
    clock_type::run(unsafe);
    BOOST_TEST((log == log_type{1}));
}

BOOST_AUTO_TEST_SUITE_END()
