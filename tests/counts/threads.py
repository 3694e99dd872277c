#!/usr/bin/env python3
"""How the loops of a benchmark case are split among threads, counted and not timed.

    threads.py HSCOPE-COUNTING [--threads 2,4,8,16] CASE...

Prints a table in Markdown: loops that are split (each is one start and one wait of all threads) and pieces a loop;
the instructions of the thread that has the most over the mean of all threads; the share of the
instructions outside of such loops; and what follows, the speed-up that the counts allow.
Callgrind counts (kernels of AVX2, for valgrind has no AVX-512); a run is the difference between three runs
and one.  What the counts do not see: memory that all threads share, and the time to start and wait.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import temporary_folder  # noqa: E402

RUNS = 2  # beyond the first


class Count:
    """Instructions of a process, in all and below each piece; loops and pieces."""

    def __init__(self, total, pieces, loops, n_pieces):
        self.total = total
        self.pieces = pieces
        self.loops = loops
        self.n_pieces = n_pieces

    def minus(self, other):
        """What a run takes, if other is the same process with RUNS runs less."""
        return Count(
            (self.total - other.total) / RUNS,
            [(a - b) / RUNS for a, b in zip(self.pieces, other.pieces)],
            (self.loops - other.loops) / RUNS,
            (self.n_pieces - other.n_pieces) / RUNS,
        )


def instructions(text):
    """The instructions of the program and of each piece in a listing of callgrind_annotate."""
    pieces = {}
    total = 0
    for line in text.splitlines():
        count = re.match(r"\s*([\d,]+) \(", line)
        if not count:
            continue
        value = int(count.group(1).replace(",", ""))
        name = re.search(r":piece_(\d+) ", line)
        if name:
            pieces[int(name.group(1))] = value
        elif "PROGRAM TOTALS" in line:
            total = value
    return total, pieces


def count(program, case, threads, runs):
    """Runs the case under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, program, "bench", "--case", case]
        command += ["--threads", str(threads), "--repeat", "1", "--runs", str(runs)]
        environment = dict(os.environ, OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1", LC_ALL="C")
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        loops = re.search(r"^loops (\d+) pieces (\d+)$", ended.stderr, re.M)
        if ended.returncode != 0 or not loops:
            sys.exit(f"{case}: {ended.stderr}")
        listing = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", out],
            capture_output=True, text=True, check=True).stdout
    total, pieces = instructions(listing)
    return Count(total, [pieces.get(k, 0) for k in range(threads)], int(loops.group(1)), int(loops.group(2)))


def row(program, case, threads):
    """A row of the table, and the speed-up that the counts allow."""
    run = count(program, case, threads, 1 + RUNS).minus(count(program, case, threads, 1))
    inside = sum(run.pieces)
    outside = run.total - inside
    most = max(run.pieces)
    speedup = run.total / (outside + most)
    uneven = most * threads / inside if inside else 1
    a_loop = run.n_pieces / run.loops if run.loops else 0
    cells = [case, str(threads), f"{run.total / 1e6:.2f}", f"{run.loops:.0f}", f"{a_loop:.1f}"]
    cells += [f"{uneven:.2f}", f"{100 * outside / run.total:.1f} %", f"{speedup:.1f}"]
    return "| " + " | ".join(cells) + " |", speedup


def main():
    """Prints the table; with --least, ends with 1 if a case allows a smaller speed-up."""
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--threads", default="2,4,8,16", help="numbers of threads, at most 16")
    options = parser.parse_args()
    print("| case | threads | million instructions a run | loops | pieces a loop | most / mean of a thread | outside | speed-up allowed |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for case in options.cases:
        for threads in (int(number) for number in options.threads.split(",")):
            print(row(options.program, case, threads)[0], flush=True)


if __name__ == "__main__":
    main()
