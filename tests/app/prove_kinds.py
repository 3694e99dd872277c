"""prove_kinds.py — pairs of models that differ in one attribute, one order or one type, for prove-pairs.py.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import random

from prove_models import SHAPE, TRAIN, chain, cube, image, loss, norm, out, same, sequence, two, unary, volume


def square(op="dot", swapped=False, **attributes):
    """A product with a square weight that is or is not transposed."""
    def make(net):
        numbers = random.Random("square")
        rows = [[numbers.uniform(-1, 1) for _ in range(8)] for _ in range(8)]
        if swapped:
            rows = [list(row) for row in zip(*rows)]
        x, weight = net.var("x", *SHAPE), net.param("w", (8, 8), [v for row in rows for v in row])
        return [net.call(op, x, weight, **attributes)]
    return make


def heads(*names):
    """Several outputs, each an operator on x, in this order; the nodes have the same names in any order."""
    def make(net):
        x = net.var("x", *SHAPE)
        nodes = {op: net.add(op, "node_" + op, [x], {}) for op in sorted(set(names))}
        return [nodes[op] for op in names]
    return make


def shuffled(*names):
    """The same, with nodes that are named by their places."""
    def make(net):
        x = net.var("x", *SHAPE)
        return [net.add(op, f"head{i}", [x], {}) for i, op in enumerate(names)]
    return make


def indexed(op, **attributes):
    def make(net):
        return [net.call(op, net.param("rows", (6, 4)), net.var("i", 5), **attributes)]
    return make


def picked(**attributes):
    return lambda net: [net.call("pick", net.var("x", *SHAPE), net.var("i", 4), **attributes)]


def normed(op, gamma=1.0, shape=(2, 4, 4, 4), n=4, **attributes):
    def make(net):
        return [net.call(op, net.var("x", *shape), net.param("gamma", (n,), [gamma] * n), net.param("beta", (n,), [0.1] * n), **attributes)]
    return make


def regression(op, **attributes):
    return lambda net: [net.call(op, net.var("x", *SHAPE), net.var("label", *SHAPE), **attributes)]


def first_last(is_last):
    """The place of the first or of the last of the largest elements, which differ where elements are equal."""
    def make(net):
        x = net.call("floor", net.var("x", *SHAPE))
        if not is_last:
            return [net.call("argmax", x, axis=1)]
        return [net.call("_rminus_scalar", net.call("argmax", net.call("reverse", x, axis=1), axis=1), scalar=7)]
    return make


def convolution(flipped=False, op="Convolution", **attributes):
    def make(net):
        numbers = random.Random("kernel")
        values = [[numbers.uniform(-1, 1) for _ in range(9)] for _ in range(9)]
        flat = [v for kernel in values for v in (reversed(kernel) if flipped else kernel)]
        return [net.call(op, net.var("x", 2, 3, 7, 7), net.param("w", (3, 3, 3, 3), flat), kernel=(3, 3), num_filter=3, no_bias=True, pad=(1, 1), **attributes)]
    return make


def layered(**attributes):
    def make(net):
        h = 4
        size = 4 * h * (3 + h) + 8 * h + 4 * h * (2 * h) + 8 * h
        inputs = [net.var("x", 5, 2, 3), net.param("rnn_parameters", (size,)), net.var("h", 2, 2, h), net.var("c", 2, 2, h)]
        return [net.call("RNN", *inputs, mode="lstm", state_size=h, num_layers=2, **attributes)]
    return make


def vanilla(mode):
    def make(net):
        h = 4
        return [net.call("RNN", net.var("x", 5, 2, 3), net.param("rnn_parameters", (h * (3 + h) + 2 * h,)), net.var("h", 1, 2, h), mode=mode,
                         state_size=h, num_layers=1)]
    return make


def gates(order):
    def make(net):
        h, numbers = 4, random.Random("gates")
        blocks = [[numbers.uniform(-1, 1) for _ in range(h * 3)] for _ in range(4)]
        recurrent = [[numbers.uniform(-1, 1) for _ in range(h * h)] for _ in range(4)]
        values = [v for g in order for v in blocks[g]] + [v for g in order for v in recurrent[g]] + [0.1] * (8 * h)
        return [net.call("RNN", net.var("x", 5, 2, 3), net.param("rnn_parameters", (len(values),), values), net.var("h", 1, 2, h),
                         net.var("c", 1, 2, h), mode="lstm", state_size=h, num_layers=1)]
    return make


def folding(which, reverse=False):
    """A loop that returns the state before or after each step."""
    body = {"nodes": [{"op": "null", "name": "d", "inputs": []}, {"op": "null", "name": "s", "inputs": []},
                      {"op": "elemwise_add", "name": "a", "inputs": [[0, 0, 0], [1, 0, 0]]},
                      {"op": "_copy", "name": "c", "inputs": [[1, 0, 0]]}],
            "arg_nodes": [0, 1], "node_row_ptr": [0, 1, 2, 3, 4], "heads": [[which, 0, 0], [2, 0, 0]]}
    def make(net):
        x = net.var("x", 4, 3)
        if reverse:
            x = net.call("reverse", x, axis=0)
        node = net.call("_foreach", x, net.var("s", 3), num_args=3, num_outputs=2, num_out_data=1, in_data_locs=[0], in_state_locs=[1], remain_locs=[])
        net.nodes[node[0]]["subgraphs"] = [body]
        return [node, out(node, 1)]
    return make


def ctc(**attributes):
    return lambda net: [net.call("CTCLoss", net.var("x", 6, 2, 5), net.var("label", 2, 2), **attributes)]


def noise(scale):
    return lambda net: [net.call("elemwise_add", net.var("x", *SHAPE), net.call("_random_normal", shape=SHAPE, loc=0, scale=scale))]


def masked(**attributes):
    return lambda net: [net.call("SequenceMask", net.var("x", 4, 4, 2), net.var("lengths", 4), use_sequence_length=True, **attributes)]


IMAGE = ("Reshape", {"shape": (1, 1, 4, 8)})
# What differs, both models, and options.
KINDS = [
    ("the axis of log_softmax", cube("log_softmax", axis=0), cube("log_softmax", axis=2)),
    ("a negative axis", cube("softmax", axis=-1), cube("softmax", axis=-2)),
    ("the temperature of softmax", unary("softmax", temperature=1.0), unary("softmax", temperature=1.01)),
    ("softmin", unary("softmax"), unary("softmin")),
    ("eps of a layer norm", normed("LayerNorm", shape=(4, 8), n=8, eps=1e-5), normed("LayerNorm", shape=(4, 8), n=8, eps=2e-5)),
    ("eps of an instance norm", normed("InstanceNorm", eps=1e-3), normed("InstanceNorm", eps=1.5e-3)),
    ("eps of a batch norm in training", norm(eps=1e-3, fix_gamma=False), norm(eps=1.5e-3, fix_gamma=False), TRAIN),
    ("eps of a length", unary("L2Normalization", mode="instance", eps=1e-10), unary("L2Normalization", mode="instance", eps=1e-4)),
    ("the axis of a layer norm", normed("LayerNorm", shape=(4, 4), axis=-1), normed("LayerNorm", shape=(4, 4), axis=0)),
    ("eps of a group norm", normed("GroupNorm", n=2, num_groups=2, eps=1e-5), normed("GroupNorm", n=2, num_groups=2, eps=1e-4)),
    ("the mode of a length", volume("L2Normalization", mode="instance"), volume("L2Normalization", mode="channel")),
    ("a norm and its order", unary("norm", axis=1), unary("norm", axis=1, ord=1)),
    ("axes that are kept", unary("sum", axis=1), unary("sum", axis=1, keepdims=True)),
    ("axes of a sum", cube("sum", axis=0), cube("sum", axis=1)),
    ("axes that are excluded", cube("sum", axis=(0, 1)), cube("sum", axis=(0, 1), exclude=True)),
    ("the ceiling of a pooled size", image("Pooling", kernel=(2, 2), stride=(2, 2), pool_type="max"),
     image("Pooling", kernel=(2, 2), stride=(2, 2), pool_type="max", pooling_convention="full")),
    ("the kind of pooling", image("Pooling", kernel=(2, 2), pool_type="max"), image("Pooling", kernel=(2, 2), pool_type="avg")),
    ("the power of pooling", image("Pooling", kernel=(2, 2), pool_type="lp", p_value=2), image("Pooling", kernel=(2, 2), pool_type="lp", p_value=3)),
    ("what is pooled", image("Pooling", kernel=(2, 2), pool_type="sum"), image("Pooling", kernel=(2, 2), pool_type="avg")),
    ("the mode of padding", chain(IMAGE, ("Pad", {"mode": "reflect", "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)})),
     chain(IMAGE, ("Pad", {"mode": "edge", "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)}))),
    ("a padded number", chain(IMAGE, ("Pad", {"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)})),
     chain(IMAGE, ("Pad", {"mode": "constant", "constant_value": 1e-3, "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)}))),
    ("where padding is", chain(IMAGE, ("Pad", {"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 1, 1, 3)})),
     chain(IMAGE, ("Pad", {"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)}))),
    ("the type of indices", unary("topk", k=2, dtype="int32"), unary("topk", k=2, dtype="float32")),
    ("the type of an order", unary("argsort", dtype="int32"), unary("argsort", dtype="int64")),
    ("indices of the smallest", unary("topk", k=2, is_ascend=True), unary("topk", k=2)),
    ("values instead of indices", unary("topk", k=2, ret_typ="value"), unary("topk", k=2)),
    ("the direction of an order", unary("sort"), unary("sort", is_ascend=False)),
    ("the axis of an order", unary("argsort", axis=0), unary("argsort", axis=1)),
    ("the first or the last of the largest", first_last(False), first_last(True)),
    ("the order of outputs", heads("tanh", "sigmoid"), heads("sigmoid", "tanh")),
    ("the order of outputs without names", shuffled("tanh", "sigmoid"), shuffled("sigmoid", "tanh")),
    ("an output that is there twice", heads("tanh", "tanh", "sigmoid"), heads("tanh", "sigmoid", "sigmoid")),
    ("one output more", heads("tanh"), heads("tanh", "sigmoid")),
    ("a transposed square weight", square(), square(swapped=True)),
    ("a square weight that the operator transposes", square(transpose_b=True), square()),
    ("a square weight of a layer", square("FullyConnected", num_hidden=8, no_bias=True), square("FullyConnected", True, num_hidden=8, no_bias=True)),
    ("a flipped window", convolution(), convolution(True)),
    ("a transposed convolution", convolution(), convolution(op="Deconvolution")),
    ("stride and dilation", convolution(stride=(1, 2)), convolution(stride=(2, 1))),
    ("axes that dropout shares", unary("Dropout", p=0.5, axes=(0,)), unary("Dropout", p=0.5), TRAIN),
    ("dropout twice", unary("Dropout", p=0.5), chain(("Dropout", {"p": 0.5}), ("Dropout", {"p": 0.5})), TRAIN),
    ("dropout between layers", layered(p=0.5), layered(p=0.25), TRAIN),
    ("no dropout between layers", layered(p=0.5), layered(), TRAIN),
    ("dropout of another place", chain("exp", ("Dropout", {"p": 0.5})), chain(("Dropout", {"p": 0.5}), "exp"), TRAIN),
    ("indices beyond the end", indexed("take", mode="clip"), indexed("take", mode="wrap")),
    ("a picked element", picked(axis=1, mode="clip"), picked(axis=1, mode="wrap")),
    ("a picked axis that is kept", picked(axis=1), picked(axis=1, keepdims=True)),
    ("the value of one_hot", unary("one_hot", depth=5), unary("one_hot", depth=5, on_value=2)),
    ("the depth of one_hot", unary("one_hot", depth=5), unary("one_hot", depth=6)),
    ("the type of one_hot", unary("one_hot", depth=5), unary("one_hot", depth=5, dtype="int32")),
    ("the axis of a mask", masked(axis=0), masked(axis=1)),
    ("the number of a mask", masked(value=0), masked(value=-1)),
    ("a reversed sequence", sequence("SequenceReverse", use_sequence_length=True), sequence("SequenceReverse")),
    ("the activation of a recurrent layer", vanilla("rnn_tanh"), vanilla("rnn_relu")),
    ("the order of gates", gates((0, 1, 2, 3)), gates((0, 1, 3, 2))),
    ("input and forget gate", gates((0, 1, 2, 3)), gates((1, 0, 2, 3))),
    ("the state before or after a step", folding(2), folding(3)),
    ("a loop from the end", folding(2), folding(2, True)),
    ("the blank of CTC", ctc(blank_label="first"), ctc(blank_label="last")),
    ("what a gradient is divided by", loss(normalization="batch"), loss(normalization="null")),
    ("an ignored label", loss(use_ignore=True, ignore_label=1), loss()),
    ("a smoothed label", loss(smooth_alpha=0.1), loss()),
    ("the scale of a regression's gradient", regression("LinearRegressionOutput", grad_scale=1), regression("LinearRegressionOutput", grad_scale=2)),
    ("another regression", regression("LinearRegressionOutput"), regression("MAERegressionOutput")),
    ("a made loss", unary("MakeLoss", grad_scale=1), unary("MakeLoss", grad_scale=3)),
    ("a bent line", unary("LeakyReLU", act_type="elu", slope=1.0), unary("LeakyReLU", act_type="elu", slope=0.99)),
    ("selu and elu", unary("LeakyReLU", act_type="selu"), unary("LeakyReLU", act_type="elu")),
    ("gelu as a sigmoid", unary("LeakyReLU", act_type="gelu"),
     lambda net: (lambda x: [net.call("elemwise_mul", x, net.call("sigmoid", net.call("_mul_scalar", x, scalar=1.702)))])(net.var("x", *SHAPE))),
    ("a hard sigmoid's slope", unary("hard_sigmoid", alpha=0.2), unary("hard_sigmoid", alpha=0.1666667)),
    ("bytes with and without sign", chain(("Cast", {"dtype": "int8"}), ("Cast", {"dtype": "float32"})), chain(("Cast", {"dtype": "uint8"}), ("Cast", {"dtype": "float32"}))),
    ("wide and narrow integers", chain(("Cast", {"dtype": "int32"})), chain(("Cast", {"dtype": "int64"}))),
    ("rounding of negative numbers", unary("floor"), unary("trunc")),
    ("numbers between integers", unary("round"), unary("floor")),
    ("a remainder of negative numbers", unary("_mod_scalar", scalar=3), lambda net: (lambda x: [net.call("elemwise_sub", x, net.call(
        "_mul_scalar", net.call("trunc", net.call("_div_scalar", x, scalar=3)), scalar=3))])(net.var("x", *SHAPE))),
    ("the axis of sums", unary("cumsum", axis=0), unary("cumsum", axis=1)),
    ("sums that are one", unary("cumsum"), unary("cumsum", axis=1)),
    ("reshaped or transposed", unary("Reshape", shape=(8, 4)), unary("transpose", axes=(1, 0))),
    ("axes of a cube", cube("transpose", axes=(1, 2, 0)), cube("transpose", axes=(2, 0, 1))),
    ("a swapped pair of axes", cube("SwapAxis", dim1=0, dim2=1), cube("SwapAxis", dim1=0, dim2=2)),
    ("repeated rows or elements", unary("tile", reps=(1, 2)), unary("repeat", repeats=2, axis=1)),
    ("the reversed axis", cube("reverse", axis=0), cube("reverse", axis=1)),
    ("the begin of a part", unary("slice_axis", axis=1, begin=0, end=4), unary("slice_axis", axis=1, begin=1, end=5)),
    ("the step of a part", unary("slice", begin=(0, 0), end=(4, 8), step=(1, 2)), unary("slice", begin=(0, 1), end=(4, 8), step=(1, 2))),
    ("an order of joined parts", lambda net: (lambda x: [net.call("Concat", net.call("tanh", x), net.call("sin", x), num_args=2, dim=0)])(net.var("x", *SHAPE)),
     lambda net: (lambda x: [net.call("Concat", net.call("sin", x), net.call("tanh", x), num_args=2, dim=0)])(net.var("x", *SHAPE))),
    ("the axis of a stack", lambda net: [net.call("stack", *[net.var("x", 2, 2)] * 2, num_args=2, axis=0)],
     lambda net: [net.call("stack", *[net.var("x", 2, 2)] * 2, num_args=2, axis=1)]),
    ("a diagonal", unary("diag", k=0), unary("diag", k=1)),
    ("the window of LRN", image("LRN", nsize=3), image("LRN", nsize=1)),
    ("alpha of LRN", image("LRN", nsize=3, alpha=1e-4), image("LRN", nsize=3, alpha=2e-4)),
    ("beta of LRN", image("LRN", nsize=3, alpha=1e-4, beta=0.75), image("LRN", nsize=3, alpha=1e-4, beta=0.5)),
    ("smooth_l1", unary("smooth_l1", scalar=1), unary("smooth_l1", scalar=1.01)),
    ("noise of another width", noise(1), noise(2)),
    ("drawn numbers", noise(1), same),
    ("corners of a resized image", image("_contrib_BilinearResize2D", height=10, width=10), image("_contrib_BilinearResize2D", height=10, width=10, align_corners=False)),
    ("nearest or between", image("UpSampling", scale=2, sample_type="nearest", num_args=1), image("_contrib_BilinearResize2D", height=14, width=14)),
    ("blocks of depth", lambda net: [net.call("depth_to_space", net.var("x", 1, 4, 2, 2), block_size=2)],
     lambda net: [net.call("Reshape", net.var("x", 1, 4, 2, 2), shape=(1, 1, 4, 4))]),
    ("a maximum of two", two("_maximum"), two("_minimum")),
    ("a comparison with equality", two("_greater"), two("_greater_equal")),
    ("unequal", two("_not_equal"), two("_lesser")),
    ("a power of two", two("_power"), two("_power", (1, 0))),
    ("the variance of a norm", norm(fix_gamma=False), lambda net: [net.call("BatchNorm", net.var("x", *SHAPE), net.param("gamma", (8,), [1.0] * 8),
        net.param("beta", (8,), [0.1] * 8), net.param("moving_mean", (8,), [0.5] * 8, True), net.param("moving_var", (8,), [4.0] * 7 + [4.001], True),
        fix_gamma=False)]),
    ("the axis of a norm", lambda net: [net.call("BatchNorm", net.var("x", 4, 4), *[net.param(n, (4,), [1., 2., 3., 4.], n[0] == "m") for n in ("gamma", "beta", "moving_mean", "moving_var")], fix_gamma=False, axis=1)],
     lambda net: [net.call("BatchNorm", net.var("x", 4, 4), *[net.param(n, (4,), [1., 2., 3., 4.], n[0] == "m") for n in ("gamma", "beta", "moving_mean", "moving_var")], fix_gamma=False, axis=0)]),
]
