#!/usr/bin/env python3
"""gates.py — hscope profile --baseline --fail-if-slower of a model against itself, and of one that is slower by a tenth.

usage: gates.py HSCOPE [--runs 20] [--repeat 3000] [--baselines 10] [--only quiet|busy|copying|planted]…

Records a baseline ten times in a quiet moment, so that the deviation between sessions is measured (with one recording, 2 % are assumed, and
10 % more can never be certain), then gates of 3 %: with nothing beside it, with a busy loop on another core, with a process that copies
memory there, and of a model with one layer more in ten. Prints one line a gate. Exits with 1 if a model is slower than itself with
certainty, or if fewer than 18 in 20 of the slower models are found. Four times 20 gates of 3,000 runs take about a minute, on a machine
that does nothing else: what else runs is disturbance, too.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

from compare_runs import busy_cores
from planted import SHAPES, write_model

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

KIND = "gemm batching"
LAYERS = 10
COPY = "a, b = bytearray(1 << 27), bytearray(1 << 27)\nwhile True: a[:] = b"


@contextlib.contextmanager
def copying_neighbour():
    """Copies memory on the last core, 128 MiB at a time."""
    process = subprocess.Popen([sys.executable, "-c", COPY])
    os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
    try:
        yield
    finally:
        process.kill()
        process.wait()


def profile(hscope, repeat, model, *more):
    command = [hscope, "profile", model, "--shape", SHAPES[KIND], "--threads", "1", "--repeat", str(repeat), "--quiet", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()


def run_gates(options, name, model, baseline, beside):
    """How many ended with 1. baseline: recordings."""
    slower = 0
    given = [word for recording in baseline for word in ("--baseline", recording)]
    for run in range(options.runs):
        with beside():
            status, lines = profile(options.hscope, options.repeat, model, *given, "--fail-if-slower", "3%")
        slower += status
        said = "; ".join(line.strip() for line in lines if line.strip().startswith(("compared with the baseline", "passed", "failed", "undecided")))
        print(f"{name} {run + 1:3}: status {status}, {said or lines[-1:]}", flush=True)
    print(f"{name}: {slower} of {options.runs} slower with certainty", flush=True)
    return slower


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hscope")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3000, help="clean runs of a recording")
    parser.add_argument("--baselines", type=int, default=10)
    parser.add_argument("--only", action="append", choices=["quiet", "busy", "copying", "planted"])
    options = parser.parse_args()
    is_wrong = False
    with tempfile.TemporaryDirectory() as name:
        model = write_model(pathlib.Path(name), "model", KIND, LAYERS)
        more = write_model(pathlib.Path(name), "more", KIND, LAYERS + 1)
        baseline = [str(pathlib.Path(name) / f"base-{number}.hscope") for number in range(options.baselines)]
        for recording in baseline:
            profile(options.hscope, options.repeat, model, "--capture", recording)
        for kind, beside in (("quiet", contextlib.nullcontext), ("busy", lambda: busy_cores(1)), ("copying", copying_neighbour)):
            if not options.only or kind in options.only:
                is_wrong |= run_gates(options, kind, model, baseline, beside) > 0
        if not options.only or "planted" in options.only:
            is_wrong |= run_gates(options, "planted", more, baseline, contextlib.nullcontext) < 0.9 * options.runs
    return is_wrong


if __name__ == "__main__":
    sys.exit(main())
