"""numpy_indices.py — indices of elements, and counts of whole numbers.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def main():
    family = Family("numpy_indices")
    op, options = "_npi_diag_indices_from", {"backward": False}
    family.add(op, "matrix", {"data": family.data(3, 3)}, options=options)
    family.add(op, "three_axes", {"data": np.zeros((2, 2, 2), "int32")})
    family.add(op, "empty", {"data": family.data(0, 0)}, options=options)
    dynamic = {"dynamic": True}
    for op in ("_npi_nonzero", "_npx_nonzero"):
        family.add(op, "matrix", {"x": np.array([[0, 2, 0], [1, 0, 3]], "float32")}, options=dynamic)
        family.add(op, "none", {"x": np.zeros((2, 3), "int32")}, options=dynamic)
        family.add(op, "no_dimensions", {"x": np.array(3, "float64")}, options=dynamic)
        family.add(op, "empty", {"x": family.data(0, 2)}, options=dynamic)
        family.add(op, "nan", {"x": np.array([0, np.nan], "float16")}, options=dynamic)
        family.add(op, "bool", {"x": np.array([True, False, True])}, options=dynamic)
    op, data, weights = "_npi_bincount", np.array([1, 3, 1, 0], "int32"), np.array([0.5, 1, 2, 4], "float32")
    family.add(op, "int32", {"data": data}, options=dynamic)
    family.add(op, "uint8", {"data": data.astype("uint8")}, options=dynamic)
    family.add(op, "int8", {"data": np.zeros(300, "int8")}, options=dynamic, note="the counts wrap around")
    family.add(op, "longer", {"data": data}, minlength=6, options=dynamic)
    family.add(op, "not_longer", {"data": data}, minlength=4, options=dynamic)
    family.add(op, "weights", {"data": data, "weights": weights}, has_weights=True, options=dynamic)
    family.add(op, "weights_float64", {"data": data.astype("int64"), "weights": weights.astype("float64")},
               has_weights=True, minlength=5, options=dynamic)
    family.add(op, "weights_int32", {"data": data.astype("int64"), "weights": data}, has_weights=True, options=dynamic)
    family.add(op, "empty", {"data": data[:0]}, options=dynamic)
    family.add(op, "empty_longer", {"data": data[:0]}, minlength=3, options=dynamic)
    family.write()


if __name__ == "__main__":
    main()
