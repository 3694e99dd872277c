#!/usr/bin/env python3
"""peer-memory.py — peak resident memory of cases of `hscope bench`, beside MXNet's, PyTorch's and ONNX Runtime's.

usage: peer-memory.py --ours "build/app/hscope bench" --scripts FOLDER --peer NAME=PYTHON… [--json FILE] CASE…

FOLDER has bench.py, the peers' program for the same cases; PYTHON is that of an environment with the peer. Each program runs a
case in a process of its own, with one thread and one sample after the warm-up. The first row is a process that only loads the
program. Memory is no time: it can be measured on a machine that does other work. Prints a table in Markdown, in MiB; its last
column is the block that our plan lays out, without weights, inputs and outputs.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import json
import os
import shlex
import subprocess
import sys

MODULES = {"torch": "torch", "ort": "onnxruntime"}      # what loading a peer means; otherwise mxnet
NOTHING = "loaded, no case"


def peak_mebibytes(command):
    """The peak resident memory of a command and the plan's that it tells, None for what it cannot do or tell."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    output = child.stdout.read().decode(errors="replace")
    child.stdout.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0 or '"error"' in output:
        return None, None
    plan = json.loads(output).get("plan_memory") if "plan_memory" in output else None
    return usage.ru_maxrss / 1024, plan / 2**20 if plan else None


def commands(options, case):
    """Name and command of every program for a case."""
    arguments = ["--case", case, "--threads", "1", "--repeat", "1"]
    ours = shlex.split(options.ours)
    yield "hscope", ours + (["--list"] if case == NOTHING else arguments)
    for peer in options.peer:
        name, python = peer.split("=", 1)
        if case == NOTHING:
            yield name, [python, "-c", f"import numpy, {MODULES.get(name, 'mxnet')}"]
        else:
            yield name, [python, os.path.join(options.scripts, "bench.py"), "--peer", name] + arguments


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ours", required=True)
    parser.add_argument("--scripts", required=True)
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--json")
    parser.add_argument("case", nargs="+")
    options = parser.parse_args()
    rows = {}
    for case in [NOTHING] + options.case:
        measured = {name: peak_mebibytes(command) for name, command in commands(options, case)}
        rows[case] = {name: peak for name, (peak, _) in measured.items()}
        rows[case]["plan of hscope"] = measured["hscope"][1]
        cells = ["–" if value is None else f"{value:,.0f}" for value in rows[case].values()]
        if case == NOTHING:
            print("| case | " + " | ".join(rows[case]) + " |")
            print("|---|" + "--:|" * len(cells))
        print(f"| {case} | " + " | ".join(cells) + " |", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
