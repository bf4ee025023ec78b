// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_INTERVAL_SCHEDULE_HPP
#define BOOST_EXT_DETAIL_INTERVAL_SCHEDULE_HPP

#include <boost_ext/detail/timer_service.hpp>
#include <boost_ext/missed_tick.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>

// An interval's time table lives apart from the interval, shared with the tick that is pending: a
// tick is delivered on the handler's executor while the interval may be moved or destroyed elsewhere.
//
// Ground rules:
//  * mutex guards every other member and the pending tick's state.
//    (asked is async_tick's alone, and needs no guard.)
//  * The lock order is: this mutex, then the service's. No service calls back into here.
//  * No user's handler is called, moved or destroyed while mutex is held; except that the service of a
//    context that is being destroyed may do away with its waits whenever it is used, and with a tick then.
//    That is why mutex is recursive.
//  * The service is used by the interval alone and no more once that is gone: a queued tick may outlive
//    their context.

namespace boost_ext {
namespace detail {

/// A tick that somebody waits for, whatever its handler and executor.
class interval_tick_base
{
public:
    /// Starts a wait for the schedule's time, which counts instead of those before. Called with the mutex
    /// held. Throws with nothing changed.
    virtual void wait() = 0;

protected:
    ~interval_tick_base() = default;
};

/// The time table of one interval, and what waits for its next tick.
template <class Clock, class WaitTraits>
struct interval_schedule
{
    using clock_type = Clock;
    using duration = typename Clock::duration;
    using time_point = typename Clock::time_point;
    using service_type = timer_service<Clock, WaitTraits>;

    interval_schedule(service_type& s, time_point first, duration length, missed_tick on_miss)
        : service(s), due(first), period(length), policy(on_miss)
    {
    }

    /// Makes the next tick due at tp. Precondition: mutex is held. Throws with nothing changed.
    void move_to(time_point tp)
    {
        // A wait that is queued already cannot be called back.
        if (pending && service.reschedule_at(timer, tp) == 0 && Clock::now() < tp)
            pending->wait();
        due = tp;
    }

    /// Takes the pending tick away if it can still be aborted. Precondition: mutex is held.
    std::size_t cancel()
    {
        if (!pending || service.cancel(timer) == 0)
            return 0;
        pending = nullptr;
        return 1;
    }

    /// Aborts the pending tick even if it is queued already, and ends the use of the service.
    /// Precondition: mutex is held.
    void close()
    {
        closed = true;
        pending = nullptr;
        if (timer.waits) // Otherwise the service may be gone: a handler that its context destroys last may own the interval.
            service.release(timer);
    }

    std::recursive_mutex mutex;
    service_type& service;
    typename service_type::implementation timer;
    time_point due;  ///< When the next tick is due, be it asked for or not.
    duration period; ///< Positive.
    missed_tick policy;
    bool closed = false;                   ///< The interval is gone.
    interval_tick_base* pending = nullptr; ///< The tick that will be delivered, if any.
    std::uint64_t ticket = 0;              ///< Which of all ticks asked for is the last that was started.
    std::uint64_t asked = 0;               ///< How many ticks were asked for.
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_INTERVAL_SCHEDULE_HPP
