// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_MISSED_TICK_HPP
#define BOOST_EXT_MISSED_TICK_HPP

namespace boost_ext {

/// What becomes of the ticks that passed while nobody was there to take them.
/**
 * A periodic source (`basic_interval`, `basic_job_scheduler::run_every`) falls behind when its
 * consumer takes longer than a period, or when the whole process was stalled. The policy is applied
 * when a tick is delivered, never when it is asked for.
 *
 * Suppose ticks are due at 20, 30, 40, ... and the one due at 20 is delivered at 55:
 *
 * | policy  | this tick says            | the next tick is due at |
 * |---------|---------------------------|-------------------------|
 * | `burst` | scheduled 20, missed 0    | 30                      |
 * | `skip`  | scheduled 50, missed 3    | 60                      |
 * | `delay` | scheduled 20, missed 3    | 65                      |
 *
 * @par Example
 * @code
 * interval ticks(io, start + 20s, 10s, boost_ext::missed_tick::skip);
 * @endcode
 */
enum class missed_tick
{
    /// Deliver every tick, back to back until the schedule is caught up. The ticks never drift.
    burst,

    /// Start anew from the late delivery: the next tick comes one whole period after it.
    delay,

    /// Drop what was missed and stay on the original grid. The ticks never drift.
    skip
};

} // namespace boost_ext

#endif // BOOST_EXT_MISSED_TICK_HPP
