"""golden.py — writes cases of operators as MXNet 1.9.1 computes them.

Every script beside this file makes the cases of one group of operators with it. The files have the format that README.md describes;
tests/engine/goldens/test-goldens-ops reads them. MXNet's own kernels are used: oneDNN is off, and so is fusion.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import contextlib
import io
import json
import os
import pathlib
import sys
import zipfile
import zlib

os.environ.setdefault("MXNET_MKLDNN_ENABLED", "0")
os.environ.setdefault("MXNET_USE_FUSION", "0")
os.environ.setdefault("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import mxnet as mx      # noqa: E402  the switches above are read while importing
import numpy as np      # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "goldens" / "generated"

# Relative and absolute tolerance by the widest error that a float type brings.
TOLERANCES = {"float16": (4e-3, 1e-3), "float32": (1e-5, 1e-6), "float64": (1e-10, 1e-12)}


def is_float(array):
    return array.dtype.kind == "f"


def random_for(*names):
    """A generator whose numbers depend on the names alone."""
    return np.random.RandomState(zlib.crc32("/".join(names).encode()) & 0x7FFFFFFF)


def default_tolerance(arrays):
    kinds = {array.dtype.name for array in arrays if is_float(array)}
    for kind in ("float16", "float32", "float64"):
        if kind in kinds:
            return TOLERANCES[kind]
    return 0.0, 0.0


def shape_record(symbol, inputs):
    """What MXNet infers from the fewest leading inputs that suffice; None if it infers nothing."""
    names = [name for name in symbol.list_inputs() if name in inputs]
    for count in range(len(names) + 1):
        given = {name: inputs[name].shape for name in names[:count]}
        try:
            arguments, outputs, states = symbol.infer_shape_partial(**given)
        except mx.MXNetError:
            continue
        if outputs is None or any(shape is None or -1 in shape or (0 in shape and not mx.is_np_shape())
                                  for shape in [*arguments, *outputs, *states]):
            continue
        if not mx.is_np_shape() and any(len(shape) == 0 for shape in [*arguments, *outputs, *states]):
            continue
        known = dict(zip(symbol.list_arguments(), arguments))
        known.update(zip(symbol.list_auxiliary_states(), states))
        return {"given": {name: list(shape) for name, shape in given.items()},
                "arguments": {name: list(shape) for name, shape in known.items()},
                "outputs": [list(shape) for shape in outputs]}
    return None


class Cases:
    """The cases of one operator. Its name is the name of the two files."""

    def __init__(self, op):
        self.op, self.cases, self.arrays = op, [], {}

    def add(self, name, symbol, inputs, note="", train=None, backward=True, no_gradient=(), tolerance=None,
            infers=True, numpy=False, statistics=None, dynamic=False):
        """One case.

        symbol       an mx.symbol of one or a few nodes
        inputs       arrays by name: arguments and auxiliary states
        train        training mode; by default where gradients are recorded
        no_gradient  arguments whose gradient MXNet does not define (indices, labels, lengths); integers never get one
        tolerance    (rtol, atol); by default that of the least exact float type
        infers       False where shapes cannot be inferred before running
        numpy        with NumPy's shapes: () is a scalar, 0 an empty dimension
        statistics   of random operators: {"out/0": {"mean": .., "mean_tol": .., ..}}; nothing else is recorded then
        dynamic      the shapes of outputs depend on values, so that MXNet cannot bind the graph; no gradients
        """
        assert name not in [case["name"] for case in self.cases], name
        scope = mx.util.np_shape(True) if numpy else contextlib.nullcontext()
        inputs = {key: np.asarray(value) for key, value in inputs.items()}
        with scope:
            if dynamic:
                self._add_dynamic(name, symbol, inputs, note, tolerance)
                return
            self._add(name, symbol, inputs, note, backward if train is None else train, backward and not statistics,
                      no_gradient, tolerance, infers, statistics)

    def _add(self, name, symbol, inputs, note, train, backward, no_gradient, tolerance, infers, statistics):
        arrays = {key: mx.nd.array(value, dtype=value.dtype) for key, value in inputs.items()}
        arguments = {key: arrays[key] for key in symbol.list_arguments()}
        states = {key: arrays[key] for key in symbol.list_auxiliary_states()}
        wanted = [key for key in arguments if backward and is_float(inputs[key]) and key not in no_gradient]
        gradients = {key: mx.nd.zeros(inputs[key].shape, dtype=inputs[key].dtype) for key in wanted}
        executor = symbol.bind(mx.cpu(), arguments, args_grad=gradients,
                               grad_req={key: "write" if key in wanted else "null" for key in arguments}, aux_states=states)
        found = {f"in/{key}": value for key, value in inputs.items()}
        outputs = [output.asnumpy() for output in executor.forward(is_train=train)]
        if not statistics:
            found.update({f"out/{i}": output for i, output in enumerate(outputs)})
        if wanted:
            heads = self._heads(name, outputs)
            executor.backward([mx.nd.array(head, dtype=head.dtype) for head in heads])
            found.update({f"head/{i}": head for i, head in enumerate(heads)})
            found.update({f"grad/{key}": gradients[key].asnumpy() for key in wanted})
        if train:
            found.update({f"aux/{key}": states[key].asnumpy() for key in states})
        rtol, atol = tolerance or default_tolerance([*inputs.values(), *outputs])
        case = {"name": name, "note": note, "mode": "train" if train else "infer", "rtol": rtol, "atol": atol,
                "backward": bool(wanted), "symbol": json.loads(symbol.tojson()),
                "shape_inference": shape_record(symbol, inputs) if infers else None}
        if statistics:
            case["statistics"] = statistics
        self.cases.append(case)
        self.arrays.update({f"{name}/{key}": value for key, value in found.items()})
        if wanted:
            self._compare_with_quotients(name, symbol, inputs, found, wanted, train)

    def _add_dynamic(self, name, symbol, inputs, note, tolerance):
        outputs = mx.nd.CachedOp(symbol)(*[mx.nd.array(inputs[key], dtype=inputs[key].dtype) for key in symbol.list_inputs()])
        outputs = [output.asnumpy() for output in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
        rtol, atol = tolerance or default_tolerance([*inputs.values(), *outputs])
        self.cases.append({"name": name, "note": note, "mode": "infer", "rtol": rtol, "atol": atol, "backward": False,
                           "symbol": json.loads(symbol.tojson()), "shape_inference": None})
        self.arrays.update({f"{name}/in/{key}": value for key, value in inputs.items()})
        self.arrays.update({f"{name}/out/{i}": output for i, output in enumerate(outputs)})

    def _heads(self, name, outputs):
        random = random_for(self.op, name, "head")
        return [random.uniform(-1, 1, output.shape).astype(output.dtype) if is_float(output) else np.zeros_like(output)
                for output in outputs]

    def _compare_with_quotients(self, name, symbol, inputs, found, wanted, train):
        """Prints where MXNet's gradient is not the difference quotient of its forward pass in float64."""
        wide = {key: value.astype("float64") if is_float(value) else value for key, value in inputs.items()}

        def value_of(arrays):
            executor = symbol.bind(mx.cpu(), {key: mx.nd.array(arrays[key], dtype=arrays[key].dtype)
                                              for key in symbol.list_arguments()},
                                   aux_states={key: mx.nd.array(arrays[key], dtype=arrays[key].dtype)
                                               for key in symbol.list_auxiliary_states()}, grad_req="null")
            return sum(float((output.asnumpy().astype("float64") * found[f"head/{i}"]).sum())
                       for i, output in enumerate(executor.forward(is_train=train)))

        try:
            for key in wanted:
                for at in list(np.ndindex(wide[key].shape))[:24]:
                    up, down = dict(wide), dict(wide)
                    up[key], down[key] = wide[key].copy(), wide[key].copy()
                    up[key][at] += 1e-5
                    down[key][at] -= 1e-5
                    quotient = (value_of(up) - value_of(down)) / 2e-5
                    got = float(found[f"grad/{key}"][at])
                    if not abs(got - quotient) <= 2e-2 * abs(quotient) + 2e-3:
                        print(f"{self.op}/{name}: gradient of {key}{list(at)} is {got:g}, difference quotient {quotient:g}")
                        break
        except mx.MXNetError:
            pass    # not every operator takes float64

    def write(self):
        """Writes the two files. The same cases give the same bytes."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        lines = ",\n".join(json.dumps(case, separators=(", ", ": ")) for case in self.cases)
        (FOLDER / f"{self.op}.json").write_text(f'{{"op": {json.dumps(self.op)}, "cases": [\n{lines}\n]}}\n')
        with zipfile.ZipFile(FOLDER / f"{self.op}.npz", "w", zipfile.ZIP_STORED) as archive:
            for key, value in self.arrays.items():
                member = io.BytesIO()
                np.lib.format.write_array(member, np.require(value, requirements="C"), allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(f"{key}.npy", date_time=(1980, 1, 1, 0, 0, 0)), member.getvalue())
        print(f"{self.op}: {len(self.cases)} cases", file=sys.stderr)


def refused(symbol, inputs, numpy=False):
    """MXNet's message if it refuses to infer, bind or run the graph; None if it computes it."""
    scope = mx.util.np_shape(True) if numpy else contextlib.nullcontext()
    try:
        with scope:
            arrays = {key: mx.nd.array(np.asarray(value), dtype=np.asarray(value).dtype) for key, value in inputs.items()}
            executor = symbol.bind(mx.cpu(), {key: arrays[key] for key in symbol.list_arguments()},
                                   aux_states={key: arrays[key] for key in symbol.list_auxiliary_states()}, grad_req="null")
            for output in executor.forward():
                output.asnumpy()
    except (mx.MXNetError, IndexError, TypeError, ValueError) as error:
        return str(error).strip().splitlines()[-1]
    return None
