// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_IMPL_JOB_STATE_HPP
#define BOOST_EXT_IMPL_JOB_STATE_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/job_state.hpp>
#include <boost_ext/detail/tick_policy.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Timer>
job_id job_state<Timer>::submit(std::unique_ptr<entry> job)
{
    if (stopped_)
        return job_id(); // the context may be gone
    std::unique_ptr<ticket> t = make_ticket();
    entry& e = *job;
    e.ticket = t.get();
    t->job = std::move(job);

    const lock_type lock(mutex_);
    if (stopped_)
        return job_id();

    jobs_.reserve(jobs_.size() + 1, nullptr);
    if (!arm(*t))
        return job_id();
    t.release();
    e.place = jobs_.acquire();
    jobs_[e.place] = &e;
    e.serial = next_job_id();
    e.sequence = ++last_sequence_;
    ++size_;
    return e.id();
}

template <class Timer>
bool job_state<Timer>::reschedule(job_id id, time_point due)
{
    const lock_type lock(mutex_);
    entry* const found = find(id);
    if (!found || !found->can_start())
        return false;

    entry& job = *found;
    if (job.is_linked())
        latecomers_.erase(latecomers_.iterator_to(job));
    job.due = due;
    job.sequence = ++last_sequence_;
    if (job.phase == job_phase::running)
    {
        job.next = job_next::moved;
    }
    else
    {
        timer_type timer = timer_of(*job.ticket, due);
        if (timers_.reschedule_at(timer, due) == 0)
        {
            job.ticket->queued_for_old_time = true;
            latecomers_.insert(job);
        }
    }
    return true;
}

template <class Timer>
bool job_state<Timer>::cancel(job_id id)
{
    std::unique_ptr<entry> dropped;
    const lock_type lock(mutex_);
    return cancel_locked(id, dropped);
}

template <class Timer>
void job_state<Timer>::cancel_and_wait(job_id id, waiter_type& waiter)
{
    std::unique_ptr<entry> dropped;
    lock_type lock(mutex_);
    waiter.cancelled = cancel_locked(id, dropped);
    if (find(id))
    {
        // It can only be running, for the last time.
        waiter.job = id;
        waiters_.push_back(waiter);
        return;
    }
    lock.unlock();
    dropped.reset();
    lock.lock();
    waiter.complete();
}

template <class Timer>
void job_state<Timer>::stop()
{
    entry* dropped = nullptr;
    {
        const lock_type lock(mutex_);
        stopped_ = true;
        latecomers_.clear();
        jobs_.for_each([&](std::uint32_t place) {
            entry& job = *jobs_[place];
            job.future = job_future::none;
            if (job.phase == job_phase::running)
                return;
            ticket& t = *job.ticket;
            t.job.release();
            give_up(t);
            job.next_dropped = dropped;
            dropped = &job;
            jobs_[place] = nullptr;
            jobs_.release(place);
        });
        trim();
        size_ = 0;
    }
    while (dropped)
    {
        const std::unique_ptr<entry> job(dropped);
        dropped = job->next_dropped;
    }
}

template <class Timer>
void job_state<Timer>::stop_and_wait(waiter_type& waiter)
{
    stop();
    const lock_type lock(mutex_);
    if (running_ == 0)
    {
        waiter.complete();
        return;
    }
    waiters_.push_back(waiter);
}

template <class Timer>
void job_state<Timer>::leave(waiter_type& waiter)
{
    const lock_type lock(mutex_);
    if (waiter.is_linked())
        waiters_.erase(waiters_.iterator_to(waiter));
}

template <class Timer>
std::size_t job_state<Timer>::size() const
{
    const lock_type lock(mutex_);
    return size_;
}

template <class Timer>
void job_state<Timer>::fire(std::unique_ptr<ticket> t, boost::system::error_code ec)
{
    if (ec)
        return; // given up, and empty since before that
    const boost::intrusive_ptr<job_state> self = t->state;
    std::unique_ptr<entry> job;
    time_point due;
    {
        const lock_type lock(self->mutex_);
        if (!t->job)
            return;

        if (t->queued_for_old_time)
        {
            entry& e = *t->job;
            BOOST_TRY
            {
                if (self->arm(*t))
                {
                    t.release();
                    return;
                }
            }
            BOOST_CATCH(...)
            {
                job = self->take_off(e);
                BOOST_RETHROW
            }
            BOOST_CATCH_END
            job = self->take_off(e);
            return;
        }
        job = self->start_one(*t);
        due = job->due;
    }
    run(std::move(t), std::move(job), due);
}

template <class Timer>
void job_state<Timer>::abandon(ticket* t)
{
    if (t->arming)
    {
        t->refused = true;
        return;
    }
    const boost::intrusive_ptr<job_state> self = t->state;
    const std::unique_ptr<ticket> owner(t);
    std::unique_ptr<entry> job;
    const lock_type lock(self->mutex_);
    if (t->job)
        job = self->take_off(*t->job);
}

template <class Timer>
void job_state<Timer>::give_up(ticket& t) noexcept
{
    timer_type timer = timer_of(t, time_point());
    t.place = timer_handle();
    timers_.release(timer);
}

template <class Timer>
std::unique_ptr<job_ticket<Timer>> job_state<Timer>::make_ticket()
{
    if constexpr (is_erased)
    {
        if (executor_.template target<own_executor>())
            return std::unique_ptr<ticket>(new job_ticket_for<Timer, own_executor>(*this));
        return std::unique_ptr<ticket>(new job_ticket_for<Timer, kept_executor>(*this));
    }
    else
        return std::unique_ptr<ticket>(new job_ticket_for<Timer, executor_type>(*this));
}

template <class Timer>
typename job_state<Timer>::timer_type job_state<Timer>::timer_of(const ticket& t, time_point due)
{
    timer_type timer;
    timer.expiry = due;
    timer.waits = t.place;
    return timer;
}

template <class Timer>
typename job_state<Timer>::kept_executor job_state<Timer>::keep_at_work(const timer_type& timer)
{
    std::shared_ptr<const executor_type> work = work_.lock();
    if (!work)
    {
        // Work that is given back, because something failed, stops a context that has no other. So everything else comes first.
        timers_.make_room(timer);
        const auto told = std::make_shared<std::optional<executor_type>>();
        told->emplace(boost::asio::prefer(executor_, boost::asio::execution::outstanding_work.tracked));
        work = std::shared_ptr<const executor_type>(told, std::addressof(**told));
        work_ = work;
    }
    return kept_executor(std::move(work));
}

template <class Timer>
job_entry<Timer>* job_state<Timer>::find(job_id id) noexcept
{
    const std::uint32_t place = job_id_access::place(id);
    entry* const job = place < jobs_.extent() ? jobs_[place] : nullptr;
    return job && job->id() == id ? job : nullptr;
}

template <class Timer>
bool job_state<Timer>::arm(ticket& t)
{
    t.queued_for_old_time = false;
    t.refused = false;
    t.arming = true;
    timer_type timer = timer_of(t, t.job->due);
    BOOST_TRY
    {
        job_wait_handler<Timer> handler(t);
        if constexpr (is_erased)
        {
            if (const auto* const own = executor_.template target<own_executor>())
                timers_.async_wait(timer, handler, *own);
            else
            {
                kept_executor& kept = static_cast<job_ticket_for<Timer, kept_executor>&>(t).executor;
                if (!kept)
                    kept = keep_at_work(timer);
                timers_.async_wait(timer, handler, kept);
            }
        }
        else
            timers_.async_wait(timer, handler, executor_);
    }
    BOOST_CATCH(...)
    {
        t.arming = false;
        BOOST_RETHROW
    }
    BOOST_CATCH_END
    t.arming = false;
    t.place = timer.waits;
    return !t.refused;
}

template <class Timer>
std::unique_ptr<job_entry<Timer>> job_state<Timer>::take_off(entry& job)
{
    std::unique_ptr<entry> owner = std::move(std::exchange(job.ticket, nullptr)->job);
    forget(job);
    return owner;
}

template <class Timer>
void job_state<Timer>::forget(entry& job)
{
    if (job.is_linked())
        latecomers_.erase(latecomers_.iterator_to(job));
    if (job.can_start())
        --size_;
    jobs_[job.place] = nullptr;
    jobs_.release(job.place);
    trim();
}

template <class Timer>
void job_state<Timer>::trim() noexcept
{
    if (jobs_.capacity() > 4 * jobs_.size() + 256 && jobs_.can_trim())
        jobs_.trim(2 * jobs_.size());
}

template <class Timer>
bool job_state<Timer>::cancel_locked(job_id id, std::unique_ptr<entry>& dropped)
{
    entry* const found = find(id);
    if (!found || !found->can_start())
        return false;

    entry& job = *found;
    if (job.phase == job_phase::running)
    {
        job.future = job_future::none;
        --size_;
    }
    else
    {
        ticket& t = *job.ticket;
        dropped = take_off(job);
        give_up(t);
    }
    return true;
}

template <class Timer>
std::unique_ptr<job_entry<Timer>> job_state<Timer>::start_one(ticket& t)
{
    if (!latecomers_.empty())
    {
        entry& first = *latecomers_.begin();
        entry& own = *t.job;
        if (first < own)
        {
            // What is due by now starts when its turn comes, whatever that ticket was queued for.
            ticket& other = *first.ticket;
            other.queued_for_old_time = false;
            std::swap(t.job, other.job);
            std::swap(first.ticket, own.ticket);
            if (!own.is_linked())
                latecomers_.insert(own);
        }
    }
    std::unique_ptr<entry> job = std::move(t.job);
    job->ticket = nullptr;
    if (job->is_linked())
        latecomers_.erase(latecomers_.iterator_to(*job));
    job->phase = job_phase::running;
    job->next = job_next::by_policy;
    ++running_;
    if (!job->can_start())
        --size_;
    return job;
}

template <class Timer>
void job_state<Timer>::run(std::unique_ptr<ticket> t, std::unique_ptr<entry> job, time_point due)
{
    const boost::intrusive_ptr<job_state> self = t->state;
    time_point next{};
    BOOST_TRY
    {
        if (job->is_periodic())
            next = tick_deliver(job->policy, due, job->period, clock_type::now()).next;
        job->call();
    }
    BOOST_CATCH(...)
    {
        self->finish(std::move(t), std::move(job), next, run_result::threw);
        BOOST_RETHROW
    }
    BOOST_CATCH_END
    if (job->is_periodic() && job->policy == missed_tick::delay)
        next = saturating_add(clock_type::now(), job->period);
    self->finish(std::move(t), std::move(job), next, run_result::returned);
}

template <class Timer>
void job_state<Timer>::finish(std::unique_ptr<ticket> t, std::unique_ptr<entry> job, time_point next, run_result result)
{
    const job_id id = job->id();
    std::exception_ptr failure;
    {
        const lock_type lock(mutex_);
        if (result == run_result::returned && job->can_start())
        {
            entry& e = *job;
            if (e.next == job_next::by_policy)
                e.due = next;
            e.phase = job_phase::pending;
            e.ticket = t.get();
            t->job = std::move(job);
            BOOST_TRY
            {
                if (arm(*t))
                {
                    t.release();
                    latecomers_.insert(latecomers_.end(), e); // most often it is the last one
                    --running_;
                    return;
                }
            }
            BOOST_CATCH(...)
            {
                failure = std::current_exception();
            }
            BOOST_CATCH_END
            job = std::move(std::exchange(e.ticket, nullptr)->job);
            e.phase = job_phase::running;
        }
        if (job->can_start())
            --size_;
        job->future = job_future::none;
    }
    // It is over, but goes on being found, so that an async_cancel that comes now waits for the end of f, too.
    t.reset();
    job->destroy_function();
    {
        const lock_type lock(mutex_);
        forget(*job);
        --running_;
        complete_waiters(id);
    }
    if (failure)
        std::rethrow_exception(failure);
}

template <class Timer>
void job_state<Timer>::complete_waiters(job_id job)
{
    for (auto it = waiters_.begin(); it != waiters_.end();)
    {
        waiter_type& waiter = *it;
        if (waiter.job == job_id() ? running_ != 0 : waiter.job != job)
        {
            ++it;
            continue;
        }
        it = waiters_.erase(it);
        waiter.complete();
    }
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_IMPL_JOB_STATE_HPP
