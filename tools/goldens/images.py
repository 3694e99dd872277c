"""images.py — the operators on images: layout, colours, resizing.

Random adjustments are recorded with a range of one number, so that nothing is random.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import Cases, mx, np, random_for

KINDS = ("float32", "float64", "float16", "uint8", "int32", "int8")


def picture(kind, *shape):
    values = random_for("image", kind, *map(str, shape)).randint(0, 120 if kind == "int8" else 256, shape)
    return values.astype(kind)


def image(op, **options):
    return getattr(mx.sym.image, op.replace("_image_", ""))(mx.sym.Variable("data"), name="op", **options)


def layout():
    cases = Cases("_image_to_tensor")
    for kind in KINDS:
        for name, shape in [("one", (3, 4, 3)), ("batch", (2, 3, 2, 1)), ("cell", (1, 1, 1)), ("channels", (2, 2, 5))]:
            cases.add(f"{name}_{kind}", image("to_tensor"), {"data": picture(kind, *shape)}, backward=False)
    cases.write()

    cases = Cases("_image_normalize")
    for kind in KINDS:
        for name, shape, options in [("one", (3, 3, 2), {"mean": (120, 100, 80.5), "std": (2, 3, 1.5)}),
                                     ("batch", (2, 1, 3, 2), {"mean": (1.5,), "std": (4,)}),
                                     ("same", (3, 1, 2), {"mean": (10,), "std": (0.3,)})]:
            if kind in ("uint8", "int8") and name != "batch":
                continue        # negative or large numbers in bytes are undefined
            cases.add(f"{name}_{kind}", image("normalize", **options), {"data": np.maximum(picture(kind, *shape), 2).astype(kind)})
    cases.write()

    cases = Cases("_image_crop")
    for kind in KINDS:
        for name, shape, options in [("one", (4, 5, 3), {"x": 1, "y": 2, "width": 3, "height": 2}),
                                     ("batch", (2, 3, 3, 1), {"x": 0, "y": 1, "width": 3, "height": 2}),
                                     ("cell", (1, 1, 1), {"x": 0, "y": 0, "width": 1, "height": 1})]:
            cases.add(f"{name}_{kind}", image("crop", **options), {"data": picture(kind, *shape)})
    cases.write()

    for op in ("_image_flip_left_right", "_image_flip_top_bottom"):
        cases = Cases(op)
        for kind in KINDS:
            for name, shape in [("one", (4, 6, 3)), ("grey", (2, 2, 1))]:
                cases.add(f"{name}_{kind}", image(op), {"data": picture(kind, *shape)}, backward=False,
                          note="MXNet does not write the middle of odd edges, and does not flip gradients")
        cases.write()


def colours():
    for op, factors in [("brightness", (0.5, 1.7)), ("contrast", (0.4, 1.6)), ("saturation", (0.3, 1.8)), ("hue", (0.1, 0.45, 0.9))]:
        cases = Cases(f"_image_random_{op}")
        for kind in KINDS:
            for factor in factors:
                for name, shape in [("color", (3, 4, 3)), ("grey", (2, 3, 1))]:
                    if kind == "int8" and (factor > 1 or op == "hue") or (name == "grey" and op == "hue"):
                        continue        # bytes that overflow; grey pixels are not written
                    cases.add(f"{name}_{factor}_{kind}", image(f"random_{op}", min_factor=factor, max_factor=factor),
                              {"data": picture(kind, *shape)}, backward=False,
                              tolerance={"float64": (1e-5, 1e-4), "float32": (1e-5, 1e-4), "float16": (4e-3, 0.1)}.get(kind, (0, 1)))
        cases.write()

    cases = Cases("_image_adjust_lighting")
    for kind in KINDS:
        if kind != "int8":
            cases.add(f"color_{kind}", image("adjust_lighting", alpha=(0.1, -0.2, 0.3)), {"data": picture(kind, 3, 2, 3)}, backward=False,
                      tolerance={"float64": (1e-6, 1e-5), "float16": (4e-3, 0.1)}.get(kind))
    cases.write()


def resize():
    cases = Cases("_image_resize")
    for kind in ("float32", "float64", "uint8"):
        for method in range(5):
            for name, shape, options in [("larger", (4, 5, 3), {"size": (9, 7)}), ("smaller", (9, 8, 3), {"size": (3, 4)}),
                                         ("mixed", (5, 4, 1), {"size": (9, 2)}), ("half", (6, 8, 3), {"size": (4, 3)}),
                                         ("third", (9, 6, 1), {"size": (2, 3)}), ("one", (1, 1, 3), {"size": (3, 2)}),
                                         ("to_one", (5, 3, 1), {"size": 1}), ("batch", (2, 5, 7, 3), {"size": 4}),
                                         ("edge", (5, 9, 1), {"size": 3, "keep_ratio": True}), ("same", (3, 4, 1), {"size": (4, 3)})]:
                cases.add(f"{name}_{method}_{kind}", image("resize", interp=method, **options), {"data": picture(kind, *shape)},
                          backward=False, tolerance=(0, 0) if kind == "uint8" else (2e-5, 1e-3))
    cases.write()


if __name__ == "__main__":
    layout()
    colours()
    resize()
