"""numpy_reductions.py — reductions of the NumPy interface.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def reduce():
    family = Family("numpy_reduce")
    for op in ("_np_sum", "_npi_mean", "_np_prod", "_np_max", "_np_min"):
        data = family.data(2, 3, 4, low=0.5, high=2, seed=op)
        family.add(op, "all", {"a": data})
        family.add(op, "last", {"a": data}, axis="(-1,)")
        family.add(op, "two_kept", {"a": data}, axis="(0, 2)", keepdims=True)
        family.add(op, "no_axes", {"a": data}, axis="()", note="reduces nothing")
        family.add(op, "all_kept", {"a": data}, keepdims=True)
        family.add(op, "no_dimensions", {"a": data[0, 0, 0]})
        family.add(op, "float64", {"a": data.astype("float64")}, axis="1")
        family.add(op, "float16", {"a": data.astype("float16")}, axis="(0,)", options={"tolerance": (4e-3, 4e-3)})
        for dtype in ("int32", "int8", "uint8", "int64"):
            family.add(op, dtype, {"a": np.array([[1, 2, 3], [4, 5, 6]], dtype)}, axis="(0,)")
        family.add(op, "bool", {"a": np.array([[True, False], [True, True]])}, axis="(0,)")
        if op not in ("_np_max", "_np_min"):
            family.add(op, "empty", {"a": family.data(0, 3)}, axis="(0,)", note="0 even of a product")
            family.add(op, "to_float64", {"a": data}, axis="(0,)", dtype="float64")
            family.add(op, "to_int32", {"a": np.array([[1, 2], [3, 4]], "float32")}, axis="(0,)", dtype="int32",
                       options={"backward": False})
            family.add(op, "int32_to_float64", {"a": np.array([[1, 2], [3, 5]], "int32")}, dtype="float64")
    for op in ("_np_any", "_np_all"):
        never = {"backward": False}
        family.add(op, "all", {"data": np.array([[0, 1], [0, 0]], "float32")}, options=never)
        family.add(op, "axis", {"data": np.array([[0, 1], [1, 1]], "int32")}, axis="(1,)", keepdims=True)
        family.add(op, "no_axes", {"data": np.array([0, 2], "float32")}, axis="()", options=never)
        family.add(op, "empty", {"data": family.data(0, 2)}, axis="(0,)", options=never)
        family.add(op, "no_dimensions", {"data": np.array(True)})
        family.add(op, "nan", {"data": np.array([np.nan, 0], "float32")}, options=never)
    for op in ("_npi_argmax", "_npi_argmin"):
        never = {"backward": False}
        data = family.data(2, 3, 2, seed=op)
        family.add(op, "all", {"data": data}, options=never)
        family.add(op, "axis", {"data": data}, axis=1, options=never)
        family.add(op, "kept", {"data": data}, axis=-1, keepdims=True, options=never)
        family.add(op, "all_kept", {"data": data}, keepdims=True, options=never)
        family.add(op, "vector", {"data": np.array([3, 1, 2], "int32")}, axis=0)
        family.add(op, "no_dimensions", {"data": data[0, 0, 0]}, options=never)
    family.write()


if __name__ == "__main__":
    reduce()
