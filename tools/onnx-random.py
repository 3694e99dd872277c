#!/usr/bin/env python3
"""Makes random ONNX models, runs them with hscope and with ONNX Runtime, and prints what differs.

usage: tools/onnx-random.py HSCOPE [--first N] [--count N] [--keep FOLDER]

A model is made of the node tests that the package onnx has (their attributes, shapes and numbers), chained by reshapes, slices and
casts, and put into bodies of If, Loop and Scan.  Every node is computed by ONNX Runtime as the model grows; one that it refuses is
left out.  How much results may differ follows from the model: all nodes are computed again with their inputs changed by as much
as rounding may change them.  The last lines say which operators of engine/onnx/schema-list.h took part.  Models that differ are
kept in FOLDER with their inputs (in.npz) and what ONNX Runtime computed (expected.npz).  Needs numpy, onnx and onnxruntime.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
import temporary_folder  # noqa: E402

MAX_ELEMENTS = 4096
N_NOISY = 4
ROUNDING = {"float32": 1e-6, "float64": 2e-15, "float16": 2e-3}
OPSETS = range(13, 24)
# Random numbers, and values that are no tensors of numbers.
LEFT_OUT = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial", "Dropout"}
# Operators whose results are steps: rounding in a body could decide about later steps.
STEPS = {"Ceil", "Floor", "Round", "Sign", "ArgMax", "ArgMin", "TopK", "Cast", "CastLike", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual",
         "Hardmax", "QuantizeLinear", "DynamicQuantizeLinear", "NonZero", "Unique", "Mod", "IsInf", "IsNaN", "Not", "NonMaxSuppression"}

onnxruntime.set_default_logger_severity(4)
Piece = collections.namedtuple("Piece", "node opset inputs arrays")
Step = collections.namedtuple("Step", "session feeds results")


# --- Pieces ---

def is_usable(value):
    return value.type.HasField("tensor_type") and np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)).kind in "fiub" \
        and value.type.tensor_type.elem_type not in (TensorProto.BFLOAT16,) and value.type.tensor_type.elem_type <= TensorProto.UINT64


def read_pieces():
    """Nodes by operator."""
    pieces = collections.defaultdict(list)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = list(collect_testcases(None))
    for case in cases:
        graph = case.model.graph
        if len(graph.node) != 1 or graph.initializer or not case.data_sets or graph.node[0].op_type in LEFT_OUT or graph.node[0].domain:
            continue
        if not all(is_usable(v) for v in list(graph.input) + list(graph.output)) or any(a.type in (5, 10) for a in graph.node[0].attribute):
            continue
        arrays = [np.asarray(a) for a in case.data_sets[0][0]]
        opset = next(o.version for o in case.model.opset_import if not o.domain)
        if len(arrays) == len(graph.input) and all(a.size <= MAX_ELEMENTS and a.dtype.kind in "fiub" for a in arrays):
            pieces[graph.node[0].op_type].append(Piece(graph.node[0], opset, [v.name for v in graph.input], arrays))
    return pieces


def is_known(piece, opset):
    """Whether an operator set has the operator; whether its version takes the node is asked of ONNX Runtime."""
    try:
        return not onnx.defs.get_schema(piece.node.op_type, opset, "").deprecated
    except onnx.defs.SchemaError:
        return False


# --- Growing ---

class Scope:
    """A graph or a body that grows: nodes, and an example of each value."""

    def __init__(self, model, outer=None):
        self.model, self.outer, self.nodes, self.values = model, outer, [], {}

    def known(self):
        return {**(self.outer.known() if self.outer else {}), **self.values}

    def depth(self):
        return 1 + self.outer.depth() if self.outer else 0

    def variable(self, array):
        """A new input or initialiser of the model."""
        name = self.model.name("x")
        top = self
        while top.outer:
            top = top.outer
        top.values[name] = array
        small = array.dtype.kind != "f" or array.ndim == 0
        (self.model.constants if self.model.random.random() < (0.8 if small else 0.3) else self.model.inputs)[name] = array
        return name

    def add(self, op, inputs, outputs=1, attributes=(), **named):
        """Adds a node if ONNX Runtime computes it, and returns its outputs; None if it is refused."""
        names = [self.model.name("n") for _ in range(outputs)] if isinstance(outputs, int) else [o and self.model.name("n") for o in outputs]
        node = helper.make_node(op, inputs, names, name=self.model.name("op"), **named)
        node.attribute.extend(attributes)
        step = self.model.compute(node, self.known())
        if step is None:
            return None
        self.nodes.append(node)
        if not self.outer:
            self.model.steps.append(step)
        self.values.update(step.results)
        return names

    def constant(self, values):
        array = np.array(values, dtype=np.int64)
        name = self.model.name("c")
        self.model.constants[name] = array
        top = self
        while top.outer:
            top = top.outer
        top.values[name] = array
        return name

    def choose(self, suits):
        """A value that suits, late ones more often; None if there is none."""
        found = [name for name, array in self.known().items() if suits(array)]
        return found[max(self.model.random.randrange(len(found)), self.model.random.randrange(len(found)))] if found else None

    def fit(self, name, array):
        """A value of the shape and type of an array, in its range if that is narrow; None if there is none."""
        value = self.known()[name]
        low, high = (float(array.min()), float(array.max())) if array.size else (0, 0)
        if value.size == 0 or array.size == 0 or np.isnan(value).any():
            return None
        if low >= 0 and (value.min() < low or value.max() > high + 4):
            name = (self.add("Sigmoid", [name]) or [None])[0]
        elif np.abs(value).max() > 8:
            name = (self.add("Tanh", [name]) or [None])[0]
        if name is None:
            return None
        if value.shape != array.shape:
            name = self.reshape(name, value.size, array)
        if name and self.known()[name].dtype != array.dtype:
            name = (self.add("Cast", [name], to=helper.np_dtype_to_tensor_dtype(array.dtype)) or [None])[0]
        return name

    def reshape(self, name, size, array):
        flat = size != array.size
        if flat:
            name = (self.add("Reshape", [name, self.constant([-1])]) or [None])[0]
        if name and size < array.size:
            name = (self.add("Tile", [name, self.constant([-(-array.size // size)])]) or [None])[0]
        if name and flat:
            begin = self.model.random.randrange(self.known()[name].size - array.size + 1)
            name = (self.add("Slice", [name, self.constant([begin]), self.constant([begin + array.size]), self.constant([0])]) or [None])[0]
        return name and (self.add("Reshape", [name, self.constant(list(array.shape))]) or [None])[0]

    def numbers(self, array):
        """Floats like an array: computed, or a variable."""
        name = self.choose(lambda a: a.dtype.kind == "f" and a.size > 0) if self.model.random.random() < 0.7 else None
        name = name and self.fit(name, array)
        return name or self.variable(array)

    # --- What is added ---

    def grow(self, n):
        for _ in range(n):
            draw = self.model.random
            if self.depth() < 2 and draw.random() < 0.1:
                draw.choice([self.grow_if, self.grow_loop, self.grow_scan])()
            else:
                self.grow_piece()

    def grow_piece(self):
        draw = self.model.random
        op = draw.choice(self.model.operators)
        piece = draw.choice(self.model.pieces[op])
        if not is_known(piece, self.model.opset) or (self.outer and op in STEPS):
            return
        given = dict(zip(piece.inputs, piece.arrays))
        renamed = {}
        for name, array in given.items():
            same = self.choose(lambda a, w=array: a.dtype == w.dtype and a.shape == w.shape and a.size and w.size and a.min() >= w.min() and a.max() <= w.max()) \
                if draw.random() < 0.4 else None
            renamed[name] = same or (self.numbers(array) if array.dtype.kind == "f" and array.ndim > 0 else self.variable(array))
        self.add(op, [renamed.get(name, name) for name in piece.node.input], list(piece.node.output), piece.node.attribute)

    def body(self, outputs, inputs=()):
        """A graph of a scope; outputs: names of values of it."""
        def info(name):
            value = self.known()[name]
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim)
        names = []
        for name in outputs:  # an output must be made by a node of the body
            (made,) = self.add("Identity", [name])
            names.append(made)
        return helper.make_graph(self.nodes, self.model.name("body"), [info(name) for name in inputs], [info(name) for name in names])

    def example(self, *shape):
        return np.array([self.model.random.uniform(-1, 1) for _ in range(int(np.prod(shape)))], dtype=np.float32).reshape(shape)

    def shape(self):
        return [self.model.random.randint(1, 4) for _ in range(self.model.random.randint(1, 3))]

    def grow_if(self):
        draw = self.model.random
        value = self.choose(lambda a: a.dtype == np.float32 and a.size > 0)
        total = value and self.add("ReduceSum", [value], keepdims=0)
        condition = total and self.add("Greater", [total[0], self.variable(np.array(0.3, dtype=np.float32))])
        if not condition:
            return
        examples = [self.example(*self.shape()) for _ in range(draw.randint(1, 2))]
        branches = []
        for _ in range(2):
            inner = Scope(self.model, self)
            inner.grow(draw.randint(0, 3))
            branches.append(inner.body([inner.numbers(e) for e in examples]))
        self.add("If", condition, len(examples), then_branch=branches[0], else_branch=branches[1])

    def grow_states(self, inner, states, examples):
        outputs = []
        for state, example in zip(states, examples):
            other = inner.numbers(example)
            outputs += inner.add("Add", [other, inner.add("Mul", [state, inner.variable(np.array(0.5, dtype=np.float32))])[0]])
        return outputs

    def grow_loop(self):
        draw = self.model.random
        examples = [self.example(*self.shape()) for _ in range(draw.randint(1, 2))]
        first = [self.numbers(e) for e in examples]
        inner = Scope(self.model, self)
        names = [self.model.name("b") for _ in range(2 + len(examples))]
        inner.values = dict(zip(names, [np.array(0, dtype=np.int64), np.array(True)] + examples))
        inner.grow(draw.randint(1, 4))
        states = self.grow_states(inner, names[2:], examples)
        scans = [inner.numbers(self.example(*self.shape())) for _ in range(draw.randint(0, 2))]
        condition = names[1]
        if draw.random() < 0.5:
            condition = inner.add("Less", [names[0], inner.variable(np.array(draw.randint(0, 4), dtype=np.int64))])[0]
        graph = inner.body([condition] + states + scans, names)
        trips = self.variable(np.array(draw.randint(0, 5), dtype=np.int64))
        self.add("Loop", [trips, self.variable(np.array(True))] + first, len(states) + len(scans), body=graph)

    def grow_scan(self):
        draw = self.model.random
        length = draw.randint(1, 5)
        states = [self.example(*self.shape()) for _ in range(draw.randint(0, 2))]
        rows = [self.example(length, *self.shape()[:2]) for _ in range(draw.randint(1, 2))]
        first = [self.numbers(e) for e in states + rows]
        inner = Scope(self.model, self)
        names = [self.model.name("b") for _ in first]
        inner.values = dict(zip(names, states + [r[0] for r in rows]))
        inner.grow(draw.randint(1, 4))
        after = self.grow_states(inner, names, states)
        outputs = [inner.add("Tanh", [name])[0] for name in names[len(states):]]
        graph = inner.body(after + outputs, names)
        self.add("Scan", first, len(first), body=graph, num_scan_inputs=len(rows))


class Model:
    def __init__(self, pieces, seed):
        self.random = random.Random(seed)
        self.pieces, self.operators = pieces, sorted(pieces)
        self.opset = self.random.choice(OPSETS)
        self.inputs, self.constants, self.steps, self.count = {}, {}, [], 0
        self.scope = Scope(self)
        self.scope.grow(self.random.randint(2, 9))

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def proto(self, nodes, inputs, outputs, initialisers):
        def info(name, array):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        graph = helper.make_graph(nodes, "random", [info(n, a) for n, a in inputs.items()],
                                  [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), [None] * a.ndim) for n, a in outputs.items()],
                                  [numpy_helper.from_array(a, n) for n, a in initialisers.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)

    def compute(self, node, known):
        """Runs one node; its results by name, None if it is refused or results are too large."""
        feeds = {}
        free = set(node.input) | outer_names(node)
        for name in free:
            if name and name in known:
                feeds[name] = known[name]
        names = [name for name in node.output if name]
        model = self.proto([node], feeds, {}, {})
        model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
        try:
            session = new_session(model, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
            results = dict(zip(names, session.run(names, feeds)))
        except Exception:
            return None
        good = all(isinstance(r, np.ndarray) and r.dtype.kind in "fiub" and r.size <= MAX_ELEMENTS for r in results.values())
        return Step(session, list(feeds), results) if good else None

    def outputs(self):
        read = {name for node in self.scope.nodes for name in set(node.input) | outer_names(node)}
        made = {name: self.scope.values[name] for node in self.scope.nodes for name in node.output if name}
        return {n: a for n, a in made.items() if n not in read or self.random.random() < 0.05}

    def noisy(self, generator):
        def shaken(array):
            rounding = ROUNDING.get(array.dtype.name)
            return np.asarray(array * (1 + rounding * generator.uniform(-1, 1, array.shape)), dtype=array.dtype) if rounding else array
        values = {n: shaken(a) for n, a in {**self.inputs, **self.constants}.items()}
        for step in self.steps:
            results = step.session.run(list(step.results), {name: values[name] for name in step.feeds})
            values.update((n, shaken(a)) for n, a in zip(step.results, results))
        return values


def outer_names(node):
    """Names that the bodies of a node read from around it."""
    names = set()
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            made = {v.name for v in attribute.g.input}
            for inner in attribute.g.node:
                names |= (set(inner.input) | outer_names(inner)) - made
                made |= set(inner.output)
            names |= {v.name for v in attribute.g.output} - made
    return names


def new_session(model, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


# --- Comparing ---

def tolerances(model, names):
    """By output and element; NaN where there is nothing to compare."""
    allowed, reference = {}, {}
    generator = np.random.default_rng(1)
    runs = [model.noisy(generator) for _ in range(N_NOISY)]
    for name in names:
        reference[name] = wanted = model.scope.values[name]
        if any(run[name].shape != wanted.shape for run in runs):
            continue
        with np.errstate(all="ignore"):
            differences = np.max([np.abs(run[name].astype(np.float64) - wanted.astype(np.float64)) for run in runs], axis=0, initial=0)
            differences = np.where([run[name] == wanted for run in runs], 0, differences).max(axis=0) if wanted.dtype.kind == "f" else differences
        rounding = ROUNDING.get(wanted.dtype.name, 0)
        finite = differences[np.isfinite(differences)]
        allowed[name] = 32 * differences + 8 * (finite.mean() if finite.size else 0) + 16 * rounding * np.abs(wanted.astype(np.float64)) + rounding * 1e-3
    return allowed, reference


def compare(got, wanted, allowed):
    if got.size == wanted.size == 0 and got.ndim == wanted.ndim and got.dtype == wanted.dtype:
        return None  # ONNX Runtime gives the rows of a loop without steps no size
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype} {got.shape}, not {wanted.dtype} {wanted.shape}"
    with np.errstate(all="ignore"):
        a, b = got.astype(np.float64), wanted.astype(np.float64)
        wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= allowed) | ~np.isfinite(allowed))
    if wrong.any():
        at = np.unravel_index(np.argmax(wrong), wrong.shape) if wrong.ndim else ()
        return f"{got[at]!r} instead of {wanted[at]!r} at {tuple(map(int, at))}, {wrong.sum()} of {wrong.size} elements, tolerance {allowed[at]:.3g}"
    return None


def try_model(hscope, pieces, seed, folder):
    """(verdict, sentence, operators)"""
    model = Model(pieces, seed)
    outputs = model.outputs()
    if not outputs:
        return "empty", "", set()
    proto = model.proto(model.scope.nodes, model.inputs, outputs, model.constants)
    path = os.path.join(folder, "model.onnx")
    onnx.save(proto, path)
    np.savez(os.path.join(folder, "in.npz"), **model.inputs)
    operators = {(n.op_type) for n in all_nodes(model.scope.nodes)}
    try:
        allowed, reference = tolerances(model, outputs)
    except Exception:  # rounding decides whether ONNX Runtime computes it
        return "not compared", "", set()
    result = os.path.join(folder, "out.npz")
    if os.path.exists(result):
        os.unlink(result)
    done = subprocess.run([hscope, "run", path, "--input", os.path.join(folder, "in.npz"), "--output", result, "--threads", str(1 + seed % 2),
                           "--mode", ("static", "imperative", "hybrid")[seed % 3]], capture_output=True, text=True, timeout=120)
    np.savez(os.path.join(folder, "expected.npz"), **reference)
    if done.returncode:
        return "refused", done.stderr.strip()[-300:], operators
    with np.load(result) as got:
        for name in outputs:
            if name not in got.files:
                return "wrong", f"{name} is missing", operators
            wrong = name in allowed and compare(got[name], reference[name], allowed[name])
            if wrong:
                maker = next(n.op_type for n in model.scope.nodes if name in n.output)
                return "wrong", f"{name} ({maker}): {wrong}", operators
    return "equal", "", operators


def all_nodes(nodes):
    for node in nodes:
        yield node
        for attribute in node.attribute:
            yield from all_nodes(attribute.g.node)


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    parser.add_argument("hscope")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--keep")
    options = parser.parse_args()
    pieces = read_pieces()
    counts, used = collections.Counter(), set()
    for seed in range(options.first, options.first + options.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                verdict, sentence, operators = try_model(options.hscope, pieces, seed, folder)
            except subprocess.TimeoutExpired:
                verdict, sentence, operators = "wrong", "no end", set()
            counts[verdict] += 1
            used |= operators
            if verdict in ("wrong", "refused"):
                print(f"model {seed}, {verdict}: {sentence}", flush=True)
                if options.keep:
                    subprocess.run(["cp", "-r", folder, os.path.join(options.keep, str(seed))], check=True)
    schema = pathlib.Path(__file__).parent.parent / "engine/onnx/schema-list.h"
    listed = set(re.findall(r'HYB_ONNX_SCHEMA \("", "(\w+)"', schema.read_text()))
    print(", ".join(f"{verdict} {n}" for verdict, n in sorted(counts.items())))
    print(f"{len(used & listed)} of {len(listed)} operators; not among them: {' '.join(sorted(listed - used))}")
    return counts["wrong"] + counts["refused"] > 0


if __name__ == "__main__":
    sys.exit(main())
