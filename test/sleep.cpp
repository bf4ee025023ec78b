// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/sleep.hpp>

#include <boost_ext/manual_clock.hpp>
#include <boost_ext/timer_statistics.hpp>

#include "allocators.hpp"
#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>
#if defined(BOOST_EXT_TEST_HAS_CONTEXT)
#include <boost/asio/spawn.hpp>
#endif
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <new>
#include <ratio>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;
using boost_ext::async_sleep_for;
using boost_ext::async_sleep_until;
using namespace std::chrono_literals;

namespace {

using clock_type = boost_ext::manual_clock;
using duration = clock_type::duration;

struct virtual_time
{
    duration elapsed() const { return clock_type::now() - start; }

    asio::io_context context;
    const clock_type::time_point start = (clock_type::reset(), clock_type::now());
};

std::ptrdiff_t open_descriptors()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

using test::account;
using test::counting_allocator;

/// A handler with an associated allocator, and nothing to copy.
struct accounted_handler
{
    using allocator_type = counting_allocator<char>;

    allocator_type get_allocator() const noexcept { return allocator_type(*memory); }

    void operator()(error_code ec)
    {
        live_at_call = memory->live;
        *result = ec;
        ++*calls;
    }

    account* memory;
    error_code* result;
    int* calls;
    std::size_t& live_at_call;
    std::unique_ptr<int> move_only = nullptr;
};

/// What can be called once, and only as what it is then.
struct rvalue_handler
{
    void operator()(error_code) && { ++calls; }

    int& calls;
    std::unique_ptr<int> move_only = nullptr;
};

int function_calls = 0;

void function_handler(error_code)
{
    ++function_calls;
}

/// A clock of seconds that stands still, and of which the library knows nothing.
template <class Rep>
struct standing_clock
{
    using rep = Rep;
    using period = std::ratio<1>;
    using duration = std::chrono::duration<rep>;
    using time_point = std::chrono::time_point<standing_clock>;

    static constexpr bool is_steady = false;

    static time_point now() { return time_point(duration(static_cast<rep>(100))); }
};

using representations = std::tuple<std::int64_t, std::int16_t, std::uint32_t, double>;

/// Calls back when it is destroyed without having been called.
class last_words
{
public:
    explicit last_words(std::function<void()> f) : f_(std::move(f)) {}
    last_words(last_words&& other) noexcept : f_(std::exchange(other.f_, nullptr)) {}

    ~last_words()
    {
        if (f_)
            f_();
    }

    void operator()() { f_ = nullptr; }

private:
    std::function<void()> f_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(sleeping)

BOOST_FIXTURE_TEST_CASE(on_context_executor_and_handler, virtual_time)
{
    std::vector<std::pair<int, duration>> woken;
    auto note = [&](int which) {
        return [this, &woken, which](error_code ec) {
            BOOST_TEST(!ec);
            woken.emplace_back(which, elapsed());
        };
    };
    const asio::any_io_executor any = context.get_executor();
    auto plain = context.get_executor();
    auto strand = asio::make_strand(context);

    async_sleep_for<clock_type>(context, 1s, note(1));
    async_sleep_for<clock_type>(context.get_executor(), 2s, note(2));
    async_sleep_for<clock_type>(plain, 3s, note(3));
    async_sleep_for<clock_type>(any, 4s, note(4));
    async_sleep_for<clock_type>(strand, 5s, note(5));
    async_sleep_for<clock_type>(6s, asio::bind_executor(any, note(6)));
    async_sleep_for<clock_type>(7s, asio::bind_executor(strand, note(7)));
    async_sleep_until(context, start + 8s, note(8));
    async_sleep_until(context.get_executor(), start + 9s, note(9));
    async_sleep_until(plain, start + 10s, note(10));
    async_sleep_until(any, start + 11s, note(11));
    async_sleep_until(start + 12s, asio::bind_executor(any, note(12)));
    async_sleep_until(start + 13s, asio::bind_executor(strand, note(13)));
    BOOST_TEST(woken.empty());

    BOOST_TEST(clock_type::run(context) == 13u);
    BOOST_TEST_REQUIRE(woken.size() == 13u);
    for (int i = 0; i != 13; ++i)
    {
        BOOST_TEST(woken[std::size_t(i)].first == i + 1);
        BOOST_TEST((woken[std::size_t(i)].second == std::chrono::seconds(i + 1)));
    }
}

BOOST_AUTO_TEST_CASE(clock_is_steady_unless_named)
{
    asio::io_context context;
    const auto steady = std::chrono::steady_clock::now();
    const auto system = std::chrono::system_clock::now();
    int calls = 0;
    auto note = [&](error_code ec) {
        BOOST_TEST(!ec);
        ++calls;
    };

    async_sleep_for(context, 2ms, [&](error_code ec) {
        note(ec);
        BOOST_TEST((std::chrono::steady_clock::now() >= steady + 2ms));
    });
    async_sleep_for(2ms, asio::bind_executor(context.get_executor(), note));
    async_sleep_for<std::chrono::system_clock>(context, 2ms, note);
    async_sleep_for<std::chrono::system_clock>(2ms, asio::bind_executor(context.get_executor(), note));
    async_sleep_until(context, steady + 2ms, [&](error_code ec) {
        note(ec);
        BOOST_TEST((std::chrono::steady_clock::now() >= steady + 2ms));
    });
    async_sleep_until(context, system + 2ms, note);
    async_sleep_until(context, std::chrono::time_point_cast<std::chrono::seconds>(system), note);
    BOOST_TEST(context.run() == 7u);
    BOOST_TEST(calls == 7);
}

BOOST_AUTO_TEST_CASE(handler_without_executor_sleeps_on_the_system_executor)
{
    std::promise<std::thread::id> woken;
    async_sleep_for(1ms, [&](error_code) { woken.set_value(std::this_thread::get_id()); });
    BOOST_TEST((woken.get_future().get() != std::this_thread::get_id()));
}

BOOST_FIXTURE_TEST_CASE(token_left_out_is_deferred, virtual_time)
{
    int calls = 0;
    auto note = [&](error_code ec) {
        BOOST_TEST(!ec);
        ++calls;
    };

    async_sleep_for<clock_type>(context, 1s)(note);
    async_sleep_for<clock_type>(context.get_executor(), 1s)(note);
    async_sleep_for<clock_type>(1s)(asio::bind_executor(context.get_executor(), note));
    async_sleep_until(context, start + 1s)(note);
    async_sleep_until(context.get_executor(), start + 1s)(note);
    async_sleep_until(start + 1s)(asio::bind_executor(context.get_executor(), note));
    BOOST_TEST(clock_type::run(context) == 6u);
    BOOST_TEST(calls == 6);
}

BOOST_FIXTURE_TEST_CASE(token_left_out_is_the_executors_own, virtual_time)
{
    using executor_type = asio::as_tuple_t<asio::deferred_t>::executor_with_default<asio::io_context::executor_type>;
    const executor_type executor(context.get_executor());
    int calls = 0;
    auto note = [&](std::tuple<error_code> t) {
        BOOST_TEST(!std::get<0>(t));
        ++calls;
    };
    async_sleep_for<clock_type>(executor, 1s)(note);
    async_sleep_until(executor, start + 1s)(note);
    BOOST_TEST(clock_type::run(context) == 2u);
    BOOST_TEST(calls == 2);
}

BOOST_FIXTURE_TEST_CASE(a_duration_counts_from_the_launch, virtual_time)
{
    std::vector<duration> woken;
    auto note = [&](error_code) { woken.push_back(elapsed()); };

    auto sleep = async_sleep_for<clock_type>(context, 10s, asio::deferred);
    auto until = async_sleep_until(context, start + 10s, asio::deferred);
    clock_type::advance(5s);
    sleep(note);
    until(note);
    clock_type::run(context);
    sleep(note);
    until(note);
    context.restart();
    clock_type::run(context);
    BOOST_TEST_REQUIRE(woken.size() == 4u);
    BOOST_TEST((woken[0] == 10s));
    BOOST_TEST((woken[1] == 15s));
    BOOST_TEST((woken[2] == 15s)); // The deadline has passed: no more than a post.
    BOOST_TEST((woken[3] == 25s));
}

BOOST_AUTO_TEST_CASE(a_deadline_not_after_now_is_only_a_post)
{
    asio::io_context context;
    const auto before = open_descriptors();
    std::vector<int> order;
    auto note = [&](int i) {
        return [&order, i](error_code ec) {
            BOOST_TEST(!ec);
            order.push_back(i);
        };
    };
    account memory;
    error_code result = asio::error::would_block;
    int calls = 0;
    std::size_t live_at_call = 99;

    async_sleep_for(context, 0s, note(1));
    async_sleep_for(context, -1s, note(2));
    async_sleep_for(context, (std::chrono::steady_clock::duration::min)(), note(3));
    async_sleep_until(context, std::chrono::steady_clock::now(), note(4));
    async_sleep_until(context, (std::chrono::steady_clock::time_point::min)(), note(5));
    async_sleep_until(context.get_executor(), std::chrono::system_clock::time_point(), note(6));
    async_sleep_for(0s, asio::bind_executor(context.get_executor(), note(7)));
    asio::post(context, [&] { order.push_back(8); });
    async_sleep_for(context, 0s, accounted_handler{&memory, &result, &calls, live_at_call});
    BOOST_TEST(order.empty());
    BOOST_TEST(memory.allocated == 1u); // The post's.

    BOOST_TEST(context.run() == 9u);
    BOOST_TEST((order == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
    BOOST_TEST(calls == 1);
    BOOST_TEST(live_at_call == 0u);
    BOOST_TEST(!result);
    BOOST_TEST(open_descriptors() == before);

    async_sleep_for(context, 1ms, note(9));
    BOOST_TEST(open_descriptors() > before); // So the above can tell.
}

BOOST_FIXTURE_TEST_CASE(every_kind_of_cancellation_ends_a_sleep, virtual_time)
{
    for (auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total,
             asio::cancellation_type::all})
    {
        asio::cancellation_signal signal;
        error_code result;
        async_sleep_for<clock_type>(
            context, 1h, asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { result = ec; }));
        signal.emit(type);
        BOOST_TEST(!result);
        context.restart();
        BOOST_TEST(context.run() == 1u);
        BOOST_TEST(result == asio::error::operation_aborted);
        signal.emit(type); // Long over.
    }
    BOOST_TEST((elapsed() == 0s));
}

BOOST_FIXTURE_TEST_CASE(a_queued_sleep_is_past_cancelling, virtual_time)
{
    asio::cancellation_signal signal;
    error_code result = asio::error::would_block;
    async_sleep_for<clock_type>(context, 1s, asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { result = ec; }));
    clock_type::advance(1s);
    signal.emit(asio::cancellation_type::all);
    BOOST_TEST(context.run() == 1u);
    BOOST_TEST(!result);
}

BOOST_FIXTURE_TEST_CASE(what_overflows_saturates_and_never_comes, virtual_time)
{
    clock_type::advance(1h);
    std::vector<asio::cancellation_signal> signals(5);
    int calls = 0;
    auto note = [&](std::size_t i) {
        return asio::bind_cancellation_slot(signals[i].slot(), [&](error_code ec) {
            BOOST_TEST(ec == asio::error::operation_aborted);
            ++calls;
        });
    };
    async_sleep_for<clock_type>(context, (duration::max)(), note(0));
    async_sleep_for<clock_type>(context, (std::chrono::hours::max)(), note(1));
    async_sleep_until(context, (clock_type::time_point::max)(), note(2));
    async_sleep_for(context, (std::chrono::steady_clock::duration::max)(), note(3));
    async_sleep_until(context, (std::chrono::time_point<clock_type, std::chrono::hours>::max)(), note(4));
    async_sleep_for<clock_type>(context, (std::chrono::hours::min)(), [&](error_code ec) {
        BOOST_TEST(!ec);
        ++calls;
    });
    BOOST_TEST(clock_type::run(context) == 1u); // The last one.
    BOOST_TEST(!context.stopped());             // The others are work.
    BOOST_TEST(calls == 1);
    for (auto& signal : signals)
        signal.emit(asio::cancellation_type::terminal);
    BOOST_TEST(context.run() == 5u);
    BOOST_TEST(calls == 6);
}

BOOST_FIXTURE_TEST_CASE(any_unit_is_rounded_up, virtual_time)
{
    using picoseconds = std::chrono::duration<long long, std::pico>;
    std::vector<duration> woken;
    auto note = [&](error_code ec) {
        BOOST_TEST(!ec);
        woken.push_back(elapsed());
    };
    async_sleep_for<clock_type>(context, picoseconds(1), note);
    async_sleep_for<clock_type>(context.get_executor(), picoseconds(1001), note);
    async_sleep_for<clock_type>(0.25s, asio::bind_executor(context.get_executor(), note));
    async_sleep_until(context, start + 0.5s, note);
    async_sleep_until(context.get_executor(), start + std::chrono::duration<int, std::ratio<2, 3>>(1), note);
    async_sleep_until(start + 0.75s, asio::bind_executor(context.get_executor(), note));
    BOOST_TEST(clock_type::run(context) == 6u);
    BOOST_TEST((woken == std::vector<duration>{1ns, 2ns, 250ms, 500ms, 666666667ns, 750ms}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(clocks_of_any_representation, Rep, representations)
{
    using clock = standing_clock<Rep>;
    asio::io_context context;
    asio::cancellation_signal signal;
    std::vector<int> order;
    auto note = [&](int i) { return [&order, i](error_code ec) { order.push_back(ec ? -i : i); }; };
    async_sleep_for<clock>(context, (clock::duration::max)(), asio::bind_cancellation_slot(signal.slot(), note(1)));
    async_sleep_for<clock>(context, typename clock::duration(0), note(2));
    async_sleep_until(context, clock::now(), note(3));
    async_sleep_until(context, (clock::time_point::min)(), note(4));
    BOOST_TEST(context.poll() == 3u);
    signal.emit(asio::cancellation_type::terminal);
    BOOST_TEST(context.run() == 1u);
    BOOST_TEST((order == std::vector<int>{2, 3, 4, -1}));
}

BOOST_FIXTURE_TEST_CASE(runs_on_the_associated_executor, virtual_time)
{
    auto strand = asio::make_strand(context);
    int calls = 0;
    auto note = [&](error_code) {
        BOOST_TEST(strand.running_in_this_thread());
        ++calls;
    };
    // One at a time: what a busy strand puts off is counted once more, as with any operation of Asio.
    auto run = [&] {
        context.restart();
        return clock_type::run(context);
    };
    async_sleep_for<clock_type>(context, 1s, asio::bind_executor(strand, note));
    BOOST_TEST(run() == 1u);
    async_sleep_for<clock_type>(context, 0s, asio::bind_executor(strand, note));
    BOOST_TEST(run() == 1u);
    async_sleep_for<clock_type>(1s, asio::bind_executor(strand, note));
    BOOST_TEST(run() == 1u);
    async_sleep_for<clock_type>(0s, asio::bind_executor(strand, note));
    BOOST_TEST(run() == 1u);
    async_sleep_for<clock_type>(strand, 1s, note);
    BOOST_TEST(run() == 1u);
    BOOST_TEST(calls == 5);
}

BOOST_FIXTURE_TEST_CASE(all_kinds_of_handlers, virtual_time)
{
    int calls = 0;
    auto changing = [&](error_code) mutable { ++calls; };
    const auto constant = [&](error_code) { ++calls; };
    function_calls = 0;
    for (duration length : {0s, 1s}) // As a post, and as a wait.
    {
        async_sleep_for<clock_type>(context, length, changing);
        async_sleep_for<clock_type>(context, length, std::ref(changing));
        async_sleep_for<clock_type>(context, length, constant);
        async_sleep_for<clock_type>(context, length, rvalue_handler{calls});
        async_sleep_for<clock_type>(context, length, asio::any_completion_handler<void(error_code)>(constant));
        async_sleep_for<clock_type>(context, length, [&](error_code&&) { ++calls; });
        async_sleep_for<clock_type>(context, length, [&, move_only = std::make_unique<int>()](auto&&...) { ++calls; });
        async_sleep_for<clock_type>(context, length, function_handler);
        async_sleep_for<clock_type>(context, length, &function_handler);
    }
    BOOST_TEST(clock_type::run(context) == 18u);
    BOOST_TEST(calls == 14);
    BOOST_TEST(function_calls == 4);
}

BOOST_AUTO_TEST_CASE(an_executor_that_hides_its_context)
{
    using handler = asio::any_completion_handler<void(error_code)>;
    for (auto length : {0ms, 1ms})
    {
        asio::io_context context;
        int calls = 0;
        async_sleep_for(length, handler(asio::bind_executor(context.get_executor(), [&](error_code ec) {
            BOOST_TEST(!ec);
            ++calls;
        })));
        context.run(); // The sleep is work there.
        BOOST_TEST(calls == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_handler_outlives_the_context_that_slept)
{
    clock_type::reset();
    asio::io_context other;
    int calls = 0;
    for (bool cancelled : {false, true})
    {
        asio::io_context context;
        asio::cancellation_signal signal;
        async_sleep_for<clock_type>(context, 1s,
            asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(other.get_executor(), [&, cancelled](error_code ec) {
                BOOST_TEST((ec == asio::error::operation_aborted) == cancelled);
                ++calls;
            })));
        if (cancelled)
            signal.emit(asio::cancellation_type::terminal);
        BOOST_TEST(clock_type::run(context) == 1u);
    }
    BOOST_TEST(calls == 0);
    BOOST_TEST(other.run() == 2u);
    BOOST_TEST(calls == 2);
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_sleep_is_waited_for_no_more, virtual_time)
{
    asio::cancellation_signal signal;
    int aborted = 0;
    for (int i = 0; i != 100; ++i)
    {
        async_sleep_for<clock_type>(context, 1h,
            asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { aborted += ec == asio::error::operation_aborted; }));
        BOOST_TEST((boost_ext::next_expiry<clock_type>(context) == start + 1h));
        signal.emit(asio::cancellation_type::partial);
        BOOST_TEST(!boost_ext::next_expiry<clock_type>(context));
        context.restart();
        BOOST_TEST(context.run() == 1u);
    }
    BOOST_TEST(aborted == 100);
    BOOST_TEST(boost_ext::statistics(context).pending == 0u);
}

BOOST_AUTO_TEST_CASE(a_sleep_that_starts_while_the_context_goes)
{
    auto alive = std::make_shared<int>(0);
    {
        auto context = std::make_unique<asio::io_context>();
        asio::post(*context, last_words([alive, &going = *context] {
            async_sleep_for(going, 1s, [alive](error_code) { ++*alive; });
            async_sleep_for(going, 0s, [alive](error_code) { ++*alive; });
        }));
        context.reset();
    }
    BOOST_TEST(alive.use_count() == 1);
    BOOST_TEST(*alive == 0);
}

BOOST_FIXTURE_TEST_CASE(memory_is_the_handlers_and_is_back_before_the_call, virtual_time)
{
    account memory;
    error_code result = asio::error::would_block;
    int calls = 0;
    std::size_t live_at_call = 99;
    async_sleep_for<clock_type>(context, 1s, accounted_handler{&memory, &result, &calls, live_at_call});
    BOOST_TEST(memory.live >= 1u);
    clock_type::run(context);
    BOOST_TEST(calls == 1);
    BOOST_TEST(!result);
    BOOST_TEST(live_at_call == 0u);
    BOOST_TEST(memory.live == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_failed_allocation_starts_nothing, virtual_time)
{
    error_code result = asio::error::would_block;
    int calls = 0;
    std::size_t live_at_call = 99;
    std::size_t failures = 0;
    for (bool started = false; !started;)
    {
        account memory;
        memory.fail_at = failures + 1;
        try
        {
            async_sleep_for<clock_type>(context, 1s, accounted_handler{&memory, &result, &calls, live_at_call});
            started = true;
        }
        catch (const std::bad_alloc&)
        {
            ++failures;
        }
        BOOST_TEST(clock_type::run(context) == (started ? 1u : 0u));
        context.restart();
        BOOST_TEST(memory.live == 0u);
    }
    BOOST_TEST(failures >= 1u);
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(a_context_that_goes_takes_its_sleepers_along)
{
    clock_type::reset();
    auto alive = std::make_shared<int>(0);
    {
        asio::io_context context;
        async_sleep_for<clock_type>(context, 1s, [alive](error_code) { ++*alive; });
        async_sleep_for(context, 1h, [alive](error_code) { ++*alive; });
        async_sleep_for(context, 0s, [alive](error_code) { ++*alive; });
        BOOST_TEST(alive.use_count() == 4);
    }
    BOOST_TEST(alive.use_count() == 1);
    BOOST_TEST(*alive == 0);
}

BOOST_AUTO_TEST_CASE(a_sleep_is_work)
{
    asio::io_context context;
    bool woken = false;
    async_sleep_for(context, 5ms, [&](error_code) { woken = true; });
    BOOST_TEST(context.run() == 1u);
    BOOST_TEST(woken);
}

BOOST_FIXTURE_TEST_CASE(tokens, virtual_time)
{
    for (duration length : {0s, 1s}) // As a post, and as a wait.
    {
        context.restart();
        std::future<void> future = async_sleep_for<clock_type>(context, length, asio::use_future);
        std::future<int> mapped =
            async_sleep_for<clock_type>(context, length, asio::use_future([](error_code ec) { return ec ? 1 : 2; }));
        int calls = 0;
        async_sleep_for<clock_type>(context, length, asio::as_tuple([&](std::tuple<error_code> t) {
            BOOST_TEST(!std::get<0>(t));
            ++calls;
        }));
        error_code redirected = asio::error::would_block;
        async_sleep_for<clock_type>(context, length, asio::redirect_error([&] { ++calls; }, redirected));
        async_sleep_for<clock_type>(context, length, asio::detached);
        BOOST_TEST(clock_type::run(context) == 5u);
        future.get();
        BOOST_TEST(mapped.get() == 2);
        BOOST_TEST(calls == 2);
        BOOST_TEST(!redirected);
    }
}

BOOST_AUTO_TEST_CASE(initiation_knows_its_executor)
{
    asio::io_context context;
    using on_executor = boost_ext::detail::initiate_sleep_on_executor<clock_type, asio::io_context::executor_type>;
    using on_context = boost_ext::detail::initiate_sleep_on_context<clock_type, asio::io_context>;
    BOOST_TEST((on_executor(context.get_executor()).get_executor() == context.get_executor()));
    BOOST_TEST((on_context(context).get_executor() == context.get_executor()));
}

#if defined(BOOST_EXT_TEST_HAS_CONTEXT)
BOOST_FIXTURE_TEST_CASE(stackful_coroutine, virtual_time)
{
    bool done = false;
    asio::spawn(
        context,
        [&](asio::yield_context yield) {
            async_sleep_for<clock_type>(context, 1s, yield);
            async_sleep_for<clock_type>(1s, yield);
            error_code ec = asio::error::would_block;
            async_sleep_until(start + 3s, yield[ec]);
            BOOST_TEST(!ec);
            done = true;
        },
        asio::detached);
    clock_type::run(context);
    BOOST_TEST(done);
    BOOST_TEST((elapsed() == 3s));
}
#endif

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
BOOST_FIXTURE_TEST_CASE(coroutine, virtual_time)
{
    auto body = [&]() -> asio::awaitable<void> {
        co_await async_sleep_for<clock_type>(1s);
        co_await async_sleep_for<clock_type>(context, 1s);
        co_await async_sleep_for<clock_type>(co_await asio::this_coro::executor, 1s);
        co_await async_sleep_for<clock_type>(1s, asio::use_awaitable);
        co_await async_sleep_until(start + 5s);
        co_await async_sleep_for<clock_type>(0s);
        co_await async_sleep_for<clock_type>(context, 0s, asio::use_awaitable);
        auto [ec] = co_await async_sleep_for<clock_type>(1s, asio::as_tuple(asio::use_awaitable));
        BOOST_TEST(!ec);
    };
    bool done = false;
    asio::co_spawn(context, body(), [&](std::exception_ptr e) { done = !e; });
    clock_type::run(context);
    BOOST_TEST(done);
    BOOST_TEST((elapsed() == 6s));
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_coroutine_wakes_it, virtual_time)
{
    auto body = []() -> asio::awaitable<void> { co_await async_sleep_for<clock_type>(1h); };
    asio::cancellation_signal signal;
    std::exception_ptr thrown;
    asio::co_spawn(context, body(), asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) { thrown = e; }));
    context.poll();
    signal.emit(asio::cancellation_type::terminal);
    context.restart();
    context.run();
    BOOST_TEST_REQUIRE(!!thrown);
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(thrown), boost::system::system_error,
        [](const boost::system::system_error& e) { return e.code() == asio::error::operation_aborted; });
    BOOST_TEST((elapsed() == 0s));
}
#endif

BOOST_AUTO_TEST_SUITE_END()
