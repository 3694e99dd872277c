"""watch.py — sees every graph that Python code runs in MXNet: what goes in, what comes out, which gradients.

Watcher.install() replaces four functions of MXNet's Python by ones that look and pass on. A Run is one graph with its numbers.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import ctypes
import json

from golden import is_float, mx, np, random_for

# Numbers of one array; larger ones fill the disk and show nothing more.
LARGEST = 20000

# A gradient that is still this number was not written by MXNet.
UNWRITTEN = 12345.0


def copied(array):
    """The numbers of an array of MXNet, or None if it is large."""
    if array.stype == "default" and array.size <= LARGEST:
        return array.asnumpy().copy()
    return None


def why_not(arrays):
    """Why arrays cannot be recorded, or None."""
    if any(array.stype != "default" for array in arrays):
        return "sparse"
    return "too large" if any(array.size > LARGEST for array in arrays) else None


class Run:
    """One run of a graph: inputs as they were before, outputs as they came."""

    def __init__(self, kind, symbol_text, train, wants_gradient):
        self.kind, self.symbol_text, self.train, self.wants_gradient = kind, symbol_text, train, wants_gradient
        self.numpy = bool(mx.is_np_shape())
        self.left_out, self.inputs, self.outputs = None, {}, []
        self.heads, self.gradients, self.states = None, {}, {}

    def finish(self):
        """Runs the graph a second time and returns (arrays of the golden, statistics of outputs that are not repeatable).

        Where the test computed no gradient but recorded one (autograd), it is computed here, with random head gradients."""
        with mx.util.np_shape(self.numpy):
            symbol = mx.sym.load_json(self.symbol_text)
            found = {f"in/{name}": value for name, value in self.inputs.items()}
            found.update({f"out/{i}": value for i, value in enumerate(self.outputs)})
            outputs, extra = self._again(symbol)
        statistics = {}
        for i, (one, two) in enumerate(zip(self.outputs, outputs)):
            if one.shape != two.shape or not np.allclose(one, two, rtol=1e-3, atol=1e-5, equal_nan=True):
                statistics[f"out/{i}"] = {"shape": list(two.shape), "dtype": two.dtype.name}
            if one.dtype != two.dtype:      # the type came from an array that the test gave for the result
                found[f"out/{i}"] = two
        if statistics:
            return {key: value for key, value in found.items() if key.startswith("in/")}, statistics
        if self.gradients:
            found.update({f"head/{i}": value for i, value in enumerate(self.heads)})
            found.update({f"grad/{name}": value for name, value in self.gradients.items()})
            found.update({f"aux/{name}": value for name, value in self.states.items()})
        else:
            found.update(extra)
        return found, None

    def _again(self, symbol):
        arrays = {name: mx.nd.array(value, dtype=value.dtype) for name, value in self.inputs.items()}
        names, states = symbol.list_arguments(), symbol.list_auxiliary_states()
        wanted = [name for name in names if is_float(self.inputs[name])] if self.wants_gradient and not self.gradients else []
        gradients = {name: mx.nd.full(self.inputs[name].shape, UNWRITTEN, dtype=self.inputs[name].dtype) for name in wanted}
        try:
            return self._bound(symbol, arrays, gradients)
        except mx.MXNetError:
            if not wanted:
                raise
            arrays = {name: mx.nd.array(value, dtype=value.dtype) for name, value in self.inputs.items()}
            return self._bound(symbol, arrays, {})

    def _bound(self, symbol, arrays, gradients):
        names, states = symbol.list_arguments(), symbol.list_auxiliary_states()
        executor = symbol.bind(mx.cpu(), {name: arrays[name] for name in names}, args_grad=gradients or None,
                               grad_req={name: "write" if name in gradients else "null" for name in names},
                               aux_states={name: arrays[name] for name in states})
        outputs = [output.asnumpy().copy() for output in executor.forward(is_train=self.train)]
        if not gradients:
            return outputs, {}
        random = random_for("head", self.symbol_text)
        heads = [random.uniform(-1, 1, output.shape).astype(output.dtype) if is_float(output) else np.zeros_like(output)
                 for output in outputs]
        executor.backward([mx.nd.array(head, dtype=head.dtype) for head in heads])
        extra = {f"grad/{name}": value.asnumpy() for name, value in gradients.items()}
        extra = {key: value for key, value in extra.items() if value.size and not (value == UNWRITTEN).all()}
        if extra:
            extra.update({f"head/{i}": head for i, head in enumerate(heads)})
            if self.train:
                extra.update({f"aux/{name}": arrays[name].asnumpy() for name in states})
        return outputs, extra


class Watcher:
    """The runs of the current test."""

    def __init__(self):
        self.runs, self.active, self._inside, self._symbols, self._names = [], False, False, {}, {}
        self.counts, self._met = {"seen": 0, "same as another": 0}, {}

    def install(self):
        self._operators()
        self._cached()
        self._executors()

    def _quiet(self, look, *arguments):
        """Looks without being watched itself; nothing that goes wrong while looking reaches the test."""
        if not self.active or self._inside:
            return None
        self._inside = True
        try:
            return look(*arguments)
        except (mx.MXNetError, ValueError, TypeError, KeyError, AttributeError, NotImplementedError):
            return None
        finally:
            self._inside = False

    def _met_before(self, arrays, *key):
        """Whether the same graph has run with the same shapes and types; numbers are copied only where it has not."""
        key = (*key, mx.autograd.is_training(), mx.autograd.is_recording(), mx.is_np_shape(),
               *((array.shape, array.dtype) for array in arrays))
        self._met[key] = self._met.get(key, 0) + 1
        self.counts["seen"] += 1
        self.counts["same as another"] += self._met[key] > 1
        return self._met[key] > 1

    # --- Single operators ---

    def _operator_name(self, handle):
        if handle not in self._names:
            name = ctypes.c_char_p()
            mx.base.check_call(mx.base._LIB.MXSymbolGetAtomicSymbolName(ctypes.c_void_p(handle), ctypes.byref(name)))
            self._names[handle] = name.value.decode()
        return self._names[handle]

    def _before_operator(self, handle, arrays, keys, values):
        if self._met_before(arrays, handle, *keys, *map(str, values)):
            return None
        nodes = [{"op": "null", "name": f"in{i}", "inputs": []} for i in range(len(arrays))]
        nodes.append({"op": self._operator_name(handle), "name": "op",
                      "attrs": {key: str(value) for key, value in zip(keys, values)},
                      "inputs": [[i, 0, 0] for i in range(len(arrays))]})
        text = {"nodes": nodes, "arg_nodes": list(range(len(arrays))), "node_row_ptr": list(range(len(nodes) + 1)),
                "heads": [[len(arrays), 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
        if mx.is_np_shape():
            text["attrs"]["is_np_shape"] = ["int", 1]
        run = Run("one operator", json.dumps(text), mx.autograd.is_training(), mx.autograd.is_recording())
        run.left_out = why_not(arrays)
        if not run.left_out:
            run.inputs = {f"in{i}": copied(array) for i, array in enumerate(arrays)}
        return run

    def _after_operator(self, run, result):
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        run.left_out = run.left_out or why_not(results)
        if not run.left_out:
            run.outputs = [copied(array) for array in results]
            text = json.loads(run.symbol_text)
            text["heads"] = [[text["heads"][0][0], i, 0] for i in range(len(results))]
            run.symbol_text = mx.sym.load_json(json.dumps(text)).tojson()
        self.runs.append(run)

    def _operators(self):
        module = mx.ndarray.register
        real = module._imperative_invoke

        def invoke(handle, arrays, keys, values, out, is_numpy, is_list):
            run = self._quiet(self._before_operator, handle, arrays, keys, values)
            result = real(handle, arrays, keys, values, out, is_numpy, is_list)
            if run:
                self._quiet(self._after_operator, run, result)
            return result

        module._imperative_invoke = invoke

    # --- Hybridized blocks ---

    def _cached(self):
        watcher, real = self, mx.ndarray.CachedOp

        class Watched(real):
            def __init__(self, symbol, flags=()):
                super().__init__(symbol, flags)
                watcher._symbols[id(self)] = (symbol.tojson(), symbol.list_inputs())

            def __call__(self, *arrays, **options):
                run = watcher._quiet(watcher._before_cached, id(self), arrays)
                result = super().__call__(*arrays, **options)
                if run:
                    watcher._quiet(watcher._after_cached, run, result)
                return result

        mx.ndarray.CachedOp = Watched

    def _before_cached(self, key, arrays):
        text, names = self._symbols[key]
        if self._met_before(arrays, text):
            return None
        run = Run("hybridized block", text, mx.autograd.is_training(), mx.autograd.is_recording())
        run.left_out = why_not(arrays)
        if not run.left_out:
            run.inputs = {name: copied(array) for name, array in zip(names, arrays)}
        return run

    def _after_cached(self, run, result):
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        run.left_out = run.left_out or why_not(results)
        if not run.left_out:
            run.outputs = [copied(array) for array in results]
        self.runs.append(run)

    # --- Executors ---

    def _executors(self):
        real = mx.executor.Executor
        forward, backward = real.forward, real.backward

        def watched_forward(executor, is_train=False, **inputs):
            if inputs and self.active and not self._inside:
                for name, array in inputs.items():
                    if name in executor.arg_dict and executor.arg_dict[name].shape == array.shape:
                        executor.arg_dict[name][:] = array
            run = self._quiet(self._before_executor, executor, is_train)
            result = forward(executor, is_train, **inputs)
            if run:
                self._quiet(self._after_cached, run, result)
                executor.watched_run = run
            return result

        def watched_backward(executor, out_grads=None, is_train=True):
            run = getattr(executor, "watched_run", None) if self.active and not self._inside else None
            heads = self._quiet(self._heads, run, out_grads, executor) if run else None
            result = backward(executor, out_grads, is_train)
            if heads is not None:
                self._quiet(self._after_backward, run, heads, executor)
                executor.watched_run = None
            return result

        real.forward, real.backward = watched_forward, watched_backward

    def _before_executor(self, executor, is_train):
        arrays = {**executor.arg_dict, **executor.aux_dict}
        text = executor._symbol.tojson()
        if self._met_before(arrays.values(), text, bool(is_train)):
            return None
        run = Run("executor", text, bool(is_train), False)
        run.left_out = why_not(arrays.values())
        if not run.left_out:
            run.inputs = {name: copied(array) for name, array in arrays.items()}
        return run

    def _heads(self, run, given, executor):
        if run.left_out:
            return None
        if given is None:
            return [np.ones_like(output) for output in run.outputs]
        if isinstance(given, dict):
            given = [given[name] for name in executor._symbol.list_outputs()]
        given = [given] if isinstance(given, mx.nd.NDArray) else given
        heads = [copied(array) for array in given]
        if len(heads) != len(run.outputs) or any(head is None for head in heads):
            return None
        return [head.astype(output.dtype) for head, output in zip(heads, run.outputs)]      # as MXNet does when it copies them

    def _after_backward(self, run, heads, executor):
        request = executor._grad_req
        for i, (name, array) in enumerate(executor.grad_dict.items()):
            kind = request if isinstance(request, str) else request.get(name) if isinstance(request, dict) else request[i]
            if array is not None and kind == "write" and array.stype == "default" and is_float(run.inputs[name]):
                run.gradients[name] = copied(array)
        run.heads, run.wants_gradient = heads, True
        if run.train:
            run.states = {name: copied(array) for name, array in executor.aux_dict.items()}
