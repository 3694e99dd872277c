"""regions.py — reading images between cells: deformable convolutions, position-sensitive pooling and RROIAlign.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import Cases, mx, np, random_for

KINDS = {"float32": (1e-4, 1e-5), "float64": (1e-5, 1e-6)}      # MXNet's kernels hold float32 constants


def variables(*names):
    return [mx.sym.Variable(name) for name in names]


def deformable_convolution(op, modulated):
    cases = Cases(op)
    for kind, tolerance in KINDS.items():
        for name, data, out, options in [
                ("plain", (2, 3, 6, 5), (4, 3), {"kernel": (3, 3), "num_filter": 4}),
                ("padded", (1, 2, 4, 5), (4, 5), {"kernel": (3, 3), "num_filter": 2, "pad": (1, 1)}),
                ("stride_dilate", (1, 4, 9, 7), (3, 5), {"kernel": (2, 3), "num_filter": 2, "stride": (3, 1), "dilate": (2, 1)}),
                ("groups", (2, 4, 3, 4), (2, 3), {"kernel": (2, 2), "num_filter": 4, "num_group": 2, "num_deformable_group": 2}),
                ("offset_groups", (1, 4, 3, 3), (3, 3), {"kernel": (1, 1), "num_filter": 4, "num_deformable_group": 4}),
                ("one", (1, 1, 1, 1), (1, 1), {"kernel": (1, 1), "num_filter": 1}),
                ("no_bias", (1, 2, 3, 3), (2, 2), {"kernel": (2, 2), "num_filter": 3, "no_bias": True}),
                ("far", (1, 1, 4, 4), (4, 4), {"kernel": (3, 3), "num_filter": 1, "pad": (1, 1)})]:
            random = random_for("deformable", op, kind, name)
            taps = options["kernel"][0] * options["kernel"][1] * options.get("num_deformable_group", 1)
            groups, bias = options.get("num_group", 1), () if options.get("no_bias") else ("bias",)
            inputs = {"data": random.uniform(-1, 1, data), "offset": random.normal(0, 3 if name == "far" else 0.6, (data[0], 2 * taps, *out)),
                      "mask": random.uniform(0, 1, (data[0], taps, *out)),
                      "weight": random.uniform(-1, 1, (options["num_filter"], data[1] // groups, *options["kernel"])),
                      "bias": random.uniform(-1, 1, options["num_filter"])}
            names = ("data", "offset", *(("mask",) if modulated else ()), "weight", *bias)
            symbol = getattr(mx.sym.contrib, op.replace("_contrib_", ""))(*variables(*names), name="op", **options)
            cases.add(f"{name}_{kind}", symbol, {key: inputs[key].astype(kind) for key in names}, backward=not modulated,
                      tolerance=tolerance, note="MXNet computes gradients on GPUs only" if modulated else "")
    cases.write()


def regions(random, count, images, limit):
    first = random.uniform(0, limit * 0.6, (count, 2))
    return np.concatenate([random.randint(0, images, (count, 1)), first, first + random.uniform(0, limit * 0.5, (count, 2))], -1)


def position_pooling():
    cases = Cases("_contrib_PSROIPooling")
    for kind, tolerance in KINDS.items():
        for name, data, options in [("plain", (2, 8, 6, 7), {"output_dim": 2, "pooled_size": 2, "spatial_scale": 1.0}),
                                    ("scaled", (1, 9, 5, 5), {"output_dim": 1, "pooled_size": 3, "spatial_scale": 0.5}),
                                    ("groups", (2, 12, 4, 4), {"output_dim": 3, "pooled_size": 3, "group_size": 2, "spatial_scale": 0.25}),
                                    ("one", (1, 1, 1, 1), {"output_dim": 1, "pooled_size": 1, "spatial_scale": 0.1})]:
            random = random_for("position", kind, name)
            rois = regions(random, 4, data[0], data[2] / options["spatial_scale"])
            rois[3, 1:] = [-30, -30, -20, -20]      # outside of the image
            cases.add(f"{name}_{kind}", mx.sym.contrib.PSROIPooling(*variables("data", "rois"), name="op", **options),
                      {"data": random.uniform(-1, 1, data).astype(kind), "rois": rois.astype(kind)}, no_gradient=("rois",),
                      tolerance=tolerance)
    cases.write()


def deformable_position_pooling():
    cases = Cases("_contrib_DeformablePSROIPooling")
    for kind, tolerance in KINDS.items():
        for name, data, trans, options in [
                ("plain", (2, 8, 6, 7), (4, 2, 2, 2), {"output_dim": 2, "pooled_size": 2, "group_size": 2, "spatial_scale": 1.0,
                                                      "trans_std": 0.1, "sample_per_part": 2}),
                ("classes", (1, 4, 5, 5), (4, 4, 3, 3), {"output_dim": 4, "pooled_size": 3, "group_size": 1, "spatial_scale": 0.5,
                                                        "trans_std": 0.3, "sample_per_part": 3}),
                ("parts", (1, 8, 5, 5), (4, 4, 2, 2), {"output_dim": 2, "pooled_size": 5, "group_size": 2, "spatial_scale": 0.5,
                                                      "trans_std": 0.2, "part_size": 2, "sample_per_part": 4}),
                ("no_trans", (2, 9, 4, 4), None, {"output_dim": 1, "pooled_size": 3, "group_size": 3, "spatial_scale": 0.25,
                                                 "no_trans": True, "sample_per_part": 2})]:
            random = random_for("deformable position", kind, name)
            rois = regions(random, 4, data[0], data[2] / options["spatial_scale"])
            rois[3, 1:] = [-30, -30, -20, -20]
            inputs = {"data": random.uniform(-1, 1, data), "rois": rois}
            if trans:
                inputs["trans"] = random.normal(0, 1, trans)
            cases.add(f"{name}_{kind}", mx.sym.contrib.DeformablePSROIPooling(*variables(*inputs), name="op", **options),
                      {key: value.astype(kind) for key, value in inputs.items()}, no_gradient=("rois",), tolerance=tolerance)
    cases.write()


def rotated_regions():
    cases = Cases("_contrib_RROIAlign")
    for kind, tolerance in KINDS.items():
        for name, data, options in [("plain", (2, 3, 6, 7), {"pooled_size": (2, 3), "spatial_scale": 1.0}),
                                    ("samples", (1, 2, 5, 5), {"pooled_size": (3, 3), "spatial_scale": 0.5, "sampling_ratio": 2}),
                                    ("one", (1, 1, 1, 1), {"pooled_size": (1, 1), "spatial_scale": 0.25})]:
            random = random_for("rotated", kind, name)
            size = data[2] / options["spatial_scale"]
            rois = np.concatenate([random.randint(0, data[0], (5, 1)), random.uniform(0, size, (5, 2)), random.uniform(0, size, (5, 2)),
                                   np.array([[0], [30], [90], [-135], [400]])], -1)
            cases.add(f"{name}_{kind}", mx.sym.contrib.RROIAlign(*variables("data", "rois"), name="op", **options),
                      {"data": random.uniform(-1, 1, data).astype(kind), "rois": rois.astype(kind)}, backward=False,
                      tolerance=tolerance, note="MXNet has no gradient")
    cases.write()


if __name__ == "__main__":
    deformable_convolution("_contrib_DeformableConvolution", False)
    deformable_convolution("_contrib_ModulatedDeformableConvolution", True)
    position_pooling()
    deformable_position_pooling()
    rotated_regions()
