#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Verifies lost_wakeup.pml with spin, and that each of its faults is found. Exits with 77, which means skipped, where there is no spin.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
if ! command -v spin >/dev/null; then
    echo 'spin is not installed: the model was not checked' >&2
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# check EXPECTED_ERRORS NAME [FLAG]: every interleaving, also for invalid end states.
check()
{
    expected=$1 name=$2
    shift 2
    if ! spin -a "$@" "$here/lost_wakeup.pml" >spin.log 2>&1 || ! gcc -O2 -DSAFETY -w -o pan pan.c 2>>spin.log; then
        cat spin.log >&2
        exit 1
    fi
    ./pan -m100000 >pan.log 2>&1
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
    states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' pan.log)
    verdict=faulty
    [ "$errors" = 0 ] && verdict=correct
    echo "$name: $verdict ($states states)"
    if [ "$verdict" != "$expected" ]; then
        echo "  expected: $expected" >&2
        cat pan.log >&2
        failed=1
    fi
}

check correct 'the protocol'
check faulty 'without the notification' -DNO_NOTIFY
check faulty 'armed stored after the lock is released' -DSTORE_UNLOCKED
check faulty 'armed read before the lock is taken' -DREAD_BEFORE_LOCK
exit $failed
