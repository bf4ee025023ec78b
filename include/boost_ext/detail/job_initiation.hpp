// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_JOB_INITIATION_HPP
#define BOOST_EXT_DETAIL_JOB_INITIATION_HPP

#include <boost/throw_exception.hpp>
#include <boost_ext/detail/job_state.hpp>
#include <boost_ext/detail/job_waiter.hpp>
#include <boost_ext/job_id.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// Refuses a period that would never let time pass.
inline void check_job_period(bool positive)
{
    if (!positive)
        boost::throw_exception(std::invalid_argument("boost_ext::job_scheduler: the period has to be positive"));
}

/// Makes the waiter of a handler, which waits on it from then on.
template <bool WithResult, class Timer, class Handler>
boost::intrusive_ptr<job_waiter<Timer>> make_job_waiter(const boost::intrusive_ptr<job_state<Timer>>& state, Handler&& handler)
{
    using handler_type = std::decay_t<Handler>;
    handler_type own(std::forward<Handler>(handler));
    const boost::intrusive_ptr<job_waiter<Timer>> waiter(new job_waiter<Timer>(state));
    waiter->timer->async_wait(job_waiter_handler<Timer, handler_type, WithResult>(waiter, std::move(own)));
    waiter->is_waiting = true;
    return waiter;
}

/// What async_cancel and async_stop launch.
template <class Timer>
class initiate_job_waiter
{
public:
    using executor_type = typename Timer::executor_type;

    explicit initiate_job_waiter(boost::intrusive_ptr<job_state<Timer>> state) : state_(std::move(state)) {}

    executor_type get_executor() const noexcept { return state_->get_executor(); }

    template <class Handler>
    void operator()(Handler&& handler, job_id id) const
    {
        const auto waiter = make_job_waiter<true>(state_, std::forward<Handler>(handler));
        state_->cancel_and_wait(id, *waiter);
    }

    template <class Handler>
    void operator()(Handler&& handler) const
    {
        const auto waiter = make_job_waiter<false>(state_, std::forward<Handler>(handler));
        state_->stop_and_wait(*waiter);
    }

private:
    boost::intrusive_ptr<job_state<Timer>> state_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_JOB_INITIATION_HPP
