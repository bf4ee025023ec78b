// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_IMPL_JOB_STATE_HPP
#define BOOST_EXT_IMPL_JOB_STATE_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/job_shrink.hpp>
#include <boost_ext/detail/job_state.hpp>
#include <boost_ext/detail/tick_policy.hpp>
#include <exception>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Timer>
std::uint64_t job_state<Timer>::submit(std::unique_ptr<entry> job)
{
    if (stopped_)
        return 0; // the context may be gone
    const std::uint64_t id = next_job_id();
    std::unique_ptr<ticket> t(new ticket(*this, executor_));
    entry& e = *job;
    e.id = id;
    e.ticket = t.get();
    t->job = std::move(job);

    const lock_type lock(mutex_);
    if (stopped_)
        return 0;

    jobs_.emplace(id, &e);
    e.sequence = ++last_sequence_;
    BOOST_TRY
    {
        if (!arm(*t))
        {
            jobs_.erase(id);
            return 0;
        }
    }
    BOOST_CATCH(...)
    {
        jobs_.erase(id);
        BOOST_RETHROW
    }
    BOOST_CATCH_END
    t.release();
    ++size_;
    return id;
}

template <class Timer>
bool job_state<Timer>::reschedule(std::uint64_t id, time_point due)
{
    const lock_type lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || !found->second->can_start())
        return false;

    entry& job = *found->second;
    if (job.is_linked())
        latecomers_.erase(latecomers_.iterator_to(job));
    job.due = due;
    job.sequence = ++last_sequence_;
    if (job.phase == job_phase::running)
    {
        job.next = job_next::moved;
    }
    else if (job.ticket->timer.reschedule_at(due) == 0)
    {
        job.ticket->queued_for_old_time = true;
        latecomers_.insert(job);
    }
    return true;
}

template <class Timer>
bool job_state<Timer>::cancel(std::uint64_t id)
{
    std::unique_ptr<entry> dropped;
    const lock_type lock(mutex_);
    return cancel_locked(id, dropped);
}

template <class Timer>
void job_state<Timer>::cancel_and_wait(std::uint64_t id, waiter_type& waiter)
{
    std::unique_ptr<entry> dropped;
    lock_type lock(mutex_);
    waiter.cancelled = cancel_locked(id, dropped);
    if (jobs_.find(id) != jobs_.end())
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
        erase_if(jobs_, [&](const auto& item) {
            entry& job = *item.second;
            job.future = job_future::none;
            if (job.phase == job_phase::running)
                return false;
            job.ticket->timer.cancel();
            std::exchange(job.ticket, nullptr)->job.release();
            job.next_dropped = dropped;
            dropped = &job;
            return true;
        });
        shrink_if_sparse(jobs_);
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
    waiter.job = waiter_type::every_job;
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
    const boost::intrusive_ptr<job_state> self = t->state;
    std::unique_ptr<entry> job;
    time_point due;
    {
        const lock_type lock(self->mutex_);
        if (!t->job)
            return;

        if (ec || t->queued_for_old_time)
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
bool job_state<Timer>::arm(ticket& t)
{
    t.queued_for_old_time = false;
    t.refused = false;
    t.arming = true;
    BOOST_TRY
    {
        t.timer.expires_at(t.job->due);
        t.timer.async_wait(job_wait_handler<Timer>(t));
    }
    BOOST_CATCH(...)
    {
        t.arming = false;
        BOOST_RETHROW
    }
    BOOST_CATCH_END
    t.arming = false;
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
    jobs_.erase(job.id);
    shrink_if_sparse(jobs_);
}

template <class Timer>
bool job_state<Timer>::cancel_locked(std::uint64_t id, std::unique_ptr<entry>& dropped)
{
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || !found->second->can_start())
        return false;

    entry& job = *found->second;
    if (job.phase == job_phase::running)
    {
        job.future = job_future::none;
        --size_;
    }
    else
    {
        job.ticket->timer.cancel();
        dropped = take_off(job);
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
        next = tick_add(clock_type::now(), job->period);
    self->finish(std::move(t), std::move(job), next, run_result::returned);
}

template <class Timer>
void job_state<Timer>::finish(std::unique_ptr<ticket> t, std::unique_ptr<entry> job, time_point next, run_result result)
{
    const std::uint64_t id = job->id;
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
                    latecomers_.insert(e);
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
void job_state<Timer>::complete_waiters(std::uint64_t job)
{
    for (auto it = waiters_.begin(); it != waiters_.end();)
    {
        waiter_type& waiter = *it;
        if (waiter.job == waiter_type::every_job ? running_ != 0 : waiter.job != job)
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
