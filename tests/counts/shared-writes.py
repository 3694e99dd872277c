#!/usr/bin/env python3
"""Which cache lines several threads write in one loop of a benchmark case, from a trace of all stores.

    shared-writes.py HSCOPE-COUNTING [--threads 16] CASE...

Prints a table in Markdown: the loops that are split in one process with one run; the lines of 64 bytes that their pieces write;
how many of these two pieces write, and how many more than two.  Stacks are left out, for each thread has its own.
Memory that each thread has for itself (thread-local buffers) counts as written by all, because one thread
computes all pieces here.  Traces are large: choose small cases.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import os
import subprocess
import sys

LINE = 64
STACK = range(0x1FF0000000, 0x2000000000)  # of the main thread, in valgrind


class Loops:
    """Writers of lines, loop by loop."""

    def __init__(self, threads):
        self.threads = threads
        self.loops = self.lines = self.by_two = self.by_more = 0
        self.writers = {}
        self.piece = -1
        self.is_inside = False

    def begin(self):
        """A loop begins."""
        self.end()
        self.loops += 1
        self.piece = -1

    def end(self):
        """What the pieces of a loop wrote is added up."""
        for pieces in self.writers.values():
            n_writers = bin(pieces).count("1")
            self.by_two += n_writers == 2
            self.by_more += n_writers > 2
        self.lines += len(self.writers)
        self.writers = {}

    def turn(self):
        """A piece begins or ends."""
        self.is_inside = not self.is_inside
        self.piece += self.is_inside

    def store(self, address, size):
        """Something is written."""
        if not self.is_inside or address in STACK:
            return
        for line in range(address // LINE, (address + size - 1) // LINE + 1):
            self.writers[line] = self.writers.get(line, 0) | 1 << self.piece


def trace(program, case, threads):
    """Reads the stores of the process."""
    command = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=/dev/stderr", program, "bench"]
    command += ["--case", case, "--threads", str(threads), "--repeat", "1", "--runs", "1"]
    environment = dict(os.environ, OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1", LC_ALL="C")
    loops = Loops(threads)
    marks = {}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process, \
         subprocess.Popen(["grep", "-aE", "^( [SM]|marks)"], stdin=process.stderr, stdout=subprocess.PIPE, text=True) as stores:
        for text in stores.stdout:
            words = text.split()
            if words[0] == "marks":
                marks = {int(words[1], 16): loops.begin, int(words[2], 16): loops.turn}
                continue
            address, size = words[1].split(",")
            mark = marks.get(int(address, 16))
            if mark:
                mark()
            elif loops.is_inside:
                loops.store(int(address, 16), int(size))
    if process.returncode != 0 or not marks:
        sys.exit(f"{case}: the trace failed")
    loops.end()
    return loops


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--threads", type=int, default=16, help="at most 16")
    options = parser.parse_args()
    print("| case | threads | loops | lines written | by two | by more |")
    print("|---|--:|--:|--:|--:|--:|")
    for case in options.cases:
        loops = trace(options.program, case, options.threads)
        cells = [case, options.threads, loops.loops, loops.lines, loops.by_two, loops.by_more]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
