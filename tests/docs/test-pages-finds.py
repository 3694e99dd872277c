"""test-pages-finds.py — what pages.py is there to find: other output, links that lead nowhere, directives that mean nothing.

Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import pages  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

PRINTED = ["note: a", "net:  14 nodes", "", "  1 RNN", "wrote net"]


temporary_folder.use()


def refuses(text):
    """Whether a page cannot be read."""
    try:
        pages.read_blocks(text)
    except ValueError:
        return True
    return False


def broken(text):
    """The targets of the broken links of a page beside a file b.md with a heading."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "a.md").write_text(text)
        (root / "b.md").write_text("# Two words, and `code`\n")
        return [line.rpartition(" ")[2] for line in pages.broken_links(root, ())[0]]


def broken_html(text):
    """The targets of the broken links of a page of HTML."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.html").write_text(text)
        return [line.rpartition(" ")[2] for line in pages.broken_html_links(pathlib.Path(folder))[0]]


def missing(text):
    """The paths of the source tree that a page names as if the reader had it."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.md").write_text(text)
        return [line.rpartition(" ")[2] for line in pages.missing_files(pathlib.Path(folder))]


BLOCK = pages.read_blocks("<!-- ends with: 1 -->\n```sh\nfalse\n```\n\n```text\n…\n```")

CASES = (
    ("equal-output-matches", pages.matches(PRINTED, PRINTED) is None),
    ("spaces-may-differ", pages.matches(["note: a", "net: 14 nodes", "1 RNN", "wrote   net"], PRINTED) is None),
    ("dots-in-a-line-match-characters", pages.matches(["note: …", "net: … nodes", "1 RNN", "wrote net"], PRINTED) is None),
    ("a-line-of-dots-matches-lines", pages.matches(["…", "wrote net"], PRINTED) is None),
    ("dots-at-the-end-match-the-rest", pages.matches(["note: a", "…"], PRINTED) is None),
    ("another-number-is-found", pages.matches(["…", "net: 15 nodes", "…"], PRINTED) == "net: 15 nodes"),
    ("a-line-that-is-not-printed-is-found", pages.matches([*PRINTED, "done"], PRINTED) == "done"),
    ("a-line-that-is-not-shown-is-found", pages.matches(PRINTED[:-1], PRINTED) is not None),
    ("lines-in-another-order-are-found", pages.matches(["…", "wrote net", "note: a"], PRINTED) is not None),
    ("directives-belong-to-the-next-block", [block.directives for block in BLOCK] == [{"ends with": "1"}, {}]),
    ("an-unknown-directive-is-refused", refuses("<!-- shown onlyy: x -->\n```sh\n```")),
    ("a-directive-without-a-block-is-refused", refuses("<!-- ends with: 1 -->\nText.")),
    ("an-open-block-is-refused", refuses("```sh\ntrue")),
    ("good-links-are-accepted", broken("[a](b.md) [b](b.md#two-words-and-code) [c](#x)\n# X\n`[d](e)` [f](https://g)") == []),
    ("a-missing-anchor-of-html-is-found", broken_html('<a href="#x"></a><h1 id="x"></h1><img src="y.png">') == ["y.png"]),
    ("a-path-of-the-source-tree-is-found", missing("See `engine/a.c`.\n\nIn the source tree, `engine/b.c`.") == ["engine/a.c"]),
    ("a-missing-file-is-found", broken("[a](c.md)") == ["c.md"]),
    ("a-missing-heading-is-found", broken("[a](b.md#three)") == ["b.md#three"]),
)

print(f"1..{len(CASES)}")
for number, (name, holds) in enumerate(CASES, 1):
    print("ok" if holds else "not ok", number, f"/docs/pages/{name}")
