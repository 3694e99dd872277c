"""numpy_shapes.py — reshaping, joining and splitting in the NumPy interface.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import np
from numpy_case import Family


def reshape():
    family = Family("numpy_reshape")

    def add(op, name, dims, key="a", **attributes):
        family.add(op, name, {key: family.data(*dims)}, **attributes)

    for op in ("_np_reshape", "_npi_reshape"):
        add(op, "matrix", (2, 3), newshape="(3, 2)")
        add(op, "inferred", (2, 3), newshape="(6, -1)")
        add(op, "no_dimensions", (1,), newshape="()")
        add(op, "from_no_dimensions", (), newshape="(1, 1)")
        add(op, "empty", (2, 0), newshape="(0, 5)")
        add(op, "empty_inferred", (2, 0), newshape="(-1,)")
    for index, codes in enumerate(["(3, 2)", "(-1,)", "(-2, -1)", "(-4,)", "(-5, -4)", "(-6, 1, 2, -4)", "(-2, 3)", "(-2, -2, -3)"]):
        add("_npx_reshape", f"codes_{index}", (2, 3, 1), newshape=codes)
    add("_npx_reshape", "split_inferred", (4, 3, 2), newshape="(-6, 2, -1, -4)")
    add("_npx_reshape", "reverse", (4, 3, 2), newshape="(-1, -2)", reverse=True)
    add("_npx_reshape", "reverse_copied", (4, 3, 2), newshape="(-2, -2, -2)", reverse=True)
    add("_npx_reshape", "empty", (0, 2), newshape="(0, -2)")
    add("_np_squeeze", "all", (1, 1))
    add("_np_squeeze", "some", (1, 2, 1))
    add("_np_squeeze", "axis", (1, 2, 1), axis="(-1,)")
    add("_np_squeeze", "empty", (1, 0, 1))
    add("_np_squeeze", "no_dimensions", ())
    add("_npi_broadcast_to", "in_front", (3,), "array", shape="(2, 3)")
    add("_npi_broadcast_to", "no_dimensions", (), "array", shape="(2, 3)")
    add("_npi_broadcast_to", "kept", (2, 1), "array", shape="(4, -2, 3)")
    add("_npi_broadcast_to", "empty", (1, 3), "array", shape="(0, 3)")
    never = {"backward": False}     # MXNet's gradient of these is zero
    for rank in (1, 2, 3):
        for shape in ((), (2,), (2, 3), (2, 3, 2), (1, 2, 1, 2), (0,)):
            add(f"_np_atleast_{rank}d", "x".join(map(str, shape)) or "scalar", shape, "arys0", num_args=1, options=never)
    family.add("_np_atleast_2d", "two", {"arys0": family.data(), "arys1": family.data(3)}, options=never, num_args=2)
    family.write()


def join():
    family = Family("numpy_join")

    def add(op, name, *shapes, **attributes):
        # MXNet's inference changes the shapes of the inputs where they get another number of axes.
        changes = op == "_npi_column_stack" or attributes.get("axis") == "None"
        family.add(op, name, {f"data{i}": family.data(*shape, seed=str(i)) for i, shape in enumerate(shapes)},
                   num_args=len(shapes), options={"infers": not changes}, **attributes)

    add("_npi_concatenate", "first", (2, 3), (1, 3), axis=0)
    add("_npi_concatenate", "last", (2, 3), (2, 1), axis=-1)
    add("_npi_concatenate", "default", (2, 3), (1, 3))
    add("_npi_concatenate", "flattened", (2, 3), (4,), axis="None")
    add("_npi_concatenate", "empty", (2, 3), (0, 3), axis=0)
    add("_npi_concatenate", "middle", (2, 1, 2), (2, 3, 2), (2, 2, 2), axis=1)
    for op in ("vstack", "hstack", "dstack", "column_stack"):
        add(f"_npi_{op}", "no_dimensions", (), ())
        add(f"_npi_{op}", "vectors", (2,), (2,))
        add(f"_npi_{op}", "matrices", (2, 3), (2, 3))
        add(f"_npi_{op}", "cubes", (2, 3, 2), (2, 3, 2))
        add(f"_npi_{op}", "empty", (2, 0), (2, 0))
    add("_npi_vstack", "mixed", (2, 3), (3,))
    add("_npi_column_stack", "mixed", (2, 3), (2,))
    family.add("_npi_concatenate", "int32", {"a": np.array([1, 2], "int32"), "b": np.array([3], "int32")}, num_args=2, axis=0)
    for name, shape, attributes in (("halves", (2, 4), {"indices": "()", "sections": 2}),
                                    ("vector", (4,), {"indices": "()", "sections": 2}),
                                    ("indices", (2, 4), {"indices": "(0, 1, 3)"}), ("vector_indices", (4,), {"indices": "(0, 3)"})):
        family.add("_npi_hsplit", name, {"data": family.data(*shape)}, **attributes)
    family.add("_npi_dsplit", "halves", {"data": family.data(1, 2, 4)}, indices="()", sections=2, axis=2)
    family.add("_npi_dsplit", "indices", {"data": family.data(2, 2, 4)}, indices="(0, 3)", axis=2)
    family.write()


if __name__ == "__main__":
    reshape()
    join()
