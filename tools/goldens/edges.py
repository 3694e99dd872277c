"""edges.py — cases at the edges of operators: slopes that are broadcast, pooling “same”, negative coordinates, no limit on boxes.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import Cases, mx, np, random_for


def variable(name):
    return mx.sym.Variable(name)


def slopes():
    """PReLU broadcasts its slopes to the first two axes of the data, and reduces their gradient."""
    cases = Cases("LeakyReLU")
    shapes = {"channel": ((2, 3, 2), (3,)), "one": ((2, 3), (1, 1)), "row": ((2, 3), (1, 3)), "sample": ((2, 3, 2), (2, 1)),
              "sample-vector": ((2, 3, 2), (2,)), "both": ((2, 3, 2), (2, 3)), "square": ((3, 3), (3,)),
              "vector": ((4,), (4,)), "empty-rest": ((1, 3, 1, 1), (1, 3))}
    for name, (data, gamma) in shapes.items():
        random = random_for("LeakyReLU", name)
        # The operator is not the last node and its data is computed: elsewhere MXNet overwrites its own input.
        symbol = mx.sym.LeakyReLU(variable("data"), variable("gamma"), act_type="prelu", name="op") * 2
        cases.add(f"prelu-{name}", symbol, {"data": random.uniform(-1, 1, data).astype("float32"),
                                            "gamma": random.uniform(0.1, 1, gamma).astype("float32")}, note="slopes are broadcast")
    cases.write()


def same_windows():
    cases = Cases("Pooling")
    for kind in ("max", "avg", "sum", "lp"):
        for size, kernel, stride in ((5, 2, 1), (5, 3, 2), (4, 2, 2), (7, 3, 3), (1, 1, 1)):
            extra = {"p_value": 2} if kind == "lp" else {}
            data = random_for("Pooling", kind, str(size)).permutation(2 * 3 * size).reshape(2, 3, size).astype("float32") + 1
            cases.add(f"same-{kind}-{size}-{kernel}-{stride}",
                      mx.sym.Pooling(variable("data"), kernel=(kernel,), stride=(stride,), pad=(0, 0, 0), pool_type=kind,
                                     pooling_convention="same", name="op", **extra),
                      {"data": data}, note="windows begin at the first cell; the last may extend beyond the data",
                      tolerance=(1e-5, 1e-5))
    cases.write()


def coordinates():
    cases = Cases("gather_nd")
    data = np.arange(6, dtype="float32").reshape(2, 3) + 1
    for dtype in ("float32", "int32", "int64"):
        cases.add(f"first-to-last-{dtype}", mx.sym.gather_nd(variable("data"), variable("indices"), name="op"),
                  {"data": data, "indices": np.array([[0, 1, -1, -2], [0, 2, -1, -3]], dtype=dtype)},
                  note="coordinates from -size to size - 1; MXNet's gradient writes to other memory", backward=False)
    cases.write()


def reversals():
    cases = Cases("reverse")
    data = np.arange(12, dtype="float32").reshape(2, 3, 2)
    for name, axes in (("twice", (1, 1)), ("twice-and-once", (0, 1, 0)), ("three-times", (2, 2, 2))):
        cases.add(name, mx.sym.reverse(variable("data"), axis=axes, name="op"), {"data": data}, note="an axis that occurs twice stays")
    cases.write()


def boxes():
    cases = Cases("_contrib_box_nms")
    data = np.array([[[0, .7, 0, 0, 1, 1], [1, .9, 0, 0, 1, 1], [0, .8, 2, 2, 3, 3], [0, .1, 5, 5, 6, 6]]], dtype="float32")
    for topk in (0, -1, -5, 1, 2, 9):
        for scores in (0.0, 0.5):
            cases.add(f"topk{topk}-above{scores}",
                      mx.sym.contrib.box_nms(variable("data"), topk=topk, valid_thresh=scores, overlap_thresh=0.5, name="op"),
                      {"data": data}, note="topk 0 suppresses nothing; a negative one does not limit")
    cases.write()


slopes()
same_windows()
coordinates()
reversals()
boxes()
