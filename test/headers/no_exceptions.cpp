// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Compiled with -fno-exceptions, and not linked: then the program has to say what a throw does.

#include <boost_ext/timers.hpp>

#include <boost/throw_exception.hpp>

#include <cstdlib>
#include <exception>

namespace boost {
void throw_exception(const std::exception&)
{
    std::abort();
}

void throw_exception(const std::exception&, const boost::source_location&)
{
    std::abort();
}
} // namespace boost
