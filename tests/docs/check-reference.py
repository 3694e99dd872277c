"""check-reference.py — every public symbol has a sentence: functions, types and macros of the headers that are installed.

usage: check-reference.py SOURCE [--list]      --list prints all symbols

A sentence is a comment that ends on the line above the declaration, or that begins behind it on its last line. One above several
macros without a line between them is of all. A macro that calls a function of the same header is described by that. Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import pathlib
import re
import sys

IGNORED = re.compile(r"^(G_BEGIN_DECLS|G_END_DECLS|G_DEFINE_AUTO|extern \"C\")")
MACRO = re.compile(r"#define (\w+)")
TYPE_HEAD = re.compile(r"(typedef )?(struct|enum|union)( \w+)?$")
CALL = re.compile(r"#define \w+\(.*?\)[ \\]*\s(hyb_\w+) \(")
FUNCTION = re.compile(r"\b((?:hyb|HYB)_\w+) \(")


def headers(source):
    """The headers that are installed, as engine/meson.build lists them."""
    text = (source / "engine" / "meson.build").read_text()
    listed = re.search(r"public_headers = \[\n(.*?)\]", text, re.S)[1]
    return [source / "engine" / name for name in re.findall(r"'([^']+)'", listed)]


def last_line(lines, first):
    """The index of the line on which the declaration ends that begins at FIRST."""
    if IGNORED.match(lines[first]):
        return first
    if lines[first].startswith("#"):
        while lines[first].endswith("\\"):
            first += 1
        return first
    depth = 0
    for i in range(first, len(lines)):
        code = re.sub(r"/\*.*?(\*/|$)", "", lines[i])
        depth += code.count("{") - code.count("}")
        if depth == 0 and (";" in code or code.startswith("}")):
            return i
    return len(lines) - 1


def name_of(lines, first, last):
    """The name that a declaration gives, or None if it is none of a symbol."""
    macro = MACRO.match(lines[first])
    if macro:
        return macro[1]
    if lines[first].startswith("#") or IGNORED.match(lines[first]):
        return None
    text = re.sub(r"/\*.*?\*/", "", " ".join(lines[first:last + 1]))
    if TYPE_HEAD.match(lines[first].split("/*")[0].strip()):
        body_end = text.rindex("}")
        name = re.match(r"\W*(\w+)", text[body_end + 1:])
        return name[1] if name else lines[first].split()[-1]
    callback = re.match(r"typedef .*\(\*(\w+)\)", text)
    plain = re.match(r"typedef .*?(\w+);", text)
    function = FUNCTION.search(text)
    found = callback or plain or function
    return found[1] if found else None


def symbols(header):
    """(name, line, has a sentence) of each declaration at the top of a header."""
    lines = header.read_text().split("\n")
    found, i, above, inside = [], 0, False, False
    while i < len(lines):
        line = lines[i]
        if inside or line.startswith(("/*", " *")):
            inside = "*/" not in line
            above = not inside and not re.match(r"/\* ---", line)
        elif not line.strip() or line.startswith(("{", "}", " ")):
            above = False
        else:
            last = last_line(lines, i)
            name = name_of(lines, i, last)
            is_shorthand = line.startswith("#define") and CALL.search(" ".join(lines[i:last + 1]))
            if name:
                found.append((name, i + 1, bool(above or "/*" in lines[last] or is_shorthand)))
            above = above and (line.startswith("#") or not name)
            i = last
        i += 1
    return found


def main(source, *options):
    """See the head of the file."""
    source = pathlib.Path(source)
    count, missing = 0, []
    for header in headers(source):
        for name, line, has_sentence in symbols(header):
            count += 1
            if options:
                print(header.relative_to(source), line, name, has_sentence)
            if not has_sentence:
                missing.append(f"{header.relative_to(source)}:{line}: {name} has no comment")
    print("1..2")
    print("ok" if count > 500 else "not ok", f"1 /docs/reference/headers-declare-symbols # {count}")
    for line in missing:
        print(f"# {line}")
    print("not ok" if missing else "ok", 2, "/docs/reference/every-public-symbol-has-a-sentence")


main(*sys.argv[1:])
