#!/usr/bin/env python3
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
"""Write the navigation of every page, as the docinfo files that asciidoctor picks up.

usage: site.py ROOT GENERATED_DIR VERSION

GENERATED_DIR/reference holds the pages of the reference; the navigation goes to
GENERATED_DIR/nav and GENERATED_DIR/nav/reference, one header and one footer a page.
"""
import glob
import html
import os
import re
import sys

root, generated, version = sys.argv[1:4]
pages_dir = os.path.join(root, 'doc', 'pages')


def title(path):
    """The document's title; :navtitle: is a shorter one for the navigation."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    m = re.search(r'^:navtitle: (.*)$', text, re.M) or re.search(r'^= (.*)$', text, re.M)
    return html.unescape(m.group(1)).strip()


def source(page):
    if page.startswith('reference/'):
        return os.path.join(generated, page + '.adoc')
    return os.path.join(pages_dir, page + '.adoc')


groups = []
for line in open(os.path.join(root, 'doc', 'nav.txt'), encoding='utf-8'):
    if line.startswith('#') or not line.strip():
        continue
    if line.startswith(' '):
        groups[-1][1].append(line.strip())
    else:
        groups.append((line.strip(), []))

listed = [p for _, pages in groups for p in pages]
present = [os.path.basename(p)[:-5] for p in glob.glob(os.path.join(pages_dir, '*.adoc'))]
missing = set(present) - set(listed)
if missing:
    sys.exit('site.py: not in doc/nav.txt: ' + ', '.join(sorted(missing)))

names = sorted(os.path.basename(p)[:-5] for p in glob.glob(os.path.join(generated, 'reference', '*.adoc')))
nested = [n for n in names if n.rpartition('.')[0] in names]    # reached from the page of their class
names = [n for n in names if n != 'index' and n not in nested]
titles = {p: title(source(p)) for p in listed}
titles.update({'reference/' + n: title(source('reference/' + n)) for n in names + nested})


def link(page, current, text=None, cls=''):
    up = '../' if current.startswith('reference/') else ''
    mark = ' aria-current="page"' if page == current else ''
    label = html.escape(text or titles[page])
    return '<a%s href="%s%s.html"%s>%s</a>' % (cls and ' class="%s"' % cls, up, page, mark, label)


def header(current):
    out = ['<input type="checkbox" id="nav-toggle" aria-label="Show the navigation">',
           '<header class="site-bar">' + link('index', current, 'boost_ext timers', 'brand') + '<span class="version">%s</span>' % html.escape(version)
           + '<label for="nav-toggle" class="nav-button">Menu</label></header>',
           '<nav class="site-nav" aria-label="Site">']
    for group, pages in groups:
        out.append('<p>%s</p><ul>' % html.escape(group))
        for p in pages:
            out.append('<li>' + link(p, current))
            if p == 'reference/index' and current.startswith('reference/'):
                out.append('<ul class="names">')
                out += ['<li>' + link('reference/' + n, current) + '</li>' for n in names]
                out.append('</ul>')
            out.append('</li>')
        out.append('</ul>')
    out.append('</nav>')
    return '\n'.join(out) + '\n'


# In reading order: the names follow the index of the reference, what is nested follows its class.
order = []
for page in listed:
    order.append(page)
    if page == 'reference/index':
        order += ['reference/' + n for n in sorted(names + nested)]


def footer(current):
    i = order.index(current)
    before = link(order[i - 1], current, '← ' + titles[order[i - 1]], 'prev') if i else '<span></span>'
    after = link(order[i + 1], current, titles[order[i + 1]] + ' →', 'next') if i + 1 < len(order) else '<span></span>'
    return '<nav class="pager" aria-label="Previous and next page">%s%s</nav>\n' % (before, after)


for page in listed + ['reference/' + n for n in names + nested]:
    folder, name = os.path.split(page)
    folder = os.path.join(generated, 'nav', folder)
    os.makedirs(folder, exist_ok=True)
    for part, text in (('header', header(page)), ('footer', footer(page))):
        with open(os.path.join(folder, '%s-docinfo-%s.html' % (name, part)), 'w', encoding='utf-8') as f:
            f.write(text)
