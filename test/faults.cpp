// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Faults: memory and descriptors that run out at every point where they can, handlers that misbehave, and a million
// expiries at once while other work must go on.

#include <boost_ext/interval.hpp>
#include <boost_ext/manual_clock.hpp>
#include <boost_ext/sleep.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost_ext/system_timer.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/writable_pipe.hpp>
#include <boost/assert/source_location.hpp>
#include <boost/test/unit_test.hpp>
#include <boost/throw_exception.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define BOOST_EXT_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define BOOST_EXT_TEST_SANITIZED
#endif
// clang's ThreadSanitizer brings an operator new of its own, which cannot be replaced.
#if __has_feature(thread_sanitizer)
#define BOOST_EXT_TEST_KEEP_OPERATOR_NEW
#endif
#endif

#if !defined(BOOST_EXT_TEST_KEEP_OPERATOR_NEW)

namespace {

// Counts down to the allocation that fails; below zero nothing does. Of this thread alone.
thread_local long countdown = -1;
thread_local bool all_fail = false;
thread_local std::size_t allocations = 0;

void* allocate(std::size_t size, std::size_t align)
{
    ++allocations;
    if (all_fail || (countdown >= 0 && countdown-- == 0))
        return nullptr;
    if (size == 0)
        size = 1;
    if (align <= alignof(std::max_align_t))
        return std::malloc(size);
    return std::aligned_alloc(align, (size + align - 1) / align * align);
}

void* allocate_or_throw(std::size_t size, std::size_t align)
{
    if (void* p = allocate(size, align))
        return p;
    throw std::bad_alloc();
}

constexpr std::size_t usual = alignof(std::max_align_t);

} // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

void* operator new(std::size_t n)
{
    return allocate_or_throw(n, usual);
}
void* operator new[](std::size_t n)
{
    return allocate_or_throw(n, usual);
}
void* operator new(std::size_t n, std::align_val_t a)
{
    return allocate_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a)
{
    return allocate_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept
{
    return allocate(n, usual);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept
{
    return allocate(n, usual);
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept
{
    return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept
{
    return allocate(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept
{
    std::free(p);
}
void operator delete[](void* p) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept
{
    std::free(p);
}
void operator delete[](void* p, const std::nothrow_t&) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept
{
    std::free(p);
}
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept
{
    std::free(p);
}

#endif

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using timer = boost_ext::steady_timer;
using io_timer = timer::rebind_executor<asio::io_context::executor_type>::other;

#if !defined(BOOST_EXT_TEST_KEEP_OPERATOR_NEW)

/// Calls f with the n-th allocation failing. Tells whether that was reached, that is, whether f threw.
template <class F>
bool fails_at(long n, F&& f)
{
    countdown = n;
    try
    {
        f();
    }
    catch (const std::bad_alloc&)
    {
        countdown = -1;
        return true;
    }
    countdown = -1;
    return false;
}

/// The allocations that f makes.
template <class F>
std::size_t allocations_of(F&& f)
{
    const std::size_t before = allocations;
    f();
    return allocations - before;
}

/// Calls f while every allocation fails.
template <class F>
void without_memory(F&& f)
{
    all_fail = true;
    try
    {
        f();
    }
    catch (...)
    {
        all_fail = false;
        throw;
    }
    all_fail = false;
}

#endif

/// The descriptors that are open.
int open_descriptors()
{
    int n = 0;
    for (int fd = 0; fd != 1024; ++fd)
        n += ::fcntl(fd, F_GETFD) != -1;
    return n;
}

/// Leaves only so many descriptors free while it lives.
class scarce_descriptors
{
public:
    explicit scarce_descriptors(int left)
    {
        meet_the_exception();
        ::getrlimit(RLIMIT_NOFILE, &old_);
        rlimit low = old_;
        low.rlim_cur = 64;
        ::setrlimit(RLIMIT_NOFILE, &low);
        for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
            taken_.push_back(fd);
        for (; left > 0; --left)
        {
            ::close(taken_.back());
            taken_.pop_back();
        }
    }

    ~scarce_descriptors()
    {
        for (int fd : taken_)
            ::close(fd);
        ::setrlimit(RLIMIT_NOFILE, &old_);
    }

    scarce_descriptors(const scarce_descriptors&) = delete;
    scarce_descriptors& operator=(const scarce_descriptors&) = delete;

private:
    /// UBSan looks at a type that it has not met before through a pipe. What the library throws it must meet while it can have one.
    static void meet_the_exception()
    {
        try
        {
            boost::throw_exception(boost::system::system_error(error_code(EMFILE, asio::error::get_system_category()), "here"),
                BOOST_CURRENT_LOCATION);
        }
        catch (const boost::system::system_error& e)
        {
            BOOST_REQUIRE(e.code() == boost::system::errc::too_many_files_open);
        }
    }

    rlimit old_;
    std::vector<int> taken_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(faults)

// ---- Memory ------------------------------------------------------------------------------------------------------

#if defined(BOOST_EXT_TEST_KEEP_OPERATOR_NEW)
BOOST_AUTO_TEST_CASE(memory_does_not_fail_here)
{
    BOOST_TEST_MESSAGE("SKIPPED: allocations cannot be made to fail under clang's ThreadSanitizer");
}
#else

BOOST_AUTO_TEST_CASE(the_service_cannot_be_made)
{
    bool failed = true;
    for (long n = 0; failed; ++n)
    {
        asio::io_context ctx;
        std::optional<timer> t;
        failed = fails_at(n, [&] { t.emplace(ctx, clock_type::now() - 1s); });
        // The context is as good as before, and the next timer on it works.
        timer u(ctx, clock_type::now() - 1s);
        int fired = 0;
        u.async_wait([&](error_code ec) { fired += !ec; });
        if (t)
            t->async_wait([&](error_code ec) { fired += !ec; });
        asio::post(ctx, [&] { ++fired; });
        BOOST_CHECK_EQUAL(ctx.run(), t ? 3u : 2u);
        BOOST_CHECK_EQUAL(fired, t ? 3 : 2);
        BOOST_REQUIRE_LT(n, 1000);
    }
}

BOOST_AUTO_TEST_CASE(the_service_of_a_wall_clock_cannot_be_made)
{
    bool failed = true;
    const int descriptors = open_descriptors();
    for (long n = 0; failed; ++n)
    {
        BOOST_REQUIRE_EQUAL(open_descriptors(), descriptors);
        asio::io_context ctx;
        int fired = 0;
        {
            std::optional<boost_ext::system_timer> t;
            failed = fails_at(n, [&] {
                t.emplace(ctx, 1h);
                t->async_wait([&](error_code) {});
            });
        }
        boost_ext::system_timer u(ctx, std::chrono::system_clock::now() - 1s);
        u.async_wait([&](error_code ec) { fired += !ec; });
        ctx.run();
        BOOST_CHECK_EQUAL(fired, 1);
        BOOST_REQUIRE_LT(n, 1000);
    }
}

BOOST_AUTO_TEST_CASE(a_manual_clock_without_memory)
{
    struct tag;
    using manual = boost_ext::basic_manual_clock<tag>;
    bool failed = true;
    for (long n = 0; failed; ++n)
    {
        manual::reset();
        asio::io_context ctx;
        int fired = 0;
        std::optional<boost_ext::basic_waitable_timer<manual>> t;
        bool armed = false;
        failed = fails_at(n, [&] {
            t.emplace(ctx, 10ms);
            t->async_wait([&](error_code ec) { fired += !ec; });
            armed = true;
        });
        BOOST_CHECK_EQUAL(armed, !failed);
        boost_ext::basic_waitable_timer<manual> u(ctx, 10ms);
        u.async_wait([&](error_code ec) { fired += !ec; });
        without_memory([&] { manual::advance(10ms); });
        BOOST_CHECK_EQUAL(ctx.poll(), armed ? 2u : 1u);
        BOOST_CHECK_EQUAL(fired, armed ? 2 : 1);
        BOOST_REQUIRE_LT(n, 1000);
    }
}

// Arms thousands of timers, failing at each allocation of each: chunks, tables and operations alike.
BOOST_AUTO_TEST_CASE(a_wait_cannot_be_stored)
{
    asio::io_context ctx;
    std::vector<std::unique_ptr<timer>> all;
    std::size_t fired = 0, failures = 0;
    const auto base = clock_type::now() - 1h;
    constexpr int number = 3000;
    for (int i = 0; i < number; ++i)
        all.push_back(std::make_unique<timer>(ctx, base + std::chrono::milliseconds(i * 7919 % 3600000)));
    for (auto& t : all)
    {
        const auto expiry = t->expiry();
        for (long n = 0; fails_at(n, [&] { t->async_wait([&](error_code ec) { fired += !ec; }); }); ++n)
        {
            ++failures;
            BOOST_REQUIRE(t->expiry() == expiry);
            BOOST_REQUIRE_LT(n, 100);
        }
    }
    BOOST_TEST_MESSAGE(failures << " failures injected");
    // Each is pending once: the failed attempts left nothing behind.
    BOOST_CHECK_EQUAL(ctx.run(), static_cast<std::size_t>(number));
    BOOST_CHECK_EQUAL(fired, static_cast<std::size_t>(number));
}

BOOST_AUTO_TEST_CASE(a_failed_wait_leaves_the_others_alone)
{
    bool failed = true;
    for (long n = 0; failed; ++n)
    {
        asio::io_context ctx;
        std::vector<int> order;
        timer t(ctx, clock_type::now() - 1s);
        t.async_wait([&](error_code) { order.push_back(0); });
        failed = fails_at(n, [&] { t.async_wait([&order, big = std::vector<char>()](error_code) { order.push_back(1); }); });
        t.async_wait([&](error_code) { order.push_back(2); });
        BOOST_CHECK_EQUAL(ctx.run(), failed ? 2u : 3u);
        BOOST_CHECK((order == (failed ? std::vector<int>{0, 2} : std::vector<int>{0, 1, 2})));
        BOOST_REQUIRE_LT(n, 100);
    }
}

BOOST_AUTO_TEST_CASE(a_wait_with_a_slot_cannot_be_stored)
{
    bool failed = true;
    for (long n = 0; failed; ++n)
    {
        asio::io_context ctx;
        int aborted = 0;
        asio::cancellation_signal signal;
        timer t(ctx, 1h);
        failed = fails_at(
            n, [&] { t.async_wait(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { aborted += !!ec; })); });
        if (failed)
        {
            // Nothing is left in the slot, and nothing is pending.
            signal.emit(asio::cancellation_type::terminal);
            BOOST_CHECK_EQUAL(t.cancel(), 0u);
            BOOST_CHECK_EQUAL(ctx.run(), 0u);
            ctx.restart();
            t.async_wait(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { aborted += !!ec; }));
        }
        signal.emit(asio::cancellation_type::terminal);
        BOOST_CHECK_EQUAL(ctx.run(), 1u);
        BOOST_CHECK_EQUAL(aborted, 1);
        BOOST_REQUIRE_LT(n, 100);
    }
}

// Work that was counted in vain would stop a context that has no other, and whoever tries again would find that run() does nothing.
BOOST_AUTO_TEST_CASE(a_failed_wait_stops_no_context)
{
    asio::io_context ctx, other;
    asio::cancellation_signal signal;
    std::vector<timer> timers;
    int done = 0;
    const auto never_stops = [&](auto start) {
        for (int i = 0; i != 40; ++i) // room that is left over must not hide what happens without
        {
            timers.emplace_back(ctx, 0s);
            for (long n = 0; fails_at(n, [&] { start(timers.back()); }); ++n)
                BOOST_REQUIRE(!ctx.stopped() && !other.stopped());
        }
        while (ctx.run() + other.run() != 0)
        {
            ctx.restart();
            other.restart();
        }
        ctx.restart();
        other.restart();
    };
    const auto handler = [&](error_code) { ++done; };
    timers.reserve(1000);
    never_stops([&](timer& t) { t.async_wait(asio::bind_cancellation_slot(signal.slot(), handler)); });
    never_stops([&](timer& t) { t.async_wait(asio::bind_executor(other, handler)); });
    never_stops([&](timer&) { boost_ext::async_sleep_for(ctx, 1us, handler); });
    never_stops([&](timer&) { boost_ext::async_sleep_for(ctx, 1us, asio::bind_executor(other, handler)); });

    std::vector<std::unique_ptr<boost_ext::interval>> intervals;
    for (int i = 0; i != 40; ++i)
        intervals.push_back(std::make_unique<boost_ext::interval>(ctx, 1ms));
    auto next = intervals.begin();
    never_stops([&](timer&) {
        (*next)->async_tick([&](error_code, boost_ext::interval::tick_info) { ++done; });
        ++next;
    });
    BOOST_CHECK_EQUAL(done, 200);
}

// However much is pending where the timer is: where the handler runs there may be nothing.
BOOST_AUTO_TEST_CASE(a_failed_wait_stops_no_context_of_its_handler)
{
    asio::io_context ctx, other;
    std::vector<timer> timers;
    timers.reserve(1000);
    timer pending(ctx, 1h);
    pending.async_wait([](error_code) {});
    int aborted = 0;
    const auto never_stops = [&](auto start) {
        for (int i = 0; i != 500; ++i)
        {
            asio::cancellation_signal signal;
            const auto handler = asio::bind_cancellation_slot(
                signal.slot(), asio::bind_executor(other.get_executor(), [&](error_code ec) { aborted += !!ec; }));
            timers.emplace_back(ctx, 1h);
            for (long n = 0; fails_at(n, [&] { start(timers.back(), handler); }); ++n)
                BOOST_REQUIRE(!other.stopped());
            signal.emit(asio::cancellation_type::terminal);
            ctx.poll();
            other.poll();
            other.restart();
            timers.back().async_wait([](error_code) {});
        }
    };
    never_stops([&](timer& t, auto handler) { t.async_wait(handler); });
    never_stops([&](timer&, auto handler) { boost_ext::async_sleep_for(ctx, 1h, handler); });
    BOOST_CHECK_EQUAL(aborted, 1000);
}

BOOST_AUTO_TEST_CASE(what_undoes_and_moves_needs_no_memory)
{
    asio::io_context ctx;
    std::size_t completed = 0;
    auto handler = [&](error_code) { ++completed; };
    std::vector<std::unique_ptr<timer>> all;
    for (int i = 0; i < 500; ++i)
    {
        all.push_back(std::make_unique<timer>(ctx, 1h + std::chrono::seconds(i)));
        all.back()->async_wait(handler);
        all.back()->async_wait(handler);
    }
    asio::io_context other;
    timer foreign(other, 1h);
    foreign.async_wait([](error_code) {});
    std::size_t made = 0;
    without_memory([&] {
        made = allocations_of([&] {
            for (auto& t : all)
            {
                t->expiry();
                t->cancel_one();
                timer moved(std::move(*t));
                *t = std::move(moved);
                t->cancel();
                t->expires_after(2h);
                t->expires_at(clock_type::now() + 3h);
            }
            foreign = std::move(*all.front());
            all.front().reset();
        });
        ctx.poll();
        other.poll();
    });
    BOOST_CHECK_EQUAL(made, 0u);
    BOOST_CHECK_EQUAL(completed, 1000u);
}

BOOST_AUTO_TEST_CASE(rescheduling_allocates_nothing)
{
    for (int number : {1, 2, 50, 1000})
    {
        asio::io_context ctx;
        std::size_t completed = 0;
        std::vector<std::unique_ptr<timer>> all;
        for (int i = 0; i < number; ++i)
        {
            all.push_back(std::make_unique<timer>(ctx, 1h));
            all.back()->async_wait([&](error_code ec) { completed += !ec; });
        }
        std::size_t made = 0;
        unsigned random = 12345;
        const auto base = clock_type::now() + 1h;
        without_memory([&] {
            made = allocations_of([&] {
                for (int i = 0; i < 20000; ++i)
                {
                    auto& t = *all[static_cast<std::size_t>(i % number)];
                    random = random * 1664525u + 1013904223u;
                    // Later, earlier, ever earlier, and anywhere; never run in between.
                    switch (i / 5000)
                    {
                    case 0:
                        t.reschedule_at(base + std::chrono::milliseconds(i));
                        break;
                    case 1:
                        t.reschedule_at(base - std::chrono::milliseconds(i));
                        break;
                    case 2:
                        t.reschedule_after(std::chrono::seconds(3600 - i % 3600));
                        break;
                    default:
                        t.reschedule_at(base + std::chrono::microseconds(random % 1000000000));
                    }
                }
                for (auto& t : all)
                    t->reschedule_at(clock_type::now() - 1s);
            });
            ctx.run();
        });
        BOOST_CHECK_EQUAL(made, 0u);
        BOOST_CHECK_EQUAL(completed, static_cast<std::size_t>(number));
    }
}

// Between two sweeps of the queue: arming, cancelling and other slacks change what room there is for moving earlier.
BOOST_AUTO_TEST_CASE(rescheduling_allocates_nothing_amid_arming_and_cancelling)
{
    for (const bool with_slack : {false, true})
    {
        asio::io_context ctx;
        std::size_t completed = 0, started = 0;
        std::vector<std::unique_ptr<timer>> all;
        for (int i = 0; i < 300; ++i)
            all.push_back(std::make_unique<timer>(ctx, 1h));
        std::size_t made = 0;
        unsigned random = 99;
        for (int i = 0; i < 30000; ++i)
        {
            random = random * 1664525u + 1013904223u;
            auto& t = *all[(random >> 8) % all.size()];
            if (with_slack && (random >> 20) % 4 == 0)
                t.slack(std::chrono::seconds((random >> 16) % 3));
            switch ((random >> 24) % 4)
            {
            case 0:
                t.expires_after(std::chrono::seconds(1 + (random >> 8) % 7200));
                t.async_wait([&](error_code) { ++completed; });
                ++started;
                break;
            case 1:
                t.cancel();
                break;
            default:
                without_memory(
                    [&] { made += allocations_of([&] { t.reschedule_after(std::chrono::seconds(1 + (random >> 4) % 7200)); }); });
            }
            if (i % 1000 == 0)
                ctx.poll();
        }
        BOOST_CHECK_EQUAL(made, 0u);
        all.clear();
        ctx.restart();
        ctx.run();
        BOOST_CHECK_EQUAL(completed, started);
    }
}

BOOST_AUTO_TEST_CASE(expiring_needs_no_memory)
{
    asio::io_context ctx;
    constexpr int number = 20000;
    std::size_t fired = 0;
    std::vector<std::unique_ptr<timer>> all;
    const auto base = clock_type::now() - 1h;
    for (int i = 0; i < number; ++i)
    {
        all.push_back(std::make_unique<timer>(ctx, base + std::chrono::microseconds(i * 7919 % 1000003)));
        all.back()->async_wait([&](error_code ec) { fired += !ec; });
        if (i % 3 == 0)
            all.back()->reschedule_at(base + std::chrono::microseconds(i));
        if (i % 5 == 0)
            all.back()->cancel();
    }
    without_memory([&] { BOOST_CHECK_EQUAL(ctx.run(), static_cast<std::size_t>(number)); });
    BOOST_CHECK_EQUAL(fired, static_cast<std::size_t>(number - number / 5));
}

BOOST_AUTO_TEST_CASE(shutting_down_needs_no_memory)
{
    auto token = std::make_shared<int>(0);
    auto ctx = std::make_unique<asio::io_context>();
    for (int i = 0; i < 1000; ++i)
    {
        auto t = std::make_shared<timer>(*ctx, 1h);
        t->async_wait([t, token](error_code) {});
    }
    without_memory([&] { ctx.reset(); });
    BOOST_CHECK_EQUAL(token.use_count(), 1);
}

#endif // BOOST_EXT_TEST_KEEP_OPERATOR_NEW

// ---- Descriptors -------------------------------------------------------------------------------------------------

template <class Timer>
void with_few_descriptors()
{
    const int descriptors = open_descriptors();
    for (int left = 0; left < 6; ++left)
    {
        BOOST_REQUIRE_EQUAL(open_descriptors(), descriptors);
        asio::io_context ctx;
        int fired = 0;
        bool worked = false;
        std::optional<Timer> t;
        {
            scarce_descriptors scarce(left);
            try
            {
                t.emplace(ctx, Timer::clock_type::now() - 1s);
                t->async_wait([&](error_code ec) { fired += !ec; });
                worked = true;
            }
            catch (const boost::system::system_error& e)
            {
                BOOST_CHECK(e.code() == boost::system::errc::too_many_files_open);
            }
            if (worked)
                ctx.run();
            BOOST_CHECK_EQUAL(fired, worked ? 1 : 0);
        }
        // With descriptors to be had again, the same context serves.
        ctx.restart();
        fired = 0;
        Timer u(ctx, Timer::clock_type::now() + 1ms);
        u.async_wait([&](error_code ec) { fired += !ec; });
        ctx.run();
        BOOST_CHECK_EQUAL(fired, 1);
    }
}

BOOST_AUTO_TEST_CASE(few_descriptors)
{
    with_few_descriptors<boost_ext::steady_timer>();
}

BOOST_AUTO_TEST_CASE(few_descriptors_and_a_wall_clock)
{
    with_few_descriptors<boost_ext::system_timer>();
}

BOOST_AUTO_TEST_CASE(a_running_context_needs_no_further_descriptor)
{
    asio::io_context ctx;
    timer first(ctx, clock_type::now());
    first.async_wait([](error_code) {});
    ctx.run();
    ctx.restart();
    scarce_descriptors scarce(0);
    int fired = 0;
    std::vector<timer> all;
    for (int i = 0; i < 100; ++i)
    {
        all.emplace_back(ctx, std::chrono::microseconds(i * 10));
        all.back().async_wait([&](error_code ec) { fired += !ec; });
    }
    BOOST_CHECK_EQUAL(ctx.run(), 100u);
    BOOST_CHECK_EQUAL(fired, 100);
}

// ---- Handlers ----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_handler_ends_everything)
{
    asio::io_context ctx;
    auto guard = asio::make_work_guard(ctx);
    auto t = std::make_unique<timer>(ctx, 0ms);
    auto u = std::make_unique<timer>(ctx, 1h);
    int aborted = 0;
    u->async_wait([&](error_code ec) { aborted += !!ec; });
    t->async_wait([&](error_code) {
        guard.reset();
        u.reset();
        t.reset();
    });
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK_EQUAL(aborted, 1);
}

BOOST_AUTO_TEST_CASE(every_handler_throws)
{
    asio::io_context ctx;
    std::vector<std::unique_ptr<timer>> all;
    const auto past = clock_type::now() - 1s;
    constexpr int number = 6000;
    int thrown = 0;
    for (int i = 0; i < number; ++i)
    {
        all.push_back(std::make_unique<timer>(ctx, past));
        all.back()->async_wait([i](error_code) { throw i; });
    }
    std::size_t handled = 1;
    while (handled != 0)
    {
        try
        {
            handled = ctx.run();
        }
        catch (int i)
        {
            BOOST_REQUIRE_EQUAL(i, thrown);
            ++thrown;
        }
    }
    BOOST_CHECK_EQUAL(thrown, number);
}

BOOST_AUTO_TEST_CASE(handlers_that_stop_the_context_amid_a_batch)
{
    asio::io_context ctx;
    std::vector<std::unique_ptr<timer>> all;
    const auto past = clock_type::now() - 1s;
    constexpr std::size_t number = 10000;
    std::size_t fired = 0, rounds = 0;
    for (std::size_t i = 0; i < number; ++i)
    {
        all.push_back(std::make_unique<timer>(ctx, past));
        all.back()->async_wait([&](error_code) {
            if (++fired % 777 == 0)
                ctx.stop();
        });
    }
    while (fired < number && ++rounds < 100)
    {
        ctx.run();
        ctx.restart();
    }
    BOOST_CHECK_EQUAL(fired, number);
    BOOST_CHECK_EQUAL(rounds, number / 777 + 1);
}

// ---- A million at once -------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_million_due_at_once_while_input_goes_on)
{
#if defined(BOOST_EXT_TEST_SANITIZED)
    constexpr std::size_t number = 100000;
#else
    constexpr std::size_t number = 1000000;
#endif
    asio::io_context ctx(1);
    std::size_t fired = 0, round_trips = 0, posts = 0;
    std::vector<io_timer> all;
    all.reserve(number);
    const auto past = clock_type::now() - 1s;
    for (std::size_t i = 0; i < number; ++i)
    {
        all.emplace_back(ctx, past);
        all.back().async_wait([&fired](error_code) { ++fired; });
    }

    asio::readable_pipe in(ctx);
    asio::writable_pipe out(ctx);
    asio::connect_pipe(in, out);
    char byte = 'x';
    std::function<void()> read = [&] {
        in.async_read_some(asio::buffer(&byte, 1), [&](error_code ec, std::size_t) {
            if (ec || fired == number)
                return;
            ++round_trips;
            out.write_some(asio::buffer(&byte, 1));
            read();
        });
    };
    out.write_some(asio::buffer(&byte, 1));
    read();
    std::function<void()> post = [&] {
        ++posts;
        if (fired < number)
            asio::post(ctx, post);
    };
    post();
    ctx.run();
    BOOST_TEST_MESSAGE(round_trips << " round trips and " << posts << " posts amid " << fired << " expiries");
    BOOST_CHECK_EQUAL(fired, number);
    BOOST_CHECK_GE(round_trips, number / 50000);
    BOOST_CHECK_GE(posts, number / 50000);
}

BOOST_AUTO_TEST_SUITE_END()
