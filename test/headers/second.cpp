// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

#include <boost_ext/timers.hpp>

int second();

int second()
{
    return BOOST_EXT_TIMERS_VERSION;
}
