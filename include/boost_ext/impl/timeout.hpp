// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_IMPL_TIMEOUT_HPP
#define BOOST_EXT_IMPL_TIMEOUT_HPP

#include <boost/core/no_exceptions_support.hpp>
#include <boost_ext/detail/timeout_operation.hpp>
#include <boost_ext/detail/timeout_refusal.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#if defined(BOOST_ASIO_HAS_CO_AWAIT)
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#endif

#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

template <class Initiation, class = void>
inline constexpr bool timeout_has_executor = false;

template <class Initiation>
inline constexpr bool timeout_has_executor<Initiation, std::void_t<decltype(std::declval<const Initiation&>().get_executor())>> =
    true;

template <class Initiation, class = void>
inline constexpr bool timeout_wraps = false;

template <class Initiation>
inline constexpr bool timeout_wraps<Initiation, std::void_t<decltype(std::declval<const Initiation&>().initiation_)>> = true;

/// The executor of an initiation, or of what Asio's adapters (append, bind_executor and their like) wrap: before Boost
/// 1.85 they pass none on.
template <class Initiation>
auto timeout_initiation_executor(const Initiation& i) noexcept
{
    (void)i;
    if constexpr (timeout_has_executor<Initiation>)
        return i.get_executor();
    else if constexpr (timeout_wraps<Initiation>)
        return timeout_initiation_executor(i.initiation_);
    else
        return timeout_no_executor();
}

template <class Initiation>
using timeout_initiation_executor_t = decltype(timeout_initiation_executor(std::declval<const Initiation&>()));

/// Whether an argument of an initiation makes a coroutine: then the operation is co_spawn.
template <class F, class = void>
inline constexpr bool timeout_makes_coroutine = false;

template <class F>
inline constexpr bool timeout_makes_coroutine<F, std::enable_if_t<std::is_invocable_v<std::decay_t<F>&>>> =
    timeout_is_coroutine<std::decay_t<std::invoke_result_t<std::decay_t<F>&>>>;

/// Passes on the executor of the initiation that it wraps.
template <class Initiation, class Executor>
class timeout_initiation_base
{
public:
    using executor_type = Executor;

    explicit timeout_initiation_base(Initiation i) : initiation_(std::move(i)) {}

    executor_type get_executor() const noexcept { return timeout_initiation_executor(initiation_); }

protected:
    Initiation initiation_;
};

template <class Initiation>
class timeout_initiation_base<Initiation, timeout_no_executor>
{
public:
    explicit timeout_initiation_base(Initiation i) : initiation_(std::move(i)) {}

protected:
    Initiation initiation_;
};

/// Starts an operation under a limit.
template <class Initiation, class Limit, class Action, class Signature>
class timeout_initiation : public timeout_initiation_base<Initiation, timeout_initiation_executor_t<Initiation>>
{
    using io_executor = timeout_initiation_executor_t<Initiation>;
    using base = timeout_initiation_base<Initiation, io_executor>;
    using clock = typename Limit::clock_type;

public:
    timeout_initiation(Initiation i, Limit limit, Action action) : base(std::move(i)), limit_(limit), action_(std::move(action))
    {
    }

    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) &&
    {
        start(std::move(this->initiation_), std::move(action_), std::forward<Handler>(handler), std::forward<Args>(args)...);
    }

    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) const&
    {
        start(Initiation(this->initiation_), Action(action_), std::forward<Handler>(handler), std::forward<Args>(args)...);
    }

private:
    template <class Handler, class... Args>
    void start(Initiation&& initiation, Action&& action, Handler&& handler, Args&&... args) const
    {
        using handler_type = std::decay_t<Handler>;
        const timeout_expiry<clock> expiry = limit_.launch();
        const io_executor io = timeout_initiation_executor(initiation);

        using refusal = timeout_refusal<handler_type, io_executor, Signature>;
        using arguments = typename timeout_signature<Signature>::storage;
        // Arguments that cannot be made can only come from the operation: then it is started and cancelled at once.
        if constexpr (refusal::is_possible(static_cast<arguments*>(nullptr)))
        {
            if (expiry.passed)
            {
                refusal r(std::forward<Handler>(handler), io);
                const auto executor = r.get_executor();
                return timeout_post(executor, io, std::move(r));
            }
        }

        constexpr bool coroutine = !std::is_same_v<io_executor, timeout_no_executor> && (timeout_makes_coroutine<Args> || ...);
        using state_type = timeout_state<handler_type, io_executor, clock>;
        using control_type = timeout_action_control<Action>;

        const boost::intrusive_ptr<control_type> control(timeout_new<control_type>(std::allocator<void>(), std::move(action)));
        auto slot = boost::asio::get_associated_cancellation_slot(handler, boost::asio::cancellation_slot());
        const auto allocator = timeout_allocator(handler);
        std::unique_ptr<state_type, typename state_type::deleter> state(
            timeout_new<state_type>(allocator, std::forward<Handler>(handler), io, control));
        state_type* const pending = state.get();
        const auto executor = pending->get_executor();
        // Fetched here too: once the operation runs, whoever completes it may be moving the handler away.
        const auto timer_executor = timeout_place(io, executor);
        const bool connected = slot.is_connected();
        if (connected)
        {
            if constexpr (coroutine)
                slot.template emplace<timeout_forwarder<io_executor, true>>(control, io);
            else
                slot.template emplace<timeout_forwarder<std::decay_t<decltype(executor)>, false>>(control, executor);
        }

        BOOST_TRY
        {
            std::move(initiation)(
                timeout_handler<state_type>(std::move(state), connected || control_type::emits), std::forward<Args>(args)...);
        }
        BOOST_CATCH(...)
        {
            control->end_initiation();
            if (control->connected)
                slot.clear();
            BOOST_RETHROW
        }
        BOOST_CATCH_END

        if (expiry.time == (clock::time_point::max)())
        {
            control->end_initiation();
            return;
        }
        BOOST_TRY
        {
            control->arm(
                [&] {
                    pending->timer.emplace(timer_executor, expiry.time);
                    pending->timer->async_wait(timeout_limit_handler<state_type, control_type, coroutine>(control, *pending));
                },
                [&] { pending->timer.reset(); });
        }
#if !defined(BOOST_NO_EXCEPTIONS)
        catch (const boost::system::system_error& e)
        {
            give_up<coroutine>(control, executor, io, e.code());
        }
#endif
        BOOST_CATCH(const std::bad_alloc&)
        {
            give_up<coroutine>(control, executor, io, boost::asio::error::no_memory);
        }
        BOOST_CATCH_END
    }

    /// Ends an operation that runs already and whose limit cannot be kept: throwing now would give its handler's owner
    /// two answers.
    template <bool Coroutine, class Control, class Executor>
    static void give_up(const boost::intrusive_ptr<Control>& control, const Executor& executor, const io_executor& io,
        const boost::system::error_code& why)
    {
        auto end = [control, io, why] {
            control->failure = why;
            timeout_expire<Coroutine>(control, io, timeout_sender::failure);
        };
        BOOST_TRY
        {
            // To emit here and now needs no memory. A function of the user's is called on the handler's executor only.
            if constexpr (Control::emits)
                control->enter(executor, end);
            else
                boost::asio::dispatch(timeout_executor<Executor>(executor, control), end);
        }
        BOOST_CATCH(const std::bad_alloc&)
        {
            // Nothing is left to end it with: it goes on without a limit.
        }
        BOOST_CATCH_END
    }

    Limit limit_;
    Action action_;
};

/// The token that stands in for one that was left out.
template <class Initiation>
struct timeout_default_token
{
    using default_type = boost::asio::default_completion_token_t<timeout_initiation_executor_t<std::decay_t<Initiation>>>;
    using type = std::conditional_t<std::is_void_v<default_type>, boost::asio::deferred_t, default_type>;
};

/// Reports a signature that timeout cannot work on.
template <class... Signatures>
struct timeout_check
{
    static_assert((timeout_signature<Signatures>::is_supported && ...),
        "timeout needs an operation whose first completion argument is a boost::system::error_code or a "
        "std::exception_ptr. Adapters that take that argument away go inside: write timeout(limit, as_tuple(token)) and "
        "timeout(limit, redirect_error(token, ec)), with timeout outside as_tuple and redirect_error.");
    static constexpr bool value = true;
};

template <class Signature, class...>
struct timeout_first_signature
{
    using type = Signature;
};

} // namespace detail
} // namespace boost_ext

namespace boost {
namespace asio {

template <class Token, class Limit, class Action, class... Signatures>
class async_result<boost_ext::timeout_t<Token, Limit, Action>, Signatures...>
{
    static_assert(boost_ext::detail::timeout_check<Signatures...>::value, "see above");

    template <class Initiation>
    using wrapper = boost_ext::detail::timeout_initiation<std::decay_t<Initiation>, Limit, Action,
        typename boost_ext::detail::timeout_first_signature<Signatures...>::type>;

public:
    template <class Initiation, class RawToken, class... Args>
    static auto initiate(Initiation&& initiation, RawToken&& token, Args&&... args)
        -> decltype(async_initiate<Token, Signatures...>(
            std::declval<wrapper<Initiation>>(), std::declval<Token&>(), std::forward<Args>(args)...))
    {
        // From an lvalue the token is copied here: adapters further in may move from what they get.
        boost_ext::timeout_t<Token, Limit, Action> mine(std::forward<RawToken>(token));
        return async_initiate<Token, Signatures...>(
            wrapper<Initiation>(std::forward<Initiation>(initiation), mine.limit_, std::move(mine.action_)), mine.token_,
            std::forward<Args>(args)...);
    }
};

template <class Limit, class Action, class... Signatures>
class async_result<boost_ext::partial_timeout<Limit, Action>, Signatures...>
{
    static_assert(boost_ext::detail::timeout_check<Signatures...>::value, "see above");

    template <class Initiation>
    using token_for = boost_ext::timeout_t<typename boost_ext::detail::timeout_default_token<Initiation>::type, Limit, Action>;

public:
    template <class Initiation, class RawToken, class... Args>
    static auto initiate(Initiation&& initiation, RawToken&& token, Args&&... args)
        -> decltype(async_result<token_for<Initiation>, Signatures...>::initiate(
            std::forward<Initiation>(initiation), std::declval<token_for<Initiation>>(), std::forward<Args>(args)...))
    {
        boost_ext::partial_timeout<Limit, Action> mine(std::forward<RawToken>(token));
        return async_result<token_for<Initiation>, Signatures...>::initiate(std::forward<Initiation>(initiation),
            token_for<Initiation>(
                typename boost_ext::detail::timeout_default_token<Initiation>::type(), mine.limit_, std::move(mine.action_)),
            std::forward<Args>(args)...);
    }
};

} // namespace asio
} // namespace boost

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
namespace boost_ext {
namespace detail {

/// The coroutine under the limit, in a thread of execution of its own: takes every cancellation that gets through to
/// it, since the awaiting coroutine has filtered them, and goes by that one's choice whether to throw.
template <class T, class Executor>
boost::asio::awaitable<std::optional<T>, Executor> timeout_inner(boost::asio::awaitable<T, Executor> a, bool throw_if_cancelled)
{
    co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::enable_total_cancellation());
    co_await boost::asio::this_coro::throw_if_cancelled(throw_if_cancelled);
    co_return std::optional<T>(co_await std::move(a));
}

template <class Executor>
boost::asio::awaitable<void, Executor> timeout_inner(boost::asio::awaitable<void, Executor> a, bool throw_if_cancelled)
{
    co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::enable_total_cancellation());
    co_await boost::asio::this_coro::throw_if_cancelled(throw_if_cancelled);
    co_await std::move(a);
}

template <class T, class Executor, class Limit, class Action>
boost::asio::awaitable<T, Executor> timeout_awaitable(Limit limit, Action action, boost::asio::awaitable<T, Executor> a)
{
    using token = timeout_t<boost::asio::use_awaitable_t<Executor>, Limit, Action>;
    Executor ex = co_await boost::asio::this_coro::executor;
    const bool throws = co_await boost::asio::this_coro::throw_if_cancelled();
    if constexpr (std::is_void_v<T>)
    {
        co_await boost::asio::co_spawn(
            ex, timeout_inner(std::move(a), throws), token(boost::asio::use_awaitable_t<Executor>(), limit, std::move(action)));
    }
    else
    {
        std::optional<T> result = co_await boost::asio::co_spawn(
            ex, timeout_inner(std::move(a), throws), token(boost::asio::use_awaitable_t<Executor>(), limit, std::move(action)));
        co_return std::move(*result);
    }
}

} // namespace detail
} // namespace boost_ext
#endif // defined(BOOST_ASIO_HAS_CO_AWAIT)

#endif // BOOST_EXT_IMPL_TIMEOUT_HPP
