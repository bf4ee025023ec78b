#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# The whole matrix: every build variant, both compilers, every Boost that can be had.
# It takes hours where tools/test.sh takes minutes; --only NAME runs one of them.

[ $# -gt 0 ] || set -- --all
exec "$(dirname "$0")/test.sh" "$@"
