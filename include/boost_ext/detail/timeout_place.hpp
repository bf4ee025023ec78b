// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_PLACE_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_PLACE_HPP

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/is_executor.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>

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

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_PLACE_HPP
