#!/usr/bin/env python3
"""Reads ONNX files and writes them again, as they are and in another version of the operators, and prints what differs.

usage: tools/onnx-written.py HSCOPE [--files FOLDER] [--only REGEX] [--jobs N]

The files are ONNX's own backend tests (see onnx-backend.py), or with --files those of a folder with cases.jsonl and recipes.py,
which say what inputs a file gets.  Each file is written twice:

copy  hscope convert FILE --output COPY: the same bytes
anew  hscope convert FILE --opset N --output NEW: every node is written from the engine's graph, N being 17, or 21 for files of
      version 17 and older.  What is written must pass ONNX's checker (full) and strict inference, keep the names of inputs and
      outputs, and give in ONNX Runtime the numbers that the original gives there, or in hscope where ONNX Runtime does not run
      the original.

Needs the Python packages numpy, onnx and onnxruntime.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import filecmp
import importlib.util
import json
import multiprocessing.pool
import os
import re
import shutil
import sys
import tempfile
import numpy as np
import onnx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

TOLERANCES = {"float16": 2e-3, "bfloat16": 1e-2}
HERE = os.path.dirname(os.path.abspath(__file__))

File = collections.namedtuple("File", "name kind path model inputs")


def load(path):
    """A Python file whose name is no identifier."""
    name = os.path.basename(path)[:-3].replace("-", "_")
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path))
    module.__spec__.loader.exec_module(module)
    return module


forms = load(os.path.join(HERE, "onnx-forms.py"))
backend = load(os.path.join(HERE, "onnx-backend.py"))


# --- Files ---

def tests(only):
    for cases in (backend.node_cases(), backend.shipped_cases()):
        for case in cases:
            if not re.search(only, case.name):
                continue
            arrays = case.sets[0][0] if case.sets else []
            named = {v.name: a for v, a in zip(case.model.graph.input, arrays) if a is not None}
            usable = not backend.excluded(case) and all(isinstance(a, (np.ndarray, np.generic, onnx.TensorProto)) for a in named.values())
            yield File(case.name, case.kind, None, case.model, named if usable else None)


def public_files(folder, only):
    recipes = load(os.path.join(folder, "recipes.py"))
    with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as cases:
        for line in cases:
            case = json.loads(line)
            path = os.path.join(folder, case["file"])
            if not re.search(only, case["id"]) or not os.path.exists(path):
                continue
            inputs = recipes.make_inputs(case["seed"], case["inputs"]) if case.get("inputs") is not None and case["run"]["ok"] else None
            yield File(case["id"], "public", path, None, inputs)


# --- One file ---

def opset_of(model):
    return max([o.version for o in model.opset_import if o.domain in ("", "ai.onnx")], default=1)


def copy(hscope, path, folder):
    """What is different in a copy, or None."""
    target = os.path.join(folder, "copy.onnx")
    process = forms.call(hscope, "convert", path, "--output", target, "--json")
    if process.returncode != 0:
        return "refused: " + forms.sentence(process)
    return None if filecmp.cmp(path, target, shallow=False) else "other bytes"


class Numbers:
    """What a file computes, in ONNX Runtime if that runs it, else in hscope."""

    def __init__(self, hscope, path, inputs, folder):
        self.hscope, self.folder = hscope, folder
        self.stored = {n: backend.as_stored(a)[0] for n, a in inputs.items()}
        self.plain = {n: np.asarray(a) for n, a in inputs.items() if not isinstance(a, onnx.TensorProto)}
        try:
            self.expected = forms.Runtime(path).run(self.plain)
            self.by_runtime = True
        except forms.Failure:
            self.expected = forms.run_here(hscope, path, self.stored, folder)
            self.by_runtime = False

        if not all(isinstance(a, np.ndarray) for a in self.expected):
            raise forms.Failure("its outputs are no tensors")

    def run(self, path):
        if self.by_runtime:
            return forms.Runtime(path).run(self.plain)
        return forms.run_here(self.hscope, path, self.stored, self.folder)

    def compare(self, path):
        expected, got = self.expected, self.run(path)
        difference = forms.largest_difference(expected, got)
        tolerance = max([TOLERANCES.get(a.dtype.name, forms.TOLERANCE) for a in expected], default=0)
        if difference > tolerance:
            raise forms.Failure("numbers differ by %.2g in %s" % (difference, "ONNX Runtime" if self.by_runtime else "hscope"))


def is_random(numbers, path):
    try:
        numbers.compare(path)
    except forms.Failure:
        return True
    return False


def anew(hscope, path, model, inputs, folder):
    """(verdict, sentence): written here or in ONNX Runtime, refused, fault, out."""
    if inputs is None:
        return "out", "its inputs or outputs are no tensors that this program computes"
    try:
        numbers = Numbers(hscope, path, inputs, folder)
    except forms.Failure as failure:
        return "out", "it does not run: " + str(failure).removeprefix("hscope run: ")
    if is_random(numbers, path):
        return "out", "its numbers are random"
    given, target = os.path.join(folder, "given.npz"), os.path.join(folder, "anew.onnx")
    np.savez(given, **numbers.stored)
    opset = 17 if opset_of(model) > 17 else 21
    arguments = ["--input", given] if numbers.stored else []
    process = forms.call(hscope, "convert", path, "--opset", str(opset), "--output", target, "--json", *arguments)
    if process.returncode < 0 or process.returncode >= 124:
        return "fault", forms.sentence(process)
    if process.returncode != 0:
        return "refused", forms.sentence(process)
    try:
        check(onnx.load(path), onnx.load(target), opset)
        problem = forms.accepted_by_onnx(target)
        if problem:
            return "fault", problem
        numbers.compare(target)
    except forms.Failure as failure:
        return "fault", str(failure)
    return "written, as in ONNX Runtime" if numbers.by_runtime else "written, as here", ""


def check(old, new, opset):
    if opset_of(new) != opset:
        raise forms.Failure("the file has version %d" % opset_of(new))
    for what in ("input", "output"):
        before = [v.name for v in (forms.free_inputs(old.graph) if what == "input" else old.graph.output)]
        after = [v.name for v in (forms.free_inputs(new.graph) if what == "input" else new.graph.output)]
        if before != after:
            raise forms.Failure("%ss are %s, not %s" % (what, after[:4], before[:4]))


def try_file(hscope, file):
    with tempfile.TemporaryDirectory() as folder:
        path = file.path
        if not path:
            path = os.path.join(folder, "model.onnx")
            onnx.save(file.model, path)
        difference = copy(hscope, path, folder)
        try:
            model = file.model or onnx.load(path, load_external_data=False)
        except Exception as error:  # of protobuf
            return difference, "out", "ONNX cannot read it: " + forms.one_line(error)
        return difference, *anew(hscope, path, model, file.inputs, folder)


# --- Sums ---

def without_names(sentence):
    return re.sub(r"“[^”]*”", "“…”", re.sub(r"^.*?\.onnx: ", "", sentence))[:160]


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    parser.add_argument("hscope")
    parser.add_argument("--files")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    hscope = os.path.abspath(shutil.which(options.hscope) or options.hscope)
    files = list(public_files(options.files, options.only) if options.files else tests(options.only))
    with multiprocessing.pool.ThreadPool(options.jobs) as pool:
        results = list(zip(files, pool.map(lambda f: try_file(hscope, f), files, chunksize=1)))
    copies, verdicts, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    for file, (difference, verdict, sentence) in results:
        copies[difference or "the same bytes"] += 1
        verdicts[verdict] += 1
        if verdict in ("refused", "out"):
            reasons[verdict, without_names(sentence)] += 1
        if difference or verdict in ("refused", "fault"):
            print("%s %s: copy %s; anew %s: %s" % (file.kind, file.name, difference or "equal", verdict, sentence))
    print("\n%d files" % len(results))
    for what, n in copies.most_common():
        print("copy: %d %s" % (n, what))
    for what, n in sorted(verdicts.items()):
        print("anew: %d %s" % (n, what))
    for (verdict, sentence), n in reasons.most_common():
        print("%s: %d × %s" % (verdict, n, sentence))
    return any(difference or verdict == "fault" for _, (difference, verdict, _) in results)


if __name__ == "__main__":
    sys.exit(main())
