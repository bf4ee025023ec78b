// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DEADLINE_HPP
#define BOOST_EXT_DEADLINE_HPP

#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/timeout_arithmetic.hpp>

#include <chrono>

namespace boost_ext {

/// A point in time by which something must be done: one budget for a chain of operations.
/**
 * A duration that is passed down a chain of calls starts anew at each of them. A deadline does not: it is made
 * once, where the budget is known, and handed by value to everything that has to stay within it. It is accepted
 * as a limit by @ref timeout.
 *
 * Values are made by @ref after, @ref at and @ref never, are copied freely, and are ordered by time.
 *
 * @tparam Clock The clock that the deadline is read on.
 *
 * @par Thread Safety
 * @e Distinct @e objects: Safe.@n
 * @e Shared @e objects: Safe for concurrent calls of const members.
 *
 * @par Exception Safety
 * No member throws.
 *
 * @par Complexity
 * Constant. `after`, `remaining` and `expired` read the clock.
 *
 * @par Example
 * @code
 * awaitable<reply> ask(tcp::socket& s, request r, deadline by)
 * {
 *   co_await async_write(s, buffer(r.text), timeout(by, use_awaitable));
 *   co_return parse(co_await read_line(s, min(by, deadline::after(1s))));
 * }
 * @endcode
 */
template <class Clock>
class basic_deadline
{
public:
    /// The clock that the deadline is read on.
    using clock_type = Clock;

    /// The clock's duration.
    using duration = typename Clock::duration;

    /// The clock's time point.
    using time_point = typename Clock::time_point;

    /// The deadline that is a duration away from now.
    /**
   * In any unit. A duration that leads beyond what the clock can express gives @ref never, and what lies between two
   * ticks of it is rounded up.
   *
   * @par Example
   * @code
   * deadline request = deadline::after(2s);
   * deadline connecting = min(request, deadline::after(500ms));
   * @endcode
   */
    template <class Rep, class Period>
    static basic_deadline after(const std::chrono::duration<Rep, Period>& d)
    {
        return basic_deadline(detail::saturating_add(Clock::now(), detail::timeout_to_duration<duration>(d)));
    }

    /// The deadline at a given time.
    /**
   * In any unit. What lies between two ticks of the clock is rounded up, and what it cannot express saturates.
   */
    template <class Duration>
    static constexpr basic_deadline at(const std::chrono::time_point<typename time_point::clock, Duration>& t)
    {
        return basic_deadline(time_point(detail::timeout_to_duration<duration>(t.time_since_epoch())));
    }

    /// The deadline that never comes: the greatest of all.
    static constexpr basic_deadline never() noexcept { return basic_deadline((time_point::max)()); }

    /// The time of the deadline. That of @ref never is `time_point::max()`.
    constexpr time_point time() const noexcept { return time_; }

    /// What is left until the deadline: `duration::max()` for @ref never, negative once it has passed.
    /**
   * A difference that a duration cannot express saturates.
   */
    duration remaining() const
    {
        if (time_ == (time_point::max)())
            return (duration::max)();
        return detail::saturating_subtract(time_, Clock::now());
    }

    /// Whether the deadline has come: `time()` is not after now.
    bool expired() const { return time_ <= Clock::now(); }

    /// Whether both are at the same time.
    friend constexpr bool operator==(const basic_deadline& a, const basic_deadline& b) noexcept { return a.time_ == b.time_; }

    /// Whether they are at different times.
    friend constexpr bool operator!=(const basic_deadline& a, const basic_deadline& b) noexcept { return a.time_ != b.time_; }

    /// Whether `a` comes before `b`.
    friend constexpr bool operator<(const basic_deadline& a, const basic_deadline& b) noexcept { return a.time_ < b.time_; }

    /// Whether `a` comes after `b`.
    friend constexpr bool operator>(const basic_deadline& a, const basic_deadline& b) noexcept { return a.time_ > b.time_; }

    /// Whether `a` does not come after `b`.
    friend constexpr bool operator<=(const basic_deadline& a, const basic_deadline& b) noexcept { return a.time_ <= b.time_; }

    /// Whether `a` does not come before `b`.
    friend constexpr bool operator>=(const basic_deadline& a, const basic_deadline& b) noexcept { return a.time_ >= b.time_; }

#if defined(__cpp_lib_three_way_comparison)
    /// How the times of both compare, in C++20.
    friend constexpr auto operator<=>(const basic_deadline& a, const basic_deadline& b) noexcept
    {
        return a.time_ <=> b.time_;
    }
#endif

    /// The earlier of the two: how a step with a limit of its own stays within the whole budget.
    friend constexpr basic_deadline min(const basic_deadline& a, const basic_deadline& b) noexcept
    {
        return b.time_ < a.time_ ? b : a;
    }

private:
    explicit constexpr basic_deadline(time_point t) noexcept : time_(t)
    {
    }

    time_point time_;
};

/// A deadline on the steady clock.
using deadline = basic_deadline<std::chrono::steady_clock>;

} // namespace boost_ext

#endif // BOOST_EXT_DEADLINE_HPP
