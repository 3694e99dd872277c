"""guide-commands.py — writes the commands of the guide's pages as scripts, with the files that they need.

usage: guide-commands.py PAGES MODELS FOLDER

PAGES is a page, or docs/guide of the tree or of the installed help, MODELS a folder of public exports.  FOLDER/PAGE/commands.sh runs the blocks of
a page in order and fails where one ends with another status than the page says.  tests/docs/pages.py describes the comments.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import pathlib
import shutil
import sys

source = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "tests" / "docs"))
import pages  # noqa: E402


def write_page(page, models, folder):
    """Writes what a page needs into a folder of its own. Returns the number of blocks."""
    folder.mkdir(parents=True)
    script, count = [], 0
    for block in pages.read_blocks(page.read_text()):
        if block.kind != "sh":
            continue
        for name in block.directives.get("with", "").split():
            file = models / name[len("models/"):] if name.startswith("models/") else source / name
            shutil.copyfile(file, folder / file.name)
        if "shown only" in block.directives:
            continue
        count += 1
        wanted = block.directives.get("ends with", "0").split(" or ")
        (folder / f"line-{block.line}.sh").write_text("\n".join(block.lines) + "\n")
        script += [f"sh -e line-{block.line}.sh", "status=$?",
                   f"case $status in {'|'.join(wanted)}) ;; *) echo \"line {block.line} ended with $status\"; exit 1 ;; esac"]
    (folder / "commands.sh").write_text("\n".join(script) + "\n")
    return count


def main(place, models, folder):
    """Writes all pages and prints how many blocks each has."""
    place = pathlib.Path(place)
    for page in sorted(place.glob("*.md")) if place.is_dir() else [place]:
        print(page.stem, write_page(page, pathlib.Path(models), pathlib.Path(folder) / page.stem))


main(*sys.argv[1:])
