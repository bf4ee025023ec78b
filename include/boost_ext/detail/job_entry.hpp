// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_ENTRY_HPP
#define BOOST_EXT_DETAIL_JOB_ENTRY_HPP

#include <boost_ext/detail/job_op_memory.hpp>
#include <boost_ext/job_id.hpp>
#include <boost_ext/missed_tick.hpp>
#include <boost/intrusive/options.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

// The two halves of a pending job. They are apart because a job may start on another job's ticket:
// see the rules of order in detail/job_state.hpp.

namespace boost_ext {
namespace detail {

template <class Timer>
class job_state;

template <class Timer>
struct job_ticket;

/// Where a job is in its life.
enum class job_phase : unsigned char
{
    pending, ///< Its ticket's timer runs, or the expiry is queued.
    running  ///< f has been called, and has not returned or is being destroyed.
};

/// Whether a job that runs may run again.
enum class job_future : unsigned char
{
    open, ///< It may, if it is periodic.
    none  ///< It was cancelled or stopped.
};

/// Who decides when a running job runs next.
enum class job_next : unsigned char
{
    by_policy, ///< Its period and its policy.
    moved      ///< A reschedule_* that came while it was running.
};

/// A job: when it is due, and (in job_entry_of) what to call.
/**
 * All members but the callable are guarded by the scheduler's mutex. A pending job is owned by its
 * ticket, a running one by the function that runs it.
 */
template <class Timer>
struct job_entry : boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>>
{
    using time_point = typename Timer::time_point;
    using duration = typename Timer::duration;

    job_entry() = default;
    job_entry(const job_entry&) = delete;
    job_entry& operator=(const job_entry&) = delete;
    virtual ~job_entry() = default;

    /// Calls f. Precondition: no lock is held.
    virtual void call() = 0;

    /// Destroys f. Precondition: no lock is held; f will not be called.
    virtual void destroy_function() noexcept = 0;

    bool is_periodic() const noexcept { return period > duration::zero(); }

    /// Whether a run may still start. Such jobs are what size() counts.
    bool can_start() const noexcept { return phase == job_phase::pending || (is_periodic() && future == job_future::open); }

    /// The order in which jobs start.
    friend bool operator<(const job_entry& a, const job_entry& b) noexcept
    {
        return a.due < b.due || (a.due == b.due && a.sequence < b.sequence);
    }

    std::uint64_t id = 0;
    time_point due{};
    std::uint64_t sequence = 0;          ///< Drawn at submission and at each reschedule_*.
    duration period = duration::zero();  ///< Zero: it runs once.
    job_ticket<Timer>* ticket = nullptr; ///< While pending.
    job_entry* next_dropped = nullptr;   ///< Links what stop() has to destroy.
    missed_tick policy = missed_tick::skip;
    job_phase phase = job_phase::pending;
    job_future future = job_future::open;
    job_next next = job_next::by_policy;
};

/// A job with its callable.
template <class Timer, class Function>
struct job_entry_of final : job_entry<Timer>
{
    template <class F>
    explicit job_entry_of(F&& f) : function(std::in_place, std::forward<F>(f))
    {
    }

    void call() override
    {
        if constexpr (std::is_invocable<Function&>::value)
            static_cast<void>((*function)());
        else
            static_cast<void>((*function)(job_id_access::make(this->id)));
    }

    void destroy_function() noexcept override { function.reset(); }

    std::optional<Function> function;
};

/// A timer with a wait on it, which is what starts jobs.
/**
 * Owned by the wait's handler while a wait is pending or queued. The wait holds the unit of
 * outstanding work. A ticket whose job was cancelled is empty and does nothing when its turn comes.
 */
template <class Timer>
struct job_ticket
{
    /// Enough for the operation of a wait on every executor of Asio's own; the tests look after that.
    static constexpr std::size_t room = 56 + sizeof(typename Timer::executor_type);

    job_ticket(job_state<Timer>& owner, const typename Timer::executor_type& executor) : state(&owner), timer(executor) {}

    boost::intrusive_ptr<job_state<Timer>> state;
    Timer timer;
    std::unique_ptr<job_entry<Timer>> job;
    bool queued_for_old_time = false; ///< The job moved after the expiry was queued: arm anew.
    bool arming = false;              ///< The wait is just being started, under the mutex.
    bool refused = false;             ///< The context destroyed the wait while it was being started.
    job_op_room<room> memory;
};

/// The handler of a ticket's wait. It owns the ticket.
template <class Timer>
class job_wait_handler
{
public:
    using allocator_type = job_op_allocator<void>;

    explicit job_wait_handler(job_ticket<Timer>& ticket) noexcept : ticket_(&ticket), memory_(&ticket.memory) {}

    job_wait_handler(job_wait_handler&& other) noexcept : ticket_(std::exchange(other.ticket_, nullptr)), memory_(other.memory_)
    {
    }

    /// A wait that is destroyed instead of completed takes its job along: its context is gone.
    ~job_wait_handler()
    {
        if (ticket_)
            job_state<Timer>::abandon(ticket_);
    }

    allocator_type get_allocator() const noexcept { return allocator_type(*memory_); }

    void operator()(boost::system::error_code ec)
    {
        job_state<Timer>::fire(std::unique_ptr<job_ticket<Timer>>(std::exchange(ticket_, nullptr)), ec);
    }

private:
    job_ticket<Timer>* ticket_;
    job_op_memory* memory_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_JOB_ENTRY_HPP
