#!/usr/bin/env python3
"""Runs ONNX files in every mode, and compares the numbers with those of a run operator by operator.

usage: tools/onnx-modes.py [options] HSCOPE FOLDER [REGEX]

FOLDER has cases.jsonl and recipes.py as shared/onnx.  Ways: hybrid and static plans, each pass left out, two threads, AVX2 and
SSE2.  Prints for each way on how many files all outputs have the same bytes, on how many they differ, and the largest
difference against the largest element of its output; on stderr the files with a difference beyond --tolerance as they are
found.  Needs the Python package numpy.  The exit status is 1 if a run fails or a difference is beyond --tolerance.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

ONE = ["--threads", "1"]


def read_cases(folder, pattern):
    spec = importlib.util.spec_from_file_location("recipes", os.path.join(folder, "recipes.py"))
    recipes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipes)
    for line in open(os.path.join(folder, "cases.jsonl")):
        case = json.loads(line)
        run = case["run"]
        if (case["format"] != "onnx" or not run["ok"] or run.get("strings") or run.get("random") or "output_file" not in case
                or not re.search(pattern, case["id"])):
            continue
        inputs = None
        if "inputs_npz" in case:
            with np.load(os.path.join(folder, case["inputs_file"])) as arrays:
                inputs = {n: arrays[k] for n, k in case["inputs_npz"].items()}
        yield case["id"], os.path.join(folder, case["file"]), inputs or recipes.make_inputs(case["seed"], case["inputs"])


def list_ways(hscope):
    """Name, options and HYB_CPU of each way."""
    text = subprocess.run([hscope, "info", "--passes", "--json"], capture_output=True, text=True).stdout
    passes = [p["name"] for p in json.loads(text)["passes"] if p["optimising"]]
    return [("hybrid", ONE + ["--mode", "hybrid"], None), ("static", ONE + ["--mode", "static"], None),
            ("two threads", ["--threads", "2"], None), ("AVX2", ONE, "avx2"), ("SSE2", ONE, "sse2")] + \
           [("without " + p, ONE + ["--plan-without", p], None) for p in passes]


def run(hscope, path, scratch, options, cpu=None):
    """The outputs, or None if the run fails."""
    out = os.path.join(scratch, "out.npz")
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([hscope, "run", path, "--input", os.path.join(scratch, "in.npz"), "--output", out, "--quiet"] + options,
                          capture_output=True, env=dict(os.environ, HYB_CPU=cpu) if cpu else None)
    if done.returncode != 0:
        return None
    with np.load(out) as arrays:
        return {n: arrays[n] for n in arrays.files}


def difference(a, b):
    """0: the same bytes; else the largest difference against the largest element, inf if one alone is finite."""
    worst = 0.0
    for name, x in a.items():
        y = b[name]
        if x.tobytes() == y.tobytes():
            continue
        x, y = x.astype(np.float64), y.astype(np.float64)
        finite = np.isfinite(x)
        if x.shape != y.shape or (finite != np.isfinite(y)).any():
            return float("inf")
        if finite.any():
            worst = max(worst, np.abs(x - y)[finite].max() / max(np.abs(x[finite]).max(), 1e-30), 1e-300)
    return worst


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hscope")
    parser.add_argument("folder")
    parser.add_argument("only", nargs="?", default="")
    parser.add_argument("--longest", type=float, default=60, help="seconds of the first run of a file; longer ones are left out")
    parser.add_argument("--tolerance", type=float, default=2e-4)
    options = parser.parse_args()
    ways = list_ways(options.hscope)
    equal, other, worst, failed, left_out, n = {}, {}, {}, {}, [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, path, inputs in read_cases(options.folder, options.only):
            np.savez(os.path.join(scratch, "in.npz"), **inputs)
            begin = time.time()
            base = run(options.hscope, path, scratch, ONE + ["--mode", "imperative"])
            if base is None or time.time() - begin > options.longest:
                left_out.append(name + (": cannot run" if base is None else ": takes longer than --longest"))
                continue
            n += 1
            for way, arguments, cpu in ways:
                got = run(options.hscope, path, scratch, arguments, cpu)
                if got is None:
                    failed.setdefault(way, []).append(name)
                    continue
                d = difference(base, got)
                if d > options.tolerance:
                    print("%s: %s differs by %.1e" % (name, way, d), file=sys.stderr, flush=True)
                counts = other if d else equal
                counts[way] = counts.get(way, 0) + 1
                worst[way] = max(worst.get(way, (0.0, "")), (d, name))
    print("%d files, operator by operator on one thread against:\n" % n)
    print("| way | same bytes | other | largest difference | of |\n|---|--:|--:|--:|---|")
    for way, _, _ in ways:
        d, name = worst.get(way, (0.0, ""))
        print("| %s | %d | %d | %s | %s |" % (way, equal.get(way, 0), other.get(way, 0), "%.1e" % d if d else "", name if d else ""))
    for line in left_out:
        print("left out: " + line)
    for way, names in failed.items():
        print("%s fails: %s" % (way, ", ".join(names)))
    return 1 if failed or any(d > options.tolerance for d, _ in worst.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
