// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_TIMEOUT_HPP
#define BOOST_EXT_TIMEOUT_HPP

#include <boost_ext/deadline.hpp>
#include <boost_ext/detail/timeout_control.hpp>
#include <boost_ext/detail/timeout_limit.hpp>

#include <boost/asio/cancellation_type.hpp> // has BOOST_ASIO_HAS_CO_AWAIT defined where it is so
#if defined(BOOST_ASIO_HAS_CO_AWAIT)
#include <boost/asio/awaitable.hpp>
#endif

#include <chrono>
#include <type_traits>
#include <utility>

namespace boost_ext {

/// A completion token that puts a limit on the operation it is given to.
/**
 * Made by @ref timeout. The operation's completion signature is unchanged: what is delivered, and how, is up to the
 * adapted token.
 *
 * @tparam Token The adapted token.
 * @tparam Limit When the limit comes (unspecified).
 * @tparam Action What is done then (unspecified).
 *
 * @par Thread Safety
 * @e Distinct @e objects: Safe.@n
 * @e Shared @e objects: Safe for initiating from a const object, which copies it.
 *
 * @par Object lifetimes
 * An operation that was started with it keeps no reference to it.
 *
 * @par Example
 * @code
 * auto patient = timeout(1min, on_read);
 * // The minute starts here, and anew at each use.
 * socket.async_read_some(asio::buffer(data), patient);
 * @endcode
 */
template <class Token, class Limit, class Action>
class timeout_t
{
public:
    /// Adapts a token. Use @ref timeout.
    template <class T>
    timeout_t(T&& token, Limit limit, Action action) : token_(std::forward<T>(token)), limit_(limit), action_(std::move(action))
    {
    }

    /// The adapted token.
    Token token_;

    /// When the limit comes.
    Limit limit_;

    /// What is done then.
    Action action_;
};

/// A limit that waits for its token: what @ref timeout without a token returns.
/**
 * As a completion token it adapts the default token of the operation's executor, or `deferred` where there is none.
 * It is also what a deferred operation is piped into, and it may be called with a token, which gives the whole.
 *
 * @par Thread Safety
 * As for @ref timeout_t.
 *
 * @par Example
 * @code
 * auto read = s.async_read_some(asio::buffer(data), asio::deferred) | timeout(20ms);
 * @endcode
 */
template <class Limit, class Action>
class partial_timeout
{
public:
    /// Holds a limit. Use @ref timeout.
    partial_timeout(Limit limit, Action action) : limit_(limit), action_(std::move(action)) {}

    /// Adapts a token.
    template <class Token>
    timeout_t<std::decay_t<Token>, Limit, Action> operator()(Token&& token) const
    {
        return {std::forward<Token>(token), limit_, action_};
    }

    /// When the limit comes.
    Limit limit_;

    /// What is done then.
    Action action_;
};

namespace detail {

/// SFINAE for the overloads below, which are told apart by what the second argument is.
template <class T>
inline constexpr bool timeout_is_type = std::is_same_v<std::decay_t<T>, boost::asio::cancellation_type>;

template <class T>
inline constexpr bool timeout_is_coroutine = false;

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
template <class T, class Executor>
inline constexpr bool timeout_is_coroutine<boost::asio::awaitable<T, Executor>> = true;

template <class T, class Executor, class Limit, class Action>
boost::asio::awaitable<T, Executor> timeout_awaitable(Limit limit, Action action, boost::asio::awaitable<T, Executor> a);
#endif

template <class T>
inline constexpr bool timeout_is_token = !timeout_is_type<T> && !timeout_is_coroutine<std::decay_t<T>>;

} // namespace detail

/// Puts a limit on an operation.
/**
 * Adapts any completion token on any operation whose first completion argument is a `boost::system::error_code` or a
 * `std::exception_ptr`. When the limit comes the operation is cancelled, and if that is what ended it, the handler
 * gets `boost::asio::error::timed_out`: the limit's own cancellation was sent first, and the result says that the
 * operation was cancelled (`operation_aborted`, anything equal to `errc::operation_canceled`, `channel_cancelled`,
 * a `system_error` of these, or `multiple_exceptions` whose first is one). Any other result is delivered as it is, and
 * so are the other arguments, such as the bytes that were transferred until then. The operation is always waited for.
 *
 * @param limit When the limit comes: a duration, which counts from each launch of an operation; a time point; or a
 * @ref basic_deadline.
 *
 * @param token The token to adapt. It may be left out: then it is the default token of the operation's executor, or
 * `deferred` where there is none. Adapters that take the error away, such as `as_tuple` and `redirect_error`, go
 * inside: `timeout(5s, as_tuple(use_awaitable))`. So do `bind_executor`, `bind_allocator` and
 * `bind_cancellation_slot`: a slot that is bound outside takes the place of the one through which the limit cancels.
 *
 * @tparam Clock The clock of a limit that is a duration.
 *
 * A cancellation from outside, through the slot of the token's handler or otherwise, stays `operation_aborted`. Whichever
 * of the two completions, the operation's or the limit's, runs first on the handler's executor decides; and of two
 * cancellations the first that was sent. Limits nest; the shorter wins.
 *
 * A limit that has passed when the operation is to be launched, a duration that is not positive included, completes it
 * with `timed_out` and value-initialised other arguments, as if by `post`, without starting it. (An argument that
 * cannot be value-initialised is made from the operation's executor, as an accepted socket is. For one that cannot
 * be made in either way the operation is started and cancelled at once.)
 *
 * The limit is armed after the initiation has returned, and only if the operation is still pending. Its timer lives on
 * the executor of the initiation, or of the handler where the initiation has none. An operation that runs
 * already when there is no memory to arm its limit is ended at once, and gets `boost::asio::error::no_memory`.
 *
 * @par Completion Signature
 * That of the operation.
 *
 * @par Per-Operation Cancellation
 * All types are passed on to the operation, which decides what they mean.
 *
 * @par Thread Safety
 * The completion is delivered exactly once, on the handler's associated executor. The context may be run by several
 * threads without a strand, provided that the intermediate steps of the operation run on the handler's associated
 * executor, as those of Asio's composed operations do: they take turns with the emission. A coroutine that was given
 * to `co_spawn` is emitted to on its own executor; spawn it on a strand if several threads run its context.
 * A cancellation from outside, as for any operation, must not come while another thread initiates or completes this one:
 * emit it on the handler's strand. A `parallel_group` emits wherever one of its operations completes, so if several
 * threads run the context, give them all the same strand: `bind_executor(strand, operation)`.
 *
 * @par Object lifetimes
 * The state of the operation is allocated with the handler's associated allocator and freed before the handler is
 * called. After completion the slot of the user's handler refers to nothing of ours.
 *
 * @par Exception Safety
 * Initiating throws what the initiation throws, and `std::bad_alloc`; the operation is then not started.
 *
 * @par Complexity
 * That of the operation, and that of a timer, which is armed and cancelled in amortised constant time.
 *
 * @par Example
 * @code
 * std::size_t n = co_await socket.async_read_some(buffer, timeout(5s, use_awaitable));
 * @endcode
 */
template <class Clock = std::chrono::steady_clock, class Limit, class Token,
    class = std::enable_if_t<detail::timeout_is_token<Token>>>
auto timeout(const Limit& limit, Token&& token)
    -> timeout_t<std::decay_t<Token>, detail::timeout_limit_t<Limit, Clock>, detail::timeout_emit>
{
    return {std::forward<Token>(token), detail::timeout_limit<Limit, Clock>::make(limit), detail::timeout_emit()};
}

/// Puts a limit on an operation, with the default token; also the right-hand side of `deferred_operation | timeout(5s)`.
/**
 * Otherwise as the overload that takes a token.
 *
 * @par Example
 * @code
 * auto read = s.async_read_some(asio::buffer(data), asio::deferred) | timeout(20ms);
 * @endcode
 */
template <class Clock = std::chrono::steady_clock, class Limit>
auto timeout(const Limit& limit) -> partial_timeout<detail::timeout_limit_t<Limit, Clock>, detail::timeout_emit>
{
    return {detail::timeout_limit<Limit, Clock>::make(limit), detail::timeout_emit()};
}

/// Puts a limit on an operation that is cancelled with a given type, not with `terminal`.
/**
 * Otherwise as the overload that takes a limit and a token.
 */
template <class Clock = std::chrono::steady_clock, class Limit, class Token,
    class = std::enable_if_t<detail::timeout_is_token<Token>>>
auto timeout(const Limit& limit, boost::asio::cancellation_type type, Token&& token)
    -> timeout_t<std::decay_t<Token>, detail::timeout_limit_t<Limit, Clock>, detail::timeout_emit>
{
    return {std::forward<Token>(token), detail::timeout_limit<Limit, Clock>::make(limit), detail::timeout_emit{type}};
}

/// Puts a limit on an operation that is cancelled with a given type, with the default token.
/**
 * Otherwise as the overload that takes a limit and a token.
 */
template <class Clock = std::chrono::steady_clock, class Limit>
auto timeout(const Limit& limit, boost::asio::cancellation_type type)
    -> partial_timeout<detail::timeout_limit_t<Limit, Clock>, detail::timeout_emit>
{
    return {detail::timeout_limit<Limit, Clock>::make(limit), detail::timeout_emit{type}};
}

/// Puts a limit on an operation that ignores cancellation slots.
/**
 * @param on_limit Called as `on_limit()` on the handler's associated executor when the limit comes, instead of
 * a cancellation being emitted. It is to end the operation: `[&] { resolver.cancel(); }`. It is never called for an operation
 * that was not started or has completed, and is destroyed before the handler is called.
 *
 * Otherwise as the overload that takes a limit and a token.
 *
 * @par Example
 * @code
 * const auto give_up = [&] { resolver.cancel(); };
 * resolver.async_resolve("127.0.0.1", "80", timeout(5s, give_up, on_resolved));
 * @endcode
 */
template <class Clock = std::chrono::steady_clock, class Limit, class OnLimit, class Token,
    class = std::enable_if_t<!detail::timeout_is_type<OnLimit> && std::is_invocable_v<std::decay_t<OnLimit>&> &&
        detail::timeout_is_token<Token>>>
auto timeout(const Limit& limit, OnLimit&& on_limit, Token&& token)
    -> timeout_t<std::decay_t<Token>, detail::timeout_limit_t<Limit, Clock>, detail::timeout_call<std::decay_t<OnLimit>>>
{
    return {std::forward<Token>(token), detail::timeout_limit<Limit, Clock>::make(limit),
        detail::timeout_call<std::decay_t<OnLimit>>{std::forward<OnLimit>(on_limit)}};
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

/// Puts a limit on a coroutine. A duration counts from the `co_await` of what is returned.
/**
 * The coroutine runs on the executor of the one that awaits it, which stays as it is when the limit ends
 * the inner one: only that is cancelled, and a `system_error` of `timed_out` is thrown from the `co_await`.
 *
 * @par Per-Operation Cancellation
 * What reaches the awaiting coroutine is passed on to the inner one.
 *
 * @par Example
 * @code
 * // The coroutine as a whole, whatever it awaits.
 * co_await timeout(20ms, handshake(s));
 * @endcode
 */
template <class Clock = std::chrono::steady_clock, class Limit, class T, class Executor>
auto timeout(const Limit& limit, boost::asio::awaitable<T, Executor> a)
    -> std::enable_if_t<(sizeof(detail::timeout_limit_t<Limit, Clock>) > 0), boost::asio::awaitable<T, Executor>>
{
    return detail::timeout_awaitable(detail::timeout_limit<Limit, Clock>::make(limit), detail::timeout_emit(), std::move(a));
}

/// Puts a limit on a coroutine that is cancelled with a given type.
template <class Clock = std::chrono::steady_clock, class Limit, class T, class Executor>
auto timeout(const Limit& limit, boost::asio::cancellation_type type, boost::asio::awaitable<T, Executor> a)
    -> std::enable_if_t<(sizeof(detail::timeout_limit_t<Limit, Clock>) > 0), boost::asio::awaitable<T, Executor>>
{
    return detail::timeout_awaitable(detail::timeout_limit<Limit, Clock>::make(limit), detail::timeout_emit{type}, std::move(a));
}

/// Puts a limit on a coroutine, with a function that ends it.
template <class Clock = std::chrono::steady_clock, class Limit, class OnLimit, class T, class Executor,
    class = std::enable_if_t<!detail::timeout_is_type<OnLimit> && std::is_invocable_v<std::decay_t<OnLimit>&>>>
auto timeout(const Limit& limit, OnLimit&& on_limit, boost::asio::awaitable<T, Executor> a)
    -> std::enable_if_t<(sizeof(detail::timeout_limit_t<Limit, Clock>) > 0), boost::asio::awaitable<T, Executor>>
{
    return detail::timeout_awaitable(detail::timeout_limit<Limit, Clock>::make(limit),
        detail::timeout_call<std::decay_t<OnLimit>>{std::forward<OnLimit>(on_limit)}, std::move(a));
}

#endif // defined(BOOST_ASIO_HAS_CO_AWAIT)

} // namespace boost_ext

#include <boost_ext/impl/timeout.hpp>

#endif // BOOST_EXT_TIMEOUT_HPP
