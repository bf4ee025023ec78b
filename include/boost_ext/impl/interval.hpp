// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_IMPL_INTERVAL_HPP
#define BOOST_EXT_IMPL_INTERVAL_HPP

#include <boost_ext/interval.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <boost/throw_exception.hpp>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Duration>
const Duration& checked_interval_period(const Duration& period)
{
    if (!(period > Duration::zero()))
        boost::throw_exception(std::invalid_argument("boost_ext: the period of an interval must be positive"));
    return period;
}

} // namespace detail

template <class Clock, class WaitTraits, class Executor>
class basic_interval<Clock, WaitTraits, Executor>::initiate_async_tick
{
public:
    using executor_type = Executor;

    explicit initiate_async_tick(basic_interval* self) : self_(self) {}

    executor_type get_executor() const noexcept { return self_->get_executor(); }

    template <class Handler>
    void operator()(Handler&& handler) const
    {
        using tick = detail::interval_tick<schedule_type, tick_info, Executor, typename std::decay<Handler>::type>;
        self_->use_schedule();
        tick::start(self_->schedule_, self_->executor_, std::forward<Handler>(handler));
    }

private:
    basic_interval* self_;
};

template <class Clock, class WaitTraits, class Executor>
basic_interval<Clock, WaitTraits, Executor>::basic_interval(
    const executor_type& executor, const duration& period, missed_tick policy)
    : basic_interval(executor, detail::saturating_add(Clock::now(), period), period, policy)
{
}

template <class Clock, class WaitTraits, class Executor>
basic_interval<Clock, WaitTraits, Executor>::basic_interval(
    const executor_type& executor, const time_point& first, const duration& period, missed_tick policy)
    : executor_(executor),
      period_(detail::checked_interval_period(period)),
      policy_(policy),
      service_(&service_type::of(detail::context_of(executor)))
{
    start_schedule(first);
}

template <class Clock, class WaitTraits, class Executor>
template <class ExecutionContext,
    std::enable_if_t<std::is_convertible<ExecutionContext&, boost::asio::execution_context&>::value, int>>
basic_interval<Clock, WaitTraits, Executor>::basic_interval(ExecutionContext& context, const duration& period, missed_tick policy)
    : basic_interval(context, detail::saturating_add(Clock::now(), period), period, policy)
{
}

template <class Clock, class WaitTraits, class Executor>
template <class ExecutionContext,
    std::enable_if_t<std::is_convertible<ExecutionContext&, boost::asio::execution_context&>::value, int>>
basic_interval<Clock, WaitTraits, Executor>::basic_interval(
    ExecutionContext& context, const time_point& first, const duration& period, missed_tick policy)
    : executor_(context.get_executor()),
      period_(detail::checked_interval_period(period)),
      policy_(policy),
      service_(&service_type::of(context))
{
    start_schedule(first);
}

template <class Clock, class WaitTraits, class Executor>
basic_interval<Clock, WaitTraits, Executor>::basic_interval(basic_interval&& other) noexcept : executor_(other.executor_)
{
    take(other);
}

template <class Clock, class WaitTraits, class Executor>
basic_interval<Clock, WaitTraits, Executor>& basic_interval<Clock, WaitTraits, Executor>::operator=(
    basic_interval&& other) noexcept
{
    if (this != &other)
    {
        close();
        // Executors need not be assignable: this is a new one in place of the old.
        std::destroy_at(std::addressof(executor_));
        ::new (static_cast<void*>(std::addressof(executor_))) executor_type(other.executor_);
        take(other);
    }
    return *this;
}

template <class Clock, class WaitTraits, class Executor>
template <class Executor1,
    std::enable_if_t<std::is_convertible<Executor1, Executor>::value && !std::is_same<Executor1, Executor>::value, int>>
basic_interval<Clock, WaitTraits, Executor>::basic_interval(basic_interval<Clock, WaitTraits, Executor1>&& other)
    : executor_(other.executor_)
{
    take(other);
}

template <class Clock, class WaitTraits, class Executor>
template <class Executor1,
    std::enable_if_t<std::is_convertible<Executor1, Executor>::value && !std::is_same<Executor1, Executor>::value, int>>
basic_interval<Clock, WaitTraits, Executor>& basic_interval<Clock, WaitTraits, Executor>::operator=(
    basic_interval<Clock, WaitTraits, Executor1>&& other)
{
    return *this = basic_interval(std::move(other));
}

template <class Clock, class WaitTraits, class Executor>
basic_interval<Clock, WaitTraits, Executor>::~basic_interval()
{
    close();
}

template <class Clock, class WaitTraits, class Executor>
auto basic_interval<Clock, WaitTraits, Executor>::period() const -> duration
{
    if (!schedule_)
        return period_;
    std::lock_guard lock(schedule_->mutex);
    return schedule_->period;
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::period(const duration& period)
{
    detail::checked_interval_period(period);
    schedule_type& schedule = use_schedule();
    std::lock_guard lock(schedule.mutex);
    schedule.period = period;
}

template <class Clock, class WaitTraits, class Executor>
missed_tick basic_interval<Clock, WaitTraits, Executor>::policy() const
{
    if (!schedule_)
        return policy_;
    std::lock_guard lock(schedule_->mutex);
    return schedule_->policy;
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::policy(missed_tick policy)
{
    schedule_type& schedule = use_schedule();
    std::lock_guard lock(schedule.mutex);
    schedule.policy = policy;
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::reset()
{
    schedule_type& schedule = use_schedule();
    std::lock_guard lock(schedule.mutex);
    schedule.move_to(detail::saturating_add(Clock::now(), schedule.period));
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::reset_immediately()
{
    reset_at(Clock::now());
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::reset_after(const duration& delay)
{
    reset_at(detail::saturating_add(Clock::now(), delay));
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::reset_at(const time_point& time)
{
    schedule_type& schedule = use_schedule();
    std::lock_guard lock(schedule.mutex);
    schedule.move_to(time);
}

template <class Clock, class WaitTraits, class Executor>
std::size_t basic_interval<Clock, WaitTraits, Executor>::cancel()
{
    if (!schedule_)
        return 0;
    std::lock_guard lock(schedule_->mutex);
    return schedule_->cancel();
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::start_schedule(const time_point& first)
{
    schedule_ = std::make_shared<schedule_type>(*service_, first, period_, policy_);
}

/// The schedule, made anew in a moved-from interval.
template <class Clock, class WaitTraits, class Executor>
auto basic_interval<Clock, WaitTraits, Executor>::use_schedule() -> schedule_type&
{
    if (!schedule_)
        start_schedule(detail::saturating_add(Clock::now(), period_));
    return *schedule_;
}

template <class Clock, class WaitTraits, class Executor>
void basic_interval<Clock, WaitTraits, Executor>::close() noexcept
{
    if (!schedule_)
        return;
    std::lock_guard lock(schedule_->mutex);
    schedule_->close();
}

/// Takes the schedule over, and leaves what a moved-from interval needs to be used again.
template <class Clock, class WaitTraits, class Executor>
template <class Executor1>
void basic_interval<Clock, WaitTraits, Executor>::take(basic_interval<Clock, WaitTraits, Executor1>& other) noexcept
{
    other.period_ = period_ = other.period();
    other.policy_ = policy_ = other.policy();
    service_ = other.service_;
    schedule_ = std::move(other.schedule_);
}

} // namespace boost_ext

#endif // BOOST_EXT_IMPL_INTERVAL_HPP
