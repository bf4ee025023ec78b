// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// An echo server on loopback with two kinds of limits, and the client that tries them:
//  * a session that is idle for too long is closed: reschedule_after, one call per message;
//  * a message that was begun must arrive in time: timeout, on that one read.

#include <boost_ext/sleep.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost_ext/timeout.hpp>
#include <boost/asio.hpp>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <memory>
#include <utility>

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using boost_ext::timeout;
using namespace std::chrono_literals;

constexpr auto idle_limit = 400ms;
constexpr auto read_limit = 200ms;

/// How the sessions ended.
struct endings
{
    int closed_by_peer = 0;
    int idle = 0;
    int stalled_in_message = 0;
};

/// Messages are one byte that tells the length, then that many bytes.
class session : public std::enable_shared_from_this<session>
{
public:
    session(tcp::socket socket, endings& result)
        : socket_(std::move(socket)), idle_(socket_.get_executor(), idle_limit), result_(result)
    {
    }

    asio::awaitable<void> run()
    {
        auto self = shared_from_this();
        idle_.async_wait([self](error_code ec) {
            if (ec)
                return;
            self->timed_out_ = true;
            self->socket_.close();
        });

        for (;;)
        {
            unsigned char length = 0;
            auto [ec, n] = co_await asio::async_read(
                socket_, asio::buffer(&length, 1), asio::as_tuple(asio::use_awaitable));
            if (ec)
            {
                ++(timed_out_ ? result_.idle : result_.closed_by_peer);
                break;
            }

            std::array<char, 255> body;
            auto [body_ec, body_n] =
                co_await asio::async_read(socket_, asio::buffer(body, length),
                    timeout(read_limit, asio::as_tuple(asio::use_awaitable)));
            if (body_ec)
            {
                if (body_ec == asio::error::timed_out)
                    ++result_.stalled_in_message;
                break;
            }

            // Neither cancels nor allocates, nor calls the kernel.
            idle_.reschedule_after(idle_limit);
            auto [write_ec, written] =
                co_await asio::async_write(socket_, asio::buffer(body, length),
                    timeout(read_limit, asio::as_tuple(asio::use_awaitable)));
            if (write_ec)
                break;
        }
        idle_.cancel();
    }

private:
    tcp::socket socket_;
    boost_ext::steady_timer idle_;
    endings& result_;
    bool timed_out_ = false;
};

asio::awaitable<void> serve(tcp::acceptor& acceptor, endings& result)
{
    for (;;)
    {
        auto [ec, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (ec)
            co_return; // The acceptor was closed.
        auto next = std::make_shared<session>(std::move(socket), result);
        asio::co_spawn(acceptor.get_executor(), next->run(), asio::detached);
    }
}

/// Sends messages well within the limits, for longer than the idle limit, and leaves.
asio::awaitable<int> chatty_client(tcp::endpoint server)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(server, asio::use_awaitable);
    int echoed = 0;
    for (int i = 0; i != 12; ++i)
    {
        const std::array<char, 4> message{3, 'a', 'b', 'c'};
        co_await asio::async_write(socket, asio::buffer(message), asio::use_awaitable);
        std::array<char, 3> reply;
        co_await asio::async_read(socket, asio::buffer(reply), asio::use_awaitable);
        echoed += reply == std::array<char, 3>{'a', 'b', 'c'};
        co_await boost_ext::async_sleep_for(50ms);
    }
    co_return echoed;
}

/// Sends what it is told to and then nothing more. Returns when the server has had enough.
asio::awaitable<void> silent_client(tcp::endpoint server, std::size_t bytes)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(server, asio::use_awaitable);
    const std::array<char, 2> half_a_message{3, 'a'};
    co_await asio::async_write(
        socket, asio::buffer(half_a_message, bytes), asio::use_awaitable);
    char byte;
    co_await socket.async_read_some(
        asio::buffer(&byte, 1), asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<int> clients(tcp::acceptor& acceptor)
{
    const auto server = acceptor.local_endpoint();
    const int echoed = co_await chatty_client(server);
    co_await silent_client(server, 0);
    co_await silent_client(server, 2);
    acceptor.close();
    co_return echoed;
}

int main()
{
    asio::io_context context(1);
    tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    endings result;
    int echoed = 0;
    asio::co_spawn(context, serve(acceptor, result), asio::detached);
    asio::co_spawn(context, clients(acceptor), [&](std::exception_ptr e, int n) {
        if (e)
            std::rethrow_exception(e);
        echoed = n;
    });
    context.run();

    std::cout << "echoed " << echoed
              << " messages; sessions closed by the client: " << result.closed_by_peer
              << ", for being idle: " << result.idle
              << ", for half a message: " << result.stalled_in_message << '\n';
    // A machine that stalls may cut even the chatty client short, so that is not an error here.
    return result.idle >= 1 && result.stalled_in_message == 1 ? 0 : 1;
}

#else

int main()
{
    std::cout << "This example needs C++20 coroutines.\n";
}

#endif
