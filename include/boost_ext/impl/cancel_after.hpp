// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_IMPL_CANCEL_AFTER_HPP
#define BOOST_EXT_IMPL_CANCEL_AFTER_HPP

// boost::asio::cancel_after(timer, …) and cancel_at(timer, …) name Asio's own timer type. These are the same for ours.

#include <boost_ext/detail/reactor_adapter.hpp>

#if defined(BOOST_EXT_DETAIL_CANCEL_AFTER)

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <chrono>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// How long an operation may take: a duration from its start, or a time.
template <class Timer>
struct timer_limit
{
    Timer* timer;
    typename Timer::duration after;
    typename Timer::time_point at;
    bool absolute;
    boost::asio::cancellation_type_t type;

    void set() const
    {
        if (absolute)
            timer->expires_at(at);
        else
            timer->expires_after(after);
    }
};

template <class Token, class Timer>
struct cancel_by_timer
{
    Token token;
    timer_limit<Timer> limit;
};

template <class Timer>
struct partial_cancel_by_timer
{
    timer_limit<Timer> limit;

    template <class Token>
    cancel_by_timer<std::decay_t<Token>, Timer> operator()(Token&& token) const
    {
        return {std::forward<Token>(token), limit};
    }
};

/// An operation's own initiation, with what it says about executors where it is a class.
template <class Initiation, bool = std::is_class<Initiation>::value>
struct inner_initiation : Initiation
{
    template <class I>
    explicit inner_initiation(std::in_place_t, I&& i) : Initiation(std::forward<I>(i))
    {
    }

    const Initiation& inner() const { return *this; }
    Initiation&& release() { return static_cast<Initiation&&>(*this); }
};

template <class Function>
struct inner_initiation<Function, false>
{
    explicit inner_initiation(std::in_place_t, Function f) : function(f) {}

    Function inner() const { return function; }
    Function release() { return function; }

    Function function;
};

/// The operation's own initiation, with a timer beside it.
template <class Initiation, class Timer, class... Signatures>
struct initiate_with_timer : inner_initiation<Initiation>
{
    timer_limit<Timer> limit;

    template <class I>
    initiate_with_timer(I&& i, const timer_limit<Timer>& l)
        : inner_initiation<Initiation>(std::in_place, std::forward<I>(i)), limit(l)
    {
    }

    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) &&
    {
        auto h = std::decay_t<Handler>(std::forward<Handler>(handler));
        start_timed<Signatures...>(h, limit, this->release(), std::forward<Args>(args)...);
    }

    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) const&
    {
        auto h = std::decay_t<Handler>(std::forward<Handler>(handler));
        start_timed<Signatures...>(h, limit, this->inner(), std::forward<Args>(args)...);
    }
};

} // namespace detail

/// Cancel an operation when a timer of ours expires: see `boost::asio::cancel_after`.
/**
 * The overload of Asio's function for our timers, also found as `boost::asio::cancel_after`. It is there on Boost 1.86 and newer. What was
 * cancelled so completes with `boost::asio::error::operation_aborted`, as in Asio; `boost_ext::timeout` tells the two apart.
 *
 * @param timer The timer to use. Its expiry is set, `timeout` after the operation was started, and waits that are pending on it are cancelled. It must stay
 * alive until the operation completes.
 *
 * @par Thread Safety
 * The timer and the operation must be used by one thread at a time: on a context that several threads run, on one strand.
 *
 * @par Exception Safety
 * Making a token throws what copying it throws. Initiating throws `std::bad_alloc` if memory runs out.
 *
 * @par Example
 * @code
 * auto f = slow.async_wait(boost::asio::cancel_after(limit, 1ms, asio::use_future));
 * @endcode
 */
template <class Clock, class WaitTraits, class Executor, class Rep, class Period>
[[nodiscard]] auto cancel_after(basic_waitable_timer<Clock, WaitTraits, Executor>& timer,
    const std::chrono::duration<Rep, Period>& timeout,
    boost::asio::cancellation_type_t type = boost::asio::cancellation_type::terminal)
{
    using timer_type = basic_waitable_timer<Clock, WaitTraits, Executor>;
    return detail::partial_cancel_by_timer<timer_type>{{&timer, timeout, {}, false, type}};
}

/// Cancel an operation when a timer of ours expires: see `boost::asio::cancel_after`.
template <class Clock, class WaitTraits, class Executor, class Rep, class Period, class Token>
[[nodiscard]] auto cancel_after(basic_waitable_timer<Clock, WaitTraits, Executor>& timer,
    const std::chrono::duration<Rep, Period>& timeout, boost::asio::cancellation_type_t type, Token&& token)
{
    return boost_ext::cancel_after(timer, timeout, type)(std::forward<Token>(token));
}

/// Cancel an operation when a timer of ours expires: see `boost::asio::cancel_after`.
template <class Clock, class WaitTraits, class Executor, class Rep, class Period, class Token,
    std::enable_if_t<!std::is_convertible<Token, boost::asio::cancellation_type_t>::value, int> = 0>
[[nodiscard]] auto cancel_after(
    basic_waitable_timer<Clock, WaitTraits, Executor>& timer, const std::chrono::duration<Rep, Period>& timeout, Token&& token)
{
    return boost_ext::cancel_after(timer, timeout)(std::forward<Token>(token));
}

/// Cancel an operation when a timer of ours expires: see `boost::asio::cancel_at`.
/**
 * The overload of Asio's function for our timers, also found as `boost::asio::cancel_at`. It is there on Boost 1.86 and newer. What was
 * cancelled so completes with `boost::asio::error::operation_aborted`, as in Asio; `boost_ext::timeout` tells the two apart.
 *
 * @param timer The timer to use. Its expiry is set, at `expiry`, and waits that are pending on it are cancelled. It must stay
 * alive until the operation completes.
 *
 * @par Thread Safety
 * The timer and the operation must be used by one thread at a time: on a context that several threads run, on one strand.
 *
 * @par Exception Safety
 * Making a token throws what copying it throws. Initiating throws `std::bad_alloc` if memory runs out.
 */
template <class Clock, class WaitTraits, class Executor, class Duration>
[[nodiscard]] auto cancel_at(basic_waitable_timer<Clock, WaitTraits, Executor>& timer,
    const std::chrono::time_point<Clock, Duration>& expiry,
    boost::asio::cancellation_type_t type = boost::asio::cancellation_type::terminal)
{
    using timer_type = basic_waitable_timer<Clock, WaitTraits, Executor>;
    return detail::partial_cancel_by_timer<timer_type>{{&timer, {}, expiry, true, type}};
}

/// Cancel an operation when a timer of ours expires: see `boost::asio::cancel_at`.
template <class Clock, class WaitTraits, class Executor, class Duration, class Token>
[[nodiscard]] auto cancel_at(basic_waitable_timer<Clock, WaitTraits, Executor>& timer,
    const std::chrono::time_point<Clock, Duration>& expiry, boost::asio::cancellation_type_t type, Token&& token)
{
    return boost_ext::cancel_at(timer, expiry, type)(std::forward<Token>(token));
}

/// Cancel an operation when a timer of ours expires: see `boost::asio::cancel_at`.
template <class Clock, class WaitTraits, class Executor, class Duration, class Token,
    std::enable_if_t<!std::is_convertible<Token, boost::asio::cancellation_type_t>::value, int> = 0>
[[nodiscard]] auto cancel_at(basic_waitable_timer<Clock, WaitTraits, Executor>& timer,
    const std::chrono::time_point<Clock, Duration>& expiry, Token&& token)
{
    return boost_ext::cancel_at(timer, expiry)(std::forward<Token>(token));
}

} // namespace boost_ext

namespace boost {
namespace asio {

using boost_ext::cancel_after;
using boost_ext::cancel_at;

} // namespace asio
} // namespace boost

template <class Token, class Timer, class... Signatures>
struct boost::asio::async_result<boost_ext::detail::cancel_by_timer<Token, Timer>, Signatures...>
    : boost::asio::async_result<Token, Signatures...>
{
    template <class RawToken>
    using token_type = std::conditional_t<std::is_const<std::remove_reference_t<RawToken>>::value, const Token, Token>;

    template <class Initiation>
    using initiation_type = boost_ext::detail::initiate_with_timer<std::decay_t<Initiation>, Timer, Signatures...>;

    // The result is spelled out: a deduced one would have the body looked at for initiations that are never started.
    template <class Initiation, class RawToken, class... Args>
    static auto initiate(Initiation&& initiation, RawToken&& token, Args&&... args)
        -> decltype(boost::asio::async_initiate<token_type<RawToken>, Signatures...>(
            std::declval<initiation_type<Initiation>>(), token.token, std::forward<Args>(args)...))
    {
        return boost::asio::async_initiate<token_type<RawToken>, Signatures...>(
            initiation_type<Initiation>(std::forward<Initiation>(initiation), token.limit), token.token,
            std::forward<Args>(args)...);
    }
};

template <class Timer, class... Signatures>
struct boost::asio::async_result<boost_ext::detail::partial_cancel_by_timer<Timer>, Signatures...>
{
    template <class Initiation>
    using default_token =
        boost::asio::default_completion_token_t<boost::asio::associated_executor_t<std::decay_t<Initiation>>>;

    template <class Initiation>
    using whole_token = boost_ext::detail::cancel_by_timer<default_token<Initiation>, Timer>;

    template <class Initiation, class RawToken, class... Args>
    static auto initiate(Initiation&& initiation, RawToken&& token, Args&&... args)
        -> decltype(boost::asio::async_initiate<const whole_token<Initiation>&, Signatures...>(
            std::forward<Initiation>(initiation), std::declval<whole_token<Initiation>>(), std::forward<Args>(args)...))
    {
        return boost::asio::async_initiate<const whole_token<Initiation>&, Signatures...>(std::forward<Initiation>(initiation),
            whole_token<Initiation>{default_token<Initiation>(), token.limit}, std::forward<Args>(args)...);
    }
};

#endif

#endif
