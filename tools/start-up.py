#!/usr/bin/env python3
"""start-up.py — from the start of a process to its first result: `hscope run` beside MXNet in Python, on the same files.

usage: start-up.py --hscope build/app/hscope --mxnet .peers/mxnet/bin/python [--repeat N] FILE:SHAPE…

FILE is an exported symbol, SHAPE that of its input data, as in resnet18_v1-symbol.json:1,3,224,224. Parameters are zeros. The
programs take turns, one thread each. Prints medians of the time of a whole process, of the processor's time in it (user and
system), and its peak resident memory, as Markdown. The processor's time swings less on a machine that does other work.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

RESULT = """
import sys
import mxnet as mx
symbol = mx.sym.load(sys.argv[1])
shape = tuple(int(size) for size in sys.argv[2].split(","))
executor = symbol.simple_bind(mx.cpu(), grad_req="null", data=shape)
for output in executor.forward(is_train=False):
    print(output.asnumpy().sum())
"""


def run(command):
    """Seconds, seconds of the processor and MiB of one process; ends the script if it fails."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    errors = child.stderr.read().decode(errors="replace")
    child.stderr.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"start-up.py: {' '.join(command[:3])}: status {child.returncode}\n{errors[-500:]}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(options, model):
    """Prints a row for each program."""
    path, shape = model.rsplit(":", 1)
    commands = {"hscope": [options.hscope, "run", path, "--shape", f"data={shape}", "--init", "zeros", "--threads", "1"],
                "mxnet": [options.mxnet, "-W", "ignore", "-c", RESULT, path, shape],
                "mxnet, only imported": [options.mxnet, "-W", "ignore", "-c", "import mxnet"]}
    samples = {name: [] for name in commands}
    for command in commands.values():
        run(command)    # brings the files into memory
    for turn in range(options.repeat):
        for name in list(commands)[:: 1 if turn % 2 == 0 else -1]:
            samples[name].append(run(commands[name]))
    for name, rows in samples.items():
        seconds, processor, memory = (statistics.median(column) for column in zip(*rows))
        print(f"| {os.path.basename(path)} | {name} | {1e3 * seconds:,.0f} | {1e3 * processor:,.0f} | {memory:,.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--hscope", required=True)
    parser.add_argument("--mxnet", required=True)
    parser.add_argument("--repeat", type=int, default=6)
    parser.add_argument("model", nargs="+")
    options = parser.parse_args()
    print("| file | program | ms | of the processor | MiB |\n|---|---|--:|--:|--:|")
    for model in options.model:
        measure(options, model)


if __name__ == "__main__":
    sys.exit(main())
