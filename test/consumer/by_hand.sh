#!/bin/sh
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# What a user types, run in a folder that has main.cpp and third_party/timers. The documentation shows what lies between the tags.
#
#   by_hand.sh install|copy
set -eu
prefix=${prefix:-$PWD/prefix}

case $1 in
install)
    # tag::install[]
    cmake -S third_party/timers -B build \
        -D BOOST_EXT_TIMERS_BUILD_TESTS=OFF \
        -D BOOST_EXT_TIMERS_BUILD_EXAMPLES=OFF \
        -D BOOST_EXT_TIMERS_BUILD_BENCHMARKS=OFF
    cmake --install build --prefix "$prefix"
    # end::install[]
    ;;
copy)
    # tag::copy[]
    g++ -std=c++20 -I third_party/timers/include main.cpp -o my_server -pthread
    # end::copy[]
    ;;
esac
