#!/usr/bin/env python3
# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)
"""Turn Doxygen's XML into the AsciiDoc pages of the reference.

usage: reference.py XML_DIR OUT_DIR ROOT

One page for each class, alias, enumeration, macro and overload set, and an index by
header. Fails when a public name has no comment or no example, when the comment of a class, a
function or an asynchronous operation leaves out what a reader looks for, and when the code of an
example in a comment does not occur in a program that is compiled and run (example/, test/).
"""
import glob
import os
import re
import sys
import xml.etree.ElementTree as ET

HOME = 'boost_ext::'

# Characters that AsciiDoc could read as markup are written as character references.
SPECIAL = re.compile(r'[*_`#+^~\[\]{}<>|\\\'"!&$%=@]|(?<=-)-|-(?=[->])|\.(?=\.)|(?<=\.)\.|:(?=:)|(?<=:):|\((?=[CRT])')


def esc(text):
    return SPECIAL.sub(lambda m: '&#%d;' % ord(m.group()), text)


def flat(node):
    """All text below a node, on one line."""
    return re.sub(r'\s+', ' ', ''.join(node.itertext())).strip() if node is not None else ''


def tidy(code):
    """C++ as Doxygen prints it, spaced as we write it."""
    code = re.sub(r'\s+', ' ', code).strip()
    code = re.sub(r'\s*([*&]+)\s*(?=\w|\.\.\.)', r'\1 ', code)
    code = re.sub(r'\s+([*&]+)(?=[\s,)>]|$)', r'\1', code)
    code = re.sub(r'([*&]) \.\.\.', r'\1...', code)
    code = re.sub(r'< (?=\S)', '<', code)
    code = re.sub(r'(?<=\S) >', '>', code)
    code = re.sub(r'\btypename (?=[A-Z]\w*\b(?!::))', 'class ', code)
    return code.strip()


def slug(name):
    if name.startswith(HOME):
        name = name[len(HOME):]
    name = name.replace('operator<<', 'operator_out').replace('operator==', 'operator_eq')
    return re.sub(r'_+$', '', re.sub(r'[^A-Za-z0-9_.]+', '_', name.replace('::', '.')))


class Reference:
    def __init__(self, xml_dir, root):
        self.root = root
        self.pages = {}      # slug -> dict(title, kind, header, brief, body)
        self.link = {}       # Doxygen id -> (slug, anchor)
        self.bad = []
        self.snippets = self.load_snippets()
        self.compounds = []
        index = ET.parse(os.path.join(xml_dir, 'index.xml')).getroot()
        for c in index.findall('compound'):
            if c.get('kind') in ('class', 'struct', 'union', 'namespace', 'file', 'concept'):
                tree = ET.parse(os.path.join(xml_dir, c.get('refid') + '.xml'))
                self.compounds.append(tree.getroot().find('compounddef'))

    # ---------------------------------------------------------------- examples
    def load_snippets(self):
        texts = []
        for pattern in ('example/*.cpp', 'test/*.cpp'):
            for path in sorted(glob.glob(os.path.join(self.root, pattern))):
                with open(path, encoding='utf-8') as f:
                    texts.append(self.squeeze(f.read()))
        return texts

    @staticmethod
    def squeeze(code):
        """The code without comments and blanks."""
        return re.sub(r'\s+', '', re.sub(r'//.*', '', code))

    def check_example(self, code, where):
        if re.fullmatch(r'\s*void\s*\([^;{}]*\)\s*', code):    # a completion signature
            return
        # Three dots stand for anything.
        parts = [p for p in (self.squeeze(p) for p in re.split(r'\.\.\.|…', code)) if p]
        for text in self.snippets:
            at = 0
            for part in parts:
                at = text.find(part, at)
                if at < 0:
                    break
                at += len(part)
            else:
                return
        first = next((l.strip() for l in code.splitlines() if l.strip()), '')
        self.bad.append('%s: example is in no compiled program: %s' % (where, first))

    # ---------------------------------------------------------------- comments
    def inline(self, node, where):
        """The inline content of a node as AsciiDoc; block children are not allowed."""
        out = [esc(node.text or '')]
        for child in node:
            out.append(self.inline_element(child, where))
            out.append(esc(child.tail or ''))
        return ''.join(out)

    def inline_element(self, e, where):
        tag = e.tag
        if tag == 'computeroutput':
            return self.mono(e)
        if tag in ('emphasis', 'bold'):
            mark = {'emphasis': '__', 'bold': '**'}[tag]
            return mark + self.inline(e, where).strip() + mark
        if tag == 'ref':
            return self.ref(e.get('refid'), esc(flat(e)))
        if tag == 'ulink':
            return 'link:%s[%s]' % (e.get('url'), esc(flat(e)))
        if tag == 'linebreak':
            return ' +\n'
        if tag == 'anchor':
            return ''
        plain = {'ndash': '–', 'mdash': '—', 'sp': ' ', 'nonbreakablespace': ' ', 'lsquo': '‘', 'rsquo': '’',
                 'ldquo': '“', 'rdquo': '”', 'times': '×', 'le': '≤', 'ge': '≥', 'rarr': '→', 'hellip': '…',
                 'minus': '−', 'infin': '∞', 'middot': '·', 'copy': '©'}
        if tag in plain:
            return plain[tag]
        raise SystemExit('reference.py: %s: <%s> is not handled' % (where, tag))

    def mono(self, e):
        inner = [esc(e.text or '')]
        for c in e:
            inner.append(self.ref(c.get('refid'), esc(flat(c))) if c.tag == 'ref' else esc(flat(c) or ' '))
            inner.append(esc(c.tail or ''))
        return '``' + ''.join(inner).strip() + '``'

    def ref(self, refid, text):
        if refid not in self.link:
            return text
        page, anchor = self.link[refid]
        return 'xref:%s.adoc#%s[%s]' % (page, anchor, text)

    BLOCKS = ('programlisting', 'verbatim', 'itemizedlist', 'orderedlist', 'simplesect', 'parameterlist',
              'table', 'blockquote', 'preformatted', 'xrefsect', 'heading')

    def blocks(self, node, where, depth=1):
        """The content of a description, as a list of AsciiDoc blocks."""
        out = []
        for child in node:
            if child.tag == 'para':
                out += self.para(child, where, depth)
            elif child.tag in ('sect1', 'sect2', 'sect3'):
                out.append('.' + esc(flat(child.find('title'))))
                out += self.blocks(child, where, depth)
            elif child.tag == 'simplesectsep' or child.tag == 'title':
                pass
            else:
                out += self.block(child, where, depth)
        return out

    def para(self, para, where, depth):
        out, text = [], [esc(para.text or '')]

        def flush():
            words = re.sub(r'[ \t]*\n[ \t]*', '\n', ''.join(text)).strip()
            if words:
                out.append(words)
            text.clear()

        for child in para:
            if child.tag in self.BLOCKS:
                flush()
                out.extend(self.block(child, where, depth))
            else:
                text.append(self.inline_element(child, where))
            text.append(esc(child.tail or ''))
        flush()
        return out

    def listing(self, e):
        lines = []
        for line in e.findall('codeline'):
            chars = []
            for part in line.iter():
                if part.tag == 'sp':
                    chars.append(' ')
                elif part.text:
                    chars.append(part.text)
                if part.tail and part is not line:
                    chars.append(part.tail)
            lines.append(''.join(chars).rstrip())
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        indent = min((len(l) - len(l.lstrip()) for l in lines if l), default=0)
        return '\n'.join(l[indent:] for l in lines)

    ADMONITION = {'note': 'NOTE', 'warning': 'WARNING', 'attention': 'IMPORTANT', 'remark': 'NOTE'}
    TITLE = {'return': 'Returns', 'see': 'See also', 'pre': 'Preconditions', 'post': 'Postconditions',
             'since': 'Since', 'invariant': 'Invariants'}
    PARAMETERS = {'param': 'Parameters', 'templateparam': 'Template parameters', 'exception': 'Exceptions',
                  'retval': 'Return values'}

    def block(self, e, where, depth):
        if e.tag == 'programlisting':
            code = self.listing(e)
            self.check_example(code, where)
            return ['[source,cpp]\n----\n%s\n----' % code]
        if e.tag in ('verbatim', 'preformatted'):
            return ['....\n%s\n....' % (''.join(e.itertext())).strip('\n')]
        if e.tag in ('itemizedlist', 'orderedlist'):
            mark = ('*' if e.tag == 'itemizedlist' else '.') * depth
            items = []
            for item in e.findall('listitem'):
                parts = self.blocks(item, where, depth + 1) or ['{empty}']
                body = mark + ' ' + parts[0]
                for part in parts[1:]:
                    body += '\n' + part if re.match(r'[*.]{2,} ', part) else '\n+\n' + part
                items.append(body)
            return ['\n'.join(items)]
        if e.tag == 'simplesect':
            kind = e.get('kind')
            inner = self.blocks(e, where, depth)
            if kind in self.ADMONITION:
                return ['[%s]\n====\n%s\n====' % (self.ADMONITION[kind], '\n\n'.join(inner))]
            title = flat(e.find('title')) if kind == 'par' else self.TITLE.get(kind, kind.capitalize())
            if not inner:
                return []
            return [self.titled(title, inner[0])] + inner[1:] if title else inner
        if e.tag == 'parameterlist':
            rows = []
            for item in e.findall('parameteritem'):
                names = ', '.join('``%s``' % esc(flat(n)) for n in item.iter('parametername'))
                text = '\n+\n'.join(self.blocks(item.find('parameterdescription'), where)) or '{empty}'
                rows.append('%s:: %s' % (names, text))
            return [self.titled(self.PARAMETERS[e.get('kind')], '\n'.join(rows))]
        if e.tag == 'table':
            rows = []
            for i, row in enumerate(e.findall('row')):
                rows.append('\n'.join('|' + '\n\n'.join(self.blocks(c, where)) for c in row.findall('entry')))
                if i == 0:
                    rows.append('')
            head = '%header,' if e.find('row/entry').get('thead') == 'yes' else ''
            return ['[%scols="%d*"]\n|===\n%s\n|===' % (head.replace(',', '%autowidth,'), int(e.get('cols')), '\n'.join(rows))]
        if e.tag == 'blockquote':
            return ['____\n%s\n____' % '\n\n'.join(self.blocks(e, where))]
        if e.tag == 'heading':
            return ['.' + esc(flat(e)) + '\n{empty}']
        raise SystemExit('reference.py: %s: <%s> is not handled' % (where, e.tag))

    @staticmethod
    def titled(title, block):
        # A block title in front of a list or a paragraph; a following list must not merge with one before it.
        return '[discrete.label]\n==== %s\n\n%s' % (esc(title), block)

    def comment(self, node, where):
        """Brief and details as AsciiDoc; examples come last."""
        brief = self.blocks(node.find('briefdescription'), where)
        body = self.blocks(node.find('detaileddescription'), where)
        return '\n\n'.join(brief + body)

    # ---------------------------------------------------------------- declarations
    # Parameters that only choose an overload are not shown.
    CONSTRAINT = re.compile(r'enable_if|constraint_t|\bif_\w+<|\brequire_\w+<')

    @staticmethod
    def default(value):
        return '/* see below */' if 'detail::' in value else tidy(value)

    def template_head(self, node):
        tl = node.find('templateparamlist')
        if tl is None:
            return ''
        params = []
        for p in tl.findall('param'):
            text = tidy(flat(p.find('type')))
            name = flat(p.find('declname'))
            if self.CONSTRAINT.search(text) or (not name and re.search(r'\bint\b', text)):
                continue
            text = re.sub(r'^typename\b', 'class', text)
            if name and not re.search(r'\b%s$' % re.escape(name), text):
                text += ' ' + name
            default = flat(p.find('defval'))
            if self.CONSTRAINT.search(default):
                continue
            if default:
                text += ' = ' + self.default(default)
            params.append(text)
        if not params and tl.findall('param'):
            return ''
        line = 'template <%s>' % ', '.join(params)
        if len(line) > 96:
            line = 'template <%s>' % (',\n          '.join(params))
        return line + '\n'

    def signature(self, m):
        head = self.template_head(m)
        kind, name = m.get('kind'), flat(m.find('name'))
        type_ = tidy(flat(m.find('type')))
        if kind == 'typedef':
            text = tidy(flat(m.find('definition')))
            text = text if text.startswith('using') else 'using %s = %s' % (name, type_)
            text = re.sub(r'^using .*? = *(typedef )?', 'using %s = ' % name, text, count=1)
            return head + text + ';'
        if kind == 'variable':
            init = flat(m.find('initializer'))
            static = 'static ' if m.get('static') == 'yes' and 'static' not in type_ else ''
            return '%s%s%s %s%s;' % (head, static, type_, name, ' ' + tidy(init) if init and len(init) < 60 else '')
        if kind == 'enum':
            values = []
            for v in m.findall('enumvalue'):
                init = flat(v.find('initializer'))
                values.append('    ' + flat(v.find('name')) + (' ' + init if init else ''))
            scoped = 'class ' if m.get('strong') == 'yes' else ''
            return 'enum %s%s\n{\n%s\n};' % (scoped, name, ',\n'.join(values))
        if kind == 'define':
            params = [flat(p) for p in m.findall('param')]
            init = flat(m.find('initializer'))
            return '#define %s%s%s' % (name, '(%s)' % ', '.join(params) if params else '', ' ' + init if init and len(init) < 40 else '')
        args = flat(m.find('argsstring'))
        close = self.closing(args)
        suffix = args[close + 1:].strip()
        if 'detail::' in suffix or 'decltype' in suffix:
            suffix = re.sub(r'\s*->.*', '', suffix)
        suffix = re.sub(r'\s*=\s*(delete|default|0)', r' = \1', suffix)
        params = []
        for p in m.findall('param'):
            text = tidy(flat(p.find('type')))
            if self.CONSTRAINT.search(text):
                continue
            declname = flat(p.find('declname'))
            array = flat(p.find('array'))
            text += (' ' + declname if declname else '') + array
            default = flat(p.find('defval'))
            if self.CONSTRAINT.search(default):
                continue
            if default:
                text += ' = ' + self.default(default)
            params.append(text)
        front = ''
        if m.get('static') == 'yes' and 'static' not in type_:
            front += 'static '
        if m.get('explicit') == 'yes' and 'explicit' not in type_:
            front += 'explicit '
        type_ = re.sub(r'\b(inline|friend)\s+', '', type_)
        if 'detail::' in type_ or 'decltype(' in type_:
            type_ = 'auto'
        call = front + (type_ + ' ' if type_ else '') + name + '('
        tail = ')' + (' ' + tidy(suffix) if suffix else '') + ';'
        line = call + ', '.join(params) + tail
        if len(line) > 96 and params:
            line = call + '\n    ' + ',\n    '.join(params) + tail
        return head + line

    @staticmethod
    def closing(args):
        depth = 0
        for i, ch in enumerate(args):
            if ch == '(':
                depth += 1
            elif ch == ')':
                depth -= 1
                if depth == 0:
                    return i
        return len(args)

    # ---------------------------------------------------------------- pages
    @staticmethod
    def where(node):
        loc = node.find('location')
        return '%s:%s' % (loc.get('file'), loc.get('line')) if loc is not None else '?'

    DECLARED_IN = {'boost_ext/impl/cancel_after.hpp': 'boost_ext/basic_waitable_timer.hpp'}    # what a user includes

    @staticmethod
    def header(node):
        loc = node.find('location')
        path = (loc.get('declfile') or loc.get('file')) if loc is not None else ''
        path = re.sub(r'^.*?(?=boost_ext/)', '', path)
        return Reference.DECLARED_IN.get(path, path)

    def documented(self, node, name):
        if not flat(node.find('briefdescription')) and not flat(node.find('detaileddescription')):
            self.bad.append('%s: %s has no comment' % (self.where(node), name))
            return False
        return True

    # What the comment of a class and of an operation must say; a class speaks for those of its members that say nothing.
    CLASS_SECTIONS = ('Thread Safety', 'Exception Safety', 'Complexity', 'Example')
    OPERATION_SECTIONS = ('Completion Signature', 'Per-Operation Cancellation', 'Exception Safety')
    FUNCTION_SECTIONS = ('Thread Safety', 'Exception Safety', 'Complexity')    # and an example: borrowed_example
    PLAIN = re.compile(r'boost_ext::(error::|basic_tick_info|timer_statistics|timeout_t|partial_timeout)')    # data, and what timeout returns

    def complete(self, node, name, sections):
        text = flat(node.find('detaileddescription'))
        for section in sections:
            if section not in text:
                self.bad.append('%s: %s says nothing about %s' % (self.where(node), name, section))

    # Overloads of functions of Asio's: its reference has the rest. One example is for both.
    AS_IN_ASIO = (HOME + 'cancel_after', HOME + 'cancel_at')

    def example(self, node):
        """The first example in a comment, as blocks without a title."""
        for section in node.find('detaileddescription').iter('simplesect'):
            if section.get('kind') == 'par' and flat(section.find('title')) == 'Example':
                return self.blocks(section, self.where(node))
        return []

    def borrowed_example(self, name, node):
        """What a name without an example shows: that of its template, or of its sibling."""
        if self.example(node):
            return ''
        targets = [r.get('refid') for r in node.findall('type/ref')]
        lender = next((c for c in self.classes if c.get('id') in targets), None)
        words = 'Its members are those of xref:%s.adoc[``%s``].'
        if lender is None and name in self.AS_IN_ASIO:
            lender = self.free[self.AS_IN_ASIO[0]][0]
            words = 'It is used as xref:%s.adoc[``%s``] is.'
        example = self.example(lender) if lender is not None else []
        if not example:
            self.bad.append('%s: %s has no example' % (self.where(node), name))
            return ''
        page = self.link[lender.get('id')][0]
        return '\n\n' + words % (page, esc(page)) + '\n\n' + self.titled('Example', '\n\n'.join(example))

    def members(self, compound):
        for section in compound.findall('sectiondef'):
            kind = section.get('kind')
            if kind.startswith('private'):
                continue
            for m in section.findall('memberdef'):
                deleted = re.search(r'=\s*delete$', flat(m.find('argsstring')))
                if deleted and not flat(m.find('briefdescription')):
                    continue    # says that something is not there; the class's comment has it
                if m.get('prot') == 'private' or (m.get('kind') == 'friend' and not flat(m.find('argsstring'))):
                    continue
                yield m

    def collect(self):
        """First pass: which page each id is on."""
        self.classes, self.free = [], {}
        for c in self.compounds:
            name = flat(c.find('compoundname'))
            if 'detail' in re.split(r'::|/', name):
                continue
            if c.get('kind') in ('class', 'struct', 'union', 'concept'):
                if c.get('prot') == 'private':
                    continue
                if '<' in name and not name.startswith(HOME) and not flat(c.find('briefdescription')):
                    continue    # a specialisation of somebody else's template: not a name of ours
                self.classes.append(c)
                page = slug(name)
                self.link[c.get('id')] = (page, '')
                for m in self.members(c):
                    self.link[m.get('id')] = (page, self.anchor(flat(m.find('name'))))
            elif c.get('kind') == 'namespace':
                for m in self.members(c):
                    if m.get('kind') in ('function', 'typedef', 'enum', 'variable'):
                        self.add_free(name + '::' + flat(m.find('name')), m)
            elif c.get('kind') == 'file':
                for m in self.members(c):
                    n = flat(m.find('name'))
                    if m.get('kind') == 'define' and not re.search(r'_HPP$', n):
                        self.add_free(n, m)

    def add_free(self, name, m):
        self.free.setdefault(name, [])
        if all(m.get('id') != o.get('id') for o in self.free[name]):
            self.free[name].append(m)
        self.link[m.get('id')] = (slug(name), '')
        for v in m.findall('enumvalue'):
            self.link[v.get('id')] = (slug(name), '')

    @staticmethod
    def anchor(name):
        words = {'~': 'destructor', 'operator=': 'operator_assign', 'operator==': 'operator_eq', 'operator!=': 'operator_ne',
                 'operator<=': 'operator_le', 'operator>=': 'operator_ge', 'operator<': 'operator_lt', 'operator>': 'operator_gt',
                 'operator<<': 'operator_out', 'operator()': 'operator_call', 'operator|': 'operator_pipe',
                 'operator<=>': 'operator_spaceship'}
        if name in words:
            return 'm_' + words[name]
        if name.startswith('~'):
            return 'm_destructor'
        return 'm_' + re.sub(r'\W+', '_', name)

    def overloads(self, group, level):
        """Signatures with their comments; neighbours with one comment share it."""
        name = flat(group[0].find('name'))
        if name.startswith('async_'):    # the first of several overloads speaks for the others
            self.complete(group[0], name, self.OPERATION_SECTIONS)
        out, pending = [], []
        for i, m in enumerate(group):
            name = flat(m.find('qualifiedname')) or flat(m.find('name'))
            where = self.where(m)
            self.documented(m, name)
            pending.append(self.signature(m))
            text = self.comment(m, where)
            following = self.comment(group[i + 1], where) if i + 1 < len(group) else None
            if text == following:
                continue
            sig = '[source.signature,cpp]\n----\n%s\n----' % '\n\n'.join(pending) if any('\n' in p for p in pending) \
                else '[source.signature,cpp]\n----\n%s\n----' % '\n'.join(pending)
            pending = []
            values = ''
            if m.get('kind') == 'enum':
                rows = []
                for v in m.findall('enumvalue'):
                    self.documented(v, name + '::' + flat(v.find('name')))
                    rows.append('``%s``:: %s' % (esc(flat(v.find('name'))), self.comment(v, where).replace('\n\n', '\n+\n') or '{empty}'))
                values = '\n\n' + self.titled('Enumerators', '\n'.join(rows))
            out.append(sig + '\n\n' + text + values)
        return '\n\n'.join(out)

    def brief(self, node):
        text = ' '.join(self.blocks(node.find('briefdescription'), self.where(node)))
        if not text:
            text = (self.blocks(node.find('detaileddescription'), self.where(node)) or [''])[0]
        return text.replace('\n', ' ')

    GROUPS = (('Types', ('typedef', 'enum')), ('Constants and data members', ('variable',)),
              ('Member functions', ('function',)), ('Friends', ('friend',)))

    def as_the_class_says(self, text, about):
        """A line that leads from a member to what its class says for it, where the member says nothing itself."""
        words = ['<<class_%s,%s>>' % (s.replace(' ', '_'), s) for s in self.CLASS_SECTIONS
                 if '==== %s\n' % s not in text and '==== %s\n' % s in about]
        return '\n\n[.inherited]\nAs for the class: %s' % ' · '.join(words) if words else ''

    def type_row(self, m):
        name = flat(m.find('name'))
        self.documented(m, flat(m.find('qualifiedname')))
        is_what = esc(re.sub(r'^using \S+ |;$', '', self.signature(m)))
        for r in m.findall('type/ref'):
            is_what = is_what.replace(esc(flat(r)), self.ref(r.get('refid'), esc(flat(r))))
        return '|[[%s]]``%s`` [.kind]``%s``\n|%s' % (self.anchor(name), esc(name), is_what, self.brief(m))

    def class_page(self, c):
        name = flat(c.find('compoundname'))
        self.documented(c, name)
        nested_in = name.rpartition('::')[0]
        ours = name.startswith((HOME, 'std::hash<' + HOME))
        if ours and nested_in not in (flat(k.find('compoundname')) for k in self.classes):
            self.complete(c, name, ('Thread Safety', 'Example') if self.PLAIN.match(name) else self.CLASS_SECTIONS)
        elif not name.endswith('::rebind_executor') and not self.example(c):
            self.bad.append('%s: %s has no example' % (self.where(c), name))
        where = self.where(c)
        short = name[len(HOME):] if name.startswith(HOME) else name
        about = self.comment(c, where)
        for section in self.CLASS_SECTIONS:    # with an anchor, for the members to refer to
            about = about.replace('[discrete.label]\n==== %s\n' % section,
                                  '[discrete#class_%s.label]\n==== %s\n' % (section.replace(' ', '_'), section))
        parts = ['[source.signature,cpp]\n----\n%s%s %s;\n----' %
                 (self.template_head(c), c.get('kind'), tidy(short) if '<' in short else short.split('::')[-1]),
                 about]
        nested = [x for x in c.findall('innerclass') if x.get('prot') != 'private' and x.get('refid') in self.link]
        members = list(self.members(c))
        details = []
        for title, kinds in self.GROUPS:
            group = {}
            for m in members:
                kind = m.get('kind')
                if kind == 'friend' or (kind == 'function' and 'friend' in flat(m.find('type')).split()):
                    kind = 'friend'
                if kind in kinds:
                    group.setdefault(flat(m.find('name')), []).append(m)
            rows = []
            if title == 'Types':
                for x in nested:
                    target = next((k for k in self.classes if k.get('id') == x.get('refid')), None)
                    if target is not None:
                        rows.append('|``xref:%s.adoc[%s]``\n|%s' % (slug(flat(x)), esc(flat(x).split('::')[-1]), self.brief(target)))
            for n, ms in group.items():
                if title == 'Types' and ms[0].get('kind') == 'typedef' and not flat(ms[0].find('detaileddescription')):
                    rows.append(self.type_row(ms[0]))    # all there is to say fits into the table
                    continue
                shown = n
                if n == short.split('::')[-1].split('<')[0]:
                    shown = n + ' (constructor)'
                rows.append('|``<<%s,%s>>``\n|%s' % (self.anchor(n), esc(shown).replace(',', '&#44;'), self.brief(ms[0])))
                text = self.overloads(ms, 3)
                there = any(not re.search(r'=\s*delete$', flat(m.find('argsstring'))) for m in ms)
                if title in ('Member functions', 'Friends') and there:
                    text += self.as_the_class_says(text, about)
                details.append('[#%s]\n=== ``%s``\n\n%s' % (self.anchor(n), esc(shown), text))
            if rows:
                parts.append('== %s\n\n[.names,cols="2,3"]\n|===\n%s\n|===' % (title, '\n'.join(rows)))
        if details:
            parts.append('== Members in detail\n\n' + '\n\n'.join(details))
        kind = 'class template' if c.find('templateparamlist') is not None else c.get('kind')
        self.page(name, kind, c, '\n\n'.join(parts))

    KINDS = {'typedef': 'alias', 'function': 'function', 'enum': 'enumeration', 'variable': 'constant', 'define': 'macro'}

    def free_page(self, name, group):
        kind = self.KINDS[group[0].get('kind')]
        if kind == 'function':
            shown = name[len(HOME):] if name.startswith(HOME) else name
            wanted = () if shown.startswith('operator') else self.FUNCTION_SECTIONS
            if name in self.AS_IN_ASIO:
                wanted = ('Thread Safety', 'Exception Safety')
            self.complete(group[0], shown, wanted)
        if kind == 'function' and len(group) > 1:
            kind = 'functions'
        self.page(name, kind, group[0], self.overloads(group, 2) + self.borrowed_example(name, group[0]))

    def page(self, name, kind, node, body):
        short = tidy(name[len(HOME):] if name.startswith(HOME) else name)
        self.pages[slug(name)] = dict(title=short, kind=kind, header=self.header(node), brief=self.brief(node), body=body)

    def build(self, out_dir):
        self.collect()
        for c in self.classes:
            self.class_page(c)
        for name, group in self.free.items():
            self.free_page(name, group)
        os.makedirs(out_dir, exist_ok=True)
        for s, p in self.pages.items():
            text = '= %s\n:page-kind: %s\n\n[.where]\n%s, in header ``<%s>``\n\n%s\n' % (
                esc(p['title']), p['kind'], p['kind'].capitalize(), esc(p['header']), p['body'])
            with open(os.path.join(out_dir, s + '.adoc'), 'w', encoding='utf-8') as f:
                f.write(text)
        by_header = {}
        for s, p in self.pages.items():
            if s.rpartition('.')[0] in self.pages:
                continue    # nested: listed on the page of its class
            by_header.setdefault(p['header'], []).append((s, p))
        text = ['= Reference', '', 'Every public name, by the header below `boost_ext/` that declares it. `<boost_ext/timers.hpp>` includes them all.', '']
        for header in sorted(by_header):
            text += ['== ``%s``' % esc(os.path.basename(header)), '', '[.names,cols="2,3"]', '|===']
            for s, p in sorted(by_header[header], key=lambda x: (x[1]['kind'] == 'macro', x[1]['title'])):
                text.append('|``xref:%s.adoc[%s]`` [.kind]#%s#\n|%s' % (s, esc(p['title']), p['kind'], p['brief']))
            text += ['|===', '']
        with open(os.path.join(out_dir, 'index.adoc'), 'w', encoding='utf-8') as f:
            f.write('\n'.join(text))


def main():
    xml_dir, out_dir, root = sys.argv[1:4]
    ref = Reference(xml_dir, root)
    ref.build(out_dir)
    for line in sorted(set(ref.bad)):
        print('reference.py: ' + line, file=sys.stderr)
    return 1 if ref.bad and '--lenient' not in sys.argv else 0


if __name__ == '__main__':
    sys.exit(main())
