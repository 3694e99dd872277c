"""numpy_case.py — cases of operators of MXNet's NumPy interface, by the names that files have.

Family collects the cases of several operators in one pair of files: Family("numpy_unary").add("_npi_sin", "small", {"x": array}, axis=1).

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import ctypes

from golden import Cases, mx, np, random_for
from mxnet._ctypes.symbol import _symbol_creator
from mxnet.base import _LIB, OpHandle, c_str, check_call


def symbol_of(op, names, attributes):
    """A graph of one node named "op" with variables of these names."""
    handle = OpHandle()
    check_call(_LIB.NNGetOpHandle(c_str(op), ctypes.byref(handle)))
    variables = [mx.sym.Variable(name) for name in names]
    return _symbol_creator(handle.value, variables, {}, list(attributes), [str(value) for value in attributes.values()],
                           "op", False, False)


class Family(Cases):
    """The cases of several operators."""

    def add(self, op, name, inputs, note="", options=None, **attributes):
        """One case of an operator; options go to Cases.add."""
        with mx.util.np_shape(True):
            symbol = symbol_of(op, list(inputs), attributes)
        Cases.add(self, f"{op}_{name}", symbol, inputs, note=note, numpy=True, **(options or {}))

    def data(self, *shape, low=-2.0, high=2.0, dtype="float32", seed=""):
        """Seeded numbers in a range."""
        random = random_for(self.op, str(shape), dtype, seed)
        if np.dtype(dtype).kind == "b":
            return random.uniform(0, 1, shape) < 0.5
        return np.asarray(random.uniform(low, high, shape)).astype(dtype)
