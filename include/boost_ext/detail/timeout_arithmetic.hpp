// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_DETAIL_TIMEOUT_ARITHMETIC_HPP
#define BOOST_EXT_DETAIL_TIMEOUT_ARITHMETIC_HPP

#include <chrono>
#include <limits>
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
        // Compared in floating point, where no unit overflows. What is within a rounding error of the
        // ends, centuries away for any real clock, counts as beyond them.
        using wide = std::chrono::duration<long double, typename To::period>;
        const wide w = std::chrono::duration_cast<wide>(d);
        if (w >= wide(To::max()))
            return To::max();
        if (w <= wide(To::min()))
            return To::min();
        To t = std::chrono::duration_cast<To>(d);
        if constexpr (std::chrono::treat_as_floating_point_v<Rep>)
        {
            if (std::chrono::duration_cast<wide>(t) < w)
                ++t;
        }
        else if constexpr (std::ratio_less_v<Period, typename To::period>)
        {
            if (std::chrono::duration_cast<from>(t) < d)
                ++t;
        }
        return t;
    }
}

} // namespace detail
} // namespace boost_ext

#endif // BOOST_EXT_DETAIL_TIMEOUT_ARITHMETIC_HPP
