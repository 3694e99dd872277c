"""pages.py — reads Markdown: blocks of code with the comments that direct the tests, links and headings.

A comment in front of a block says what the test has to know of it; readers of the page do not see it:
    <!-- shown only: REASON -->      the block is not run; test-pages.py prints and counts the reasons
    <!-- with: FILE FILE -->         files that lie in the folder: of the source tree, or models/FILE of the public exports
    <!-- ends with: 1 -->            the exit status of the block, 0 if nothing is said; “0 or 1” if the machine decides it
A block ```text that follows a block ```sh is what the commands print.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import dataclasses
import pathlib
import re

FENCE = re.compile(r"^ *```(\w*)\s*$")
COMMENT = re.compile(r"^<!-- ([a-z ]+): (.*) -->$")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#+) +(.*?) *#*$")
DIRECTIVES = ("shown only", "with", "ends with")
PARTS = {"tools/replay/replay-head.md": "docs"}     # parts of pages, and the folders of those


@dataclasses.dataclass
class Block:
    """A block of code: its language, lines, first line's number in the page, and directives."""
    kind: str
    line: int
    lines: list
    directives: dict


def read_blocks(text):
    """The blocks of a page in order. Fails for a directive that is unknown or in front of nothing."""
    blocks, directives, block = [], {}, None
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if block is not None:
            if fence:
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
            continue
        comment = COMMENT.match(line)
        if comment and comment[1] not in DIRECTIVES:
            raise ValueError(f"line {number}: no directive is called “{comment[1]}”")
        if comment:
            directives[comment[1]] = comment[2]
        elif fence:
            block = Block(fence[1], number, [], directives)
            directives = {}
        elif line.strip() and directives:
            raise ValueError(f"line {number}: a directive must stand in front of a block")
    if block is not None or directives:
        raise ValueError("the page ends inside of a block, or with a directive")
    return blocks


def prose(text):
    """The page without blocks, inline code and comments, one line for one line."""
    lines, inside = [], False
    for line in text.split("\n"):
        fence = FENCE.match(line)
        inside ^= bool(fence)
        lines.append("" if inside or fence else re.sub(r"`[^`]*`", "", line))
    return lines


def links(text):
    """(line, target) of each link and picture that does not lead to the web."""
    found = []
    for number, line in enumerate(prose(text), 1):
        found += [(number, target) for target in LINK.findall(line) if not re.match(r"[a-z]+:", target)]
    return found


def slug(heading):
    """The name of a heading in links, as web pages for Markdown make it."""
    heading = re.sub(r"\]\([^)]*\)", "", heading).replace("[", "").lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def headings(text):
    """The names of all headings; one that comes again gets -1, -2, …"""
    names, inside = [], False
    for line in text.split("\n"):
        inside ^= bool(FENCE.match(line))
        heading = None if inside else HEADING.match(line)
        if heading:
            name = slug(heading[2])
            again = sum(1 for other in names if re.fullmatch(re.escape(name) + r"(-\d+)?", other))
            names.append(f"{name}-{again}" if again else name)
    return names


def broken_links(root, folders):
    """'PAGE:LINE: TARGET' of each relative link of the Markdown files below ROOT that leads nowhere; and the number of links.

    folders: names of folders that are not looked into. Of a part of a page, links are those of the page that it becomes.
    """
    broken, count = [], 0
    for page in sorted(root.rglob("*.md")):
        inside = page.relative_to(root).parts[:-1]
        if any(part.startswith((".", "build")) or part in folders for part in inside):
            continue
        text = page.read_text()
        for line, target in links(text):
            count += 1
            name, _, heading = target.partition("#")
            folder = root / PARTS.get(str(page.relative_to(root)), page.parent)
            file = folder / name if name else page
            if not file.exists() or heading and file.is_file() and heading not in headings(file.read_text()):
                broken.append(f"{page.relative_to(root)}:{line}: {target}")
    return broken, count


# The folders of the source tree, which no package holds; paths may be below the folders that the help has itself.
TREE = re.compile(r"`((?:app|build|docs|engine|packaging|peers|profiler|tests|tools|viz)/[^`\s]+)")


def missing_files(root):
    """'PAGE: PATH' of each path of the source tree that an installed page names as if the reader had it.

    A paragraph that says “source tree”, or speaks of the project's tests, is for those who do.
    """
    missing = []
    for page in sorted(root.rglob("*.md")):
        for paragraph in re.split(r"\n\s*\n", page.read_text()):
            if not re.search(r"source tree|project.s tests", paragraph):
                missing += [f"{page.relative_to(root)}: {path}" for path in TREE.findall(paragraph) if not (root / path).exists()]
    return missing


def broken_html_links(root):
    """'PAGE: TARGET' of each relative link and picture of the HTML files below ROOT that leads nowhere; and the number of pages."""
    broken, count = [], 0
    for page in sorted(root.rglob("*.html")):
        count += 1
        for target in re.findall(r'(?:href|src)="([^"]*)"', page.read_text()):
            name, _, heading = target.partition("#")
            file = page.parent / name if name else page
            if re.match(r"[a-z]+:", target):
                continue
            if not file.exists() or heading and f'id="{heading}"' not in file.read_text():
                broken.append(f"{page.relative_to(root)}: {target}")
    return broken, count


def matches(expected, printed):
    """Whether lines were printed as a page shows them; None, or the first line that is missing.

    … stands for any characters, and alone in a line for any lines. Spaces may differ in number.
    """
    def squeeze(line):
        return re.sub(r"\s+", " ", line).strip()

    def pattern(line):
        return ".*".join(re.escape(part.strip()) if part.strip() != part else re.escape(part)
                         for part in squeeze(line).split("…"))

    position, skips = 0, False
    printed = [squeeze(line) for line in printed]
    expected = [line for line in expected if line.strip()]
    printed = [line for line in printed if line]
    for line in expected:
        if line.strip() == "…":
            skips = True
            continue
        while position < len(printed) and not re.fullmatch(pattern(line), printed[position]):
            if not skips:
                return line
            position += 1
        if position == len(printed):
            return line
        position, skips = position + 1, False
    return None if skips or position == len(printed) else f"(nothing after it) {printed[position]}"


def source_pages(source):
    """The pages whose commands are run."""
    source = pathlib.Path(source)
    return [source / "README.md", *sorted(source.glob("docs/guide/*.md")), *sorted(source.glob("docs/tutorials/*.md"))]
