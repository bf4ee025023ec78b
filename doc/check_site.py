#!/usr/bin/env python3
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
"""Check a finished site: every link, anchor, image and style sheet that it names is there.

usage: check_site.py HTML_DIR

Only what lies on the site is looked up; addresses of other sites are not fetched. A page
that nothing links to, an include that asciidoctor left unresolved, and a picture that is not
described are errors as well.
"""
import glob
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.text = set(), [], []
        with open(path, encoding='utf-8') as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if attrs.get('id'):
            if attrs['id'] in self.ids:
                self.links.append((self.getpos()[0], '#duplicate-id:' + attrs['id']))
            self.ids.add(attrs['id'])
        if tag == 'img':    # asciidoctor describes a picture by the name of its file where the page does not
            name = os.path.splitext(os.path.basename(attrs.get('src') or ''))[0]
            if (attrs.get('alt') or '') in ('', re.sub('[-_]', ' ', name)):
                self.links.append((self.getpos()[0], '#no-alt-text:' + name))
        for name in ('href', 'src'):
            if name in attrs:
                self.links.append((self.getpos()[0], attrs[name] or ''))

    def handle_data(self, data):
        if 'Unresolved directive' in data:
            self.links.append((self.getpos()[0], '#unresolved-include'))


def main():
    root = os.path.abspath(sys.argv[1])
    pages = {p: Page(p) for p in glob.glob(os.path.join(root, '**', '*.html'), recursive=True)}
    bad, reached, count = [], set(), 0
    for path, page in sorted(pages.items()):
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            fragment = unquote(parts.fragment)
            if not os.path.isfile(target):
                bad.append((path, line, link))
            elif fragment and target in pages and fragment not in pages[target].ids:
                bad.append((path, line, link))
            if target != path:
                reached.add(target)
    for path in sorted(set(pages) - reached):
        bad.append((path, 0, 'nothing links to this page'))
    for path, line, link in bad:
        print('%s:%d: %s' % (os.path.relpath(path, root), line, link), file=sys.stderr)
    print('check_site.py: %d pages, %d links, %d broken' % (len(pages), count, len(bad)))
    return 1 if bad or not pages else 0


if __name__ == '__main__':
    sys.exit(main())
