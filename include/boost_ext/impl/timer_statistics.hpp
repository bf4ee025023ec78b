// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef BOOST_EXT_IMPL_TIMER_STATISTICS_HPP
#define BOOST_EXT_IMPL_TIMER_STATISTICS_HPP

#include <boost_ext/detail/service_directory.hpp>

namespace boost_ext {

inline timer_statistics statistics(boost::asio::execution_context& context)
{
    timer_statistics total;
    detail::service_directory::for_each(context, [&](detail::listed_service& s) { s.add_to(total); });
    return total;
}

template <class Clock>
std::optional<typename Clock::time_point> next_expiry(boost::asio::execution_context& context)
{
    using time_point = typename Clock::time_point;
    time_point t = (time_point::max)();
    detail::service_directory::for_each(
        context, [&](detail::listed_service& s) { s.earliest(&detail::clock_tag<Clock>::value, &t); });
    if (t == (time_point::max)())
        return std::nullopt;
    return t;
}

} // namespace boost_ext

#endif
