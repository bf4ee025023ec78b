// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_JOB_SCHEDULER_HPP
#define BOOST_EXT_JOB_SCHEDULER_HPP

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/job_initiation.hpp>
#include <boost_ext/detail/job_state.hpp>
#include <boost_ext/detail/tick_default_token.hpp>
#include <boost_ext/job_id.hpp>
#include <boost_ext/missed_tick.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace boost_ext {

/// Runs functions at given times, and takes them back by id.
/**
 * A job is a function that is to be called once at a time, or again and again with a period. It
 * is called on the scheduler's executor (a strand, if that is what was given), never from within the
 * function that submitted it, and never while an earlier call of the same job is going on. Jobs
 * become ready in order of their time, and where times are equal, in the order in which they were
 * submitted or last rescheduled.
 *
 * `cancel` means what it says: if it returns `true`, the job does not start any more, even if it
 * was due in the same instant as the caller, even if it was queued already. A call that is going on
 * is told apart by `async_cancel`, which completes when it has returned.
 *
 * @par Object lifetimes
 * The scheduler may be destroyed at any time, in any thread, and by one of its own jobs. That drops
 * the pending jobs and does not block; a job that is running goes on to its end. A job owns its
 * function. A pending job is one unit of outstanding work of the context; destroying the context
 * destroys the functions of pending jobs without calling them.
 *
 * @par Thread Safety
 * All members may be called from any thread and from inside a job (except on contexts whose
 * concurrency hint switches locking off). No lock is held while a function or a handler is called,
 * moved or destroyed.
 *
 * @par Exception Safety
 * Strong for every member; only constructors, `run_*` and the `async_*` operations throw. An exception that leaves a job leaves the context's `run()`, as with any handler. It ends that job
 * and no other.
 *
 * @par Complexity
 * A job costs what a timer costs, and `run_*`, `reschedule_*` and `cancel` what the same does to a timer.
 * Periodic jobs that have run, and jobs that were moved when they were due already, are also kept in order among themselves, in
 * logarithmic time.
 *
 * @tparam Clock The clock that measures the times of jobs.
 * @tparam WaitTraits How long to wait for a time of that clock.
 * @tparam Executor The type of the executor.
 *
 * @par Example
 * @code
 * boost_ext::job_scheduler jobs(io);
 * jobs.run_after(5s, [] { warm_the_cache(); });
 * boost_ext::job_id rotation = jobs.run_every(1h, [] { rotate_the_logs(); });
 * ...
 * jobs.cancel(rotation);
 * @endcode
 */
template <class Clock, class WaitTraits = boost::asio::wait_traits<Clock>, class Executor = boost::asio::any_io_executor>
class basic_job_scheduler
{
    using timer_type = basic_waitable_timer<Clock, WaitTraits, Executor>;
    using state_type = detail::job_state<timer_type>;
    using default_token = detail::tick_default_token_t<Executor>;

public:
    /// The type of the executor.
    using executor_type = Executor;

    /// The scheduler on another executor.
    template <class Executor1>
    struct rebind_executor
    {
        /// The type of the scheduler.
        using other = basic_job_scheduler<Clock, WaitTraits, Executor1>;
    };

    /// The clock.
    using clock_type = Clock;

    /// The clock's duration.
    using duration = typename clock_type::duration;

    /// The clock's time point.
    using time_point = typename clock_type::time_point;

    /// The wait traits.
    using traits_type = WaitTraits;

    /// Constructs a scheduler whose jobs run on an executor.
    /**
   * @par Exception Safety
   * Throws `std::bad_alloc` if memory runs out, `boost::system::system_error` if this is the context's first use of the clock and its
   * service cannot be made. The context stays usable.
   */
    explicit basic_job_scheduler(const executor_type& executor) : state_(new state_type(executor)) {}

    /// Constructs a scheduler whose jobs run on the executor of a context.
    /**
   * @par Exception Safety
   * Throws `std::bad_alloc` if memory runs out, `boost::system::system_error` if this is the context's first use of the clock and its
   * service cannot be made. The context stays usable.
   */
    template <class ExecutionContext,
        std::enable_if_t<std::is_convertible<ExecutionContext&, boost::asio::execution_context&>::value, int> = 0>
    explicit basic_job_scheduler(ExecutionContext& context) : basic_job_scheduler(executor_type(context.get_executor()))
    {
    }

    /// A scheduler is neither copied nor moved.
    basic_job_scheduler(const basic_job_scheduler&) = delete;

    /// A scheduler is neither copied nor moved.
    basic_job_scheduler& operator=(const basic_job_scheduler&) = delete;

    /// Does what `stop()` does.
    /**
   * May run in any thread and inside a job. It does not block: a job that is running goes on, and
   * pending `async_cancel` and `async_stop` operations complete when it has returned.
   */
    ~basic_job_scheduler() { state_->stop(); }

    /// The executor on which jobs run.
    executor_type get_executor() const noexcept { return state_->get_executor(); }

    /// Runs a function at a point in time.
    /**
   * @param time When to call it. A time in the past is now; `time_point::max()` is never.
   *
   * @param f The function. It is decay-copied, may be move-only, and is called as `f()` if that is
   * valid, else as `f(job_id)`, with the id of the job.
   *
   * @returns The id of the job; `job_id{}` after `stop()`, when f is only destroyed.
   *
   * @par Exception Safety
   * Strong: if memory runs out, or copying f throws, nothing was submitted.
   *
   * @par Complexity
   * Constant on average.
   */
    template <class F>
    job_id run_at(time_point time, F&& f)
    {
        return submit(time, duration::zero(), missed_tick::skip, std::forward<F>(f));
    }

    /// Runs a function after some time.
    /**
   * As `run_at`, at `now() + d`. A sum that the clock cannot hold saturates.
   *
   * @par Example
   * @code
   * jobs.run_after(5s, [] { warm_the_cache(); });
   * @endcode
   */
    template <class F>
    job_id run_after(duration d, F&& f)
    {
        return run_at(detail::saturating_add(clock_type::now(), d), std::forward<F>(f));
    }

    /// Runs a function again and again.
    /**
   * The first run is at `now() + period`. The schedule does not drift, and runs of the job never
   * overlap: one that becomes due while f is running starts when f has returned. Then the policy
   * is applied, at the start of a run:
   *
   * - `burst`: every run takes place, back to back until the schedule is caught up.
   * - `skip`: the run stands for all that were missed, the next one is on the grid again. With a
   *   period of 10 and a first call that takes 25, calls start at 10, 35 and 40.
   * - `delay`: the next run is one period after f returned.
   *
   * @param period The period. It has to be positive.
   *
   * @param f The function, as for `run_at`.
   *
   * @param policy What becomes of runs that were missed.
   *
   * @returns The id of the job, the same for all its runs; `job_id{}` after `stop()`.
   *
   * @par Exception Safety
   * Strong. Throws `std::invalid_argument` if the period is zero or negative. Later runs allocate
   * nothing, unless the executor needs memory to hand a function over.
   *
   * @par Example
   * @code
   * jobs.run_every(10ms, [&] { ++polls; }, boost_ext::missed_tick::burst);
   * @endcode
   */
    template <class F>
    job_id run_every(duration period, F&& f, missed_tick policy = missed_tick::skip)
    {
        detail::check_job_period(period > duration::zero());
        return submit(detail::saturating_add(clock_type::now(), period), period, policy, std::forward<F>(f));
    }

    /// Moves the next run of a job to a point in time, earlier or later.
    /**
   * A job that is due but has not started is moved like any other. For a periodic job that is
   * running, and so also from inside itself, this sets its next run. Later runs of a periodic job
   * follow from there.
   *
   * @returns Whether the job was moved: `false` if no run of it is pending.
   *
   * @par Exception Safety
   * Does not throw, and allocates nothing.
   *
   * @par Complexity
   * That of `basic_waitable_timer::reschedule_at`. The job is put behind jobs of the same time.
   *
   * @par Example
   * @code
   * // A watchdog is a job that keeps being moved away. Moving allocates nothing.
   * const boost_ext::job_id watchdog = jobs.run_after(200ms, [&] {
   * ...
   * jobs.reschedule_after(watchdog, 200ms);
   * @endcode
   */
    bool reschedule_at(job_id id, time_point time) { return state_->reschedule(id, time); }

    /// Moves the next run of a job to some time from now.
    /**
   * As `reschedule_at`, to `now() + d`. A sum that the clock cannot hold saturates.
   */
    bool reschedule_after(job_id id, duration d) { return reschedule_at(id, detail::saturating_add(clock_type::now(), d)); }

    /// Cancels a job.
    /**
   * Its function is destroyed before this returns, unless it is running.
   *
   * @returns `true` if f will not start (again) because of this call: the job was pending, also if
   * it was queued already, or it is periodic and running. `false` if the job has run, is running
   * for the last time, was cancelled before, or if the id names no job of this scheduler.
   *
   * @par Exception Safety
   * Does not throw.
   *
   * @par Complexity
   * Constant on average.
   */
    bool cancel(job_id id) { return state_->cancel(id); }

    /// Cancels a job, and waits until it is not running any more.
    /**
   * Called from inside the job, it completes after that run has returned, so do not block on it there.
   * The function of a job that was pending or running has been destroyed by then.
   *
   * @param id The id of the job. One that names no job completes at once, with `false`.
   *
   * @param token The completion token. If left out, the default token of the executor, or `deferred`
   * where it has none. The job is cancelled when the operation is launched.
   *
   * @par Completion Signature
   * @code void(boost::system::error_code, bool) @endcode
   * Success, and what `cancel` would have returned. `boost::asio::error::operation_aborted` only
   * if the operation was cancelled by its own slot. The handler is never called from within this
   * function.
   *
   * @par Per-Operation Cancellation
   * `terminal`, `partial` and `total` each end the waiting. The job stays cancelled.
   *
   * @par Exception Safety
   * Strong: if memory runs out, `std::bad_alloc` is thrown and the job is as it was.
   *
   * @par Example
   * @code
   * jobs.async_cancel(writer, [&](error_code, bool) { buffer.reset(); });   // nobody writes any more
   * @endcode
   */
    template <class Token = default_token>
    decltype(auto) async_cancel(job_id id, Token&& token = Token())
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, bool)>(
            detail::initiate_job_waiter<timer_type>(state_), token, id);
    }

    /// How many jobs can still start: pending ones, and periodic ones that are running.
    /**
   * @par Exception Safety
   * Does not throw.
   *
   * @par Complexity
   * Constant.
   */
    std::size_t size() const { return state_->size(); }

    /// Drops all jobs: nothing starts any more.
    /**
   * Functions of pending jobs are destroyed before this returns. A job that is running goes on to
   * its end. From now on `run_at`, `run_after` and `run_every` destroy what they are given and
   * return `job_id{}`. There is no way back.
   *
   * @par Exception Safety
   * Does not throw.
   *
   * @par Complexity
   * Linear in the number of jobs.
   */
    void stop() { state_->stop(); }

    /// Drops all jobs, and waits until none is running any more.
    /**
   * Called from inside a job, it completes after that run has returned.
   *
   * @param token The completion token. If left out, the default token of the executor, or `deferred`
   * where it has none. The scheduler is stopped when the operation is launched.
   *
   * @par Completion Signature
   * @code void(boost::system::error_code) @endcode
   * Success; `boost::asio::error::operation_aborted` only if the operation was cancelled by its own
   * slot. The handler is never called from within this function.
   *
   * @par Per-Operation Cancellation
   * `terminal`, `partial` and `total` each end the waiting. The scheduler stays stopped.
   *
   * @par Exception Safety
   * Strong: if memory runs out, `std::bad_alloc` is thrown and the scheduler is as it was.
   *
   * @par Example
   * @code
   * jobs.async_stop([](boost::system::error_code) { std::cout << "nothing runs any more\n"; });
   * @endcode
   */
    template <class Token = default_token>
    decltype(auto) async_stop(Token&& token = Token())
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
            detail::initiate_job_waiter<timer_type>(state_), token);
    }

private:
    template <class F>
    job_id submit(time_point due, duration period, missed_tick policy, F&& f)
    {
        using function = std::decay_t<F>;
        static_assert(std::is_invocable<function&>::value || std::is_invocable<function&, job_id>::value,
            "A job has to be callable as f() or as f(job_id). Give run_* such a function; bind further "
            "arguments, or capture them in a lambda.");

        std::unique_ptr<detail::job_entry<timer_type>> job(new detail::job_entry_of<timer_type, function>(std::forward<F>(f)));
        job->due = due;
        job->period = period;
        job->policy = policy;
        return state_->submit(std::move(job));
    }

    const boost::intrusive_ptr<state_type> state_;
};

/// A job scheduler on the steady clock.
using job_scheduler = basic_job_scheduler<std::chrono::steady_clock>;

} // namespace boost_ext

#endif // BOOST_EXT_JOB_SCHEDULER_HPP
