// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_INTERVAL_SCHEDULE_HPP
#define BOOST_EXT_DETAIL_INTERVAL_SCHEDULE_HPP

#include <boost_ext/detail/tick_policy.hpp>
#include <boost_ext/missed_tick.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

// An interval's time table lives apart from the interval, shared with the tick that is pending: a
// tick is delivered on the handler's executor while the interval may be moved or destroyed elsewhere.
//
// Ground rules:
//  * mutex guards every other member, the pending tick's state, and every use of that tick's timer.
//    (asked is async_tick's alone, and needs no guard.)
//  * The lock order is: this mutex, then whatever the timer takes. No timer calls back into here.
//  * No user's handler is called, moved or destroyed while mutex is held; except that a timer whose
//    context is being destroyed may do away with its waits whenever it is used, and with a tick then.
//    That is why mutex is recursive.
//  * Timers are the interval's and end with it: a queued tick may outlive their context.

namespace boost_ext {
namespace detail {

/// A tick that somebody waits for, whatever its handler and executor. Called with the mutex held.
template <class Clock>
class interval_tick_base
{
public:
    /// Have the tick come at due instead. Throws with nothing changed.
    virtual void move_to(typename Clock::time_point due) = 0;

    /// Have the tick complete with operation_aborted, unless it is queued already. Returns whether.
    virtual bool cancel() = 0;

    /// The timer that the tick waits with.
    virtual std::shared_ptr<void> timer() const noexcept = 0;

protected:
    ~interval_tick_base() = default;
};

/// The time table of one interval.
template <class Clock>
struct interval_schedule
{
    using duration = typename Clock::duration;
    using time_point = typename Clock::time_point;

    interval_schedule(time_point first, duration length, missed_tick on_miss) : due(first), period(length), policy(on_miss) {}

    /// Makes the next tick due at tp. Precondition: mutex is held.
    void move_to(time_point tp)
    {
        if (pending)
            pending->move_to(tp);
        due = tp;
    }

    /// Takes the pending tick away if it can still be aborted. Precondition: mutex is held.
    std::size_t cancel()
    {
        if (!pending || !pending->cancel())
            return 0;
        pending = nullptr;
        return 1;
    }

    /// Has the pending tick keep its timer although the interval gets another. Precondition: mutex is held.
    void retire_timer() noexcept { retired = pending ? pending->timer() : nullptr; }

    /// Aborts the pending tick even if it is queued already, and ends the use of any timer.
    /// Precondition: mutex is held.
    void close()
    {
        closed = true;
        cancel();
        pending = nullptr;
        retired.reset();
    }

    std::recursive_mutex mutex;
    time_point due;  ///< When the next tick is due, be it asked for or not.
    duration period; ///< Positive.
    missed_tick policy;
    bool closed = false;                          ///< The interval is gone.
    interval_tick_base<Clock>* pending = nullptr; ///< The tick that will be delivered, if any.
    std::uint64_t ticket = 0;                     ///< Which of all ticks asked for is the last that was started.
    std::uint64_t asked = 0;                      ///< How many ticks were asked for.
    std::shared_ptr<void> retired;                ///< Of the pending tick, where it is not the interval's.
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_INTERVAL_SCHEDULE_HPP
