#!/usr/bin/env python3
# faults.py - ends commands that write at random moments and lets their disk be full, and prints a table.
#
#   tests/fuzz/faults.py [-n MOMENTS] [--seed S] [--only TEXT] [--preload fail-write.so] build/app/hscope
#
# For each command that writes: SIGKILL, SIGTERM and SIGINT at random moments (default: 50 each); SIGKILL before, and
# ENOSPC at, each call that changes files (tests/app/modules/fail-write.c; found in the build folder); two
# processes at once.  Afterwards each output must be the old file or a whole new one, the two files of a
# model must belong together, and nothing else may lie in the folder after the next save.
# Ends with 1 if something is wrong.  A pair that does not match after a SIGKILL between its two renames is
# counted, but is no failure (SECURITY.md).
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import temporary_folder  # noqa: E402

SHAPES = ["--shape", "data0=5,2,64", "--shape", "data1=2,64", "--shape", "data2=2,64"]
RUN = SHAPES + ["--init", "uniform"]
PAIR = ["out-symbol.json", "out-0000.params"]
SIGNALS = [("KILL", signal.SIGKILL), ("TERM", signal.SIGTERM), ("INT", signal.SIGINT)]


class Case:
    """A command and the files it writes into its current folder."""

    def __init__(self, name, arguments, outputs, kept=(), environment=None, beside=()):
        self.name, self.arguments, self.outputs = name, arguments, outputs
        self.kept = list(kept)      # what an interrupted run writes instead; the next complete one removes it
        self.environment = environment or {}
        self.beside = tuple(beside) # beginnings of names of other files that may lie there
        self.is_pair = outputs == PAIR
        self.is_cache = name.endswith("(verdict)")      # the run goes on without it, with a warning


def make_cases(data):
    model, capture = data + "/m-symbol.json", data + "/c.hscope"
    return [
        Case("new", ["new", "gallery:foreach-rnn?seed=7", "--output", "out"], PAIR),
        Case("trace", ["trace", "gallery:mlp", "--output", "out"], PAIR),
        Case("convert", ["convert", model, "--to", "unrolled", "--output", "out"] + SHAPES, PAIR),
        Case("check --repair", ["check", model, "--repair", "out"], PAIR),
        Case("weights --to", ["weights", data + "/m-0000.params", "--to", "out.npz"], ["out.npz"]),
        Case("run", ["run", model, "--output", "out.npz", "--backward", "--gradients", "g.npz"] + RUN,
             ["out.npz", "g.npz"]),
        Case("train", ["train", "gallery:mlp", "--epochs", "1", "--sample", "-1", "--output", "out", "--log", "log.jsonl"],
             ["out-symbol.json", "out-0001.params", "out-0001.states", "log.jsonl"],
             ["out-interrupted.params", "out-interrupted.states"]),
        Case("profile", ["profile", model, "--repeat", "3", "--capture", "out.hscope", "--csv", "out.csv",
                         "--trace", "out.json"] + RUN, ["out.hscope", "out.csv", "out.json"]),
        Case("profile --baseline", ["profile", model, "--repeat", "3", "--baseline", capture, "--markdown", "out.md",
                                    "--junit", "out.xml"] + RUN, ["out.md", "out.xml"]),
        Case("import", ["import", data + "/t.json", "--symbol", model, "--capture", "out.hscope"], ["out.hscope"]),
        Case("compare", ["compare", model, "--variants", "as-is", "--repeat", "3", "--report", "out.html"] + RUN,
             ["out.html"]),
        Case("compare --captures", ["compare", model, "--variants", "as-is", "--repeat", "3", "--captures", "out"] + RUN,
             ["out-0-as-is-static.hscope"]),
        Case("report", ["report", capture, "--output", "out.html"], ["out.html"]),
        Case("report (PDF)", ["report", capture, "--output", "out.pdf"], ["out.pdf"]),
        Case("report (SVG)", ["report", capture, "--output", "out.svg"], ["out.svg"]),
        Case("report (sweep, CSV)", ["report", data + "/s", "--output", "out.csv"], ["out.csv"]),
        Case("report (sweep, SQLite)", ["report", data + "/s", "--output", "out.sqlite"], ["out.sqlite"]),
        Case("render", ["render", model, "--output", "out.svg"], ["out.svg"]),
        Case("render (PNG)", ["render", model, "--output", "out.png"], ["out.png"]),
        Case("render (PDF)", ["render", model, "--output", "out.pdf"], ["out.pdf"]),
        SweepCase(2),
    ]


class SweepCase(Case):
    """A sweep makes a folder, which the next one continues: each file in it is whole, and no cell is lost."""

    def __init__(self, n_cells):
        super().__init__("sweep", ["sweep", "--models", "gallery:mlp", "--variants", "as-is", "--batch", "1,2", "--samples", "3",
                                   "--output", "s"], ["s/cells.jsonl"], beside=["s/"])
        self.n_cells = n_cells


def find_files(folder):
    """Names of all files below a folder, as they are written from there."""
    return [os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names]


def make_gpu_case(hscope, folder):
    """The verdict on the pretend GPU, in the cache below folder; None where the build has none."""
    build = os.path.join(os.path.dirname(hscope), "..")
    model = os.path.join(os.path.dirname(__file__), "../data/goldens/models/mlp-softmax-output/mlp-softmax-output-symbol.json")
    module, libraries = build + "/engine/cuda/hybridscope-cuda.so", build + "/tests/engine/cuda/pretend"
    if not os.path.exists(module) or not os.path.exists(libraries + "/libcuda.so.1"):
        return None
    case = Case("run (verdict)", ["run", os.path.abspath(model), "--init", "uniform", "--device", "gpu"], [],
                beside=["hybridscope/kernels/"],
                environment={"XDG_CACHE_HOME": folder, "HYB_GPU_MODULE": os.path.abspath(module),
                             "HYB_GPU_PATH": os.path.abspath(libraries), "HYB_SELFTEST": "softmax"})
    subprocess.run([hscope] + case.arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, **case.environment})
    case.outputs = [name for name in find_files(folder) if name.endswith(".verdict")]
    return case if case.outputs else None


class Tester:
    def __init__(self, hscope, preload, data):
        self.hscope, self.preload, self.data = hscope, preload, data
        self.troubles = []

    def run(self, arguments, folder, environment=None):
        """Runs to the end; returns the exit status."""
        return subprocess.run([self.hscope] + arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, **(environment or {})}).returncode

    def run_case(self, case, folder, environment=None):
        return self.run(case.arguments, folder, {**case.environment, **(environment or {})})

    def start(self, case, folder):
        """In a group of its own, so that a signal reaches all processes."""
        return subprocess.Popen([self.hscope] + case.arguments, cwd=folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env={**os.environ, **case.environment}, start_new_session=True)

    def is_whole(self, path, reference):
        """Files that hold times are compared by their end; all others are the same each time."""
        with open(path, "rb") as file:
            text = file.read()
        if text == reference:
            return True
        if path.endswith(".hscope"):
            return len(text) > 32 and int.from_bytes(text[16:24], "little") == len(text)
        if path.endswith(".json") and not path.endswith("-symbol.json"):
            try:
                return bool(json.loads(text))
            except ValueError:
                return False
        if path.endswith(".html"):
            return text.rstrip().endswith(b"</html>")
        if path.endswith(".pdf"):
            return text.rstrip().endswith(b"%%EOF")
        if path.endswith(".xml"):
            try:
                return bool(len(xml.etree.ElementTree.fromstring(text)))
            except xml.etree.ElementTree.ParseError:
                return False
        if path.endswith(".md"):
            return text.endswith(b"</details>\n")
        if path.endswith(".csv"):
            return text.endswith(b"\n") and len({len(row) for row in csv.reader(text.decode().splitlines())}) == 1
        if path.endswith(".sqlite"):
            with sqlite3.connect(path) as database:
                return database.execute("pragma integrity_check").fetchone() == ("ok",) and bool(
                    database.execute("select count(*) from cells").fetchone()[0])
        if path.endswith(".jsonl"):
            return reference.startswith(text) and text.endswith(b"\n")
        # A run of training that is stopped writes a checkpoint of what it has.
        return path.endswith((".params", ".states")) and self.run(["weights", path], self.data) == 0

    def prepare(self, folder, case):
        for name in find_files(folder):
            if isinstance(case, SweepCase) or not name.startswith(case.beside or "/"):
                os.remove(os.path.join(folder, name))
        if isinstance(case, SweepCase):
            shutil.rmtree(os.path.join(folder, "s"), ignore_errors=True)
            return
        for name in case.outputs:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(b"old " + name.encode())

    def inspect(self, folder, case, references, moment):
        """Returns what is there: old, new, mixed, interrupted or wrong; notes troubles."""
        if isinstance(case, SweepCase):
            return self.inspect_sweep(folder, case, moment)
        found = set()
        for name in case.outputs:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                text = file.read()
            if text == b"old " + name.encode():
                found.add("old")
            elif self.is_whole(path, references[name]):
                found.add("new")
            else:
                found.add("wrong")
                self.troubles.append(f"{case.name}, {moment}: {name} is neither old nor new")
        if "wrong" in found:
            return "wrong"
        kept = [name for name in case.kept if os.path.exists(os.path.join(folder, name))]
        if kept:
            broken = [name for name in kept if self.run(["weights", os.path.join(folder, name)], self.data) != 0]
            if broken or (len(kept) < len(case.kept) and "KILL" not in moment and "kill" not in moment):
                self.troubles.append(f"{case.name}, {moment}: of {case.kept} only {sorted(set(kept) - set(broken))} are whole")
                return "wrong"
            return "interrupted"
        return "mixed" if len(found) > 1 else found.pop()

    def inspect_sweep(self, folder, case, moment):
        """old: nothing or a part, which is continued to its end; new: all cells."""
        place = os.path.join(folder, "s")
        names = [name for name in find_files(place) if name.endswith((".json", ".jsonl"))] if os.path.isdir(place) else []
        for name in names:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                text = file.read()
            try:
                lines = [json.loads(line) for line in (text.splitlines() if name.endswith(".jsonl") else [text])]
            except ValueError:
                lines = []
            if not lines and text:
                self.troubles.append(f"{case.name}, {moment}: {name} is not whole")
                return "wrong"
        is_new = "cells.jsonl" in names and os.path.getsize(os.path.join(place, "cells.jsonl")) > 0
        if not is_new and self.run(["sweep", "--output", "s", "--resume"] if "plan.json" in names else case.arguments, folder) != 0:
            self.troubles.append(f"{case.name}, {moment}: it cannot be continued")
            return "wrong"
        with open(os.path.join(place, "cells.jsonl"), encoding="utf-8") as file:
            done = [json.loads(line)["status"] for line in file]
        if done != ["done"] * case.n_cells and (not is_new or moment in ("KILL", "two writers") or "kill" in moment):
            self.troubles.append(f"{case.name}, {moment}: cells are {done}")
            return "wrong"
        if any(os.path.basename(name).startswith(".") for name in find_files(place)):
            self.troubles.append(f"{case.name}, {moment}: temporary files are left")
        return "new" if is_new else "old"

    def left_over(self, folder, case, is_swept, moment):
        """Files that do not belong there, after another save if is_swept."""
        if is_swept and not isinstance(case, SweepCase):
            self.run_case(case, folder)
        names = {name for name in find_files(folder) if not name.startswith(case.beside or "/")} - set(case.outputs)
        if not is_swept:
            names -= set(case.kept)
        if names and is_swept:
            self.troubles.append(f"{case.name}, {moment}: {sorted(names)} are left after the next save")
        return len(names)


def count_text(counts):
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("old", "new", "mixed", "interrupted", "wrong") if counts[kind]) or "-"


def test_signals(tester, case, folder, references, moments, rng):
    """The columns of the signals, and how many temporary files were there before the next save."""
    tester.prepare(folder, case)
    begin = time.monotonic()
    tester.run_case(case, folder)
    duration = time.monotonic() - begin
    cells, left = [], 0
    for name, number in SIGNALS:
        counts = collections.Counter()
        for _ in range(moments):
            tester.prepare(folder, case)
            process = tester.start(case, folder)
            # The load of the machine changes: the next moment is drawn from a time that follows how long the command takes now.
            try:
                process.wait(rng.random() * duration * 1.1)
                duration *= 0.85
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, number)
                duration *= 1.03
            process.wait()
            kind = tester.inspect(folder, case, references, name)
            counts[kind] += 1
            if kind == "mixed" and case.is_pair and name != "KILL":
                tester.troubles.append(f"{case.name}, {name}: the pair does not match")
            left += tester.left_over(folder, case, False, name)
        tester.left_over(folder, case, True, name)
        cells.append(count_text(counts))
    return cells, left


def test_calls(tester, case, folder, references, how):
    """Lets each call that changes a file fail, or kills the process before it."""
    counts, number, left = collections.Counter(), 0, 0
    mark = os.path.join(tester.data, "mark")
    while True:
        number += 1
        if os.path.exists(mark):
            os.remove(mark)
        tester.prepare(folder, case)
        status = tester.run_case(case, folder, {"LD_PRELOAD": tester.preload, "FAIL_AT": str(number), "FAIL_HOW": how,
                                                      "FAIL_UNDER": folder, "FAIL_MARK": mark})
        if not os.path.exists(mark):
            break
        kind = tester.inspect(folder, case, references, f"{how} at call {number}")
        counts[kind] += 1
        if how == "full" and status == 0 and kind != "new" and not case.is_cache:
            tester.troubles.append(f"{case.name}, full disk at call {number}: the exit status is 0")
        if how == "full" and kind == "mixed" and case.is_pair:
            tester.troubles.append(f"{case.name}, full disk at call {number}: the pair does not match")
        left = tester.left_over(folder, case, False, how)
        if how == "full" and left:
            tester.troubles.append(f"{case.name}, full disk at call {number}: temporary files are left")
    if how == "kill":
        tester.left_over(folder, case, True, how)
    return f"{number - 1} calls: {count_text(counts)}"


def test_two(tester, case, folder, references, moments, rng):
    """Two processes that write the same files at about the same time."""
    counts = collections.Counter()
    for _ in range(max(moments // 10, 3)):
        tester.prepare(folder, case)
        first = tester.start(case, folder)
        time.sleep(rng.random() * 0.02)
        second = tester.start(case, folder)
        status = [first.wait(), second.wait()]
        if any(status) and not (isinstance(case, SweepCase) and 0 in status):     # the second one finds a sweep
            tester.troubles.append(f"{case.name}, two writers: exit status {status}")
        kind = tester.inspect(folder, case, references, "two writers")
        counts[kind] += 1
        if kind != "new":
            tester.troubles.append(f"{case.name}, two writers: {kind}")
        if tester.left_over(folder, case, False, "two writers"):
            tester.troubles.append(f"{case.name}, two writers: temporary files are left")
    return count_text(counts)


def prepare_data(tester):
    tester.run(["new", "gallery:foreach-rnn", "--output", "m"], tester.data)
    tester.run(["sweep", "--models", "gallery:mlp", "--variants", "as-is", "--batch", "1,2", "--samples", "3", "--output", "s"],
               tester.data)
    tester.run(["profile", "m-symbol.json", "--repeat", "3", "--capture", "c.hscope", "--trace", "t.json"] + RUN, tester.data)


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--preload", help="fail-write.so (default: in the build folder of hscope)")
    parser.add_argument("hscope")
    arguments = parser.parse_args()
    hscope = os.path.abspath(arguments.hscope)
    preload = arguments.preload or os.path.join(os.path.dirname(hscope), "../tests/app/fail-write.so")
    rng = random.Random(arguments.seed)
    # A shell starts background processes with SIGINT ignored, and they would hand that on to the commands; a handler is not handed on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("| command | SIGKILL | SIGTERM | SIGINT | killed before each call | full disk at each call | two writers "
          "| temporary files |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="faults-") as data, tempfile.TemporaryDirectory(prefix="faults-out-") as folder:
        tester = Tester(hscope, os.path.abspath(preload), data)
        prepare_data(tester)
        for case in make_cases(data) + [make_gpu_case(hscope, folder)]:
            if not case or arguments.only not in case.name:
                continue
            n_troubles = len(tester.troubles)
            tester.prepare(folder, case)
            if tester.run_case(case, folder) != 0:
                tester.troubles.append(f"{case.name}: fails without a fault")
                print(tester.troubles[-1], file=sys.stderr, flush=True)
                continue
            references = {name: open(os.path.join(folder, name), "rb").read() for name in case.outputs}
            cells, left = test_signals(tester, case, folder, references, arguments.moments, rng)
            for how in ("kill", "full"):
                cells.append(test_calls(tester, case, folder, references, how))
            cells.append(test_two(tester, case, folder, references, arguments.moments, rng))
            print(f"| {case.name} | " + " | ".join(cells) + f" | {left} |", flush=True)
            print("".join(trouble + "\n" for trouble in tester.troubles[n_troubles:]), end="", file=sys.stderr, flush=True)
    return 1 if tester.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
