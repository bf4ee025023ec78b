// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_SERVICE_STATISTICS_HPP
#define BOOST_EXT_DETAIL_SERVICE_STATISTICS_HPP

#include <boost/config.hpp>
#include <boost/core/bit.hpp>
#include <boost/throw_exception.hpp>
#include <boost_ext/timer_statistics.hpp>
#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace boost_ext {
namespace detail {

/// Which kinds of translation units are in this program, its shared libraries included: bit 0 without statistics, bit 1 with.
BOOST_SYMBOL_VISIBLE inline std::atomic<int> statistics_modes{0};

#if defined(BOOST_EXT_ENABLE_STATISTICS)

inline const int statistics_on = statistics_modes |= 2;

/// A service's counters. Guarded by the service's lock.
class service_statistics
{
public:
    static void mode_seen() noexcept { static_cast<void>(statistics_on); }

    void scheduled() noexcept { ++total_.scheduled; }
    void cancelled(std::size_t n) noexcept { total_.cancelled += n; }
    void rescheduled(std::size_t n) noexcept { total_.rescheduled += n; }
    void kernel_arm() noexcept { ++total_.kernel_arms; }
    void wakeup() noexcept { ++total_.wakeups; }

    /// `n` waits were collected so many nanoseconds after their expiry.
    void fired(std::size_t n, std::uint64_t late) noexcept
    {
        total_.fired += n;
        total_.lateness[late == 0 ? 0 : static_cast<unsigned>(boost::core::bit_width(late)) - 1] += n;
    }

    void add_to(timer_statistics& t) const noexcept
    {
        t.scheduled += total_.scheduled;
        t.fired += total_.fired;
        t.cancelled += total_.cancelled;
        t.rescheduled += total_.rescheduled;
        t.kernel_arms += total_.kernel_arms;
        t.wakeups += total_.wakeups;
        for (std::size_t i = 0; i != t.lateness.size(); ++i)
            t.lateness[i] += total_.lateness[i];
    }

    static constexpr bool enabled = true;

private:
    timer_statistics total_;
};

#else

inline const int statistics_off = statistics_modes |= 1;

/// Counts nothing.
class service_statistics
{
public:
    static void mode_seen() noexcept { static_cast<void>(statistics_off); }

    void scheduled() noexcept {}
    void cancelled(std::size_t) noexcept {}
    void rescheduled(std::size_t) noexcept {}
    void kernel_arm() noexcept {}
    void wakeup() noexcept {}
    void fired(std::size_t, std::uint64_t) noexcept {}
    void add_to(timer_statistics&) const noexcept {}

    static constexpr bool enabled = false;
};

#endif

/// Two kinds of translation units would disagree on what a service is.
inline void check_statistics_mode()
{
    service_statistics::mode_seen();
    if (statistics_modes == 3)
        boost::throw_exception(std::logic_error(
            "boost_ext timers: BOOST_EXT_ENABLE_STATISTICS is defined in some translation units of this program and not in "
            "others; define it for all of them, or for none"));
}

} // namespace detail
} // namespace boost_ext

#endif
