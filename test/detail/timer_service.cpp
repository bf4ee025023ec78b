// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// What timers take from their context, and clocks that are unlike the standard library's.

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost_ext/timer_statistics.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/version.hpp>
#include <boost/test/unit_test.hpp>

#if BOOST_ASIO_VERSION >= 103600 // Boost 1.89
#include <boost/asio/config.hpp>
#endif

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <ratio>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

#if BOOST_ASIO_VERSION >= 103600

struct account
{
    std::size_t allocations = 0;
    std::size_t bytes = 0;
    std::size_t live = 0;
};

template <class T>
struct counting_allocator
{
    using value_type = T;

    explicit counting_allocator(account& a) : book(&a) {}

    template <class U>
    counting_allocator(const counting_allocator<U>& other) : book(other.book)
    {
    }

    T* allocate(std::size_t n)
    {
        T* const p = std::allocator<T>().allocate(n);
        ++book->allocations;
        book->bytes += n * sizeof(T);
        book->live += n * sizeof(T);
        return p;
    }

    void deallocate(T* p, std::size_t n)
    {
        book->live -= n * sizeof(T);
        std::allocator<T>().deallocate(p, n);
    }

    template <class U>
    bool operator==(const counting_allocator<U>& other) const
    {
        return book == other.book;
    }

    template <class U>
    bool operator!=(const counting_allocator<U>& other) const
    {
        return book != other.book;
    }

    account* book;
};

#endif

/// A clock that counts real numbers of seconds.
struct real_clock
{
    using duration = std::chrono::duration<double>;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<real_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;

    static time_point now() { return time_point(std::chrono::steady_clock::now().time_since_epoch()); }
};

/// The same in single precision, from the first use on, so that there is some precision left.
struct rough_clock
{
    using duration = std::chrono::duration<float, std::milli>;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<rough_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;

    static time_point now()
    {
        static const auto start = std::chrono::steady_clock::now();
        return time_point(std::chrono::duration_cast<duration>(std::chrono::steady_clock::now() - start));
    }
};

/// A clock that knows whole seconds only, which are short ones: 20 ms.
struct coarse_clock
{
    using duration = std::chrono::seconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<coarse_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;

    static constexpr std::chrono::milliseconds tick{20};

    static time_point now() { return time_point(duration(std::chrono::steady_clock::now().time_since_epoch() / tick)); }
};

struct coarse_traits
{
    static std::chrono::milliseconds to_wait_duration(const coarse_clock::duration& d)
    {
        return d > coarse_clock::duration(1000) ? 1000 * coarse_clock::tick : d.count() * coarse_clock::tick;
    }

    static std::chrono::milliseconds to_wait_duration(const coarse_clock::time_point& t)
    {
        return to_wait_duration(t - coarse_clock::now());
    }
};

/// What every clock must give: nothing early, all in order, and the ends of its range as with any other.
template <class Timer>
void check_clock(typename Timer::duration unit)
{
    using clock = typename Timer::clock_type;
    using time_point = typename Timer::time_point;
    using duration = typename Timer::duration;

    asio::io_context ctx;
    const time_point start = clock::now();
    std::deque<Timer> timers;
    std::vector<std::size_t> order;
    const std::vector<time_point> expiries = {
        start + 3 * unit, start + unit, start + 2 * unit, start + unit, start - unit, (time_point::min)()};
    for (const time_point& t : expiries)
    {
        const std::size_t i = timers.size();
        timers.emplace_back(ctx, t);
        BOOST_TEST((timers.back().expiry() == t));
        timers.back().async_wait([&, i, t](error_code ec) {
            BOOST_TEST(!ec);
            BOOST_TEST((clock::now() >= t));
            order.push_back(i);
        });
    }
    BOOST_TEST((boost_ext::next_expiry<clock>(ctx) == (time_point::min)()));

    // It never comes, and is cancelled when the others have fired.
    Timer endless(ctx);
    BOOST_TEST(endless.expires_after((duration::max)()) == 0u);
    BOOST_TEST((endless.expiry() == (time_point::max)()));
    bool aborted = false;
    endless.async_wait([&](error_code ec) { aborted = ec == asio::error::operation_aborted; });

    // Moved there and back again.
    Timer moved(ctx, (time_point::max)());
    moved.async_wait([&](error_code ec) {
        BOOST_TEST(!ec);
        BOOST_TEST((clock::now() >= start + 4 * unit));
        BOOST_TEST(endless.cancel() == 1u);
    });
    BOOST_TEST(moved.reschedule_at(start + 5 * unit) == 1u);
    moved.slack(unit);
    BOOST_TEST(moved.reschedule_at(start + 4 * unit) == 1u);

    BOOST_TEST(ctx.run() == 8u);
    BOOST_TEST(aborted);
    BOOST_TEST(order == (std::vector<std::size_t>{5, 4, 1, 3, 2, 0}), boost::test_tools::per_element());

    Timer blocking(ctx, unit);
    const time_point end = blocking.expiry();
    blocking.wait();
    BOOST_TEST((clock::now() >= end));
}

} // namespace

BOOST_AUTO_TEST_SUITE(timer_service)

BOOST_AUTO_TEST_CASE(a_clock_of_real_numbers)
{
    check_clock<boost_ext::basic_waitable_timer<real_clock>>(real_clock::duration(0.004));
}

BOOST_AUTO_TEST_CASE(a_clock_of_single_precision)
{
    check_clock<boost_ext::basic_waitable_timer<rough_clock>>(rough_clock::duration(4.0f));
}

BOOST_AUTO_TEST_CASE(a_clock_of_whole_seconds)
{
    check_clock<boost_ext::basic_waitable_timer<coarse_clock, coarse_traits>>(1s);
}

#if BOOST_ASIO_VERSION >= 103600

BOOST_AUTO_TEST_CASE(the_queue_lives_in_memory_of_the_context)
{
    account book;
    {
        asio::io_context ctx(std::allocator_arg, counting_allocator<void>(book));
        boost_ext::steady_timer first(ctx);
        const std::size_t before = book.bytes;
        std::deque<boost_ext::steady_timer> timers;
        for (int i = 0; i != 10000; ++i)
        {
            timers.emplace_back(ctx, 1h);
            timers.back().slack(i % 2 * 1s);
            timers.back().async_wait([](error_code) {});
        }
        BOOST_TEST(book.bytes - before > 10000 * sizeof(std::uint64_t)); // the deadlines at least
        timers.clear();
        BOOST_TEST(ctx.poll() == 10000u);
    }
    BOOST_TEST(book.live == 0u);
}

BOOST_AUTO_TEST_CASE(heap_reserve_makes_room_in_the_queue)
{
    account book;
    {
        asio::io_context ctx(
            std::allocator_arg, counting_allocator<void>(book), asio::config_from_string("timer.heap_reserve=10000"));
        boost_ext::steady_timer first(ctx);
        const std::size_t before = book.allocations;
        std::deque<boost_ext::steady_timer> timers;
        // The room is there again when the timers are gone, or have fired, or were cancelled.
        for (const auto expiry : {1h, -1h, 1h})
        {
            for (int i = 0; i != 10000; ++i)
            {
                timers.emplace_back(ctx, expiry);
                timers.back().async_wait([](error_code) {});
                if (i % 2 == 0)
                {
                    timers.back().cancel();
                    timers.back().async_wait([](error_code) {});
                }
            }
            BOOST_TEST(book.allocations == before);
            BOOST_TEST(boost_ext::statistics(ctx).pending == 10000u);
            ctx.restart();
            ctx.poll();
            timers.clear();
            ctx.restart();
            ctx.poll();
        }
    }
    BOOST_TEST(book.live == 0u);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
