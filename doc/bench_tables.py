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
  bench_tables.adoc   for each program a table that can be overlooked, and every figure, folded up where there are
                      many: a table for each peer and variant, in which other Boosts are columns beside
  bench_behind.adoc   the rows in which the peer was faster in the median
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
    'queues': ('The queue alone', 'The data structure without Asio, against other structures, for three kinds of durations.'),
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
    """A row whose name is indented is a part of the one above."""
    return re.sub(r'^ +', '– ', str(text)).replace('|', '&#124;')


def with_unit(x, r):
    unit = {'us': 'µs'}.get(r.get('unit'), r.get('unit'))
    return number(x) + (' ' + unit if unit else '')


def ratio(x):
    return '%.2f' % x if x < 10 else '%.1f' % x if x < 100 else '{:,.0f}'.format(x)


def shown_ratio(x):
    """Where the peer was ahead is seen at a glance: not bold, and in another colour."""
    return '*%s*' % ratio(x) if x >= 1 else '[.behind]#%s#' % ratio(x)


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

tables, files, boosts = {}, {}, []    # program -> (peer, variant) -> (row, n) -> boost -> result
for boost, folder in folders:
    for path in sorted(glob.glob(os.path.join(folder, '*.json'))):
        for program, r in rows_of(path):
            files.setdefault(program, os.path.basename(path))
            if boost not in boosts:
                boosts.append(boost)
            group = tables.setdefault(program, {}).setdefault((r['peer'], r.get('variant', '')), {})
            group.setdefault((r['row'], r.get('n')), {})[boost] = r

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
    workloads = list(dict.fromkeys(row for row, _ in rows))
    for (row, n), by in sorted(rows.items(), key=lambda x: (workloads.index(x[0][0]), x[0][1])):
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
            line += ' |%s |%s' % (with_unit(r['ours'], r), with_unit(r['theirs'], r))
        else:
            line += ' | |'
        for b in [first] + others:
            r = by.get(b)
            line += ' |%s |%s – %s' % (shown_ratio(r['ratio']), ratio(min(r['ratios'])), ratio(max(r['ratios']))) if r else ' | |'
        out.append(line)
    return '\n'.join(out + ['|===', ''])


MANY = 20    # rows; more are folded up below a table of their ratios


def by_size(title, group, boost):
    """The ratios alone: a row for each workload, a column for each size."""
    sizes = sorted({n for (_, n), by in group.items() if boost in by})
    rows = list(dict.fromkeys(row for (row, _), by in group.items() if boost in by))
    out = ['.%s' % cell(title), '[.figures%%header,cols="<4%s"]' % (',>2' * len(sizes)), '|===',
           '|Ratio, by timers pending' + ''.join(' |' + '{:,}'.format(n) for n in sizes)]
    for row in rows:
        found = (group.get((row, n), {}).get(boost) for n in sizes)
        out.append('|%s%s' % (cell(row), ''.join(' |' + (shown_ratio(r['ratio']) if r else '') for r in found)))
    return '\n'.join(out + ['|===', ''])


def by_peer(title, groups, boost):
    """The ratios of all sizes in short: a row for each peer, a column for each workload."""
    rows = list(dict.fromkeys(row for group in groups.values() for row, _ in group))
    out = ['.%s' % cell(title), '[.figures%%header,cols="<4%s"]' % (',>3' * len(rows)), '|===',
           '|Least to greatest ratio' + ''.join(' |' + cell(row.replace('queue: ', '')) for row in rows)]
    for peer, group in groups.items():
        line = '|' + cell(peer)
        for row in rows:
            found = [by[boost]['ratio'] for (r, _), by in group.items() if r == row and boost in by]
            line += ' |' + (' – '.join(map(shown_ratio, (min(found), max(found)))) if found else '')
        out.append(line)
    return '\n'.join(out + ['|===', ''])


text = []
for program in sorted(tables, key=lambda p: (list(PROGRAMS).index(p) if p in PROGRAMS else 99, p)):
    title, about = PROGRAMS.get(program, ('Program `%s`' % program, 'From this program'))
    text.append('=== %s\n\n%s (`bench/results/%s`)\n' % (title, about, files[program]))
    groups = sorted(tables[program].items())
    rows = sum(len(group) for _, group in groups)
    names = {'any': 'any_io_executor'}
    if rows > MANY:
        peers = list(dict.fromkeys(peer for (peer, _), _ in groups))
        variants = list(dict.fromkeys(variant for (_, variant), _ in groups))
        for boost in boosts:
            there = '' if boost == HOME else ', Boost ' + boost
            for variant in variants:
                some = {peer: group for (peer, v), group in groups if v == variant and any(boost in by for by in group.values())}
                if some and len(peers) > 1:
                    text.append(by_peer(variant.capitalize() + ' durations' + there, some, boost))
                elif some:
                    text.append(by_size('Against ' + peers[0] + ', ' + names.get(variant, variant) + there, some[peers[0]], boost))
        text.append('.Every figure: ours, theirs, ratio and spread of %d rows\n[%%collapsible]\n====\n' % rows)
    for (peer, variant), group in groups:
        shown = names.get(variant, variant)
        text.append(table('Against ' + peer + (', ' + shown if shown else ''), group))
    if rows > MANY:
        text.append('====\n')
write('bench_tables.adoc', '\n'.join(text))

# ---------------------------------------------------------------- where others are ahead
def is_behind(by):
    return any(r['ratio'] < 1 for r in by.values())


single = [(row, n, peer, variant, by) for program, groups in tables.items() if program != 'queues'
          for (peer, variant), group in groups.items() for (row, n), by in group.items() if is_behind(by)]
alone = [by for group in tables.get('queues', {}).values() for by in group.values()]
text = ''
if single:
    there = [b for b in boosts if any(b in by for *_, by in single)]
    text += '[.figures%%header,cols="<4,<4,>2,>2,>2%s"]\n|===\n|What |Against |Pending |Ours |Theirs%s\n' % (
        ',>2' * len(there), ''.join(' |Ratio' + ('' if b == HOME else ', Boost ' + b) for b in there))
    for row, n, peer, variant, by in sorted(single, key=lambda x: min(r['ratio'] for r in x[-1].values())):
        r = by[next(iter(by))]
        text += '|%s |%s |%s |%s |%s%s\n' % (
            cell(row.strip()), cell(peer + (', ' + variant if variant not in ('any', '') else '')), '{:,}'.format(n) if n else '',
            with_unit(r['ours'], r), with_unit(r['theirs'], r),
            ''.join(' |' + (shown_ratio(by[b]['ratio']) if b in by else '') for b in there))
    text += '|===\n\n'
if any(map(is_behind, alone)):
    text += ('The queue alone, without Asio, was behind in %d of its %d rows. <<the-queue-alone>> shows where; '
             'xref:design.adoc#other-structures[Design] says why it is this structure all the same.\n' % (sum(map(is_behind, alone)), len(alone)))
write('bench_behind.adoc', text or 'In none of the recorded rows was the peer faster in the median.\n')
