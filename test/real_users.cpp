// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Code in the shapes in which users of Asio have written it, each compiled and run with Asio's timer and with ours in its place.

#include <boost_ext/steady_timer.hpp>

#include <boost/asio.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

using timers = std::tuple<asio::steady_timer, boost_ext::steady_timer>;

/// A counter whose handler is a member function that arms the timer again, from the expiry that it had.
template <class Timer>
class counter
{
public:
    explicit counter(asio::io_context& context) : timer_(context, 1ms), first_(timer_.expiry())
    {
        timer_.async_wait(std::bind(&counter::next, this));
    }

    int count() const { return count_; }

private:
    void next()
    {
        BOOST_TEST((timer_.expiry() == first_ + count_ * 1ms)); // no drift
        BOOST_TEST((Timer::clock_type::now() >= timer_.expiry()));
        if (++count_ == 5)
            return;
        timer_.expires_at(timer_.expiry() + 1ms);
        timer_.async_wait(std::bind(&counter::next, this));
    }

    Timer timer_;
    typename Timer::time_point first_;
    int count_ = 0;
};

/// Two timers whose handlers share data under a strand, on a context that two threads run.
template <class Timer>
class shared_counter
{
public:
    explicit shared_counter(asio::io_context& context) : strand_(asio::make_strand(context)), a_(context, 1ms), b_(context, 1ms)
    {
        arm(a_);
        arm(b_);
    }

    int count() const { return count_; }

private:
    void arm(Timer& timer)
    {
        timer.async_wait(asio::bind_executor(strand_, [this, &timer](const error_code& ec) {
            if (ec || count_ >= 20)
                return;
            ++count_;
            timer.expires_at(timer.expiry() + 100us);
            arm(timer);
        }));
    }

    asio::strand<asio::io_context::executor_type> strand_;
    Timer a_;
    Timer b_;
    int count_ = 0;
};

/// A stream with a timeout in the way that Beast's has one: a timer that closes the socket, set before each operation; the operation
/// then reports a timeout.
template <class Timer>
class timed_stream
{
public:
    explicit timed_stream(tcp::socket socket) : state_(std::make_shared<state>(std::move(socket))) {}

    void expires_after(std::chrono::nanoseconds d) { state_->timer.expires_after(d); }
    void expires_never() { state_->timer.expires_at((Timer::time_point::max)()); }
    tcp::socket& socket() { return state_->socket; }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token)
    {
        return asio::async_compose<Token, void(error_code, std::size_t)>(
            read_operation<Buffers>{state_, buffers, false}, token, state_->socket);
    }

private:
    struct state : std::enable_shared_from_this<state>
    {
        explicit state(tcp::socket s) : socket(std::move(s)), timer(socket.get_executor(), (Timer::time_point::max)()) {}

        tcp::socket socket;
        Timer timer;
        bool timed_out = false;
        std::size_t turn = 0; // tells a wait that its operation is over
    };

    template <class Buffers>
    struct read_operation
    {
        std::shared_ptr<state> s;
        Buffers buffers;
        bool started;

        template <class Self>
        void operator()(Self& self, error_code ec = error_code(), std::size_t n = 0)
        {
            if (!std::exchange(started, true))
            {
                s->timer.async_wait([weak = std::weak_ptr<state>(s), turn = s->turn](error_code failed) {
                    const auto alive = weak.lock();
                    if (failed || !alive || alive->turn != turn)
                        return;
                    alive->timed_out = true;
                    alive->socket.close();
                });
                return s->socket.async_read_some(buffers, std::move(self));
            }
            ++s->turn;
            s->timer.cancel();
            self.complete(s->timed_out ? error_code(asio::error::timed_out) : ec, n);
        }
    };

    std::shared_ptr<state> state_;
};

std::pair<tcp::socket, tcp::socket> connected(asio::io_context& context)
{
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(context);
    client.connect(acceptor.local_endpoint());
    return {std::move(client), acceptor.accept()};
}

/// A queue of messages whose timer is never waited out: it is the signal "something was pushed".
template <class Timer>
class message_queue
{
public:
    explicit message_queue(asio::io_context& context) : pushed_(context, (Timer::time_point::max)()) {}

    void push(int m)
    {
        messages_.push_back(m);
        pushed_.cancel_one();
    }

    void take(std::function<void(int)> f)
    {
        if (messages_.empty())
            return pushed_.async_wait([this, f = std::move(f)](error_code ec) {
                BOOST_TEST((ec == asio::error::operation_aborted));
                take(f);
            });
        const int m = messages_.front();
        messages_.pop_front();
        f(m);
    }

private:
    Timer pushed_;
    std::deque<int> messages_;
};

/// An idle session in the old way: each activity is expires_after and async_wait, and the wait that was aborted does nothing.
template <class Timer>
class session
{
public:
    explicit session(asio::io_context& context) : idle_(context) { touch(1h); }

    void touch(std::chrono::nanoseconds d)
    {
        aborted += static_cast<int>(idle_.expires_after(d));
        idle_.async_wait([this](error_code ec) {
            if (ec != asio::error::operation_aborted)
                ++closed;
        });
    }

    int aborted = 0;
    int closed = 0;

private:
    Timer idle_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(real_users)

BOOST_AUTO_TEST_CASE_TEMPLATE(a_blocking_wait, Timer, timers)
{
    asio::io_context context;
    Timer timer(context, asio::chrono::milliseconds(2));
    timer.wait();
    BOOST_TEST((Timer::clock_type::now() >= timer.expiry()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_free_function_as_handler_with_arguments_bound, Timer, timers)
{
    struct local
    {
        static void print(const error_code&, Timer* timer, int* count)
        {
            if (*count == 5)
                return;
            ++*count;
            timer->expires_at(timer->expiry() + 1ms);
            timer->async_wait(std::bind(&print, std::placeholders::_1, timer, count));
        }
    };
    asio::io_context context;
    int count = 0;
    Timer timer(context, 1ms);
    const auto first = timer.expiry();
    timer.async_wait(std::bind(&local::print, std::placeholders::_1, &timer, &count));
    BOOST_TEST(context.run() == 6u);
    BOOST_TEST(count == 5);
    BOOST_TEST((timer.expiry() == first + 5ms));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_member_function_as_handler, Timer, timers)
{
    asio::io_context context;
    counter<Timer> c(context);
    BOOST_TEST(context.run() == 5u);
    BOOST_TEST(c.count() == 5);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(handlers_under_a_strand_in_two_threads, Timer, timers)
{
    asio::io_context context;
    shared_counter<Timer> c(context);
    std::thread other([&] { context.run(); });
    context.run();
    other.join();
    BOOST_TEST(c.count() == 20);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_stream_with_timeouts_on_loopback, Timer, timers)
{
    asio::io_context context;
    auto [client, server] = connected(context);
    timed_stream<Timer> stream(std::move(client));
    std::array<char, 16> data;
    std::vector<error_code> results;
    std::size_t bytes = 0;

    asio::write(server, asio::buffer("hello", 5));
    stream.expires_after(1h);
    stream.async_read_some(asio::buffer(data), [&](error_code ec, std::size_t n) {
        results.push_back(ec);
        bytes = n;
        stream.expires_after(5ms); // nothing comes any more
        stream.async_read_some(asio::buffer(data), [&](error_code late, std::size_t) { results.push_back(late); });
    });
    context.run();
    BOOST_TEST(bytes == 5u);
    BOOST_TEST_REQUIRE(results.size() == 2u);
    BOOST_TEST((!results[0] && results[1] == asio::error::timed_out));
    BOOST_TEST(!stream.socket().is_open());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_timer_as_a_condition_variable, Timer, timers)
{
    asio::io_context context;
    message_queue<Timer> queue(context);
    std::vector<int> got;
    queue.take([&](int m) { got.push_back(m); });
    queue.take([&](int m) { got.push_back(m); });
    asio::post(context, [&] { queue.push(1); });
    asio::post(context, [&] { queue.push(2); });
    BOOST_TEST(context.run() == 4u);
    BOOST_TEST(got == (std::vector<int>{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_idle_timeout_by_cancelling, Timer, timers)
{
    asio::io_context context;
    session<Timer> s(context);
    for (int i = 0; i != 100; ++i)
        s.touch(2h);
    s.touch(1ms);
    BOOST_TEST(context.run() == 102u);
    BOOST_TEST(s.aborted == 101);
    BOOST_TEST(s.closed == 1);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_first_of_a_group, Timer, timers)
{
    asio::io_context context;
    Timer soon(context, 2ms);
    Timer late(context, 1h);
    bool done = false;
    asio::experimental::make_parallel_group(soon.async_wait(asio::deferred), late.async_wait(asio::deferred))
        .async_wait(asio::experimental::wait_for_one(), [&](std::array<std::size_t, 2> order, error_code a, error_code b) {
            done = true;
            BOOST_TEST(order[0] == 0u);
            BOOST_TEST(!a);
            BOOST_TEST((b == asio::error::operation_aborted));
        });
    context.run();
    BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_server_that_retries_with_a_pause, Timer, timers)
{
    // Nobody listens: the port was taken, and given back.
    asio::io_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    const tcp::endpoint nobody = acceptor.local_endpoint();
    acceptor.close();

    tcp::socket socket(context);
    Timer pause(context);
    int attempts = 0;
    std::function<void()> attempt = [&] {
        socket.close();
        socket.async_connect(nobody, [&](error_code ec) {
            BOOST_TEST((ec == asio::error::connection_refused));
            if (++attempts == 3)
                return;
            pause.expires_after(attempts * 1ms);
            pause.async_wait([&](error_code) { attempt(); });
        });
    };
    attempt();
    context.run();
    BOOST_TEST(attempts == 3);
}

BOOST_AUTO_TEST_SUITE_END()
