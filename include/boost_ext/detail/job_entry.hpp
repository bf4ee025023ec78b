// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_ENTRY_HPP
#define BOOST_EXT_DETAIL_JOB_ENTRY_HPP

#include <boost_ext/detail/block_cache.hpp>
#include <boost_ext/detail/job_op_memory.hpp>
#include <boost_ext/detail/reactor_adapter.hpp>
#include <boost_ext/detail/timer_queue.hpp>
#include <boost_ext/job_id.hpp>
#include <boost_ext/missed_tick.hpp>
#include <boost/asio/io_context.hpp>
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

/// Objects that come from the memory that operations come from: jobs that are submitted one after the other lie side by side.
template <class T>
struct job_pooled
{
    using memory = operation_memory<T, std::allocator<void>>;

    static void* operator new(std::size_t) { return memory::allocate(std::allocator<void>()); }
    static void operator delete(void* p) noexcept { memory::deallocate(std::allocator<void>(), p); }
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

    /// Its id: set once, before anybody else knows of the job.
    job_id id() const noexcept { return job_id_access::make(serial, place); }

    std::uint64_t serial = 0;
    time_point due{};
    std::uint64_t sequence = 0;         ///< Drawn at submission and at each reschedule_*.
    duration period = duration::zero(); ///< Zero: it runs once.
    union
    {
        job_ticket<Timer>* ticket = nullptr; ///< While pending.
        job_entry* next_dropped;             ///< Links what stop() has to destroy.
    };
    std::uint32_t place = 0; ///< Where jobs_ has it.
    missed_tick policy = missed_tick::skip;
    job_phase phase = job_phase::pending;
    job_future future = job_future::open;
    job_next next = job_next::by_policy;
};

/// A job with its callable.
template <class Timer, class Function>
struct job_entry_of final : job_entry<Timer>, job_pooled<job_entry_of<Timer, Function>>
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
            static_cast<void>((*function)(this->id()));
    }

    void destroy_function() noexcept override { function.reset(); }

    std::optional<Function> function;
};

/// A place in the timers' queue with a wait on it, which is what starts jobs: a timer without an executor of its own.
/**
 * Owned by the wait's handler while a wait is pending or queued. The wait holds the unit of
 * outstanding work. A ticket whose job was cancelled is empty and does nothing when its turn comes.
 */
template <class Timer>
struct job_ticket : job_op_memory
{
    job_ticket(job_state<Timer>& owner, void* room, std::uint32_t size) noexcept : job_op_memory(room, size), state(&owner) {}

    virtual ~job_ticket()
    {
        if (place)
            state->give_up(*this);
    }

    bool queued_for_old_time = false; ///< The job moved after the expiry was queued: arm anew.
    bool arming = false;              ///< The wait is just being started, under the mutex.
    bool refused = false;             ///< The context destroyed the wait while it was being started.
    timer_handle place;               ///< In the timers' queue: kept from one wait to the next.
    boost::intrusive_ptr<job_state<Timer>> state;
    std::unique_ptr<job_entry<Timer>> job;
};

/// The handler of a ticket's wait. It owns the ticket.
template <class Timer>
class job_wait_handler
{
public:
    using allocator_type = job_op_allocator<void>;

    explicit job_wait_handler(job_ticket<Timer>& ticket) noexcept : ticket_(&ticket) {}

    job_wait_handler(job_wait_handler&& other) noexcept : ticket_(std::exchange(other.ticket_, nullptr)) {}

    /// A wait that is destroyed instead of completed takes its job along: its context is gone.
    ~job_wait_handler()
    {
        if (ticket_)
            job_state<Timer>::abandon(ticket_);
    }

    /// An executor that takes functions by value may ask when the handler was moved from already.
    allocator_type get_allocator() const noexcept { return allocator_type(ticket_); }

    void operator()(boost::system::error_code ec)
    {
        job_state<Timer>::fire(std::unique_ptr<job_ticket<Timer>>(std::exchange(ticket_, nullptr)), ec);
    }

private:
    job_ticket<Timer>* ticket_;
};

/// Stands for a type-erased executor in the operations of tickets.
/**
 * An operation tells its executor that there is work. A type-erased one needs memory for that, unless what it holds is small. So
 * this is done once for all the tickets that there are at a time. A ticket has a share in it, and its operations have, because the ticket
 * may be gone before `execute` returns.
 */
template <class Executor>
class job_kept_executor
{
public:
    job_kept_executor() noexcept = default;
    explicit job_kept_executor(std::shared_ptr<const Executor> work) noexcept : work_(std::move(work)) {}

    explicit operator bool() const noexcept { return work_ != nullptr; }

    template <class F>
    void execute(F&& f) const
    {
        work_->execute(std::forward<F>(f));
    }

    friend bool operator==(const job_kept_executor& a, const job_kept_executor& b) noexcept { return a.work_ == b.work_; }
    friend bool operator!=(const job_kept_executor& a, const job_kept_executor& b) noexcept { return a.work_ != b.work_; }

private:
    std::shared_ptr<const Executor> work_;
};

/// A ticket with room for the operation of its wait, and then for what hands the handler over to its executor.
/**
 * An io_context's own executor needs no room in either. For others it is enough on every executor of Asio's own; the tests look
 * after that.
 *
 * @tparam IoExecutor What the operation is made for: see start_wait.
 */
template <class Timer, class IoExecutor>
struct job_ticket_for final : job_ticket<Timer>, job_pooled<job_ticket_for<Timer, IoExecutor>>
{
    using operation = wait_operation<job_wait_handler<Timer>, IoExecutor>;

    static constexpr std::size_t hand_over = 56 + sizeof(IoExecutor);
    static constexpr bool is_own = std::is_same<IoExecutor, boost::asio::io_context::executor_type>::value;

    explicit job_ticket_for(job_state<Timer>& owner) noexcept : job_ticket<Timer>(owner, room, sizeof room) {}

    alignas(operation) unsigned char room[is_own || hand_over < sizeof(operation) ? sizeof(operation) : hand_over];
};

/// The same for a type-erased executor, which hands over by memory of its own.
template <class Timer, class Executor>
struct job_ticket_for<Timer, job_kept_executor<Executor>> final : job_ticket<Timer>,
                                                                  job_pooled<job_ticket_for<Timer, job_kept_executor<Executor>>>
{
    using operation = wait_operation<job_wait_handler<Timer>, job_kept_executor<Executor>>;

    explicit job_ticket_for(job_state<Timer>& owner) noexcept : job_ticket<Timer>(owner, room, sizeof room) {}

    job_kept_executor<Executor> executor; ///< Set when the first wait is started.
    alignas(operation) unsigned char room[sizeof(operation)];
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_JOB_ENTRY_HPP
