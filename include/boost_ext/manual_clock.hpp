// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_MANUAL_CLOCK_HPP
#define BOOST_EXT_MANUAL_CLOCK_HPP

#include <boost/asio/executor_work_guard.hpp>
#include <boost/config.hpp>
#include <boost/throw_exception.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/manual_time.hpp>
#include <boost_ext/timer_statistics.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>

namespace boost_ext {

/// A clock that moves only when it is told to: virtual time for tests.
/**
 * Timers, intervals, sleeps, timeouts, jobs and named timers on this clock wait for nothing real: an hour of timeouts is tested in
 * microseconds, deterministically. All members are static; there is one clock for each `Tag` in the process.
 *
 * @tparam Tag Any type, which may be incomplete, to tell clocks apart. Shared libraries that are built with hidden visibility share the
 * clock if `Tag` is declared visible (`BOOST_SYMBOL_VISIBLE`), as that of `manual_clock` is.
 *
 * @par Thread Safety
 * All members may be called from any thread, and from handlers; `run`, `run_for` and `run_until` need a context that nobody else
 * runs meanwhile.
 *
 * @par Exception Safety
 * `advance` and `run_for` throw for negative durations, and nothing has changed then. `run`, `run_for` and `run_until` let pass what
 * a handler throws; the clock stays where it is.
 *
 * @par Complexity
 * Moving the clock is linear in the number of services that use it, one for each context, and in the number of waits that become due.
 *
 * @par Example
 * @code
 * boost::asio::io_context context;
 * boost_ext::basic_waitable_timer<boost_ext::manual_clock> timer(context, std::chrono::hours(1));
 * timer.async_wait([](boost::system::error_code) { std::cout << "an hour later\n"; });
 * boost_ext::manual_clock::run(context); // returns at once
 * @endcode
 */
template <class Tag>
class BOOST_SYMBOL_VISIBLE basic_manual_clock
{
public:
    /// Nanoseconds.
    using duration = std::chrono::nanoseconds;

    /// What durations count with.
    using rep = duration::rep;

    /// The unit of durations.
    using period = duration::period;

    /// A time on this clock.
    using time_point = std::chrono::time_point<basic_manual_clock>;

    /// False: `reset` turns it back.
    static constexpr bool is_steady = false;

    /// The time that the clock was moved to last.
    static time_point now() noexcept { return time().now(); }

    /// Move the clock forward in one jump.
    /**
     * What is due is made ready in order of expiry, and contexts blocked in `run()` are woken up. Runs no handler itself. Saturates.
     *
     * @throws std::invalid_argument If `d` is negative.
     *
     * @par Example
     * @code
     * clock::advance(1s);    // makes it ready; handlers run only inside the context
     * io.poll();
     * @endcode
     */
    static void advance(const duration& d)
    {
        check_not_negative(d, "boost_ext::basic_manual_clock::advance: time does not go back; use reset()");
        time().update([&](time_point t) { return detail::saturating_add(t, d); });
    }

    /// Move the clock forward to a time. Does nothing if that is in the past.
    static void advance_to(const time_point& t) { time().advance_to(t); }

    /// Move the clock to the earliest expiry that anybody waits for, in any context.
    /**
     * @return Whether there was one, `time_point::max()` aside; otherwise the clock stays.
     */
    static bool advance_to_next() { return time().to_next_expiry(); }

    /// Return to the initial time, the epoch. Pending waits keep their time points.
    static void reset() { time().set(time_point()); }

    /// Run a context in virtual time: run what is ready, jump to the next expiry, repeat.
    /**
     * Looks at the waits of that context alone, never blocks, and returns when nothing is ready and no wait on this clock has an expiry
     * other than `time_point::max()`, whatever other work is outstanding. While the handlers of an expiry run, `now()` is that expiry.
     * Does not restart the context; a handler that stops it makes this return at once.
     *
     * @param context A context with `poll()`, such as `boost::asio::io_context`.
     * @return The number of handlers that were run.
     *
     * @par Example
     * @code
     * std::size_t handlers = clock::run(io);
     * @endcode
     */
    template <class Context>
    static std::size_t run(Context& context)
    {
        return run_up_to(context, std::nullopt);
    }

    /// The same for a span of virtual time; leaves the clock at its end.
    /**
     * @throws std::invalid_argument If `d` is negative.
     *
     * @par Example
     * @code
     * clock_type::run_for(io, 30s);    // and then silence
     * BOOST_TEST(s.closed());
     * @endcode
     */
    template <class Context>
    static std::size_t run_for(Context& context, const duration& d)
    {
        check_not_negative(d, "boost_ext::basic_manual_clock::run_for: time does not go back; pass a duration of zero or more");
        return run_until(context, detail::saturating_add(now(), d));
    }

    /// The same up to a time; leaves the clock there, unless that is in the past.
    template <class Context>
    static std::size_t run_until(Context& context, const time_point& t)
    {
        return run_up_to(context, t);
    }

private:
    static detail::manual_time<basic_manual_clock>& time() { return detail::manual_time<basic_manual_clock>::instance(); }

    static void check_not_negative(const duration& d, const char* message)
    {
        if (d < duration::zero())
            boost::throw_exception(std::invalid_argument(message));
    }

    template <class Context>
    static std::size_t run_up_to(Context& context, std::optional<time_point> end)
    {
        // With work held, stopped() after poll() means that somebody stopped the context.
        const auto work = boost::asio::make_work_guard(context);
        if (context.stopped()) // already: there is nothing to run, but time passes
        {
            if (end)
                advance_to(*end);
            return 0;
        }
        for (std::size_t n = 0;;)
        {
            n += context.poll();
            if (context.stopped())
                return n;
            const std::optional<time_point> next = next_expiry<basic_manual_clock>(context);
            if (next && (!end || *next <= *end || *next <= now()))
                // If that is past already, this makes ready what the reactor did not find in time.
                time().update([&](time_point current) { return (std::max)(current, *next); });
            else
            {
                if (end)
                    advance_to(*end);
                return n;
            }
        }
    }
};

struct BOOST_SYMBOL_VISIBLE manual_clock_tag;

/// The manual clock for programs that need only one.
using manual_clock = basic_manual_clock<manual_clock_tag>;

} // namespace boost_ext

#endif
