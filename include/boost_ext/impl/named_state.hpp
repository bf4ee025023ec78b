// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_IMPL_NAMED_STATE_HPP
#define BOOST_EXT_IMPL_NAMED_STATE_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/job_shrink.hpp>
#include <boost_ext/detail/named_state.hpp>
#include <boost_ext/error.hpp>
#include <boost/asio/error.hpp>
#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Timer>
typename named_state<Timer>::record_ptr named_state<Timer>::prepare(std::string name)
{
    record_ptr record(new record_type(boost::intrusive_ptr<named_state>(this)));
    const lock_type lock(mutex_);
    if (stopped_)
        record->outcome = named_outcome::stopped;
    else
        link(*record, std::move(name));
    return record;
}

template <class Timer>
void named_state<Timer>::dismiss(record_type& record)
{
    const lock_type lock(mutex_);
    if (!record.started && record.outcome == named_outcome::undecided)
        decide(record, named_outcome::dismissed);
}

template <class Timer>
typename named_state<Timer>::start_result named_state<Timer>::start(const record_ptr& record, const executor_type& executor,
    time_point expiry, named_handler<Timer>& handler, boost::system::error_code& ec)
{
    const lock_type lock(mutex_);
    record_type& r = *record;
    if (r.started)
    {
        ec = boost::asio::error::already_started;
        return start_result::decided;
    }
    if (r.outcome != named_outcome::undecided)
    {
        ec = to_error(r.outcome);
        return start_result::decided;
    }
    if (context_gone_)
    {
        decide(r, named_outcome::dismissed);
        return start_result::refused;
    }
    BOOST_TRY
    {
        r.timer.emplace(executor, expiry);
        r.handler = &handler;
        r.started = true;
        if (arm(record))
            return start_result::waiting;
    }
    BOOST_CATCH(...)
    {
        r.started = false;
        r.handler = nullptr;
        r.timer.reset();
        BOOST_RETHROW
    }
    BOOST_CATCH_END
    decide(r, named_outcome::dismissed);
    r.handler = nullptr;
    return start_result::refused;
}

template <class Timer>
bool named_state<Timer>::is_started(const record_type& record) const
{
    const lock_type lock(mutex_);
    return record.started;
}

template <class Timer>
void named_state<Timer>::note_start(record_type& record)
{
    const lock_type lock(mutex_);
    record.started = true;
}

template <class Timer>
std::size_t named_state<Timer>::cancel(std::string_view name, std::size_t max)
{
    const lock_type lock(mutex_);
    const auto found = names_.find(name);
    if (found == names_.end() || max == 0)
        return 0;

    name_type& n = *found->second;
    std::size_t left = (std::min)(max, n.waits.size());
    const std::size_t count = left;
    for (; left != 0; --left)
        end(n.waits.front(), named_outcome::cancelled);
    return count;
}

template <class Timer>
void named_state<Timer>::cancel(record_type& record)
{
    const lock_type lock(mutex_);
    if (record.outcome == named_outcome::undecided)
        end(record, named_outcome::cancelled);
}

template <class Timer>
std::size_t named_state<Timer>::reschedule(std::string_view name, time_point expiry)
{
    const lock_type lock(mutex_);
    const auto found = names_.find(name);
    if (found == names_.end())
        return 0;

    std::size_t count = 0;
    for (record_type& record : found->second->waits)
    {
        if (!record.timer)
            continue;
        if (record.timer->reschedule_at(expiry) == 0)
            record.queued_for_old_time = true;
        ++count;
    }
    return count;
}

template <class Timer>
bool named_state<Timer>::contains(std::string_view name) const
{
    const lock_type lock(mutex_);
    return names_.find(name) != names_.end();
}

template <class Timer>
std::size_t named_state<Timer>::size() const
{
    const lock_type lock(mutex_);
    return waits_.size();
}

template <class Timer>
void named_state<Timer>::stop()
{
    const lock_type lock(mutex_);
    stopped_ = true;
    while (!waits_.empty())
        end(waits_.front(), named_outcome::stopped);
}

template <class Timer>
void named_state<Timer>::fire(record_ptr record, boost::system::error_code ec)
{
    named_state& self = *record->state;
    handler_type* handler = nullptr;
    named_outcome outcome = named_outcome::expired;
    std::exception_ptr failure;
    {
        const lock_type lock(self.mutex_);
        record_type& r = *record;
        if (r.outcome != named_outcome::undecided)
        {
            handler = &self.take_ended(r);
            outcome = handler->outcome;
        }
        else
        {
            if (ec || is_to_wait_again(r))
            {
                BOOST_TRY
                {
                    if (arm(record))
                    {
                        keep_order_of_age(r);
                        return;
                    }
                }
                BOOST_CATCH(...)
                {
                    failure = std::current_exception();
                }
                BOOST_CATCH_END
                outcome = named_outcome::dismissed;
            }
            self.decide(r, outcome);
            handler = std::exchange(r.handler, nullptr);
        }
    }

    record.reset();
    if (outcome != named_outcome::dismissed)
    {
        handler->complete(to_error(outcome));
        return;
    }
    handler->destroy();
    if (failure)
        std::rethrow_exception(failure);
}

template <class Timer>
void named_state<Timer>::abandon(record_ptr record)
{
    if (record->arming)
    {
        record->refused = true;
        return;
    }
    handler_type* handler = nullptr;
    {
        named_state& self = *record->state;
        const lock_type lock(self.mutex_);
        if (record->outcome == named_outcome::undecided)
        {
            self.decide(*record, named_outcome::dismissed);
            handler = std::exchange(record->handler, nullptr);
        }
        else
        {
            handler = &self.take_ended(*record);
        }
    }
    handler->destroy();
}

template <class Timer>
void named_state<Timer>::context_goes() noexcept
{
    const lock_type lock(mutex_);
    context_gone_ = true;
    for (record_type& record : waits_)
        record.timer.reset();
}

template <class Timer>
void named_state<Timer>::link(record_type& record, std::string&& name)
{
    auto found = names_.find(std::string_view(name));
    if (found == names_.end())
    {
        std::unique_ptr<name_type> n(new name_type(std::move(name)));
        const std::string_view key(n->text);
        found = names_.emplace(key, std::move(n)).first;
    }
    record.own_name = found->second.get();
    record.own_name->waits.push_back(record);
    waits_.push_back(record);
}

template <class Timer>
void named_state<Timer>::decide(record_type& record, named_outcome outcome)
{
    record.outcome = outcome;
    record.timer.reset();
    waits_.erase(waits_.iterator_to(record));
    name_type& n = *std::exchange(record.own_name, nullptr);
    n.waits.erase(n.waits.iterator_to(record));
    if (n.waits.empty())
    {
        names_.erase(names_.find(std::string_view(n.text)));
        shrink_if_sparse(names_);
    }
}

template <class Timer>
void named_state<Timer>::end(record_type& record, named_outcome outcome)
{
    decide(record, outcome);
    if (!record.handler)
        return;
    record.handler->outcome = outcome;
    record.handler->carrier = &record;
    handler_type* const first = first_ended(*record.handler);
    (first ? first->followers : ended_).push_back(*record.handler);
}

template <class Timer>
named_handler<Timer>* named_state<Timer>::first_ended(const handler_type& handler)
{
    int left = look_ahead;
    for (auto it = ended_.begin(); it != ended_.end() && left != 0; ++it, --left)
        if (it->shares_executor(handler))
            return &*it;
    return nullptr;
}

template <class Timer>
named_handler<Timer>& named_state<Timer>::take_ended(record_type& record)
{
    handler_type& own = *std::exchange(record.handler, nullptr);
    handler_type* const found = first_ended(own);
    handler_type& first = found ? *found : own;
    if (&first != &own)
    {
        own.carrier = first.carrier;
        own.carrier->handler = &own;
    }
    if (!first.followers.empty())
    {
        handler_type& next = first.followers.front();
        next.unlink();
        next.followers.swap(first.followers);
        ended_.insert(ended_.iterator_to(first), next);
    }
    first.unlink();
    return first;
}

template <class Timer>
bool named_state<Timer>::is_to_wait_again(const record_type& record)
{
    if (!record.queued_for_old_time)
        return false;
    if (!record.timer)
        return true;
    const time_point expiry = record.timer->expiry();
    return expiry == (time_point::max)() || clock_type::now() < expiry;
}

template <class Timer>
void named_state<Timer>::keep_order_of_age(record_type& record)
{
    const time_point expiry = record.timer->expiry();
    auto& waits = record.own_name->waits;
    for (auto it = std::next(waits.iterator_to(record)); it != waits.end(); ++it)
    {
        if (it->queued_for_old_time)
            return; // It is armed later, and then sees to those that follow.
        if (it->timer && it->timer->expiry() == expiry)
            it->timer->reschedule_at(expiry);
    }
}

template <class Timer>
bool named_state<Timer>::arm(const record_ptr& record)
{
    record_type& r = *record;
    if (!r.timer)
        return false;
    r.queued_for_old_time = false;
    r.refused = false;
    r.arming = true;
    BOOST_TRY
    {
        r.handler->start_wait(record);
    }
    BOOST_CATCH(...)
    {
        r.arming = false;
        BOOST_RETHROW
    }
    BOOST_CATCH_END
    r.arming = false;
    return !r.refused;
}

template <class Timer>
boost::system::error_code named_state<Timer>::to_error(named_outcome outcome)
{
    switch (outcome)
    {
    case named_outcome::cancelled:
    case named_outcome::dismissed:
        return boost::asio::error::operation_aborted;
    case named_outcome::stopped:
        return error::stopped;
    default:
        return boost::system::error_code();
    }
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_IMPL_NAMED_STATE_HPP
