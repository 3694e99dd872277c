"""sites.py — finds the places of a C file where mutate.py can make one small mistake.

A site is one replacement of text inside a function body. Comments, strings and preprocessor lines are left alone, and
bodies are found by this tree's formatting: braces in the first column. The identifier of a site depends on the text of its
line and not on the line's number, so that results stay valid when other lines of the file change.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import collections
import hashlib
import re

# path, line: where (line counts from 1).  start, end: offsets in the file.  before, after: the text.
Site = collections.namedtuple("Site", "identifier path line kind start end before after")

OPPOSITE = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > "}
EQUALITY = {" == ": " != ", " != ": " == "}
LOGIC = {" && ": " || ", " || ": " && "}

BLANKED = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.S | re.M)
BODY = re.compile(r"^\{\n.*?^\}", re.S | re.M)
CALL = re.compile(r"^ +([a-z_][a-z0-9_]*) \((?:[^;{}]*?)\);$", re.M)
RETURN = re.compile(r"^ +return (?:FALSE|NULL|-1);$", re.M)
# Removed releases only leak, which memory checkers see and plain tests do not.
RELEASES = re.compile(r"free|unref|clear|destroy|g_assert|g_return|g_warn|g_debug|^(if|for|while|switch|return)$")


def blank(text):
    """The text with comments, strings and preprocessor lines as spaces, at the same offsets."""
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def closing(text, start):
    """The offset of the parenthesis that closes the one at start, or -1."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0:
                return at
    return -1


def replacements(code, low, high):
    """Yields (kind, start, end, after) for the function body between two offsets."""
    for kind, table in (("relation", OPPOSITE), ("equality", EQUALITY), ("logic", LOGIC)):
        pattern = "|".join(re.escape(key) for key in sorted(table, key=len, reverse=True))
        for match in re.compile(pattern).finditer(code, low, high):
            yield kind, match.start(), match.end(), table[match.group()]
    for match in re.compile(r"(?<=[\w)\]]) [+-] 1(?![\w.])").finditer(code, low, high):
        yield "off-by-one", match.start(), match.end(), ""
    for match in re.compile(r"\bif \(").finditer(code, low, high):
        end = closing(code, match.end() - 1)
        if 0 < end < high:
            yield "condition", match.end(), end, None
    for match in RETURN.finditer(code, low, high):
        if not re.match(r"\s*\n\}", code[match.end():match.end() + 8]):
            yield "failure", match.start(), match.end(), ";"
    for match in CALL.finditer(code, low, high):
        if not RELEASES.search(match.group(1)):
            yield "call", match.start(), match.end(), ";"
    for match in re.compile(r"(?<![\w.+-])(?<![+-] )\d+(?![\w.])").finditer(code, low, high):
        yield "constant", match.start(), match.end(), str(int(match.group(), 8 if match.group()[0] == "0" else 10) + 1)


def find(path, text):
    """Every site of a file, in the order of the text."""
    code = blank(text)
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    seen = collections.Counter()
    found = []
    for body in BODY.finditer(code):
        for kind, start, end, after in replacements(code, body.start(), body.end()):
            before = text[start:end]
            if after is None:
                after = "!(" + before + ")"
            line = text.count("\n", 0, start) + 1
            words = " ".join(text[starts[line - 1]:starts[line] if line < len(starts) else len(text)].split())
            key = (path, words, kind, before, after, start - starts[line - 1])
            seen[key] += 1
            digest = hashlib.sha256(repr(key + (seen[key],)).encode()).hexdigest()[:10]
            found.append(Site(digest, path, line, kind, start, end, before, after))
    return sorted(found, key=lambda site: (site.start, site.kind))


def named(path, text, before, after):
    """The site of a mutation that is given by its text; before must occur once in the file."""
    if text.count(before) != 1:
        raise ValueError(f"{path}: {text.count(before)} times in the file, not once: {before}")
    start = text.index(before)
    digest = hashlib.sha256(repr((path, before, after)).encode()).hexdigest()[:10]
    return Site(digest, path, text.count("\n", 0, start) + 1, "named", start, start + len(before), before, after)
