"""numpy_arithmetic.py — arithmetic and comparisons of the NumPy interface, with mixed types.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family

MIXED = "add subtract multiply mod power true_divide".split()
COMPARISONS = "equal not_equal greater less greater_equal less_equal".split()
TESTS = "logical_not isnan isinf isposinf isneginf isfinite".split()
INTEGER = "bitwise_and bitwise_or bitwise_xor lcm".split()


def mixed():
    family = Family("numpy_mixed")
    for function in MIXED:
        op = f"_npi_{function}"

        def add(name, lhs, rhs, note=""):
            family.add(op, name, {"lhs": lhs, "rhs": rhs}, note=note)

        left = family.data(2, 1, 3, low=0.3, high=3, seed=function)
        right = family.data(2, 1, low=0.5, high=2.5, seed=function)
        add("rows", left, right)
        add("no_dimensions", left[0, 0, 0], right)
        add("two_no_dimensions", left[0, 0, 0], right[0, 0])
        add("empty", family.data(0, 3), family.data(3))
        add("float64", left.astype("float64"), right.astype("float64"))
        if function != "true_divide":
            add("float32_float64", left, right.astype("float64"), note="the wider float")
            add("float32_float16", left, right.astype("float16"))
        add("float32_int32", left, np.array([[1], [2]], "int32"), note="the float")
        add("int64_float32", np.array([1, 2, 3], "int64"), left)
        add("float16_int8", left.astype("float16"), np.array([[1], [2]], "int8"))
        add("bool_float32", np.array([True]), left)
        add("int32", np.array([7, 5, 3], "int32"), np.array([[2], [3]], "int32"))
        if function in ("add", "multiply", "power"):
            add("int32_int64", np.array([7, 5, 3], "int32"), np.array([[2], [3]], "int64"), note="the wider integer")
            add("int8_bool", np.array([7, 5, 3], "int8"), np.array([True, False, True]))
            add("bool", np.array([True, True, False]), np.array([[True], [False]]))
        if function == "true_divide":
            add("zero", np.array([1, -1, 0], "int32"), np.array([0, 0, 0], "int32"), note="float32 of integers")
            add("bool", np.array([True, False]), np.array([True, True]))
    family.write()


def compare():
    family = Family("numpy_compare")
    never = {"backward": False}
    for function in COMPARISONS:
        op = f"_npi_{function}"
        left, right = np.array([[1, 2, np.nan]], "float32"), np.array([[1.5], [2]], "float32")
        family.add(op, "float32", {"lhs": left, "rhs": right}, options=never)
        family.add(op, "no_dimensions", {"lhs": left[0, 1], "rhs": right[1, 0]}, options=never)
        family.add(op, "empty", {"lhs": family.data(0, 1), "rhs": family.data(3)}, options=never)
        family.add(op, "int64", {"lhs": np.array([1, 2, 3]), "rhs": np.array([3, 2, 1])})
        family.add(op, "bool", {"lhs": np.array([True, False]), "rhs": np.array([[True], [False]])})
        family.add(op + "_scalar", "float32", {"data": right}, options=never, scalar=1.5, is_int=False)
        family.add(op + "_scalar", "float32_tenth", {"data": np.array([0.1, 0.2], "float32")}, options=never, scalar=0.1,
                   is_int=False, note="the number is rounded as the data are")
        family.add(op + "_scalar", "int32", {"data": np.array([3, 2, 1], "int32")}, scalar=2.5, is_int=False,
                   note="the number keeps its fraction")
        family.add(op + "_scalar", "bool", {"data": np.array([True, False])}, scalar=1, is_int=True)
        family.add(op + "_scalar", "no_dimensions", {"data": right[1, 0]}, options=never, scalar=2)
    for function in TESTS:
        op = f"_npi_{function}"
        family.add(op, "float32", {"x": np.array([0, 1, np.nan, np.inf, -np.inf], "float32")}, options=never)
        family.add(op, "float16", {"x": np.array([0, 1, np.nan, np.inf, -np.inf], "float16")}, options=never)
        family.add(op, "int32", {"x": np.array([0, 1], "int32")})
        family.add(op, "no_dimensions", {"x": np.array(0, "float64")}, options=never)
        family.add(op, "empty", {"x": family.data(2, 0)}, options=never)
    family.write()


def binary():
    family = Family("numpy_binary")
    for function in ("copysign", "arctan2", "ldexp"):
        op = f"_npi_{function}"
        left, right = family.data(2, 1, 3, seed=function), family.data(2, 1, seed=function + "b")
        names = ("x1", "x2") if function == "arctan2" else ("lhs", "rhs")
        family.add(op, "rows", dict(zip(names, (left, right))))
        family.add(op, "no_dimensions", dict(zip(names, (left[0, 0, 0], right[0, 0]))))
        family.add(op, "float64", dict(zip(names, (left.astype("float64"), right.astype("float64")))),
                   options={"tolerance": (1e-6, 1e-7)} if function == "ldexp" else None)    # log 2 is a float32 there
        family.add(op, "empty", dict(zip(names, (family.data(0, 3), family.data(1, 3)))))
        # MXNet cannot bind the gradient of a copysign with a number.
        # Its gradient of rarctan2 is another function.
        for form in (function, "r" + function):
            options = {"backward": False} if function == "copysign" or form == "rarctan2" else None
            family.add(f"_npi_{form}_scalar", "float32", {"data": left}, options=options, scalar=1.5, is_int=False)
            family.add(f"_npi_{form}_scalar", "negative", {"data": left}, options=options, scalar=-2, is_int=True)
            family.add(f"_npi_{form}_scalar", "no_dimensions", {"data": right[0, 0]}, options=options, scalar=2)
            family.add(f"_npi_{form}_scalar", "int32", {"data": np.array([1, 2, 3], "int32")}, scalar=2)
    family.add("_npi_copysign", "int8", {"lhs": np.array([1, -2, 3], "int8"), "rhs": np.array([-1, 0, 2], "int8")})
    family.add("_npi_ldexp", "int32", {"lhs": np.array([1, -2, 3], "int32"), "rhs": np.array([4, 0, 2], "int32")})
    for function in INTEGER:
        op = f"_npi_{function}"
        left, right = np.array([[12, 10, 7]]), np.array([[5], [8]])
        for dtype in ("int32", "int64", "uint8", "int8"):
            family.add(op, dtype, {"lhs": left.astype(dtype), "rhs": right.astype(dtype)})
        family.add(op, "no_dimensions", {"lhs": np.array(6, "int32"), "rhs": np.array(4, "int32")})
        family.add(op, "empty", {"lhs": np.zeros((0, 2), "int32"), "rhs": np.zeros((1, 2), "int32")})
        family.add(op + "_scalar", "int32", {"data": left.astype("int32")}, scalar=6)
    family.add("_npi_lcm", "signs", {"lhs": np.array([-4, 0, 6, -3]), "rhs": np.array([6, 5, -4, 0])})
    for form in ("true_divide", "rtrue_divide"):
        op = f"_npi_{form}_scalar"
        data = family.data(2, 3, low=0.5, high=2)
        family.add(op, "float32", {"data": data}, scalar=1.75, is_int=False)
        family.add(op, "float64", {"data": data.astype("float64")}, scalar=2)
        family.add(op, "int32", {"data": np.array([3, 2, 1], "int32")}, scalar=2.5, is_int=False, note="float32 of integers")
        family.add(op, "bool", {"data": np.array([True, True])}, scalar=2)
        family.add(op, "empty", {"data": family.data(0)}, scalar=2)
        family.add(op, "no_dimensions", {"data": data[0, 0]}, scalar=2)
    family.write()


def replace():
    family = Family("numpy_replace")
    odd = np.array([np.nan, np.inf, -np.inf, 1.5], "float32")
    family.add("_npi_nan_to_num", "float32", {"data": odd})
    family.add("_npi_nan_to_num", "float64", {"data": odd.astype("float64")})
    family.add("_npi_nan_to_num", "float16", {"data": odd.astype("float16")})
    family.add("_npi_nan_to_num", "given", {"data": odd}, nan=3, posinf=4, neginf=-5.5)
    family.add("_npi_nan_to_num", "int32", {"data": np.array([1, -2], "int32")})
    family.add("_npi_nan_to_num", "no_dimensions", {"data": odd[3]})
    for decimals in (0, 1, -1):
        data = np.array([123.456, -1.26, 2.5, 0.5, -15, 25], "float32")
        family.add("_npi_around", f"decimals_{decimals}".replace("-", "minus_"), {"x": data}, decimals=decimals)
    family.add("_npi_around", "int32", {"x": np.array([12, -3], "int32")}, decimals=1)
    family.add("_npi_around", "empty", {"x": family.data(0)})
    for dtype in ("int32", "uint8", "int64"):
        family.add("_npi_bitwise_not", dtype, {"x": np.array([0, 1, 5], dtype)})
    family.add("_npi_bitwise_not", "bool", {"x": np.array([True, False])})
    family.write()


if __name__ == "__main__":
    replace()
    mixed()
    compare()
    binary()
