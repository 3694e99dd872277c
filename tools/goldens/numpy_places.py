"""numpy_places.py — moved axes, rotations, diagonals, triangles, constants and windows of the NumPy interface.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def axes():
    family = Family("numpy_axes")

    def add(op, name, dims, **attributes):
        family.add(op, name, {"data": family.data(*dims)}, **attributes)

    add("_np_moveaxis", "one", (2, 3, 1), source="(0,)", destination="(-1,)")
    add("_np_moveaxis", "two", (2, 3, 4), source="(0, 1)", destination="(-1, 0)")
    add("_np_moveaxis", "empty", (0, 3), source="(0,)", destination="(1,)")
    for k in (-1, 0, 1, 2, 3, 5):
        # MXNet's gradient of a quarter turn turns the same way once more.
        add("_npi_rot90", f"turns_{k}".replace("-", "minus_"), (2, 3), k=k, axes="(0, 1)", options={"backward": k % 2 == 0})
    add("_npi_rot90", "other_plane", (2, 2, 3), k=1, axes="(2, 0)", options={"backward": False})
    add("_np_diag", "vector", (3,))
    add("_np_diag", "vector_above", (2,), k=1)
    add("_np_diag", "matrix", (2, 3), k=1)
    add("_np_diag", "matrix_below", (3, 2), k=-1)
    add("_np_diag", "outside", (2, 3), k=5)
    add("_np_diagflat", "matrix", (2, 2))
    add("_np_diagflat", "below", (2,), k=-1)
    add("_np_diagonal", "matrix", (2, 3))
    add("_np_diagonal", "axes", (2, 3, 2), axis1=2, axis2=1)
    add("_np_diagonal", "above", (2, 3, 2), offset=1)
    add("_np_diagonal", "outside", (2, 3), offset=9)
    add("_np_trace", "matrix", (2, 3))
    add("_np_trace", "above", (2, 3), offset=1)
    add("_np_trace", "axes", (2, 3, 2), axis1=0, axis2=2)
    add("_np_trace", "outside", (2, 3), offset=9)
    family.add("_np_trace", "int32", {"data": np.array([[1, 2], [3, 4]], "int32")})
    add("_npi_tril", "matrix", (2, 3))
    add("_npi_tril", "vector", (3,))
    add("_npi_tril", "matrices_above", (2, 2, 3), k=1)
    add("_npi_tril", "below", (3, 3), k=-1)
    family.add("_npi_tril", "int8", {"data": np.array([[1, 2], [3, 4]], "int8")})
    family.write()


def constants():
    family = Family("numpy_constant")
    single = {"tolerance": (1e-6, 1e-6)}    # MXNet's windows hold π as a float32
    family.add("_npi_eye", "square", {}, N=2)
    family.add("_npi_eye", "above", {}, N=2, M=3, k=1)
    family.add("_npi_eye", "below", {}, N=3, k=-1, dtype="int32")
    family.add("_npi_eye", "empty", {}, N=2, M=0)
    family.add("_npi_identity", "square", {}, shape="(3, 3)", dtype="float64")
    family.add("_npi_indices", "grid", {}, dimensions="(2, 3)")
    family.add("_npi_indices", "float32", {}, dimensions="(2,)", dtype="float32")
    family.add("_npi_indices", "empty", {}, dimensions="(0,)")
    family.add("_npi_logspace", "ten", {}, start=0, stop=2, num=3, options={"tolerance": (1e-5, 1e-6)})
    family.add("_npi_logspace", "open", {}, start=0, stop=2, num=4, endpoint=False, base=2, options={"tolerance": (1e-5, 1e-6)})
    family.add("_npi_logspace", "one", {}, start=1, stop=2, num=1)
    family.add("_npi_logspace", "empty", {}, start=1, stop=2, num=0)
    for window in ("hanning", "hamming", "blackman"):
        for count in (0, 1, 5):
            family.add(f"_npi_{window}", f"of_{count}", {}, M=count, options=single)
        family.add(f"_npi_{window}", "float64", {}, M=4, dtype="float64", options=single)
    never = {"backward": False}
    family.add("_npi_full_like", "float32", {"a": family.data(2, 2)}, fill_value=2.5, options=never)
    family.add("_npi_full_like", "int32", {"a": np.array([1, 2], "int32")}, fill_value=2.5)
    family.add("_npi_full_like", "to_bool", {"a": family.data()}, fill_value=2.5, dtype="bool", options=never)
    family.write()


if __name__ == "__main__":
    axes()
    constants()
