#!/usr/bin/env python3
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
"""Check that whatever code a reader sees comes from a file that the tests compile and run.

usage: check_sources.py ROOT

* A source block on a page is nothing but an include of a tagged region of a file below
  example/ or test/, or of an example as a whole. (Examples in the headers' comments are looked up by
  doc/reference.py.)
* Links and pictures of the *.md files in the root lead to files that are there. (Those of the site: check_site.py.)
* A block of C++ or CMake in README.md stands below a comment that names such a region,
  <!-- FILE TAG -->, and is word for word the same.
* Every tag that is opened is closed, and names are unique in their file.
"""
import glob
import os
import re
import sys
import textwrap

root = sys.argv[1]
bad = []
COMPILED = re.compile(r'(example/\d\d_\w+\.cpp|test/doc_snippets_\w+\.cpp|test/consumer/[\w.]+)$')


def lines_of(path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        return f.read().splitlines()


def regions(path):
    """The tagged regions of a file: tag -> text, without indentation and without other tags."""
    found, open_tags = {}, {}
    for number, line in enumerate(lines_of(path), 1):
        m = re.search(r'(tag|end)::([\w-]+)\[\]', line)
        if not m:
            for text in open_tags.values():
                text.append(line)
        elif m.group(1) == 'tag':
            if m.group(2) in found or m.group(2) in open_tags:
                bad.append('%s:%d: tag %s is there twice' % (path, number, m.group(2)))
            open_tags[m.group(2)] = []
        elif m.group(2) not in open_tags:
            bad.append('%s:%d: tag %s was not opened' % (path, number, m.group(2)))
        else:
            found[m.group(2)] = textwrap.dedent('\n'.join(open_tags.pop(m.group(2)))).strip('\n')
    for tag in open_tags:
        bad.append('%s: tag %s is not closed' % (path, tag))
    return found


tagged = {}
for pattern in ('example/*.cpp', 'test/doc_snippets_*.cpp', 'test/consumer/*'):
    for full in sorted(glob.glob(os.path.join(root, pattern))):
        if os.path.isfile(full):
            name = os.path.relpath(full, root)
            tagged[name] = regions(name)

used, shown, blocks = set(), set(), 0    # regions, and examples as a whole


def use(path, tag, where):
    if not COMPILED.match(path) or path not in tagged:
        bad.append('%s: %s is not among the files that are compiled and run' % (where, path))
    elif tag not in tagged[path]:
        bad.append('%s: %s has no tag %s' % (where, path, tag))
    else:
        used.add((path, tag))
        return tagged[path][tag]
    return None


for full in sorted(glob.glob(os.path.join(root, 'doc', 'pages', '*.adoc'))):
    page = os.path.relpath(full, root)
    lines = lines_of(page)
    i = 0
    while i < len(lines):
        if lines[i].startswith('```') or lines[i] == '....':
            bad.append('%s:%d: code is shown between lines of ----, included from a file that is compiled and run' % (page, i + 1))
        if lines[i] == '----':
            end = lines.index('----', i + 1)
            where = '%s:%d' % (page, i + 1)
            body = [l for l in lines[i + 1:end] if l.strip()]
            m = re.fullmatch(r'include::\.\./\.\./([^\[]+)\[tag=([\w-]+),indent=0\]', body[0]) if len(body) == 1 else None
            whole = re.fullmatch(r'include::\.\./\.\./(example/\d\d_\w+\.cpp)\[lines=5\.\.-1\]', body[0]) if len(body) == 1 else None
            if whole and whole.group(1) in tagged:
                shown.add(whole.group(1))
            elif not m:
                bad.append(where + ': code that is typed on the page: include it from a file that is compiled and run')
            else:
                use(m.group(1), m.group(2), where)
            blocks += 1
            i = end
        i += 1

readme = lines_of('README.md')
for i, line in enumerate(readme):
    m = re.fullmatch(r'```(cpp|c\+\+|cmake)', line)
    if not m:
        continue
    where = 'README.md:%d' % (i + 1)
    source = re.fullmatch(r'<!-- (\S+) (\S+) -->', readme[i - 1])
    if not source:
        bad.append(where + ': no comment above says where this is compiled')
        continue
    text = use(source.group(1), source.group(2), where)
    text_there = '\n'.join(readme[i + 1:readme.index('```', i + 1)])
    if text is not None and text != text_there:
        bad.append('%s: differs from %s, tag %s' % (where, source.group(1), source.group(2)))
    blocks += 1

for full in sorted(glob.glob(os.path.join(root, '*.md'))):
    name = os.path.basename(full)
    for number, line in enumerate(lines_of(name), 1):
        for link in re.findall(r'\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"', line):
            link = (link[0] or link[1]).partition('#')[0]
            if link and not re.match(r'[a-z]+:', link) and not os.path.exists(os.path.join(root, link)):
                bad.append('%s:%d: %s is not there' % (name, number, link))

for path in tagged:
    if re.match(r'example/\d\d_', path) and path not in shown:
        bad.append('doc/pages/examples.adoc does not show ' + path)
for path, text in tagged.items():
    for tag in text:
        if path.startswith('test/doc_snippets_') and (path, tag) not in used:
            bad.append('%s: nothing shows tag %s' % (path, tag))

for line in bad:
    print('check_sources.py: ' + line, file=sys.stderr)
print('check_sources.py: %d pieces of code, %d wrong' % (blocks, len(bad)))
sys.exit(1 if bad else 0)
