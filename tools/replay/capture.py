"""capture.py — runs MXNet's own unit tests and writes the graphs that they run as goldens.

The tests are not in the tree: the folder of a checkout of MXNet 1.9.1 is an argument. README.md says how to run it and what
is recorded. Graphs come from executors, from hybridized blocks and from single operators; start at main().

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "goldens"))
import golden           # noqa: E402  sets the switches that MXNet reads while it is imported
from golden import mx, np       # noqa: E402

import pytest           # noqa: E402

import watch            # noqa: E402

MODULES = ("test_symbol", "test_loss", "test_gluon_rnn", "test_contrib_control_flow", "test_contrib_operator", "test_gluon",
           "test_operator")

# Tests that took longer are stopped; the graphs that they ran until then are kept.
SECONDS_PER_TEST = 30

# A golden holds one tolerance: that of the least exact type in it. Contractions and chains of operators sum in another order.
TOLERANCES = {"float16": (1e-2, 1e-2), "float32": (1e-3, 1e-4), "float64": (1e-6, 1e-7)}

# Cases of one operator, and of graphs of one test.
CASES_PER_OPERATOR = 50
CASES_PER_TEST = 25

PLAIN = {"float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool"}


def operators_of(graph):
    """The names of the operators in a graph read from JSON, with those of its bodies."""
    names = []
    for node in graph["nodes"]:
        if node["op"] != "null":
            names.append(node["op"])
        for body in node.get("subgraphs", []):
            names.extend(operators_of(body))
    return names


def without_names(graph):
    """What two graphs that differ in names alone have in common."""
    return [[node["op"], sorted(node.get("attrs", {}).items()) if node["op"] != "null" else [], node["inputs"],
             [without_names(body) for body in node.get("subgraphs", [])]] for node in graph["nodes"]] + [graph["heads"]]


class Writer:
    """Sorts what was seen into files of goldens."""

    def __init__(self, folder):
        self.folder, self.seen, self.files = folder, set(), {}
        self.counts = {"same as another": 0, "beyond the limit of its group": 0, "too large": 0, "sparse": 0,
                       "failed in MXNet": 0, "tests": 0, "tests stopped or left out for time": 0, "not repeatable": 0, "kept": 0}

    def take(self, run, test):
        """Keeps a run that watch saw in a test, unless there is one like it."""
        if run.left_out:
            self.counts[run.left_out] += 1
            return
        graph = json.loads(run.symbol_text)
        shapes = [[list(array.shape), array.dtype.name] for array in run.inputs.values()]
        key = json.dumps([without_names(graph), shapes, run.train, run.wants_gradient, run.numpy])
        if key in self.seen:
            self.counts["same as another"] += 1
            return
        names = operators_of(graph)
        single = len(names) == 1
        group = names[0] if single else test
        if len(self.files.setdefault(group, [])) >= (CASES_PER_OPERATOR if single else CASES_PER_TEST):
            self.counts["beyond the limit of its group"] += 1
            return
        self.seen.add(key)
        try:
            found, statistics = run.finish()
        except (mx.MXNetError, ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError) as error:
            print(f"{group}, {run.kind}, fails in MXNet: {str(error).strip().splitlines()[-1:]}", file=sys.stderr)
            self.counts["failed in MXNet"] += 1
            return
        if not {array.dtype.name for array in found.values()} <= PLAIN:
            self.counts["failed in MXNet"] += 1
            return
        self.counts["kept"] += 1
        if statistics:
            self.counts["not repeatable"] += 1
        self.add(group, graph, run, found, statistics, test)

    def add(self, group, graph, run, found, statistics, test):
        kinds = {array.dtype.name for array in found.values()}
        rtol, atol = next((TOLERANCES[kind] for kind in ("float16", "float32", "float64") if kind in kinds), (0.0, 0.0))
        case = {"name": f"c{len(self.files[group])}", "note": f"{test}, {run.kind}", "mode": "train" if run.train else "infer",
                "rtol": rtol, "atol": atol, "backward": any(key.startswith("grad/") for key in found),
                "symbol": graph, "shape_inference": None, "operators": sorted(set(operators_of(graph)))}
        if statistics:
            case["statistics"] = statistics
        self.files[group].append((case, found))

    def write(self):
        """Writes everything, in place of what an earlier capture of the same tests wrote."""
        shutil.rmtree(self.folder, ignore_errors=True)
        golden.FOLDER = self.folder
        for group, cases in self.files.items():
            if not cases:
                continue
            out = golden.Cases(group)
            out.cases = [case for case, _ in cases]
            out.arrays = {f"{case['name']}/{key}": value for case, found in cases for key, value in found.items()}
            out.write()


class Plugin:
    """Passes what a test ran to the writer when the test ends, and stops tests that take too long."""

    def __init__(self, writer, watcher, seconds, part):
        self.writer, self.watcher, self.part = writer, watcher, part
        self.end = time.monotonic() + seconds

    def pytest_collection_modifyitems(self, items):
        which, parts = map(int, self.part.split("/"))
        items[:] = items[which::parts]

    def pytest_runtest_setup(self, item):
        self.writer.counts["tests"] += 1
        if time.monotonic() > self.end:
            self.writer.counts["tests stopped or left out for time"] += 1
            pytest.skip("no time left")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        def stop(*_):
            self.writer.counts["tests stopped or left out for time"] += 1
            raise TimeoutError("the test takes too long")

        self.watcher.runs, self.watcher.active = [], True
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(SECONDS_PER_TEST)
        yield
        signal.alarm(0)
        self.watcher.active = False
        mx.util.set_np_shape(False)
        for run in self.watcher.runs:
            self.writer.take(run, f"{item.module.__name__}.{item.name}")
        self.watcher.runs = []
        mx.util.reset_np()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", help="folder of a checkout of MXNet 1.9.1")
    parser.add_argument("folder", help="where the goldens are written, in parts/")
    parser.add_argument("--modules", nargs="*", default=MODULES, help="some of the test files, without .py")
    parser.add_argument("--only", default="", help="tests whose names match (pytest -k)")
    parser.add_argument("--seconds", type=float, default=1e9, help="after this time the remaining tests of a file are left out")
    parser.add_argument("--part", default="0/1", help="I/N: every N-th test, from number I, so that several processes share the work")
    parser.add_argument("--largest", type=int, default=watch.LARGEST, help="graphs with an array of more numbers are left out")
    arguments = parser.parse_args()
    watch.LARGEST = arguments.largest
    folder = pathlib.Path(arguments.folder).resolve()
    tests = pathlib.Path(arguments.checkout).resolve() / "tests" / "python" / "unittest"
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    watcher = watch.Watcher()
    watcher.install()
    sys.path[:0] = [str(tests), str(tests.parent / "common")]
    os.chdir(folder)
    for module in arguments.modules:
        label = f"{module}-{arguments.part.replace('/', '-of-')}"
        if os.environ["MXNET_MKLDNN_ENABLED"] != "0":
            label += "-onednn"
        writer = Writer(folder / "parts" / label)
        watcher.counts = {"seen": 0, "same as another": 0}
        pytest.main(["-q", "-p", "no:cacheprovider", "--tb=line", "--no-header", "-W", "ignore",
                     "--rootdir", str(tests), *(["-k", arguments.only] if arguments.only else []), str(tests / f"{module}.py")],
                    plugins=[Plugin(writer, watcher, arguments.seconds, arguments.part)])
        writer.write()
        for key, count in watcher.counts.items():
            writer.counts[key] = writer.counts.get(key, 0) + count
        (folder / "parts" / f"{label}.json").write_text(json.dumps(writer.counts, indent=1) + "\n")
        print(module, writer.counts, file=sys.stderr)


if __name__ == "__main__":
    main()
