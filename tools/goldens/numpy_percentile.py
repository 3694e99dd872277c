"""numpy_percentile.py — percentiles, and conditions that end a run.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def main():
    family = Family("numpy_percentile")
    op, silent = "_npi_percentile", {"backward": False}
    for way in ("higher", "linear", "lower", "midpoint", "nearest"):
        family.add(op, way, {"a": np.array([3, 1, 4, 1, 5, 9], "float32"), "q": np.array([0, 10, 30, 50, 75, 90, 100], "float32")},
                   interpolation=way, options=silent, note="10 and 30 lie half way between two elements")
    family.add(op, "scalar", {"a": family.data(2, 3)}, q_scalar=30, options=silent)
    family.add(op, "scalar_kept", {"a": family.data(2, 3)}, q_scalar=30, axis="1", keepdims=True, options=silent)
    family.add(op, "no_dimensions", {"a": family.data(2, 3), "q": np.array(40, "float32")}, options=silent)
    family.add(op, "axes", {"a": family.data(2, 3, 2), "q": np.array([40, 60], "float32")}, axis="(0, 2)", options=silent)
    family.add(op, "axes_kept", {"a": family.data(2, 3, 2), "q": np.array([40, 60], "float32")}, axis="(-1, 0)", keepdims=True, options=silent)
    family.add(op, "last", {"a": family.data(2, 3, 2), "q": np.array([40, 60], "float32")}, axis="(-1,)", options=silent)
    family.add(op, "nan", {"a": np.array([1, np.nan, 2], "float32"), "q": np.array([0, 40], "float32")}, options=silent)
    for dtype in ("float64", "float16", "int32", "int64", "uint8", "int8"):
        family.add(op, dtype, {"a": family.data(3, 4, low=0, high=9, dtype=dtype), "q": np.array([40, 55], "float64")}, axis="(0,)",
                   options={"tolerance": (1e-3, 1e-3) if dtype == "float16" else (1e-6, 1e-6), **silent},
                   note="MXNet interpolates in float16 or float32")
    family.add(op, "whole_percentages", {"a": family.data(5), "q": np.array([40, 55], "int32")}, options=silent)
    op = "_npx_constraint_check"
    family.add(op, "matrix", {"input": np.ones((2, 2), "bool")}, options=silent)
    family.add(op, "no_dimensions", {"input": np.array(True)}, options=silent)
    family.add(op, "empty", {"input": np.ones((0, 2), "bool")}, options=silent)
    family.write()


if __name__ == "__main__":
    main()
