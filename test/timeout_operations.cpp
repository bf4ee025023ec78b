// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Limits on Asio's own operations, with tokens of every kind.

#include <boost_ext/timeout.hpp>

#include <boost_ext/steady_timer.hpp>
#include <boost/asio.hpp>
#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/test/unit_test.hpp>
#if defined(BOOST_EXT_TEST_HAS_CONTEXT)
#include <boost/asio/spawn.hpp>
#endif
#include <array>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unistd.h>

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using boost_ext::timeout;
using namespace std::chrono_literals;

namespace {

struct fixture
{
    /// Runs what must take at least this long, counted from before it was started: the previous run, or the beginning.
    void run_at_least(std::chrono::milliseconds time)
    {
        context.run();
        context.restart();
        const auto now = std::chrono::steady_clock::now();
        BOOST_TEST((now - before >= time));
        before = now;
    }

    void run() { run_at_least(0ms); }

    std::chrono::steady_clock::time_point before = std::chrono::steady_clock::now();
    asio::io_context context;
    error_code ec;
    std::size_t n = 99;
    int calls = 0;

    auto reader()
    {
        return [this](error_code e, std::size_t m) {
            ++calls;
            ec = e;
            n = m;
        };
    }
};

struct connected : fixture
{
    connected()
    {
        tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
        a.connect(acceptor.local_endpoint());
        acceptor.accept(b);
    }

    tcp::socket a{context};
    tcp::socket b{context};
    std::array<char, 8> data{};
};

const error_code timed_out = asio::error::timed_out;

} // namespace

BOOST_FIXTURE_TEST_SUITE(timeout_operations, connected)

BOOST_AUTO_TEST_CASE(tcp_reads)
{
    a.async_read_some(asio::buffer(data), timeout(20ms, reader()));
    run_at_least(20ms);
    BOOST_TEST(calls == 1);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 0U);

    // The socket is as good as before.
    b.send(asio::buffer("abc", 3));
    a.async_read_some(asio::buffer(data), timeout(1h, reader()));
    run();
    BOOST_TEST(calls == 2);
    BOOST_TEST(!ec);
    BOOST_TEST(n == 3U);

    b.close();
    a.async_read_some(asio::buffer(data), timeout(1h, reader()));
    run();
    BOOST_TEST(ec == asio::error::eof);
}

BOOST_AUTO_TEST_CASE(composed_reads_keep_what_was_transferred)
{
    b.send(asio::buffer("abc", 3));
    asio::async_read(a, asio::buffer(data), timeout(20ms, reader()));
    run_at_least(20ms);
    BOOST_TEST(calls == 1);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 3U);

    b.send(asio::buffer("12345678", 8));
    asio::async_read(a, asio::buffer(data), timeout(1h, reader()));
    run();
    BOOST_TEST(!ec);
    BOOST_TEST(n == 8U);
}

BOOST_AUTO_TEST_CASE(composed_writes_and_lines)
{
    std::string big(std::size_t(1) << 24, 'x');
    asio::async_write(a, asio::buffer(big), timeout(20ms, reader()));
    run_at_least(20ms);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST((n > 0U && n < big.size()));

    std::string line;
    b.close();
    tcp::socket c(context), d(context);
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    c.connect(acceptor.local_endpoint());
    acceptor.accept(d);
    d.send(asio::buffer("no end", 6));
    asio::async_read_until(c, asio::dynamic_buffer(line), '\n', timeout(20ms, reader()));
    run_at_least(20ms);
    BOOST_TEST(ec == timed_out);
}

BOOST_AUTO_TEST_CASE(accepts)
{
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    for (const auto limit : {20ms, 0ms})
    {
        bool open = true;
        acceptor.async_accept(timeout(limit, [&](error_code e, tcp::socket s) {
            ec = e;
            open = s.is_open();
            BOOST_TEST((s.get_executor() == acceptor.get_executor()));
        }));
        run_at_least(limit);
        BOOST_TEST(ec == timed_out);
        BOOST_TEST(!open);
    }
}

BOOST_AUTO_TEST_CASE(local_sockets_and_descriptors)
{
    asio::local::stream_protocol::socket c(context), d(context);
    asio::local::connect_pair(c, d);
    c.async_read_some(asio::buffer(data), timeout(10ms, reader()));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);

    int ends[2];
    BOOST_TEST_REQUIRE(::pipe(ends) == 0);
    asio::posix::stream_descriptor in(context, ends[0]), out(context, ends[1]);
    asio::async_read(in, asio::buffer(data), timeout(10ms, reader()));
    asio::write(out, asio::buffer("pq", 2));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 2U);
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(channels)
{
    asio::experimental::channel<void(error_code, std::string)> channel(context);
    std::string text = "?";
    const auto handler = [&](error_code e, std::string s) {
        ++calls;
        ec = e;
        text = s;
    };
    channel.async_receive(timeout(10ms, handler));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(text.empty());

    channel.async_receive(timeout(1h, handler));
    channel.async_send(error_code(), "hello", timeout(1h, [&](error_code e) { BOOST_TEST(!e); }));
    run();
    BOOST_TEST(!ec);
    BOOST_TEST(text == "hello");

    channel.async_send(error_code(), "nobody", timeout(10ms, [&](error_code e) { ec = e; }));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);

    // Cancelled by its owner.
    channel.async_receive(timeout(1h, handler));
    asio::post(context, [&] { channel.cancel(); });
    run();
    BOOST_TEST(ec == asio::experimental::error::channel_cancelled);

    asio::experimental::concurrent_channel<void(error_code, std::string)> other(context);
    other.async_receive(timeout(10ms, handler));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
}

BOOST_AUTO_TEST_CASE(resolvers_by_on_limit)
{
    // Resolvers ignore slots. Whether the limit or the answer is first is up to the machine.
    tcp::resolver resolver(context);
    bool called = false;
    resolver.async_resolve("localhost", "80",
        timeout(
            1us,
            [&] {
                called = true;
                resolver.cancel();
            },
            [&](error_code e, tcp::resolver::results_type) {
                ++calls;
                ec = e;
            }));
    run();
    BOOST_TEST(calls == 1);
    if (ec == timed_out)
        BOOST_TEST(called);
    BOOST_TEST(ec != asio::error::operation_aborted);
}

// Tokens

BOOST_AUTO_TEST_CASE(tuples_and_redirected_errors_inside)
{
    a.async_read_some(asio::buffer(data),
        timeout(10ms, asio::experimental::as_tuple([&](std::tuple<error_code, std::size_t> t) { std::tie(ec, n) = t; })));
    run();
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 0U);

    ec = {};
    a.async_read_some(asio::buffer(data), timeout(10ms, asio::redirect_error([&](std::size_t m) { n = m + 5; }, ec)));
    run();
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 5U);
}

BOOST_AUTO_TEST_CASE(futures)
{
    std::future<std::size_t> slow = a.async_read_some(asio::buffer(data), timeout(10ms, asio::use_future));
    run();
    BOOST_CHECK_EXCEPTION(
        slow.get(), boost::system::system_error, [](const boost::system::system_error& e) { return e.code() == timed_out; });

    b.send(asio::buffer("abc", 3));
    std::future<std::size_t> quick = a.async_read_some(asio::buffer(data), timeout(1h, asio::use_future));
    std::future<std::size_t> refused = a.async_read_some(asio::buffer(data), timeout(0s, asio::use_future));
    run();
    BOOST_TEST(quick.get() == 3U);
    BOOST_CHECK_THROW(refused.get(), boost::system::system_error);
}

BOOST_AUTO_TEST_CASE(detached)
{
    a.async_read_some(asio::buffer(data), timeout(10ms, asio::detached));
    run_at_least(10ms);
}

BOOST_AUTO_TEST_CASE(deferred)
{
    auto operation = a.async_read_some(asio::buffer(data), asio::deferred) | timeout(10ms);
    std::move(operation)(reader());
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);

    auto other = a.async_read_some(asio::buffer(data), timeout(10ms));
    std::move(other)(reader());
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(chains_of_deferred_operations)
{
    boost_ext::steady_timer t(context, 1h);
    auto chain = t.async_wait(timeout(10ms, asio::deferred)) | asio::deferred([&](error_code e) {
        BOOST_TEST(e == timed_out);
        return a.async_read_some(asio::buffer(data), timeout(10ms, asio::deferred));
    });
    std::move(chain)(reader());
    run_at_least(20ms);
    BOOST_TEST(ec == timed_out);
}

BOOST_AUTO_TEST_CASE(partial_limits_take_a_token)
{
    const auto limit = timeout(10ms);
    a.async_read_some(asio::buffer(data), limit(reader()));
    a.async_read_some(asio::buffer(data), limit(reader()));
    run_at_least(10ms);
    BOOST_TEST(calls == 2);
    BOOST_TEST(ec == timed_out);
}

BOOST_AUTO_TEST_CASE(default_tokens)
{
    using socket = asio::deferred_t::as_default_on_t<tcp::socket>;
    socket s(std::move(a));
    auto operation = s.async_read_some(asio::buffer(data), timeout(10ms));
    std::move(operation)(reader());
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
}

#if defined(BOOST_EXT_TEST_HAS_CONTEXT)
BOOST_AUTO_TEST_CASE(stackful_coroutines)
{
    asio::spawn(
        context,
        [&](asio::yield_context yield) {
            n = a.async_read_some(asio::buffer(data), timeout(10ms, yield[ec]));
            ++calls;
        },
        asio::detached);
    run_at_least(10ms);
    BOOST_TEST(calls == 1);
    BOOST_TEST(ec == timed_out);
}
#endif

// Executors

BOOST_AUTO_TEST_CASE(strands_and_pools)
{
    auto strand = asio::make_strand(context);
    a.async_read_some(asio::buffer(data), timeout(10ms, asio::bind_executor(strand, [&](error_code e, std::size_t) {
        ec = e;
        BOOST_TEST(strand.running_in_this_thread());
    })));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);

    asio::thread_pool pool(2);
    boost_ext::steady_timer t(pool, 1h);
    std::future<void> f = t.async_wait(timeout(10ms, asio::use_future));
    BOOST_CHECK_THROW(f.get(), boost::system::system_error);

    asio::system_timer s(pool, 1ms);
    std::future<void> g = s.async_wait(timeout(1h, asio::use_future));
    g.get();
}

BOOST_AUTO_TEST_CASE(strands_of_type_erased_executors)
{
    using strand_type = asio::strand<asio::any_io_executor>;
    const strand_type strand(a.get_executor());
    const auto handler = asio::bind_executor(strand, [&](error_code e, std::size_t) {
        ++calls;
        ec = e;
        BOOST_TEST(strand.running_in_this_thread());
    });
    a.async_read_some(asio::buffer(data), timeout(10ms, handler));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
    asio::cancellation_signal signal;
    asio::async_read(a, asio::buffer(data), timeout(1h, asio::bind_cancellation_slot(signal.slot(), handler)));
    asio::post(strand, [&] { signal.emit(asio::cancellation_type::terminal); });
    run();
    BOOST_TEST(ec == asio::error::operation_aborted);
    a.async_read_some(asio::buffer(data), timeout(0ms, timeout(1h, handler)));
    run();
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(calls == 3);

    // What the operation itself runs on.
    boost_ext::steady_timer::rebind_executor<strand_type>::other t(strand, 1h);
    t.async_wait(timeout(
        10ms, [&] { t.cancel(); },
        [&](error_code e) {
            ec = e;
            BOOST_TEST(strand.running_in_this_thread());
        }));
    ec = error_code();
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
}

#if !defined(BOOST_ASIO_NO_TS_EXECUTORS)
BOOST_AUTO_TEST_CASE(strands_of_the_old_kind)
{
    asio::io_context::strand strand(context);
    const auto handler = asio::bind_executor(strand, [&](error_code e, std::size_t m) {
        ++calls;
        ec = e;
        n = m;
        BOOST_TEST(strand.running_in_this_thread());
    });
    b.send(asio::buffer("abc", 3));
    asio::async_read(a, asio::buffer(data), timeout(10ms, handler));
    run_at_least(10ms);
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 3U);

    a.async_read_some(asio::buffer(data), timeout(0ms, handler));
    run();
    BOOST_TEST(calls == 2);
    BOOST_TEST(ec == timed_out);
}
#endif

BOOST_AUTO_TEST_CASE(handlers_on_another_context)
{
    asio::io_context handlers;
    b.send(asio::buffer("abc", 3));
    asio::async_read(a, asio::buffer(data), timeout(10ms, asio::bind_executor(handlers, [&](error_code e, std::size_t m) {
        ec = e;
        n = m;
        BOOST_TEST(handlers.get_executor().running_in_this_thread());
    })));
    std::thread thread([&] { handlers.run(); });
    context.run();
    thread.join();
    BOOST_TEST(ec == timed_out);
    BOOST_TEST(n == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
