// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_WAITER_HPP
#define BOOST_EXT_DETAIL_JOB_WAITER_HPP

#include <boost_ext/job_id.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/system/error_code.hpp>
#include <mutex>
#include <optional>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Timer>
class job_state;

/// A pending async_cancel or async_stop: somebody who waits for running jobs to return.
/**
 * The handler waits on a timer that never expires. So all memory that completing takes is there from the
 * start, and the handler's slot works as for any timer.
 *
 * The handler's executor need not belong to the scheduler's context, which may be gone when the handler is called. So
 * completing lets go of everything that may not outlive that context: the timer, and the executor in the state.
 *
 * Guarded by the scheduler's mutex. The members that completing writes are also guarded by the waiter's own, which comes after it.
 */
template <class Timer>
struct job_waiter : boost::intrusive_ref_counter<job_waiter<Timer>, boost::thread_safe_counter>,
                    boost::intrusive::list_base_hook<>
{
    explicit job_waiter(const boost::intrusive_ptr<job_state<Timer>>& owner)
        : state(owner), timer(std::in_place, owner->get_executor(), (Timer::time_point::max)())
    {
    }

    /// Queues the handler, unless its slot has. Precondition: not linked; the scheduler's mutex is held.
    void complete() noexcept
    {
        const std::lock_guard<std::mutex> lock(mutex);
        is_done = timer->cancel() != 0;
        timer.reset();
        state.reset();
    }

    /// The handler is called or destroyed: whatever completes waiters does not find this one any more.
    void leave()
    {
        std::unique_lock<std::mutex> lock(mutex);
        const boost::intrusive_ptr<job_state<Timer>> owner = state;
        lock.unlock();
        if (owner)
            owner->leave(*this);
    }

    std::mutex mutex;
    boost::intrusive_ptr<job_state<Timer>> state; ///< Null when completed.
    std::optional<Timer> timer;
    job_id job;              ///< The job that is waited for; the empty id: every one.
    bool is_waiting = false; ///< The handler is in the timer's hands.
    bool cancelled = false;  ///< What cancel returned.
    bool is_done = false;    ///< It was completed, and not aborted by its slot.
};

/// What waits on a waiter's timer: the completion handler.
/**
 * @tparam WithResult Whether the handler takes a bool after the error code.
 */
template <class Timer, class Handler, bool WithResult>
class job_waiter_handler
{
public:
    job_waiter_handler(boost::intrusive_ptr<job_waiter<Timer>> waiter, Handler&& handler)
        : waiter_(std::move(waiter)), handler_(std::move(handler))
    {
    }

    job_waiter_handler(job_waiter_handler&& other) = default;

    ~job_waiter_handler()
    {
        if (!waiter_)
            return;
        if (!waiter_->is_waiting)
            clear_slot(); // starting to wait has failed; the handler may own the signal
        waiter_->leave();
    }

    const Handler& handler() const noexcept { return handler_; }

    void operator()(boost::system::error_code)
    {
        waiter_->leave();
        boost::system::error_code ec;
        if (!waiter_->is_done)
            ec = boost::asio::error::operation_aborted;
        [[maybe_unused]] const bool cancelled = waiter_->cancelled;
        waiter_.reset();
        clear_slot();
        if constexpr (WithResult)
            std::move(handler_)(ec, cancelled);
        else
            std::move(handler_)(ec);
    }

private:
    /// What the slot holds names a timer of a context that may be gone when somebody emits.
    void clear_slot() const
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_, boost::asio::cancellation_slot());
        if (slot.is_connected())
            slot.clear();
    }

    boost::intrusive_ptr<job_waiter<Timer>> waiter_;
    Handler handler_;
};

} // namespace detail
} // namespace boost_ext

namespace boost {
namespace asio {

template <template <class, class> class Associator, class Timer, class Handler, bool WithResult, class DefaultCandidate>
struct associator<Associator, boost_ext::detail::job_waiter_handler<Timer, Handler, WithResult>, DefaultCandidate>
    : Associator<Handler, DefaultCandidate>
{
    using handler_type = boost_ext::detail::job_waiter_handler<Timer, Handler, WithResult>;

    static typename Associator<Handler, DefaultCandidate>::type get(const handler_type& h) noexcept
    {
        return Associator<Handler, DefaultCandidate>::get(h.handler());
    }

    static auto get(const handler_type& h, const DefaultCandidate& c) noexcept
        -> decltype(Associator<Handler, DefaultCandidate>::get(h.handler(), c))
    {
        return Associator<Handler, DefaultCandidate>::get(h.handler(), c);
    }
};

} // namespace asio
} // namespace boost

#endif // BOOST_EXT_DETAIL_JOB_WAITER_HPP
