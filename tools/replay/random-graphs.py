#!/usr/bin/env python3
"""Compares random graphs with Apache MXNet 1.9.1: outputs, written states and gradients.

usage: tools/replay/random-graphs.py RANDOM-GRAPHS SAMPLES [--first N] [--count N] [--keep FOLDER]

RANDOM-GRAPHS is build/tests/fuzz/graphs/random-graphs, SAMPLES operator-samples.txt beside it.  Prints what differs and is not in
known-graphs.json, then sums and the operators that took part.  A graph that MXNet refuses or that ends its process is counted.  To be
run by a Python with mxnet 1.9.1 and numpy 1.23.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
import temporary_folder  # noqa: E402

BATCH = 200
RESULT = "result: "  # begins the lines of answers; MXNet writes others
# The differences of one type, relative to the element and to the largest one.
ROUNDING = {"float32": (1e-4, 1e-5), "float64": (1e-5, 1e-7), "float16": (1e-2, 1e-2)}


# --- In a process of its own, which MXNet may end ---

def differs(numpy, got, wanted, tolerance, is_half=False):
    """What differs, and where; None if nothing does.  is_half: half floats may have been computed in between."""
    if got.dtype.names == ("bfloat16",):
        got = (got["bfloat16"].astype(numpy.uint32) << 16).view(numpy.float32)
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"is {got.dtype} {got.shape} in MXNet, {wanted.dtype} {wanted.shape} here", None
    relative, absolute = ROUNDING.get("float16" if is_half and wanted.dtype.kind == "f" else wanted.dtype.name, (0, 0))
    a, b = got.astype(numpy.float64), wanted.astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        largest = numpy.abs(b[numpy.isfinite(b)]).max(initial=0)
        allowed = 4 * tolerance + relative * numpy.abs(b) + absolute * largest
        wrong = ~((a == b) | (numpy.isnan(a) & numpy.isnan(b)) | (numpy.abs(a - b) <= allowed)) & (tolerance >= 0)
    if not wrong.any():
        return None, None
    at = numpy.unravel_index(numpy.argmax(wrong), wrong.shape)
    return f"is {a[at]:.9g} in MXNet, {b[at]:.9g} here at {tuple(map(int, at))} ({int(wrong.sum())} of {wrong.size})", wrong


class Graph:
    """A graph in MXNet, and the arrays beside it."""

    def __init__(self, path):
        import mxnet
        import numpy
        text = path.read_text()
        archive = numpy.load(str(path).replace("-symbol.json", ".npz"))
        self.mxnet, self.numpy, self.training = mxnet, numpy, path.name.endswith("-training-symbol.json")
        self.arrays = collections.defaultdict(dict)
        for key in archive.files:
            kind, name = key.split(":", 1)
            self.arrays[kind][name] = archive[key]
        mxnet.util.set_np_shape("is_np_shape" in json.loads(text)["attrs"])
        # Tolerances do not know of half floats in bodies.
        self.is_half = '"subgraphs"' in text and ("float16" in text or any(v.dtype == "float16" for v in self.arrays["variable"].values()))
        self.symbol = mxnet.sym.load_json(text)
        self.states = self.symbol.list_auxiliary_states()
        self.wrt = [n for n in self.symbol.list_arguments() if n in self.arrays["gradient"]] if self.training else []

    def array(self, value):
        return self.mxnet.nd.array(value, dtype=value.dtype)

    def forward(self, given):
        """The executor after a run, and its outputs."""
        gradients = {n: self.mxnet.nd.zeros(given[n].shape, dtype=given[n].dtype) for n in self.wrt}
        names = self.symbol.list_arguments()
        executor = self.symbol.bind(self.mxnet.cpu(), {n: self.array(given[n]) for n in names}, args_grad=gradients or None,
                                    grad_req={n: "write" if n in self.wrt else "null" for n in names},
                                    aux_states={n: self.array(given[n]) for n in self.states})
        return executor, executor.forward(is_train=self.training)

    def quotient(self, name, at, step):
        """The change of all outputs, weighted by their gradients, for a change of one number of a variable."""
        sums = []
        for sign in (1, -1):
            given = dict(self.arrays["variable"])
            given[name] = given[name].copy()
            given[name][at] += sign * step
            _, outputs = self.forward(given)
            sums.append(sum(float(self.numpy.sum(o.asnumpy().astype(self.numpy.float64) * self.arrays["head"][str(i)].astype(self.numpy.float64)))
                            for i, o in enumerate(outputs)))
        return (sums[0] - sums[1]) / (2 * step)

    def is_fault(self, name, got, wrong):
        """Whether the gradient here is the difference quotient of MXNet's outputs, and that of MXNet is not."""
        for at in self.numpy.argwhere(wrong)[:4]:
            at = tuple(at)
            quotients = [self.quotient(name, at, step) for step in (1e-2, 3e-3)]
            ours, theirs = self.arrays["gradient"][name][at], got[at]
            if not any(abs(ours - q) < 0.2 * abs(theirs - q) or (abs(ours - q) < 1e-3 and not abs(theirs - q) < 1e-2) for q in quotients):
                return False
        return True


FAULT = "MXNet's gradient is not the difference quotient of its own outputs; the one here is"


REPEAT = "MXNet computes something else the next time: it reads memory that it has not written"


ALONE = "MXNet computes what is here if the other outputs are left out: one of its operators writes over an input that this one reads"


def is_same_alone(graph, name, tolerance):
    """Whether MXNet computes an output as it is here if it is the only one."""
    given = graph.arrays["variable"]
    output = graph.symbol[int(name)]
    executor = output.bind(graph.mxnet.cpu(), {n: graph.array(given[n]) for n in output.list_arguments()},
                           aux_states={n: graph.array(given[n]) for n in output.list_auxiliary_states()})
    got = executor.forward(is_train=graph.training)[0].asnumpy()
    return not differs(graph.numpy, got, graph.arrays["output"][name], tolerance, graph.is_half)[0]


def fill_memory(mxnet, value):
    """Leaves numbers in the memory that MXNet will use next."""
    arrays = [mxnet.nd.full((1 << i,), value) for i in range(14) for _ in range(6)]
    mxnet.nd.waitall()
    del arrays


def compute(graph, notes):
    """Outputs, written states and gradients by kind and name."""
    executor, outputs = graph.forward(graph.arrays["variable"])
    got = {("output", str(i)): o.asnumpy() for i, o in enumerate(outputs)}
    written = {n: executor.aux_dict[n].asnumpy() for n in graph.states}
    if graph.training and graph.wrt:
        try:
            executor.backward([graph.array(graph.arrays["head"][str(i)]) for i in range(len(outputs))])
            got.update({("gradient", n): executor.grad_dict[n].asnumpy() for n in graph.wrt})
        except Exception as problem:  # MXNet raises several kinds
            notes.append("no gradient: " + str(problem).strip().splitlines()[-1][-150:])
    # Some operators write their state in the backward pass only, and _contrib_SyncBatchNorm in both.
    for name, before in written.items():
        after = executor.aux_dict[name].asnumpy()
        tolerance = graph.arrays["written-tolerance"].get(name)
        is_here = tolerance is not None and not differs(graph.numpy, before, graph.arrays["written"][name], tolerance)[0]
        got["written", name] = before if is_here else after
    return got


def run_mxnet(path):
    """(verdict, sentences)"""
    notes = []
    try:
        graph = Graph(path)
        try:
            got = compute(graph, notes)
        except graph.mxnet.MXNetError as problem:
            if not graph.wrt:
                raise
            notes.append("no gradient: " + str(problem).strip().splitlines()[-1][-150:])
            graph.wrt = []
            got = compute(graph, notes)
    except Exception as problem:
        return "refused", [str(problem).strip().splitlines()[-1][-200:]]
    wrong = {}
    for (kind, name), value in got.items():
        tolerance = graph.arrays[kind + "-tolerance"].get(name)
        if tolerance is not None and name in graph.arrays[kind]:
            problem, where = differs(graph.numpy, value, graph.arrays[kind][name], tolerance, graph.is_half)
            if problem:
                wrong[kind, name] = problem, where
    sentences, again = [], []
    for value in (1e3, -7.0) if wrong else ():
        fill_memory(graph.mxnet, value)
        again.append(compute(graph, []))
    for (kind, name), (problem, where) in wrong.items():
        value, tolerance = got[kind, name], graph.arrays[kind + "-tolerance"][name]
        if where is not None and any(differs(graph.numpy, other[kind, name], value, tolerance)[0] for other in again):
            problem += ": " + REPEAT
        elif kind == "output" and is_same_alone(graph, name, tolerance):
            problem += ": " + ALONE
        elif kind == "gradient" and where is not None and graph.is_fault(name, value, where):
            problem += ": " + FAULT
        sentences.append(f"{kind} {name} {problem}")
    return ("different", sentences) if sentences else ("equal", notes)


def work():
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, 60)  # seconds of the processor, then the process ends
        print(RESULT + json.dumps(run_mxnet(pathlib.Path(line.strip()))), flush=True)


# --- Comparing ---

def nodes_behind(graph, heads):
    """Operators that heads depend on, bodies included."""
    found, todo = set(), [h[0] for h in heads]
    while todo:
        i = todo.pop()
        if i not in found:
            found.add(i)
            todo += [e[0] for e in graph["nodes"][i]["inputs"]]
    names = set()
    for i in found:
        names.add(graph["nodes"][i]["op"])
        for body in graph["nodes"][i].get("subgraphs", []):
            names |= nodes_behind(body, body["heads"])
    return names - {"null"}


def operators_of(path, sentence):
    """Operators that may be at fault: for an output those behind it, else all."""
    graph = json.loads(path.read_text())
    words = sentence.split()
    heads = [graph["heads"][int(words[1])]] if words[0] == "output" else graph["heads"]
    return nodes_behind(graph, heads)


def reason_of(known, path, sentence):
    operators = operators_of(path, sentence)
    for reason in (FAULT, REPEAT, ALONE):
        if sentence.endswith(reason):
            return reason
    for entry in known:
        if fnmatch.fnmatch(sentence, entry.get("message", "*")) and set(entry.get("operators", [])) <= operators:
            return entry["reason"]
    return None


def run_batch(paths):
    """Yields (path, verdict, sentences); a path that ends the process is a crash."""
    while paths:
        environment = dict(os.environ, OMP_NUM_THREADS="1", MXNET_SUBGRAPH_BACKEND="NONE", DMLC_LOG_STACK_TRACE_DEPTH="0")
        worker = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, env=environment)
        done = 0
        for path in paths:
            try:
                worker.stdin.write(f"{path}\n")
                worker.stdin.flush()
                line = next((line for line in worker.stdout if line.startswith(RESULT)), "")
            except BrokenPipeError:
                line = ""
            done += 1
            if not line:
                yield path, "crashed", []
                break
            yield (path, *json.loads(line[len(RESULT):]))
        worker.kill()
        worker.wait()
        paths = paths[done:]


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("samples")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--keep")
    options = parser.parse_args()
    known = json.loads((pathlib.Path(__file__).parent / "known-graphs.json").read_text())
    counts, reasons, refusals, used = collections.Counter(), collections.Counter(), collections.Counter(), set()
    for first in range(options.first, options.first + options.count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([options.program, options.samples, "--first", str(first), "--count", str(min(BATCH, options.first + options.count - first)),
                            "--write", folder], stdout=subprocess.DEVNULL, check=False)
            paths = sorted(pathlib.Path(folder).glob("*-symbol.json"), key=lambda p: int(p.name.split("-")[0]))
            for path, verdict, sentences in run_batch(paths):
                unknown = []
                if verdict == "different":
                    found = [(s, reason_of(known, path, s)) for s in sentences]
                    unknown = [s for s, reason in found if not reason]
                    reasons.update({reason for _, reason in found if reason})
                    verdict = "different" if unknown else "different, with a reason"
                elif verdict == "refused":
                    refusals.update(s[-70:] for s in sentences)
                elif sentences:
                    refusals.update(s[-70:] for s in sentences)
                counts[verdict] += 1
                if verdict == "equal":
                    used |= operators_of(path, "all")
                for sentence in unknown:
                    print(f"{path.name}: {sentence}: {' '.join(sorted(operators_of(path, sentence)))}", flush=True)
                if options.keep and (unknown or verdict == "crashed"):
                    for kept in (path, pathlib.Path(str(path).replace("-symbol.json", ".npz"))):
                        shutil.copy(kept, options.keep)
    print(", ".join(f"{verdict} {n}" for verdict, n in sorted(counts.items())))
    print(f"{len(used)} operators in graphs that are equal")
    for title, counter in (("reasons", reasons), ("refused by MXNet", refusals)):
        print(title + ":")
        for text, n in counter.most_common(40):
            print(f"  {n:5} {text}")
    return counts["different"] > 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        sys.exit(main())
