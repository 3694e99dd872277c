"""numpy_aliases.py — functions of the NumPy interface that are other operators under another name.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family

# Function and the range in which it is smooth and defined.
UNARY = {
    "abs": (0.2, 3), "absolute": (-3, -0.2), "negative": (-2, 2), "reciprocal": (0.5, 2), "sign": (-2, 2), "rint": (-3, 3),
    "ceil": (-3, 3), "floor": (-3, 3), "trunc": (-3, 3), "fix": (-3, 3), "square": (-2, 2), "sqrt": (0.3, 4), "cbrt": (0.3, 4),
    "exp": (-2, 2), "log": (0.2, 4), "log10": (0.2, 4), "log2": (0.2, 4), "log1p": (-0.5, 3), "expm1": (-1, 1), "sin": (-3, 3),
    "cos": (-3, 3), "tan": (-1, 1), "arcsin": (-0.9, 0.9), "arccos": (-0.9, 0.9), "arctan": (-3, 3), "degrees": (-3, 3),
    "radians": (-180, 180), "sinh": (-2, 2), "cosh": (-2, 2), "tanh": (-2, 2), "arcsinh": (-3, 3), "arccosh": (1.2, 4),
    "arctanh": (-0.9, 0.9),
}
FLOAT_CONSTANTS = ("degrees", "radians")     # MXNet computes float64 with constants in float32
INTEGERS = "abs negative sign rint ceil floor trunc fix square sqrt exp sin tanh degrees".split()
SCALARS = "add subtract rsubtract multiply mod rmod power rpower".split()


def unary():
    family = Family("numpy_unary")
    for function, (low, high) in UNARY.items():
        op = f"_npi_{function}"
        family.add(op, "matrix", {"x": family.data(2, 3, low=low, high=high, seed=function)})
        family.add(op, "scalar", {"x": family.data(low=low, high=high, seed=function)}, note="no dimensions")
        family.add(op, "empty", {"x": family.data(2, 0)}, note="no elements")
        options = {"tolerance": (1e-5, 1e-6)} if function in FLOAT_CONSTANTS else None
        family.add(op, "float64", {"x": family.data(4, low=low, high=high, dtype="float64", seed=function)}, options=options)
        if function in INTEGERS:
            family.add(op, "int32", {"x": np.array([0, 1, 2, 3], "int32")}, note="integers stay integers")
    for op in ("_npx_relu", "_npx_sigmoid", "_np_copy"):
        family.add(op, "matrix", {"data": family.data(2, 3, seed=op)})
        family.add(op, "scalar", {"data": family.data(seed=op)})
        family.add(op, "empty", {"data": family.data(0)})
    family.add("_np_copy", "bool", {"a": family.data(3, dtype="bool")})
    family.write()


def scalars():
    family = Family("numpy_scalar")
    for function in SCALARS:
        op = f"_npi_{function}_scalar"
        family.add(op, "float32", {"data": family.data(2, 3, low=0.5, high=3, seed=function)}, scalar=1.75, is_int=False)
        family.add(op, "no_dimensions", {"data": family.data(low=0.5, high=3, seed=function)}, scalar=2, is_int=True)
        family.add(op, "empty", {"data": family.data(0, 2)}, scalar=2)
        family.add(op, "int32", {"data": np.array([3, 2, 1, 7], "int32")}, scalar=2, is_int=True)
        family.add(op, "int32_fraction", {"data": np.array([3, 2, 1, 7], "int32")}, scalar=2.5, is_int=False,
                   note="integers become float64")
        family.add(op, "bool", {"data": np.array([True, True])}, scalar=2, is_int=True, note="bool becomes int64")
        family.add(op, "bool_fraction", {"data": np.array([True, True])}, scalar=2.5, is_int=False)
    family.write()


def moves():
    family = Family("numpy_move")
    family.add("_npi_hypot", "rows", {"x1": family.data(2, 3), "x2": family.data(3, seed="b")})
    family.add("_npi_hypot", "no_dimensions", {"x1": family.data(), "x2": family.data(2, seed="b")})
    family.add("_npi_stack", "last", {"a": family.data(2, 3), "b": family.data(2, 3, seed="b")}, axis=-1, num_args=2)
    family.add("_npi_stack", "no_dimensions", {"a": family.data(), "b": family.data(seed="b")}, axis=0, num_args=2)
    family.add("_npi_stack", "empty", {"a": family.data(0, 2), "b": family.data(0, 2)}, axis=1, num_args=2)
    family.add("_npi_flip", "two", {"data": family.data(2, 3)}, axis="(0, 1)")
    family.add("_npi_flip", "empty", {"data": family.data(0, 3)}, axis="(1,)")
    family.add("_npi_flip", "no_axes", {"data": family.data(2, 3)}, axis="()")
    family.add("_np_transpose", "reversed", {"a": family.data(2, 3, 4)})
    family.add("_np_transpose", "none", {"a": family.data(2, 3)}, axes="None")
    family.add("_np_transpose", "axes", {"a": family.data(2, 3, 4)}, axes="(1, -1, 0)")
    family.add("_np_transpose", "no_dimensions", {"a": family.data()})
    family.add("_np_transpose", "empty", {"a": family.data(0, 3)})
    family.write()


def sources():
    family = Family("numpy_source")
    for op in ("_npi_zeros", "_npi_ones"):
        family.add(op, "matrix", {}, shape="(2, 3)")
        family.add(op, "no_dimensions", {}, shape="()", dtype="int32")
        family.add(op, "empty", {}, shape="(2, 0)", dtype="bool")
    family.add("_npi_arange", "stop", {}, start=0, stop=5, step=1, dtype="float32")
    family.add("_npi_arange", "only_start", {}, start=4, step=1, dtype="int64")
    family.add("_npi_arange", "down", {}, start=3, stop=-2, step=-1.5, dtype="float64")
    family.add("_npi_arange", "empty", {}, start=3, stop=3, step=1)
    family.write()


def assignments():
    family = Family("numpy_assign")
    family.add("_npi_slice_assign", "rows", {"lhs": family.data(3, 2), "rhs": family.data(2, 2, seed="b")}, begin="(1, 0)",
               end="(3, 2)", options={"backward": False})
    family.add("_npi_slice_assign_scalar", "rows", {"data": family.data(3, 2)}, begin="(1, 0)", end="(3, 1)", scalar=2.5, options={"backward": False})
    family.add("_npi_histogram", "counted", {"data": np.array([0.5, -2, 2.5, 0], "float32")}, bin_cnt=2, range="(-2, 3)",
               options={"backward": False})
    family.write()


if __name__ == "__main__":
    assignments()
    unary()
    scalars()
    moves()
    sources()
