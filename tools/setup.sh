#!/usr/bin/env bash
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Installs the Debian packages of tools/packages.txt that are not there yet. With nothing missing it
# does nothing and needs no rights. The packages to care for may be named as arguments.

set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    wanted=("$@")
else
    mapfile -t wanted < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' tools/packages.txt)
fi

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

become_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "These packages are missing, and only root can install them:" >&2
        echo "    apt-get install ${missing[*]}" >&2
        exit 1
    fi
    become_root=(sudo -n)
fi

echo "Installing ${missing[*]}"
log=$(mktemp)
for attempt in 1 2 3; do
    if "${become_root[@]}" apt-get -q update >"$log" 2>&1 &&
        "${become_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        rm -f "$log"
        exit 0
    fi
    echo "Attempt $attempt to install them failed." >&2
    sleep $((attempt * 5))
done
tail -n 20 "$log" >&2
exit 1
