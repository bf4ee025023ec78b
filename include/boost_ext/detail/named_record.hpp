// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_NAMED_RECORD_HPP
#define BOOST_EXT_DETAIL_NAMED_RECORD_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/job_op_memory.hpp>
#include <boost_ext/detail/named_completion.hpp>
#include <boost_ext/detail/tick_policy.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Timer>
class named_state;

template <class Timer>
struct named_record;

/// What has become of a wait. The first to decide it is the only one.
enum class named_outcome : unsigned char
{
    undecided, ///< It has its name, and may be cancelled.
    expired,   ///< Its time came and its handler is about to be called.
    cancelled, ///< By name or by its slot.
    stopped,   ///< With all the others.
    dismissed  ///< It was never started, or its context is gone.
};

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
    time_point from_now() const { return is_relative_ ? tick_add(Clock::now(), value_) : time_point(value_); }

private:
    duration value_;
    bool is_relative_;
};

/// An address for each type.
template <class T>
struct named_type_tag
{
    static constexpr char value = 0;
};

/// Unlinks itself, whichever list it is in.
using named_handler_hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// The completion handler of a started wait, its type erased.
/**
 * It is apart from the operation on the timer, so that a timer is armed, under the mutex, without
 * touching what belongs to the user, and so that it may be called by another wait's operation.
 */
template <class Timer>
class named_handler : public named_handler_hook
{
public:
    using list_type = boost::intrusive::list<named_handler, boost::intrusive::base_hook<named_handler_hook>,
        boost::intrusive::constant_time_size<false>>;

    named_handler(const named_handler&) = delete;
    named_handler& operator=(const named_handler&) = delete;

    /// Waits on the record's timer; the wait completes on the handler's executor. Called under the
    /// mutex.
    virtual void start_wait(const boost::intrusive_ptr<named_record<Timer>>& record) = 0;

    /// Frees this and calls the handler. Precondition: runs on the handler's executor.
    virtual void complete(boost::system::error_code ec) = 0;

    /// Frees this and queues the handler, by way of the timers' executor where it has to be.
    virtual void post(const typename Timer::executor_type& timers, boost::system::error_code ec) = 0;

    /// Frees this and the handler.
    virtual void destroy() noexcept = 0;

    /// Whether both are to be called on the same executor.
    bool shares_executor(const named_handler& other) const
    {
        if (type_tag_ == other.type_tag_)
            return is_bound_to(other.executor_);
        constexpr const void* any = &named_type_tag<boost::asio::any_io_executor>::value;
        if (type_tag_ == any)
            return other.is_bound_to(*static_cast<const boost::asio::any_io_executor*>(executor_));
        if (other.type_tag_ == any)
            return is_bound_to(*static_cast<const boost::asio::any_io_executor*>(other.executor_));
        return false;
    }

    named_outcome outcome = named_outcome::undecided; ///< What it is told, once that was decided against it.
    named_record<Timer>* carrier = nullptr;           ///< From then on: whose operation brings it.
    list_type followers;                              ///< And those that ended later on the same executor.

protected:
    /// What it is called on, and an address that stands for the type of that.
    named_handler(const void* executor, const void* type_tag) noexcept : executor_(executor), type_tag_(type_tag) {}

    ~named_handler() = default;

private:
    /// Whether it is to be called on an executor, which is of the same type.
    virtual bool is_bound_to(const void* executor) const = 0;

    /// Whether it is to be called on the executor that is held there.
    virtual bool is_bound_to(const boost::asio::any_io_executor& any) const = 0;

    const void* const executor_;
    const void* const type_tag_;
};

struct named_by_name;
struct named_by_age;
using named_by_name_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<named_by_name>>;
using named_by_age_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<named_by_age>>;

/// A name, which is there as long as somebody waits under it.
template <class Timer>
struct named_name
{
    explicit named_name(std::string&& s) : text(std::move(s)) {}

    const std::string text;

    /// Oldest first.
    boost::intrusive::list<named_record<Timer>, boost::intrusive::base_hook<named_by_name_hook>> waits;
};

/// A named wait, from prepare or async_wait until its handler is called.
/**
 * Guarded by the mutex of named_state. Shared by whoever may start or end it: the operation on the
 * timer, the handler's slot, and `prepared`. The lists of named_state hold it while it is undecided,
 * but do not own it.
 */
template <class Timer>
struct named_record : boost::intrusive_ref_counter<named_record<Timer>, boost::thread_safe_counter>,
                      named_by_name_hook,
                      named_by_age_hook
{
    /// Enough for the operation of a wait on any two executors of Asio's own, of which a strand on a type-erased one is
    /// the largest: a wait that was moved while its expiry was queued is armed anew without memory.
    static constexpr std::size_t room =
        112 + sizeof(typename Timer::executor_type) + sizeof(boost::asio::strand<boost::asio::any_io_executor>);

    explicit named_record(const boost::intrusive_ptr<named_state<Timer>>& owner) : state(owner) {}

    const boost::intrusive_ptr<named_state<Timer>> state;
    named_name<Timer>* own_name = nullptr;   ///< While it is in the lists.
    named_handler<Timer>* handler = nullptr; ///< Once started, until it is called or destroyed.
    std::optional<Timer> timer;              ///< From the start until the outcome is decided, or the context goes.
    named_outcome outcome = named_outcome::undecided;
    bool started = false;             ///< It was given a handler.
    bool queued_for_old_time = false; ///< It was moved after its expiry was queued: arm anew.
    bool arming = false;              ///< The wait is just being started, under the mutex.
    bool refused = false;             ///< The context destroyed the wait while it was being started.
    bool in_slot = false;             ///< The handler's slot names it. Goes with the slot, not with the mutex.
    job_op_room<room> memory;
};

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

/// A completion handler in memory of its associated allocator.
template <class Timer, class Handler>
class named_handler_of final : public named_handler<Timer>
{
public:
    /// `slotted` is the record that the handler's slot names, null if it names none.
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

    void post(const typename Timer::executor_type& timers, boost::system::error_code ec) override
    {
        const handler_executor executor(executor_);
        post_named_completion(executor, timers, take_handler(), ec);
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

#endif // BOOST_EXT_DETAIL_NAMED_RECORD_HPP
