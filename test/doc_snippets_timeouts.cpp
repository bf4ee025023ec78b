// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The code on the documentation's pages about timeouts and deadlines: see doc_snippets_timers.cpp.

#include <boost_ext/deadline.hpp>
#include <boost_ext/timeout.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using socket_type = asio::local::stream_protocol::socket;

namespace {

struct connected_pair
{
    asio::io_context io;
    socket_type socket{io}, peer{io};

    connected_pair() { asio::local::connect_pair(socket, peer); }
};

}    // namespace

BOOST_AUTO_TEST_SUITE(doc_snippets_timeouts)

using boost_ext::deadline;
using boost_ext::timeout;

BOOST_FIXTURE_TEST_CASE(shows_callback, connected_pair)
{
    std::array<char, 128> data;
    std::string verdict;
    // tag::callback[]
    auto on_read = [&](error_code ec, std::size_t) {
        if (ec == asio::error::timed_out)
            verdict = "the peer is silent";
    };
    socket.async_read_some(asio::buffer(data), timeout(20ms, on_read));
    io.run();
    // end::callback[]
    BOOST_TEST(verdict == "the peer is silent");
}

BOOST_FIXTURE_TEST_CASE(shows_in_time, connected_pair)
{
    std::array<char, 128> data;
    std::size_t got = 0;
    asio::write(peer, asio::buffer("hello", 5));
    // tag::stored[]
    auto on_read = [&](error_code ec, std::size_t n) { got = ec ? 0 : n; };
    auto patient = timeout(1min, on_read);
    // The minute starts here, and anew at each use.
    socket.async_read_some(asio::buffer(data), patient);
    // end::stored[]
    io.run();
    BOOST_TEST(got == 5u);
}

BOOST_FIXTURE_TEST_CASE(shows_future, connected_pair)
{
    std::array<char, 128> data;
    bool late = false;
    // tag::future[]
    std::future<std::size_t> bytes =
        socket.async_read_some(asio::buffer(data), timeout(20ms, asio::use_future));
    std::thread runner([&] { io.run(); });
    try
    {
        bytes.get();
    }
    catch (const boost::system::system_error& e)
    {
        late = (e.code() == asio::error::timed_out);
    }
    runner.join();
    // end::future[]
    BOOST_TEST(late);
}

BOOST_FIXTURE_TEST_CASE(shows_deferred, connected_pair)
{
    std::array<char, 128> data;
    error_code result;
    // tag::deferred[]
    auto read =
        socket.async_read_some(asio::buffer(data), asio::deferred) | timeout(20ms);

    // Nothing has started yet. The 20 ms count from here:
    std::move(read)([&](error_code ec, std::size_t) { result = ec; });
    // end::deferred[]
    io.run();
    BOOST_TEST(result == asio::error::timed_out);
}

BOOST_AUTO_TEST_CASE(shows_on_limit)
{
    asio::io_context io;
    error_code result = asio::error::would_block;
    // tag::on_limit[]
    asio::ip::tcp::resolver resolver(io);
    resolver.async_resolve(
        "127.0.0.1", "80",
        timeout(
            10s, [&] { resolver.cancel(); },
            [&](error_code ec, const auto& endpoints) {
                result = endpoints.empty() ? asio::error::host_not_found : ec;
            }));
    // end::on_limit[]
    io.run();
    BOOST_TEST(!result);
}

BOOST_AUTO_TEST_CASE(shows_deadlines)
{
    // tag::deadline[]
    // A value: copy it, pass it down, compare it.
    deadline request = deadline::after(2s);
    deadline connecting = min(request, deadline::after(500ms));

    BOOST_TEST((connecting < request));
    BOOST_TEST(!request.expired());
    BOOST_TEST((request.remaining() <= 2s));
    BOOST_TEST((deadline::never() > request));
    // end::deadline[]
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

// tag::budget[]
asio::awaitable<std::string>
ask(socket_type& s, std::string question, deadline limit)
{
    co_await asio::async_write(
        s, asio::buffer(question), timeout(limit, asio::use_awaitable));

    std::string answer;
    co_await asio::async_read_until(
        s, asio::dynamic_buffer(answer), '\n',
        timeout(limit, asio::use_awaitable));
    co_return answer;
}
// end::budget[]

BOOST_FIXTURE_TEST_CASE(shows_budget, connected_pair)
{
    std::string answer;
    error_code error;
    asio::write(peer, asio::buffer("42\n", 3));
    // tag::budget_use[]
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            answer = co_await ask(
                socket, "what is six by seven?\n", deadline::after(1min));
            try
            {
                co_await ask(socket, "and then?\n", deadline::after(20ms));
            }
            catch (const boost::system::system_error& e)
            {
                error = e.code();    // timed_out, from whichever step was under way
            }
        },
        asio::detached);
    // end::budget_use[]
    io.run();
    BOOST_TEST(answer == "42\n");
    BOOST_TEST(error == asio::error::timed_out);
}

BOOST_FIXTURE_TEST_CASE(shows_tuple, connected_pair)
{
    std::array<char, 128> data;
    bool late = false;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            // tag::tuple[]
            auto [ec, n] = co_await socket.async_read_some(
                asio::buffer(data), timeout(20ms, asio::as_tuple(asio::use_awaitable)));
            late = (ec == asio::error::timed_out);
            // end::tuple[]
            BOOST_TEST(n == 0u);
        },
        asio::detached);
    io.run();
    BOOST_TEST(late);
}

// tag::whole[]
asio::awaitable<std::string> handshake(socket_type& s)
{
    std::string answer;
    co_await asio::async_write(
        s, asio::buffer("hello\n", 6), asio::use_awaitable);
    co_await asio::async_read_until(
        s, asio::dynamic_buffer(answer), '\n', asio::use_awaitable);
    co_return answer;
}

asio::awaitable<bool> connect(socket_type& s)
{
    try
    {
        // The coroutine as a whole, whatever it awaits.
        co_await timeout(20ms, handshake(s));
        co_return true;
    }
    catch (const boost::system::system_error& e)
    {
        if (e.code() != asio::error::timed_out)
            throw;
        co_return false;
    }
}
// end::whole[]

BOOST_FIXTURE_TEST_CASE(shows_whole, connected_pair)
{
    bool connected = true;
    asio::co_spawn(io, connect(socket), [&](std::exception_ptr, bool r) { connected = r; });
    io.run();
    BOOST_TEST(!connected);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
