// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_NAMED_INITIATION_HPP
#define BOOST_EXT_DETAIL_NAMED_INITIATION_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/named_handler.hpp>
#include <boost_ext/detail/named_state.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// When a wait is to end: at a time, or some time after it is started.
template <class Clock>
class named_limit
{
public:
    using duration = typename Clock::duration;
    using time_point = typename Clock::time_point;

    explicit named_limit(duration d) noexcept : value_(d), is_relative_(true) {}

    explicit named_limit(time_point tp) noexcept : value_(tp.time_since_epoch()), is_relative_(false) {}

    /// The time at which a wait that starts now ends.
    time_point from_now() const { return is_relative_ ? saturating_add(Clock::now(), value_) : time_point(value_); }

private:
    duration value_;
    bool is_relative_;
};

/// What sits in the slot of a started wait.
template <class Timer>
class named_slot_handler
{
public:
    explicit named_slot_handler(boost::intrusive_ptr<named_record<Timer>> record) : record_(std::move(record))
    {
        record_->in_slot = true;
    }

    named_slot_handler(const named_slot_handler&) = delete;
    named_slot_handler& operator=(const named_slot_handler&) = delete;

    ~named_slot_handler() { record_->in_slot = false; }

    void operator()(boost::asio::cancellation_type type) const
    {
        if (type != boost::asio::cancellation_type::none)
            record_->state->cancel(*record_);
    }

private:
    boost::intrusive_ptr<named_record<Timer>> record_;
};

/// Starts a wait with a handler, whose slot then cancels it.
template <class Timer, class Handler>
void start_named_wait(const boost::intrusive_ptr<named_record<Timer>>& record, const typename Timer::executor_type& executor,
    const named_limit<typename Timer::clock_type>& limit, Handler&& handler)
{
    using state_type = named_state<Timer>;
    using handler_type = std::decay_t<Handler>;
    using erased_type = named_handler_of<Timer, handler_type>;

    state_type& state = *record->state;
    handler_type own(std::forward<Handler>(handler));
    // With the default spelt out: Boost 1.81 finds the short form ambiguous for a reference_wrapper.
    auto slot = boost::asio::get_associated_cancellation_slot(own, boost::asio::cancellation_slot());
    bool in_slot = slot.is_connected();
    if (in_slot)
        slot.template emplace<named_slot_handler<Timer>>(record);

    erased_type* erased = nullptr;
    BOOST_TRY
    {
        erased = erased_type::create(std::move(own), executor, in_slot ? record : nullptr);
        boost::system::error_code ec;
        const auto result = state.start(record, executor, limit.from_now(), *erased, ec);
        if (result == state_type::start_result::waiting)
            return;
        // From here on the handler may go, and what it owns, which may be the slot's signal, goes with it.
        if (std::exchange(in_slot, false))
            slot.clear();
        if (result == state_type::start_result::decided)
        {
            std::exchange(erased, nullptr)->post(executor, ec);
            state.note_start(*record);
        }
        else
        {
            std::exchange(erased, nullptr)->destroy();
        }
    }
    BOOST_CATCH(...)
    {
        if (in_slot)
            slot.clear();
        if (erased)
            erased->destroy();
        BOOST_RETHROW
    }
    BOOST_CATCH_END
}

/// What async_wait launches.
template <class Timer>
class initiate_named_wait
{
public:
    using executor_type = typename Timer::executor_type;

    initiate_named_wait(const executor_type& executor, boost::intrusive_ptr<named_state<Timer>> state)
        : executor_(executor), state_(std::move(state))
    {
    }

    executor_type get_executor() const noexcept { return executor_; }

    template <class Handler>
    void operator()(Handler&& handler, std::string name, const named_limit<typename Timer::clock_type>& limit) const
    {
        const auto record = state_->prepare(std::move(name));
        BOOST_TRY
        {
            start_named_wait<Timer>(record, executor_, limit, std::forward<Handler>(handler));
        }
        BOOST_CATCH(...)
        {
            record->state->dismiss(*record);
            BOOST_RETHROW
        }
        BOOST_CATCH_END
    }

private:
    executor_type executor_;
    boost::intrusive_ptr<named_state<Timer>> state_;
};

/// What async_start launches.
template <class Timer>
class initiate_named_start
{
public:
    using executor_type = typename Timer::executor_type;

    /// The record may be null: it was moved to another owner.
    initiate_named_start(const executor_type& executor, boost::intrusive_ptr<named_state<Timer>> state,
        boost::intrusive_ptr<named_record<Timer>> record)
        : executor_(executor), state_(std::move(state)), record_(std::move(record))
    {
    }

    executor_type get_executor() const noexcept { return executor_; }

    template <class Handler>
    void operator()(Handler&& handler, const named_limit<typename Timer::clock_type>& limit) const
    {
        // A copy: the handler may be called in another thread before this returns, and take the initiation along.
        const auto record = record_;
        if (record && !record->state->is_started(*record))
            start_named_wait<Timer>(record, executor_, limit, std::forward<Handler>(handler));
        else
            post_named_completion(std::forward<Handler>(handler), executor_, boost::asio::error::already_started);
    }

private:
    executor_type executor_;
    boost::intrusive_ptr<named_state<Timer>> state_;
    boost::intrusive_ptr<named_record<Timer>> record_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_NAMED_INITIATION_HPP
