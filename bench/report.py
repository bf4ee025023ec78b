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


STYLE = """
set terminal svg size 760,420 dynamic background rgb 'white' font 'sans-serif,13'
set output '{output}'
set title '{title}' noenhanced
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set key top left noenhanced
"""
COLOURS = ["#c0392b", "#2c6fbb", "#7f8c8d", "#27ae60", "#8e44ad", "#d68910", "#16a085"]


def plot(output, title, body, curves):
    script = STYLE.format(output=output, title=title) + body
    for i, (_, points, _) in enumerate(curves):
        script += f"$d{i} << EOD\n" + "".join(f"{x} {y}\n" for x, y in points) + "EOD\n"
    script += "plot " + ", ".join(
        f"$d{i} with {how} lw 2 {'pt 7 ps 0.6 ' if 'points' in how else ''}lc rgb '{COLOURS[i % len(COLOURS)]}' title '{name}'"
        for i, (name, _, how) in enumerate(curves)) + "\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def by_size(results, **where):
    return sorted((r["n"], r) for r in results if all(r[k] == v for k, v in where.items()))


def plots(results, series, directory):
    os.makedirs(directory, exist_ok=True)
    axes = "set logscale x\nset format x '10^{%L}'\nset xlabel 'timers pending'\nset yrange [0:*]\n"
    for row, name, title in (
            ("re-arm", "rearm", "Re-arm one of n pending timers, ns"),
            ("expire", "expire", "Expire n timers, ns each"),
            ("lifecycle", "lifecycle", "Create, arm, destroy with n alive, ns")):
        points = by_size(results, row=row, variant="any", peer="Asio")
        if len(points) < 2:
            continue
        curves = [("boost_ext::steady_timer", [(n, statistics.median(r["ours"])) for n, r in points], "linespoints"),
                  ("boost::asio::steady_timer", [(n, statistics.median(r["theirs"])) for n, r in points], "linespoints")]
        if row == "re-arm":
            moved = by_size(results, row="reschedule_after", variant="any", peer="Asio")
            curves.append(("reschedule_after", [(n, statistics.median(r["ours"])) for n, r in moved], "linespoints"))
        plot(os.path.join(directory, name + ".svg"), title, axes, curves)
    peers = list(dict.fromkeys(r["peer"] for r in results if r["row"] == "queue: drain"))
    if peers:
        first = by_size(results, row="queue: drain", variant="random", peer=peers[0])
        curves = [("boost_ext", [(n, statistics.median(r["ours"])) for n, r in first], "linespoints")]
        curves += [(p, [(n, statistics.median(r["theirs"])) for n, r in
                        by_size(results, row="queue: drain", variant="random", peer=p)], "linespoints") for p in peers]
        plot(os.path.join(directory, "queues.svg"), "The queue alone: drain n random deadlines, ns each",
             axes + "set logscale y\nset yrange [*:*]\n", curves)
    for state in ("idle", "busy"):
        if f"lateness {state} ours" not in series:
            continue
        curves = []
        for who, name in (("ours", "boost_ext::steady_timer"), ("theirs", "boost::asio::steady_timer")):
            values = series[f"lateness {state} {who}"]
            total = sum(values) or 1
            curves.append((name, [(2 ** (i / 2), 100 * v / total) for i, v in enumerate(values)], "steps"))
        plot(os.path.join(directory, f"lateness-{state}.svg"),
             "Lateness of a wait, " + ("idle machine" if state == "idle" else "all cores busy") + ", % of waits",
             "set logscale x\nset xlabel 'late by, microseconds'\nset yrange [0:*]\nset key top right\n", curves)


def main():
    results, series = load(sys.argv[1])
    table(results)
    growth(results)
    if len(sys.argv) > 2:
        plots(results, series, sys.argv[2])


main()
