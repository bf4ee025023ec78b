// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_ARITHMETIC_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_ARITHMETIC_HPP

#include <chrono>
#include <type_traits>

namespace boost_ext {
namespace detail {

/// Converts a duration of any unit and representation, rounding up (a limit is never early) and
/// saturating where To cannot hold it.
template <class To, class Rep, class Period>
constexpr To timeout_to_duration(std::chrono::duration<Rep, Period> d)
{
    using from = std::chrono::duration<Rep, Period>;
    if constexpr (std::is_same_v<To, from>)
    {
        return d;
    }
    else
    {
        // In floating point no unit overflows on the way. What is within a rounding error of the
        // ends, centuries away for any real clock, counts as beyond them, and what is not a number as never.
        using wide = std::chrono::duration<long double, typename To::period>;
        const wide w = std::chrono::duration_cast<wide>(d);
        if (!(w < wide(To::max())))
            return To::max();
        if (w <= wide(To::min()))
            return To::min();
        if constexpr (std::is_convertible_v<from, To>) // then it is exact, or as near as a real number comes
        {
            return d;
        }
        else
        {
            To t(static_cast<typename To::rep>(w.count()));
            if (wide(t) < w)
                ++t;
            return t;
        }
    }
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_ARITHMETIC_HPP
