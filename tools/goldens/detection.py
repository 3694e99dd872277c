"""detection.py — boxes: box_decode, box_encode, bipartite_matching, MultiBoxTarget, MultiBoxDetection, Proposal, MultiProposal.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

from golden import Cases, mx, np, random_for

TYPES = ("float32", "float64", "float16")


def variables(*names):
    return [mx.sym.Variable(name) for name in names]


def corners(random, *shape):
    """Boxes as two corners, of positive size."""
    first = random.uniform(0, 0.6, (*shape, 2))
    return np.concatenate([first, first + random.uniform(0.1, 0.4, (*shape, 2))], -1)


def box_decode():
    cases = Cases("_contrib_box_decode")
    for kind in TYPES:
        for name, options in [("center", {}),
                              ("corner", {"format": "corner", "std0": 0.1, "std1": 0.1, "std2": 0.2, "std3": 0.2}),
                              ("clip", {"clip": 0.25, "std2": 0.5}), ("corner_clip", {"format": "corner", "clip": 0.1})]:
            random = random_for("box_decode", kind, name)
            symbol = mx.sym.contrib.box_decode(*variables("data", "anchors"), name="op", **options)
            cases.add(f"{name}_{kind}", symbol, {"data": random.normal(0, 1, (2, 5, 4)).astype(kind),
                                                 "anchors": corners(random, 1, 5).astype(kind)}, backward=False,
                      tolerance=(1e-6, 1e-7) if kind == "float64" else None)
    random = random_for("box_decode", "shapes")
    for name, shape, anchors in [("one", (1, 1, 4), (1, 1, 4)), ("anchors_4d", (2, 6, 4), (1, 2, 3, 4))]:
        cases.add(name, mx.sym.contrib.box_decode(*variables("data", "anchors"), name="op"),
                  {"data": random.normal(0, 1, shape).astype("float32"), "anchors": corners(random, *anchors[:-1]).astype("float32")},
                  backward=False)
    cases.write()


def box_encode():
    cases = Cases("_contrib_box_encode")
    names = ("samples", "matches", "anchors", "refs", "means", "stds")
    for kind in TYPES:
        random = random_for("box_encode", kind)
        cases.add(kind, mx.sym.contrib.box_encode(*variables(*names), name="op"), {
            "samples": random.choice([1, 0, -1, 0.5, 0.6], (2, 6)).astype(kind), "matches": random.randint(0, 3, (2, 6)).astype(kind),
            "anchors": corners(random, 2, 6).astype(kind), "refs": corners(random, 2, 3).astype(kind),
            "means": np.array([0, 0.1, 0, -0.1], kind), "stds": np.array([0.1, 0.1, 0.2, 0.2], kind)}, backward=False,
            tolerance=(1e-2, 1e-2) if kind == "float16" else (1e-4, 1e-5) if kind == "float32" else None)
    cases.write()


def bipartite_matching():
    cases = Cases("_contrib_bipartite_matching")
    for kind in TYPES:
        random = random_for("matching", kind)
        for name, shape, options in [("plain", (4, 5), {}), ("ascend", (2, 3, 4), {"is_ascend": True, "threshold": 0.6}),
                                     ("topk", (5, 5), {"topk": 2}), ("one", (1, 1), {}), ("none", (2, 2), {"threshold": 2.0}),
                                     ("wide", (2, 1, 2, 7), {"threshold": 0.05}), ("topk_zero", (3, 2), {"topk": 0})]:
            cases.add(f"{name}_{kind}",
                      mx.sym.contrib.bipartite_matching(mx.sym.Variable("data"), name="op", **{"threshold": 0.2, **options}),
                      {"data": random.permutation(int(np.prod(shape))).reshape(shape).astype(kind) / np.prod(shape).astype(kind)},
                      backward=False, tolerance=(0, 0))
    cases.add("ties", mx.sym.contrib.bipartite_matching(mx.sym.Variable("data"), name="op", threshold=0.2),
              {"data": np.array([[0.5, 0.5, 0.2], [0.5, 0.5, 0.5]], "float32")}, note="equal scores, one equal to the threshold",
              backward=False, tolerance=(0, 0))
    cases.write()


def multi_box_target():
    cases = Cases("_contrib_MultiBoxTarget")
    for kind in ("float32",):
        for name, options in [("plain", {}), ("mining", {"negative_mining_ratio": 1.5, "negative_mining_thresh": 0.9}),
                              ("best_only", {"overlap_threshold": 0}), ("mining_best_only", {"overlap_threshold": 0,
                              "negative_mining_ratio": 2.0, "negative_mining_thresh": 0.6, "minimum_negative_samples": 3}),
                              ("low_threshold", {"overlap_threshold": 0.1, "ignore_label": -7, "variances": (1, 1, 0.5, 0.25)})]:
            random = random_for("multi_box_target", kind, name)
            label = np.concatenate([random.randint(0, 4, (3, 4, 1)), corners(random, 3, 4), random.uniform(0, 1, (3, 4, 1))], -1)
            label[1, 2:] = -1
            label[2] = -1
            cases.add(f"{name}_{kind}", mx.sym.contrib.MultiBoxTarget(*variables("anchor", "label", "cls_pred"), name="op", **options),
                      {"anchor": corners(random, 1, 12).astype(kind), "label": label.astype(kind),
                       "cls_pred": random.normal(0, 1, (3, 5, 12)).astype(kind)}, backward=False, tolerance=(1e-5, 1e-5))
    cases.write()


def multi_box_detection():
    """The best nms_topk boxes; the class of others is −1. MXNet takes class 0 as the background, whatever background_id is."""
    cases = Cases("_contrib_MultiBoxDetection")
    for name, options in [("all", {}), ("topk_1", {"nms_topk": 1}), ("topk_3", {"nms_topk": 3}), ("topk_as_many", {"nms_topk": 6}),
                          ("topk_more", {"nms_topk": 7}), ("topk_force", {"nms_topk": 4, "force_suppress": True}),
                          ("topk_no_nms", {"nms_topk": 2, "nms_threshold": 0}), ("background", {"background_id": 1})]:
        random = random_for("multi_box_detection", name)
        scores = random.permutation(2 * 4 * 6).reshape(2, 4, 6).astype("float32") / 48
        cases.add(name, mx.sym.contrib.MultiBoxDetection(*variables("cls_prob", "loc_pred", "anchor"), name="op", **options),
                  {"cls_prob": scores, "loc_pred": random.normal(0, 0.2, (2, 24)).astype("float32"),
                   "anchor": corners(random, 1, 6).astype("float32")}, backward=False, tolerance=(1e-5, 1e-5))
    cases.write()


def proposal(op, batch):
    cases = Cases(op)
    short = {"rpn_pre_nms_top_n": 40, "rpn_post_nms_top_n": 8, "rpn_min_size": 4}
    small = {**short, "feature_stride": 8, "scales": (1, 2), "ratios": (0.5, 1, 2)}
    for name, size, anchors, options in [
            ("plain", (4, 5), 6, small), ("scores", (4, 5), 6, {**small, "output_score": True}),
            ("iou", (3, 3), 6, {**small, "iou_loss": True, "output_score": True}),
            ("all", (3, 4), 6, {**small, "rpn_pre_nms_top_n": -1, "threshold": 0.3, "output_score": True}),
            ("defaults", (3, 3), 12, {"rpn_post_nms_top_n": 20, "output_score": True}),
            ("more_than_there_are", (1, 1), 2, {**short, "feature_stride": 16, "scales": (2,), "ratios": (1, 3), "output_score": True}),
            ("too_small", (2, 2), 6, {**small, "rpn_min_size": 500, "output_score": True}),
            ("padded", (6, 6), 6, {**small, "output_score": True})]:
        random = random_for("proposal", op, name)
        stride = options.get("feature_stride", 16)
        inner = (size[0] - 2, size[1] - 1) if name == "padded" else size
        info = np.array([[inner[0] * stride + (3 if name == "padded" else 0), inner[1] * stride, 1.5]] * batch, "float32")
        cls = random.permutation(batch * 2 * anchors * size[0] * size[1]).reshape(batch, 2 * anchors, *size)
        cases.add(name, getattr(mx.sym.contrib, op.replace("_contrib_", ""))(*variables("cls_prob", "bbox_pred", "im_info"), name="op",
                                                                            **options),
                  {"cls_prob": (cls / cls.size).astype("float32"),
                   "bbox_pred": random.normal(0, 0.4, (batch, 4 * anchors, *size)).astype("float32"), "im_info": info},
                  backward=False, tolerance=(1e-5, 1e-4))
    cases.write()


if __name__ == "__main__":
    box_decode()
    box_encode()
    bipartite_matching()
    multi_box_target()
    multi_box_detection()
    proposal("_contrib_Proposal", 1)
    proposal("_contrib_MultiProposal", 2)
