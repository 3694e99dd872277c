"""numpy_einsum.py — sums of products with subscripts.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def main():
    family = Family("numpy_einsum")

    def add(name, subscripts, *shapes, dtype="float32", note="", options=None, **attributes):
        operands = {f"data{i}": family.data(*shape, dtype=dtype, seed=f"{name}{i}") for i, shape in enumerate(shapes)}
        family.add("_npi_einsum", name, operands, note=note, options=options, num_args=len(shapes), subscripts=subscripts,
                   **attributes)

    add("product", "ij,jk->ik", (2, 3), (3, 4))
    add("implied", "kj,ji", (2, 3), (3, 2), note="letters in the order of the alphabet")
    add("capitals", "bA", (2, 3), note="capitals come first")
    add("trace", "ii", (3, 3))
    add("diagonal", "ii->i", (3, 3))
    add("two_diagonals", "iji->j", (2, 3, 2))
    add("sum", "ijk->j", (2, 3, 2))
    add("ellipsis", "...ij,...jk->...ik", (2, 2, 3), (2, 3, 2))
    add("ellipsis_broadcast", "...ij,...jk->...ik", (2, 2, 3), (1, 3, 2), options={"backward": False},
        note="MXNet's gradient of a size that an ellipsis broadcasts is wrong")
    add("ellipsis_ranks", "...i,...i", (2, 3), (2, 2, 3))
    add("ellipsis_order", "i...,...->...i", (2, 3), (3,))
    add("ellipsis_alone", "...", (2, 3))
    add("ellipsis_empty", "ij->i...", (2, 3))
    add("spaces", " i j , j -> i ", (2, 3), (3,))
    add("size_one", "ij,ij->i", (2, 3), (2, 1), note="a letter of size one is broadcast")
    add("three", "ij,jk,kl->il", (2, 3), (3, 2), (2, 2))
    add("three_optimised", "ij,jk,kl->il", (2, 3), (3, 2), (2, 2), optimize=1)
    add("outer", "i,j->ji", (2,), (3,))
    add("number", ",i", (), (3,))
    add("no_products", "ij,jk->ik", (2, 0), (0, 2))
    add("no_elements", "ij,jk->ik", (0, 2), (2, 2))
    add("attention", "bqhd,bkhd->bhqk", (2, 3, 2, 2), (2, 1, 2, 2))
    add("float64", "ij,kj->ik", (2, 3), (2, 3), dtype="float64", optimize=1)
    add("float16", "ij,kj->ik", (2, 3), (2, 3), dtype="float16")
    for dtype in ("int32", "int64", "uint8", "bool"):
        vector = np.array([1, 2, 3], dtype)
        family.add("_npi_einsum", dtype, {"data0": vector, "data1": vector}, num_args=2, subscripts="i,i")
    family.write()


if __name__ == "__main__":
    main()
