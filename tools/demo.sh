#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Sets up, builds and runs example/demo.cpp: three completion styles, then Asio's timer against ours.
# An argument is the number of timers to compare with.

set -euo pipefail
cd "$(dirname "$0")/.."

# Only what a build needs, so that a newcomer sees something soon.
tools/setup.sh cmake g++ libboost1.81-dev ninja-build

echo "Building the demo (some ten seconds)"
mkdir -p build/demo
log=build/demo/build.log
if ! { cmake -S . -B build/demo -G Ninja -D CMAKE_BUILD_TYPE=Release \
    -D BOOST_EXT_TIMERS_BUILD_TESTS=OFF -D BOOST_EXT_TIMERS_BUILD_BENCHMARKS=OFF &&
    cmake --build build/demo --target example_demo; } >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
fi

exec build/demo/example/demo "$@"
