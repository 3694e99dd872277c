"""numpy_moments.py — variance, standard deviation and weighted mean.

MXNet's gradient of var and std is zero, and that of average ignores the gradient of its second output; such
gradients are no part of a case.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def main():
    family = Family("numpy_moments")
    without = {"backward": False}
    for op in ("_npi_var", "_npi_std"):
        data = family.data(2, 3, 2, seed=op)
        whole = np.array([[1, 4, 2], [5, 1, 9]])
        family.add(op, "all", {"a": data}, options=without)
        family.add(op, "last", {"a": data}, axis="(-1,)", options=without)
        family.add(op, "outer_kept", {"a": data}, axis="(0, 2)", keepdims=True, ddof=1, options=without)
        family.add(op, "no_axes", {"a": data}, axis="()", options=without)
        family.add(op, "as_many_as_ddof", {"a": data[:, :1, 0]}, axis="(0,)", ddof=2, options=without, note="infinite")
        family.add(op, "empty", {"a": data[:0]}, axis="(0,)", options=without, note="not a number")
        family.add(op, "no_dimensions", {"a": data[0, 0, 0]}, options=without)
        family.add(op, "float64", {"a": data.astype("float64")}, axis="1", options=without)
        family.add(op, "float16", {"a": data.astype("float16")}, axis="(0,)", options=without)
        family.add(op, "to_float64", {"a": data}, dtype="float64", options={"backward": False, "tolerance": (1e-6, 1e-7)})
        family.add(op, "to_int32", {"a": whole.astype("float32")}, dtype="int32", options=without)
        for dtype in ("int32", "int8", "int64", "uint8"):
            family.add(op, dtype, {"a": whole.astype(dtype)}, axis="(0,)", note="truncated")
    op = "_npi_average"
    data, weights = family.data(2, 3, 2, seed="average"), family.data(2, 3, 2, low=0.5, seed="weights")
    family.add(op, "all", {"a": data, "weights": weights})
    family.add(op, "axes", {"a": data, "weights": weights}, axis="(0, 2)")
    family.add(op, "vector", {"a": data, "weights": weights[0, :, 0]}, axis="(1,)")
    family.add(op, "returned", {"a": data, "weights": weights}, axis="(1,)", returned=True, options=without)
    family.add(op, "vector_returned", {"a": data, "weights": weights[0, :, 0]}, axis="(-2,)", returned=True,
               options=without, note="the sum of the weights is one number")
    family.add(op, "unweighted", {"a": data}, axis="(0,)", weighted=False)
    family.add(op, "unweighted_returned", {"a": data}, weighted=False, returned=True)
    family.add(op, "no_axes", {"a": data, "weights": weights}, axis="()")
    family.add(op, "float64", {"a": data.astype("float64"), "weights": weights.astype("float64")})
    family.add(op, "float16", {"a": data.astype("float16"), "weights": weights.astype("float16")}, axis="(1,)",
               options={"tolerance": (8e-3, 4e-3)})
    numbers = np.array([[1, 2, 3], [4, 5, 6]], "int32")
    family.add(op, "int32", {"a": numbers, "weights": numbers})
    family.add(op, "int32_unweighted", {"a": numbers}, weighted=False)
    family.write()


if __name__ == "__main__":
    main()
