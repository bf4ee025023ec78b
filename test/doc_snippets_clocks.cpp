// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The code on the documentation's pages about clocks, virtual time and statistics: see doc_snippets_timers.cpp.

#include <boost_ext/boottime_timer.hpp>
#include <boost_ext/clock_watch.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost_ext/system_timer.hpp>
#include <boost_ext/timer_statistics.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

// tag::tagged[]
// One clock for each tag.
using lease_clock = boost_ext::basic_manual_clock<struct lease_tag>;
// end::tagged[]

// tag::lease[]
template <class Clock>
class lease
{
public:
    lease(asio::io_context& io, typename Clock::duration length)
        : timer_(io), length_(length)
    {
        renew();
    }

    void renew()
    {
        if (timer_.reschedule_after(length_) == 0)
            timer_.async_wait([this](error_code ec) {
                if (!ec)
                    held_ = false;
            });
    }

    bool held() const { return held_; }

private:
    boost_ext::basic_waitable_timer<Clock> timer_;
    typename Clock::duration length_;
    bool held_ = true;
};
// end::lease[]

BOOST_AUTO_TEST_SUITE(doc_snippets_clocks)

BOOST_AUTO_TEST_CASE(shows_lease_runs_out)
{
    lease_clock::reset();
    // tag::lease_test[]
    asio::io_context io;
    lease<lease_clock> l(io, 1h);

    lease_clock::run_for(io, 59min);
    BOOST_TEST(l.held());

    l.renew();
    lease_clock::run_for(io, 59min);
    BOOST_TEST(l.held());

    lease_clock::run_for(io, 1min);
    BOOST_TEST(!l.held());
    // end::lease_test[]
}

BOOST_AUTO_TEST_CASE(shows_run)
{
    using clock = lease_clock;
    clock::reset();
    std::vector<std::string> order;
    // tag::run[]
    asio::io_context io;
    boost_ext::basic_waitable_timer<clock> day(io, 24h), hour(io, 1h);
    day.async_wait([&](error_code) { order.push_back("day"); });
    hour.async_wait([&](error_code) { order.push_back("hour"); });

    // Runs, jumps to the next expiry, runs, ….
    std::size_t handlers = clock::run(io);
    // end::run[]
    BOOST_TEST(handlers == 2u);
    BOOST_TEST((order == std::vector<std::string>{"hour", "day"}));
    BOOST_TEST((clock::now().time_since_epoch() == 24h));
}

BOOST_AUTO_TEST_CASE(shows_advance)
{
    using clock = lease_clock;
    clock::reset();
    int fired = 0;
    // tag::advance[]
    asio::io_context io;
    boost_ext::basic_waitable_timer<clock> timer(io, 10s);
    timer.async_wait([&](error_code ec) { fired += !ec; });

    clock::advance(9s);
    io.poll();
    BOOST_TEST(fired == 0);

    clock::advance(1s);    // makes it ready; handlers run only inside the context
    io.poll();
    BOOST_TEST(fired == 1);
    // end::advance[]
}

BOOST_AUTO_TEST_CASE(shows_advance_to_next)
{
    using clock = lease_clock;
    clock::reset();
    std::vector<std::chrono::hours> at;
    // tag::advance_to_next[]
    asio::io_context client, server;
    boost_ext::basic_waitable_timer<clock> ping(client, 1h), check(server, 2h);
    ping.async_wait([&](error_code) { at.push_back(1h); });
    check.async_wait([&](error_code) { at.push_back(2h); });

    while (clock::advance_to_next())    // whoever waits next, in whatever context
    {
        client.poll();
        server.poll();
    }
    clock::advance_to(clock::time_point(24h));    // the rest of the day
    // end::advance_to_next[]
    BOOST_TEST((at == std::vector<std::chrono::hours>{1h, 2h}));
    BOOST_TEST((clock::now() == clock::time_point(24h)));
}

BOOST_AUTO_TEST_CASE(shows_run_until)
{
    using clock = lease_clock;
    clock::reset();
    bool shown = false;
    // tag::run_until[]
    asio::io_context io;
    boost_ext::basic_waitable_timer<clock> news(io, clock::time_point(8h));
    news.async_wait([&](error_code) { shown = true; });

    clock::run_until(io, clock::time_point(7h));
    BOOST_TEST(!shown);
    clock::run_until(io, clock::time_point(9h));
    BOOST_TEST(shown);
    // end::run_until[]
}

BOOST_AUTO_TEST_CASE(shows_threads)
{
    using clock = lease_clock;
    clock::reset();
    bool fired = false;
    // tag::threads[]
    asio::io_context io;
    boost_ext::basic_waitable_timer<clock> timer(io, 1h);
    timer.async_wait([&](error_code ec) { fired = !ec; });

    // The code under test, in a thread of its own.
    std::thread server([&] { io.run(); });
    clock::advance(1h);                       // wakes it
    server.join();
    // end::threads[]
    BOOST_TEST(fired);
}

BOOST_AUTO_TEST_CASE(shows_wall_clock)
{
    int rung = 0;
    // tag::wall[]
    asio::io_context io;
    // Follows the wall clock.
    boost_ext::system_timer alarm(io, std::chrono::system_clock::now() + 10ms);
    // Counts suspended time.
    boost_ext::boottime_timer lease(io, 10ms);
    alarm.async_wait([&](error_code ec) { rung += !ec; });
    lease.async_wait([&](error_code ec) { rung += !ec; });
    io.run();
    // end::wall[]
    BOOST_TEST(rung == 2);
}

BOOST_AUTO_TEST_CASE(shows_watch)
{
    error_code result;
    // tag::watch[]
    asio::io_context io;
    boost_ext::clock_watch watch(io);
    watch.async_wait([&](error_code ec) {
        result = ec;    // success: somebody set the wall clock
    });
    // end::watch[]
    watch.cancel();
    io.run();
    BOOST_TEST(result == asio::error::operation_aborted);
}

// tag::own_clock[]
// A simulation that runs ten times as fast as the world.
struct fast_clock
{
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<fast_clock>;
    static constexpr bool is_steady = true;

    static time_point now()
    {
        auto real = std::chrono::steady_clock::now().time_since_epoch();
        return time_point(real * 10);
    }
};

struct fast_traits
{
    // How long to wait in real time for so much of the clock.
    static fast_clock::duration to_wait_duration(fast_clock::duration d)
    {
        return d / 10;
    }
};

using fast_timer = boost_ext::basic_waitable_timer<fast_clock, fast_traits>;
// end::own_clock[]

BOOST_AUTO_TEST_CASE(shows_own_clock)
{
    asio::io_context io;
    const auto start = fast_clock::now();
    fast_timer timer(io, 100ms);
    bool early = true;
    timer.async_wait([&](error_code ec) { early = ec || fast_clock::now() < start + 100ms; });
    io.run();
    BOOST_TEST(!early);
}

BOOST_AUTO_TEST_CASE(shows_statistics)
{
    std::ostringstream log;
    // tag::statistics[]
    asio::io_context io;
    boost_ext::steady_timer timer(io, 1h);
    timer.async_wait([](error_code) {});

    boost_ext::timer_statistics s = boost_ext::statistics(io);
    BOOST_TEST(s.pending == 1u);
    log << s;    // one line per member, and a histogram of lateness

    auto next = boost_ext::next_expiry<std::chrono::steady_clock>(io);
    BOOST_TEST((next == timer.expiry()));
    // end::statistics[]
    BOOST_TEST(log.str().find("pending") != std::string::npos);
}

// tag::signal[]
/// Prints what the timers of a context are doing, whenever the process gets the signal.
class statistics_on_signal
{
public:
    statistics_on_signal(asio::io_context& io, int signal, std::ostream& out)
        : io_(io), signals_(io, signal), out_(out)
    {
        wait();
    }

private:
    void wait()
    {
        signals_.async_wait([this](error_code ec, int) {
            if (ec)
                return;
            using clock = std::chrono::steady_clock;
            out_ << boost_ext::statistics(io_);
            if (auto next = boost_ext::next_expiry<clock>(io_))
                out_ << "the next wait is due in " << (*next - clock::now()) / 1ms << " ms\n"
                     << std::flush;
            wait();
        });
    }

    asio::io_context& io_;
    asio::signal_set signals_;
    std::ostream& out_;
};
// end::signal[]

BOOST_AUTO_TEST_CASE(shows_statistics_on_signal)
{
    std::ostringstream log;
    asio::io_context io;
    boost_ext::steady_timer timer(io, 1h);
    timer.async_wait([](error_code) {});
    statistics_on_signal dump(io, SIGUSR1, log);
    std::raise(SIGUSR1);
    while (log.str().empty())
        io.run_one();
    BOOST_TEST(log.str().find("pending 1") != std::string::npos);
    BOOST_TEST(log.str().find("the next wait is due in ") != std::string::npos);
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

// tag::watch_loop[]
template <class OnStep>
asio::awaitable<void> follow(boost_ext::clock_watch& watch, OnStep on_step)
{
    for (;;)
    {
        co_await watch.async_wait();
        on_step();    // another step meanwhile is not missed
    }
}
// end::watch_loop[]

BOOST_AUTO_TEST_CASE(shows_watch_loop)
{
    bool ended = false;
    asio::io_context io;
    boost_ext::clock_watch watch(io);
    asio::co_spawn(
        io, follow(watch, [] {}), [&](std::exception_ptr e) { ended = e != nullptr; });
    io.poll();
    watch.cancel();
    io.run();
    BOOST_TEST(ended);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
