"""test-pages.py — the commands of README.md, the guide and the tutorials work and print what the pages show; links lead somewhere.

usage: test-pages.py SOURCE BUILD PREFIX LIBDIR [sanitized]

Installs the build into an empty folder and runs every block ```sh of a page there, one after the other, in a folder of the page's
own; pages.py describes the comments that direct this. Measurements are short: a wrapper of hscope limits the samples. Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import pages  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

UNSANITIZED = "the sanitizer is not part of programs that are compiled here"
REASONS = (             # why a block may be shown only
    "needs the network",
    "needs root",
    "needs a display",
    "needs a GPU",
    "needs another machine",
    "needs another program",
    "takes minutes",
    "builds the tree",
    "is part of another file",
)

WRAPPER = r"""#!/bin/sh
# A fixed number of samples, not a time: then a slow machine changes nothing. Comparing recordings measures nothing.
case $1 in
  profile) set -- "$@" --repeat 6 --traced 2 --time-limit 60 ;;
  compare) case "$*" in *.hscope*) ;; *) set -- "$@" --repeat 1 --no-ladder --time-limit 60 ;; esac ;;
esac
exec "{program}" "$@"
"""


class Place:
    """Where commands run: the installed tree, its environment, and the public exports."""

    def __init__(self, arguments, work):
        self.source, self.build = pathlib.Path(arguments[0]), arguments[1]
        self.prefix, libdir = arguments[2], arguments[3]
        self.sanitized = "sanitized" in arguments[4:]
        self.work = work
        self.root = work / "root"
        self.models = pathlib.Path(os.environ.get("HYB_SHARED", self.source.parent / "shared")) / "models"
        self.install(libdir)

    def install(self, libdir):
        """Installs the build and describes it to pkg-config, the shell and the loader's own search path."""
        subprocess.run(["meson", "install", "-C", self.build, "--no-rebuild", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": str(self.root)})
        installed = self.root / self.prefix.lstrip("/")
        self.help = installed / "share" / "doc" / "hybridscope"
        programs = self.work / "bin"
        programs.mkdir()
        wrapper = programs / "hscope"
        wrapper.write_text(WRAPPER.replace("{program}", str(installed / "bin" / "hscope")))
        wrapper.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{installed / 'bin'}:{os.environ['PATH']}",
                            "PKG_CONFIG_PATH": str(installed / libdir / "pkgconfig"), "HOME": str(self.work), "NO_COLOR": "1",
                            "XDG_CACHE_HOME": str(self.work / "cache"),
                            # Programs that are linked here find the library as if it were in a system folder.
                            "LD_RUN_PATH": str(installed / libdir)}
        for name in ("LD_LIBRARY_PATH", "HYB_GALLERY", "DISPLAY", "WAYLAND_DISPLAY"):
            self.environment.pop(name, None)


def prepare(place, block, folder):
    """Copies what a block needs. Returns why it and those behind it cannot be run, or None."""
    if place.sanitized and re.search(r"^cc ", "\n".join(block.lines), re.M):
        return UNSANITIZED
    for name in block.directives.get("with", "").split():
        is_model = name.startswith("models/")
        if is_model and not place.models.is_dir():
            return "there is no folder of models"
        file = place.models / name[len("models/"):] if is_model else place.source / name
        shutil.copyfile(file, folder / file.name)
    return None


def run_block(place, block, output, folder):
    """Runs a block and compares. Returns (status, diagnosis)."""
    try:
        finished = subprocess.run(["sh", "-e", "-c", "\n".join(block.lines)], cwd=folder, env=place.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "not ok", "did not end within 300 seconds"
    printed = finished.stdout.decode(errors="replace").split("\n")
    wanted = block.directives.get("ends with", "0")
    if str(finished.returncode) not in wanted.split(" or "):
        return "not ok", f"ended with {finished.returncode}, not {wanted}\n" + "\n".join(printed)
    missing = pages.matches(output.lines, printed) if output else None
    if missing is not None:
        return "not ok", f"not printed: {missing}\n" + "\n".join(printed)
    return "ok", ""


def run_page(place, page):
    """Runs all blocks of a page. Returns a list of (status, name, diagnosis)."""
    name = str(page.relative_to(place.source))
    folder = place.work / name.replace("/", "-")
    folder.mkdir()
    results = []
    try:
        blocks = pages.read_blocks(page.read_text())
    except ValueError as error:
        return [("not ok", f"/{name}/is-well-formed", str(error))]
    lacking = None
    for block, following in zip(blocks, blocks[1:] + [None]):
        if block.kind != "sh":
            continue
        title = f"/{name}/line-{block.line}-does-what-the-page-says"
        lacking = lacking or prepare(place, block, folder)
        if "shown only" in block.directives:
            results.append(("shown", f"{name}:{block.line}", block.directives["shown only"]))
            continue
        output = following if following and following.kind == "text" else None
        status, diagnosis = (lacking, "") if lacking else run_block(place, block, output, folder)
        results.append((status, title, diagnosis))
    return results


def report_links(number, name, broken):
    """Prints a line of TAP about links, and a diagnosis. broken: as broken_links() returns it."""
    for line in broken:
        print(f"# leads nowhere: {line}")
    print("not ok" if broken else "ok", number, name)


def report_all_links(number, source, installed):
    """Prints TAP about the links of the tree and of the installed help, beginning after NUMBER. Returns the last number."""
    broken, count = pages.broken_links(source, ("subprojects",))
    print(f"# {count} links in the tree")
    report_links(number + 1, "/docs/links-lead-somewhere", broken)
    broken, count = pages.broken_links(installed, ())
    report_links(number + 2, "/docs/installed/links-lead-somewhere", broken if count else ["(there is no page)"])
    report_links(number + 3, "/docs/installed/no-page-names-a-file-that-no-package-holds", pages.missing_files(installed))
    broken, count = pages.broken_html_links(installed)
    if count:
        print(f"# {count} pages of HTML")
        report_links(number + 4, "/docs/installed/links-of-html-lead-somewhere", broken)
    else:
        print(f"ok {number + 4} /docs/installed/links-of-html-lead-somewhere # SKIP Python has no module markdown")
    return number + 4


def main(arguments):
    """Runs everything; see the head of the file."""
    temporary_folder.use()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        place = Place(arguments, pathlib.Path(work))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = sum(pool.map(lambda page: run_page(place, page), pages.source_pages(place.source)), [])
        number, shown = 0, collections.Counter()
        for status, name, diagnosis in results:
            reason = diagnosis.partition(":")[0]
            if status == "shown" and reason in REASONS:
                shown[reason] += 1
                print(f"# {name}: shown only, {diagnosis}")
                continue
            number += 1
            if status == "shown":
                status, diagnosis = "not ok", f"“{diagnosis}” is no reason to show a block only"
            if status in ("ok", "not ok"):
                print(f"{status} {number} {name}")
            else:
                print(f"ok {number} {name} # SKIP {status}")
            for line in diagnosis.split("\n") if diagnosis else []:
                print(f"# {line}")
        print(f"# {number} blocks are run, {shown.total()} are shown only: "
              + ", ".join(f"{count} {reason}" for reason, count in shown.most_common()))
        print(f"1..{report_all_links(number, place.source, place.help)}")


main(sys.argv[1:])
