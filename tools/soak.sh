#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Churns timers with two threads and checks that every wait is accounted for and memory stays flat.
#
#   tools/soak.sh [SECONDS [TIMERS [SEED]]]     120 s and 100,000 timers unless told

set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh cmake g++ libboost1.81-dev ninja-build
mkdir -p build/soak
log=build/soak/build.log
if ! { cmake -S . -B build/soak -G Ninja -D CMAKE_BUILD_TYPE=Release \
    -D BOOST_EXT_TIMERS_BUILD_EXAMPLES=OFF -D BOOST_EXT_TIMERS_BUILD_BENCHMARKS=OFF &&
    cmake --build build/soak --target soak; } >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
fi

exec build/soak/test/soak "$@"
