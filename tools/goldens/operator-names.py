"""operator-names.py — writes the names of all operators of MXNet 1.9.1, one a line, to tests/data/mxnet-operators.txt: what
MXListAllOpNames gives, aliases included, and after a tab the name of the operator that an alias stands for.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import ctypes
import pathlib

from mxnet.base import _LIB, check_call, py_str

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "mxnet-operators.txt"


def all_names():
    count, names = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    check_call(_LIB.MXListAllOpNames(ctypes.byref(count), ctypes.byref(names)))
    return sorted(py_str(names[i]) for i in range(count.value))


def own_name(name):
    """The name of the operator itself, which differs from that of an alias."""
    handle, found, description = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_char_p()
    count, text = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)
    arguments, types, descriptions = text(), text(), text()
    variable_count, returns = ctypes.c_char_p(), ctypes.c_char_p()
    check_call(_LIB.NNGetOpHandle(name.encode(), ctypes.byref(handle)))
    check_call(_LIB.MXSymbolGetAtomicSymbolInfo(handle, ctypes.byref(found), ctypes.byref(description), ctypes.byref(count),
                                                ctypes.byref(arguments), ctypes.byref(types), ctypes.byref(descriptions),
                                                ctypes.byref(variable_count), ctypes.byref(returns)))
    return py_str(found.value)


lines = [name if own_name(name) == name else f"{name}\t{own_name(name)}" for name in all_names()]
OUTPUT.write_text("\n".join(lines) + "\n")
