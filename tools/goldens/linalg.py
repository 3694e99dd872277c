"""linalg.py — matrix factorisations, triangular matrices and determinants.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import Cases, mx, np, random_for

TOLERANCE = {"float32": (1e-4, 1e-5), "float64": (1e-9, 1e-10)}


def numbers(*names, shape, dtype):
    return random_for("linalg", *names).uniform(-1, 1, shape).astype(dtype)


def definite(*names, shape, dtype):
    """Symmetric positive definite matrices that are far from singular."""
    a = numbers(*names, shape=shape, dtype="float64")
    return (a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1]) * shape[-1]).astype(dtype)


def regular(*names, shape, dtype):
    """Matrices that are far from singular."""
    return (numbers(*names, shape=shape, dtype="float64") + 2 * np.eye(shape[-2], shape[-1])).astype(dtype)


def record(op, makes, shapes, attributes=({},), operands=("A",)):
    """Cases of one operator, for all shapes, dtypes and attributes. makes(name, shape, dtype) gives an input."""
    cases = Cases("_linalg_" + op)
    function = getattr(mx.sym.linalg, op)
    for dtype in ("float32", "float64"):
        for number, shape in enumerate(shapes):
            for case, attribute in enumerate(attributes):
                name = f"{dtype}_{number}_{case}"
                inputs = {key: make(op, key, name, shape=part, dtype=dtype)
                          for key, make, part in zip(operands, makes, shape)}
                symbol = function(*[mx.sym.Variable(key) for key in operands], name="op", **attribute)
                if len(symbol.list_outputs()) > 1:
                    symbol = mx.sym.Group([symbol[i] for i in range(len(symbol.list_outputs()))])
                cases.add(name, symbol, inputs, tolerance=TOLERANCE[dtype], note=" ".join(map(str, shape)))
    return cases


SQUARE = [((3, 3),), ((2, 2, 2),), ((1, 1),), ((2, 1, 4, 4),)]

record("potrf", [definite], SQUARE).write()
record("potri", [regular], SQUARE).write()
record("inverse", [regular], SQUARE).write()
record("sumlogdiag", [definite], SQUARE).write()
record("syevd", [definite], SQUARE).write()
record("gelqf", [regular], [((2, 3),), ((3, 2, 2),), ((1, 1, 5),), ((2, 1, 3, 4),)]).write()

determinants = record("det", [regular], SQUARE)
determinants.add("singular", mx.sym.linalg.det(mx.sym.Variable("A"), name="op"),
                 {"A": np.array([[[1, 2], [2, 4]], [[1, 2], [3, 4]]], "float32")}, note="gradient 0 for the first",
                 tolerance=TOLERANCE["float32"])
determinants.write()
logarithms = record("slogdet", [regular], SQUARE)
logarithms.add("singular", mx.sym.Group(list(mx.sym.linalg.slogdet(mx.sym.Variable("A"), name="op"))),
               {"A": np.array([[[1, 2], [2, 4]], [[1, 2], [3, 4]]], "float32")}, note="gradient 0 for the first",
               tolerance=TOLERANCE["float32"])
logarithms.write()

OFFSETS = [{}, {"offset": 1}, {"offset": -2}]
record("extractdiag", [numbers], [((3, 3),), ((2, 4, 4),)], OFFSETS).write()
record("makediag", [numbers], [((3,),), ((2, 1),)], OFFSETS).write()
TRIANGLES = OFFSETS + [{"lower": False}, {"offset": 1, "lower": False}]
record("extracttrian", [numbers], [((3, 3),), ((2, 4, 4),)], TRIANGLES).write()
record("maketrian", [numbers], [((3,),), ((2, 6),)], TRIANGLES).write()
record("syrk", [numbers], [((2, 3),), ((2, 3, 1),)],
       [{"transpose": transpose, "alpha": alpha} for transpose in (False, True) for alpha in (1.0, -0.5)]).write()

SIDES = [{"transpose": transpose, "lower": lower, "alpha": alpha}
         for transpose in (False, True) for lower in (False, True) for alpha in (1.0, -0.5)]
for op in ("trmm", "trsm"):
    cases = record(op, [regular, numbers], [((3, 3), (3, 2)), ((2, 2, 2), (2, 2, 1))], SIDES, ("A", "B"))
    right = record(op, [regular, numbers], [((3, 3), (2, 3)), ((2, 1, 1), (2, 2, 1))],
                   [dict(side, rightside=True) for side in SIDES], ("A", "B"))
    for case in right.cases:
        name = case["name"]
        case["name"] = "right_" + name
        cases.cases.append(case)
        cases.arrays.update({"right_" + key: value for key, value in right.arrays.items() if key.startswith(name + "/")})
    cases.write()
