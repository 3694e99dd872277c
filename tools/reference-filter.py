#!/usr/bin/env python3
"""reference-filter.py — shows doxygen the comments of a header as it expects them; `ninja docs` calls it for each header.

usage: reference-filter.py HEADER      prints the header with the same lines

A comment above or behind a declaration becomes one of doxygen's, and the head becomes the text of the file. A comment above several
macros is repeated for each; a macro that only calls a function says so (tests/docs/check-reference.py has the same rules).

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import pathlib
import re
import sys

HEAD = re.compile(r"/\* (\S+\.h) — ")
SHORTHAND = re.compile(r"#define \w+\(.*?\)[ \\]*\s*(hyb_\w+) \(")


def mark(line):
    """A line with its comment marked, if it begins one."""
    if re.match(r"\s*/\* (?!---)", line):
        return line.replace("/* ", "/** ", 1)
    before, start, text = line.partition("/* ")
    if start and before.strip() and not before.lstrip().startswith("*"):
        return f"{before}/**< {text}"
    return line


def convert(lines):
    """The lines as doxygen reads them."""
    result, above = [], ""
    for i, line in enumerate(lines):
        if line.startswith("#define") and "/*" not in line:
            call = SHORTHAND.match(line if not line.endswith("\\") else line[:-1] + lines[i + 1].strip())
            is_first = i > 0 and lines[i - 1].startswith(("/*", " *"))
            if call and not is_first:
                line = f"/** Calls {call[1]}(), with members of the options as arguments. */ {line}"
            elif above and not is_first:
                line = f"{above} {line}"
        elif re.match(r"/\* .* \*/$", line):
            above = line.replace("/* ", "/** ", 1)
        elif not line.startswith("#define"):
            above = ""
        result.append(line if line.startswith("/**") else mark(line))
    return result


def main(name):
    """See the head of the file."""
    text = pathlib.Path(name).read_text(encoding="utf-8")
    text = text.replace(" *   #include", r" *   \#include")   # else a link to a symbol called include
    text = HEAD.sub(lambda head: f"/** @file {head[1]} ", text, count=1)
    sys.stdout.write("\n".join(convert(text.split("\n"))))


main(sys.argv[1])
