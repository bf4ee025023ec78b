// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_NAMED_HANDLER_HPP
#define BOOST_EXT_DETAIL_NAMED_HANDLER_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/job_op_memory.hpp>
#include <boost_ext/detail/named_record.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/is_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/require.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// The handler of a wait on a record's timer.
template <class Timer, class HandlerExecutor>
class named_wait_handler
{
public:
    using allocator_type = job_op_allocator<void>;
    using executor_type = HandlerExecutor;

    named_wait_handler(boost::intrusive_ptr<named_record<Timer>> record, const HandlerExecutor& executor) noexcept
        : record_(std::move(record)), memory_(&record_->memory), executor_(executor)
    {
    }

    named_wait_handler(named_wait_handler&& other) noexcept
        : record_(std::move(other.record_)), memory_(other.memory_), executor_(std::move(other.executor_))
    {
    }

    ~named_wait_handler()
    {
        if (record_)
            named_state<Timer>::abandon(std::move(record_));
    }

    allocator_type get_allocator() const noexcept { return allocator_type(*memory_); }

    executor_type get_executor() const noexcept { return executor_; }

    void operator()(boost::system::error_code ec) { named_state<Timer>::fire(std::move(record_), ec); }

private:
    boost::intrusive_ptr<named_record<Timer>> record_;
    job_op_memory* memory_;
    HandlerExecutor executor_;
};

/// Queues a call of a handler on its executor, or on that of the timers if it has none.
/**
 * By way of the timers' executor, as an expiry goes, where nothing can be posted to the handler's: one that
 * runs everything inline, or that of an any_completion_handler.
 */
template <class Handler, class TimersExecutor>
void post_named_completion(Handler&& handler, const TimersExecutor& timers, boost::system::error_code ec)
{
    using boost::asio::execution::blocking_t;

    const auto executor = boost::asio::get_associated_executor(handler, timers);
    using executor_type = std::remove_const_t<decltype(executor)>;
    auto completion = boost::asio::append(std::forward<Handler>(handler), ec);
    if constexpr (boost::asio::is_executor<executor_type>::value ||
        boost::asio::can_require<const executor_type&, blocking_t::never_t>::value)
        boost::asio::post(boost::asio::bind_executor(executor, std::move(completion)));
    else
        boost::asio::post(timers, std::move(completion));
}

/// A completion handler in memory of its associated allocator.
template <class Timer, class Handler>
class named_handler_of final : public named_handler<Timer>
{
public:
    /// Makes one. `slotted` is the record that the handler's slot names, null if it names none.
    static named_handler_of* create(Handler&& handler, const typename Timer::executor_type& fallback,
        const boost::intrusive_ptr<named_record<Timer>>& slotted)
    {
        allocator_type allocator(boost::asio::get_associated_allocator(handler));
        named_handler_of* const memory = traits::allocate(allocator, 1);
        BOOST_TRY
        {
            ::new (static_cast<void*>(memory)) named_handler_of(std::move(handler), fallback, slotted);
        }
        BOOST_CATCH(...)
        {
            traits::deallocate(allocator, memory, 1);
            BOOST_RETHROW
        }
        BOOST_CATCH_END
        return memory;
    }

    void start_wait(const boost::intrusive_ptr<named_record<Timer>>& record) override
    {
        record->timer->async_wait(named_wait_handler<Timer, handler_executor>(record, executor_));
    }

    void complete(boost::system::error_code ec) override
    {
        boost::intrusive_ptr<named_record<Timer>> slotted(std::move(slotted_));
        Handler handler(take_handler());
        // The user may have put something else into the slot, or have destroyed it.
        if (slotted && slotted->in_slot)
        {
            auto slot = boost::asio::get_associated_cancellation_slot(handler, boost::asio::cancellation_slot());
            slot.clear();
        }
        slotted.reset();
        std::move(handler)(ec);
    }

    /// Frees this and queues the handler, by way of the timers' executor where it has to be.
    void post(const typename Timer::executor_type& timers, boost::system::error_code ec)
    {
        post_named_completion(take_handler(), timers, ec);
    }

    void destroy() noexcept override { static_cast<void>(take_handler()); }

private:
    using handler_executor = boost::asio::associated_executor_t<Handler, typename Timer::executor_type>;
    using allocator_type =
        typename std::allocator_traits<boost::asio::associated_allocator_t<Handler>>::template rebind_alloc<named_handler_of>;
    using traits = std::allocator_traits<allocator_type>;

    named_handler_of(Handler&& handler, const typename Timer::executor_type& fallback,
        const boost::intrusive_ptr<named_record<Timer>>& slotted)
        : named_handler<Timer>(&executor_, &named_type_tag<handler_executor>::value),
          executor_(boost::asio::get_associated_executor(handler, fallback)),
          handler_(std::move(handler)),
          slotted_(slotted)
    {
    }

    bool is_bound_to(const void* executor) const override { return *static_cast<const handler_executor*>(executor) == executor_; }

    bool is_bound_to(const boost::asio::any_io_executor& any) const override
    {
        if constexpr (std::is_same<handler_executor, boost::asio::any_io_executor>::value)
        {
            return any == executor_;
        }
        else
        {
            const auto* const held = any.template target<handler_executor>();
            return held && *held == executor_;
        }
    }

    /// Moves the handler out and frees this.
    Handler take_handler()
    {
        Handler handler(std::move(handler_));
        allocator_type allocator(boost::asio::get_associated_allocator(handler));
        this->~named_handler_of();
        traits::deallocate(allocator, this, 1);
        return handler;
    }

    handler_executor executor_;
    Handler handler_;
    boost::intrusive_ptr<named_record<Timer>> slotted_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_NAMED_HANDLER_HPP
