// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_CLOCK_WATCH_HPP
#define BOOST_EXT_CLOCK_WATCH_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/system/error_code.hpp>
#include <boost_ext/detail/clock_steps.hpp>
#include <boost_ext/detail/tick_default_token.hpp>
#include <boost_ext/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace boost_ext {

/// Tells when the wall clock was set.
/**
 * A wait completes when the clock was set since the watch was made, or since the previous completion, so that a loop misses no
 * step. (With io_uring as Asio's default backend steps are not noticed.)
 *
 * @par Thread Safety
 * Distinct objects: safe. Shared objects: unsafe.
 *
 * @par Object lifetimes
 * Destroying a watch completes its pending waits with `boost::asio::error::operation_aborted`. A pending wait is one unit of outstanding
 * work of the context.
 *
 * @par Exception Safety
 * Strong for every member; constructors and `async_wait` throw if memory or descriptors run out.
 *
 * @par Complexity
 * Constant. All watches, and all timers of clocks that may be set, share one descriptor of the context.
 *
 * @par Example
 * @code
 * boost_ext::clock_watch watch(context);
 * watch.async_wait([](boost::system::error_code ec) {
 *     if (!ec)
 *         std::cout << "the wall clock was set: recompute what depends on it\n";
 * });
 * @endcode
 */
class clock_watch
{
public:
    /// The type of the executor associated with the watch.
    using executor_type = boost::asio::any_io_executor;

    /// Watch from now on.
    /**
     * @throws boost::system::system_error If there are no descriptors left.
     */
    explicit clock_watch(const executor_type& ex) : clock_watch(ex, boost::asio::query(ex, boost::asio::execution::context)) {}

    /// Watch from now on, on a context.
    template <class ExecutionContext>
    explicit clock_watch(ExecutionContext& context,
        std::enable_if_t<std::is_convertible<ExecutionContext&, boost::asio::execution_context&>::value, int> = 0)
        : clock_watch(executor_type(context.get_executor()), context)
    {
    }

    /// Moved-from watches may only be destroyed or assigned to.
    clock_watch(clock_watch&&) noexcept = default;

    /// Waits of the target are cancelled.
    clock_watch& operator=(clock_watch&& other) noexcept
    {
        if (this != &other)
        {
            close();
            state_ = std::move(other.state_);
        }
        return *this;
    }

    /// Pending waits complete with `boost::asio::error::operation_aborted`.
    ~clock_watch() { close(); }

    /// The executor associated with the watch.
    executor_type get_executor() const noexcept { return state_->timer.get_executor(); }

    /// Cancel pending waits; returns how many.
    std::size_t cancel()
    {
        std::lock_guard<std::mutex> lock(state_->mutex);
        return state_->end_waits(false);
    }

    /// Wait until the wall clock is set.
    /**
     * @param token The completion token. If left out, the default token of the executor, or `deferred` where it has none.
     *
     * @par Completion Signature
     * @code void(boost::system::error_code) @endcode
     * Success if the clock was set since the watch was made or since the previous completion, also if that was before this call;
     * `boost::asio::error::operation_aborted` if the wait was cancelled or the watch destroyed. The handler is never called from inside
     * this function.
     *
     * @par Per-Operation Cancellation
     * Terminal, partial and total each cancel this wait.
     *
     * @par Exception Safety
     * Strong: if memory runs out, `std::bad_alloc` is thrown and nothing was started.
     */
    template <class Token = detail::tick_default_token_t<executor_type>>
    auto async_wait(Token&& token = detail::tick_default_token_t<executor_type>())
    {
        return boost::asio::async_compose<Token, void(boost::system::error_code)>(
            operation{state_}, token, state_->timer.get_executor());
    }

private:
    struct state final : detail::step_listener
    {
        state(const executor_type& ex, boost::asio::execution_context& context)
            : steps(boost::asio::use_service<detail::clock_steps>(context)), timer(ex, (steady_timer::time_point::max)())
        {
        }

        void clock_stepped() override
        {
            std::lock_guard<std::mutex> lock(mutex);
            ++count;
            end_waits(true);
        }

        /// Precondition: the mutex is held.
        std::size_t end_waits(bool by_step)
        {
            if (pending)
                *std::exchange(pending, nullptr) = by_step;
            return timer.cancel();
        }

        detail::clock_steps& steps;
        std::mutex mutex;
        steady_timer timer;            // never expires: waits are cancelled by a step, or by the user
        std::shared_ptr<bool> pending; // shared by the pending waits: whether it was a step that ended them
        std::uint64_t count = 0;
        std::uint64_t reported = 0;
    };

    struct operation
    {
        std::shared_ptr<state> s;
        std::shared_ptr<const bool> stepped{}; // null if there was a step before the start
        bool started = false;

        template <class Self>
        void operator()(Self& self, boost::system::error_code ec = {})
        {
            if (!started)
            {
                started = true;
                self.reset_cancellation_state(boost::asio::enable_total_cancellation());
                auto& st = *s;
                std::lock_guard<std::mutex> lock(st.mutex);
                if (st.count != st.reported)
                {
                    boost::asio::post(st.timer.get_executor(), std::move(self));
                    return;
                }
                if (!st.pending)
                    st.pending = std::make_shared<bool>(false);
                stepped = st.pending;
                st.timer.async_wait(std::move(self));
                return;
            }
            const auto st = std::move(s);
            {
                std::lock_guard<std::mutex> lock(st->mutex);
                // What was cancelled stays so, though there was a step before this was called: the next wait reports it.
                const bool success = !stepped || (*stepped && self.cancelled() == boost::asio::cancellation_type::none);
                if (success)
                {
                    ec = boost::system::error_code();
                    st->reported = st->count;
                }
            }
            self.complete(ec);
        }
    };

    clock_watch(const executor_type& ex, boost::asio::execution_context& context) : state_(std::make_shared<state>(ex, context))
    {
        state_->steps.add(*state_);
    }

    void close() noexcept
    {
        if (!state_)
            return;
        state_->steps.remove(*state_);
        std::lock_guard<std::mutex> lock(state_->mutex);
        state_->end_waits(false);
    }

    std::shared_ptr<state> state_;
};

} // namespace boost_ext

#endif
