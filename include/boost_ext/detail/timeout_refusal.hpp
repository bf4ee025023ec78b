// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_REFUSAL_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_REFUSAL_HPP

#include <boost_ext/detail/timeout_place.hpp>
#include <boost_ext/detail/timeout_result.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// Takes completion signatures apart.
template <class Signature>
struct timeout_signature
{
    static constexpr bool is_supported = false;
};

template <class R, class First, class... Rest>
struct timeout_signature<R(First, Rest...)>
{
    using first = std::decay_t<First>;
    static constexpr bool is_supported =
        std::is_same_v<first, boost::system::error_code> || std::is_same_v<first, std::exception_ptr>;

    /// The arguments of a completion in which the operation took no part.
    using storage = std::tuple<std::decay_t<First>, std::decay_t<Rest>...>;

    /// Calls a handler with the stored arguments in the categories of the signature.
    template <class Handler>
    static void call(Handler&& handler, storage&& values)
    {
        call(static_cast<Handler&&>(handler), values, std::index_sequence_for<First, Rest...>());
    }

private:
    template <class Handler, std::size_t... I>
    static void call(Handler&& handler, storage& values, std::index_sequence<I...>)
    {
        using arguments = std::tuple<First&&, Rest&&...>;
        static_cast<Handler&&>(handler)(static_cast<std::tuple_element_t<I, arguments>>(std::get<I>(values))...);
    }
};

template <class R, class... Args>
struct timeout_signature<R(Args...)&> : timeout_signature<R(Args...)>
{
};

template <class R, class... Args>
struct timeout_signature<R(Args...) &&> : timeout_signature<R(Args...)>
{
};

template <class R, class... Args>
struct timeout_signature<R(Args...) noexcept> : timeout_signature<R(Args...)>
{
};

template <class R, class... Args>
struct timeout_signature<R(Args...)& noexcept> : timeout_signature<R(Args...)>
{
};

template <class R, class... Args>
struct timeout_signature<R(Args...)&& noexcept> : timeout_signature<R(Args...)>
{
};

/// Makes an argument of an operation that was not started: value-initialised, or, for I/O objects such as an
/// accepted socket, unopened on the operation's executor.
template <class T, class Executor>
inline constexpr bool timeout_can_make = std::is_default_constructible_v<T> || std::is_constructible_v<T, const Executor&>;

template <class T, class Executor>
T timeout_make(const Executor& ex)
{
    if constexpr (std::is_default_constructible_v<T>)
        return T();
    else
        return T(ex);
}

/// Completes an operation that was not started.
template <class Handler, class IoExecutor, class Signature>
class timeout_refusal
{
public:
    using executor_type = timeout_handler_executor_t<Handler, IoExecutor>;
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    template <class H>
    timeout_refusal(H&& h, const IoExecutor& io) : handler_(std::forward<H>(h)), io_(io)
    {
    }

    executor_type get_executor() const noexcept { return timeout_handler_executor(handler_, io_); }

    allocator_type get_allocator() const noexcept { return boost::asio::get_associated_allocator(handler_); }

    void operator()() { complete(static_cast<typename timeout_signature<Signature>::storage*>(nullptr)); }

    /// Whether arguments can be made.
    template <class First, class... Rest>
    static constexpr bool is_possible(std::tuple<First, Rest...>*)
    {
        return (timeout_can_make<Rest, executor_or_io> && ...);
    }

private:
    using executor_or_io = std::conditional_t<std::is_same_v<IoExecutor, timeout_no_executor>, executor_type, IoExecutor>;

    executor_or_io executor() const noexcept
    {
        if constexpr (std::is_same_v<IoExecutor, timeout_no_executor>)
            return get_executor();
        else
            return io_;
    }

    template <class First, class... Rest>
    void complete(std::tuple<First, Rest...>*)
    {
        First first;
        timeout_assign(first, boost::asio::error::timed_out);
        timeout_signature<Signature>::call(
            std::move(handler_), std::tuple<First, Rest...>(std::move(first), timeout_make<Rest>(executor())...));
    }

    Handler handler_;
    IoExecutor io_;
};

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_REFUSAL_HPP
