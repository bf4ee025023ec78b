#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Sets up, builds and runs the tests, and ends with "N passed, M failed".
#
#   tools/test.sh                what CI runs: the suite in the variants that find most
#   tools/test.sh --quick        the main variant only
#   tools/test.sh --all          every variant and every Boost (the same as tools/matrix.sh)
#   tools/test.sh --only NAME    one variant; may be given several times
#   tools/test.sh --list         the names of the variants
#
# Everything is built below build/test, and the logs of a variant are in build/test/NAME.
# BOOST_EXT_BOOSTS may name a directory of unpacked Boosts, see tools/boosts.sh.

set -uo pipefail
cd "$(dirname "$0")/.."

core_variants='main cxx17 asan tsan select separate boosts b2 docs'
more_variants='clang clang17 no_timerfd separate_only statistics no_deprecated no_ts tracking o0 o2 o3 assertions gcc_asan gcc_tsan io_uring valgrind'

# The programs that another Boost could break; of those, the comparison with Asio and the rest of the
# timer itself; those that another reactor could break; and those that add nothing to a variant: the
# documentation's examples, which main runs.
core_pattern='^(asio_parity.*|.*timer|.*timers|sleep|interval|timeout|deadline|job_scheduler|manual_clock|clock_watch)$'
parity_pattern='^(asio_parity.*|basic_waitable_timer|timers|sleep)$'
reactor_pattern='^(asio_parity.*|.*timer|sleep|manual_clock|clock_watch|timers)$'
prose_pattern='^doc_snippets'

# ---------------------------------------------------------------------------------- variants

# Sets what distinguishes the variant NAME; everything else is as in main.
variant()
{
    compiler=g++ standard=20 flags=-O1 defines='' sanitize='' libraries='' boost='' tests=library rest=OFF
    examples=OFF what=''
    case $1 in
    main) flags=-O0 tests=all rest=ON examples=ON what='g++, C++20' ;;
    cxx17) standard=17 flags='-O0 -D_GLIBCXX_ASSERTIONS' what='g++, C++17, library assertions' ;;
    # clang compiles instrumented code several times as fast as g++, and is a compiler more.
    asan)
        compiler=clang++ flags='-O0 -g1' sanitize=address,undefined
        what='clang, C++20, AddressSanitizer and UBSan'
        ;;
    tsan) compiler=clang++ flags='-O0 -g1' sanitize=thread what='clang, C++20, ThreadSanitizer' ;;
    gcc_asan) flags='-O0 -g1' sanitize=address,undefined what='g++, AddressSanitizer and UBSan' ;;
    gcc_tsan) flags='-O0 -g1' sanitize=thread what='g++, ThreadSanitizer' ;;
    select) tests=reactor flags=-O0 defines=BOOST_ASIO_DISABLE_EPOLL what='select reactor' ;;
    no_timerfd) flags=-O0 defines=BOOST_ASIO_DISABLE_TIMERFD what='epoll without timerfd' ;;
    separate)
        defines='BOOST_ASIO_SEPARATE_COMPILATION;BOOST_ASIO_DISABLE_TIMERFD'
        tests=reactor what='Asio compiled separately, without timerfd'
        ;;
    separate_only) flags=-O0 defines=BOOST_ASIO_SEPARATE_COMPILATION what='Asio compiled separately' ;;
    no_deprecated) flags=-O0 defines=BOOST_ASIO_NO_DEPRECATED what='without what Asio deprecates' ;;
    no_ts) flags=-O0 defines=BOOST_ASIO_NO_TS_EXECUTORS what='without TS executors' ;;
    tracking) flags=-O0 defines=BOOST_ASIO_ENABLE_HANDLER_TRACKING what='handler tracking' ;;
    statistics) flags=-O0 defines=BOOST_EXT_ENABLE_STATISTICS what='statistics on' ;;
    o0) flags=-O0 what='-O0' ;;
    o2) flags=-O2 what='-O2' ;;
    o3) flags='-O3 -DNDEBUG' what='-O3, no assertions' ;;
    assertions) flags='-O1 -D_GLIBCXX_ASSERTIONS -D_GLIBCXX_DEBUG' what='debug library' ;;
    clang) compiler=clang++ flags=-O0 examples=ON what='clang, C++20' ;;
    clang17) compiler=clang++ standard=17 flags=-O0 what='clang, C++17' ;;
    io_uring)
        flags=-O0 defines='BOOST_ASIO_HAS_IO_URING;BOOST_ASIO_DISABLE_EPOLL' libraries=-luring
        what='io_uring as the reactor'
        ;;
    boost-*)
        boost=${1#boost-} flags=-O0 tests=core what="Boost $boost, core tests"
        case $thorough-$boost in
        no-1.83 | no-1.90) tests=parity what="Boost $boost, parity with Asio's timer" ;;
        esac
        ;;
    *) return 1 ;;
    esac
}

# ------------------------------------------------------------------------------------ counting

passed=0 failed=0 failures=()

count() # count PASSED FAILED SECONDS: the line of a step that ran
{
    passed=$((passed + $1))
    failed=$((failed + $2))
    printf ' %d passed, %d failed (%d s)\n' "$1" "$2" "$3"
    [ "$2" -eq 0 ] || failures+=("$step")
}

# Adds up what CTest's verbose output says: the cases of each Boost.Test program, and one for every
# other test. A program that failed without saying how counts as one failed case.
add_up_ctest()
{
    awk '
        /^[0-9]+: .* test cases? out of [0-9]+ passed/ { split($0, w, /[: ]+/); passed[w[1]] += w[2] }
        /^[0-9]+: .* test cases? out of [0-9]+ (failed|aborted)/ { split($0, w, /[: ]+/); failed[w[1]] += w[2] }
        /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
            match($0, /#[0-9]+/); id = substr($0, RSTART + 1, RLENGTH - 1)
            if ($0 ~ /\*\*\*Skipped/) next
            if ($0 ~ / Passed /) { good[id] = 1 }
            else bad[id] = 1
        }
        END {
            for (id in good) p += (id in passed) ? passed[id] : 1
            for (id in bad) { p += passed[id]; f += failed[id] > 0 ? failed[id] : 1 }
            print p + 0, f + 0
        }' "$1"
}

# ----------------------------------------------------------------------------------- the steps

# The names of the test programs, and of those that make up the library's tests and its core, for CMake.
all_tests()
{
    (cd test && ls ./*.cpp detail/*.cpp 2>/dev/null) |
        sed -e 's,^\./,,' -e 's,\.cpp$,,' -e 's,/,.,g' | grep -v '^main$'
}
library_tests() { all_tests | grep -vE "$prose_pattern" | paste -sd ';'; }
tests_like() { all_tests | grep -E "$1" | paste -sd ';'; }

run_variant()
{
    local name=$1 start=$SECONDS dir=build/test/$1 log build_failed=0 wrapper=()
    mkdir -p "$dir"
    log=$dir/build.log
    local arguments=(--fresh -S . -B "$dir" -G Ninja
        -D CMAKE_BUILD_TYPE=None
        -D CMAKE_CXX_COMPILER=$compiler
        -D CMAKE_CXX_STANDARD=$standard
        -D "CMAKE_CXX_FLAGS=$flags"
        -D "CMAKE_CXX_STANDARD_LIBRARIES=$libraries"
        -D "BOOST_EXT_TIMERS_DEFINES=$defines"
        -D "BOOST_EXT_TIMERS_SANITIZE=$sanitize"
        -D BOOST_EXT_TIMERS_TEST_REST=$rest
        -D BOOST_EXT_TIMERS_BUILD_EXAMPLES=$examples
        -D BOOST_EXT_TIMERS_BUILD_BENCHMARKS=$rest)
    case $tests in
    library) arguments+=(-D "BOOST_EXT_TIMERS_TESTS=$(library_tests)") ;;
    core | parity | reactor)
        local pattern=${tests}_pattern
        arguments+=(-D "BOOST_EXT_TIMERS_TESTS=$(tests_like "${!pattern}")" -D BOOST_EXT_TIMERS_TEST_LOAD=OFF)
        ;;
    esac
    [ -z "$boost" ] || arguments+=(-D "Boost_DIR=$(ls -d "$boost_root"/usr/lib/*/cmake/Boost-"$boost".*)")

    if ! cmake "${arguments[@]}" >"$log" 2>&1; then
        tail -n 20 "$log"
        count 0 1 $((SECONDS - start))
        return
    fi
    if ! nice cmake --build "$dir" -- -k 0 >>"$log" 2>&1; then
        build_failed=1
        echo
        grep -E ': (fatal )?error: |undefined reference|multiple definition' "$log" | head -n 20
    fi
    # ThreadSanitizer's fixed address ranges do not get along with much randomisation.
    [ "$sanitize" != thread ] || ! setarch -R true 2>/dev/null || wrapper=(setarch -R)
    UBSAN_OPTIONS=print_stacktrace=1 "${wrapper[@]}" ctest --test-dir "$dir" -j "$jobs" -V >"$dir/test.log" 2>&1

    local good bad
    read -r good bad < <(add_up_ctest "$dir/test.log")
    [ $build_failed = 0 ] || [ "$bad" -gt 0 ] || bad=1
    if [ "$bad" -gt 0 ]; then
        echo
        grep -E ': .*(error: in|fatal error|Sanitizer|runtime error|WARNING: )' "$dir/test.log" | head -n 30
        sed -n '/The following tests FAILED/,$p' "$dir/test.log"
        echo "The logs are $log and $dir/test.log"
    fi
    count "$good" "$bad" $((SECONDS - start))
}

run_b2()
{
    local start=$SECONDS log=build/test/b2.log good bad
    mkdir -p build/test
    # CMake builds the same programs: that b2 does needs a few of them, unless everything is asked for.
    local targets=(test//version test//timers test//steady_timer test//detail-timer_queue
        test//header-boost_ext-timers-hpp example//01_callback example//10_virtual_time)
    [ $thorough = no ] || targets=(test//core example)
    rm -rf build/test/b2 # b2 says nothing of tests that passed before
    nice b2 -j "$jobs" --build-dir=build/test/b2 "${targets[@]}" >"$log" 2>&1
    local result=$?
    good=$(grep -c '^\*\*passed\*\*' "$log")
    bad=$(grep -cE '^\.\.\.failed ' "$log")
    [ $result = 0 ] || [ "$bad" -gt 0 ] || bad=1
    [ "$good" -gt 0 ] || bad=$((bad + 1))
    if [ "$bad" -gt 0 ]; then
        echo
        grep -E '(error|^\.\.\.failed)' "$log" | head -n 20
        echo "The log is $log"
    fi
    count "$good" "$bad" $((SECONDS - start))
}

run_docs()
{
    local start=$SECONDS log=build/test/docs.log
    mkdir -p build/test
    if tools/doc.sh build/test/doc >"$log" 2>&1; then
        count 1 0 $((SECONDS - start))
    else
        echo
        tail -n 20 "$log"
        count 0 1 $((SECONDS - start))
    fi
}

# The core tests of the main variant, as they were built there.
run_valgrind()
{
    local start=$SECONDS good=0 bad=0 test log
    mkdir -p build/test/valgrind
    for test in $(tests_like "$core_pattern" | tr ';' ' '); do
        [ -x "build/test/main/test/$test" ] || continue
        log=build/test/valgrind/$test.log
        if timeout 600 valgrind -q --error-exitcode=9 --leak-check=full --fair-sched=yes \
            "build/test/main/test/$test" >"$log" 2>&1; then
            good=$((good + 1))
        else
            bad=$((bad + 1))
            echo
            tail -n 20 "$log"
        fi
    done
    count $good $bad $((SECONDS - start))
}

# Whether the kernel lets us have an io_uring at all: containers often do not.
io_uring_allowed()
{
    mkdir -p build/test
    echo '#include <liburing.h>
          int main() { io_uring ring; return io_uring_queue_init(8, &ring, 0) == 0 ? 0 : 1; }' |
        g++ -x c++ - -luring -o build/test/io_uring_probe 2>/dev/null && build/test/io_uring_probe
}

skip() # skip REASON: a step that cannot be run here, which is no failure but must be seen
{
    printf ' NOT RUN: %s\n' "$1"
    skipped+=("$step: $1")
}

# -------------------------------------------------------------------------------- what to run

steps='' skipped=() thorough=no
while [ $# -gt 0 ]; do
    case $1 in
    --quick) steps=main ;;
    --all) steps="$core_variants $more_variants" thorough=yes ;;
    --only)
        steps="$steps ${2:?--only needs the name of a variant}"
        shift
        ;;
    --list)
        echo "$core_variants $more_variants" | tr ' ' '\n'
        exit
        ;;
    *)
        sed -n '6,17s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    esac
    shift
done
steps=${steps:-$core_variants}

jobs=$(nproc)
started=$SECONDS

echo "Setting up"
if ! tools/setup.sh; then
    echo "0 passed, 1 failed"
    exit 1
fi

case " $steps " in
*' boosts '* | *' boost-'*)
    mkdir -p build/test
    echo "Looking for newer Boosts"
    tools/boosts.sh >build/test/boosts.txt
    found=$(awk '{ print "boost-" $1 }' build/test/boosts.txt | paste -sd ' ')
    echo "Boosts beside the system's: ${found:-NONE COULD BE HAD, so the suite is not run on them}"
    steps=${steps/boosts/$found}
    ;;
esac

number=0 total=$(echo "$steps" | wc -w)
for step in $steps; do
    number=$((number + 1))
    case $step in
    b2) what='tests and examples with b2' ;;
    docs) what='documentation, links, undocumented names' ;;
    valgrind) what='the core tests of main' ;;
    *)
        if ! variant "$step"; then
            echo "There is no variant '$step'; tools/test.sh --list names them." >&2
            exit 2
        fi
        ;;
    esac
    printf '[%2d/%d] %-14s %-44s' "$number" "$total" "$step" "$what"

    case $step in
    b2) run_b2 ;;
    docs) if [ -x tools/doc.sh ]; then run_docs; else skip 'there is no tools/doc.sh'; fi ;;
    valgrind) run_valgrind ;;
    io_uring) if io_uring_allowed; then run_variant "$step"; else skip 'the kernel does not allow io_uring'; fi ;;
    boost-*)
        boost_root=$(awk -v version="$boost" '$1 == version { print $2 }' build/test/boosts.txt)
        if [ -n "$boost_root" ]; then run_variant "$step"; else skip "Boost $boost could not be had"; fi
        ;;
    *) run_variant "$step" ;;
    esac
done

echo
[ ${#skipped[@]} = 0 ] || printf 'Not run: %s\n' "${skipped[@]}"
[ ${#failures[@]} = 0 ] || echo "Failed: ${failures[*]}"
echo "Took $(((SECONDS - started) / 60)) min $(((SECONDS - started) % 60)) s"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
