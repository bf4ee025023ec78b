// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The code in README.md, word for word: doc/check_sources.py fails if it is not.

#include <boost/asio/cancellation_type.hpp> // has BOOST_ASIO_HAS_CO_AWAIT defined where it is so

#include <boost/test/unit_test.hpp>

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

// tag::readme[]
#include <boost/asio.hpp>
#include <boost_ext/timers.hpp>
using namespace boost::asio;
using namespace std::chrono_literals;
using boost_ext::timeout;

awaitable<void> echo(ip::tcp::socket socket)
{
    char data[1024];
    for (;;)    // 30 seconds of silence end it with timed_out, not with operation_aborted
    {
        auto n = co_await socket.async_read_some(buffer(data), timeout(30s, use_awaitable));
        co_await async_write(socket, buffer(data, n), timeout(5s, use_awaitable));
    }
}
// end::readme[]

BOOST_AUTO_TEST_SUITE(doc_snippets_readme)

BOOST_AUTO_TEST_CASE(shows_echo)
{
    io_context io;
    ip::tcp::acceptor acceptor(io, {ip::address_v4::loopback(), 0});
    ip::tcp::socket client(io), server(io);
    client.connect(acceptor.local_endpoint());
    acceptor.accept(server);
    write(client, buffer("hello", 5));
    client.shutdown(ip::tcp::socket::shutdown_send);

    boost::system::error_code ended;
    co_spawn(io, echo(std::move(server)), [&](std::exception_ptr e) {
        try
        {
            std::rethrow_exception(e);
        }
        catch (const boost::system::system_error& error)
        {
            ended = error.code();
        }
    });
    io.run();
    BOOST_TEST((ended == error::eof));

    char reply[5];
    read(client, buffer(reply));
    BOOST_TEST(std::string(reply, 5) == "hello");
}

BOOST_AUTO_TEST_SUITE_END()

#else

BOOST_AUTO_TEST_CASE(doc_snippets_readme)
{
    BOOST_TEST_MESSAGE("the code in README.md needs coroutines");
}

#endif
