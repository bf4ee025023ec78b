#!/usr/bin/env python3
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
"""Turn the recorded benchmark results into AsciiDoc, so that no figure is typed by hand.

usage: bench_tables.py ROOT OUT_DIR IMAGES_DIR

Reads bench/results/*.json (bench/harness.hpp has the format), which tools/bench.sh writes for the
Boost of the system, and bench/results/boost-*/*.json, which tools/bench.sh --boost writes for others.
Writes into OUT_DIR
  bench_state.adoc    what bench/results/README.md says about the runs
  bench_plots.adoc    the plots that are in IMAGES_DIR
  bench_tables.adoc   a table for each program, peer and variant; other Boosts are columns beside
  bench_behind.adoc   every row in which the peer was faster in the median
  bench_structures.adoc   the queue alone beside other structures, for the page about the design
"""
import glob
import json
import os
import re
import statistics
import sys

root, out_dir, images = sys.argv[1:4]
results = os.path.join(root, 'bench', 'results')
HOME = 'system'    # the key of the runs on the Boost of the system

PROGRAMS = {
    'timers': ('The drop-in timer', 'The same workload on `boost::asio::steady_timer` and on `boost_ext::steady_timer`.'),
    'kernel': ('Kernel and lateness', 'How often the kernel timer is set, and how late a wait is.'),
    'features': ('The layers above', 'Intervals, timeouts, jobs and named timers, against what one would write by hand.'),
    'queues': ('The queue alone', 'The data structure without Asio, against other structures.'),
    'libuv': ('libuv', 'The same work in libuv’s event loop.'),
    'libevent': ('libevent', 'The same work in libevent’s event loop.'),
    'statistics': ('What statistics cost', 'Compiled in, against not.'),
}
PLOTS = (
    ('expire.svg', 'Expiry, by the number of pending timers'), ('rearm.svg', 'Re-arming, by the number of pending timers'),
    ('lifecycle.svg', 'Create, arm and destroy, by the number that are alive'), ('queues.svg', 'The queue alone'),
    ('lateness-idle.svg', 'Lateness on an idle machine'), ('lateness-busy.svg', 'Lateness while all cores are busy'),
)


def number(x):
    if x == 0:
        return '0'
    if abs(x) >= 1000:
        return '{:,.0f}'.format(x)
    return '%.3g' % x if abs(x) < 100 else '%.0f' % x


def cell(text):
    return str(text).replace('|', '&#124;')


def rows_of(path):
    with open(path, encoding='utf-8') as f:
        data = json.load(f)
    program = data.get('program') or os.path.basename(path)[:-5]
    for r in data.get('results', []):
        ratios = r.get('ratios') or [t / o for o, t in zip(r.get('ours', []), r.get('theirs', [])) if o]
        if not ratios or not r.get('ours') or not r.get('theirs'):
            continue
        yield program, dict(r, ratios=ratios, ratio=statistics.median(ratios),
                            ours=statistics.median(r['ours']), theirs=statistics.median(r['theirs']))


def write(name, text):
    with open(os.path.join(out_dir, name), 'w', encoding='utf-8') as f:
        f.write(text)


folders = [(HOME, results)]
for folder in sorted(glob.glob(os.path.join(results, 'boost-*'))):
    if os.path.isdir(folder):
        folders.append((os.path.basename(folder)[len('boost-'):].replace('_', '.'), folder))

tables, files, behind, boosts = {}, {}, [], []    # program -> (peer, variant) -> (row, n) -> boost -> result
for boost, folder in folders:
    for path in sorted(glob.glob(os.path.join(folder, '*.json'))):
        for program, r in rows_of(path):
            files.setdefault(program, os.path.basename(path))
            if boost not in boosts:
                boosts.append(boost)
            group = tables.setdefault(program, {}).setdefault((r['peer'], r.get('variant', '')), {})
            group.setdefault((r['row'], r.get('n')), {})[boost] = r
            if r['ratio'] < 1:
                behind.append((program, boost, r))

# ---------------------------------------------------------------- what the runs were
state = ''
notes = os.path.join(results, 'README.md')
if os.path.isfile(notes):
    with open(notes, encoding='utf-8') as f:
        text = re.sub(r'^#.*\n', '', f.read(), flags=re.M).strip()
    if text:
        state = '[%s]\n====\n%s\n====\n' % ('WARNING' if re.search('preliminary', text, re.I) else 'NOTE', text)
write('bench_state.adoc', state)

# ---------------------------------------------------------------- plots
text = []
for folder in [''] + sorted(os.path.basename(f) for f in glob.glob(os.path.join(images, 'boost-*'))):
    wanted = PLOTS[:2] if folder else PLOTS
    there = [(n, t) for n, t in wanted if os.path.isfile(os.path.join(images, folder, n))]
    if folder and there:
        text.append('=== Boost %s\n' % folder[len('boost-'):].replace('_', '.'))
    for name, title in there:
        text.append('image::%s[%s,role=plot]\n' % (os.path.join(folder, name), title.replace(',', '&#44;')))
write('bench_plots.adoc', '\n'.join(text))

# ---------------------------------------------------------------- structures
alone = {peer: group for (peer, variant), group in tables.get('queues', {}).items() if variant == 'random'}
rows = {}    # (row, n) -> who -> ns
for peer, group in alone.items():
    for key, by in group.items():
        r = by[next(iter(by))]
        rows.setdefault(key, {})[peer] = r['theirs']
        rows[key].setdefault('', []).append(r['ours'])
if rows:
    peers = list(alone)
    text = '[.figures%%header,cols="<4,>3,>2%s"]\n|===\n|What |Entries |Ours%s\n' % (
        ',>2' * len(peers), ''.join(' |' + cell(p) for p in peers))
    for (row, n), by in sorted(rows.items(), key=lambda x: (x[0][0], x[0][1])):
        text += '|%s |%s |*%s*%s\n' % (cell(row.replace('queue: ', '')), '{:,}'.format(n), number(statistics.median(by[''])),
                                      ''.join(' |' + (number(by[p]) if p in by else '') for p in peers))
    write('bench_structures.adoc', text + '|===\n')
else:
    write('bench_structures.adoc', 'NOTE: `tools/bench.sh` fills this table in; no run of `bench/queues.cpp` is recorded yet.\n')

# ---------------------------------------------------------------- tables
if not tables:
    note = 'NOTE: No results are recorded in `bench/results/` yet.\n'
    write('bench_tables.adoc', note)
    write('bench_behind.adoc', note)
    sys.exit()


def table(title, group):
    first = next((b for b in boosts if any(b in by for by in group.values())))
    others = [b for b in boosts if b != first and any(b in by for by in group.values())]
    out = ['.%s' % cell(title),
           '[.figures%%header,cols="<5,>3,>3,>3,>2,>3%s"]' % (',>3,>3' * len(others)), '|===',
           '|What |Pending |Ours |Theirs |Ratio |Spread' + ''.join(' |Ratio, Boost %s |Spread' % b for b in others)]
    for (row, n), by in group.items():
        shown = '{:,}'.format(n) if n else ''
        line = '|%s |%s' % (cell(row), shown)
        r = by.get(first)
        if r:
            unit = ' ' + r['unit'] if r.get('unit') else ''
            line += ' |%s%s |%s%s' % (number(r['ours']), unit, number(r['theirs']), unit)
        else:
            line += ' | |'
        for b in [first] + others:
            r = by.get(b)
            line += ' |*%.2f* |%.2f – %.2f' % (r['ratio'], min(r['ratios']), max(r['ratios'])) if r else ' | |'
        out.append(line)
    return '\n'.join(out + ['|===', ''])


text = []
for program in sorted(tables, key=lambda p: (list(PROGRAMS).index(p) if p in PROGRAMS else 99, p)):
    title, about = PROGRAMS.get(program, ('Program `%s`' % program, 'From this program'))
    text.append('=== %s\n\n%s (`bench/results/%s`)\n' % (title, about, files[program]))
    for (peer, variant), group in sorted(tables[program].items()):
        shown = {'any': 'any_io_executor', '': ''}.get(variant, variant)
        text.append(table('Against ' + peer + (', ' + shown if shown else ''), group))
write('bench_tables.adoc', '\n'.join(text))

if behind:
    text = '[.figures%header,cols="<4,<4,>2,>2,>2,>2"]\n|===\n|What |Against |Pending |Ours |Theirs |Ratio\n'
    for program, boost, r in sorted(behind, key=lambda x: x[2]['ratio']):
        unit = ' ' + r['unit'] if r.get('unit') else ''
        against = ', '.join(filter(None, (r['peer'], r.get('variant') if r.get('variant') != 'any' else '',
                                          '' if boost == HOME else 'Boost ' + boost)))
        text += '|%s |%s |%s |%s%s |%s%s |*%.2f*\n' % (
            cell(r['row']), cell(against), '{:,}'.format(r['n']) if r.get('n') else '',
            number(r['ours']), unit, number(r['theirs']), unit, r['ratio'])
    text += '|===\n'
else:
    text = 'In none of the recorded rows was the peer faster in the median.\n'
write('bench_behind.adoc', text)
