// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_RESULT_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_RESULT_HPP

#include <boost/asio/error.hpp>
#include <boost/asio/experimental/channel_error.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <system_error>
#include <type_traits>

namespace boost_ext {
namespace detail {

/// Whether an operation says by this result that it was cancelled.
inline bool timeout_is_cancellation(const boost::system::error_code& ec)
{
    return ec == boost::asio::error::operation_aborted || ec == boost::system::errc::operation_canceled ||
        ec == boost::asio::experimental::error::channel_cancelled;
}

inline bool timeout_is_cancellation(const std::exception_ptr& e)
{
#if defined(BOOST_NO_EXCEPTIONS)
    static_cast<void>(e); // nothing is thrown, so nothing was caught
    return false;
#else
    if (!e)
        return false;
    try
    {
        std::rethrow_exception(e);
    }
    catch (const boost::system::system_error& error)
    {
        return timeout_is_cancellation(error.code());
    }
    catch (const std::system_error& error)
    {
        using boost::asio::experimental::error::channel_cancelled;
        return error.code() == std::errc::operation_canceled ||
            error.code() == static_cast<std::error_code>(boost::system::error_code(channel_cancelled));
    }
    catch (const boost::asio::multiple_exceptions& all)
    {
        // From coroutines that ran side by side, a && b or a || b, and both failed: a limit cancels them all.
        return timeout_is_cancellation(all.first_exception());
    }
    catch (...)
    {
        return false;
    }
#endif
}

/// Puts an error into the form of a first completion argument.
inline void timeout_assign(boost::system::error_code& to, const boost::system::error_code& ec)
{
    to = ec;
}

inline void timeout_assign(std::exception_ptr& to, const boost::system::error_code& ec)
{
    to = std::make_exception_ptr(boost::system::system_error(ec));
}

/// The type that a first argument is taken as: operations may pass anything that converts.
template <class First>
using timeout_first_t =
    std::conditional_t<std::is_convertible_v<First, boost::system::error_code>, boost::system::error_code, std::exception_ptr>;

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_RESULT_HPP
