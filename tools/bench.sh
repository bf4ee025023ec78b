#!/bin/sh
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
#
# Builds and runs the benchmark, prints a table of ratios, and writes JSON and SVG.
#
#   tools/bench.sh [--quick] [--boost INCLUDE_DIR] [--out DIR] [--images DIR]
#
#   --quick    ends within two minutes once it is built
#   --boost    use the Boost headers below this directory; only what depends on them is run, up to 1 M timers
#   --out      where the JSON goes   (default: bench/results, with --quick: build/bench/quick)
#   --images   where the plots go    (default: doc/images, with --quick or --boost: beside the JSON)
set -eu
cd "$(dirname "$0")/.."

quick= boost= out= images=
while [ $# -gt 0 ]; do
    case "$1" in
    --quick) quick=--quick ;;
    --boost) boost=$2; shift ;;
    --out) out=$2; shift ;;
    --images) images=$2; shift ;;
    *) sed -n '6,13p' "$0" >&2; exit 2 ;;
    esac
    shift
done

build=build/bench
name=results
if [ -n "$boost" ]; then
    [ -f "$boost/boost/version.hpp" ] || { echo "no Boost headers in $boost" >&2; exit 2; }
    version=$(sed -n 's/^#define BOOST_LIB_VERSION "\(.*\)"/\1/p' "$boost/boost/version.hpp")
    build=$build/boost-$version
    name=results/boost-$version
fi
if [ -n "$quick" ]; then
    : "${out:=$build/quick}"
else
    : "${out:=bench/$name}"
fi
if [ -n "$quick$boost" ]; then
    : "${images:=$out}"
else
    : "${images:=doc/images}"
fi
mkdir -p "$build" "$out" "$images"

cxx=${CXX:-g++}
if command -v ccache >/dev/null; then cxx="ccache $cxx"; fi
flags="-std=c++20 -O2 -DNDEBUG -pthread -Iinclude ${boost:+-isystem $boost}"

compile() { # program libraries [more flags]
    echo "building $1" >&2
    program=$1 libraries=$2
    shift 2
    # In two steps, as a compiler cache does not keep what is linked at once.
    $cxx $flags "$@" -c "bench/${source:-$program}.cpp" -o "$build/$program.o"
    $cxx -pthread "$build/$program.o" -o "$build/$program" $libraries
}
run() { # program [options]
    program=$1
    shift
    "$build/$program" $quick --json "$out/$program.json" "$@"
}

programs="timers kernel features"
compile timers ""
compile kernel -ldl
compile features ""
peers=
if [ -z "$boost" ]; then
    programs="$programs queues"
    compile queues ""
    peers="libuv:uv.h:-luv libevent:event2/event.h:-levent"
fi
for peer in $peers; do
    library=${peer%%:*} rest=${peer#*:}
    if printf '#include <%s>\n' "${rest%%:*}" | $cxx -E -x c++ - >/dev/null 2>&1; then
        compile "peers_$library" "${rest#*:}"
        programs="$programs peers_$library"
    else
        echo "$library is not installed: left out" >&2
    fi
done
source=statistics
compile statistics_off ""
compile statistics_on "" -DBOOST_EXT_ENABLE_STATISTICS
source=

for p in $programs; do
    case "$quick:$p" in
    --quick:timers) run "$p" --max 1000000 --rounds 5 ;;
    :timers) run "$p" ${boost:+--max 1000000} ;;
    --quick:queues) run "$p" --max 100000 ;;
    --quick:peers_*) run "$p" --max 100000 ;;
    *) run "$p" ;;
    esac
done
# Two programs, as the counters are compiled in or not: in turns, as everywhere.
{
    ours= theirs=
    for round in 1 2 3 4 5; do
        ours="$ours${ours:+, }$("$build/statistics_off")"
        theirs="$theirs${theirs:+, }$("$build/statistics_on")"
    done
    python3 - "$out/statistics.json" "$ours" "$theirs" <<'PY'
import json, sys
ours, theirs = ([float(x) for x in a.split(",")] for a in sys.argv[2:4])
row = {"row": "re-arm, statistics compiled in", "variant": "any", "peer": "counters on", "unit": "ns", "n": 1000,
       "ours": ours, "theirs": theirs, "ratios": [b / a for a, b in zip(ours, theirs)]}
json.dump({"program": "statistics", "results": [row], "series": {}}, open(sys.argv[1], "w"), indent=1)
PY
}
python3 bench/report.py "$out" "$images" | tee "$out/table.txt"
