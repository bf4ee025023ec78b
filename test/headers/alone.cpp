// Copyright (c) 2026 The boost_ext authors
// Distributed under the Boost Software License, Version 1.0.
// (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

// Includes the header that the build names in BOOST_EXT_HEADER, twice and before anything else.

#define BOOST_EXT_QUOTE_(name) #name
#define BOOST_EXT_QUOTE(name) BOOST_EXT_QUOTE_(name)

#include BOOST_EXT_QUOTE(BOOST_EXT_HEADER)
#include BOOST_EXT_QUOTE(BOOST_EXT_HEADER)
