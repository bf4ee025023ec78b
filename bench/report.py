#!/usr/bin/env python3
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
"""Prints the table of ratios from the JSON files of a run and draws the plots with gnuplot.

usage: report.py RESULTS_DIR [IMAGES_DIR]
"""
import glob
import json
import math
import os
import statistics
import subprocess
import sys

# row, pending -> (at least, aim); for the drop-in timer with any_io_executor
TARGETS = {
    ("re-arm", 1000): (1.6, 2.5), ("re-arm", 1000000): (1.4, 2.5),
    ("lifecycle", 1000): (1.8, 3), ("lifecycle", 1000000): (1.8, 3),
    ("schedule", 1000000): (1.0, 1.5),
    ("expire", 100000): (1.8, 3), ("expire", 1000000): (2.5, 4),
    ("re-arm, two threads", 1000): (1.2, 2), ("re-arm, two threads", 1000000): (1.2, 2),
    ("memory per pending wait", 1000000): (1.0, 1.3),
    ("lateness p50, idle", 1): (0.95, 1), ("lateness p99, idle", 1): (0.95, 1),
    ("reschedule_after", 1000): (4, 6),
    ("queue: drain", 1000000): (5, 8), ("queue: drain", 10000000): (15, 25),
}


def load(directory):
    results, series = [], {}
    for path in sorted(glob.glob(os.path.join(directory, "*.json"))):
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
        for r in data["results"]:
            r["program"] = data["program"]
        results += data["results"]
        series.update(data.get("series", {}))
    return results, series


def target(r):
    if r["peer"] not in ("Asio", "std::priority_queue") or r["variant"] not in ("any", "random"):
        return ""
    if r["peer"] == "std::priority_queue" and not r["row"].startswith("queue: drain"):
        return ""
    t = TARGETS.get((r["row"], r["n"]))
    return f"{t[0]:g} / {t[1]:g}" if t else ""


def table(results):
    head = ("row", "variant", "pending", "peer", "ours", "theirs", "unit", "ratio", "spread", "at least / aim")
    lines = [head]
    for r in results:
        q = r["ratios"]
        lines.append((
            r["row"], r["variant"], f"{r['n']:,}", r["peer"], f"{statistics.median(r['ours']):.4g}",
            f"{statistics.median(r['theirs']):.4g}", r["unit"], f"{statistics.median(q):.2f}",
            f"{min(q):.2f} .. {max(q):.2f}", target(r)))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for i, line in enumerate(lines):
        print("| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths)) + " |")
        if i == 0:
            print("|" + "|".join("-" * (w + 2) for w in widths) + "|")


def growth(results):
    """cost ~ n^e, fitted by least squares over the sizes that were run"""
    print("\nCost growth, exponent e of cost ~ pending^e")
    for row in ("re-arm", "reschedule_after", "lifecycle", "schedule", "expire"):
        points = sorted((r["n"], r) for r in results if r["row"] == row and r["variant"] == "any" and r["peer"] == "Asio")
        if len(points) < 3:
            continue
        line = f"  {row:20s}"
        for who in ("ours", "theirs"):
            xs = [math.log(n) for n, _ in points]
            ys = [math.log(statistics.median(r[who])) for _, r in points]
            mx, my = statistics.mean(xs), statistics.mean(ys)
            e = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
            line += f"  {who} {e:.3f}"
        print(line + f"  ({points[0][0]:,} to {points[-1][0]:,})")


# Big type, as the plots are also seen at half their size; the subjects have the same colour and the same mark in all of them.
STYLE = """
set terminal svg size 640,{height} dynamic background rgb 'white' font 'sans-serif,15'
set encoding utf8
set output '{output}'
set title '{title}' font 'sans-serif,17' noenhanced
set grid ytics lt 1 lw 1 lc rgb '#e4e7ec'
set border 3 lc rgb '#6b7280'
set tics nomirror out scale 0.6 textcolor rgb '#1f2430'
set key {key} Left reverse noenhanced samplen 2 spacing 1.15
"""
STYLES = [("#c0392b", 7), ("#2c6fbb", 5), ("#5f6b7a", 9), ("#1e8449", 13), ("#8e44ad", 11), ("#b9770e", 6), ("#117a8b", 4)]


def plot(output, title, body, curves, key="top left", height=400):
    script = STYLE.format(output=output, title=title, key=key, height=height) + body
    for i, (_, points, _) in enumerate(curves):
        script += f"$d{i} << EOD\n" + "".join(f"{x} {y}\n" for x, y in points) + "EOD\n"

    def curve(i, name, how):
        colour, mark = STYLES[i % len(STYLES)]
        return (f"$d{i} with {how} lw {3 if i == 0 else 2} {f'pt {mark} ps 0.7 ' if 'points' in how else ''}"
                f"lc rgb '{colour}' title '{name}'")

    script += "plot " + ", ".join(curve(i, name, how) for i, (name, _, how) in enumerate(curves)) + "\n"
    subprocess.run(["gnuplot"], input=script, encoding="utf-8", check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})


def sizes_axis(curves):
    """The axis of how many timers are pending: a tick for each power of ten that is there, written as on the page."""
    sizes = sorted({x for _, points, _ in curves for x, _ in points})
    first, last = (round(math.log10(x)) for x in (sizes[0], sizes[-1]))
    names = {3: "1,000", 4: "10,000", 5: "100,000", 6: "1 million", 7: "10 million", 8: "100 million"}
    ticks = ", ".join(f"'{names.get(e, 10 ** e)}' {10 ** e}" for e in range(first, last + 1))
    return f"set logscale x\nset xrange [{sizes[0] / 1.3}:{sizes[-1] * 1.6}]\nset xtics ({ticks})\nset xlabel 'timers pending' offset 0,0.4\n"


LATE_BY = ", ".join(f"'{name}' {10 ** e}" for e, name in enumerate(("1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s")))


def by_size(results, **where):
    return sorted((r["n"], r) for r in results if all(r[k] == v for k, v in where.items()))


def plots(results, series, directory):
    os.makedirs(directory, exist_ok=True)
    ours, theirs = "boost_ext::steady_timer", "boost::asio::steady_timer"
    for row, name, title in (
            ("re-arm", "rearm", "Re-arm one of n pending timers, ns"),
            ("expire", "expire", "Expire n timers, ns each"),
            ("lifecycle", "lifecycle", "Create, arm, destroy with n alive, ns")):
        points = by_size(results, row=row, variant="any", peer="Asio")
        if len(points) < 2:
            continue
        curves = [(ours, [(n, statistics.median(r["ours"])) for n, r in points], "linespoints"),
                  (theirs, [(n, statistics.median(r["theirs"])) for n, r in points], "linespoints")]
        if row == "re-arm":
            moved = by_size(results, row="reschedule_after", variant="any", peer="Asio")
            if moved:
                curves.append(("the same, by reschedule_after", [(n, statistics.median(r["ours"])) for n, r in moved], "linespoints"))
        # Room above the curves for the key.
        top = (1.2 + 0.1 * len(curves)) * max(y for _, points, _ in curves for _, y in points)
        plot(os.path.join(directory, name + ".svg"), title, sizes_axis(curves) + f"set yrange [0:{top}]\n", curves)
    peers = list(dict.fromkeys(r["peer"] for r in results if r["row"] == "queue: drain"))
    if peers:
        first = by_size(results, row="queue: drain", variant="random", peer=peers[0])
        curves = [("boost_ext", [(n, statistics.median(r["ours"])) for n, r in first], "linespoints")]
        curves += [(p, [(n, statistics.median(r["theirs"])) for n, r in
                        by_size(results, row="queue: drain", variant="random", peer=p)], "linespoints") for p in peers]
        plot(os.path.join(directory, "queues.svg"), "The queue alone: drain n random deadlines, ns each",
             sizes_axis(curves) + "set logscale y\nset yrange [*:*]\n", curves,
             "outside bottom center horizontal width -4 maxcols 2", 560)
    for state in ("idle", "busy"):
        if f"lateness {state} ours" not in series:
            continue
        curves = []
        for who, name in (("ours", ours), ("theirs", theirs)):
            values = series[f"lateness {state} {who}"]
            total = sum(values) or 1
            shares = [100 * v / total for v in values]
            curves.append((name, [(2 ** (i / 2), y) for i, y in enumerate(shares)], "steps"))
        # As far as there is anything to be seen.
        top = 1.35 * max((y for _, points, _ in curves for _, y in points), default=1)
        last = max((x for _, points, _ in curves for x, y in points if y >= 0.05), default=10)
        plot(os.path.join(directory, f"lateness-{state}.svg"),
             "Lateness of a wait, " + ("idle machine" if state == "idle" else "all cores busy") + ", % of waits",
             f"set logscale x\nset xrange [1:{last * 3}]\nset xtics ({LATE_BY})\nset xlabel 'late by' offset 0,0.4\n"
             f"set yrange [0:{top}]\n", curves, "top right")


def main():
    results, series = load(sys.argv[1])
    table(results)
    growth(results)
    if len(sys.argv) > 2:
        plots(results, series, sys.argv[2])


main()
