#!/usr/bin/env python3
"""mutate.py — applies mutations to a copy of the source, runs the tests of the folder, and reports what survives.

Without arguments every mutation that has no result yet is tried, and the table printed. Started by tests/mutate.sh.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import collections
import fcntl
import fnmatch
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import sites

TREE = pathlib.Path(__file__).resolve().parents[2]
HERE = TREE / "tests" / "mutate"
ACCEPTED = TREE / "tests" / "mutants-accepted.txt"
WORK = TREE / "build-mutants"
SOURCE = WORK / "source"
BUILD = WORK / "build"
RESULTS = WORK / "results.tsv"
BASELINE = WORK / "baseline.tsv"
PROCESSOR_SECONDS = 60      # of one test program at least; a longer one gets four times what it needs without a mutation
WALL_SECONDS = 900          # for a test that waits for ever
KINDS = ("relation", "condition", "failure", "logic", "off-by-one", "call", "constant", "equality")

Area = collections.namedtuple("Area", "folder count tests")


# --- The set ---

def lines_of(path):
    """Lines of a list, without comments."""
    if not path.exists():
        return []
    return [line.rstrip("\n") for line in path.open(encoding="utf-8") if line.strip() and not line.startswith("#")]


def read_areas():
    return [Area(words[0], int(words[1]), words[2:]) for words in map(str.split, lines_of(HERE / "areas.txt"))]


def read_named():
    """Mutations given by hand: a line with a path, then one that begins with "-" and one with "+"."""
    found, path, before = [], None, None
    for line in lines_of(HERE / "named.txt"):
        if line.startswith("-"):
            before = line[1:].strip()
        elif line.startswith("+"):
            after = line[1:].strip()
            found.append(sites.named(path, (TREE / path).read_text(encoding="utf-8"), before, after))
        else:
            path = line.strip()
    return found


def choose(area):
    """All sites of a folder in the order in which they are tried: kinds in turn, each by its identifiers.

    Gives pairs of a number and a site; what is below 1 is the folder's share of the set, the rest stands in for what does
    not compile.
    """
    found = []
    for path in sorted((TREE / area.folder).glob("*.c")):
        found += sites.find(str(path.relative_to(TREE)), path.read_text(encoding="utf-8"))
    first = len(area.folder) % len(KINDS)      # so that small shares differ in their kinds
    queues = [sorted(site for site in found if site.kind == kind) for kind in KINDS[first:] + KINDS[:first]]
    taken = 0
    while any(queues):
        for queue in queues:
            if queue:
                yield (taken + 0.5) / area.count, queue.pop(0)
                taken += 1


def whole_set(areas, results):
    """The mutations in the order of the run, so that any part of it is spread over the folders."""
    accepted = {line.split("\t")[0] for line in lines_of(ACCEPTED)}
    chosen = []
    for area in areas:
        wanted = area.count
        for order, site in choose(area):
            if wanted == 0:
                break
            if results.get(site.identifier, ("",))[0] != "invalid":
                chosen.append((order, site))
                wanted -= 1
    named = [site for site in read_named() if results.get(site.identifier, ("",))[0] != "invalid"]
    return named + [site for _, site in sorted(chosen)], accepted


# --- Tests ---

class Tests:
    """The test programs of the build folder, and how long each takes without a mutation."""

    def __init__(self):
        targets = {}
        for target in self.introspect("--targets"):
            targets[target["id"]] = [os.path.relpath(name, BUILD) for name in target["filename"]]
        self.programs = {}
        for test in self.introspect("--tests"):
            # ./test leaves the suite "thorough" out.
            is_quick = not any(suite.endswith("thorough") for suite in test["suite"])
            if is_quick and test["protocol"] == "tap" and os.path.relpath(test["cmd"][0], BUILD).startswith("tests"):
                needed = {os.path.relpath(test["cmd"][0], BUILD)}
                for depends in test["depends"]:
                    needed.update(name for name in targets[depends] if not name.endswith((".a", ".a.p")))
                arguments = [word for word in test["cmd"] if word != "-k"]
                self.programs[test["name"]] = (arguments, sorted(needed), dict(test["env"]))
        self.baseline = {}
        for line in lines_of(BASELINE):
            name, outcome, seconds = line.split("\t")
            if outcome == "ok":     # one that failed may have been mended since
                self.baseline[name] = (outcome, float(seconds))

    @staticmethod
    def introspect(what):
        return json.loads(subprocess.run(["meson", "introspect", what, str(BUILD)], check=True, stdout=subprocess.PIPE).stdout)

    def judges(self, area, path):
        """Names of the tests that judge a file of an area, the nearest first."""
        words = set(re.split(r"[-/.]", pathlib.Path(path).stem))

        def distance(name):
            stem = name.split("/")[-1].removeprefix("test-").removeprefix("fuzz-")
            return (-len(words & set(stem.split("-"))), name)

        left_out = [pattern[1:] for pattern in area.tests if pattern.startswith("-")]
        order = []
        for pattern in [area.folder + "/*"] + area.tests:
            found = [name for name in self.programs if fnmatch.fnmatchcase(name, pattern)
                     and not any(fnmatch.fnmatchcase(name, other) for other in left_out)
                     and (pattern != area.folder + "/*" or "/" not in name[len(area.folder) + 1:])]
            order += [name for name in sorted(found, key=distance) if name not in order]
        # Those that share a word with the file go first; the order of the list decides among the rest.
        return sorted(order, key=lambda name: distance(name)[0])

    def run(self, name):
        """("ok" | "failed" | "timeout", processor seconds)."""
        arguments, _, more = self.programs[name]
        limit = int(max(PROCESSOR_SECONDS, 4 * self.baseline.get(name, ("", 900))[1]))

        def prepare():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = dict(os.environ, LC_ALL="C.UTF-8", G_SLICE="always-malloc", **more)
        environment["ASAN_OPTIONS"] = "detect_leaks=0:allocator_may_return_null=1:verify_asan_link_order=0:detect_stack_use_after_return=0"
        environment.setdefault("HYB_SHARED", str(TREE.parent / "shared"))
        before = os.times()
        process = subprocess.Popen(arguments, cwd=BUILD, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=prepare)
        try:
            status = process.wait(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            status = -signal.SIGXCPU
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        outcome = "ok" if status == 0 else "timeout" if status in (-signal.SIGXCPU, -signal.SIGKILL) else "failed"
        return outcome, seconds

    def note(self, name, outcome, seconds):
        self.baseline[name] = (outcome, seconds)
        with BASELINE.open("a", encoding="utf-8") as file:
            file.write(f"{name}\t{outcome}\t{seconds:.1f}\n")


def build(targets):
    """Whether ninja made these files."""
    return subprocess.run(["ninja", "-C", str(BUILD), *targets], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


# --- The copy ---

def synchronise():
    """Makes the copy equal to the tree; files that are equal keep their time."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TREE, check=True,
                            stdout=subprocess.PIPE).stdout.decode().split("\0")
    for name in filter(None, listed):
        source, copy = TREE / name, SOURCE / name
        if not source.is_file():
            continue
        if not copy.exists() or source.stat().st_size != copy.stat().st_size or source.read_bytes() != copy.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for copy in list(SOURCE.rglob("*.[ch]")):
        if not (TREE / copy.relative_to(SOURCE)).exists():
            copy.unlink()
    if (BUILD / "build.ninja").exists():
        build(["build.ninja"])      # for tests that were added
    else:
        subprocess.run(["meson", "setup", str(BUILD), str(SOURCE), "--buildtype=plain", "-Dwarning_level=0",
                        "-Db_sanitize=address", "-Db_lundef=false", "-Dc_args=-O0 -w"], check=True, stdout=subprocess.DEVNULL)


def write(site, text):
    """Writes a file of the copy with a time that differs from its last one, so that it is compiled again."""
    path = SOURCE / site.path
    path.write_text(text, encoding="utf-8")
    now = time.time_ns()
    os.utime(path, ns=(now, now))


def judge(tests, area, site):
    """Applies one mutation and runs tests until one fails: (status, name of the test)."""
    original = (TREE / site.path).read_text(encoding="utf-8")
    mutated = original[:site.start] + site.after + original[site.end:]
    applied = False
    compiled = False
    try:
        for name in tests.judges(area, site.path):
            needed = tests.programs[name][1]
            if name not in tests.baseline:
                if applied:
                    write(site, original)
                    applied = False
                if not build(needed):
                    sys.exit(f"{name} does not build without a mutation")
                tests.note(name, *tests.run(name))
            if tests.baseline[name][0] != "ok":
                continue
            if not applied:
                write(site, mutated)
                applied = True
            if not build(needed):
                return "invalid", ""
            compiled = True
            outcome, _ = tests.run(name)
            if outcome != "ok":
                return ("killed" if outcome == "failed" else "timeout"), name
        return ("survived" if compiled else "untested"), ""
    finally:
        if applied:
            write(site, original)


# --- Reports ---

def read_results():
    """Identifier → (status, test); the last line of an identifier counts."""
    return {words[0]: (words[1], words[2]) for words in (line.split("\t") for line in lines_of(RESULTS))}


def difference(site):
    """The lines that a mutation changes, before and after."""
    text = (TREE / site.path).read_text(encoding="utf-8")
    low = text.rfind("\n", 0, site.start) + 1
    high = text.find("\n", site.end)
    before, after = text[low:high], text[low:site.start] + site.after + text[site.end:high]
    return "\n".join("    " + mark + line for mark, part in (("-", before), ("+", after)) for line in part.split("\n"))


def report(chosen, accepted, results):
    """Prints the survivors and the table of the modules; the number of survivors without a reason."""
    table = collections.defaultdict(collections.Counter)
    survivors = 0
    for site in chosen:
        status = results.get(site.identifier, ("waiting", ""))[0]
        if status in ("survived", "untested", "waiting") and site.identifier in accepted:
            status = "accepted"     # these are not tried
        elif status == "untested":
            status = "survived"
        parts = site.path.split("/")
        for row in ("/".join(parts[:-1][:2]), "all"):
            table[row][status] += 1
        if status == "survived":
            survivors += 1
            print(f"{site.path}:{site.line}: {site.kind} {site.identifier}\n{difference(site)}")
    print("| folder | killed | survived | accepted | score |\n|---|---|---|---|---|")
    for row in sorted(table, key=lambda row: (row == "all", row)):
        count = table[row]
        killed = count["killed"] + count["timeout"]
        judged = killed + count["survived"]
        if judged + count["accepted"]:
            score = f"{100 * killed / judged:.0f} %" if judged else "–"
            print(f"| {row} | {killed} | {count['survived']} | {count['accepted']} | {score} |")
    print(f"\n{len(chosen)} mutations in the set, {table['all']['waiting']} not tried yet, {survivors} survivors without a reason")
    return survivors


def run(options, areas, results):
    by_folder = {area.folder: area for area in areas}
    SOURCE.mkdir(parents=True, exist_ok=True)
    lock = (WORK / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)        # one run at a time changes the copy
    synchronise()
    tests = Tests()
    left = options.count
    while left > 0:
        chosen, accepted = whole_set(areas, results)
        waiting = [site for site in chosen if fnmatch.fnmatchcase(site.path, options.only) and site.identifier not in accepted
                   and (site.identifier not in results or (options.again and results[site.identifier][0] in ("survived", "untested")
                                                           and site.identifier not in options.tried))]
        if not waiting:
            return False
        site = waiting[0]
        started = time.time()
        status, name = judge(tests, by_folder[str(pathlib.Path(site.path).parent)], site)
        results[site.identifier] = (status, name)
        options.tried.add(site.identifier)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(f"{site.identifier}\t{status}\t{name}\t{site.path}:{site.line}\t{site.kind}\t{time.time() - started:.0f}\n")
        print(f"{status} {site.path}:{site.line} {site.kind} {name}", flush=True)
        left -= 1
    return True


def main():
    parser = argparse.ArgumentParser(prog="mutate.sh", description="makes single mutations and reports those that no test notices")
    parser.add_argument("--list", action="store_true", help="print the set and stop")
    parser.add_argument("--report", action="store_true", help="print the table of what was tried and stop")
    parser.add_argument("--count", type=int, default=1 << 30, help="try this many mutations and stop")
    parser.add_argument("--only", default="*", help="only files whose path matches this pattern")
    parser.add_argument("--again", action="store_true", help="try those again that survived")
    options = parser.parse_args()
    options.tried = set()
    areas = read_areas()
    results = read_results()
    if options.list:
        chosen, _ = whole_set(areas, results)
        for site in chosen:
            print(f"{site.path}:{site.line}: {site.kind} {site.identifier}\n{difference(site)}")
        return 0
    if not options.report and run(options, areas, results):
        return 0
    return 1 if report(*whole_set(areas, results), results) else 0


if __name__ == "__main__":
    sys.exit(main())
