// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.Test in its header-only form, compiled once and linked to every test program, so that the
// tests need no more of a Boost than its headers.

#define BOOST_TEST_MODULE boost_ext_timers
#include <boost/test/included/unit_test.hpp>
