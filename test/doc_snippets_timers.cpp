// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The code on the documentation's pages about timers, sleeps and intervals. A page takes what lies between
// tag:: and end::, so whatever a reader sees was compiled and has run. Most of it runs in virtual time:
// `clock` is a manual clock, and an hour of it takes microseconds.

#include <boost_ext/interval.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/sleep.hpp>
#include <boost_ext/steady_timer.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

using clock_type = boost_ext::basic_manual_clock<struct doc_snippets_timers_tag>;

// The pages show the library's own names; here they are names of the same templates on the manual clock.
using steady_timer = boost_ext::basic_waitable_timer<clock_type>;
using interval = boost_ext::basic_interval<clock_type>;

BOOST_AUTO_TEST_SUITE(doc_snippets_timers)

BOOST_AUTO_TEST_CASE(shows_callback)
{
    bool fired = false;
    // tag::callback[]
    asio::io_context io;
    boost_ext::steady_timer timer(io, 10ms);

    timer.async_wait([&](error_code ec) {
        if (!ec)
            fired = true;
    });

    io.run();
    // end::callback[]
    BOOST_TEST(fired);
}

BOOST_AUTO_TEST_CASE(shows_cancelled)
{
    bool cancelled = false;
    // tag::cancel[]
    asio::io_context io;
    boost_ext::steady_timer timer(io, 1h);

    timer.async_wait([&](error_code ec) {
        cancelled = (ec == asio::error::operation_aborted);
    });

    // 1: that many waits will report operation_aborted.
    std::size_t taken_off = timer.cancel();
    io.run();
    // end::cancel[]
    BOOST_TEST(taken_off == 1u);
    BOOST_TEST(cancelled);
}

BOOST_AUTO_TEST_CASE(shows_future)
{
    // tag::future[]
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    std::thread runner([&] { io.run(); });

    boost_ext::steady_timer timer(io, 10ms);
    std::future<void> done = timer.async_wait(asio::use_future);
    // Blocks; throws boost::system::system_error if the wait was cancelled.
    done.get();

    work.reset();
    runner.join();
    // end::future[]
}

BOOST_AUTO_TEST_CASE(shows_slot)
{
    bool cancelled = false;
    // tag::slot[]
    asio::io_context io;
    asio::cancellation_signal stop;
    boost_ext::steady_timer timer(io, 1h);

    timer.async_wait(asio::bind_cancellation_slot(
        stop.slot(), [&](error_code ec) {
            cancelled = (ec == asio::error::operation_aborted);
        }));

    // The wait moves along, and so does its slot.
    boost_ext::steady_timer elsewhere = std::move(timer);
    stop.emit(asio::cancellation_type::total);
    io.run();
    // end::slot[]
    BOOST_TEST(cancelled);
}

BOOST_AUTO_TEST_CASE(shows_cancel_one)
{
    int taken = 0;
    auto take_a_job = [&] { ++taken; };
    // tag::cancel_one[]
    asio::io_context io;
    boost_ext::steady_timer job_is_there(io, boost_ext::steady_timer::time_point::max());

    for (int worker = 0; worker != 2; ++worker)
        job_is_there.async_wait([&](error_code) { take_a_job(); });

    job_is_there.cancel_one();    // wakes the worker that has waited longest; cancel() wakes all
    io.poll();
    // end::cancel_one[]
    BOOST_TEST(taken == 1);
}

// tag::substitution[]
#if defined(USE_ASIO_TIMERS)
namespace timers = boost::asio;
#else
namespace timers = boost_ext;
#endif

class connection
{
public:
    explicit connection(asio::io_context& io) : timer_(io) {}

    void start(bool& expired)
    {
        timer_.expires_after(10ms);
        timer_.async_wait([&expired](error_code ec) { expired = !ec; });
    }

private:
    timers::steady_timer timer_;
};
// end::substitution[]

BOOST_AUTO_TEST_CASE(shows_substitution)
{
    asio::io_context io;
    connection c(io);
    bool expired = false;
    c.start(expired);
    io.run();
    BOOST_TEST(expired);
}

// tag::idle[]
template <class Timer>
class session
{
public:
    explicit session(asio::io_context& io) : idle_(io) {}

    void start()
    {
        idle_.expires_after(30s);
        idle_.async_wait([this](error_code ec) {
            if (!ec)
                closed_ = true;
        });
    }

    // For every packet: the pending wait goes on, until 30 seconds from now.
    void on_packet() { idle_.reschedule_after(30s); }

    bool closed() const { return closed_; }

private:
    Timer idle_;
    bool closed_ = false;
};
// end::idle[]

BOOST_AUTO_TEST_CASE(shows_idle_timeout)
{
    clock_type::reset();
    // tag::idle_test[]
    asio::io_context io;
    session<boost_ext::basic_waitable_timer<clock_type>> s(io);
    s.start();

    for (int packet = 0; packet < 120; ++packet)    // an hour of traffic
    {
        clock_type::run_for(io, 29s);
        s.on_packet();
    }
    BOOST_TEST(!s.closed());

    clock_type::run_for(io, 30s);    // and then silence
    BOOST_TEST(s.closed());
    // end::idle_test[]
}

// tag::lifetime[]
class client : public std::enable_shared_from_this<client>
{
public:
    explicit client(asio::io_context& io) : idle_(io) {}

    void start()
    {
        idle_.expires_after(30s);
        idle_.async_wait([weak = weak_from_this()](error_code ec) {
            // The client may be gone, also where ec is success.
            if (auto self = weak.lock(); self && !ec)
                self->close();
        });
    }

    void close() { closed_ = true; }
    bool closed() const { return closed_; }

private:
    steady_timer idle_;
    bool closed_ = false;
};
// end::lifetime[]

BOOST_AUTO_TEST_CASE(shows_lifetime)
{
    clock_type::reset();
    asio::io_context io;
    auto gone = std::make_shared<client>(io);
    auto kept = std::make_shared<client>(io);
    gone->start();
    kept->start();
    clock_type::advance(30s);
    gone.reset();
    io.poll();
    BOOST_TEST(kept->closed());
}

// tag::debounce[]
class settings
{
public:
    explicit settings(asio::io_context& io) : timer_(io) {}

    void on_change()
    {
        if (timer_.reschedule_after(200ms) == 0)    // nothing was pending
            timer_.async_wait([this](error_code ec) {
                if (!ec)
                    ++saves;
            });
    }

    int saves = 0;

private:
    steady_timer timer_;
};
// end::debounce[]

BOOST_AUTO_TEST_CASE(shows_debounce)
{
    clock_type::reset();
    asio::io_context io;
    settings s(io);
    for (int i = 0; i < 50; ++i)
    {
        s.on_change();
        clock_type::run_for(io, 10ms);
    }
    BOOST_TEST(s.saves == 0);
    clock_type::run_for(io, 200ms);
    BOOST_TEST(s.saves == 1);
}

BOOST_AUTO_TEST_CASE(shows_slack)
{
    clock_type::reset();
    int sent = 0;
    // tag::slack[]
    asio::io_context io;
    std::vector<steady_timer> keep_alives;
    for (int i = 0; i < 100; ++i)
    {
        keep_alives.emplace_back(io, 60s + i * 10ms);    // a second of them
        // Late by up to two seconds is fine, early never.
        keep_alives.back().slack(2s);
        keep_alives.back().async_wait([&](error_code ec) { sent += !ec; });
    }
    clock_type::run(io);    // they share one wake-up
    // end::slack[]
    BOOST_TEST(sent == 100);
}

BOOST_AUTO_TEST_CASE(shows_sleep)
{
    bool awake = false;
    // tag::sleep_callback[]
    asio::io_context io;
    boost_ext::async_sleep_for(io, 10ms, [&](error_code ec) { awake = !ec; });
    io.run();
    // end::sleep_callback[]
    BOOST_TEST(awake);
}

BOOST_AUTO_TEST_CASE(shows_sleep_cancel)
{
    bool cancelled = false;
    // tag::sleep_cancel[]
    asio::io_context io;
    asio::cancellation_signal wake_up;
    boost_ext::async_sleep_for(
        io, 1h,
        asio::bind_cancellation_slot(wake_up.slot(), [&](error_code ec) {
            cancelled = (ec == asio::error::operation_aborted);
        }));

    wake_up.emit(asio::cancellation_type::terminal);
    io.run();
    // end::sleep_cancel[]
    BOOST_TEST(cancelled);
}

BOOST_AUTO_TEST_CASE(shows_sleep_until)
{
    int wakes = 0;
    // tag::sleep_until[]
    asio::io_context io;
    auto tonight = std::chrono::system_clock::now() + 10ms;
    boost_ext::async_sleep_until(io, tonight, [&](error_code ec) { wakes += !ec; });

    // Any clock will do; for a duration it is named in front.
    boost_ext::async_sleep_for<std::chrono::system_clock>(
        io, 10ms, [&](error_code ec) { wakes += !ec; });
    io.run();
    // end::sleep_until[]
    BOOST_TEST(wakes == 2);
}

BOOST_AUTO_TEST_CASE(shows_ticks)
{
    clock_type::reset();
    int count = 0;
    // tag::tick_callback[]
    asio::io_context io;
    interval every_second(io, 1s);

    using info = interval::tick_info;
    std::function<void(error_code, info)> on_tick = [&](error_code ec, info) {
        if (ec)
            return;
        if (++count < 5)
            every_second.async_tick(on_tick);
    };
    every_second.async_tick(on_tick);
    // end::tick_callback[]
    clock_type::run(io);
    BOOST_TEST(count == 5);
    BOOST_TEST((clock_type::now().time_since_epoch() == 5s));
}

BOOST_AUTO_TEST_CASE(shows_policies)
{
    clock_type::reset();
    // tag::policies[]
    asio::io_context io;
    auto start = clock_type::now();
    interval ticks(io, start + 20s, 10s, boost_ext::missed_tick::skip);
    interval::tick_info got{};

    ticks.async_tick([&](error_code, interval::tick_info info) { got = info; });
    // The process was stalled: the tick of 20 is delivered at 55.
    clock_type::advance(55s);
    io.run();

    BOOST_TEST((got.scheduled == start + 50s));
    BOOST_TEST(got.missed == 3u);    // 20, 30 and 40 are never delivered
    // end::policies[]
}

BOOST_AUTO_TEST_CASE(shows_interval_reset)
{
    clock_type::reset();
    // tag::interval_reset[]
    asio::io_context io;
    interval poll_server(io, 10min);
    int polls = 0;

    poll_server.async_tick(
        [&](error_code ec, interval::tick_info) { polls += !ec; });
    // The user pressed "refresh": the pending tick comes now.
    poll_server.reset_immediately();
    clock_type::run_for(io, 0s);

    // The server says when to come back. Later ticks follow from there.
    poll_server.reset_after(1h);                       // in an hour,
    poll_server.reset_at(clock_type::now() + 30s);     // or at a time
    // end::interval_reset[]
    BOOST_TEST(polls == 1);
    std::vector<clock_type::time_point> due;
    std::function<void(error_code, interval::tick_info)> take = [&](error_code, interval::tick_info tick) {
        due.push_back(tick.scheduled);
        if (due.size() != 2)
            poll_server.async_tick(take);
    };
    poll_server.async_tick(take);
    io.restart();
    clock_type::run(io);
    BOOST_TEST((due == std::vector<clock_type::time_point>{clock_type::time_point(30s), clock_type::time_point(10min + 30s)}));
}

BOOST_AUTO_TEST_CASE(shows_aligned)
{
    // tag::aligned[]
    using std::chrono::system_clock;
    asio::io_context io;

    auto full_minute = std::chrono::ceil<std::chrono::minutes>(system_clock::now());
    boost_ext::basic_interval<system_clock> on_the_minute(io, full_minute, 1min);
    // end::aligned[]
    on_the_minute.async_tick([](error_code, boost_ext::basic_interval<system_clock>::tick_info) {});
    on_the_minute.cancel();
    BOOST_TEST(io.run() >= 1u);
}

BOOST_AUTO_TEST_CASE(shows_rebind)
{
    // tag::rebind[]
    using executor = asio::io_context::executor_type;
    using io_timer = boost_ext::steady_timer::rebind_executor<executor>::other;

    asio::io_context io;
    io_timer timer(io, 1ms);
    // end::rebind[]
    timer.async_wait([](error_code) {});
    BOOST_TEST(io.run() == 1u);
    static_assert(sizeof(io_timer) < sizeof(boost_ext::steady_timer));
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

// tag::coroutine[]
asio::awaitable<void> count_down(int from, std::string& out)
{
    boost_ext::steady_timer timer(co_await asio::this_coro::executor);
    for (int i = from; i > 0; --i)
    {
        out += std::to_string(i) + ' ';
        timer.expires_after(1ms);
        co_await timer.async_wait(asio::use_awaitable);
    }
    out += "lift-off";
}
// end::coroutine[]

BOOST_AUTO_TEST_CASE(shows_coroutine)
{
    std::string out;
    asio::io_context io;
    asio::co_spawn(io, count_down(3, out), asio::detached);
    io.run();
    BOOST_TEST(out == "3 2 1 lift-off");
}

// tag::default_token[]
using awaitable_timer = asio::use_awaitable_t<>::as_default_on_t<boost_ext::steady_timer>;

asio::awaitable<void> nap()
{
    awaitable_timer timer(co_await asio::this_coro::executor, 1ms);
    co_await timer.async_wait();
}
// end::default_token[]

BOOST_AUTO_TEST_CASE(shows_default_token)
{
    bool rested = false;
    asio::io_context io;
    asio::co_spawn(io, nap(), [&](std::exception_ptr e) { rested = !e; });
    io.run();
    BOOST_TEST(rested);
}

// tag::backoff[]
template <class Attempt>
asio::awaitable<bool> with_retries(Attempt attempt)
{
    for (auto pause = 1ms; pause <= 8ms; pause *= 2)
    {
        if (attempt())
            co_return true;
        co_await boost_ext::async_sleep_for(pause);
    }
    co_return false;
}
// end::backoff[]

BOOST_AUTO_TEST_CASE(shows_backoff)
{
    int attempts = 0;
    bool ok = false;
    asio::io_context io;
    asio::co_spawn(io, with_retries([&] { return ++attempts == 3; }), [&](std::exception_ptr, bool r) { ok = r; });
    io.run();
    BOOST_TEST(ok);
    BOOST_TEST(attempts == 3);
}

// tag::reconnect[]
template <class Clock, class Attempt>
asio::awaitable<bool> reconnect(Attempt attempt)
{
    typename Clock::duration pause = 100ms;
    while (!attempt())
    {
        if (pause > 30s)
            co_return false;
        co_await boost_ext::async_sleep_for<Clock>(pause);
        pause *= 2;
    }
    co_return true;
}
// end::reconnect[]

BOOST_AUTO_TEST_CASE(shows_reconnect)
{
    clock_type::reset();
    // tag::reconnect_test[]
    int attempts = 0;
    bool connected = true;
    asio::io_context io;
    asio::co_spawn(
        io, reconnect<clock_type>([&] { return ++attempts > 100; }),
        [&](std::exception_ptr, bool result) { connected = result; });

    // 100 ms, 200 ms, … 25.6 s, and not a moment of it is waited for.
    clock_type::run(io);
    BOOST_TEST(!connected);
    BOOST_TEST(attempts == 10);
    BOOST_TEST((clock_type::now().time_since_epoch() == 51100ms));
    // end::reconnect_test[]
}

// tag::heartbeat[]
template <class Send>
asio::awaitable<void> heartbeat(int beats, Send send)
{
    interval ticks(co_await asio::this_coro::executor, 15s);
    while (beats-- > 0)
    {
        auto tick = co_await ticks.async_tick();
        // How many beats were skipped because we were late.
        send(tick.missed);
    }
}
// end::heartbeat[]

BOOST_AUTO_TEST_CASE(shows_heartbeats)
{
    clock_type::reset();
    int sent = 0;
    asio::io_context io;
    asio::co_spawn(io, heartbeat(4, [&](std::uint64_t missed) { sent += missed == 0; }), asio::detached);
    clock_type::run(io);
    BOOST_TEST(sent == 4);
    BOOST_TEST((clock_type::now().time_since_epoch() == 60s));
}

#endif

BOOST_AUTO_TEST_SUITE_END()
