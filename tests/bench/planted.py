#!/usr/bin/env python3
"""planted.py — plants a known difference between two models and checks what hscope compare says about it.

usage: planted.py HSCOPE [--runs 20] [--seconds 8] [--busy 0]

The second model has one layer more in 50, 20 or 10, which changes no number: a product with the identity, or a function of single
elements applied once more. Prints one line a comparison. Exits with 1 if a verdict has the wrong sign, or if a cause is named
that was not planted.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import array
import itertools
import json
import pathlib
import random
import struct
import sys
import tempfile

from compare_runs import busy_cores, causes, compare

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

WIDTH = 128
CASES = [(kind, layers) for layers in (50, 20, 10) for kind in ("gemm batching", "pointwise fusion")]
SHAPES = {"gemm batching": f"data=64,{WIDTH}", "pointwise fusion": f"data=2000,{WIDTH}"}


def write_params(path, values):
    """values: by name, rows of numbers; MXNet's file format, V2."""
    with open(path, "wb") as file:
        file.write(struct.pack("<QQQ", 0x112, 0, len(values)))
        for rows in values.values():
            file.write(struct.pack("<IiIqqiii", 0xF993FAC9, 0, 2, len(rows), len(rows[0]), 1, 0, 0))
            file.write(array.array("f", itertools.chain.from_iterable(rows)).tobytes())
        file.write(struct.pack("<Q", len(values)))
        for name in values:
            file.write(struct.pack("<Q", len(name) + 4) + b"arg:" + name.encode())


def write_model(folder, name, kind, layers):
    """A chain of layers. The last one changes no number, so that a chain of one more computes the same."""
    nodes = [{"op": "null", "name": "data", "inputs": []}]
    values = {}
    last = 0
    for layer in range(layers):
        if kind == "gemm batching":
            weight = f"layer{layer}_weight"
            draw = random.Random(layer)
            values[weight] = [
                [draw.gauss(0, WIDTH**-0.5) if layer < 9 else float(row == column) for column in range(WIDTH)]
                for row in range(WIDTH)
            ]
            nodes.append({"op": "null", "name": weight, "inputs": []})
            nodes.append(
                {
                    "op": "FullyConnected",
                    "name": f"layer{layer}",
                    "attrs": {"num_hidden": str(WIDTH), "no_bias": "True"},
                    "inputs": [[last, 0, 0], [len(nodes) - 1, 0, 0]],
                }
            )
        else:
            operator = ("tanh", "arctan", "sigmoid")[layer % 3] if layer < 9 else ("abs", "relu")[layer % 2]
            nodes.append({"op": operator, "name": f"layer{layer}", "inputs": [[last, 0, 0]]})
        last = len(nodes) - 1
    arguments = [index for index, node in enumerate(nodes) if node["op"] == "null"]
    path = folder / f"{name}-symbol.json"
    path.write_text(
        json.dumps(
            {
                "nodes": nodes,
                "arg_nodes": arguments,
                "heads": [[last, 0, 0]],
                "attrs": {"mxnet_version": ["int", 10901]},
            }
        )
    )
    write_params(folder / f"{name}-0000.params", values)
    return str(path)


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hscope")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--busy", type=int, default=0, help="cores that a busy loop uses")
    options = parser.parse_args()
    wrong = found = 0
    with tempfile.TemporaryDirectory() as name, busy_cores(options.busy):
        for run, (kind, layers) in zip(range(options.runs), itertools.cycle(CASES)):
            plain = write_model(pathlib.Path(name), "plain", kind, layers)
            more = write_model(pathlib.Path(name), "more", kind, layers + 1)
            result = compare(
                options.hscope, plain, more, "--shape", SHAPES[kind], "--no-ladder", "--threads", "1", seconds=options.seconds
            )
            pair = result["pairs"][0]  # a: the second model
            named = causes(result["explanation"])
            is_wrong = pair["verdict"] == "faster" or bool(set(named) - {kind})
            wrong += is_wrong
            found += pair["verdict"] == "slower"
            print(
                f"{run + 1:3} {100 / layers:4.1f} % more in {kind}: {pair['verdict']}, ratio {pair['ratio']:.4f}; "
                f"causes: {', '.join(named) or 'none'}{'  WRONG' if is_wrong else ''}",
                flush=True,
            )
    print(f"{found} of {options.runs} found, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
