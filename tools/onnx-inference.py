#!/usr/bin/env python3
"""Compares the shapes and element types that hscope infers with those of onnx.shape_inference and of ONNX Runtime.

usage: tools/onnx-inference.py HSCOPE FOLDER

FOLDER has cases.jsonl and recipes.py as shared/onnx: files, and inputs for those that ONNX Runtime runs.  Needs the Python
packages numpy, onnx and onnxruntime.  Prints for each comparison how many values agree, where one side knows more, and
every contradiction; the exit status is 1 if there is one.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import collections
import importlib.util
import json
import os
import subprocess
import sys
import numpy as np
import onnx
import onnxruntime

NETWORKS = {"network", "recurrent", "control"}


def ours(hscope, path):
    """Value name → (dtype or None, list of numbers, names and None; or None)."""
    text = subprocess.run([hscope, "info", path, "--find", "op:*", "--json"], capture_output=True, timeout=120).stdout
    types = {}
    for node in json.loads(text)["found"]:
        if node["operator"] == "null":
            continue
        for output in node["outputs"]:
            types.setdefault(output["name"], (output["dtype"], output["shape"]))
    return types


def declared(info):
    tensor = info.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type).name if tensor.elem_type else None
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in tensor.shape.dim]


def theirs(path):
    model = onnx.load(path)
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    values = list(inferred.graph.value_info) + list(inferred.graph.output)
    return {v.name: declared(v) for v in values if v.type.HasField("tensor_type")}


def returned(path, inputs):
    """What ONNX Runtime computes for every value of the outermost graph."""
    model = onnx.load(path)
    known = {o.name for o in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in known:
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    names = [o.name for o in session.get_outputs()]
    arrays = zip(names, session.run(names, inputs))
    return {n: (a.dtype.name, list(a.shape)) for n, a in arrays if isinstance(a, np.ndarray) and a.dtype != object}


def is_known(dim):
    return isinstance(dim, int) and dim >= 0


def compare(mine, other):
    """equal, more (we know more), less, contradiction."""
    if mine[0] and other[0] and mine[0] != other[0]:
        return "contradiction"
    if mine[1] is None or other[1] is None:
        return "equal" if mine[1] == other[1] else "less" if mine[1] is None else "more"
    if len(mine[1]) != len(other[1]):
        return "contradiction"
    verdict = "equal"
    for a, b in zip(mine[1], other[1]):
        if is_known(a) and is_known(b):
            if a != b:
                return "contradiction"
        elif is_known(a) != is_known(b):
            verdict = "more" if is_known(a) and verdict != "less" else "less" if is_known(b) else verdict
    return verdict


def count(title, mine, other, counts):
    wrong = []
    for name, value in other.items():
        if name in mine:
            verdict = compare(mine[name], value)
            counts[title][verdict] += 1
            if verdict == "contradiction":
                wrong.append("%s: %s here, %s there" % (name, mine[name], value))
        else:
            counts[title]["not a value here"] += 1
    return wrong


def main():
    hscope, folder = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("recipes", os.path.join(folder, "recipes.py"))
    recipes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipes)
    counts = collections.defaultdict(collections.Counter)
    edges, faults = collections.Counter(), 0
    for line in open(os.path.join(folder, "cases.jsonl")):
        case = json.loads(line)
        path = os.path.join(folder, case["file"])
        mine = ours(hscope, path)
        if case["kind"] in NETWORKS:
            for name, (dtype, shape) in mine.items():
                edges["all"] += 1
                edges["with a shape"] += shape is not None
                if shape is None:
                    print("no shape: %s %s" % (case["id"], name))
        for title, read in (("onnx.shape_inference", lambda: theirs(path)),
                            ("ONNX Runtime", lambda: returned(path, recipes.make_inputs(case["seed"], case["inputs"])))):
            if title == "ONNX Runtime" and not case.get("run", {}).get("ok"):
                continue
            try:
                other = read()
            except Exception as error:  # every refusal of theirs is one kind of answer
                counts[title]["files refused there"] += 1
                continue
            counts[title]["files"] += 1
            for wrong in count(title, mine, other, counts):
                print("%s, %s: %s" % (case["id"], title, wrong))
                faults += 1
    print("edges of networks, recurrent and control files:", dict(edges))
    for title, counted in counts.items():
        print(title + ":", ", ".join("%d %s" % (n, what) for what, n in counted.most_common()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
