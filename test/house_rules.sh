#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# The rules of CONTRIBUTING.md that a search can check.

cd "$(dirname "$0")/.." || exit 1
failed=0

complain()
{
    printf '%s\n' "$1" "$2" '' >&2
    failed=1
}

# Empty directories of parts that are not there must not make the searches complain.
sources() { find include test example bench tools cmake doc -type f "$@" 2>/dev/null; }

found=$(grep -rnE 'asio::detail|asio/detail/' include |
    grep -v '^include/boost_ext/detail/reactor_adapter\.hpp:')
[ -z "$found" ] || complain 'asio::detail belongs in detail/reactor_adapter.hpp alone:' "$found"

found=$(sources \( -name '*.hpp' -o -name '*.ipp' -o -name '*.cpp' -o -name '*.sh' -o -name 'CMakeLists.txt' -o -name 'Jamfile' \) \
    -exec grep -L 'Boost Software License, Version 1.0' {} +)
[ -z "$found" ] || complain 'No licence header:' "$found"

for header in $(find include -name '*.hpp'); do
    guard=$(echo "${header#include/}" | tr 'a-z/.' 'A-Z__')
    grep -q "^#ifndef $guard\$" "$header" ||
        complain "The include guard should be $guard:" "$header"
done

found=$(sources \( -name '*.hpp' -o -name '*.ipp' -o -name '*.cpp' \) -exec grep -nE '[[:blank:]]+$|	' {} +)
[ -z "$found" ] || complain 'Tabs or blanks at the end of a line:' "$found"

exit $failed
