"""numpy_differences.py — rolls, pads, differences of neighbours and polynomials.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def roll(family):
    op, data = "_np_roll", family.data(2, 3, seed="roll")
    family.add(op, "all", {"data": data}, shift="(1,)")
    family.add(op, "one_axis", {"data": data}, shift="(-1,)", axis="(1,)")
    family.add(op, "two_axes", {"data": data}, shift="(1, 2)", axis="(1, 0)")
    family.add(op, "one_shift", {"data": data}, shift="(1,)", axis="(0, -1)")
    family.add(op, "far", {"data": data}, shift="(-7,)", axis="(-1,)")
    family.add(op, "empty", {"data": data[:0]}, shift="(1,)")
    family.add(op, "no_dimensions", {"data": data[0, 0]}, shift="(1,)")
    for dtype in ("float64", "float16", "int32", "uint8", "int64"):
        family.add(op, dtype, {"data": data.astype(dtype)}, shift="(1,)", axis="(1,)")


def pad(family):
    op, data = "_npi_pad", family.data(2, 3, seed="pad")
    without = {"backward": False}
    for mode in ("constant", "edge", "reflect", "symmetric", "maximum", "minimum"):
        options = None if mode == "constant" else without   # MXNet has no other gradient
        family.add(op, mode, {"data": data}, pad_width="((1, 0), (2, 1))", mode=mode, options=options)
        family.add(op, f"{mode}_int32", {"data": (10 * data).astype("int32")}, pad_width="((1, 0), (2, 1))", mode=mode,
                   options=options)
    for mode in ("reflect", "symmetric"):
        family.add(op, f"{mode}_often", {"data": data}, pad_width="((0, 0), (7, 5))", mode=mode, options=without)
        family.add(op, f"{mode}_one", {"data": data[:1]}, pad_width="((3, 2), (0, 1))", mode=mode, options=without)
    family.add(op, "odd", {"data": data}, pad_width="((0, 0), (2, 1))", mode="reflect", reflect_type="odd",
               options=without, note="MXNet reflects evenly all the same")
    family.add(op, "corners", {"data": family.data(2, 2, 2)}, pad_width="((1, 1), (1, 0), (0, 1))", mode="minimum",
               options=without)
    family.add(op, "nan", {"data": np.array([[1, np.nan, 3]], "float32")}, pad_width="((0, 0), (1, 1))", mode="maximum",
               options=without)
    family.add(op, "less", {"data": data}, pad_width="((0, 0), (-1, 1))", options=without,
               note="a negative width removes; MXNet's gradient is wrong then")
    family.add(op, "number", {"data": data}, pad_width="((0, 1), (1, 1))", constant_value=2.7)
    family.add(op, "truncated", {"data": np.array([[1, 2]], "int32")}, pad_width="((0, 1), (1, 1))", constant_value=2.7)
    family.add(op, "empty", {"data": data[:0]}, pad_width="((2, 1), (0, 0))")
    family.add(op, "bool", {"data": data > 0}, pad_width="((0, 0), (2, 1))")
    for dtype in ("float64", "float16"):
        family.add(op, dtype, {"data": data.astype(dtype)}, pad_width="((1, 0), (2, 1))")


def differences(family):
    op, data = "_npi_diff", family.data(2, 4, seed="diff")
    family.add(op, "last", {"a": data})
    family.add(op, "twice", {"a": data}, n=2)
    family.add(op, "first_axis", {"a": data}, axis=0)
    family.add(op, "never", {"a": data}, n=0)
    family.add(op, "as_many", {"a": data}, n=4)
    family.add(op, "too_many", {"a": data}, n=9)
    family.add(op, "empty", {"a": data[:, :0]})
    family.add(op, "float64", {"a": data.astype("float64")}, n=3)
    family.add(op, "float16", {"a": data.astype("float16")})
    for dtype in ("int32", "uint8", "int64", "int8"):
        family.add(op, dtype, {"a": np.array([9, 4, 7, 1], dtype)}, n=2, note="unsigned numbers wrap around")
    op = "_npi_ediff1d"
    begin, end = family.data(2, 1, seed="begin"), family.data(3, seed="end")
    family.add(op, "plain", {"a": data})
    family.add(op, "both", {"a": data, "b": begin, "c": end}, to_begin_arr_given=True, to_end_arr_given=True)
    family.add(op, "number_begin", {"a": data, "c": end}, to_begin_scalar=7, to_end_arr_given=True)
    family.add(op, "number_end", {"a": data, "b": begin}, to_begin_arr_given=True, to_end_scalar=-1.5)
    family.add(op, "one", {"a": data[0, :1]}, to_end_scalar=7)
    family.add(op, "empty", {"a": data[0, :0], "c": end}, to_end_arr_given=True)
    family.add(op, "nothing", {"a": data[0, :0]})
    family.add(op, "int32", {"a": np.array([5, 2, 8], "int32")}, to_end_scalar=7.5)
    family.add(op, "float64", {"a": data.astype("float64")})


def polynomials(family):
    op, p, x = "_npi_polyval", family.data(4, seed="p"), family.data(2, 3, seed="x")
    family.add(op, "matrix", {"p": p, "x": x})
    family.add(op, "constant", {"p": p[:1], "x": x})
    family.add(op, "no_coefficients", {"p": p[:0], "x": x})
    family.add(op, "no_elements", {"p": p, "x": x[:0]})
    family.add(op, "no_dimensions", {"p": p, "x": x[0, 0]})
    family.add(op, "float64", {"p": p.astype("float64"), "x": x.astype("float64")})
    family.add(op, "float16", {"p": p.astype("float16"), "x": x.astype("float16")}, options={"tolerance": (2e-2, 2e-2)})
    family.add(op, "int32", {"p": np.array([1, -2, 3], "int32"), "x": np.array([4, -5], "int32")})


def main():
    family = Family("numpy_differences")
    roll(family)
    pad(family)
    differences(family)
    polynomials(family)
    family.write()


if __name__ == "__main__":
    main()
