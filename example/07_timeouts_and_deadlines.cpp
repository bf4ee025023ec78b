// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Limits on any operation, and one budget for a chain of them.

#include <boost_ext/deadline.hpp>
#include <boost_ext/timeout.hpp>

#include <boost/asio.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <array>
#include <chrono>
#include <iostream>

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::deadline;
using boost_ext::timeout;
using namespace std::chrono_literals;
using socket_type = asio::local::stream_protocol::socket;

namespace {

int failures = 0;

void expect(const char* what, const error_code& ec, const error_code& wanted)
{
    std::cout << what << ": " << ec.message() << '\n';
    failures += ec != wanted;
}

void read_with_a_limit(socket_type& s, std::array<char, 64>& data)
{
    s.async_read_some(asio::buffer(data), timeout(20ms, [](error_code ec, std::size_t) {
        // timed_out if the limit ended it; operation_aborted if somebody else did.
        expect("read", ec, asio::error::timed_out);
    }));
}

void resolve(asio::ip::tcp::resolver& resolver)
{
    const auto on_resolved = [](error_code ec, const asio::ip::tcp::resolver::results_type&) {
        expect("resolve", ec, error_code());
    };
    // Resolvers ignore cancellation slots, so the limit calls what they do listen to.
    const auto give_up = [&] { resolver.cancel(); };
    resolver.async_resolve("127.0.0.1", "80", timeout(5s, give_up, on_resolved));
}

void pipe_a_deferred_operation(socket_type& s, std::array<char, 64>& data)
{
    auto read = s.async_read_some(asio::buffer(data), asio::deferred) | timeout(20ms);
    std::move(read)([](error_code ec, std::size_t) {
        expect("deferred read", ec, asio::error::timed_out);
    });
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
asio::awaitable<void> exchange(socket_type& s, deadline by)
{
    std::array<char, 64> data;
    co_await asio::async_write(s, asio::buffer("ping", 4), timeout(by, asio::use_awaitable));
    // A step with a limit of its own stays within the whole budget.
    co_await s.async_read_some(
        asio::buffer(data), timeout(min(by, deadline::after(1s)), asio::use_awaitable));
}

asio::awaitable<void> client(socket_type& s)
{
    try
    {
        co_await timeout(1h, exchange(s, deadline::after(20ms)));
    }
    catch (const boost::system::system_error& e)
    {
        expect("exchange", e.code(), asio::error::timed_out);
    }
}
#endif

} // namespace

int main()
{
    asio::io_context context;
    socket_type a(context), b(context);
    asio::local::connect_pair(a, b);
    asio::ip::tcp::resolver resolver(context);
    std::array<char, 64> data;

    read_with_a_limit(a, data);
    context.run();
    context.restart();
    pipe_a_deferred_operation(a, data);
    resolve(resolver);
    context.run();
#if defined(BOOST_ASIO_HAS_CO_AWAIT)
    context.restart();
    asio::co_spawn(context, client(a), asio::detached);
    context.run();
#endif
    return failures;
}
