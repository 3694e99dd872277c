"""zoo.py — builds the models of GluonCV and GluonNLP, exports them, and compares MXNet's outputs with those of hscope.

Nothing is downloaded: parameters are random numbers. README.md in this folder says how to run it. Start at main().

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import fnmatch
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
import zlib

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MXNET_HOME", tempfile.gettempdir())
warnings.filterwarnings("ignore")

import mxnet as mx      # noqa: E402  the switches above are read while importing
import numpy as np      # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import zoo_layers       # noqa: E402
import zoo_models       # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
import temporary_folder  # noqa: E402

# Outputs are the same if the largest difference is below this part of the largest number of that output. Deep networks
# sum thousands of float32 numbers in another order; measured against float64, MXNet is that far away too.
SAME = 1e-3

# What batch normalisation has learnt about its inputs.
STATISTICS = ("running_mean", "running_var", "moving_mean", "moving_var")

# Operators that choose by comparing. After them a last digit decides which of two nearly equal boxes comes first.
SELECTING = ("_contrib_box_nms", "_contrib_MultiBoxDetection", "topk", "argsort", "_contrib_Proposal", "_contrib_MultiProposal")


def randomise(path, constants, name):
    """Gives the arrays of a parameter file random numbers that keep activations in range; constants, such as anchors, stay."""
    random = np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)
    arrays = mx.nd.load(str(path))
    for key, array in sorted(arrays.items()):
        shape, kind = array.shape, key.split(":", 1)[0]
        if key.split(":", 1)[1] in constants:
            continue
        if key.endswith("_var"):
            value = random.uniform(0.8, 1.2, shape)
        elif key.endswith("gamma"):
            value = random.uniform(0.6, 1.0, shape)
        elif key.endswith(("_mean", "beta", "bias")):
            value = random.normal(0, 0.1, shape)
        elif len(shape) > 1 and kind == "arg":
            value = random.normal(0, (1.6 / np.prod(shape[1:])) ** 0.5, shape)
        else:
            continue
        arrays[key] = mx.nd.array(value, dtype=array.dtype)
    mx.nd.save(str(path), arrays)


def graph_inputs(symbol, parameters):
    return [name for name in symbol.list_inputs() if name not in parameters]


def run_mxnet(symbol, parameters, inputs, kind="float32"):
    """The outputs of a graph in MXNet, with all floats of this kind."""
    def pick(names):
        arrays = {name: parameters[name] if name in parameters else mx.nd.array(inputs[name], dtype=inputs[name].dtype)
                  for name in names}
        return {name: array.astype(kind) if array.dtype == np.float32 else array for name, array in arrays.items()}
    executor = symbol.bind(mx.cpu(), pick(symbol.list_arguments()), aux_states=pick(symbol.list_auxiliary_states()), grad_req="null")
    return [output.asnumpy() for output in executor.forward()]


def run_hscope(hscope, folder, symbol_file, inputs):
    """The outputs of the same files in hscope, or the message with which it refuses them."""
    np.savez(folder / "in.npz", **inputs)
    result = subprocess.run([hscope, "run", symbol_file, folder / "model-0000.params", "--input", folder / "in.npz", "--output",
                             folder / "out.npz", "--threads", "1"], capture_output=True, text=True)
    if result.returncode:
        lines = [line for line in result.stderr.strip().splitlines() if not line.startswith("warning")]
        return None, (lines or ["no message"])[0].replace(str(folder) + "/", "")
    with np.load(folder / "out.npz") as archive:
        return [archive[key] for key in archive.files], ""


def difference(got, want):
    """The largest difference of one output, in parts of its largest number; None if the types differ."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return None
    if want.size == 0:
        return 0.0
    got, want = got.astype("float64"), want.astype("float64")
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    if same.all():
        return 0.0
    finite = np.isfinite(want)
    largest = np.abs(want[finite]).max() if finite.any() else 0.0
    error = np.abs(got - want)[~same]
    return float("inf") if not np.isfinite(error).all() else float(error.max() / max(largest, 1e-30))


def largest_difference(got, want):
    if len(got) != len(want):
        return None
    errors = [difference(ours, theirs) for ours, theirs in zip(got, want)]
    return None if None in errors else max(errors, default=0.0)


def rounding(symbol, parameters, inputs, got, want):
    """How far both are from MXNet's float64: (hscope, MXNet); None if MXNet does not compute the graph in float64."""
    try:
        exact = [output.astype("float32") for output in run_mxnet(symbol, parameters, inputs, "float64")]
    except mx.MXNetError:
        return None
    ours, theirs = largest_difference(got, exact), largest_difference(want, exact)
    return None if ours is None or theirs is None else (ours, theirs)


def rounding_in_halves(hscope, folder, symbol, parameters, inputs):
    """The same at the last layers with weights, if what follows them is the same for equal inputs; else None."""
    def pick(part):
        return {name: inputs[name] for name in part.list_inputs() if name in inputs}

    front, back = zoo_layers.divide(symbol)
    for name, part in (("front", front), ("back", back)):
        part.save(str(folder / f"{name}-symbol.json"))
    ours, _ = run_hscope(hscope, folder, folder / "front-symbol.json", pick(front))
    theirs = run_mxnet(front, parameters, pick(front))
    cut = {**pick(back), **{f"cut{index}": output for index, output in enumerate(theirs)}}
    rest, _ = run_hscope(hscope, folder, folder / "back-symbol.json", cut)
    if ours is None or rest is None:
        return None
    error = largest_difference(rest, run_mxnet(back, parameters, cut))
    if error is None or error > SAME:
        return None
    return rounding(zoo_layers.for_float64(front), parameters, pick(front), ours, theirs)


def before_selection(symbol):
    """The graph up to the values that the selecting operators compare; None if there are none."""
    nodes = json.loads(symbol.tojson())["nodes"]
    chosen = {(source[0], source[1]) for node in nodes if node["op"] in SELECTING for source in node["inputs"]}
    internals = symbol.get_internals()
    names = [name for name in internals.list_outputs()]
    entries = []
    for node, output in sorted(chosen):
        name = nodes[node]["name"]
        if nodes[node]["op"] == "null":
            continue
        for candidate in (f"{name}_output", f"{name}_output{output}"):
            if candidate in names:
                entries.append(internals[candidate])
                break
    # what a selection was fed by another selection says nothing new
    entries = [entry for entry in entries
               if not any(node["op"] in SELECTING for node in json.loads(entry.tojson())["nodes"])]
    return mx.sym.Group(entries) if entries else None


def matched_rows(got, want):
    """For detections (identifiers, scores, boxes): how many rows of MXNet hscope has too, in whatever order."""
    if len(want) < 3 or any(array.ndim != 3 for array in [*got[:3], *want[:3]]) or want[0].shape[1] != want[2].shape[1]:
        return None
    ours, theirs = (np.concatenate([array.astype("float64") for array in arrays[:3]], -1)[0] for arrays in (got, want))
    scale = np.maximum(np.abs(theirs).max(0), 1e-12) * 2e-3
    found = 0
    for kind in np.unique(theirs[theirs[:, 0] >= 0, 0]):
        rows, free = theirs[theirs[:, 0] == kind], ours[ours[:, 0] == kind]
        near = np.ones((len(rows), len(free)), bool)
        for column in range(1, rows.shape[1]):
            near &= np.abs(rows[:, column, None] - free[None, :, column]) <= scale[column]
        found += min(near.any(1).sum(), near.any(0).sum())
    return int(found), int((theirs[:, 0] >= 0).sum())


def export(model, folder):
    """Writes the model's files and its inputs."""
    block, inputs, sizes = zoo_models.build(model)
    block.export(str(folder / "model"), epoch=0)
    constants = {key for key, parameter in block.collect_params().items()
                 if isinstance(parameter, mx.gluon.Constant) or parameter.grad_req == "null"}
    randomise(folder / "model-0000.params", {key for key in constants if not key.endswith(STATISTICS)}, model)
    return zoo_models.flatten(inputs), sizes


def load(folder, inputs):
    symbol = mx.sym.load(str(folder / "model-symbol.json"))
    parameters = {key.split(":", 1)[1]: value for key, value in mx.nd.load(str(folder / "model-0000.params")).items()}
    names = graph_inputs(symbol, parameters)
    order = sorted(names, key=lambda name: (len(name), name)) if all(name.startswith("data") for name in names) else names
    if len(order) == len(inputs):
        return symbol, parameters, dict(zip(order, inputs))
    # an input that the graph does not read is not among its variables
    return symbol, parameters, {name: inputs[int(name[4:] or 0)] for name in order}


def compare(model, hscope, folder):
    """One row of the table."""
    inputs, sizes = export(model, folder)
    symbol, parameters, named = load(folder, inputs)
    row = {"model": model, "input": sizes, "nodes": len(json.loads(symbol.tojson())["nodes"])}
    want = run_mxnet(symbol, parameters, named)
    got, message = run_hscope(hscope, folder, folder / "model-symbol.json", named)
    if got is None:
        return {**row, "state": "refused", "note": message}
    error = largest_difference(got, want)
    if error is None or error > SAME:
        # MXNet fuses graphs for oneDNN, and some of the fused graphs compute something else
        os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
        want = run_mxnet(symbol, parameters, named)
        fused, error = error, largest_difference(got, want)
        if error is not None and error <= SAME and fused is not None:
            row["note"] = f"MXNet with its fusion for oneDNN: {fused:.1e} away; without it the same"
    row["error"] = error
    if error is not None and error <= SAME:
        return {**row, "state": "same"}
    part = before_selection(symbol)
    if error is not None and part is None:
        distances = rounding(symbol, parameters, named, got, want)
        if distances and distances[0] <= 2 * distances[1]:
            return {**row, "state": "rounding", "note": "hscope is {:.1e} away from float64, MXNet {:.1e}".format(*distances)}
    if error is None or part is None:
        return {**row, "state": "different", "note": "; ".join(f"{a.shape} {b.shape}" for a, b in zip(got, want) if a.shape != b.shape)}
    part.save(str(folder / "part-symbol.json"))
    read = {name: named[name] for name in part.list_inputs() if name in named}
    ours, message = run_hscope(hscope, folder, folder / "part-symbol.json", read)
    if ours is None:
        return {**row, "state": "different", "note": message}
    theirs = run_mxnet(part, parameters, read)
    earlier = largest_difference(ours, theirs)
    if earlier is None:
        return {**row, "state": "different", "note": "other shapes before the selection"}
    rows = matched_rows(got, want)
    note = f"before the selection {earlier:.1e}" + (f", {rows[0]} of {rows[1]} detections in common" if rows else "")
    distances = rounding(part, parameters, read, ours, theirs) if earlier > SAME else None
    if distances:
        note += "; there hscope is {:.1e} away from float64, MXNet {:.1e}".format(*distances)
    elif earlier > SAME:
        distances = rounding_in_halves(hscope, folder, part, parameters, read)
        if distances:
            note += "; at the last layers hscope is {:.1e} away from float64, MXNet {:.1e}, and what follows them is the same".format(*distances)
    is_tie = earlier <= SAME or distances and distances[0] <= 2 * distances[1]
    return {**row, "state": "ties" if is_tie else "different", "note": note}


def in_child(model, hscope, limit):
    """compare() in a process of its own, so that no model leaves memory behind or stops the others."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="zoo-"))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(limit)
        try:
            row = compare(model, hscope, folder)
        except Exception as error:      # noqa: BLE001  whatever a package raises is the model's row
            lines = str(error).strip().splitlines() or [type(error).__name__]
            row = {"model": model, "state": "not built", "note": lines[-1][:160]}
            if os.environ.get("ZOO_TRACE"):
                traceback.print_exc()
        os.write(writer, json.dumps(row).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    return json.loads(text) if text else {"model": model, "state": "not run", "note": f"stopped, limit {limit} s"}


def write_table(rows, path):
    """Writes the rows as Markdown."""
    states = ["same", "ties", "rounding", "different", "refused", "not built", "not run"]
    counts = {state: sum(row["state"] == state for row in rows) for state in states}
    lines = [(pathlib.Path(__file__).parent / "zoo-head.md").read_text().strip(), "",
             "| state | models |", "|---|---|", *[f"| {state} | {counts[state]} |" for state in states], "",
             "| model | input | nodes | state | difference | note |", "|---|---|---|---|---|---|"]
    for row in rows:
        error = row.get("error")
        lines.append("| {} | {} | {} | {} | {} | {} |".format(
            row["model"], row.get("input", ""), row.get("nodes", ""), row["state"], "" if error is None else f"{error:.1e}",
            row.get("note", "").replace("|", "\\|")))
    path.write_text("\n".join(lines) + "\n")


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", default=["*"], help="which models, such as 'ssd_*'")
    parser.add_argument("--hscope", default="build/app/hscope")
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path("zoo.jsonl"), help="results; models in it are not run again")
    parser.add_argument("--table", type=pathlib.Path, help="write the results as Markdown")
    parser.add_argument("--limit", type=int, default=300, help="seconds for each model")
    parser.add_argument("--list", action="store_true", help="print the names of the models")
    options = parser.parse_args()
    models = [model for model in zoo_models.names() if any(fnmatch.fnmatch(model, pattern) for pattern in options.patterns)]
    if options.list:
        print("\n".join(models))
        return
    done = {}
    if options.rows.exists():
        done = {row["model"]: row for row in map(json.loads, options.rows.read_text().splitlines())}
    for model in models:
        if model not in done and not options.table:
            done[model] = in_child(model, str(pathlib.Path(options.hscope).resolve()), options.limit)
            with options.rows.open("a") as out:
                out.write(json.dumps(done[model]) + "\n")
            print(json.dumps(done[model]), flush=True)
    if options.table:
        write_table([done.get(model, {"model": model, "state": "not run"}) for model in models], options.table)


if __name__ == "__main__":
    main()
