// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// What a timer costs in system calls: timerfd_settime is interposed and counted. Asio sets the kernel timer for every
// new earliest deadline; ours only ever moves it earlier.

#include "parity/timers.hpp"

#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#if defined(BOOST_ASIO_HAS_EPOLL) && defined(BOOST_ASIO_HAS_TIMERFD) && !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)

#include <dlfcn.h>
#include <sys/timerfd.h>

#include <atomic>

namespace {

std::atomic<int> settimes{0};

} // namespace

extern "C" int timerfd_settime(int fd, int flags, const itimerspec* value, itimerspec* old) noexcept
{
    using function = int (*)(int, int, const itimerspec*, itimerspec*);
    static const function real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "timerfd_settime"));
    ++settimes;
    return real(fd, flags, value, old);
}

namespace {

using namespace parity;

/// A clock of the user's, of which nobody but the user knows that it keeps pace with the kernel's.
struct own_clock
{
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<own_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;

    static time_point now() noexcept { return time_point(steady::now().time_since_epoch()); }
};

/// The calls made by f.
template <class F>
int count(F f)
{
    const int before = settimes;
    f();
    return settimes - before;
}

} // namespace

BOOST_AUTO_TEST_SUITE(asio_parity_kernel)

BOOST_AUTO_TEST_CASE_TEMPLATE(a_timer_postponed_a_thousand_times, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx);
    const int calls = count([&] {
        for (int i = 0; i < 1000; ++i)
        {
            t.expires_after(1h + std::chrono::seconds(i));
            t.async_wait([](error_code) {});
        }
        BOOST_CHECK_EQUAL(ctx.poll(), 999u);
    });
    BOOST_TEST_MESSAGE("timerfd_settime: " << calls);
    if (is_ours<Timer>())
        BOOST_CHECK_LE(calls, 5);
    else
        BOOST_CHECK_GE(calls, 900);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_timer_postponed_between_polls, Timer, timers)
{
    asio::io_context ctx;
    Timer t(ctx);
    const int calls = count([&] {
        for (int i = 0; i < 1000; ++i)
        {
            t.expires_after(1h + std::chrono::seconds(i));
            t.async_wait([](error_code) {});
            ctx.poll();
        }
    });
    if (is_ours<Timer>())
        BOOST_CHECK_LE(calls, 5);
    else
        BOOST_CHECK_GE(calls, 900);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(later_timers_do_not_touch_the_kernel, Timer, timers)
{
    asio::io_context ctx;
    Timer first(ctx, 1h);
    first.async_wait([](error_code) {});
    ctx.poll();
    const int calls = count([&] {
        for (int i = 0; i < 100; ++i)
        {
            Timer t(ctx, 2h);
            t.async_wait([](error_code) {});
            ctx.poll();
        }
    });
    BOOST_CHECK_LE(calls, 2);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nor_do_they_on_a_clock_of_the_users, Family, families)
{
    using timer = typename Family::template timer<asio::any_io_executor, own_clock>;
    asio::io_context ctx;
    const auto expiry = own_clock::now() + 1h;
    timer first(ctx, expiry);
    first.async_wait([](error_code) {});
    ctx.poll();
    const int calls = count([&] {
        for (int i = 0; i < 100; ++i)
        {
            timer same(ctx, expiry), later(ctx, expiry + 1us);
            same.async_wait([](error_code) {});
            later.async_wait([](error_code) {});
            ctx.poll();
        }
    });
    BOOST_CHECK_LE(calls, 5);
}

// The kernel timer stands at a deadline that nobody waits for any more: passing it must not lose the next one.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_deadline_behind_a_cancelled_one_still_fires, Timer, timers)
{
    asio::io_context ctx;
    journal l;
    Timer a(ctx, 1ms), b(ctx, 5ms);
    a.async_wait(l(0));
    b.async_wait(l(1));
    a.cancel();
    BOOST_CHECK_EQUAL(ctx.run(), 2u);
    BOOST_CHECK((l.ids() == std::vector<int>{0, 1}));

    ctx.restart();
    a.expires_after(1ms);
    a.async_wait(l(2));
    for (int i = 0; i < 5; ++i)
    {
        a.expires_after(3ms);
        a.async_wait(l(3));
        ctx.run_one_for(2ms);
    }
    const auto expiry = a.expiry();
    ctx.run();
    BOOST_CHECK(steady::now() >= expiry);
    BOOST_CHECK(!l.lines.back().ec);
}

BOOST_AUTO_TEST_SUITE_END()

#else

BOOST_AUTO_TEST_CASE(no_timerfd_in_this_build)
{
}

#endif
