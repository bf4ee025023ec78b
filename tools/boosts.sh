#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Fetches the headers of newer Boosts, those that later Debian suites have, into build/boosts, and
# installs nothing. Prints one line for each that is at hand: its version and the directory
# that holds its usr/include. What could not be had is said on standard error and is no failure.
#
#   tools/boosts.sh [VERSION...]     for example 1.83 1.92; none: all there are
#
# BOOST_EXT_BOOSTS may name a directory in which they lie unpacked already, as VERSION/usr/include.

set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build/boosts
root=$PWD/build/boosts
ready=${BOOST_EXT_BOOSTS:-}
# Each of them names a suite that was seen to have newer Boosts; one that is gone is passed over.
suites='trixie forky sid'

complain() { echo "boosts.sh: $*" >&2; }

# The machine's own Debian source, in whichever of the two formats it is written.
own_source()
{
    local codename
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
        awk -v suite="$codename" '$2 == suite && $3 == "main" { print $1; exit }'
}

apt_options()
{
    echo "-o Dir::Etc::SourceList=$root/apt/sources.list
        -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists=$root/apt/lists
        -o Dir::Cache=$root/apt/cache
        -o APT::Sandbox::User=root
        -o Acquire::Languages=none
        -o Acquire::Retries=2"
}

# Makes the private apt root and prints the versions that its suites have.
available()
{
    local uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
    uri=$(own_source)
    if [ -z "$uri" ]; then
        complain "found no Debian source on this machine to derive the later suites from"
        return
    fi
    [ ! -e $keyring ] || signed="[signed-by=$keyring] "
    mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial"
    for suite in $suites; do
        echo "deb $signed$uri $suite main"
    done >"$root/apt/sources.list"
    # shellcheck disable=SC2046
    apt-get $(apt_options) -q update >"$root/apt/update.log" 2>&1 ||
        complain "not every suite of '$suites' could be had, see $root/apt/update.log"
    # shellcheck disable=SC2046
    apt-cache $(apt_options) search --names-only '^libboost1\.[0-9]+-dev$' |
        sed -n 's/^libboost\(1\.[0-9]*\)-dev .*/\1/p' | sort -V | awk -F. '$2 > 81'
}

fetch()
{
    local version=$1
    rm -rf "$root/$version" "$root/apt/download"
    mkdir -p "$root/$version" "$root/apt/download"
    # shellcheck disable=SC2046
    (cd "$root/apt/download" &&
        apt-get $(apt_options) -q download "libboost$version-dev" &&
        dpkg -x libboost"$version"-dev_*.deb "$root/$version") >"$root/apt/download-$version.log" 2>&1 &&
        touch "$root/$version/.complete"
    local result=$?
    rm -rf "$root/apt/download"
    return $result
}

have()
{
    local version=$1
    if [ -n "$ready" ] && [ -e "$ready/$version/usr/include/boost/version.hpp" ]; then
        echo "$version $ready/$version"
    elif [ -e "$root/$version/.complete" ]; then
        echo "$version $root/$version"
    else
        return 1
    fi
}

if [ $# -gt 0 ]; then
    versions=$*
elif [ -n "$ready" ]; then
    versions=$(cd "$ready" && ls -d 1.* | sort -V)
else
    versions=$(available || true)
    [ -n "$versions" ] || versions=$(cd "$root" && ls -d 1.* 2>/dev/null | sort -V || true)
    [ -n "$versions" ] || complain "NO NEWER BOOST COULD BE HAD: nothing is tested on one"
fi

for version in $versions; do
    have "$version" && continue
    [ -e "$root/apt/sources.list" ] || available >/dev/null || true
    fetch "$version" && have "$version" && continue
    complain "BOOST $version COULD NOT BE HAD: nothing is tested on it"
done
