# hostile-target.py — stands for hscope on a target, and answers as one that means harm, or is broken.
# usage: hostile-target.py WAY hscope targets serve    WAY “?”: prints the names of all ways, one a line
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import os
import sys

OUT = sys.stdout.buffer
MINE = b"from the target\n"
OUTSIDE = os.environ.get("HOSTILE_OUTSIDE", "/nowhere")


def header(name, size, kind=b"0", link=b"", magic=b"ustar\0" + b"00", prefix=b"", octal=None, spoil=0):
    """A header of a ustar stream; spoil is added to its sum."""
    field = octal if octal is not None else b"%011o\0" % size
    head = name.ljust(100, b"\0") + b"0000600\0" + b"0000000\0" * 2 + field + b"%011o\0" % 0
    tail = kind + link.ljust(100, b"\0") + magic + b"\0" * 80 + prefix.ljust(155, b"\0") + b"\0" * 12
    total = sum(head) + 8 * 32 + sum(tail) + spoil
    return head + b"%06o\0 " % total + tail


def member(name=b"0", data=MINE, **more):
    return header(name, len(data), **more) + data + b"\0" * (-len(data) % 512)


END = b"\0" * 1024
GOOD = member() + END

# What stands in place of the stream; the file that was asked for is announced with its right size.
STREAMS = {
    "nothing": b"",
    "end-at-once": END,
    "no-end": member(),
    "half-an-end": member() + b"\0" * 512,
    "cut-header": GOOD[:300],
    "cut-data": GOOD[:520],
    "noise": b"x" * 2048,
    "spoiled-sum": member(spoil=1) + END,
    "other-magic": member(magic=b"ustar  \0") + END,
    "no-magic": member(magic=b"\0" * 8) + END,
    "up": member(b"../up") + END,
    "deep-up": member(b"a/../../../up") + END,
    "absolute": member(b"/tmp/hostile-target") + END,
    "outside": member(OUTSIDE.encode()) + END,
    "empty-name": member(b"") + END,
    "real-name": member(b"hscope-file-0/out.npz") + END,
    "next-number": member(b"1") + END,
    "long-name": member(b"0" * 100) + END,
    "prefix": member(prefix=b"..") + END,
    "symbolic-link": member(kind=b"2", data=b"", link=OUTSIDE.encode()) + END,
    "link-then-file": member(kind=b"2", data=b"", link=OUTSIDE.encode()) + member() + END,
    "hard-link": member(kind=b"1", data=b"", link=OUTSIDE.encode()) + END,
    "file-with-link": member(link=OUTSIDE.encode()) + END,
    "character-device": member(kind=b"3") + END,
    "block-device": member(kind=b"4") + END,
    "folder": member(kind=b"5", data=b"") + END,
    "fifo": member(kind=b"6", data=b"") + END,
    "contiguous": member(kind=b"7") + END,
    "old-kind": member(kind=b"\0") + END,
    "extended-header": member(kind=b"x", data=b"30 path=../../up\n") + GOOD,
    "global-header": member(kind=b"g", data=b"30 path=../../up\n") + GOOD,
    "long-link": member(b"././@LongLink", kind=b"L", data=b"../up\0") + GOOD,
    "sparse": member(kind=b"S") + END,
    "longer": member(data=MINE + b"x") + END,
    "shorter": member(data=MINE[1:]) + END,
    "huge": header(b"0", 0, octal=b"\x80" + b"\0" * 3 + b"\x7f" + b"\xff" * 7) + MINE,
    "negative": header(b"0", 0, octal=b"\xff" * 12) + MINE,
    "no-number": header(b"0", 0, octal=b"many bytes\0\0") + MINE,
    "twice": member() + member() + END,
    "one-more": member() + member(b"1") + END,
    "end-between": END[:512] + GOOD,
}

# What stands in place of the last line.
LINES = {
    "line-no-json": b"nonsense",
    "line-list": b"[]",
    "line-empty": b"{}",
    "line-without-files": b'{"status": 0, "signal": 0}',
    "line-files-text": b'{"status": 0, "signal": 0, "files": "x"}',
    "line-status-text": b'{"status": "0", "signal": 0, "files": []}',
    "line-status": b'{"status": 255, "signal": 0, "files": []}',
    "line-signal": b'{"status": 0, "signal": 9, "files": []}',
    "line-nothing-came": b'{"status": 0, "signal": 0, "files": []}',
    "line-deep": b'{"status": ' + b"[" * 100000,
    "line-error": b'{"error": "\\u001b[31mred\\u001b]0;owned\\u0007"}',
    "line-endless": b'{"x": "' + b"y" * (12 << 20),
}

# Files that are announced: names and sizes.
NAMES = {
    "name-up": [("../up", 1)],
    "name-absolute": [("/tmp/up", 1)],
    "name-empty": [("", 1)],
    "name-dots": [("hscope-file-0/..", 1)],
    "name-deep": [("hscope-file-0/a/b", 1)],
    "name-other-folder": [("hscope-file-9/x", 1)],
    "name-beside": [("hscope-file-0/victim", 1)],
    "name-long": [("hscope-file-0/" + "x" * 5000, 1)],
    "name-null": [("hscope-file-0/x\0y", 1)],
    "name-program": [("WANTED-production.params", 1)],
    "name-json": [("WANTED-a.json", 1)],
    "name-longer": [("WANTEDx", 1)],
    "name-twice": [("WANTED", 1), ("WANTED", 1)],
    "size-negative": [("WANTED", -1)],
    "size-huge": [("WANTED", 1 << 50)],
    "size-sum": [("WANTED", 1 << 35), ("WANTED-symbol.json", 1 << 35)],
    "size-text": [("WANTED", "many")],
    "many": [("hscope-file-0/%d" % i, 0) for i in range(20000)],
}

# What the target does besides a good answer, or before it.
OTHERS = {
    "good": b"",
    "no-answer": b"",
    "no-last-line": b"",
    "escape": b"",
    "endless-line": b"",
    "second-greeting": b"",
}


def main():
    way = sys.argv[1]
    if way == "?":
        print("\n".join([*STREAMS, *LINES, *NAMES, *OTHERS]))
        return
    asked = json.loads(sys.stdin.buffer.readline())
    token = asked["token"].encode() + b" "
    wanted = asked["outputs"][0]["name"]
    if way == "no-answer":
        return
    OUT.write(token + b'{"hscope": "0.0.1", "host": "\\u001b[31mx"}\n')
    OUT.flush()
    if way == "no-last-line":
        return
    if way == "escape":
        sys.stderr.write("\x1b[31mred\x1b]0;owned\x07\n")
        sys.stderr.flush()
    if way == "endless-line":
        for _ in range(300):
            OUT.write(b"z" * (1 << 20))
    if way == "second-greeting":
        OUT.write(token + b'{"hscope": "0.0.1"}\n')
    names = [(name.replace("WANTED", wanted), size) for name, size in NAMES.get(way, [("WANTED", len(MINE))])]
    files = [{"name": name, "size": size, "prefix": False} for name, size in names]
    line = json.dumps({"status": 0, "signal": 0, "files": files}).encode()
    OUT.write(token + LINES.get(way, line) + b"\n")
    OUT.write(STREAMS.get(way, END if way in LINES else GOOD))
    OUT.flush()


try:
    main()
except BrokenPipeError:
    os._exit(1)
