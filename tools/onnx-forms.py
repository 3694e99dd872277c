#!/usr/bin/env python3
"""Writes recurrent PyTorch modules as ONNX files, and tries every conversion of such files between the forms of a recurrence.

usage: tools/onnx-forms.py make FOLDER [--only REGEX]
       tools/onnx-forms.py check FOLDER HSCOPE [--only REGEX] [--jobs N] [--chain] [--markdown FILE]
       tools/onnx-forms.py cost HSCOPE [--only REGEX] [--rounds N]

make exports the modules of tests/data/onnx-forms/modules.py with both exporters of PyTorch: all sizes fixed, the batch open, and
batch and length open.  Files are named MODULE-EXPORTER-SIZES.onnx; what an exporter refuses stands in refused.json.

check converts every file to every form.  The result must pass ONNX's checker and strict inference, keep the names and types of
inputs and outputs, be in the form that was asked for, and give the numbers of the original in ONNX Runtime and in hscope, also for
another batch and length where both files leave them open.  Inputs are random, or those of NAME.npz beside NAME.onnx.  --chain goes
on from each fused result: to foreach, to unrolled, and back to fused.

cost converts an LSTM and a GRU (128 units, 64 inputs, 50 steps, a batch of 1 and of 16) to every form, and measures each in hscope and in
ONNX Runtime, in turns: see tools/onnx-speed.py, which it calls.

make needs the Python packages torch, onnx and onnxscript; check and cost need numpy, onnx and onnxruntime.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import contextlib
import glob
import itertools
import json
import multiprocessing.pool
import os
import re
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

LENGTH, BATCH = 5, 2
OTHER = {"length": 7, "batch": 3}
FORMS = ("unrolled", "foreach", "while", "fused")
FUSED = {"LSTM", "GRU", "RNN"}
TOLERANCE = 1e-5

# --- Export ---

EXPORTERS = ("script", "dynamo")
SIZES = {"fixed": (), "batch": ("batch",), "length": ("batch", "length")}


def open_axes(made, name, tensor, names):
    """{axis: name} of the dimensions of an input or output that are left open."""
    rank = tensor if isinstance(tensor, int) else tensor.dim()
    if name == "lengths":
        axes = {0: "batch"}
    elif name in ("x", "y"):
        axes = {made.time_axis: "length", 1 - made.time_axis: "batch"}
    else:
        axes = {rank - 2: "batch"}
    return {axis: n for axis, n in axes.items() if n in names}


def export(made, exporter, names, path):
    import torch
    module = made.module.eval()
    arguments = dict(input_names=list(made.names), output_names=list(made.outputs), verbose=False)
    if exporter == "dynamo":
        shapes = tuple(open_axes(made, n, t, names) or None for n, t in zip(made.names, made.inputs)) if names else None
        program = torch.onnx.export(module, made.inputs, dynamo=True, dynamic_shapes=shapes, **arguments)
        program.save(path, external_data=False)
        return
    with torch.no_grad():
        results = module(*made.inputs)
    axes = {n: open_axes(made, n, t, names) for n, t in zip(made.names + made.outputs, (*made.inputs, *results))}
    # A loop of Python is traced step by step; only a scripted module keeps it, and with it the open length.
    if "length" in names and made.is_loop:
        module = torch.jit.script(module)
    torch.onnx.export(module, made.inputs, path, dynamo=False, dynamic_axes=axes, **arguments)


def without_places(path):
    """Leaves out of a file where on this machine the exporter read each line, and its own notation of each node."""
    import onnx
    model = onnx.load(path)
    owners = [model, model.graph, *model.functions, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output,
              *model.graph.initializer, *(n for f in model.functions for n in f.node)]
    graphs = [a.g for n in owners if isinstance(n, onnx.NodeProto) for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
    while graphs:
        graph = graphs.pop()
        owners += [graph, *graph.node, *graph.value_info, *graph.input, *graph.output]
        graphs += [a.g for n in graph.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
    for owner in owners:
        kept = [p for p in owner.metadata_props if os.sep not in p.value and not p.key.endswith((".fx_node", ".class_hierarchy"))]
        del owner.metadata_props[:]
        owner.metadata_props.extend(kept)
        owner.doc_string = ""
    onnx.save(model, path)


def exporters_sentence(error):
    """The line of an exporter's text that says what it met."""
    text = re.sub(r"\x1b\[\d+m", "", str(error)).strip()
    cause = re.search(r"^<class '\w+'>: (.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return " ".join((cause.group(1) if cause else re.split(r"\n\n| \[Caused by", text)[0]).split())


def make(options):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../tests/data/onnx-forms"))
    import torch
    from modules import MODULES
    os.makedirs(options.folder, exist_ok=True)
    refused_path = os.path.join(options.folder, "refused.json")
    refused = {}
    if os.path.exists(refused_path):
        with open(refused_path) as file:
            refused = json.load(file)
    for (name, maker), exporter, sizes in itertools.product(MODULES.items(), EXPORTERS, SIZES):
        stem = "%s-%s-%s" % (name, exporter, sizes)
        if not re.search(options.only, stem):
            continue
        path = os.path.join(options.folder, stem + ".onnx")
        torch.manual_seed(1)
        refused.pop(stem, None)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                export(maker(), exporter, SIZES[sizes], path)
            without_places(path)
            print("%s: %d bytes" % (stem, os.path.getsize(path)))
        except Exception as error:  # exporters raise whatever they met
            refused[stem] = exporters_sentence(error)
            print("%s: %s" % (stem, refused[stem]))
    with open(refused_path, "w") as file:
        json.dump(refused, file, indent=1, sort_keys=True)


# --- What is open, and inputs of a size ---

class Failure(Exception):
    """The program, ONNX or ONNX Runtime does not take a file, or numbers differ."""


def shape_of(value):
    """Sizes, or names of open dimensions, of an input or output."""
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in value.type.tensor_type.shape.dim]


def free_inputs(graph):
    given = {t.name for t in graph.initializer}
    return [v for v in graph.input if v.name not in given]


def random_inputs(graph, sizes, seed):
    """Floats between -1 and 1; integers are lengths, in falling order."""
    import numpy as np
    import onnx
    generator, arrays = np.random.default_rng(seed), {}
    for value in free_inputs(graph):
        if not value.type.HasField("tensor_type"):
            raise Failure("input %s is not a tensor" % value.name)
        shape = [d if isinstance(d, int) else sizes.get(d, BATCH) for d in shape_of(value)]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if dtype.kind in "iu":
            arrays[value.name] = np.maximum(sizes["length"] - 2 * np.arange(np.prod(shape)).reshape(shape), 1).astype(dtype)
        else:
            arrays[value.name] = generator.uniform(-1, 1, shape).astype(dtype)
    return arrays


def input_sets(path, graph):
    """The inputs that are tried: (name, arrays, whether they need an open batch, an open length)."""
    import numpy as np
    beside = os.path.splitext(path)[0] + ".npz"
    if os.path.exists(beside):
        with np.load(beside) as file:
            return [("as given", {n: file[n] for n in file.files}, set())]
    names = {d for v in free_inputs(graph) for d in shape_of(v) if not isinstance(d, int)}
    usual, sets = {"length": LENGTH, "batch": BATCH}, []
    for changed in [set(), *({n} for n in OTHER if n in names)]:
        sizes = {n: OTHER[n] if n in changed else usual[n] for n in usual}
        sets.append((" and ".join("%s %d" % (n, sizes[n]) for n in sorted(changed)) or "usual sizes",
                     random_inputs(graph, sizes, len(sets)), changed))
    return sets


# --- Both programs ---

def call(hscope, *arguments):
    environment = dict(os.environ, HYB_NUM_THREADS="1")
    try:
        return subprocess.run([hscope, *arguments], capture_output=True, timeout=180, env=environment)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, 124, b"", b"it took more than three minutes")


def document(process):
    text = process.stdout.decode(errors="replace")
    return json.loads(text[text.index("{"):]) if "{" in text else {}


def sentence(process):
    if process.returncode < 0:
        return "ended by signal %d" % -process.returncode
    error = document(process).get("error", {})
    last = process.stderr.decode(errors="replace").strip().rpartition("\n")[2].removeprefix("error: ")
    return error.get("message") or last or "status %d without a sentence" % process.returncode


def run_here(hscope, path, arrays, folder):
    import numpy as np
    given, result = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(given, **arrays)
    process = call(hscope, "run", path, "--input", given, "--output", result, "--json")
    if process.returncode != 0:
        raise Failure("hscope run: " + sentence(process))
    with np.load(result) as file:
        return [file[name] for name in file.files]


class Runtime:
    """A file in ONNX Runtime."""

    def __init__(self, path):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        try:
            self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # its own classes, none of them public
            raise Failure("ONNX Runtime: " + one_line(error).replace(path, os.path.basename(path))) from None

    def run(self, arrays):
        try:
            return self.session.run(None, arrays)
        except Exception as error:
            raise Failure("ONNX Runtime: " + one_line(error)) from None


def one_line(error):
    return " ".join(str(error).split())[:300]


def largest_difference(expected, got):
    """Relative to the larger of 1 and the largest number; fails if types or shapes are not those expected."""
    import numpy as np
    if len(expected) != len(got):
        raise Failure("%d outputs, not %d" % (len(got), len(expected)))
    largest = 0.0
    for a, b in zip(expected, got):
        if a.dtype != b.dtype or a.shape != b.shape:
            raise Failure("an output is %s %s, not %s %s" % (b.dtype, list(b.shape), a.dtype, list(a.shape)))
        a, b = a.astype(np.float64), b.astype(np.float64)
        scale = max(1.0, float(np.abs(a[np.isfinite(a)]).max(initial=0)))
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        with np.errstate(invalid="ignore"):
            largest = max(largest, float(np.where(same, 0, np.abs(a - b)).max(initial=0)) / scale)
    return largest


# --- One conversion ---

def accepted_by_onnx(path):
    """What ONNX's checker or strict inference says against a file, or None."""
    import onnx
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as error:
        return "checker: " + one_line(error)
    try:
        onnx.shape_inference.infer_shapes(onnx.load(path), check_type=True, strict_mode=True, data_prop=True)
    except Exception as error:
        return "strict inference: " + one_line(error)
    return None


def operators_of(graph):
    found = set()
    for node in graph.node:
        found.add(node.op_type)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found |= operators_of(attribute.g)
    return found


def check_form(model, form):
    operators = operators_of(model.graph)
    wanted = {"foreach": {"Scan"}, "while": {"Loop"}, "fused": FUSED}.get(form)
    if wanted and not operators & wanted:
        raise Failure("the result has no " + " or ".join(sorted(wanted)))
    left = (FUSED | {"Scan", "Loop"}) - (wanted or set())
    if operators & left:
        raise Failure("the result still has " + ", ".join(sorted(operators & left)))


def unread(graph):
    """Initialisers and nodes of the main graph that nothing reads."""
    read = {v.name for v in graph.output} | names_read(graph)
    return {t.name for t in graph.initializer if t.name not in read} | \
           {n.name or n.output[0] for n in graph.node if not any(o in read for o in n.output)}


def names_read(graph):
    names = {n for node in graph.node for n in node.input}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                names |= names_read(attribute.g) | {v.name for v in attribute.g.output}
    return names


def check_interface(old, new, has_fixed_length):
    """Names, element types and dimensions of inputs and outputs must be those of the original.

    Unrolling fixes the length; and an output's dimension whose name no input has may be a number, when it follows from the graph.
    """
    of_inputs = {d for v in free_inputs(old) for d in shape_of(v)}
    for kind, before, after in (("input", free_inputs(old), free_inputs(new)), ("output", old.output, new.output)):
        if [v.name for v in before] != [v.name for v in after]:
            raise Failure("%ss are %s, not %s" % (kind, ", ".join(v.name for v in after), ", ".join(v.name for v in before)))
        for a, b in zip(before, after):
            if a.type.tensor_type.elem_type != b.type.tensor_type.elem_type:
                raise Failure("the element type of %s has changed" % a.name)
            dims, now = shape_of(a), shape_of(b)
            if has_fixed_length:
                dims = [n if d == "sequence" or d == "length" and n == LENGTH else d for d, n in zip(dims, now)]
            dims = [n if isinstance(d, str) and d not in of_inputs and isinstance(n, int) else d for d, n in zip(dims, now)]
            if dims != now:
                raise Failure("%s %s is %s, not %s" % (kind, a.name, now, dims))


class Original:
    """A file, its inputs, and what both programs make of them."""

    def __init__(self, hscope, path, folder):
        import onnx
        self.hscope, self.path, self.folder = hscope, path, folder
        self.graph = onnx.load(path).graph
        self.objection = accepted_by_onnx(path)
        self.info = call(hscope, "info", path, "--json")
        self.sets, self.there, self.here, self.problem = [], [], [], None
        try:
            self.sets = input_sets(path, self.graph)
            runtime = Runtime(path)
            self.there = [runtime.run(arrays) for _, arrays, _ in self.sets]
            self.here = [run_here(hscope, path, arrays, folder) for _, arrays, _ in self.sets]
            for (name, _, _), a, b in zip(self.sets, self.there, self.here):
                difference = largest_difference(a, b)
                if difference > TOLERANCE:
                    raise Failure("hscope differs from ONNX Runtime by %.2g (%s)" % (difference, name))
        except Failure as failure:
            self.problem = str(failure)

    def compare(self, path, form, has_fixed_length):
        """The largest differences of the converted file from this one, in ONNX Runtime and in hscope."""
        import onnx
        model = onnx.load(path)
        objection = accepted_by_onnx(path)
        if objection and not self.objection:
            raise Failure(objection)
        check_form(model, form)
        check_interface(self.graph, model.graph, has_fixed_length)
        left = unread(model.graph) - unread(self.graph)
        if left:
            raise Failure("nothing reads %s" % ", ".join(sorted(left)[:5]))
        runtime, there, here = Runtime(path) if self.there else None, 0.0, 0.0
        for k, (name, arrays, changed) in enumerate(self.sets):
            if has_fixed_length and "length" in changed:
                continue
            try:
                if runtime:
                    there = max(there, largest_difference(self.there[k], runtime.run(arrays)))
                if self.here:
                    here = max(here, largest_difference(self.here[k], run_here(self.hscope, path, arrays, self.folder)))
            except Failure as failure:
                raise Failure("%s (%s)" % (failure, name)) from None
            if max(there, here) > TOLERANCE:
                raise Failure("differs by %.2g in ONNX Runtime, %.2g in hscope (%s)" % (there, here, name))
        return there, here


def convert(original, source, form, target):
    arguments = ["convert", source, "--to", form, "--output", target, "--json"]
    if form == "unrolled" and "length" in {d for v in free_inputs(original.graph) for d in shape_of(v)}:
        arguments += ["--length", str(LENGTH)]
    beside = os.path.splitext(original.path)[0] + ".npz"
    if os.path.exists(beside):
        arguments += ["--input", beside]
    return call(original.hscope, *arguments)


def try_form(original, source, form, target, was_unrolled=False):
    """(ok, refused or fault, what stands in the table)."""
    process = convert(original, source, form, target)
    if process.returncode != 0:
        return ("fault" if process.returncode < 0 or process.returncode >= 124 else "refused"), sentence(process)
    try:
        return "ok", original.compare(target, form, was_unrolled or form == "unrolled")
    except Failure as failure:
        return "fault", str(failure)


CHAIN = ("foreach", "unrolled", "fused")


def try_chain(original, source, folder):
    for form in CHAIN:
        target = os.path.join(folder, "chain-%s.onnx" % form)
        verdict, text = try_form(original, source, form, target, was_unrolled=form == "fused")
        if verdict != "ok":
            return verdict, "to %s: %s" % (form, text)
        source = target
    return verdict, text


def recognised(info):
    if info.returncode != 0:
        return sentence(info)
    parts = []
    for part in document(info).get("structure", []):
        words = [part["kind"], part.get("cell") or "of an unknown cell"]
        if part.get("direction") and part["direction"] != "forward":
            words.append({"both": "in both directions"}.get(part["direction"], part["direction"]))
        if (part.get("layers") or 1) > 1:
            words.append("%d layers" % part["layers"])
        parts.append(" ".join(words))
    return ", ".join("%d × %s" % (n, p) if n > 1 else p for p, n in collections.Counter(parts).items()) or "nothing"


def try_file(hscope, path, chain):
    """The row of a file: recognised as what, and (verdict, text) of each form."""
    with tempfile.TemporaryDirectory() as folder:
        original = Original(hscope, path, folder)
        row = {"file": os.path.basename(path), "recognised": recognised(original.info), "problem": original.problem,
               "objection": original.objection}
        targets = {form: os.path.join(folder, form + ".onnx") for form in FORMS}
        row["forms"] = {form: try_form(original, path, form, targets[form]) for form in FORMS}
        if chain:
            row["forms"]["chain"] = (try_chain(original, targets["fused"], folder) if row["forms"]["fused"][0] == "ok"
                                     else ("refused", "no fused form"))
        print("%s: %s" % (row["file"], ", ".join("%s %s" % (f, v) for f, (v, _) in row["forms"].items())), file=sys.stderr, flush=True)
        return row


# --- The table ---

class Notes:
    """Sentences that stand below the table, numbered as they come."""

    def __init__(self):
        self.numbers = {}

    def __call__(self, verdict, text):
        number = self.numbers.setdefault(text, len(self.numbers) + 1)
        return ("%s [%d]" % (verdict, number)).strip()

    def print(self, file):
        print(file=file)
        for text, number in self.numbers.items():
            print("%d. %s" % (number, text), file=file)


def merged(rows):
    """Rows of one module and exporter that say the same become one; the largest differences stay."""
    groups = {}
    for row in sorted(rows, key=lambda r: r["file"]):
        stem, _, sizes = row["file"].removesuffix(".onnx").rpartition("-")
        if sizes not in SIZES:
            stem, sizes = row["file"].removesuffix(".onnx"), ""
        said = (stem, row["said"], *(cell if cell[0] != "ok" else "ok" for cell in row["cells"]))
        groups.setdefault(said, []).append((sizes, row["cells"]))
    for (stem, said, *_), members in groups.items():
        sizes = sorted((size for size, _ in members if size), key=list(SIZES).index)
        name = "%s: %s" % (stem, ", ".join(sizes)) if sizes else stem
        yield name, said, [cells[0] if cells[0][0] != "ok" else ("ok", "%.1g / %.1g" % tuple(map(max, zip(*(c[1] for c in cells)))))
                           for cells in zip(*(m[1] for m in members))]


def print_table(rows, refused, file):
    columns = list(FORMS) + (["chain"] if any("chain" in r["forms"] for r in rows) else [])
    notes, lines = Notes(), []
    for row in rows:
        exported = [(what, "The file as it was exported: " + row[what]) for what in ("problem", "objection") if row[what]]
        lines.append({"file": row["file"], "said": (row["recognised"], *exported), "cells": [row["forms"][c] for c in columns]})
    for name, text in refused.items():
        lines.append({"file": name, "said": ("not exported", ("exporter", "The exporter: " + text)), "cells": [("", "")] * len(columns)})
    print("| file | recognised as | %s |" % " | ".join(columns), file=file)
    print("|---|---|%s" % ("---|" * len(columns)), file=file)
    for name, (recognised_as, *objections), cells in merged(lines):
        said = " ".join([recognised_as, *(notes("", text) for _, text in objections)])
        print("| %s | %s | %s |" % (name, said, " | ".join(c[1] if c[0] in ("ok", "") else notes(*c) for c in cells)), file=file)
    notes.print(file)


def check(options):
    warnings.simplefilter("ignore")
    paths = [p for p in sorted(glob.glob(os.path.join(options.folder, "*.onnx"))) if re.search(options.only, os.path.basename(p))]
    with multiprocessing.pool.ThreadPool(options.jobs) as pool:
        rows = list(pool.imap(lambda p: try_file(options.hscope, p, options.chain), paths))
    refused, path = {}, os.path.join(options.folder, "refused.json")
    if os.path.exists(path):
        with open(path) as file:
            refused = {n: t for n, t in json.load(file).items() if re.search(options.only, n + ".onnx")}
    with open(options.markdown, "w") if options.markdown else contextlib.nullcontext(sys.stdout) as file:
        print_table(rows, refused, file)
    sums = collections.Counter("%s %s" % (form, verdict) for row in rows for form, (verdict, _) in row["forms"].items())
    print("%d files: %s" % (len(rows), ", ".join("%s %d" % item for item in sorted(sums.items()))))
    return any(verdict == "fault" for row in rows for verdict, _ in row["forms"].values())


# --- What each form costs ---

UNITS, INPUTS, STEPS = 128, 64, 50
RECIPES = """
import numpy as np


def make_inputs(seed, specs):
    return {s["name"]: np.random.RandomState(seed).uniform(-1, 1, s["shape"]).astype(np.float32) for s in specs}
"""


def write_layer(op, batch, path):
    """One recurrent node with random weights."""
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper
    random, gates = np.random.RandomState(3), {"LSTM": 4, "GRU": 3}[op]
    shapes = {"w": (1, gates * UNITS, INPUTS), "r": (1, gates * UNITS, UNITS), "b": (1, 2 * gates * UNITS)}
    arrays = [numpy_helper.from_array(random.uniform(-0.1, 0.1, shape).astype(np.float32), name) for name, shape in shapes.items()]
    extra = {"linear_before_reset": 1} if op == "GRU" else {}
    node = helper.make_node(op, ["x", "w", "r", "b"], ["y"], "layer", hidden_size=UNITS, **extra)
    graph = helper.make_graph([node], op, [helper.make_tensor_value_info("x", 1, [STEPS, batch, INPUTS])],
                              [helper.make_tensor_value_info("y", 1, [STEPS, 1, batch, UNITS])], arrays)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def cost(options):
    hscope = os.path.abspath(options.hscope)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "recipes.py"), "w", encoding="utf-8") as file:
            file.write(RECIPES)
        with open(os.path.join(folder, "cases.jsonl"), "w", encoding="utf-8") as cases:
            for op, batch, form in itertools.product(("LSTM", "GRU"), (1, 16), FORMS[::-1]):
                name = "%s-batch-%d-%s" % (op.lower(), batch, form)
                path = os.path.join(folder, name + ".onnx")
                write_layer(op, batch, os.path.join(folder, "layer.onnx"))
                process = call(hscope, "convert", os.path.join(folder, "layer.onnx"), "--to", form, "--output", path)
                if process.returncode != 0:
                    print("%s: %s" % (name, sentence(process)))
                    continue
                print(json.dumps({"id": name, "kind": "recurrent", "format": "onnx", "file": name + ".onnx", "seed": 1, "run": {"ok": True},
                                  "output_file": "", "inputs": [{"name": "x", "shape": [STEPS, batch, INPUTS]}]}), file=cases)
        speed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx-speed.py")
        return subprocess.run([sys.executable, speed, hscope, folder, options.only, "--least", "0", "--rounds", str(options.rounds)],
                              check=False).returncode


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    parts = parser.add_subparsers(dest="part", required=True)
    maker, checker = parts.add_parser("make"), parts.add_parser("check")
    for part in (maker, checker):
        part.add_argument("folder")
        part.add_argument("--only", default="")
    checker.add_argument("hscope")
    checker.add_argument("--jobs", type=int, default=os.cpu_count())
    checker.add_argument("--chain", action="store_true")
    checker.add_argument("--markdown")
    coster = parts.add_parser("cost")
    coster.add_argument("hscope")
    coster.add_argument("--only", default="")
    coster.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    sys.exit({"make": make, "check": check, "cost": cost}[options.part](options))


if __name__ == "__main__":
    main()
