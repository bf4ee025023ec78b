// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Steps of the wall clock: by an injected notification, and for real where the machine lets us set its clock.

#include <boost_ext/clock_watch.hpp>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>
#include <boost_ext/boottime_timer.hpp>
#include <boost_ext/steady_timer.hpp>
#include <boost_ext/system_timer.hpp>
#include <chrono>
#include <ctime>
#include <dirent.h>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

void inject_step(asio::io_context& context)
{
    asio::use_service<boost_ext::detail::clock_steps>(context).stepped();
}

/// Collects the results of waits.
struct results : std::vector<error_code>
{
    auto handler()
    {
        return [this](error_code ec) { push_back(ec); };
    }
};

std::size_t open_descriptors()
{
    std::size_t n = 0;
    DIR* const d = ::opendir("/proc/self/fd");
    while (::readdir(d))
        ++n;
    ::closedir(d);
    return n;
}

/// An allocator that has nothing to give.
template <class T>
struct no_memory
{
    using value_type = T;

    no_memory() = default;
    template <class U>
    no_memory(const no_memory<U>&)
    {
    }

    T* allocate(std::size_t) { throw std::bad_alloc(); }
    void deallocate(T*, std::size_t) {}

    friend bool operator==(const no_memory&, const no_memory&) { return true; }
    friend bool operator!=(const no_memory&, const no_memory&) { return false; }
};

/// A clock that goes on like the steady one, and may be set.
struct set_clock
{
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<set_clock>;
    [[maybe_unused]] static constexpr bool is_steady = false;

    static time_point now() noexcept { return time_point(std::chrono::steady_clock::now().time_since_epoch() + ahead); }

    static inline duration ahead{};
};

/// Set the wall clock by so much ahead of what it shows. False if we may not.
bool step_wall_clock(std::chrono::nanoseconds d)
{
    const auto t = std::chrono::system_clock::now().time_since_epoch() + d;
    const auto s = std::chrono::duration_cast<std::chrono::seconds>(t);
    ::timespec to{};
    to.tv_sec = static_cast<std::time_t>(s.count());
    to.tv_nsec = static_cast<long>(std::chrono::nanoseconds(t - s).count());
    return ::clock_settime(CLOCK_REALTIME, &to) == 0;
}

/// Set the wall clock to what it shows, which is a step like any other. False if we may not.
bool set_wall_clock()
{
    return step_wall_clock(0ns);
}

} // namespace

template <>
struct boost_ext::detail::jumps<set_clock> : std::true_type
{
};

namespace {

/// A token with which an initiating function returns a reference.
struct launched
{
    int times = 0;
};

} // namespace

template <class Signature>
class boost::asio::async_result<launched, Signature>
{
public:
    template <class Initiation>
    static launched& initiate(Initiation initiation, launched& token)
    {
        ++token.times;
        std::move(initiation)([](error_code) {});
        return token;
    }
};

BOOST_AUTO_TEST_SUITE(clock_watch)

BOOST_AUTO_TEST_CASE(a_step_completes_the_wait)
{
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    watch.async_wait(got.handler());
    context.poll();
    BOOST_TEST(got.empty());
    BOOST_TEST(!context.stopped()); // a pending wait is work
    inject_step(context);
    BOOST_TEST(got.empty()); // never inline
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
    BOOST_TEST(context.stopped());
}

BOOST_AUTO_TEST_CASE(a_loop_misses_no_step)
{
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    inject_step(context); // since construction
    watch.async_wait(got.handler());
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 1u);
    inject_step(context); // between two waits
    inject_step(context); // two steps in a row are one piece of news
    watch.async_wait(got.handler());
    context.restart();
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 2u);
    BOOST_TEST(!got[1]);
    watch.async_wait(got.handler());
    context.restart();
    context.poll();
    BOOST_TEST(got.size() == 2u);
}

BOOST_AUTO_TEST_CASE(cancel_slot_and_destruction_abort)
{
    asio::io_context context;
    results got;
    {
        boost_ext::clock_watch watch(context);
        watch.async_wait(got.handler());
        watch.async_wait(got.handler());
        BOOST_TEST(watch.cancel() == 2u);
        context.poll();
        BOOST_TEST_REQUIRE(got.size() == 2u);

        for (auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total})
        {
            asio::cancellation_signal signal;
            watch.async_wait(asio::bind_cancellation_slot(signal.slot(), got.handler()));
            signal.emit(type);
            context.restart();
            context.poll();
        }
        BOOST_TEST_REQUIRE(got.size() == 5u);
        watch.async_wait(got.handler());
    }
    context.restart();
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 6u);
    for (const error_code& ec : got)
        BOOST_TEST(ec == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(what_was_cancelled_before_a_step_stays_so)
{
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    asio::cancellation_signal signal;
    watch.async_wait(asio::bind_cancellation_slot(signal.slot(), got.handler()));
    signal.emit(asio::cancellation_type::total);
    watch.async_wait(got.handler());
    BOOST_TEST(watch.cancel() == 1u);
    inject_step(context);
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 2u);
    BOOST_TEST(got[0] == asio::error::operation_aborted);
    BOOST_TEST(got[1] == asio::error::operation_aborted);

    // The step is not lost, and what it ended is no longer cancelled.
    watch.async_wait(got.handler());
    context.restart();
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 3u);
    BOOST_TEST(!got[2]);
    watch.async_wait(got.handler());
    inject_step(context);
    BOOST_TEST(watch.cancel() == 0u);
    context.restart();
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 4u);
    BOOST_TEST(!got[3]);
}

BOOST_AUTO_TEST_CASE(what_a_step_ended_a_slot_does_not_cancel)
{
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    asio::cancellation_signal signal;
    watch.async_wait(asio::bind_cancellation_slot(signal.slot(), got.handler()));
    signal.emit(asio::cancellation_type::none);
    inject_step(context);
    signal.emit(asio::cancellation_type::all);
    {
        asio::cancellation_signal gone;
        watch.async_wait(asio::bind_cancellation_slot(gone.slot(), got.handler())); // the step is not reported yet
    }
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 2u);
    BOOST_TEST(!got[0]);
    BOOST_TEST(!got[1]);
    {
        asio::cancellation_signal gone;
        watch.async_wait(asio::bind_cancellation_slot(gone.slot(), got.handler()));
    }
    inject_step(context);
    context.restart();
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 3u);
    BOOST_TEST(!got[2]);
}

BOOST_AUTO_TEST_CASE(a_handler_of_another_context_outlives_the_one_that_was_watched)
{
    asio::io_context other;
    results got;
    for (const bool by_step : {true, false})
    {
        asio::io_context context;
        boost_ext::clock_watch watch(context);
        watch.async_wait(asio::bind_executor(other, got.handler()));
        if (by_step)
            inject_step(context);
        else
            watch.cancel();
        context.run(); // hands it over
    }
    BOOST_TEST(got.empty());
    BOOST_TEST(other.run() == 2u);
    BOOST_TEST_REQUIRE(got.size() == 2u);
    BOOST_TEST(!got[0]);
    BOOST_TEST(got[1] == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(handlers_may_own_the_watch)
{
    results got;
    asio::io_context context;
    for (const bool enough_memory : {true, false})
    {
        auto owner = std::make_unique<boost_ext::clock_watch>(context);
        boost_ext::clock_watch& watch = *owner;
        auto handler = [owner = std::move(owner), h = got.handler()](error_code ec) { h(ec); };
        if (enough_memory)
            watch.async_wait(std::move(handler));
        else
            BOOST_CHECK_THROW(watch.async_wait(asio::bind_allocator(no_memory<void>(), std::move(handler))), std::bad_alloc);
    }
    inject_step(context);
    BOOST_TEST(context.run() == 1u);
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);

    asio::io_context abandoned;
    auto watch = std::make_shared<boost_ext::clock_watch>(abandoned);
    watch->async_wait([watch](error_code) {});
}

BOOST_AUTO_TEST_CASE(a_failed_wait_leaves_the_others_alone)
{
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    BOOST_CHECK_THROW(watch.async_wait(asio::bind_allocator(no_memory<void>(), got.handler())), std::bad_alloc);
    BOOST_TEST(context.poll() == 0u); // no work is left behind
    BOOST_TEST(context.stopped());
    context.restart();
    watch.async_wait(got.handler());
    BOOST_CHECK_THROW(watch.async_wait(asio::bind_allocator(no_memory<void>(), got.handler())), std::bad_alloc);
    inject_step(context);
    context.run();
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
}

BOOST_AUTO_TEST_CASE(a_wait_that_is_launched_when_the_watch_is_gone_is_aborted)
{
    asio::io_context context;
    auto watch = std::make_unique<boost_ext::clock_watch>(context);
    auto wait = watch->async_wait(asio::deferred);
    watch.reset();
    results got;
    std::move(wait)(got.handler());
    BOOST_TEST(got.empty());
    BOOST_TEST(context.run() == 1u);
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(got[0] == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(a_move_carries_the_wait)
{
    asio::io_context context;
    results got;
    boost_ext::clock_watch watch(context);
    watch.async_wait(got.handler());
    boost_ext::clock_watch other(std::move(watch));
    BOOST_TEST((other.get_executor() == context.get_executor()));
    inject_step(context);
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
    other.async_wait(got.handler());
    other = boost_ext::clock_watch(context); // the target's waits are cancelled
    context.restart();
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 2u);
    BOOST_TEST(got[1] == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(any_token_and_any_executor)
{
    asio::io_context context;
    boost_ext::clock_watch watch(asio::any_io_executor(context.get_executor()));
    auto f = watch.async_wait(asio::use_future);
    inject_step(context);
    context.run();
    BOOST_CHECK_NO_THROW(f.get());
}

BOOST_AUTO_TEST_CASE(what_a_token_returns_is_returned)
{
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    launched token;
    BOOST_TEST(&watch.async_wait(token) == &token);
    BOOST_TEST(token.times == 1);
    BOOST_TEST(watch.cancel() == 1u);
    BOOST_TEST(context.run() == 1u);
}

BOOST_AUTO_TEST_CASE(the_descriptor_is_there_only_for_clocks_that_jump)
{
    asio::io_context context;
    boost_ext::steady_timer steady(context, 1h);
    steady.async_wait([](error_code) {});
    context.poll();
    const std::size_t before = open_descriptors();
    {
        boost_ext::steady_timer another(context, 1h);
        BOOST_TEST(open_descriptors() == before);
    }
    boost_ext::system_timer system(context, 1h);
    BOOST_TEST(open_descriptors() == before + 1);
    boost_ext::boottime_timer boot(context, 1h);
    boost_ext::clock_watch watch(context);
    BOOST_TEST(open_descriptors() == before + 1); // one for all of them
}

BOOST_AUTO_TEST_CASE(a_program_with_more_descriptors_than_select_can_watch)
{
    ::rlimit limit;
    BOOST_TEST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const ::rlimit before = limit;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    std::vector<int> descriptors;
    while (descriptors.empty() || (descriptors.back() != -1 && descriptors.back() < FD_SETSIZE))
        descriptors.push_back(::dup(STDIN_FILENO));
    {
        asio::io_context context;
        boost_ext::system_timer timer(context, 1ms);
        boost_ext::clock_watch watch(context);
        results got;
        timer.async_wait(got.handler());
        watch.async_wait(got.handler());
        while (got.empty() && context.run_one_for(60s) != 0) // returns as soon as the timer's wait has completed
        {
        }
        BOOST_TEST_REQUIRE(got.size() == 1u);
        BOOST_TEST(!got[0]);
        BOOST_TEST((std::chrono::system_clock::now() >= timer.expiry()));
        BOOST_TEST(watch.cancel() == 1u);
        context.run();
        BOOST_TEST_REQUIRE(got.size() == 2u);
        BOOST_TEST(got[1] == asio::error::operation_aborted);
    }
    for (const int d : descriptors)
        ::close(d);
    ::setrlimit(RLIMIT_NOFILE, &before);
}

BOOST_AUTO_TEST_CASE(a_step_without_waits_is_harmless)
{
    asio::io_context context;
    boost_ext::system_timer timer(context);
    inject_step(context);
    BOOST_TEST(context.poll() == 0u);
    timer.expires_after(1h);
    results got;
    timer.async_wait(got.handler());
    inject_step(context); // nothing is due: nothing completes
    context.restart();
    context.poll();
    BOOST_TEST(got.empty());
    timer.cancel();
}

BOOST_AUTO_TEST_CASE(a_step_while_nothing_waits_is_not_forgotten)
{
    asio::io_context context;
    boost_ext::basic_waitable_timer<set_clock> timer(context, 1h);
    const set_clock::time_point then = timer.expiry();
    timer.async_wait([](error_code) {});
    context.poll(); // the kernel timer is set for an hour from now
    timer.cancel();
    context.poll();
    set_clock::ahead += 1h;
    inject_step(context);
    timer.expires_at(then + 10ms); // in a moment, though later than what the kernel timer was set for
    results got;
    timer.async_wait(got.handler());
    context.restart();
    BOOST_TEST(context.run_for(60s) == 1u); // returns as soon as the wait has completed
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
    BOOST_TEST((set_clock::now() >= timer.expiry()));
    set_clock::ahead = 0ns;
}

BOOST_AUTO_TEST_CASE(the_child_of_a_fork_has_a_descriptor_of_its_own)
{
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    watch.async_wait(got.handler());
    context.notify_fork(asio::io_context::fork_prepare);
    const ::pid_t pid = ::fork();
    BOOST_TEST_REQUIRE(pid != -1);
    if (pid == 0)
    {
        context.notify_fork(asio::io_context::fork_child);
        inject_step(context);
        context.poll();
        ::_exit(got.size() == 1 && !got[0] ? 0 : 1);
    }
    context.notify_fork(asio::io_context::fork_parent);
    int status = 0;
    ::waitpid(pid, &status, 0);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == 0);
    BOOST_TEST(got.empty());
    inject_step(context);
    context.poll();
    BOOST_TEST(got.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_step_that_the_reactor_has_not_seen_is_news_to_both_sides_of_a_fork)
{
    if (!boost_ext::detail::can_watch_descriptors || !set_wall_clock())
    {
        BOOST_TEST_MESSAGE("SKIPPED: this machine does not let us set its clock (CAP_SYS_TIME), or its reactor cannot watch it");
        return;
    }
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    watch.async_wait(got.handler());
    BOOST_TEST_REQUIRE(set_wall_clock());
    context.notify_fork(asio::io_context::fork_prepare);
    const ::pid_t pid = ::fork();
    BOOST_TEST_REQUIRE(pid != -1);
    if (pid == 0)
    {
        context.notify_fork(asio::io_context::fork_child);
        context.poll();
        ::_exit(got.size() == 1 && !got[0] ? 0 : 1);
    }
    context.notify_fork(asio::io_context::fork_parent);
    int status = 0;
    ::waitpid(pid, &status, 0);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == 0);
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
}

BOOST_AUTO_TEST_CASE(a_step_during_a_fork_is_news_to_both_sides)
{
    if (!boost_ext::detail::can_watch_descriptors || !set_wall_clock())
    {
        BOOST_TEST_MESSAGE("SKIPPED: this machine does not let us set its clock (CAP_SYS_TIME), or its reactor cannot watch it");
        return;
    }
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    watch.async_wait(got.handler());
    context.poll();
    const std::size_t descriptors = open_descriptors();
    context.notify_fork(asio::io_context::fork_prepare);
    const ::pid_t pid = ::fork();
    BOOST_TEST_REQUIRE(pid != -1);
    const bool set = set_wall_clock();
    if (pid == 0)
    {
        context.notify_fork(asio::io_context::fork_child);
        context.poll();
        ::_exit(set && got.size() == 1 && !got[0] && open_descriptors() == descriptors ? 0 : 1);
    }
    BOOST_TEST(set);
    context.notify_fork(asio::io_context::fork_parent);
    int status = 0;
    ::waitpid(pid, &status, 0);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == 0);
    BOOST_TEST(open_descriptors() == descriptors);
    context.poll();
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
}

BOOST_AUTO_TEST_CASE(a_real_step)
{
    if (!boost_ext::detail::can_watch_descriptors || !set_wall_clock())
    {
        BOOST_TEST_MESSAGE("SKIPPED: this machine does not let us set its clock (CAP_SYS_TIME), or its reactor cannot watch it");
        return;
    }
    asio::io_context context;
    boost_ext::clock_watch watch(context);
    results got;
    watch.async_wait(got.handler());
    BOOST_TEST_REQUIRE(set_wall_clock());
    BOOST_TEST(context.run_for(10s) == 1u); // returns as soon as the wait has completed
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
}

BOOST_AUTO_TEST_CASE(a_step_before_construction_is_no_news)
{
    if (!boost_ext::detail::can_watch_descriptors || !set_wall_clock())
    {
        BOOST_TEST_MESSAGE("SKIPPED: this machine does not let us set its clock (CAP_SYS_TIME), or its reactor cannot watch it");
        return;
    }
    asio::io_context context;
    boost_ext::clock_watch earlier(context);
    results news, none;
    earlier.async_wait(news.handler());
    BOOST_TEST_REQUIRE(set_wall_clock());
    boost_ext::clock_watch later(context); // when the reactor has not seen the step yet
    later.async_wait(none.handler());
    context.poll();
    BOOST_TEST_REQUIRE(news.size() == 1u);
    BOOST_TEST(!news[0]);
    BOOST_TEST(none.empty());
}

BOOST_AUTO_TEST_CASE(real_steps_one_after_the_other)
{
    if (!boost_ext::detail::can_watch_descriptors || !set_wall_clock())
    {
        BOOST_TEST_MESSAGE("SKIPPED: this machine does not let us set its clock (CAP_SYS_TIME), or its reactor cannot watch it");
        return;
    }
    asio::io_context context;
    boost_ext::clock_watch first(context), second(context);
    for (int i = 0; i != 20; ++i)
    {
        results got;
        first.async_wait(got.handler());
        second.async_wait(got.handler());
        second.async_wait([](error_code) { throw std::runtime_error("from a handler"); });
        BOOST_TEST_REQUIRE(set_wall_clock());
        context.restart();
        BOOST_CHECK_THROW(context.run_for(10s), std::runtime_error);
        context.run_for(10s);
        BOOST_TEST(got.size() == 2u);
        BOOST_TEST(context.stopped()); // no work is left
        context.restart();
        BOOST_TEST(context.poll() == 0u);
    }
}

BOOST_AUTO_TEST_CASE(a_system_timer_follows_a_real_step)
{
    if (!boost_ext::detail::can_watch_descriptors || !set_wall_clock())
    {
        BOOST_TEST_MESSAGE("SKIPPED: this machine does not let us set its clock (CAP_SYS_TIME), or its reactor cannot watch it");
        return;
    }
    asio::io_context context;
    boost_ext::system_timer timer(context, 50s);
    results got;
    timer.async_wait(got.handler());
    context.poll();
    BOOST_TEST_REQUIRE(step_wall_clock(60s));
    const std::size_t handlers = context.run_for(20s); // less than the timer's 50 s: without the step it would not fire
    // Put the clock back before anything is asserted.
    step_wall_clock(-60s);
    BOOST_TEST(handlers == 1u); // the step is no handler
    BOOST_TEST_REQUIRE(got.size() == 1u);
    BOOST_TEST(!got[0]);
}

BOOST_AUTO_TEST_CASE(a_system_timer_follows_a_real_step_back)
{
    if (!boost_ext::detail::can_watch_descriptors || !set_wall_clock())
    {
        BOOST_TEST_MESSAGE("SKIPPED: this machine does not let us set its clock (CAP_SYS_TIME), or its reactor cannot watch it");
        return;
    }
    asio::io_context context;
    boost_ext::system_timer first(context, 20ms), second(context, 21ms);
    results got;
    bool early = false;
    const auto handler = [&](const boost_ext::system_timer& t) {
        return [&](error_code ec) {
            early = early || std::chrono::system_clock::now() < t.expiry();
            got.push_back(ec);
        };
    };
    second.async_wait(handler(second));
    first.async_wait(handler(first));
    std::size_t handlers = context.poll(); // none; the kernel timer is set for in 20 ms, which will be too early
    BOOST_TEST_REQUIRE(step_wall_clock(-200ms));
    handlers += context.run();
    step_wall_clock(200ms);
    BOOST_TEST((handlers == 2u || handlers == 3u)); // the step completes no wait, and may be counted
    BOOST_TEST_REQUIRE(got.size() == 2u);
    BOOST_TEST(!got[0]);
    BOOST_TEST(!got[1]);
    BOOST_TEST(!early);
}

BOOST_AUTO_TEST_SUITE_END()
