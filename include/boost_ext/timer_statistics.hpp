// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_TIMER_STATISTICS_HPP
#define BOOST_EXT_TIMER_STATISTICS_HPP

#include <boost/asio/execution_context.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>

namespace boost_ext {

/// What the timers of a context have done so far, as plain data.
/**
 * Summed over all clocks of the context. Unless `BOOST_EXT_ENABLE_STATISTICS` is defined, alike in all translation units, all
 * members but `pending` are 0 and counting costs nothing.
 *
 * @par Thread Safety
 * Distinct objects: safe. Shared objects: safe for reading. It is a snapshot: what happens later does not change it.
 *
 * @par Example
 * @code
 * const boost_ext::timer_statistics s = boost_ext::statistics(context);
 * std::cout << s;
 * @endcode
 *
 * @see statistics
 */
struct timer_statistics
{
    /// Waits that were neither collected nor cancelled.
    std::size_t pending = 0;

    /// Waits that were started.
    std::uint64_t scheduled = 0;

    /// Waits that were collected because their time had come, or for a `clock_watch` a step of the clock.
    std::uint64_t fired = 0;

    /// Waits that were cancelled.
    std::uint64_t cancelled = 0;

    /// Waits that were carried over to another deadline by `reschedule_at` or `reschedule_after`.
    std::uint64_t rescheduled = 0;

    /// Entries in the queues that stand for a timer as it is now.
    std::uint64_t live_entries = 0;

    /// Entries in the queues that cancelled or moved timers left behind.
    std::uint64_t dead_entries = 0;

    /// How often the kernel timer had to be moved earlier.
    std::uint64_t kernel_arms = 0;

    /// How often the reactor looked for what was due and found something.
    std::uint64_t wakeups = 0;

    /// `lateness[i]`: waits that were collected between 2^i and 2^(i+1) ns after their expiry; 0 ns counts in the first.
    std::array<std::uint64_t, 64> lateness{};
};

/// The statistics of a context's timers.
/**
 * Creates nothing: for a context that has no timers, everything is 0.
 *
 * @par Thread Safety
 * May be called from any thread, while timers run.
 *
 * @par Exception Safety
 * Does not throw.
 *
 * @par Complexity
 * Linear in the number of clocks in use. Each is locked for a moment.
 *
 * @par Example
 * @code
 * boost_ext::timer_statistics s = boost_ext::statistics(io);
 * BOOST_TEST(s.pending == 1u);
 * @endcode
 */
timer_statistics statistics(boost::asio::execution_context& context);

/// The earliest expiry on a clock that anybody waits for in a context, `time_point::max()` aside.
/**
 * Empty if there is none. Creates nothing.
 *
 * @par Thread Safety
 * May be called from any thread, while timers run.
 *
 * @par Exception Safety
 * Does not throw.
 *
 * @par Complexity
 * Linear in the timers that were postponed from an earlier time than the result, and in those that are due about the same time.
 *
 * @par Example
 * @code
 * if (auto next = boost_ext::next_expiry<clock>(context))
 *     std::cout << "the next wait is due in " << (*next - clock::now()) / 1us << " us\n";
 * @endcode
 */
template <class Clock>
std::optional<typename Clock::time_point> next_expiry(boost::asio::execution_context& context);

/// Print statistics, one line for each member, its name first, and the lateness as a small histogram.
/**
 * @par Example
 * @code
 * std::cout << boost_ext::statistics(io);
 * @endcode
 */
inline std::ostream& operator<<(std::ostream& out, const timer_statistics& s)
{
    out << "pending " << s.pending << '\n'
        << "scheduled " << s.scheduled << '\n'
        << "fired " << s.fired << '\n'
        << "cancelled " << s.cancelled << '\n'
        << "rescheduled " << s.rescheduled << '\n'
        << "live_entries " << s.live_entries << '\n'
        << "dead_entries " << s.dead_entries << '\n'
        << "kernel_arms " << s.kernel_arms << '\n'
        << "wakeups " << s.wakeups << '\n'
        << "lateness";
    const std::uint64_t most = *std::max_element(s.lateness.begin(), s.lateness.end());
    if (most == 0)
        return out << " none\n";
    out << '\n';
    static constexpr const char* units[] = {"ns", "us", "ms", "s"};
    for (std::size_t i = 0; i != s.lateness.size(); ++i)
    {
        if (s.lateness[i] == 0)
            continue;
        // 2^i ns, in the largest unit in which that is one or more, rounded down.
        double bound = i == 0 ? 0 : static_cast<double>(std::uint64_t{1} << i);
        std::size_t unit = 0;
        for (; bound >= 1000 && unit != 3; ++unit)
            bound /= 1000;
        out << "  >= " << static_cast<std::uint64_t>(bound) << ' ' << units[unit] << ' ' << s.lateness[i] << ' ';
        for (double stars = 40 * (static_cast<double>(s.lateness[i]) / static_cast<double>(most)); stars > 0; --stars)
            out << '*';
        out << '\n';
    }
    return out;
}

} // namespace boost_ext

#include <boost_ext/impl/timer_statistics.hpp>

#endif
