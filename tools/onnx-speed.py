#!/usr/bin/env python3
"""Compares how long ONNX files take in hscope and in ONNX Runtime, with the same number of threads, in turns.

usage: tools/onnx-speed.py [options] HSCOPE FOLDER [REGEX]

FOLDER has cases.jsonl and recipes.py as shared/onnx: files, and inputs for those that ONNX Runtime runs.  Files that take
less than --least milliseconds in ONNX Runtime, here and where the cases were recorded, are left out.  Needs the Python packages numpy and onnxruntime.

Times of one thread are processor time of the computing process, so that other programs on the machine disturb them little;
with --threads 2 and more they are wall time and need an idle machine.  Short runs are timed several at a time.  What remains of a call from Python is part of ONNX Runtime's time (1.9 µs with the run of an
Identity of one number, where hscope takes 0.1 µs).  Each round
measures a block of runs in ONNX Runtime and one in hscope; its ratio is that of the medians.  The figure is the geometric
mean over rounds, its interval 95 % of 2,000 draws of rounds.  ONNX Runtime: all optimisations, inputs bound.
hscope: hscope profile --fold-parameters, plan and packed weights kept between runs as ONNX Runtime keeps them.
Peak memory and the time from the start of the process to the first result are measured once a round with processes of
their own (least); "imports" is what Python takes of it before it opens the file.  --times-only leaves them out.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import importlib.util
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

FIRST = """
import sys, time
begin = time.clock_gettime(time.CLOCK_MONOTONIC)
import numpy as np, onnxruntime
print(time.clock_gettime(time.CLOCK_MONOTONIC) - begin)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 4
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
with np.load(sys.argv[2]) as arrays:
    outputs = session.run(None, dict(arrays))
np.savez(sys.argv[3], **{"o%d" % i: x for i, x in enumerate(outputs)})
"""

# Seconds of a sample of ONNX Runtime at least, so that reading the clock (0.5 µs) is no part of it; hscope does the same.
SAMPLE = 20e-6


def list_cases(folder, pattern):
    for line in open(os.path.join(folder, "cases.jsonl")):
        case = json.loads(line)
        if (case["format"] == "onnx" and case["run"]["ok"] and not case["run"].get("strings") and "output_file" in case
                and re.search(pattern, case["id"])):
            yield case


def make_inputs(folder, case):
    import numpy as np
    spec = importlib.util.spec_from_file_location("recipes", os.path.join(folder, "recipes.py"))
    recipes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipes)
    if "inputs_npz" not in case:
        return recipes.make_inputs(case["seed"], case["inputs"])
    with np.load(os.path.join(folder, case["inputs_file"])) as arrays:
        return {n: arrays[k] for n, k in case["inputs_npz"].items()}


def clock(threads):
    """Wall time where several threads compute at once."""
    return time.process_time if threads == 1 else time.perf_counter


def serve(folder, name, arrays, threads):
    """The child that has ONNX Runtime: writes the inputs, then answers each number of runs with their seconds."""
    import numpy as np
    import onnxruntime
    case = next(list_cases(folder, "^%s$" % re.escape(name)))
    inputs = make_inputs(folder, case)
    np.savez(arrays, **inputs)
    now = clock(threads)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(os.path.join(folder, case["file"]), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for key, value in inputs.items():
        binding.bind_cpu_input(key, value)
    for output in session.get_outputs():
        binding.bind_output(output.name, "cpu")

    def bound():
        session.run_with_iobinding(binding)

    def plain():
        session.run(None, inputs)

    run = bound
    try:
        run()
    except Exception:  # shapes that are not those that the file declares cannot be bound
        run = plain
    for line in sys.stdin:
        n, inner = map(int, line.split())
        samples = []
        for _ in range(n):
            begin = now()
            for _ in range(inner):
                run()
            samples.append((now() - begin) / inner)
        print(json.dumps(samples), flush=True)


class Theirs:
    def __init__(self, folder, case, arrays, threads):
        command = [sys.executable, __file__, "--threads", str(threads), "--serve", case["id"], arrays, "", folder]
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def block(self, n, inner=1):
        self.process.stdin.write("%d %d\n" % (n, inner))
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("ONNX Runtime does not run it")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def ours(options, path, arrays, n):
    command = [options.hscope, "profile", path, "--input", arrays, "--threads", str(options.threads), "--fold-parameters", "--repeat", str(n),
               "--warmup", "3", "--traced", "1", "--json", "--quiet", "--time-limit", "120"] + options.extra
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().split("\n")[-1][:200])
    return [s["cpu_seconds" if options.threads == 1 else "seconds"] for s in json.loads(done.stdout)["clean"]["list"]]


def spawn(command):
    """Seconds, MiB and what was printed of a process.  This process has no large module: a child's peak begins with it."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    text = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - begin, usage.ru_maxrss / 1024, text


def interval(ratios):
    draw = random.Random(1)
    logs = [math.log(r) for r in ratios]
    means = sorted(sum(draw.choices(logs, k=len(logs))) / len(logs) for _ in range(2000))
    return math.exp(means[50]), math.exp(means[-51])


def median(values):
    return sorted(values)[len(values) // 2]


def measure(case, options, scratch):
    arrays, out = os.path.join(scratch, "in.npz"), os.path.join(scratch, "out.npz")
    path = os.path.join(options.folder, case["file"])
    theirs = Theirs(options.folder, case, arrays, options.threads)
    theirs.block(2)
    once = min(theirs.block(3))
    recorded = case["run"].get("ort_seconds", {}).get("median", 0)
    if max(once, recorded) * 1e3 < options.least:
        theirs.end()
        return None
    n = max(3, min(200, int(options.seconds / once)))
    inner = math.ceil(SAMPLE / once) if once < SAMPLE else 1
    ratios, a, b, firsts = [], [], [], []
    for _ in range(options.rounds):
        x, y = theirs.block(n, inner), ours(options, path, arrays, n)
        ratios.append(median(y) / median(x))
        a += x
        b += y
        if options.times_only:
            continue
        them = spawn([sys.executable, "-c", FIRST, path, arrays, out])
        us = spawn([options.hscope, "run", path, "--input", arrays, "--output", out, "--threads", "1", "--quiet"])
        firsts.append((us[0], us[1], them[0], them[1], float(them[2] or "nan")))
    theirs.end()
    ratio = math.exp(sum(map(math.log, ratios)) / len(ratios))
    least = [min(column) for column in zip(*firsts)] or [math.nan] * 5
    return {"id": case["id"], "kind": case["kind"], "theirs_ms": median(a) * 1e3, "ours_ms": median(b) * 1e3, "ratio": ratio,
            "interval": interval(ratios), "least_ratio": min(b) / min(a), "first_s": [least[0], least[2]], "imports_s": least[4],
            "peak_mib": [least[1], least[3]]}


def mean(rows):
    return math.exp(sum(math.log(r["ratio"]) for r in rows) / len(rows))


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hscope")
    parser.add_argument("folder")
    parser.add_argument("only", nargs="?", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="of a block in ONNX Runtime")
    parser.add_argument("--least", type=float, default=1, help="milliseconds that a file takes there at least")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--times-only", action="store_true", help="leave out first results and peak memory")
    parser.add_argument("--extra", default="", help="further options of hscope profile")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--serve", nargs=2, metavar=("CASE", "ARRAYS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.folder, *options.serve, options.threads)
        return
    options.extra = options.extra.split()
    rows = []
    print("| file | ONNX Runtime, ms | hscope, ms | ratio | interval | first result, s (imports) | peak, MiB |")
    print("|---|--:|--:|--:|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for case in list_cases(options.folder, options.only):
            try:
                row = measure(case, options, scratch)
            except Exception as problem:
                print("| %s | %s |" % (case["id"], str(problem).split("\n")[0][:150]))
                continue
            if row:
                rows.append(row)
                print("| %s | %.4g | %.4g | %.2f | %.2f–%.2f | %.2f, %.2f (%.2f) | %.0f, %.0f |" % (
                    row["id"], row["theirs_ms"], row["ours_ms"], row["ratio"], *row["interval"], *row["first_s"],
                    row["imports_s"], *row["peak_mib"]), flush=True)
    if rows:
        print("\ngeometric mean of %d files: %.2f" % (len(rows), mean(rows)))
        recurrent = [r for r in rows if r["kind"] == "recurrent"]
        if recurrent:
            print("of %d recurrent ones: %.2f" % (len(recurrent), mean(recurrent)))
    if options.json:
        with open(options.json, "w") as stream:
            json.dump(rows, stream, indent=1)


if __name__ == "__main__":
    main()
