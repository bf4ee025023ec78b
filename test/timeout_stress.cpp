// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// The operation, its limit and a cancellation from outside come together on a context that several threads run:
// exactly one completion each time. Its point is ThreadSanitizer.

#include <boost_ext/timeout.hpp>

#include <boost_ext/steady_timer.hpp>
#include <boost/asio.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/test/unit_test.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::timeout;
using namespace std::chrono_literals;

namespace {

using microseconds = std::chrono::microseconds;

struct tally
{
    std::atomic<int> started{0};
    std::atomic<int> succeeded{0};
    std::atomic<int> timed_out{0};
    std::atomic<int> aborted{0};
    std::atomic<int> other{0};

    void count(const error_code& ec)
    {
        if (!ec)
            ++succeeded;
        else if (ec == asio::error::timed_out)
            ++timed_out;
        else if (ec == asio::error::operation_aborted)
            ++aborted;
        else
            ++other;
    }

    void check() const
    {
        BOOST_TEST(succeeded + timed_out + aborted == started);
        BOOST_TEST(other == 0);
        BOOST_TEST_MESSAGE(
            started << " started, " << succeeded << " succeeded, " << timed_out << " timed out, " << aborted << " aborted");
    }
};

void run(asio::io_context& context)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { context.run(); });
    for (std::thread& t : threads)
        t.join();
}

/// Short times that make the parties meet.
class times
{
public:
    explicit times(unsigned seed) : random_(seed) {}

    microseconds next(int most = 60) { return microseconds(std::uniform_int_distribution<int>(0, most)(random_)); }

    microseconds limit() { return next() + microseconds(1); }

private:
    std::minstd_rand random_;
};

/// A wait, its limit, and the timer's own cancel().
struct leaf_chain : std::enable_shared_from_this<leaf_chain>
{
    leaf_chain(asio::io_context& c, tally& t, unsigned seed) : context(c), result(t), random(seed) {}

    void next()
    {
        if (left-- == 0)
            return;
        ++result.started;
        auto timer = std::make_shared<boost_ext::steady_timer>(context, random.next());
        const bool cancels = random.next() < 20us;
        timer->async_wait(timeout(random.limit(), [self = shared_from_this(), timer](error_code ec) {
            self->result.count(ec);
            self->next();
        }));
        if (cancels)
            asio::post(context, [timer] { timer->cancel(); });
    }

    asio::io_context& context;
    tally& result;
    times random;
    int left = 4000;
};

/// A composed operation of many steps, each on the handler's executor, that keeps unguarded state.
struct steps
{
    struct shared
    {
        shared(asio::io_context& c, int n) : timer(c), left(n) {}

        boost_ext::steady_timer timer;
        int left;
    };

    std::shared_ptr<shared> state;

    template <class Self>
    void operator()(Self& self, error_code ec = {})
    {
        if (ec || state->left-- == 0 || self.cancelled() != asio::cancellation_type::none)
            return self.complete(ec                                     ? ec
                    : self.cancelled() != asio::cancellation_type::none ? error_code(asio::error::operation_aborted)
                                                                        : error_code());
        boost_ext::steady_timer& t = state->timer;
        t.expires_after(2us);
        t.async_wait(std::move(self));
    }
};

template <class Token>
auto async_steps(asio::io_context& context, int n, Token&& token)
{
    return asio::async_compose<Token, void(error_code)>(steps{std::make_shared<steps::shared>(context, n)}, token, context);
}

struct composed_chain : std::enable_shared_from_this<composed_chain>
{
    composed_chain(asio::io_context& c, tally& t, unsigned seed) : context(c), result(t), random(seed) {}

    void next()
    {
        if (left-- == 0)
            return;
        ++result.started;
        async_steps(context, 6, timeout(random.next(600) + 1us, [self = shared_from_this()](error_code ec) {
            self->result.count(ec);
            self->next();
        }));
    }

    asio::io_context& context;
    tally& result;
    times random;
    int left = 1500;
};

/// Composed reads of what trickles in.
struct read_chain : std::enable_shared_from_this<read_chain>
{
    read_chain(asio::io_context& c, tally& t, unsigned seed) : context(c), result(t), random(seed), in(c), out(c)
    {
        asio::local::connect_pair(in, out);
        out.non_blocking(true);
    }

    void next()
    {
        if (left-- == 0)
            return;
        ++result.started;
        asio::async_read(
            in, asio::buffer(data), timeout(random.next(20) + 1us, [self = shared_from_this()](error_code ec, std::size_t n) {
                self->received += n;
                self->result.count(ec);
                self->next();
            }));
        for (int i = 0; i < 4; ++i)
            asio::post(context, [self = shared_from_this()] {
                error_code ignored;
                self->sent += self->out.write_some(asio::buffer("xy", 2), ignored);
            });
    }

    asio::io_context& context;
    tally& result;
    times random;
    asio::local::stream_protocol::socket in;
    asio::local::stream_protocol::socket out;
    std::array<char, 8> data{};
    std::size_t received = 0;
    std::atomic<std::size_t> sent{0};
    int left = 1500;
};

/// An outside emission on the handler's strand.
struct strand_chain : std::enable_shared_from_this<strand_chain>
{
    strand_chain(asio::io_context& c, tally& t, unsigned seed)
        : context(c), strand(asio::make_strand(c)), result(t), random(seed), timer(c)
    {
    }

    void next()
    {
        if (left-- == 0)
            return;
        ++result.started;
        const int number = left;
        pending = number;
        timer.expires_after(random.next());
        timer.async_wait(timeout(random.limit(),
            asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(strand, [self = shared_from_this()](error_code ec) {
                self->pending = -1;
                self->result.count(ec);
                self->next();
            }))));
        if (random.next() < 30us)
            asio::post(context, [self = shared_from_this(), number] {
                asio::post(self->strand, [self, number] {
                    if (self->pending == number)
                        self->signal.emit(asio::cancellation_type::terminal);
                });
            });
    }

    asio::io_context& context;
    asio::strand<asio::io_context::executor_type> strand;
    tally& result;
    times random;
    boost_ext::steady_timer timer;
    asio::cancellation_signal signal;
    int pending = -1;
    int left = 3000;
};

template <class Chain>
void race(int chains)
{
    asio::io_context context;
    tally result;
    for (int i = 0; i < chains; ++i)
        std::make_shared<Chain>(context, result, 17U + unsigned(i))->next();
    run(context);
    result.check();
}

} // namespace

BOOST_AUTO_TEST_SUITE(timeout_stress)

BOOST_AUTO_TEST_CASE(waits_that_are_also_cancelled_by_their_timer)
{
    race<leaf_chain>(4);
}

BOOST_AUTO_TEST_CASE(composed_operations_with_many_steps)
{
    race<composed_chain>(4);
}

BOOST_AUTO_TEST_CASE(composed_reads)
{
    race<read_chain>(4);
}

BOOST_AUTO_TEST_CASE(emissions_from_outside_on_the_handlers_strand)
{
    asio::io_context context;
    tally result;
    for (unsigned i = 0; i < 4; ++i)
    {
        auto chain = std::make_shared<strand_chain>(context, result, i);
        asio::post(chain->strand, [chain] { chain->next(); });
    }
    run(context);
    result.check();
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

namespace {

asio::awaitable<void> two_waits(microseconds each)
{
    boost_ext::steady_timer timer(co_await asio::this_coro::executor);
    for (int i = 0; i < 2; ++i)
    {
        timer.expires_after(each);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

/// Coroutines on strands of their own, whose completions are handled elsewhere.
struct coroutine_chain : std::enable_shared_from_this<coroutine_chain>
{
    coroutine_chain(asio::io_context& c, tally& t, unsigned seed) : context(c), result(t), random(seed) {}

    void next()
    {
        if (left-- == 0)
            return;
        ++result.started;
        asio::co_spawn(asio::make_strand(context), two_waits(random.next()),
            timeout(random.next(300) + 1us,
                asio::bind_executor(context.get_executor(), [self = shared_from_this()](std::exception_ptr e) {
                    error_code ec;
                    try
                    {
                        if (e)
                            std::rethrow_exception(e);
                    }
                    catch (const boost::system::system_error& error)
                    {
                        ec = error.code();
                    }
                    self->result.count(ec);
                    self->next();
                })));
    }

    asio::io_context& context;
    tally& result;
    times random;
    int left = 1000;
};

} // namespace

BOOST_AUTO_TEST_CASE(coroutines_on_strands)
{
    race<coroutine_chain>(4);
}

#endif // defined(BOOST_ASIO_HAS_CO_AWAIT)

BOOST_AUTO_TEST_SUITE_END()
