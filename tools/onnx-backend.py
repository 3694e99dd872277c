#!/usr/bin/env python3
"""Runs ONNX's own backend tests with hscope, and prints a table by operator.

usage: tools/onnx-backend.py HSCOPE [--only REGEX] [--jobs N] [--markdown FILE]

Makes the node tests and takes the models that the Python package onnx ships (simple, pytorch-converted, pytorch-operator, and
networks with weights that nodes make: light), each with its inputs and outputs.  Of every model: does it open and is it drawn, are the types of its outputs those that the file
declares, and are its numbers those of the test.  Prints what is not equal, with the reason, and the sums.  Needs the Python
packages numpy and onnx.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import glob
import json
import multiprocessing.pool
import os
import re
import subprocess
import sys
import tempfile
import warnings
import numpy as np
import onnx
import onnx.backend.test
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

TOLERANCES = {"float16": 2e-3, "bfloat16": 1e-2}
# Element types that are named and shown but not computed.
NAMED_ONLY = {"FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT8E4M3FNUZ", "FLOAT8E5M2FNUZ", "FLOAT8E8M0", "UINT4", "INT4", "UINT2", "INT2",
              "FLOAT4E2M1", "FLOAT6E2M3", "FLOAT6E3M2", "COMPLEX64", "COMPLEX128", "STRING"}

Case = collections.namedtuple("Case", "name kind model sets rtol atol")


def node_cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for test in collect_testcases(None):
            yield Case(test.name, "node", test.model, test.data_sets, test.rtol, test.atol)


def read_array(path, info):
    with open(path, "rb") as file:
        data = file.read()
    if not info.type.HasField("tensor_type"):
        return None
    tensor = TensorProto()
    tensor.ParseFromString(data)
    return numpy_helper.to_array(tensor)


def shipped_cases():
    root = os.path.join(os.path.dirname(onnx.backend.test.__file__), "data")
    for path in sorted(glob.glob(os.path.join(root, "*", "*", "model.onnx"))):
        folder = os.path.dirname(path)
        kind = os.path.basename(os.path.dirname(folder))
        if kind == "node":
            continue
        model, sets = onnx.load(path), []
        for data in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
            ins = [read_array(os.path.join(data, "input_%d.pb" % i), v) for i, v in enumerate(model.graph.input)
                   if os.path.exists(os.path.join(data, "input_%d.pb" % i))]
            outs = [read_array(os.path.join(data, "output_%d.pb" % i), v) for i, v in enumerate(model.graph.output)]
            sets.append((ins, outs))
        yield Case(os.path.basename(folder), kind, model, sets, 1e-3, 1e-7)


def light_cases():
    """Networks without stored weights; the package makes their inputs by this formula (onnx.backend.test.runner)."""
    root = os.path.join(os.path.dirname(onnx.backend.test.__file__), "data", "light")
    for path in sorted(glob.glob(os.path.join(root, "*.onnx"))):
        model = onnx.load(path)
        stored, ins = {i.name for i in model.graph.initializer}, []
        for value in model.graph.input:
            shape = [d.dim_value if d.HasField("dim_value") else 1 for d in value.type.tensor_type.shape.dim]
            n = int(np.prod(shape))
            ins.append(None if value.name in stored else (np.arange(n).reshape(shape) / n).astype(np.float32))
        outs = [read_array("%s_output_%d.pb" % (path[:-5], i), v) for i, v in enumerate(model.graph.output)]
        yield Case(os.path.basename(path)[:-5], "light", model, [(ins, outs)], 1e-3, 1e-7)


# --- What hscope says ---

def call(hscope, *arguments):
    environment = dict(os.environ, HYB_NUM_THREADS="1")
    return subprocess.run([hscope, *arguments], capture_output=True, timeout=120, env=environment)


def document(process):
    text = process.stdout.decode(errors="replace")
    return json.loads(text[text.index("{"):]) if "{" in text else {}


def sentence(process):
    error = document(process).get("error", {})
    return error.get("message") or process.stderr.decode(errors="replace").strip()[-200:]


def excluded(case):
    """Why a model is not computed here, or None."""
    for value in list(case.model.graph.input) + list(case.model.graph.output):
        if not value.type.HasField("tensor_type"):
            return "sequence, optional or map"
        name = TensorProto.DataType.Name(value.type.tensor_type.elem_type)
        if name in NAMED_ONLY:
            return name.lower()
    return None


def as_stored(array):
    """An array as hscope reads and writes it: bfloat16 as the uint16 with its bits."""
    array = np.asarray(numpy_helper.to_array(array) if isinstance(array, TensorProto) else array)
    return (array.view(np.uint16), True) if array.dtype.name == "bfloat16" else (array, False)


def widened(array, is_brain):
    return (array.astype(np.uint32) << 16).view(np.float32) if is_brain else array


def compare(case, name, got, expected):
    """None if the arrays agree, else what differs."""
    expected, is_brain = as_stored(expected)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return "%s: %s %s, not %s %s" % (name, got.dtype, got.shape, expected.dtype, expected.shape)
    least = TOLERANCES.get("bfloat16" if is_brain else expected.dtype.name, 1e-3)
    got, expected = widened(got, is_brain), widened(expected, is_brain)
    finite = np.abs(np.where(np.isfinite(expected), expected, 0)).max(initial=0) if expected.dtype.kind == "f" else 0
    absolute = max(case.atol, 1e-7, (least if is_brain else 1e-6) * float(finite))
    if np.allclose(got.astype(np.float64), expected.astype(np.float64), rtol=max(case.rtol, least), atol=absolute, equal_nan=True):
        return None
    return "%s differs by %.3g" % (name, np.nanmax(np.abs(got.astype(np.float64) - expected.astype(np.float64))))


def check_types(case, outputs):
    """equal, unknown or wrong."""
    verdict = "equal"
    for value, said in zip(case.model.graph.output, outputs):
        tensor = value.type.tensor_type
        if not value.type.HasField("tensor_type") or not tensor.HasField("shape"):
            continue
        if said["shape"] is None:
            verdict = "unknown" if verdict == "equal" else verdict
            continue
        dims = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
        if len(dims) != len(said["shape"]):
            return "wrong"
        for declared, known in zip(dims, said["shape"]):
            if declared is not None and isinstance(known, int) and declared != known:
                return "wrong"
    return verdict


def run_set(hscope, case, folder, arrays):
    ins, outs = arrays
    given, result = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(given, **{v.name: as_stored(a)[0] for v, a in zip(case.model.graph.input, ins) if a is not None})
    if os.path.exists(result):
        os.unlink(result)
    process = call(hscope, "run", os.path.join(folder, "model.onnx"), "--input", given, "--output", result, "--json")
    if process.returncode < 0 or process.returncode >= 128:
        return "wrong", "signal %d" % process.returncode
    if process.returncode != 0:
        return "refused", sentence(process)
    with np.load(result) as got:
        for value, expected in zip(case.model.graph.output, outs):
            if expected is None:
                continue
            problem = "no output " + value.name if value.name not in got.files else compare(case, value.name, got[value.name], expected)
            if problem:
                return "wrong", problem
    return "equal", ""


def try_case(hscope, case):
    """(opens, types, numbers, reason)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(case.model, path)
        info = call(hscope, "info", path, "--json")
        drawn = call(hscope, "render", path, "--output", os.path.join(folder, "x.svg"))
        opens = info.returncode == 0 and drawn.returncode == 0
        types = check_types(case, document(info).get("outputs", [])) if opens else "unknown"
        why = excluded(case)
        if why:
            return opens, types, "out", why
        for arrays in case.sets:
            numbers, reason = run_set(hscope, case, folder, arrays)
            if numbers != "equal":
                return opens, types, numbers, reason
    return opens, types, "equal", ""


# --- Tables ---

def operator_of(case):
    names = [n.op_type for n in case.model.graph.node]
    return names[0] if case.kind == "node" and names else case.kind


def opset_of(case):
    return max((o.version for o in case.model.opset_import if o.domain in ("", "ai.onnx")), default=0)


def print_table(results, file):
    rows = collections.defaultdict(collections.Counter)
    for case, (opens, types, numbers, _reason) in results:
        row = rows[operator_of(case)]
        row["all"] += 1
        row["drawn"] += opens
        row["types " + types] += 1
        row[numbers] += 1
    print("| operator | models | drawn | types equal | unknown | wrong | numbers equal | refused | wrong | out |", file=file)
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|", file=file)
    for name in sorted(rows):
        r = rows[name]
        print("| %s | %s |" % (name, " | ".join(str(r[k]) for k in ("all", "drawn", "types equal", "types unknown", "types wrong", "equal",
                                                                    "refused", "wrong", "out"))), file=file)


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    parser.add_argument("hscope")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--markdown")
    options = parser.parse_args()
    cases = [c for source in (node_cases(), shipped_cases(), light_cases()) for c in source if re.search(options.only, c.name)]
    with multiprocessing.pool.ThreadPool(options.jobs) as pool:
        results = list(zip(cases, pool.map(lambda c: try_case(options.hscope, c), cases, chunksize=4)))
    sums = collections.Counter()
    for case, (opens, types, numbers, reason) in results:
        sums.update(["models", "drawn"] if opens else ["models"])
        sums.update(["types " + types, "numbers " + numbers, "%s %s" % (case.kind, numbers)])
        if case.kind == "node" and opset_of(case) <= 23:
            sums.update(["node up to opset 23, " + numbers])
        if not opens or types == "wrong" or numbers in ("refused", "wrong"):
            print("%s %s: types %s, numbers %s: %s" % (case.kind, case.name, types, numbers, reason))
    if options.markdown:
        with open(options.markdown, "w") as file:
            print_table(results, file)
    print(", ".join("%s %d" % item for item in sorted(sums.items())))


if __name__ == "__main__":
    main()
