// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_BASIC_WAITABLE_TIMER_HPP
#define BOOST_EXT_BASIC_WAITABLE_TIMER_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/version.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>
#include <boost/throw_exception.hpp>
#include <boost_ext/detail/executor_context.hpp>
#include <boost_ext/detail/timer_service.hpp>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace boost_ext {

/// A timer that can be waited for: a drop-in replacement for `boost::asio::basic_waitable_timer`.
/**
 * Has the members of Asio's class template, with the same signatures, return values and behaviour, so that replacing
 * `boost::asio::steady_timer` by `boost_ext::steady_timer` is a text substitution. Beyond that it moves deadlines without
 * cancelling (`reschedule_at`, `reschedule_after`), lets neighbours share a wake-up (`slack`), fires timers of equal expiry in the
 * order in which they were armed, and cancels through a slot also after it was moved.
 *
 * @tparam Clock      Any clock in the sense of the standard library.
 * @tparam WaitTraits How long to wait, in real time, for a duration of the clock to pass.
 * @tparam Executor   The executor that handlers without one of their own run on.
 *
 * @par Thread Safety
 * Distinct objects: safe. Shared objects: unsafe. Distinct timers of one context may be used in different threads at a time.
 *
 * @par Exception Safety
 * Strong for every member. Only constructors, `async_wait` and `slack` allocate; what does not allocate throws nothing of its own.
 *
 * @par Complexity
 * Amortised constant for every member but `wait`, with any number of timers pending, and linear in the number of waits of this timer
 * for those that complete or count them.
 *
 * @par Object lifetimes
 * A timer may be destroyed while waits are pending: they complete with `operation_aborted`. It must not outlive its execution
 * context, except for handlers that own timers and are destroyed by the context itself.
 *
 * @par Example
 * @code
 * boost_ext::steady_timer timer(context, std::chrono::seconds(5));
 * timer.async_wait([](boost::system::error_code ec) {
 *     if (!ec)
 *         std::cout << "five seconds later\n";
 * });
 * @endcode
 */
template <class Clock, class WaitTraits = boost::asio::wait_traits<Clock>, class Executor = boost::asio::any_io_executor>
class basic_waitable_timer
{
    using service_type = detail::timer_service<Clock, WaitTraits>;

    template <class Context>
    using if_context = std::enable_if_t<std::is_convertible<Context&, boost::asio::execution_context&>::value, int>;

    template <class Executor1>
    using if_convertible = std::enable_if_t<std::is_convertible<Executor1, Executor>::value, int>;

    class initiate_async_wait;

public:
    /// The type of the executor associated with the timer.
    using executor_type = Executor;

    /// The timer type for another executor.
    template <class Executor1>
    struct rebind_executor
    {
        /// The timer type when rebound to the other executor.
        using other = basic_waitable_timer<Clock, WaitTraits, Executor1>;
    };

    /// The clock.
    using clock_type = Clock;

    /// The clock's duration.
    using duration = typename clock_type::duration;

    /// The clock's time point.
    using time_point = typename clock_type::time_point;

    /// The wait traits.
    using traits_type = WaitTraits;

    /// Construct a timer without an expiry: it expired at the clock's epoch.
    /**
     * @param ex The executor that handlers run on by default.
     * @throws std::bad_alloc, boost::system::system_error If this is the context's first timer of this clock and its service cannot be
     * created. The context stays usable.
     */
    explicit basic_waitable_timer(const executor_type& ex) : service_(&service_type::of(detail::context_of(ex))), executor_(ex) {}

    /// Construct a timer without an expiry on a context.
    template <class ExecutionContext>
    explicit basic_waitable_timer(ExecutionContext& context, if_context<ExecutionContext> = 0)
        : service_(&service_type::of(context)), executor_(context.get_executor())
    {
    }

    /// Construct a timer that expires at a time.
    basic_waitable_timer(const executor_type& ex, const time_point& expiry_time) : basic_waitable_timer(ex)
    {
        implementation_.expiry = expiry_time;
    }

    /// Construct a timer on a context that expires at a time.
    template <class ExecutionContext>
    explicit basic_waitable_timer(ExecutionContext& context, const time_point& expiry_time, if_context<ExecutionContext> = 0)
        : basic_waitable_timer(context)
    {
        implementation_.expiry = expiry_time;
    }

    /// Construct a timer that expires after a duration, counted from now.
    basic_waitable_timer(const executor_type& ex, const duration& expiry_time) : basic_waitable_timer(ex)
    {
        implementation_.expiry = from_now(expiry_time);
    }

    /// Construct a timer on a context that expires after a duration, counted from now.
    template <class ExecutionContext>
    explicit basic_waitable_timer(ExecutionContext& context, const duration& expiry_time, if_context<ExecutionContext> = 0)
        : basic_waitable_timer(context)
    {
        implementation_.expiry = from_now(expiry_time);
    }

    /// Move a timer, with its expiry, its slack and its pending waits.
    /**
     * The moved-from timer is as if newly constructed with `executor_type`. Takes no lock and keeps the timer's place among equals.
     */
    basic_waitable_timer(basic_waitable_timer&& other) noexcept
        : service_(other.service_),
          implementation_(std::exchange(other.implementation_, implementation_type())),
          executor_(other.executor_)
    {
    }

    /// Move a timer from one of another executor type.
    template <class Executor1>
    basic_waitable_timer(basic_waitable_timer<Clock, WaitTraits, Executor1>&& other, if_convertible<Executor1> = 0)
        : service_(other.service_), executor_(other.executor_)
    {
        implementation_ = std::exchange(other.implementation_, implementation_type());
    }

    basic_waitable_timer(const basic_waitable_timer&) = delete;
    basic_waitable_timer& operator=(const basic_waitable_timer&) = delete;

    /// Move a timer into this one, whose own waits are cancelled. The timers may belong to different contexts.
    basic_waitable_timer& operator=(basic_waitable_timer&& other)
    {
        if (this != &other)
            assign(other);
        return *this;
    }

    /// Move a timer of another executor type into this one.
    template <class Executor1>
    std::enable_if_t<std::is_convertible<Executor1, Executor>::value, basic_waitable_timer&> operator=(
        basic_waitable_timer<Clock, WaitTraits, Executor1>&& other)
    {
        assign(other);
        return *this;
    }

    /// Destroy the timer. Pending waits complete with `boost::asio::error::operation_aborted`.
    ~basic_waitable_timer() { release(); }

    /// The executor associated with the timer.
    const executor_type& get_executor() noexcept { return executor_; }

    /// Cancel all pending waits; their handlers get `boost::asio::error::operation_aborted`.
    /**
     * A wait whose time has come and which the reactor has collected already is no longer pending: it completes with success.
     *
     * @return The number of waits that were cancelled.
     *
     * @par Complexity
     * Amortised constant. The kernel is not called.
     *
     * @par Example
     * @code
     * std::size_t taken_off = timer.cancel();
     * @endcode
     */
    std::size_t cancel() { return service_->cancel(implementation_); }

    /// Cancel the oldest pending wait.
    /**
     * @return The number of waits that were cancelled: 0 or 1.
     */
    std::size_t cancel_one() { return service_->cancel_one(implementation_); }

    /// When the timer expires, or expired.
    time_point expiry() const { return implementation_.expiry; }

    /// Cancel pending waits and set the expiry to a time.
    /**
     * @return The number of waits that were cancelled.
     */
    std::size_t expires_at(const time_point& expiry_time) { return service_->expires_at(implementation_, expiry_time); }

    /// Cancel pending waits and set the expiry to a duration from now. Saturates at `time_point::max()`, which never comes.
    /**
     * @return The number of waits that were cancelled.
     */
    std::size_t expires_after(const duration& expiry_time)
    {
        service_->prefetch(implementation_);
        return expires_at(from_now(expiry_time));
    }

    /// Move the deadline to a time, earlier or later, without cancelling: pending waits keep waiting.
    /**
     * The idle-timeout operation: one call a packet. The timer counts as armed anew among those of the same expiry. A wait that has
     * expired but was not collected by the reactor is carried over like any other; one that was collected completes with success.
     *
     * @return The number of waits that were carried over; 0 if none is pending, when only the expiry is set.
     *
     * @par Exception Safety
     * Allocates nothing and does not throw.
     *
     * @par Complexity
     * Later: constant, without a change in the queue. Earlier: amortised constant.
     *
     * @par Example
     * @code
     * idle_.async_wait([this](error_code ec) {
     *     if (!ec)
     *         closed_ = true;
     * });
     * ...
     * void on_packet() { idle_.reschedule_after(30s); } // The wait goes on.
     * @endcode
     */
    std::size_t reschedule_at(const time_point& expiry_time) { return service_->reschedule_at(implementation_, expiry_time); }

    /// Move the deadline to a duration from now, without cancelling. Saturates as `expires_after` does.
    /**
     * @return The number of waits that were carried over.
     * @see reschedule_at
     */
    std::size_t reschedule_after(const duration& expiry_time)
    {
        service_->prefetch(implementation_);
        return reschedule_at(from_now(expiry_time));
    }

    /// Let the timer fire anywhere between its expiry and that much later, so that neighbours share one wake-up.
    /**
     * Never early. Holds from the next arming or rescheduling on; kept by `expires_at`, `expires_after` and `cancel`; moves with the timer.
     * On a manual clock, which wakes nobody up, a timer fires at its expiry all the same.
     *
     * @param d The slack; 0, the default, turns it off.
     * @throws std::invalid_argument If `d` is negative.
     * @throws std::bad_alloc Only while waits are pending. Nothing has changed then.
     *
     * @par Example
     * @code
     * keep_alives.back().slack(2s);
     * keep_alives.back().async_wait([&](error_code ec) { sent += !ec; });
     * @endcode
     */
    void slack(const duration& d)
    {
        if (d < duration::zero())
            boost::throw_exception(std::invalid_argument(
                "boost_ext::basic_waitable_timer::slack: a timer cannot fire early; pass a slack of zero or more"));
        service_->slack(implementation_, d);
    }

    /// How much later than its expiry the timer may fire.
    duration slack() const { return implementation_.slack; }

    /// Block until the timer has expired.
    /**
     * Independent of any asynchronous wait. Returns at once if the timer has expired already. On a manual clock, returns when another
     * thread has advanced it far enough.
     */
    void wait() { service_->wait(implementation_); }

    /// Block until the timer has expired.
    /**
     * @param ec Set to success.
     */
    void wait(boost::system::error_code& ec)
    {
        wait();
        ec = boost::system::error_code();
    }

    /// Wait for the timer to expire.
    /**
     * May be called several times: the waits complete in the order in which they were started. The handler is never called from inside
     * this function.
     *
     * @param token The completion token: a callback, `use_future`, `use_awaitable`, `deferred`, …
     *
     * @par Completion Signature
     * @code void(boost::system::error_code) @endcode
     * Success when the timer has expired, `boost::asio::error::operation_aborted` when the wait was cancelled.
     *
     * @par Per-Operation Cancellation
     * Terminal, partial and total each cancel this one wait, also after the timer was moved.
     *
     * @par Exception Safety
     * Strong guarantee: `std::bad_alloc` leaves the timer, the queue and the context as they were.
     *
     * @par Complexity
     * Amortised constant. The kernel is called only if no earlier deadline is pending.
     */
    template <BOOST_ASIO_COMPLETION_TOKEN_FOR(void(boost::system::error_code))
            WaitToken = boost::asio::default_completion_token_t<executor_type>>
    auto async_wait(WaitToken&& token = boost::asio::default_completion_token_t<executor_type>())
        -> decltype(boost::asio::async_initiate<WaitToken, void(boost::system::error_code)>(
            std::declval<initiate_async_wait>(), token))
    {
        return boost::asio::async_initiate<WaitToken, void(boost::system::error_code)>(initiate_async_wait(this), token);
    }

#if !defined(BOOST_ASIO_NO_DEPRECATED) && BOOST_ASIO_VERSION < 103200 // Boost 1.87 removed them
    /// Deprecated: use the overload without an error_code.
    std::size_t cancel(boost::system::error_code& ec)
    {
        ec = boost::system::error_code();
        return cancel();
    }

    /// Deprecated: use the overload without an error_code.
    std::size_t cancel_one(boost::system::error_code& ec)
    {
        ec = boost::system::error_code();
        return cancel_one();
    }

    /// Deprecated: use expiry().
    time_point expires_at() const
    {
        return expiry();
    }

    /// Deprecated: use the overload without an error_code.
    std::size_t expires_at(const time_point& expiry_time, boost::system::error_code& ec)
    {
        ec = boost::system::error_code();
        return expires_at(expiry_time);
    }

    /// Deprecated: use expiry().
    duration expires_from_now() const
    {
        return detail::saturating_subtract(expiry(), Clock::now());
    }

    /// Deprecated: use expires_after().
    std::size_t expires_from_now(const duration& expiry_time)
    {
        return expires_after(expiry_time);
    }

    /// Deprecated: use expires_after().
    std::size_t expires_from_now(const duration& expiry_time, boost::system::error_code& ec)
    {
        ec = boost::system::error_code();
        return expires_after(expiry_time);
    }
#endif

private:
    template <class, class, class>
    friend class basic_waitable_timer;

    using implementation_type = typename service_type::implementation;

    class initiate_async_wait
    {
    public:
        using executor_type = Executor;

        explicit initiate_async_wait(basic_waitable_timer* self) : self_(self) {}

        const executor_type& get_executor() const noexcept { return self_->get_executor(); }

        template <class WaitHandler>
        void operator()(WaitHandler&& handler) const
        {
            auto h = std::decay_t<WaitHandler>(std::forward<WaitHandler>(handler));
            self_->service_->async_wait(self_->implementation_, h, self_->executor_);
        }

    private:
        basic_waitable_timer* self_;
    };

    static time_point from_now(const duration& d)
    {
        return detail::saturating_add(Clock::now(), d);
    }

    /// The service may be gone if nothing waits: a handler that the context destroys last may own the timer.
    void release()
    {
        if (implementation_.waits)
            service_->release(implementation_);
    }

    template <class Timer>
    void assign(Timer& other)
    {
        release();
        service_ = other.service_;
        implementation_ = std::exchange(other.implementation_, implementation_type());
        // Executors need not be assignable: this is a new one in place of the old.
        std::destroy_at(std::addressof(executor_));
        ::new (static_cast<void*>(std::addressof(executor_))) executor_type(other.executor_);
    }

    service_type* service_;
    implementation_type implementation_;
    executor_type executor_;
};

} // namespace boost_ext

#include <boost_ext/impl/cancel_after.hpp>

#endif
