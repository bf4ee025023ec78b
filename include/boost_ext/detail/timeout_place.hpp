// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_PLACE_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_PLACE_HPP

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/is_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>

#include <type_traits>
#include <utility>

namespace boost_ext {
namespace detail {

/// Whether T is an executor that can be posted to and has a context. One that runs everything at once, which is what
/// newer Boosts associate with a handler that has none, cannot and has not; nor need a type-erased one of a handler.
template <class T>
inline constexpr bool timeout_is_place = boost::asio::is_executor<T>::value ||
    (boost::asio::can_query<const T&, boost::asio::execution::context_t>::value &&
        boost::asio::can_require<const T&, boost::asio::execution::blocking_t::never_t>::value);

/// The first of the two that is such an executor, or else the system's.
template <class First, class Second>
auto timeout_place(const First& first, const Second& second) noexcept
{
    (void)first;
    (void)second;
    if constexpr (timeout_is_place<First>)
        return first;
    else if constexpr (timeout_is_place<Second>)
        return second;
    else
        return boost::asio::system_executor();
}

/// What holds work for an executor as long as it is kept. A guard is for executors of the old kind alone: it takes a strand
/// of a type-erased executor for one of them.
template <class Executor>
auto timeout_work(const Executor& ex)
{
    if constexpr (boost::asio::execution::is_executor<Executor>::value)
        return boost::asio::prefer(ex, boost::asio::execution::outstanding_work.tracked);
    else
        return boost::asio::executor_work_guard<Executor>(ex);
}

/// Stands for the executor of an initiation that has none.
struct timeout_no_executor
{
};

/// The executor of a handler, given that of the initiation.
template <class Handler, class IoExecutor>
auto timeout_handler_executor(const Handler& h, const IoExecutor& io) noexcept
{
    (void)io;
    if constexpr (std::is_same_v<IoExecutor, timeout_no_executor>)
        return boost::asio::get_associated_executor(h);
    else
        return boost::asio::associated_executor<Handler, IoExecutor>::get(h, io);
}

template <class Handler, class IoExecutor>
using timeout_handler_executor_t =
    decltype(timeout_handler_executor(std::declval<const Handler&>(), std::declval<const IoExecutor&>()));

/// Posts a function that has a handler's executor, by way of the initiation's if there is no posting to the handler's.
template <class Executor, class IoExecutor, class F>
void timeout_post(const Executor& ex, const IoExecutor& io, F&& f)
{
    if constexpr (timeout_is_place<Executor>)
        boost::asio::post(std::forward<F>(f));
    else
        boost::asio::post(timeout_place(ex, io), std::forward<F>(f));
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_PLACE_HPP
