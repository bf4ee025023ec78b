// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_CLOCK_DRIVER_HPP
#define BOOST_EXT_DETAIL_CLOCK_DRIVER_HPP

#include <boost/asio/execution_context.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/config.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <thread>
#include <type_traits>

#include <time.h>

namespace boost_ext {

class BOOST_SYMBOL_VISIBLE boottime_clock;

namespace detail {

/// The kernel's name of a clock that jumps, as seen from the monotonic one: a thread that sleeps until a time on it is woken by a jump.
template <class Clock>
struct kernel_clock
{
    static constexpr bool known = false;
};
template <>
struct kernel_clock<std::chrono::system_clock>
{
    static constexpr bool known = true;
    static constexpr ::clockid_t id = CLOCK_REALTIME;
};
template <>
struct kernel_clock<boottime_clock>
{
    static constexpr bool known = true;
    static constexpr ::clockid_t id = CLOCK_BOOTTIME;
};

/// Sleep until a time on a clock of the kernel's, or until a signal. False if the kernel does not offer that.
/**
 * Precondition: `t` is not negative.
 */
template <class Duration>
bool kernel_sleep(::clockid_t clock, Duration t)
{
    const auto s = std::chrono::duration_cast<std::chrono::seconds>(t);
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t - s);
    ::timespec until{};
    until.tv_sec = static_cast<std::time_t>(s.count());
    until.tv_nsec = static_cast<long>(ns.count());
    const int error = ::clock_nanosleep(clock, TIMER_ABSTIME, &until, nullptr);
    return error == 0 || error == EINTR;
}

/// How time reaches the timers of a clock: by default through the reactor's kernel timer.
template <class Clock, class WaitTraits>
struct clock_driver
{
    using time_point = typename Clock::time_point;
    using duration = typename Clock::duration;

    /// Whether the kernel wakes us up.
    static constexpr bool in_kernel = true;

    /// Microseconds from now to `t`, at most `most`; 0 only if `t` has come.
    /**
     * Rounded down: what the kernel takes to wake a thread up is longer than what is missing, and who is early all the same asks again.
     */
    static long microseconds_until(time_point t, long most)
    {
        // The user's traits are not asked about the past: it may be further away than they can express.
        const time_point now = Clock::now();
        if (t <= now)
            return 0;
        const auto d = WaitTraits::to_wait_duration(saturating_subtract(t, now));
        using std::chrono::microseconds;
        if (d <= d.zero())
            return 0;
        // In real numbers: either of the two may be more than the other's type holds.
        using real_seconds = std::chrono::duration<double>;
        if (real_seconds(d) > real_seconds(microseconds(most)))
            return most;
        return (std::max)(static_cast<long>(std::chrono::duration_cast<microseconds>(d).count()), 1L);
    }

    /// Block the calling thread until `t`.
    static void sleep_until(time_point t)
    {
        while (Clock::now() < t)
        {
            if constexpr (kernel_clock<Clock>::known && std::is_same<WaitTraits, boost::asio::wait_traits<Clock>>::value)
                if (kernel_sleep(kernel_clock<Clock>::id, t.time_since_epoch()))
                    continue;
            // A clock that may jump must be looked at again, and no sleep may overflow.
            const long most = std::is_same<Clock, std::chrono::steady_clock>::value ? 3600L * 1000000 : 100L * 1000;
            std::this_thread::sleep_for(std::chrono::microseconds(microseconds_until(t, most)));
        }
    }
};

/// Who is told when a clock moves by other means than the passing of time. By default no clock does.
template <class Clock, class = void>
class clock_listener
{
protected:
    ~clock_listener() = default;

    virtual typename Clock::time_point next_expiry() = 0;
    virtual void clock_moved() = 0;

    void listen(boost::asio::execution_context&) {}
    void stop_listening() noexcept {}
};

} // namespace detail
} // namespace boost_ext

#endif
