// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The examples in the comments of the public headers, word for word: doc/reference.py fails for one that is not in a
// program that is compiled and run. Where an example would wait for long, `boost_ext` is a name, local to the
// function, for the same templates on a manual clock.

#include <boost_ext/timers.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

using clock_type = boost_ext::basic_manual_clock<struct doc_snippets_reference_tag>;

/// What `boost_ext` stands for in examples that run in virtual time.
namespace virtual_time {
using namespace boost_ext;
using interval = boost_ext::basic_interval<clock_type>;
using job_scheduler = boost_ext::basic_job_scheduler<clock_type>;
using named_timers = boost_ext::basic_named_timers<clock_type>;
using steady_timer = boost_ext::basic_waitable_timer<clock_type>;
}    // namespace virtual_time

int warmed, rotated;
void warm_the_cache() { ++warmed; }
void rotate_the_logs() { ++rotated; }

int logged_out;
void log_out(int session) { logged_out = session; }

/// Catches what goes to the standard output.
class redirected_output
{
public:
    explicit redirected_output(std::ostream& to) : saved_(std::cout.rdbuf(to.rdbuf())) {}
    redirected_output(const redirected_output&) = delete;
    redirected_output& operator=(const redirected_output&) = delete;
    ~redirected_output() { std::cout.rdbuf(saved_); }

private:
    std::streambuf* saved_;
};

}    // namespace

BOOST_AUTO_TEST_SUITE(doc_snippets_reference)

BOOST_AUTO_TEST_CASE(shows_version)
{
    bool newer = false;
#if BOOST_EXT_TIMERS_VERSION >= 100
    // 0.1.0 or newer
#endif
#if BOOST_EXT_TIMERS_VERSION >= 100
    newer = true;
#endif
    BOOST_TEST(newer);
}

BOOST_AUTO_TEST_CASE(shows_waitable_timer)
{
    namespace boost_ext = virtual_time;
    clock_type::reset();
    boost::asio::io_context context;
    std::ostringstream captured;
    {
        redirected_output redirect(captured);
        boost_ext::steady_timer timer(context, std::chrono::seconds(5));
        timer.async_wait([](boost::system::error_code ec) {
            if (!ec)
                std::cout << "five seconds later\n";
        });
        clock_type::run(context);
    }
    BOOST_TEST(captured.str() == "five seconds later\n");
}

BOOST_AUTO_TEST_CASE(shows_jobs)
{
    namespace boost_ext = virtual_time;
    clock_type::reset();
    warmed = rotated = 0;
    asio::io_context io;
    boost_ext::job_scheduler jobs(io);
    jobs.run_after(5s, [] { warm_the_cache(); });
    boost_ext::job_id rotation = jobs.run_every(1h, [] { rotate_the_logs(); });
    clock_type::run_for(io, 90min);
    jobs.cancel(rotation);
    clock_type::run(io);
    BOOST_TEST(warmed == 1);
    BOOST_TEST(rotated == 1);

    std::unordered_map<boost_ext::job_id, std::string> labels;
    labels[rotation] = "rotate the logs";
    BOOST_TEST(labels.count(rotation) == 1u);
    BOOST_TEST(labels.count(boost_ext::job_id()) == 0u);

    boost::unordered_flat_set<boost_ext::job_id> urgent;
    urgent.insert(rotation);
    BOOST_TEST(urgent.contains(rotation));

    auto buffer = std::make_unique<std::string>();
    boost_ext::job_id writer = jobs.run_every(1s, [&] { buffer->push_back('x'); });
    io.restart();
    jobs.async_cancel(writer, [&](error_code, bool) { buffer.reset(); });    // nobody writes any more
    clock_type::run(io);
    BOOST_TEST(!buffer);
}

BOOST_AUTO_TEST_CASE(shows_names)
{
    namespace boost_ext = virtual_time;
    clock_type::reset();
    logged_out = 0;
    asio::io_context io;
    boost_ext::named_timers sessions(io);
    sessions.async_wait("session-42", 30s, [](error_code ec) { if (!ec) log_out(42); });
    clock_type::run_for(io, 20s);
    sessions.reschedule_after("session-42", 30s);    // a packet came
    sessions.cancel("session-42");                   // the user logged out
    clock_type::run(io);
    BOOST_TEST(logged_out == 0);
}

BOOST_AUTO_TEST_CASE(shows_clocks)
{
    boost_ext::manual_clock::reset();
    std::ostringstream captured;
    {
        redirected_output redirect(captured);
        boost::asio::io_context context;
        boost_ext::basic_waitable_timer<boost_ext::manual_clock> timer(context, std::chrono::hours(1));
        timer.async_wait([](boost::system::error_code) { std::cout << "an hour later\n"; });
        boost_ext::manual_clock::run(context);    // returns at once
    }
    BOOST_TEST(captured.str() == "an hour later\n");

    boost::asio::io_context context;
    // A lease of ten minutes that ends on time even if the lid is closed meanwhile.
    boost_ext::boottime_timer lease(context, std::chrono::minutes(10));
    BOOST_TEST((lease.expiry() > boost_ext::boottime_clock::now()));
}

BOOST_AUTO_TEST_CASE(shows_other_clocks)
{
    boost::asio::io_context context;
    // On the hour, and still on the hour if the clock is set meanwhile.
    boost_ext::system_timer hourly(
        context, std::chrono::ceil<std::chrono::hours>(std::chrono::system_clock::now()));
    BOOST_TEST((hourly.expiry().time_since_epoch() % 1h == 0s));

    boost_ext::high_resolution_timer timer(context, std::chrono::microseconds(250));
    timer.wait();
    BOOST_TEST((timer.expiry() <= std::chrono::high_resolution_clock::now()));
}

BOOST_AUTO_TEST_CASE(shows_errors)
{
    std::ostringstream captured;
    {
        redirected_output redirect(captured);
        boost::system::error_code ec = boost_ext::error::stopped;    // calls make_error_code
        if (ec.category() == boost_ext::error::get_timer_category())
            std::cout << ec.category().name() << ": " << ec.message() << '\n';
    }
    BOOST_TEST(captured.str() == "boost_ext.timers: Timers stopped\n");
}

BOOST_AUTO_TEST_CASE(shows_statistics)
{
    asio::io_context io;
    boost_ext::steady_timer timer(io, 1h);
    timer.async_wait([](error_code) {});
    std::ostringstream captured;
    {
        redirected_output redirect(captured);
        std::cout << boost_ext::statistics(io);
    }
    BOOST_TEST(captured.str().substr(0, 10) == "pending 1\n");
}

BOOST_AUTO_TEST_CASE(shows_clock_watch)
{
    boost::asio::io_context context;
    boost_ext::clock_watch watch(context);
    watch.async_wait([](boost::system::error_code ec) {
        if (!ec)
            std::cout << "the wall clock was set: recompute what depends on it\n";
    });
    BOOST_TEST(watch.cancel() == 1u);
    BOOST_TEST(context.run() >= 1u);
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

namespace budget {

using asio::async_write;
using asio::awaitable;
using asio::buffer;
using asio::use_awaitable;
using asio::ip::tcp;
using boost_ext::deadline;
using boost_ext::timeout;

struct request
{
    std::string text;
};
using reply = std::string;

awaitable<std::string> read_line(tcp::socket& s, deadline by)
{
    std::string line;
    co_await asio::async_read_until(s, asio::dynamic_buffer(line), '\n', timeout(by, use_awaitable));
    co_return line;
}

reply parse(std::string line) { return line.substr(0, line.size() - 1); }

awaitable<reply> ask(tcp::socket& s, request r, deadline by)
{
    co_await async_write(s, buffer(r.text), timeout(by, use_awaitable));
    co_return parse(co_await read_line(s, min(by, deadline::after(1s))));
}

}    // namespace budget

BOOST_AUTO_TEST_CASE(shows_deadlines)
{
    using asio::ip::tcp;
    asio::io_context io;
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(io), server(io);
    client.connect(acceptor.local_endpoint());
    acceptor.accept(server);
    asio::write(server, asio::buffer("42\n", 3));
    std::string answer;
    asio::co_spawn(
        io, budget::ask(client, {"what?\n"}, boost_ext::deadline::after(1min)),
        [&](std::exception_ptr, std::string a) { answer = a; });
    io.run();
    BOOST_TEST(answer == "42");
}

BOOST_AUTO_TEST_CASE(shows_timeout)
{
    using asio::use_awaitable;
    using boost_ext::timeout;
    asio::io_context io;
    asio::local::stream_protocol::socket socket(io), peer(io);
    asio::local::connect_pair(socket, peer);
    asio::write(peer, asio::buffer("hello", 5));
    std::size_t got = 0;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            char data[16];
            auto buffer = asio::buffer(data);
            std::size_t n = co_await socket.async_read_some(buffer, timeout(5s, use_awaitable));
            got = n;
        },
        asio::detached);
    io.run();
    BOOST_TEST(got == 5u);
}

BOOST_AUTO_TEST_CASE(shows_intervals)
{
    namespace boost_ext = virtual_time;
    clock_type::reset();
    asio::io_context io;
    auto executor = io.get_executor();
    int beats = 0;
    std::uint64_t behind = 0;
    auto log = [&](const char*, std::uint64_t n) { behind += n; };
    auto send_heartbeat = [&]() -> asio::awaitable<void> {
        if (++beats == 3)
            clock_type::advance(2500ms);
        if (beats == 5)
            io.stop();
        co_return;
    };
    asio::co_spawn(
        executor,
        [&]() -> asio::awaitable<void> {
            boost_ext::interval heartbeat(executor, 1s);
            for (;;)
            {
                auto tick = co_await heartbeat.async_tick();
                if (tick.missed)
                    log("fell behind by", tick.missed);
                co_await send_heartbeat();
            }
        },
        asio::detached);
    clock_type::run(io);
    BOOST_TEST(beats == 5);
    BOOST_TEST(behind == 1u);
}

BOOST_AUTO_TEST_CASE(shows_sleeps)
{
    asio::io_context io;
    auto executor = io.get_executor();
    bool done = false;
    asio::co_spawn(
        executor,
        [&]() -> asio::awaitable<void> {
            co_await boost_ext::async_sleep_for(executor, 100ms);
            boost_ext::async_sleep_for<boost_ext::boottime_clock>(executor, 8h, [](error_code ec) {
                static_cast<void>(ec);
            });
            co_await boost_ext::async_sleep_for(100ms);    // on the coroutine's executor
            co_await boost_ext::async_sleep_until(executor, std::chrono::system_clock::now() + 100ms);
            done = true;
            io.stop();
        },
        asio::detached);
    io.run();
    BOOST_TEST(done);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
