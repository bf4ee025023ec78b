// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_INTERVAL_HPP
#define BOOST_EXT_INTERVAL_HPP

#include <boost_ext/detail/executor_context.hpp>
#include <boost_ext/detail/interval_schedule.hpp>
#include <boost_ext/detail/interval_tick.hpp>
#include <boost_ext/detail/tick_default_token.hpp>
#include <boost_ext/detail/timer_service.hpp>
#include <boost_ext/missed_tick.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace boost_ext {

/// What a tick of an interval tells, as `basic_interval::tick_info`.
/**
 * One type for each clock, whatever the executor.
 *
 * @par Thread Safety
 * Distinct objects: safe. Shared objects: safe for reading.
 *
 * @par Example
 * @code
 * auto tick = co_await heartbeat.async_tick();
 * if (tick.missed)
 *   log("fell behind by", tick.missed);
 * @endcode
 */
template <class Clock>
struct basic_tick_info
{
    /// The time that the tick stands for: a point of the interval's schedule, not the time of its
    /// delivery.
    typename Clock::time_point scheduled;

    /// How many ticks were passed over by this one, and are never delivered.
    std::uint64_t missed;

    /// Whether two ticks tell the same.
    friend constexpr bool operator==(const basic_tick_info& a, const basic_tick_info& b)
    {
        return a.scheduled == b.scheduled && a.missed == b.missed;
    }

    /// Whether two ticks tell different things.
    friend constexpr bool operator!=(const basic_tick_info& a, const basic_tick_info& b) { return !(a == b); }
};

/// A source of periodic ticks that does not drift.
/**
 * An interval keeps a schedule: a time at which its next tick is due. `async_tick` waits for that
 * tick; its delivery decides, by the policy, what becomes of the ticks that passed meanwhile and when
 * the following one is due (see @ref missed_tick). Nothing happens between two calls of `async_tick`
 * but the passing of time: an interval that nobody asks costs nothing.
 *
 * Handlers of ticks may add internal ones to what `run()` counts.
 *
 * @par Thread Safety
 * Distinct objects: safe. Shared objects: unsafe. The delivery of a tick on another thread does not
 * count as a use of the object.
 *
 * @par Exception Safety
 * Strong for every member. Constructors and `async_tick` allocate, and so do a reset of a tick that is queued already and
 * the first use of a moved-from interval; nothing else does.
 *
 * @par Complexity
 * Constant for every member, however many ticks were missed.
 *
 * @par Object lifetimes
 * Destroying an interval ends its pending tick with `operation_aborted`, even if it was queued
 * already. Moving an interval carries the pending tick along. A moved-from interval keeps its
 * executor, period and policy, and starts a new schedule when it is next used.
 *
 * @par Example
 * @code
 * boost_ext::interval heartbeat(executor, 1s);
 * for (;;)
 * {
 *   auto tick = co_await heartbeat.async_tick();
 *   if (tick.missed)
 *     log("fell behind by", tick.missed);
 *   co_await send_heartbeat();
 * }
 * @endcode
 */
template <class Clock, class WaitTraits = boost::asio::wait_traits<Clock>, class Executor = boost::asio::any_io_executor>
class basic_interval
{
private:
    class initiate_async_tick;

public:
    /// The executor of the interval.
    using executor_type = Executor;

    /// The same interval on another type of executor.
    template <class Executor1>
    struct rebind_executor
    {
        /// The interval type when rebound to the given executor.
        using other = basic_interval<Clock, WaitTraits, Executor1>;
    };

    /// The clock that says when a tick is due.
    using clock_type = Clock;

    /// The duration type of the clock.
    using duration = typename Clock::duration;

    /// The time point type of the clock.
    using time_point = typename Clock::time_point;

    /// The wait traits of the underlying timer.
    using traits_type = WaitTraits;

    /// What a tick tells.
    using tick_info = basic_tick_info<Clock>;

    /// Construct an interval whose first tick is due one period from now.
    /**
   * @throws std::invalid_argument if the period is not positive.
   */
    basic_interval(const executor_type& executor, const duration& period, missed_tick policy = missed_tick::skip);

    /// Construct an interval whose first tick is due at a given time.
    /**
   * @throws std::invalid_argument if the period is not positive.
   */
    basic_interval(
        const executor_type& executor, const time_point& first, const duration& period, missed_tick policy = missed_tick::skip);

    /// Construct an interval on an execution context whose first tick is due one period from now.
    /**
   * @throws std::invalid_argument if the period is not positive.
   */
    template <class ExecutionContext,
        std::enable_if_t<std::is_convertible<ExecutionContext&, boost::asio::execution_context&>::value, int> = 0>
    basic_interval(ExecutionContext& context, const duration& period, missed_tick policy = missed_tick::skip);

    /// Construct an interval on an execution context whose first tick is due at a given time.
    /**
   * @throws std::invalid_argument if the period is not positive.
   */
    template <class ExecutionContext,
        std::enable_if_t<std::is_convertible<ExecutionContext&, boost::asio::execution_context&>::value, int> = 0>
    basic_interval(
        ExecutionContext& context, const time_point& first, const duration& period, missed_tick policy = missed_tick::skip);

    basic_interval(const basic_interval&) = delete;
    basic_interval& operator=(const basic_interval&) = delete;

    /// Move the schedule and the pending tick of another interval here.
    basic_interval(basic_interval&& other) noexcept;

    /// Abort the own pending tick, then move the schedule and the pending tick of another one here.
    basic_interval& operator=(basic_interval&& other) noexcept;

    /// Move the schedule and the pending tick of an interval with another type of executor here.
    /**
   * A tick that is pending stays on the executor that it was started on.
   */
    template <class Executor1,
        std::enable_if_t<std::is_convertible<Executor1, Executor>::value && !std::is_same<Executor1, Executor>::value, int> = 0>
    basic_interval(basic_interval<Clock, WaitTraits, Executor1>&& other);

    /// Abort the own pending tick, then move that of an interval with another type of executor here.
    template <class Executor1,
        std::enable_if_t<std::is_convertible<Executor1, Executor>::value && !std::is_same<Executor1, Executor>::value, int> = 0>
    basic_interval& operator=(basic_interval<Clock, WaitTraits, Executor1>&& other);

    /// Abort the pending tick, even if it is queued already.
    ~basic_interval();

    /// The executor of the interval.
    executor_type get_executor() const noexcept { return executor_; }

    /// The time between two ticks.
    duration period() const;

    /// Set the time between two ticks.
    /**
   * Takes effect when the following tick is computed, which is when a tick is delivered: a change made
   * in the handler of a tick shows one tick later. `reset()` applies it at once.
   *
   * @throws std::invalid_argument if the period is not positive; the interval is then as it was.
   */
    void period(const duration& period);

    /// What becomes of missed ticks.
    missed_tick policy() const;

    /// Set what becomes of missed ticks, from the next delivery on.
    void policy(missed_tick policy);

    /// Have the next tick come one period from now.
    /**
   * Later ticks follow from there, and `missed` counts anew. A pending tick keeps waiting, for the new
   * time; it never completes with an error, not even if it was queued already and the reset moves it
   * later.
   *
   * @par Exception Safety
   * Strong. Memory is needed only to move a tick that is queued already.
   *
   * @par Complexity
   * That of `basic_waitable_timer::reschedule_at`.
   *
   * @par Example
   * @code
   * // The user pressed "refresh": the pending tick comes now.
   * poll_server.reset_immediately();
   * @endcode
   */
    void reset();

    /// Have the next tick come now. Otherwise as `reset()`.
    void reset_immediately();

    /// Have the next tick come after a while, which saturates. Otherwise as `reset()`.
    void reset_after(const duration& delay);

    /// Have the next tick come at a given time. Otherwise as `reset()`.
    void reset_at(const time_point& time);

    /// Cancel the pending tick.
    /**
   * The tick completes with `operation_aborted` and is not used up: the next `async_tick`, which may
   * follow at once, waits for the same one. A tick that is queued already is delivered.
   *
   * @returns How many ticks were cancelled, 0 or 1.
   *
   * @par Complexity
   * That of `basic_waitable_timer::cancel`.
   */
    std::size_t cancel();

    /// Wait for the next tick.
    /**
   * At most one tick may be pending, which is asserted.
   *
   * @param token The completion token. If left out, the default token of the executor, or `deferred`
   * where it has none.
   *
   * @par Completion Signature
   * @code void(boost::system::error_code, tick_info) @endcode
   * Success at or after the time the tick is due, `operation_aborted` with a value-initialised
   * `tick_info` if it was cancelled or the interval destroyed. The handler is never called from within
   * this function.
   *
   * @par Per-Operation Cancellation
   * `terminal`, `partial` and `total` each do what `cancel()` does.
   *
   * @par Exception Safety
   * Strong: if memory runs out, `std::bad_alloc` is thrown and no tick is pending.
   */
    template <class Token = detail::tick_default_token_t<executor_type>>
    decltype(auto) async_tick(Token&& token = Token())
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, tick_info)>(initiate_async_tick(this), token);
    }

private:
    template <class, class, class>
    friend class basic_interval;

    using service_type = detail::timer_service<Clock, WaitTraits>;
    using schedule_type = detail::interval_schedule<Clock, WaitTraits>;

    void start_schedule(const time_point& first);
    schedule_type& use_schedule();
    void close() noexcept;
    template <class Executor1>
    void take(basic_interval<Clock, WaitTraits, Executor1>& other) noexcept;

    Executor executor_;
    duration period_; // These two speak for a new and a moved-from interval only.
    missed_tick policy_;
    service_type* service_;
    std::shared_ptr<schedule_type> schedule_; // None in a moved-from interval.
};

/// An interval on the steady clock.
using interval = basic_interval<std::chrono::steady_clock>;

} // namespace boost_ext

#include <boost_ext/impl/interval.hpp>

#endif // BOOST_EXT_INTERVAL_HPP
