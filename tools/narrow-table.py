#!/usr/bin/env python3
"""narrow-table.py — exports with float16, bfloat16 and int8 weights: size, work of a run, error, and whether MXNet runs them.

usage: narrow-table.py --hscope build/app/hscope [--mxnet .peers/mxnet/bin/python] FOLDER…

FOLDER holds an export as in tests/data/goldens/models: NAME-symbol.json with its .params and input.npz. Each is written anew by
`hscope convert --weights`. A run has one row in a step; its instructions and the lines of 64 bytes that it reads beyond the
first-level cache are counted by `valgrind --tool=callgrind`, without planning, so that a busy machine changes nothing. The error is
what `convert` measures. MXNet, if its Python is given, runs each pair on input.npz; the table says how far its outputs are from those
of `hscope run`, or its message. Prints Markdown.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

TYPES = ["float16", "bfloat16", "int8"]
ONE_RUN = "hyb_executor_run"      # the function of the engine that runs a plan once

# Prints the largest difference between MXNet's outputs and those of a file.
IN_MXNET = """
import sys
import mxnet as mx
import numpy as np
symbol = mx.sym.load(sys.argv[1])
values = dict(np.load(sys.argv[3]))
arrays = {name: mx.nd.array(value, dtype=value.dtype) for name, value in values.items()}
for key, array in mx.nd.load(sys.argv[2]).items():
    arrays[key.split(":", 1)[-1]] = array
arguments = {name: arrays[name] for name in symbol.list_arguments()}
states = {name: arrays[name] for name in symbol.list_auxiliary_states()}
executor = symbol.bind(mx.cpu(), arguments, grad_req="null", aux_states=states)
ours = dict(np.load(sys.argv[4]))
outputs = zip(symbol.list_outputs(), executor.forward(is_train=False))
print(max(float(abs(output.asnumpy() - ours[name]).max()) for name, output in outputs))
"""


def run(command, **options):
    """Runs a command to its end and returns what it printed; ends the script if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"narrow-table.py: {' '.join(command[:3])}: status {done.returncode}\n{done.stderr[-500:]}")
    return done.stdout


def count(hscope, symbol, folder):
    """Instructions of one run and the lines that it reads beyond the first-level cache."""
    path = os.path.join(folder, "callgrind.out")
    run(["valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes", f"--toggle-collect={ONE_RUN}", f"--callgrind-out-file={path}",
         hscope, "run", symbol, "--init", "uniform", "--threads", "1"])
    with open(path, encoding="utf-8") as file:
        lines = dict(line.split(":", 1) for line in file if line.startswith(("events:", "totals:")))
    counted = dict(zip(lines["events"].split(), map(int, lines["totals"].split())))
    if counted["Ir"] == 0:
        sys.exit(f"narrow-table.py: {hscope} has no function {ONE_RUN}, whose calls are counted")
    return counted["Ir"], counted["D1mr"]


def ask_mxnet(options, symbol, inputs, folder):
    """What MXNet does with a pair of files, in a few words."""
    if not options.mxnet:
        return "–"
    outputs = os.path.join(folder, "outputs.npz")
    run([options.hscope, "run", symbol, "--input", inputs, "--output", outputs, "--threads", "1"])
    parameters = glob.glob(symbol.replace("-symbol.json", "-*.params"))[0]
    done = subprocess.run([options.mxnet, "-W", "ignore", "-c", IN_MXNET, symbol, parameters, inputs, outputs],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        said = next((line for line in lines if "Check failed" in line or "Error:" in line), lines[-1] if lines else "no message")
        return "no: " + said.split("Check failed: ")[-1].split("nullptr: ")[-1].strip()
    return f"runs, {float(done.stdout.splitlines()[-1]):.1g} from hscope"


def print_row(options, folder, work):
    """Prints the rows of one export."""
    name = os.path.basename(os.path.normpath(folder))
    symbol = os.path.join(folder, f"{name}-symbol.json")
    inputs = os.path.join(folder, "input.npz")
    size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(folder, "*.params")))
    before = None
    rows = []
    for kind in TYPES:
        prefix = os.path.join(work, f"{name}-{kind}")
        told = json.loads(run([options.hscope, "convert", symbol, "--weights", kind, "--output", prefix, "--json"]))
        narrow = f"{prefix}-symbol.json"
        instructions, lines = count(options.hscope, narrow, work)
        before = told["bytes_before"]
        rows.append([kind, os.path.getsize(f"{prefix}-0000.params"), told["bytes_after"], instructions, lines,
                     f"{told['proof']['max_abs']:.2g}", ask_mxnet(options, narrow, inputs, work)])
    rows.insert(0, ["float32", size, before, *count(options.hscope, symbol, work), "", "wrote it"])
    for kind, *cells in rows:
        numbers = [f"{cell:,}" if isinstance(cell, int) else cell for cell in cells]
        print(f"| {name} | {kind} | " + " | ".join(numbers) + " |", flush=True)


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--hscope", required=True)
    parser.add_argument("--mxnet")
    parser.add_argument("folder", nargs="+")
    options = parser.parse_args()
    print("| export | weights | bytes of the file | of its values | instructions | lines read | largest difference | MXNet |\n"
          "|---|---|--:|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as work:
        for folder in options.folder:
            print_row(options, folder, work)


if __name__ == "__main__":
    sys.exit(main())
