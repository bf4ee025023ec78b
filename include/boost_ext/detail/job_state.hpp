// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_STATE_HPP
#define BOOST_EXT_DETAIL_JOB_STATE_HPP

#include <boost_ext/detail/executor_context.hpp>
#include <boost_ext/detail/index_pool.hpp>
#include <boost_ext/detail/job_entry.hpp>
#include <boost_ext/detail/job_waiter.hpp>
#include <boost_ext/detail/light_mutex.hpp>
#include <boost_ext/detail/timer_service.hpp>
#include <boost_ext/job_id.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/config.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/system/error_code.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// An id that no job in the process had before, whichever of its shared libraries asks.
BOOST_SYMBOL_VISIBLE inline std::uint64_t next_job_id() noexcept
{
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// What a job scheduler and its tickets share.
/**
 * A pending job is a ticket with a place of its own in the timers' queue, so that a million jobs cost what a million
 * timers cost, and that queue does the sorting:
 *
 *     jobs_: id -> job <--owns-- ticket <--owns-- wait (in the timers' or in Asio's hands)
 *                                   |
 *                                   +--refers to--> job_state <-- basic_job_scheduler
 *
 * An id says at which index of jobs_ its job is found, so that looking it up needs no hash. The index is used
 * again; what it finds then has another id.
 *
 * Ground rules
 * - mutex_ guards everything here, every job, every ticket, every waiter and the use of their timers. A ticket
 *   without a job belongs to whoever owns it.
 * - No callable and no handler is called, moved or destroyed while mutex_ is held. Whatever has to
 *   be destroyed is moved to a variable that was declared before the lock.
 * - mutex_ comes before the locks of the timers and of Asio.
 * - What waits is owned by Asio, which destroys it with the context: so no cycle through a callable
 *   that owns its scheduler outlives the context.
 *
 * Order
 * Jobs start in order of (due, sequence). A ticket armed in the instant in which its job's sequence
 * was drawn gets that place from the timers, which fire equal expiries in order of arming. A job
 * that is armed later than that (a periodic one, or one that was moved while its expiry was queued
 * or while it was running) may be behind jobs of equal time with a greater sequence, and behind
 * jobs of a later time that were queued meanwhile. Such jobs are also in latecomers_. When a ticket's
 * turn comes and the first of these belongs before the ticket's job, then the two exchange their
 * tickets, and it starts instead.
 */
template <class Timer>
class job_state : public boost::intrusive_ref_counter<job_state<Timer>, boost::thread_safe_counter>
{
public:
    using clock_type = typename Timer::clock_type;
    using time_point = typename Timer::time_point;
    using duration = typename Timer::duration;
    using executor_type = typename Timer::executor_type;
    using entry = job_entry<Timer>;
    using ticket = job_ticket<Timer>;
    using waiter_type = job_waiter<Timer>;

    using service_type = timer_service<clock_type, typename Timer::traits_type>;

    explicit job_state(const executor_type& executor) : executor_(executor), timers_(service_type::of(context_of(executor))) {}

    const executor_type& get_executor() const noexcept { return executor_; }

    /// Takes a job whose time, period and policy are set. Returns its id, the empty one if stopped.
    job_id submit(std::unique_ptr<entry> job);

    /// Moves the next run.
    bool reschedule(job_id id, time_point due);

    bool cancel(job_id id);

    /// Cancels, then completes the waiter once the job is not running.
    void cancel_and_wait(job_id id, waiter_type& waiter);

    void stop();

    /// Stops, then completes the waiter once no job is running.
    void stop_and_wait(waiter_type& waiter);

    /// The handler of a waiter is called or destroyed: nobody else refers to the waiter any more.
    void leave(waiter_type& waiter);

    std::size_t size() const;

    /// The wait of a ticket is over.
    static void fire(std::unique_ptr<ticket> t, boost::system::error_code ec);

    /// The wait of a ticket was destroyed.
    static void abandon(ticket* t);

    /// Ends the wait of a ticket, if it is pending, and gives up its place in the timers' queue. Precondition: the ticket is
    /// empty. From here on it belongs to its wait, if there is one.
    void give_up(ticket& t) noexcept;

private:
    using lock_type = std::unique_lock<light_mutex>;

    using timer_type = typename service_type::implementation;
    using own_executor = boost::asio::io_context::executor_type;
    using kept_executor = job_kept_executor<executor_type>;

    /// Also one with a default token.
    static constexpr bool is_erased = std::conjunction<std::is_base_of<boost::asio::any_io_executor, executor_type>,
        boost::asio::execution::is_executor<executor_type>>::value;

    /// A ticket with enough room on this executor.
    std::unique_ptr<ticket> make_ticket();

    /// What the timers are to do something with.
    static timer_type timer_of(const ticket& t, time_point due);

    /// A type-erased executor that was told of work: the one that tickets have at hand, or a new one.
    kept_executor keep_at_work(const timer_type& timer);

    /// The job of that id, null if there is none.
    entry* find(job_id id) noexcept;

    /// Starts the wait of t for its job. From then on t belongs to the wait.
    /// Returns false where the context takes no more waits. Then, and if it throws, t stays the
    /// caller's.
    bool arm(ticket& t);

    /// Takes a pending job off its ticket and forgets it.
    std::unique_ptr<entry> take_off(entry& job);

    /// Forgets a job.
    void forget(entry& job);

    /// Gives memory of jobs_ back when little of it is used. Amortised constant.
    void trim() noexcept;

    /// Cancels under the lock. What has to be destroyed after unlocking goes to dropped.
    bool cancel_locked(job_id id, std::unique_ptr<entry>& dropped);

    /// Chooses the job that starts now that the wait of t is over, and marks it as running.
    std::unique_ptr<entry> start_one(ticket& t);

    /// Runs a job that was due at due, then arms or drops it.
    static void run(std::unique_ptr<ticket> t, std::unique_ptr<entry> job, time_point due);

    enum class run_result
    {
        returned, ///< f returned.
        threw     ///< f threw: the job is over.
    };

    void finish(std::unique_ptr<ticket> t, std::unique_ptr<entry> job, time_point next, run_result result);

    /// Completes those who wait for a job that is over, or for all of them if none is running.
    void complete_waiters(job_id job);

    mutable light_mutex mutex_;
    const executor_type executor_;
    service_type& timers_;
    index_pool<entry*, std::allocator<void>> jobs_{std::allocator<void>()};
    boost::intrusive::set<entry> latecomers_;
    boost::intrusive::list<waiter_type> waiters_;
    std::weak_ptr<const executor_type> work_; ///< What the tickets of a type-erased executor share.
    std::uint64_t last_sequence_ = 0;
    std::size_t size_ = 0;             ///< Jobs that can start.
    std::size_t running_ = 0;          ///< Jobs that run.
    std::atomic<bool> stopped_{false}; ///< Written under the lock; never false again.
};

} // namespace detail
} // namespace boost_ext

#include <boost_ext/impl/job_state.hpp>

#endif // BOOST_EXT_DETAIL_JOB_STATE_HPP
