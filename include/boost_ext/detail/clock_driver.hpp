// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_CLOCK_DRIVER_HPP
#define BOOST_EXT_DETAIL_CLOCK_DRIVER_HPP

#include <boost/asio/execution_context.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

namespace boost_ext {
namespace detail {

/// How time reaches the timers of a clock: by default through the reactor's kernel timer.
template <class Clock, class WaitTraits>
struct clock_driver
{
    using time_point = typename Clock::time_point;
    using duration = typename Clock::duration;

    /// Whether the kernel wakes us up.
    static constexpr bool in_kernel = true;

    /// Microseconds from now to `t`, rounded up, between 0 and `most`.
    static long microseconds_until(time_point t, long most)
    {
        // The user's traits are not asked about the past: it may be further away than they can express.
        const time_point now = Clock::now();
        if (t <= now)
            return 0;
        const auto d = WaitTraits::to_wait_duration(saturating_subtract(t, now));
        using wait_duration = std::decay_t<decltype(d)>;
        using std::chrono::microseconds;
        if (d <= wait_duration::zero())
            return 0;
        if (d > std::chrono::duration_cast<wait_duration>(microseconds(most)))
            return most;
        const auto us = std::chrono::duration_cast<microseconds>(d);
        return static_cast<long>(us.count()) + (us < d ? 1 : 0);
    }

    /// Block the calling thread until `t`.
    static void sleep_until(time_point t)
    {
        while (Clock::now() < t)
        {
            // A clock that may be set must be looked at again, and no sleep may overflow.
            const long most = Clock::is_steady ? 3600L * 1000000 : 100L * 1000;
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
    void forked(boost::asio::execution_context::fork_event) {}
};

} // namespace detail
} // namespace boost_ext

#endif
