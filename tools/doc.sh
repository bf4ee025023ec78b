#!/bin/sh
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
#
# Builds the documentation: tools/doc.sh [output folder, build/doc unless told].
# The site is then in <output>/html. Needs doxygen, asciidoctor, ruby-rouge and python3.
# Warnings, undocumented names, code that is not compiled and broken links are errors. Figures and plots come
# from bench/results, so after tools/bench.sh this is all there is to run.
set -eu

cd "$(dirname "$0")/.."
root=$PWD
mkdir -p "${1:-build/doc}"
out=$(cd "${1:-build/doc}" && pwd)
adoc=$out/adoc
html=$out/html
rm -rf "$out/xml" "$adoc" "$html"
mkdir -p "$adoc/reference" "$html/images" "$html/reference"

version=$(sed -n 's/^#define BOOST_EXT_TIMERS_VERSION \([0-9]*\).*/\1/p' include/boost_ext/version.hpp)
version=$((version / 100000)).$((version / 100 % 1000)).$((version % 100))

DOC_OUT=$out doxygen doc/Doxyfile
python3 doc/reference.py "$out/xml" "$adoc/reference" "$root" ${DOC_LENIENT:+--lenient}
python3 doc/check_sources.py "$root"

cp doc/timers.css doc/rouge-github.css "$html/"
cp doc/images/*.svg "$html/images/"
# The plots of the recorded results, drawn anew where gnuplot is installed; otherwise those that tools/bench.sh drew.
for results in bench/results bench/results/boost-*; do
    ls "$results"/*.json >/dev/null 2>&1 || continue
    to=$html/images${results#bench/results}
    mkdir -p "$to"
    if command -v gnuplot >/dev/null; then
        python3 bench/report.py "$results" "$to" >"$out/bench.txt"
    else
        find "$results" -maxdepth 1 -name '*.svg' -exec cp {} "$to/" \;
    fi
done
python3 doc/bench_tables.py "$root" "$adoc" "$html/images"
python3 doc/site.py "$root" "$adoc" "$version"

render() { # render <navigation> <path to the site's root> <output folder> <pages...>
    nav=$1 up=$2 to=$3
    shift 3
    asciidoctor --failure-level=WARN -D "$to" \
        -a docinfo=private -a docinfodir="$nav" \
        -a linkcss -a copycss! -a stylesdir="${up}." -a stylesheet=timers.css \
        -a source-highlighter=rouge -a rouge-css=class \
        -a toc@ -a toclevels=2 -a toc-title='On this page' -a sectanchors -a idprefix= -a idseparator=- \
        -a nofooter -a webfonts! -a reproducible -a table-caption! \
        -a imagesdir="${up}images" -a experimental -a timers-version="$version" -a generated="$adoc" \
        "$@"
}
render "$adoc/nav" '' "$html" doc/pages/*.adoc
render "$adoc/nav/reference" '../' "$html/reference" "$adoc"/reference/*.adoc

python3 doc/finish.py "$html"
python3 doc/check_site.py "$html"
echo "The documentation is in $html/index.html"
