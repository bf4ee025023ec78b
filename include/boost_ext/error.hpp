// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_ERROR_HPP
#define BOOST_EXT_ERROR_HPP

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>
#include <string>
#include <type_traits>

namespace boost_ext {
namespace error {

/// The errors that are the library's own. All others are Asio's.
/**
 * An `error_code` compares equal to an enumerator.
 *
 * @par Example
 * @code
 * else if (ec == boost_ext::error::stopped)
 *     fate[user] = "server stopped";
 * @endcode
 */
enum timer_errors
{
    /// The object that the wait belonged to was stopped or destroyed before the wait came to an end.
    stopped = 1
};

/// The category of the library's own errors.
/**
 * @par Thread Safety
 * All members may be called from any thread.
 *
 * @par Example
 * @code
 * if (ec.category() == boost_ext::error::get_timer_category())
 *     std::cout << ec.category().name() << ": " << ec.message() << '\n';
 * @endcode
 */
class timer_category_type final : public boost::system::error_category
{
public:
    /// Its identity is a number, so that it compares equal across shared libraries.
    constexpr timer_category_type() noexcept : error_category(0x9d0b6f3c52a7e814u) {}

    /// The name of the category.
    const char* name() const noexcept override { return "boost_ext.timers"; }

    /// What an error of this category means, in English.
    std::string message(int value) const override
    {
        if (value == stopped)
            return "Timers stopped";
        return "Unknown boost_ext.timers error";
    }
};

/// The one object of the category.
/**
 * @par Thread Safety
 * May be called from any thread.
 *
 * @par Exception Safety
 * Does not throw.
 *
 * @par Complexity
 * Constant.
 *
 * @par Example
 * @code
 * if (ec.category() == boost_ext::error::get_timer_category())
 *     std::cout << ec.category().name() << ": " << ec.message() << '\n';
 * @endcode
 */
inline const boost::system::error_category& get_timer_category() noexcept
{
    static constexpr timer_category_type instance;
    return instance;
}

/// The error code of an enumerator, found by argument-dependent lookup.
/**
 * @par Thread Safety
 * May be called from any thread.
 *
 * @par Exception Safety
 * Does not throw.
 *
 * @par Complexity
 * Constant.
 *
 * @par Example
 * @code
 * boost::system::error_code ec = boost_ext::error::stopped;    // calls make_error_code
 * @endcode
 */
inline boost::system::error_code make_error_code(timer_errors e) noexcept
{
    return boost::system::error_code(static_cast<int>(e), get_timer_category());
}

} // namespace error
} // namespace boost_ext

namespace boost {
namespace system {

template <>
struct is_error_code_enum<boost_ext::error::timer_errors> : std::true_type
{
};

} // namespace system
} // namespace boost

#endif // BOOST_EXT_ERROR_HPP
