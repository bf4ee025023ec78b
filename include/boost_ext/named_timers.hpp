// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_NAMED_TIMERS_HPP
#define BOOST_EXT_NAMED_TIMERS_HPP

#include <boost_ext/basic_waitable_timer.hpp>
#include <boost_ext/detail/clock_key.hpp>
#include <boost_ext/detail/named_initiation.hpp>
#include <boost_ext/detail/named_state.hpp>
#include <boost_ext/detail/tick_default_token.hpp>
#include <boost_ext/error.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace boost_ext {

/// Waits that are cancelled and moved by name.
/**
 * A table of waits, such as the expiries of sessions: any number of waits may share a name, and
 * whoever knows the name may cancel them, oldest first, or move their expiry. Oldest means first asked
 * for, whatever the expiry. A name is there as long as somebody waits under it.
 *
 * Each wait completes exactly once, with one of
 *
 * - success: its time came;
 * - `boost::asio::error::operation_aborted`: it was cancelled, by name or by its slot;
 * - `boost_ext::error::stopped`: everything was stopped.
 *
 * The first of these decides. Success is decided on the executor of the handler, immediately before
 * it is called, so that a wait that `cancel` has counted never reports success, even if its expiry
 * was queued already. A wait leaves `contains`, `size` and the reach of `cancel` when it is decided.
 *
 * @par Object lifetimes
 * Destroying the object stops its waits and does not block. What was prepared may outlive it.
 * A started wait is one unit of outstanding work; destroying the context destroys the handlers
 * without calling them, but for those that were handed over to another context before: these
 * complete there.
 *
 * @par Thread Safety
 * All members may be called from any thread (except on contexts whose concurrency hint switches
 * locking off). No lock is held while a handler is called, moved or destroyed. A `prepared` is to
 * be used by one thread at a time.
 *
 * @par Exception Safety
 * Strong for every member; only constructors, `prepare` and the `async_*` operations throw.
 *
 * @par Complexity
 * A wait costs what a timer costs; a name, an entry in a hash table.
 *
 * @tparam Clock The clock that measures the waits.
 * @tparam WaitTraits How long to wait for a time of that clock.
 * @tparam Executor The type of the executor.
 *
 * @par Example
 * @code
 * boost_ext::named_timers sessions(io);
 * sessions.async_wait("session-42", 30s, [](error_code ec) { if (!ec) log_out(42); });
 * ...
 * sessions.reschedule_after("session-42", 30s);   // a packet came
 * sessions.cancel("session-42");                  // the user logged out
 * @endcode
 */
template <class Clock, class WaitTraits = boost::asio::wait_traits<Clock>, class Executor = boost::asio::any_io_executor>
class basic_named_timers
{
    using timer_type = basic_waitable_timer<Clock, WaitTraits, Executor>;
    using state_type = detail::named_state<timer_type>;
    using limit_type = detail::named_limit<Clock>;
    using default_token = detail::tick_default_token_t<Executor>;

public:
    /// The type of the executor.
    using executor_type = Executor;

    /// The named timers on another executor.
    template <class Executor1>
    struct rebind_executor
    {
        /// The type of the named timers.
        using other = basic_named_timers<Clock, WaitTraits, Executor1>;
    };

    /// The clock.
    using clock_type = Clock;

    /// The clock's duration.
    using duration = typename clock_type::duration;

    /// The clock's time point.
    using time_point = typename clock_type::time_point;

    /// The wait traits.
    using traits_type = WaitTraits;

    /// As many as there are.
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

    class prepared;

    /// Constructs named timers on an executor.
    /**
   * @par Exception Safety
   * Throws `std::bad_alloc` if memory runs out.
   */
    explicit basic_named_timers(const executor_type& executor) : executor_(executor), state_(new state_type(executor)) {}

    /// Constructs named timers on the executor of a context.
    /**
   * @par Exception Safety
   * Throws `std::bad_alloc` if memory runs out.
   */
    template <class ExecutionContext,
        std::enable_if_t<std::is_convertible<ExecutionContext&, boost::asio::execution_context&>::value, int> = 0>
    explicit basic_named_timers(ExecutionContext& context) : basic_named_timers(executor_type(context.get_executor()))
    {
    }

    /// Named timers are neither copied nor moved.
    basic_named_timers(const basic_named_timers&) = delete;

    /// Named timers are neither copied nor moved.
    basic_named_timers& operator=(const basic_named_timers&) = delete;

    /// Does what `stop()` does.
    ~basic_named_timers() { state_->stop(); }

    /// The executor of the timers, and of handlers that have none of their own.
    executor_type get_executor() const noexcept { return executor_; }

    /// Waits for some time under a name.
    /**
   * @param name The name. It is copied; many waits may share it.
   *
   * @param d How long to wait, counted from the launch of the operation. A sum that the clock cannot
   * hold saturates.
   *
   * @param token The completion token. If left out, the default token of the executor, or `deferred`
   * where it has none.
   *
   * @par Completion Signature
   * @code void(boost::system::error_code) @endcode
   * Success when the time has come, `boost::asio::error::operation_aborted` if cancelled,
   * `boost_ext::error::stopped` if everything was stopped, before or after. The handler is never
   * called from within this function, and `run()` counts one handler.
   *
   * @par Per-Operation Cancellation
   * `terminal`, `partial` and `total` each do for this wait what `cancel` does.
   *
   * @par Exception Safety
   * Strong: if memory runs out, `std::bad_alloc` is thrown and nothing was started.
   *
   * @par Complexity
   * Constant on average.
   */
    template <class Token = default_token>
    decltype(auto) async_wait(std::string_view name, duration d, Token&& token = Token())
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
            detail::initiate_named_wait<timer_type>(executor_, state_), token, std::string(name), limit_type(d));
    }

    /// Waits for a point in time under a name.
    /**
   * As the overload that takes a duration. A time in the past completes promptly,
   * `time_point::max()` never comes.
   */
    template <class Token = default_token>
    decltype(auto) async_wait(std::string_view name, time_point time, Token&& token = Token())
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
            detail::initiate_named_wait<timer_type>(executor_, state_), token, std::string(name), limit_type(time));
    }

    /// Prepares a wait that is to be started later.
    /**
   * From now on it has its name and its age, and may be cancelled. It holds no work.
   *
   * @param name The name.
   *
   * @param d How long to wait, counted from `prepared::async_start`.
   *
   * @returns What starts it. Dropping that dismisses the wait.
   *
   * @par Exception Safety
   * Strong: if memory runs out, `std::bad_alloc` is thrown and nothing was prepared.
   *
   * @par Complexity
   * Constant on average.
   *
   * @par Example
   * @code
   * auto request = names.prepare("request-7", 5s);
   * ...
   * request.async_start([&](error_code ec) { result = ec; });
   * @endcode
   */
    prepared prepare(std::string_view name, duration d) { return prepared(executor_, state_, std::string(name), limit_type(d)); }

    /// Prepares a wait for a point in time that is to be started later.
    /**
   * As the overload that takes a duration.
   */
    prepared prepare(std::string_view name, time_point time)
    {
        return prepared(executor_, state_, std::string(name), limit_type(time));
    }

    /// Cancels waits by name, the oldest first.
    /**
   * Takes every wait whose handler has not begun, also if its expiry is queued already. What was
   * prepared but not started leaves its name at once.
   *
   * @param name The name.
   *
   * @param max How many to cancel at most.
   *
   * @returns How many were cancelled, 0 for an unknown name. Each of these completes with
   * `boost::asio::error::operation_aborted`; completions are queued oldest first.
   *
   * @par Exception Safety
   * Does not throw.
   *
   * @par Complexity
   * Linear in the number of waits cancelled.
   */
    std::size_t cancel(std::string_view name, std::size_t max = npos) { return state_->cancel(name, max); }

    /// Moves every started wait of a name to some time from now, earlier or later.
    /**
   * Nothing completes. A wait whose expiry is queued already is moved too; `run()` counts it once more if it
   * has to wait again.
   *
   * @param name The name.
   *
   * @param d The time from now. A sum that the clock cannot hold saturates.
   *
   * @returns How many were moved, 0 for an unknown name.
   *
   * @par Exception Safety
   * Does not throw, and allocates nothing.
   *
   * @par Complexity
   * One look-up, and a `basic_waitable_timer::reschedule_at` for each wait of the name.
   */
    std::size_t reschedule_after(std::string_view name, duration d)
    {
        return reschedule_at(name, detail::saturating_add(clock_type::now(), d));
    }

    /// Moves every started wait of a name to a point in time, earlier or later.
    /**
   * As `reschedule_after`.
   */
    std::size_t reschedule_at(std::string_view name, time_point time) { return state_->reschedule(name, time); }

    /// Whether anybody waits under a name.
    /**
   * @par Complexity
   * Constant on average.
   */
    bool contains(std::string_view name) const { return state_->contains(name); }

    /// How many waits there are, prepared ones included, over all names.
    /**
   * @par Complexity
   * Constant.
   */
    std::size_t size() const { return state_->size(); }

    /// Ends everything.
    /**
   * Every wait whose handler has not begun completes with `boost_ext::error::stopped`, and so does
   * every wait that is started from now on. There is no way back.
   *
   * @par Exception Safety
   * Does not throw.
   *
   * @par Complexity
   * Linear in the number of waits. Completions are queued oldest first.
   */
    void stop() { state_->stop(); }

private:
    const executor_type executor_;
    const boost::intrusive_ptr<state_type> state_;
};

/// A named wait that is not started yet.
/**
 * It counts in `contains`, `size` and `cancel` under its name, and ages from `prepare`. Destroying it
 * before the start, or assigning to it, dismisses the wait; afterwards neither touches it.
 *
 * @par Thread Safety
 * Distinct objects: safe. One object: unsafe.
 *
 * @par Exception Safety
 * Moving and destroying do not throw.
 *
 * @par Complexity
 * Constant on average for every member.
 *
 * @par Example
 * @code
 * auto request = names.prepare("request-7", 5s);
 * ...
 * request.async_start([&](error_code ec) { result = ec; });
 * @endcode
 */
template <class Clock, class WaitTraits, class Executor>
class basic_named_timers<Clock, WaitTraits, Executor>::prepared
{
public:
    /// The type of the executor.
    using executor_type = Executor;

    /// Takes over a wait. The other has none any more.
    prepared(prepared&& other) noexcept
        : executor_(other.executor_), state_(other.state_), record_(std::move(other.record_)), limit_(other.limit_)
    {
    }

    /// Dismisses the own wait if it was not started, then takes over another.
    prepared& operator=(prepared&& other) noexcept
    {
        // Executors need not be assignable: this is a new one in place of the old.
        if (this != &other)
        {
            std::destroy_at(this);
            ::new (static_cast<void*>(this)) prepared(std::move(other));
        }
        return *this;
    }

    /// Dismisses the wait if it was not started.
    ~prepared()
    {
        if (record_)
            state_->dismiss(*record_);
    }

    /// The executor of the timers, and of handlers that have none of their own.
    executor_type get_executor() const noexcept { return executor_; }

    /// Starts the wait.
    /**
   * A duration counts from here. This is called once: a second call, or one on an object that was
   * moved from, completes with `boost::asio::error::already_started`.
   *
   * @param token The completion token. If left out, the default token of the executor, or `deferred`
   * where it has none.
   *
   * @par Completion Signature
   * @code void(boost::system::error_code) @endcode
   * As for `async_wait`. If the wait was cancelled, or the named timers were stopped or destroyed
   * meanwhile, it completes at once, as if by `post`, with `boost::asio::error::operation_aborted` or
   * `boost_ext::error::stopped`.
   *
   * @par Per-Operation Cancellation
   * `terminal`, `partial` and `total` each do for this wait what `cancel` does.
   *
   * @par Exception Safety
   * Strong: if memory runs out, `std::bad_alloc` is thrown and the wait is as it was.
   */
    template <class Token = default_token>
    decltype(auto) async_start(Token&& token = Token())
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
            detail::initiate_named_start<timer_type>(executor_, state_, record_), token, limit_);
    }

private:
    friend class basic_named_timers;

    prepared(const executor_type& executor, const boost::intrusive_ptr<state_type>& state, std::string name, limit_type limit)
        : executor_(executor), state_(state), record_(state->prepare(std::move(name))), limit_(limit)
    {
    }

    executor_type executor_;
    boost::intrusive_ptr<state_type> state_;
    boost::intrusive_ptr<detail::named_record<timer_type>> record_;
    limit_type limit_;
};

/// Named timers on the steady clock.
using named_timers = basic_named_timers<std::chrono::steady_clock>;

} // namespace boost_ext

#endif // BOOST_EXT_NAMED_TIMERS_HPP
