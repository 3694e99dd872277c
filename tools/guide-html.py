#!/usr/bin/env python3
"""guide-html.py — turns pages of Markdown into HTML, for the installed help.

usage: guide-html.py FOLDER PAGE.md …      writes FOLDER/PAGE.html for each page

Links to other pages become links to their HTML; headings have the same names in links as in Markdown. Comments that direct the
tests (tests/docs/pages.py) are left out. Needs the module markdown (Debian: python3-markdown).

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import html
import pathlib
import re
import sys

import markdown

TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} – Hybridscope</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 54em; margin: 2em auto; padding: 0 1em; }}
pre {{ overflow-x: auto; padding: .8em; border-radius: .4em; background: rgba(128, 128, 128, .14); }}
code {{ font: 14px/1.4 monospace; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ border: 1px solid rgba(128, 128, 128, .4); padding: .3em .6em; text-align: left; vertical-align: top; }}
img {{ max-width: 100%; height: auto; }}
nav {{ font-size: 14px; }}
</style>
</head>
<body>
<nav><a href="{top}">Contents</a></nav>
{body}
</body>
</html>
"""


def slug(heading, _separator):
    """The name of a heading in links, as web pages for Markdown make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def convert(page):
    """The HTML of a page, which lies in docs or in a folder of docs."""
    text = re.sub(r"(?m)^<!-- .* -->\n", "", page.read_text(encoding="utf-8"))
    body = markdown.markdown(text, extensions=["tables", "fenced_code", "sane_lists", "toc"],
                             extension_configs={"toc": {"slugify": slug}}, output_format="html")
    body = re.sub(r'href="(?![a-z]+:)([^"#]*)\.md(#[^"]*)?"',
                  lambda link: f'href="{link[1]}.html{link[2] or ""}"', body)
    title = re.search(r"(?m)^# (.*)$", text)
    top = {"guide": "README.html", "docs": "guide/README.html"}.get(page.resolve().parent.name, "../guide/README.html")
    return TEMPLATE.format(title=html.escape(title[1] if title else page.stem), top=top, body=body)


def main(folder, *names):
    """See the head of the file."""
    for name in names:
        page = pathlib.Path(name)
        (pathlib.Path(folder) / (page.stem + ".html")).write_text(convert(page), encoding="utf-8")


main(*sys.argv[1:])
