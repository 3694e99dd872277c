"""sizes.py — finds sizes that MXNet refuses and hscope accepts, and the reverse.

Takes the graphs of goldens, changes one size of one attribute or makes one dimension of an input empty, and compares what MXNet and
hscope make of it: refused, or which shapes and numbers. README.md in this folder says how to run it. Start at main().

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import ast
import collections
import contextlib
import copy
import ctypes
import fnmatch
import json
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys
import tempfile

os.environ.setdefault("MXNET_MKLDNN_ENABLED", "0")
os.environ.setdefault("MXNET_USE_FUSION", "0")
os.environ.setdefault("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import mxnet as mx      # noqa: E402  the switches above are read while importing
import numpy as np      # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
import temporary_folder  # noqa: E402

# What a size becomes, besides one more than it was.
SIZES = (0, -1, 100)
# A run that takes longer counts as one that does not end.
SECONDS = 10
BYTES = 6 << 30
# Numbers of these are not compared.
RANDOM = ("*random*", "*sample*", "*shuffle*", "Dropout", "*dropout*", "_npi_*normal*", "_npi_choice", "*multinomial*", "*uniform*", "*gumbel*",
          "*exponential*", "*gamma*", "*poisson*", "*empty*")


def attribute_types(op):
    """Attribute → type as MXNet's registry names it."""
    library, handle = mx.base._LIB, ctypes.c_void_p()
    mx.base.check_call(library.NNGetOpHandle(op.encode(), ctypes.byref(handle)))
    texts = [ctypes.c_char_p() for _ in range(4)]
    lists = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
    count = ctypes.c_uint()
    mx.base.check_call(library.MXSymbolGetAtomicSymbolInfo(
        handle, ctypes.byref(texts[0]), ctypes.byref(texts[1]), ctypes.byref(count), *map(ctypes.byref, lists), ctypes.byref(texts[2]),
        ctypes.byref(texts[3])))
    return {lists[0][i].decode(): lists[1][i].decode() for i in range(count.value)}


def number_of(text):
    """The value of an attribute if it is a whole number or a tuple of such, else None."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if isinstance(value, bool):
        return None
    if isinstance(value, (tuple, list)) and value and all(isinstance(part, int) and not isinstance(part, bool) for part in value):
        return tuple(value)
    return value if isinstance(value, int) else None


def changed_values(value):
    """Values beside this one."""
    if isinstance(value, int):
        return [part for part in (*SIZES, value + 1) if part != value]
    found = [value[:i] + (part,) + value[i + 1:] for i in range(len(value)) for part in (*SIZES, value[i] + 1) if part != value[i]]
    return found + [value[:-1], value + value[-1:]]


def added_values(kind, rank):
    """Values of an attribute that the graph does not give."""
    if kind.startswith(("int", "long")):
        return [0, -1, 1, 100]
    if kind.startswith(("Shape", "tuple")):
        return [(size,) * rank for size in (0, -1, 1, 100)]
    return []


def mutants(document, case, arrays):
    """(what, symbol, arrays, numpy) of one case: the case itself, and every change of one size."""
    symbol = case["symbol"]
    numpy = "is_np_shape" in symbol.get("attrs", {})
    yield "as it is", symbol, arrays, numpy
    for number, node in enumerate(symbol["nodes"]):
        if node["op"] == "null" or node.get("subgraphs"):
            continue
        attributes = node.get("attrs", {})
        rank = max([len(value) for value in map(number_of, attributes.values()) if isinstance(value, tuple)], default=2)
        changes = [(key, value) for key, text in attributes.items() if number_of(text) is not None
                   for value in changed_values(number_of(text))]
        changes += [(key, value) for key, kind in attribute_types(node["op"]).items() if key not in attributes and not key.startswith("__")
                    for value in added_values(kind, rank)]
        for key, value in changes:
            other = copy.deepcopy(symbol)
            other["nodes"][number].setdefault("attrs", {})[key] = str(value)
            yield f"{node['op']} {key}={value}", other, arrays, numpy
    for name, array in arrays.items():
        for axis in range(array.ndim):
            if array.shape[axis] != 0:
                shape = array.shape[:axis] + (0,) + array.shape[axis + 1:]
                other = copy.deepcopy(symbol)
                other.setdefault("attrs", {})["is_np_shape"] = ["int", 1]
                yield f"{name} has the shape {shape}", other, {**arrays, name: np.zeros(shape, array.dtype)}, True


def fit_shapes(symbol, case, arrays):
    """Gives arrays whose shapes MXNet infers these shapes, so that a change of an attribute does not contradict the weights."""
    given = (case.get("shape_inference") or {}).get("given")
    if not given:
        return arrays
    try:
        arguments, _, states = symbol.infer_shape(**{name: arrays[name].shape for name in given})
    except (mx.MXNetError, ValueError):
        return arrays
    if arguments is None:
        return arrays
    known = dict(zip(symbol.list_arguments(), arguments))
    known.update(zip(symbol.list_auxiliary_states(), states))
    if sum(np.prod(shape, dtype=float) for shape in known.values()) > 1e7:
        return arrays
    return {name: array if tuple(known.get(name, array.shape)) == array.shape else np.resize(array, known[name])
            for name, array in arrays.items()}


def ask_mxnet(case, mutant, folder, number):
    """{"refused": message} or {"shapes": …}; writes the arrays that it was asked with, and its outputs."""
    what, document, arrays, numpy = mutant
    scope = mx.util.np_shape(True) if numpy else contextlib.nullcontext()
    np.savez(folder / f"{number}-in.npz", **arrays)
    try:
        with scope:
            symbol = mx.sym.load_json(json.dumps(document))
            arrays = fit_shapes(symbol, case, arrays)
            np.savez(folder / f"{number}-in.npz", **arrays)
            values = {name: mx.nd.array(array, dtype=array.dtype) for name, array in arrays.items()}
            executor = symbol.bind(mx.cpu(), {name: values[name] for name in symbol.list_arguments()},
                                   aux_states={name: values[name] for name in symbol.list_auxiliary_states()}, grad_req="null")
            outputs = [output.asnumpy() for output in executor.forward(is_train=False)]
    except (mx.MXNetError, IndexError, TypeError, ValueError, KeyError) as error:
        return {"refused": (str(error).strip().splitlines() or ["?"])[-1][:200]}
    np.savez(folder / f"{number}-out.npz", **{str(i): output for i, output in enumerate(outputs)})
    return {"shapes": [list(output.shape) for output in outputs]}


def ask_all(case, todo, folder):
    """MXNet's answers, asked in processes of their own, because some sizes end MXNet or never end."""
    answers = []
    while len(answers) < len(todo):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            for number in range(len(answers), len(todo)):
                os.write(writer, (json.dumps(ask_mxnet(case, todo[number], folder, number)) + "\n").encode())
            os._exit(0)
        os.close(writer)
        answers += read_lines(reader)
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if len(answers) < len(todo):
            own = os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGKILL
            answers.append({"died": signal.Signals(os.WTERMSIG(status)).name if own else "it does not end, or ends by itself"})
    return answers


def read_lines(reader):
    """The answers until the pipe ends or nothing comes for SECONDS."""
    text = b""
    while select.select([reader], [], [], SECONDS)[0]:
        part = os.read(reader, 1 << 16)
        if not part:
            break
        text += part
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


def ask_hscope(hscope, mutant, folder, number):
    symbol = folder / f"{number}-symbol.json"
    symbol.write_text(json.dumps(mutant[1]))
    out = folder / "hscope.npz"
    out.unlink(missing_ok=True)
    try:
        result = subprocess.run([hscope, "run", symbol, "--input", folder / f"{number}-in.npz", "--output", out, "--threads", "1",
                                 "--limit-memory", "4G"], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"died": "it does not end"}, []
    if result.returncode < 0:
        return {"died": signal.Signals(-result.returncode).name}, []
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if line and not line.startswith("warning")]
        return {"refused": (lines or ["no message"])[0].replace(str(folder) + "/", "")[:300]}, []
    with np.load(out) as archive:
        outputs = [archive[key] for key in archive.files]
    return {"shapes": [list(output.shape) for output in outputs]}, outputs


def numbers_differ(case, mutant, folder, number, ours):
    ops = {node["op"] for node in mutant[1]["nodes"]}
    if any(fnmatch.fnmatch(op, pattern) for op in ops for pattern in RANDOM):
        return False
    with np.load(folder / f"{number}-out.npz") as archive:
        theirs = [archive[key] for key in archive.files]
    return not all(np.allclose(got.astype("float64"), want.astype("float64"), rtol=max(1e-4, case["rtol"]), atol=max(1e-5, case["atol"]),
                               equal_nan=True) for got, want in zip(ours, theirs))


def judge(mxnet, ours, differ):
    if "died" in ours:
        return "hscope died"
    if "died" in mxnet:
        return "MXNet died" if "shapes" in ours else "same"
    if "refused" in mxnet:
        return "only MXNet refuses" if "shapes" in ours else "same"
    if "refused" in ours:
        return "only hscope refuses"
    return "shapes differ" if mxnet["shapes"] != ours["shapes"] else "numbers differ" if differ else "same"


def compare_file(path, options, out):
    """All cases of one file of goldens. Changes that were tried with an earlier case are not tried again with the same inputs."""
    document, tried = json.loads(path.read_text()), set()
    with np.load(path.with_suffix(".npz")) as archive:
        everything = {key: archive[key] for key in archive.files}
    for case in document["cases"][:options.cases]:
        prefix = case["name"] + "/in/"
        arrays = {key[len(prefix):]: value for key, value in everything.items() if key.startswith(prefix)}
        if any(node.get("subgraphs") for node in case["symbol"]["nodes"]) or case["mode"] == "train" and not case["backward"]:
            continue
        todo = []
        for mutant in mutants(document, case, arrays):
            key = (mutant[0], tuple(sorted((name, array.ndim, array.dtype.name) for name, array in arrays.items())))
            if key not in tried:
                tried.add(key)
                todo.append(mutant)
        with tempfile.TemporaryDirectory(prefix="sizes-") as place:
            folder = pathlib.Path(place)
            answers = ask_all(case, todo, folder)
            for number, (mutant, mxnet) in enumerate(zip(todo, answers)):
                ours, outputs = ask_hscope(options.hscope, mutant, folder, number)
                differ = "shapes" in mxnet and mxnet == ours and numbers_differ(case, mutant, folder, number, outputs)
                out.write(json.dumps({"op": document["op"], "case": case["name"], "change": mutant[0], "state": judge(mxnet, ours, differ),
                                      "mxnet": mxnet, "hscope": ours}) + "\n")
    out.flush()


def main():
    temporary_folder.use()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders of goldens")
    parser.add_argument("--ops", nargs="*", default=["*"], help="which operators, such as 'Pool*'")
    parser.add_argument("--cases", type=int, default=3, help="how many cases of each operator")
    parser.add_argument("--hscope", default="build/app/hscope")
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path("sizes.jsonl"), help="results, written anew")
    options = parser.parse_args()
    with options.rows.open("w") as out:
        for path in sorted((path for folder in options.folders for path in folder.glob("*.json")), key=lambda path: path.name):
            if path.with_suffix(".npz").exists() and any(fnmatch.fnmatch(path.stem, pattern) for pattern in options.ops):
                compare_file(path, options, out)
    rows = [json.loads(line) for line in options.rows.read_text().splitlines()]
    print(json.dumps(collections.Counter(row["state"] for row in rows)))
    for row in rows:
        if row["state"] != "same":
            print(f"{row['op']}/{row['case']}: {row['change']}: {row['state']}: MXNet {row['mxnet']}, hscope {row['hscope']}")


if __name__ == "__main__":
    main()
