// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_SLEEP_HPP
#define BOOST_EXT_SLEEP_HPP

#include <boost_ext/detail/sleep_limit.hpp>
#include <boost_ext/detail/sleep_op.hpp>
#include <boost_ext/detail/tick_default_token.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/is_executor.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <type_traits>

namespace boost_ext {

/// Sleep for a while on an executor.
/**
 * Waits without a timer object in sight: the operation owns all it needs, and gives it back before
 * the handler is called.
 *
 * @tparam Clock The clock that measures the sleep, `std::chrono::steady_clock` if left out.
 *
 * @param executor Where the timer of the sleep lives, and where the handler runs if it has no
 * associated executor.
 *
 * @param length How long to sleep, in any unit (`1500ms`, `1.5s`), counted from the launch of the
 * operation, also where the token (such as `deferred`) launches it later. What lies between two ticks
 * of the clock is rounded up. Lengths that the clock cannot hold saturate; with `duration::max()` the
 * sleep ends by cancellation alone. With a length of zero or less, the
 * operation is only a `post`: no timer, service or descriptor is made for it.
 *
 * @param token The completion token. If left out, the default token of the executor, or `deferred`
 * where it has none.
 *
 * @par Completion Signature
 * @code void(boost::system::error_code) @endcode
 * Success when the time has passed, never earlier; `boost::asio::error::operation_aborted` if
 * cancelled. The handler is never called from within this function, and `run()` counts one handler.
 *
 * @par Per-Operation Cancellation
 * `terminal`, `partial` and `total` each end the sleep.
 *
 * @par Thread Safety
 * May be called from any thread.
 *
 * @par Exception Safety
 * Strong: if memory runs out, `std::bad_alloc` is thrown and nothing was started.
 *
 * @par Complexity
 * Amortised constant, with any number of timers pending.
 *
 * @par Example
 * @code
 * co_await boost_ext::async_sleep_for(executor, 100ms);
 * boost_ext::async_sleep_for<boost_ext::boottime_clock>(executor, 8h, [](error_code ec) { ... });
 * @endcode
 */
template <class Clock = std::chrono::steady_clock, class Executor, class Duration,
    class Token = detail::tick_default_token_t<Executor>,
    std::enable_if_t<detail::is_sleep_executor<Executor>::value && detail::is_sleep_length<Clock, Duration>::value, int> = 0>
decltype(auto) async_sleep_for(const Executor& executor, const Duration& length, Token&& token = Token())
{
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        detail::initiate_sleep_on_executor<Clock, Executor>(executor), token,
        detail::sleep_for_limit<Clock>{detail::sleep_length<Clock>(length)});
}

/// Sleep for a while on an execution context.
/**
 * As the overload on an executor. The context has to outlive the launch of the operation.
 */
template <class Clock = std::chrono::steady_clock, class ExecutionContext, class Duration,
    class Token = detail::tick_default_token_t<typename ExecutionContext::executor_type>,
    std::enable_if_t<detail::is_sleep_context<ExecutionContext>::value && detail::is_sleep_length<Clock, Duration>::value, int> =
        0>
decltype(auto) async_sleep_for(ExecutionContext& context, const Duration& length, Token&& token = Token())
{
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        detail::initiate_sleep_on_context<Clock, ExecutionContext>(context), token,
        detail::sleep_for_limit<Clock>{detail::sleep_length<Clock>(length)});
}

/// Sleep for a while on the associated executor of the handler.
/**
 * As the overload on an executor, with the executor that the handler brings along: the coroutine's
 * own, or that of `bind_executor`. A handler that brings none sleeps on `system_executor`.
 *
 * @par Example
 * @code
 * co_await boost_ext::async_sleep_for(100ms);   // on the coroutine's executor
 * @endcode
 */
template <class Clock = std::chrono::steady_clock, class Duration, class Token = boost::asio::deferred_t,
    std::enable_if_t<detail::is_sleep_length<Clock, Duration>::value, int> = 0>
decltype(auto) async_sleep_for(const Duration& length, Token&& token = Token())
{
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        detail::initiate_sleep<Clock>(), token, detail::sleep_for_limit<Clock>{detail::sleep_length<Clock>(length)});
}

/// Sleep until a point in time of any clock, on an executor.
/**
 * @param executor Where the timer of the sleep lives, and where the handler runs if it has no
 * associated executor.
 *
 * @param when When to wake up. One that is not after now is only a `post`: no timer, service or
 * descriptor is made for it. `time_point::max()` never comes.
 *
 * @param token The completion token. If left out, the default token of the executor, or `deferred`
 * where it has none.
 *
 * @par Completion Signature
 * @code void(boost::system::error_code) @endcode
 * Success when the deadline has come, never earlier; `boost::asio::error::operation_aborted` if
 * cancelled. The handler is never called from within this function, and `run()` counts one handler.
 *
 * @par Per-Operation Cancellation
 * `terminal`, `partial` and `total` each end the sleep.
 *
 * @par Thread Safety
 * May be called from any thread.
 *
 * @par Exception Safety
 * Strong: if memory runs out, `std::bad_alloc` is thrown and nothing was started.
 *
 * @par Complexity
 * Amortised constant, with any number of timers pending.
 *
 * @par Example
 * @code
 * co_await boost_ext::async_sleep_until(executor, std::chrono::system_clock::now() + 100ms);
 * @endcode
 */
template <class Clock, class Duration, class Executor, class Token = detail::tick_default_token_t<Executor>,
    std::enable_if_t<detail::is_sleep_executor<Executor>::value && detail::is_sleep_length<Clock, Duration>::value, int> = 0>
decltype(auto) async_sleep_until(
    const Executor& executor, const std::chrono::time_point<Clock, Duration>& when, Token&& token = Token())
{
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        detail::initiate_sleep_on_executor<Clock, Executor>(executor), token, detail::sleep_until_limit<Clock>(when));
}

/// Sleep until a point in time of any clock, on an execution context.
/**
 * As the overload on an executor. The context has to outlive the launch of the operation.
 */
template <class Clock, class Duration, class ExecutionContext,
    class Token = detail::tick_default_token_t<typename ExecutionContext::executor_type>,
    std::enable_if_t<detail::is_sleep_context<ExecutionContext>::value && detail::is_sleep_length<Clock, Duration>::value, int> =
        0>
decltype(auto) async_sleep_until(
    ExecutionContext& context, const std::chrono::time_point<Clock, Duration>& when, Token&& token = Token())
{
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        detail::initiate_sleep_on_context<Clock, ExecutionContext>(context), token, detail::sleep_until_limit<Clock>(when));
}

/// Sleep until a point in time of any clock, on the associated executor of the handler.
/**
 * As the overload on an executor, with the executor that the handler brings along. A handler that
 * brings none sleeps on `system_executor`.
 */
template <class Clock, class Duration, class Token = boost::asio::deferred_t,
    std::enable_if_t<detail::is_sleep_length<Clock, Duration>::value, int> = 0>
decltype(auto) async_sleep_until(const std::chrono::time_point<Clock, Duration>& when, Token&& token = Token())
{
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        detail::initiate_sleep<Clock>(), token, detail::sleep_until_limit<Clock>(when));
}

} // namespace boost_ext

#endif // BOOST_EXT_SLEEP_HPP
