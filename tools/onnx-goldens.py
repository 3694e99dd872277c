#!/usr/bin/env python3
"""Takes models of MXNet to ONNX and back, and looks at what MXNet's own exporter writes.

usage: tools/onnx-goldens.py round GOLDENS HSCOPE [--only REGEX] [--jobs N]
       tools/onnx-goldens.py export GOLDENS FOLDER [--only REGEX]
       tools/onnx-goldens.py exported GOLDENS FOLDER HSCOPE

GOLDENS is a folder like tests/data/goldens: models/NAME with NAME-symbol.json, parameters, input.npz, output.npz and case.json.

round     each model in prediction mode: hscope convert to ONNX, and from there to a pair of MXNet's files.  ONNX Runtime must compute
          MXNet's numbers with the ONNX file, and hscope run with the pair, within the tolerance of the case.
export    writes ten models with mx.onnx.export_model() of MXNet 1.9.1, which runs this command, and needs the package onnx.
exported  what hscope check says of these files, whether their arrays are the parameters of the pair, bit for bit, and whether
          ONNX Runtime and hscope compute MXNet's numbers.

round and exported need the Python packages numpy, onnx and onnxruntime.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import glob
import importlib.util
import json
import multiprocessing.pool
import os
import re
import subprocess
import sys
import tempfile
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import temporary_folder  # noqa: E402

RECURRENT = re.compile(r"RNN|_foreach|_while_loop|_cond")
TEN = ("lenet-static", "mlp-two", "bn-residual-predict", "layer-top-lstm-l1-bi-ntc", "lm-chained-cells", "lm-tied", "fused-lstm-l2",
       "cell-lstm-t6-ntc-none", "cell-gru-t6-ntc-none", "rnn-stack-document")


def call(hscope, *arguments):
    environment = dict(os.environ, HYB_NUM_THREADS="1")
    try:
        return subprocess.run([hscope, *arguments], capture_output=True, text=True, timeout=180, env=environment)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, 124, "", "it took more than three minutes")


def sentence(process):
    text = process.stdout
    error = json.loads(text[text.index("{"):]).get("error", {}) if "{" in text else {}
    return error.get("message") or process.stderr.strip().rpartition("\n")[2].removeprefix("error: ")


class Model:
    def __init__(self, folder):
        self.folder, self.name = folder, os.path.basename(folder)
        with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
            self.case = json.load(file)
        self.symbol = next(iter(sorted(glob.glob(os.path.join(folder, "*-symbol.json*")))), None)
        self.params = next(iter(sorted(glob.glob(os.path.join(folder, "*.params")))), None)
        packed = os.path.join(folder, "packed.npz")
        self.params = packed if os.path.exists(packed) else self.params

    def is_usable(self):
        return self.case.get("mode") == "predict" and self.symbol and os.path.exists(os.path.join(self.folder, "output.npz"))

    def is_recurrent(self):
        operators = {*self.case.get("ops", {}), *self.case.get("subgraph_ops", {})}
        return any(RECURRENT.search(name) for name in operators) or re.match(r"(rnn|cell|bucket|fused|lstm|lm|dynamic)", self.name)

    def arrays(self, name):
        with np.load(os.path.join(self.folder, name)) as file:
            return {n: file[n] for n in file.files}

    def files(self):
        return [self.symbol] + ([self.params] if self.params else [])

    def compare(self, got):
        """None, or what differs from MXNet."""
        expected = self.arrays("output.npz")
        if len(got) != len(expected):
            return "%d outputs, not %d" % (len(got), len(expected))
        for (name, want), have in zip(expected.items(), got):
            rows = self.case.get("valid_rows", {}).get(name)
            want, have = (want[:rows], have[:rows]) if rows is not None else (want, have)
            if want.shape != have.shape:
                return "%s has shape %s, not %s" % (name, have.shape, want.shape)
            if not np.allclose(have.astype("f8"), want.astype("f8"), rtol=self.case["rtol"], atol=self.case["atol"], equal_nan=True):
                return "%s differs by %.2g" % (name, np.abs(have.astype("f8") - want).max())
        return None


def models(goldens, only):
    found = [Model(f) for f in sorted(glob.glob(os.path.join(goldens, "models", "*"))) if os.path.exists(os.path.join(f, "case.json"))]
    return [m for m in found if re.search(only, m.name)]


def in_runtime(path, arrays):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = {i.name for i in session.get_inputs()}
    return session.run(None, {n: a for n, a in arrays.items() if n in names})


def here(hscope, files, given, folder):
    """(arrays, None), or (None, why not)."""
    result = os.path.join(folder, "out.npz")
    process = call(hscope, "run", *files, "--input", given, "--output", result, "--json")
    if process.returncode != 0:
        return None, sentence(process)
    with np.load(result) as file:
        return [file[n] for n in file.files], None


# --- There and back ---

def go_round(hscope, model):
    """(verdict, sentence)."""
    with tempfile.TemporaryDirectory() as folder:
        there, back = os.path.join(folder, "there.onnx"), os.path.join(folder, "back")
        given = os.path.join(model.folder, "input.npz")
        process = call(hscope, "convert", *model.files(), "--input", given, "--output", there, "--json")
        if process.returncode != 0:
            return "refused", sentence(process)
        try:
            problem = model.compare(in_runtime(there, model.arrays("input.npz")))
        except Exception as error:  # of ONNX Runtime, none of them public
            problem = " ".join(str(error).split())[:200]
        if problem:
            return "fault", "ONNX Runtime: " + problem
        process = call(hscope, "convert", there, "--input", given, "--output", back, "--json")
        if process.returncode != 0:
            return "refused on the way back", sentence(process)
        files = [back + "-symbol.json"] + ([back + "-0000.params"] if os.path.exists(back + "-0000.params") else [])
        got, problem = here(hscope, files, given, folder)
        problem = problem or model.compare(got)
        return ("fault", "back: " + problem) if problem else ("equal", "")


def round_trip(options):
    chosen = [m for m in models(options.goldens, options.only) if m.is_usable()]
    with multiprocessing.pool.ThreadPool(options.jobs) as pool:
        results = list(zip(chosen, pool.map(lambda m: go_round(options.hscope, m), chosen, chunksize=1)))
    for kind in (True, False):
        sums, reasons = collections.Counter(), collections.Counter()
        for model, (verdict, why) in results:
            if bool(model.is_recurrent()) == kind:
                sums[verdict] += 1
                if verdict != "equal":
                    print("%s: %s: %s" % (model.name, verdict, why))
                    reasons[verdict, re.sub(r"“[^”]*”", "“…”", re.sub(r"^.*?onnx: ", "", why))[:150]] += 1
        print("%s: %s" % ("recurrent" if kind else "others", ", ".join("%d %s" % (n, v) for v, n in sums.most_common())))
        for (verdict, why), n in reasons.most_common():
            print("  %s: %d × %s" % (verdict, n, why))
    return any(verdict == "fault" for _, (verdict, _) in results)


# --- MXNet's own exporter ---

def export(options):
    import mxnet
    os.makedirs(options.folder, exist_ok=True)
    for model in models(options.goldens, options.only or "^(%s)$" % "|".join(TEN)):
        inputs = model.arrays("input.npz")
        path = os.path.join(options.folder, model.name + ".onnx")
        try:
            mxnet.onnx.export_model(model.symbol, model.params, [a.shape for a in inputs.values()], [a.dtype.type for a in inputs.values()], path)
            print("%s: written" % model.name)
        except Exception as error:  # whatever its translators raise
            print("%s: %s: %s" % (model.name, type(error).__name__, " ".join(str(error).split())[:200]))


def compare_weights(hscope, model, path, folder):
    import onnx
    from onnx import numpy_helper
    pair = os.path.join(folder, "pair.npz")
    call(hscope, "weights", model.params, "--to", pair)
    stored = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    with np.load(pair) as file:
        names = {re.sub("^(arg|aux):", "", n): file[n] for n in file.files}
    same = [n for n, a in names.items() if n in stored and stored[n].shape == a.shape and stored[n].tobytes() == a.tobytes()]
    return "%d of %d arrays are those of the pair, bit for bit" % (len(same), len(names))


def exported(options):
    for path in sorted(glob.glob(os.path.join(options.folder, "*.onnx"))):
        name = os.path.basename(path)[:-5]
        model = Model(os.path.join(options.goldens, "models", name))
        given = os.path.join(model.folder, "input.npz")
        with tempfile.TemporaryDirectory() as folder:
            findings = json.loads(call(options.hscope, "check", path, "--json").stdout).get("findings", [])
            print("%s: %s" % (name, compare_weights(options.hscope, model, path, folder) if model.params else "no parameters"))
            for finding in findings:
                if finding["severity"] != "note":
                    print("  %s %s: %s" % (finding["severity"], finding["code"], finding["message"]))
            try:
                problem = model.compare(in_runtime(path, model.arrays("input.npz")))
            except Exception as error:  # of ONNX Runtime, none of them public
                problem = " ".join(str(error).split())[:200]
            print("  ONNX Runtime: %s" % (problem or "MXNet's numbers"))
            got, problem = here(options.hscope, [path], given, folder)
            print("  hscope: %s" % (problem or model.compare(got) or "MXNet's numbers"))
            process = call(options.hscope, "prove", path, *model.files()[:1], *(["--params-b", model.params] if model.params else []),
                           "--input", given)
            print("  prove: status %d: %s" % (process.returncode, process.stdout.strip().partition("\n")[0] or sentence(process)))


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("round")
    one.add_argument("goldens")
    one.add_argument("hscope", type=os.path.abspath)
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    two = commands.add_parser("export")
    two.add_argument("goldens")
    two.add_argument("folder")
    three = commands.add_parser("exported")
    three.add_argument("goldens")
    three.add_argument("folder")
    three.add_argument("hscope", type=os.path.abspath)
    for command in (one, two):
        command.add_argument("--only", default="")
    options = parser.parse_args()
    return {"round": round_trip, "export": export, "exported": exported}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
