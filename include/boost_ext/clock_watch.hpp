// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_CLOCK_WATCH_HPP
#define BOOST_EXT_CLOCK_WATCH_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/system/error_code.hpp>
#include <boost_ext/detail/clock_watch_wait.hpp>
#include <boost_ext/detail/executor_context.hpp>
#include <boost_ext/detail/tick_default_token.hpp>
#include <cstddef>
#include <memory>
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
    explicit clock_watch(const executor_type& ex) : clock_watch(ex, detail::context_of(ex)) {}

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
    executor_type get_executor() const noexcept { return state_->get_executor(); }

    /// Cancel pending waits; returns how many.
    std::size_t cancel() { return state_ ? state_->cancel() : 0; }

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
    decltype(auto) async_wait(Token&& token = detail::tick_default_token_t<executor_type>())
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(detail::initiate_watch_wait(state_), token);
    }

private:
    clock_watch(const executor_type& ex, boost::asio::execution_context& context)
        : state_(std::make_shared<detail::clock_watch_state>(ex, context))
    {
    }

    void close() noexcept
    {
        if (state_)
            state_->close();
    }

    std::shared_ptr<detail::clock_watch_state> state_;
};

} // namespace boost_ext

#endif
