"""numpy_linalg.py — NumPy's equations, eigenvalues, singular values and pseudo-inverses.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np, random_for
from numpy_case import Family

TOLERANCE = {"float32": (1e-4, 1e-5), "float64": (1e-9, 1e-10)}


def numbers(*names, shape):
    return random_for("numpy_linalg", *map(str, names)).uniform(-1, 1, shape)


def regular(*names, shape):
    """Matrices that are far from singular."""
    return numbers(*names, shape=shape) + 2 * np.eye(shape[-2], shape[-1])


def equations(family):
    shapes = ((3, 3), (3, 2)), ((2, 2, 2), (2, 2, 1)), ((1, 1), (1, 4)), ((3, 3), (3,)), ((2, 2, 2), (2, 2)), ((0, 0), (0, 2))
    for dtype in ("float32", "float64"):
        for number, (a, b) in enumerate(shapes):
            inputs = {"A": regular("a", number, shape=a).astype(dtype), "B": numbers("b", number, shape=b).astype(dtype)}
            # MXNet's gradient fails where B is one vector
            family.add("_npi_solve", f"{dtype}_{number}", inputs,
                       options={"tolerance": TOLERANCE[dtype], "backward": len(b) == len(a) and 0 not in a})
    mixed = {"A": np.array([[2, 1], [1, 3]], "int32"), "B": np.array([1, 2], "float32")}
    family.add("_npi_solve", "mixed", mixed, options={"backward": False})


def eigenvalues(family):
    for op in ("_npi_eigh", "_npi_eigvalsh", "_npi_eig", "_npi_eigvals"):
        for dtype in ("float32", "float64", "int32"):
            for number, shape in enumerate(((3, 3), (2, 2, 2), (1, 1), (2, 0, 0))):
                a = numbers(op, number, shape=shape)
                if not op.endswith("h"):    # symmetric with a larger diagonal: real eigenvalues
                    a = a + np.swapaxes(a, -1, -2) + np.diag(np.arange(shape[-1]) * 3.0)
                a = (a * 4).astype(dtype) if dtype == "int32" else a.astype(dtype)
                for triangle in ("L", "U") if op.endswith("h") else ("",):
                    family.add(op, f"{dtype}_{number}{triangle}", {"A": a}, **({"UPLO": triangle} if triangle == "U" else {}),
                               options={"backward": False, "tolerance": TOLERANCE.get(dtype, TOLERANCE["float64"])})


def singular_values(family):
    for dtype in ("float32", "float64"):
        tolerance = {"tolerance": TOLERANCE[dtype]}
        for number, shape in enumerate(((2, 3), (3, 3), (2, 1, 2), (2, 3, 4))):
            family.add("_npi_svd", f"{dtype}_{number}", {"A": regular("svd", number, shape=shape).astype(dtype)}, options=tolerance)
        for number, shape in enumerate(((2, 3), (3, 2), (2, 3, 3), (2, 2, 1, 2))):
            a = regular("pinv", number, shape=shape).astype(dtype)
            silent = {"backward": False, **tolerance}
            family.add("_npi_pinv_scalar_rcond", f"{dtype}_{number}", {"A": a}, options=silent)
            family.add("_npi_pinv_scalar_rcond", f"{dtype}_{number}_cut", {"A": a}, rcond=0.6, options=silent)
            family.add("_npi_pinv", f"{dtype}_{number}", {"A": a, "rcond": np.array(0.6, dtype)}, options=silent)
            if len(shape) > 2:
                family.add("_npi_pinv", f"{dtype}_{number}_each", {"A": a, "rcond": np.linspace(0.9, 0.1, shape[-3]).astype(dtype)},
                           options=silent)
    family.add("_npi_svd", "empty", {"A": np.zeros((2, 0, 3), "float32")}, options={"backward": False})
    family.add("_npi_pinv_scalar_rcond", "zero", {"A": np.zeros((2, 3), "float32")}, options={"backward": False})
    family.add("_npi_pinv_scalar_rcond", "empty", {"A": np.zeros((0, 3), "float32")}, options={"backward": False})


def tensors(family):
    for dtype in ("float32", "float64"):
        tolerance = {"tolerance": TOLERANCE[dtype]}
        square = regular("tensor", shape=(6, 6)).astype(dtype)
        family.add("_npi_tensorinv", f"{dtype}_2", {"a": square.reshape(2, 3, 6)}, options=tolerance)
        family.add("_npi_tensorinv", f"{dtype}_1", {"a": square.reshape(6, 3, 1, 2)}, ind=1, options=tolerance)
        right = numbers("right", shape=(2, 3)).astype(dtype)
        family.add("_npi_tensorsolve", f"{dtype}_in_order", {"a": square.reshape(2, 3, 6), "b": right}, options=tolerance)
        family.add("_npi_tensorsolve", f"{dtype}_first", {"a": square.reshape(2, 3, 6).transpose(2, 0, 1), "b": right}, a_axes="(0,)",
                   options=tolerance)
        family.add("_npi_tensorsolve", f"{dtype}_two", {"a": square.reshape(2, 3, 3, 2).transpose(2, 0, 3, 1), "b": right}, a_axes="(0, -2)",
                   options=tolerance)
    integers = {"a": np.array([[2, 1], [1, 3]], "int32"), "b": np.array([1, 2], "int32")}
    family.add("_npi_tensorsolve", "integers", integers, options={"backward": False})


def main():
    family = Family("numpy_linalg")
    equations(family)
    eigenvalues(family)
    singular_values(family)
    tensors(family)
    family.write()


if __name__ == "__main__":
    main()
