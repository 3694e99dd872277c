"""check-packaging.py — packages hold every installed file once, versions agree, desktop file and man pages are valid.

usage: check-packaging.py SOURCE BUILD

Compares what meson would install with packaging/debian/*.install; no package is built.  Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
METAINFO = source / "resources/data/org.hybridscope.Hybridscope.metainfo.xml.in"


def introspect(what):
    """What meson knows of the build folder."""
    return json.loads(subprocess.run(["meson", "introspect", build, "--" + what], check=True, capture_output=True).stdout)


def installed_files():
    """Paths as debhelper sees them: below usr, libraries in the folder of a triplet."""
    options = {option["name"]: option["value"] for option in introspect("buildoptions")}
    prefix, libdir = options["prefix"].rstrip("/"), options["libdir"]
    files = []
    for path in introspect("installed").values():
        inner = os.path.relpath(path, prefix)
        if inner.startswith(libdir + "/"):
            inner = "lib/TRIPLET/" + inner[len(libdir) + 1:]
        files.append("usr/" + inner)
    return sorted(set(files))


def patterns():
    """(package, pattern) of each line of an *.install file that takes a file that meson installs."""
    found = []
    for file in sorted((source / "packaging/debian").glob("*.install")):
        found += [(file.stem, line) for line in file.read_text().split("\n") if line.startswith("usr/")]
    return found


def holds(pattern, path):
    """Whether a pattern stands for the path or for a folder around it."""
    parts, wanted = path.split("/"), pattern.rstrip("/").split("/")
    return len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def check_files():
    """Complaints about files that are in no package or in several."""
    for path in installed_files():
        packages = [package for package, pattern in patterns() if holds(pattern, path)]
        if len(packages) != 1:
            yield f"{path} is in {' and '.join(packages) or 'no package'}"


def check_patterns():
    """Complaints about lines of packages that stand for nothing."""
    files = installed_files()
    for package, pattern in patterns():
        if not any(holds(pattern, path) for path in files):
            yield f"{package}: nothing is installed as {pattern}"


def check_versions():
    """Complaints if a place has another version than meson.build."""
    version = re.search(r"version: '([^']*)'", (source / "meson.build").read_text())[1]
    changes = re.search(r"(?m)^## ([0-9.]+)", (source / "CHANGELOG.md").read_text())[1]
    release = re.search(r'<release version="([^"]*)"', METAINFO.read_text())[1]
    header = ".".join(re.findall(r"#define HYB_VERSION_(?:MAJOR|MINOR|MICRO) (\d+)", (source / "engine/base/version.h").read_text()))
    package = re.search(r'(?m)^version = "(.*)"$', (source / "python/pyproject.toml").read_text())[1]
    if {version, changes, release, header, package} != {version}:
        yield (f"meson.build has {version}, CHANGELOG.md {changes}, the metainfo file {release}, engine/base/version.h {header}, "
               f"python/pyproject.toml {package}")


def check_control():
    """Complaints about fields that a paragraph of the Debian packages has twice, and about packages of the build that it lacks."""
    text = (source / "packaging/debian/control.in").read_text()
    for paragraph in re.split(r"\n\s*\n", text):
        fields = re.findall(r"(?m)^([A-Z][\w-]*):", paragraph)
        yield from (f"{fields[0]} …: {field} stands there twice" for field in sorted(set(fields)) if fields.count(field) > 1)
    needed = re.search(r'(?m)^build="([^"]*)"', (source / "tools/packages.sh").read_text())[1].split()
    yield from (f"Build-Depends lacks {name}" for name in needed
                if name.startswith("lib") and name != "libc6-dev" and not re.search(rf"(?m)^ {name}\b", text))


def check_desktop_file():
    """What desktop-file-validate prints, hints included."""
    file = build / "resources/org.hybridscope.Hybridscope.desktop"
    said = subprocess.run(["desktop-file-validate", file], check=False, capture_output=True, text=True)
    yield from (said.stdout + said.stderr).split("\n")[:-1]


def check_man_pages():
    """What man prints about the pages, warnings included."""
    pages = sorted((build / "app").glob("*.1"))
    if not pages:
        yield "there are no man pages"
    for page in pages:
        said = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], check=False,
                              capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
        yield from said.stderr.split("\n")[:-1]
        if said.returncode:
            yield f"{page}: man ends with {said.returncode}"


def whole():
    """Whether the build has everything that is packaged."""
    files = installed_files()
    return all(any(path.endswith(name) for path in files)
               for name in ("bin/hybridscope", "/hybridscope-cuda.so", "/docs/guide/README.html", ".mo"))


TOOL = "is not installed"
CHECKS = (
    ("every-installed-file-is-in-one-package", check_files, True, ""),
    ("every-line-of-a-package-has-a-file", check_patterns, whole(), "the build leaves parts of the packages out"),
    ("versions-agree", check_versions, True, ""),
    ("the-fields-of-debian-packages-are-right", check_control, True, ""),
    ("the-desktop-file-is-valid", check_desktop_file, shutil.which("desktop-file-validate"), "desktop-file-validate " + TOOL),
    ("man-has-no-warning-about-the-pages", check_man_pages, shutil.which("man"), "man " + TOOL),
)

print(f"1..{len(CHECKS)}")
for number, (name, check, possible, reason) in enumerate(CHECKS, 1):
    complaints = list(check()) if possible else []
    for complaint in complaints:
        print("# " + complaint)
    print("not ok" if complaints else "ok", number, "/packaging/" + name + ("" if possible else " # SKIP " + reason))
