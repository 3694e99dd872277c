"""numpy_products.py — matrix products and choices of the NumPy interface.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def products():
    family = Family("numpy_product")
    options = {"tolerance": (1e-4, 1e-5)}

    def add(op, name, left, right, dtype="float32", infers=True, **attributes):
        family.add(op, name, {"a": family.data(*left, dtype=dtype), "b": family.data(*right, dtype=dtype, seed="b")},
                   options={**(options if dtype == "float32" else {}), "infers": infers}, **attributes)

    for name, left, right in (("matrices", (2, 3), (3, 4)), ("vectors", (3,), (3,)), ("number", (), (2, 3)), ("numbers", (), ()),
                              ("vector_right", (2, 3), (3,)), ("vector_left", (3,), (3, 2)), ("more", (2, 1, 3), (2, 3, 2)),
                              ("empty", (2, 0), (0, 3)), ("no_rows", (0, 3), (3, 2))):
        add("_np_dot", name, left, right, infers=False)
    add("_np_dot", "float64", (2, 3), (3, 4), "float64")
    for name, left, right in (("matrices", (2, 3), (3, 4)), ("vectors", (3,), (3,)), ("vector_right", (2, 2, 3), (3,)),
                              ("vector_left", (3,), (2, 3, 2)), ("empty", (2, 0), (0, 3)),
                              ("batch", (3, 2, 4), (3, 4, 2)), ("one_of_batch", (1, 2, 4), (3, 4, 2))):
        add("_npi_matmul", name, left, right, infers=False)
    # MXNet's gradient of matrices that are broadcast on both sides is wrong.
    family.add("_npi_matmul", "broadcast", {"a": family.data(2, 1, 1, 3), "b": family.data(2, 3, 2)},
               options={**options, "backward": False, "infers": False})
    add("_npi_matmul", "float64", (2, 2, 3), (3, 4), "float64")
    add("_npi_tensordot", "two", (2, 3, 1), (3, 2, 2), a_axes_summed="(0, 1)", b_axes_summed="(1, 0)", infers=False)
    add("_npi_tensordot", "negative", (2, 3), (3, 2), a_axes_summed="(-1,)", b_axes_summed="(0,)", infers=False)
    add("_npi_tensordot", "first", (2, 3), (4, 2), a_axes_summed="(0,)", b_axes_summed="(1,)", infers=False)
    add("_npi_tensordot", "float64", (2, 3), (4, 2), "float64", a_axes_summed="(0,)", b_axes_summed="(1,)", infers=False)
    for axes, left, right in ((0, (2,), (3,)), (1, (2, 3), (3, 2)), (2, (2, 3), (2, 3)), (1, (2, 0), (0, 2))):
        add("_npi_tensordot_int_axes", f"{axes}_of_{len(left)}_{left[-1]}", left, right, axes=axes, infers=False)
    family.write()


def where():
    family = Family("numpy_where")
    condition = np.array([[1, 0, 2]], "float32")
    x, y = family.data(2, 3), family.data(2, 1, seed="y")
    constant = {"no_gradient": ("condition",)}
    family.add("_npi_where", "broadcast", {"condition": condition, "x": x, "y": y}, options=constant)
    family.add("_npi_where", "bool", {"condition": condition > 0, "x": x, "y": y})
    family.add("_npi_where", "no_dimensions", {"condition": np.array(True), "x": x[0, 0], "y": y})
    family.add("_npi_where", "int32", {"condition": condition > 0, "x": np.array([1, 2, 3], "int32"), "y": np.array([4], "int32")})
    never = {"backward": False}     # MXNet gives the gradient of the other choice
    for op in ("_npi_where_lscalar", "_npi_where_rscalar"):
        family.add(op, "float32", {"condition": condition > 0, "x": x}, options=never, scalar=2.5)
        family.add(op, "int32", {"condition": condition > 0, "x": np.array([1, 2, 3], "int32")}, scalar=2.5)
        family.add(op, "no_dimensions", {"condition": np.array(False), "x": x[0, 0]}, options=never, scalar=2.5)
    family.add("_npi_where_scalar2", "bool", {"condition": condition > 0}, x=1, y=2.5)
    family.add("_npi_where_scalar2", "no_dimensions", {"condition": np.array(1, "int32")}, x=1, y=2.5)
    family.write()


if __name__ == "__main__":
    products()
    where()
