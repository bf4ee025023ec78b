// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_EXECUTOR_CONTEXT_HPP
#define BOOST_EXT_DETAIL_EXECUTOR_CONTEXT_HPP

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>

namespace boost_ext {
namespace detail {

/// The context that an executor belongs to, whether it is one of today's or of the Networking TS.
template <class Executor>
boost::asio::execution_context& context_of(const Executor& executor)
{
    if constexpr (boost::asio::execution::is_executor<Executor>::value)
        return boost::asio::query(executor, boost::asio::execution::context);
    else
        return executor.context();
}

} // namespace detail
} // namespace boost_ext

#endif
