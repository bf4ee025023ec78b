// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TICK_DEFAULT_TOKEN_HPP
#define BOOST_EXT_DETAIL_TICK_DEFAULT_TOKEN_HPP

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <type_traits>

namespace boost_ext {
namespace detail {

template <class Token>
struct tick_token_or_deferred
{
    using type = Token;
};

template <>
struct tick_token_or_deferred<void>
{
    using type = boost::asio::deferred_t;
};

/// The token of a sleep or a tick whose caller left it out: the executor's own, or deferred where
/// the executor has none (Boost up to 1.84 says void there).
template <class Executor>
using tick_default_token_t = typename tick_token_or_deferred<boost::asio::default_completion_token_t<Executor>>::type;

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TICK_DEFAULT_TOKEN_HPP
