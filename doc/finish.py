#!/usr/bin/env python3
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
"""Finish the pages of a site that asciidoctor has written.

usage: finish.py HTML_DIR

* The title of each page, which a browser shows on its tab, ends with the name of the site.
* Long names in tables and headings may be broken after `::`, `_` and `/`, where timers.css lets them: on a
  narrow screen. (Whoever copies a name, or searches for it, notices nothing.)
"""
import glob
import os
import re
import sys

SITE = 'boost_ext timers'


def breakable(m):
    return m.group(1) + re.sub(r'(?<=[\w;])(::|&#58;&#58;|_|&#95;|/)(?=[a-z])', r'\1<wbr>', m.group(2)) + m.group(3)


def finish(text):
    text = re.sub(r'<title>(?!%s)(.*?)</title>' % SITE, r'<title>\1 – %s</title>' % SITE, text, count=1)
    code = re.compile(r'(<code>(?:<a [^>]*>)?)([^<]*)((?:</a>)?</code>)')
    return re.sub(r'<(?:td class="tableblock.*?</td|(h\d)\b.*?</\1)>', lambda m: code.sub(breakable, m.group()), text, flags=re.S)


for path in glob.glob(os.path.join(sys.argv[1], '**', '*.html'), recursive=True):
    with open(path, encoding='utf-8') as f:
        page = f.read()
    with open(path, 'w', encoding='utf-8') as f:
        f.write(finish(page))
