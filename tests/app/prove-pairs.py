"""prove-pairs.py — hscope prove calls no pair of models equal that differs in one thing, and refuses none that is equal.

usage: prove-pairs.py HSCOPE GOLDENS

A pair is two lists of nodes and what prove is told beside them. Models that differ must not be "equal"; what no input
can show must be "open" or an error. GOLDENS holds exported models, each of which equals itself. Prints TAP.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from prove_kinds import KINDS
from prove_models import *  # noqa: F403

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import temporary_folder  # noqa: E402

# What differs, both models, and options.
DIFFERENT = [
    ("no outputs, of which nothing is known", nothing, nothing),
    ("one row of an embedding", table(1000), table(1000, 997)),
    ("one row of a table", table(300, op="take"), table(300, 299, op="take")),
    ("the sign of small numbers", unary("_mul_scalar", scalar=1e-7), unary("_mul_scalar", scalar=-1e-7)),
    ("small numbers beside large ones", large(1), large(-1)),
    ("a clip at 1", same, unary("clip", a_min=-1, a_max=1)),
    ("a clip from above", same, unary("clip", a_min=-1e30, a_max=20)),
    ("a large clip in a loop", summed(5e5), summed(6e5)),
    ("the order of small probabilities", chain("softmax", ("_mul_scalar", {"scalar": 1e-6})),
     chain(("reverse", {"axis": 1}), "softmax", ("_mul_scalar", {"scalar": 1e-6}))),
    ("a clip at a million", same, unary("clip", a_min=-1e6, a_max=1e6)),
    ("a clip of small numbers", same, unary("clip", a_min=-1e30, a_max=1e5)),
    ("ReLU6", unary("relu"), unary("clip", a_min=0, a_max=6)),
    ("a maximum", same, unary("_maximum_scalar", scalar=-50)),
    ("a minimum", same, unary("_minimum_scalar", scalar=50)),
    ("a bound that is never reached", chain("sigmoid"), chain("sigmoid", ("clip", {"a_min": -1, "a_max": 0.99999999}))),
    ("statistics in training", norm(use_global_stats=False, fix_gamma=False), norm(use_global_stats=True, fix_gamma=False), TRAIN),
    ("momentum in training", norm(momentum=0.9, fix_gamma=False), norm(momentum=0.8, fix_gamma=False), TRAIN),
    ("eps of a norm", norm(eps=1e-3), norm(eps=2e-3)),
    ("a fixed gamma", norm(2.0, fix_gamma=True), norm(2.0, fix_gamma=False)),
    ("dropout in training", unary("Dropout", p=0.5), same, TRAIN),
    ("the rate of dropout", unary("Dropout", p=0.5), unary("Dropout", p=0.9), TRAIN),
    ("dropout in prediction", unary("Dropout", p=0.5), unary("Dropout", p=0.5, mode="always")),
    ("a longer batch", loose(("mean", {"axis": 0})), loose(("sum", {"axis": 0}), ("_div_scalar", {"scalar": 5})), X),
    ("a batch that is cut", loose(("_copy", {})), loose(("slice_axis", {"axis": 0, "begin": 0, "end": 5})), X),
    ("float16 instead of float32", unary("_mul_scalar", scalar=0), chain(("_mul_scalar", {"scalar": 0}), ("Cast", {"dtype": "float16"}))),
    ("integers instead of floats", unary("floor"), chain("floor", ("Cast", {"dtype": "int32"}))),
    ("another shape", same, unary("Reshape", shape=(8, 4))),
    ("numbers that are NaN up to 1", chain(("_minus_scalar", {"scalar": 2}), "sqrt"), chain(("_minus_scalar", {"scalar": 3}), "sqrt")),
    ("NaN in both", chain("square", ("_rminus_scalar", {"scalar": -1}), "sqrt"), chain("square", ("_rminus_scalar", {"scalar": -1}), "log")),
    ("large integers", integers("_mod_scalar", scalar=1000), integers("_mod_scalar", scalar=1001)),
    ("integers above 100", integers("_copy"), integers("_minimum_scalar", scalar=100)),
    ("sequences that end early", sequence("SequenceMask", use_sequence_length=True, value=0), sequence("SequenceMask")),
    ("the last element of a sequence", sequence("SequenceLast", use_sequence_length=True), sequence("SequenceLast")),
    ("the number behind the end", sequence("SequenceMask", use_sequence_length=True, value=0),
     sequence("SequenceMask", use_sequence_length=True, value=1)),
    ("lengths of a layer", lstm(use_sequence_length=True), lstm()),
    ("the clip of a cell", lstm(lstm_state_clip_min=-1.2, lstm_state_clip_max=1.2), lstm()),
    ("one row of a product", encoded(300), encoded(300, 299)),
    ("an index that wraps", limited(400), limited(399)),
    ("an index that wraps, in the second model", table(400), limited(399)),
    ("one column of a table", column(), column(249)),
    ("a branch of _cond that is never taken", branch(1e30, 2), branch(1e30, 3)),
    ("a branch of _cond that is taken", branch(1000, 2), branch(1000, 3)),
    ("a branch never taken", where(1e7, 2), where(1e7, 3)),
    ("a branch seldom taken", where(25, 2), where(25, 3)),
    ("a comparison with a large number", unary("_greater_scalar", scalar=1e5), unary("_greater_scalar", scalar=2e5)),
    ("a comparison that is never true", chain("tanh", ("_greater_scalar", {"scalar": 1})), chain("tanh", ("_greater_scalar", {"scalar": 2}))),
    ("a rectified large number", chain(("_minus_scalar", {"scalar": 1e6}), "relu"), chain(("_minus_scalar", {"scalar": 2e6}), "relu")),
    ("large batches", loose(("sum", {"axis": 0}), ("_minimum_scalar", {"scalar": 1e9})),
     lambda net: [net.call("sum", net.call("slice_axis", net.var("x"), axis=0, begin=0, end=50), axis=0)], X),
    ("integers above a million", integers("_mod_scalar", scalar=10000000), integers("_mod_scalar", scalar=10000001)),
    ("bytes", integers("_minimum_scalar", dtype=3, scalar=250), integers("_minimum_scalar", dtype=3, scalar=251)),
    ("steps of a loop", loop(4, 1000), loop(5, 1000)),
    ("the condition of a loop", loop(4, 1000), loop(4, 100)),
    ("the end that a loop never reaches", loop(4, 1e9), loop(4, 1e8)),
    ("one weight", dense(), dense(1e-6)),
    ("a bias", dense(), dense(bias=False)),
    ("a tiny constant", same, unary("_plus_scalar", scalar=1e-9)),
    ("an activation", unary("Activation", act_type="tanh"), unary("Activation", act_type="softsign")),
    ("a slope", unary("LeakyReLU", act_type="leaky", slope=0.01), unary("LeakyReLU", act_type="leaky", slope=0.010001)),
    ("the axis of a softmax", volume("softmax", axis=1), volume("softmax", axis=2)),
    ("the gradient alone", same, unary("BlockGrad")),
    ("the scale of a gradient", loss(grad_scale=1), loss(grad_scale=2)),
    ("padding that is counted", image("Pooling", kernel=(3, 3), pad=(1, 1), pool_type="avg"),
     image("Pooling", kernel=(3, 3), pad=(1, 1), pool_type="avg", count_include_pad=False)),
    ("dilation", image("Convolution", True, kernel=(3, 3), num_filter=2, pad=(1, 1)),
     image("Convolution", True, kernel=(3, 3), num_filter=2, dilate=(2, 2), pad=(2, 2))),
    ("negative numbers", same, unary("abs")),
    ("order of operands", two("elemwise_sub"), two("elemwise_sub", (1, 0))),
    ("rounding", unary("round"), unary("rint")),
    ("truncated numbers", same, chain(("Cast", {"dtype": "int32"}), ("Cast", {"dtype": "float32"}))),
    ("float16 in between", same, chain(("Cast", {"dtype": "float16"}), ("Cast", {"dtype": "float32"}))),
]

# Formulas of the same function.
EQUAL = [
    ("the same", same, same),
    ("twice", unary("_mul_scalar", scalar=2), lambda net: [net.call("elemwise_add", *[net.var("x", *SHAPE)] * 2)]),
    ("a sum", two("elemwise_add"), two("elemwise_add", (1, 0))),
    ("ReLU", unary("relu"), unary("_maximum_scalar", scalar=0)),
    ("ReLU and Activation", unary("relu"), unary("Activation", act_type="relu")),
    ("a product", dense(), dense(form="dot")),
    ("a mean", unary("mean", axis=1), chain(("mean", {"axis": 1, "keepdims": True}), ("sum", {"axis": 1}))),
    ("transposed twice", same, chain(("transpose", {"axes": (1, 0)}), ("transpose", {"axes": (1, 0)}))),
    ("another order of factors", chain(("_mul_scalar", {"scalar": 3}), ("_div_scalar", {"scalar": 7})),
     chain(("_div_scalar", {"scalar": 7}), ("_mul_scalar", {"scalar": 3}))),
    ("a square", unary("square"), lambda net: [net.call("elemwise_mul", *[net.var("x", *SHAPE)] * 2)]),
    ("sigmoid", unary("sigmoid"), unary("Activation", act_type="sigmoid")),
    ("tanh and sigmoid", unary("tanh"),
     chain(("_mul_scalar", {"scalar": 2}), "sigmoid", ("_mul_scalar", {"scalar": 2}), ("_minus_scalar", {"scalar": 1}))),
    ("clips", unary("clip", a_min=-1, a_max=1), chain(("_maximum_scalar", {"scalar": -1}), ("_minimum_scalar", {"scalar": 1}))),
    ("a clip that changes nothing, in both", chain("sigmoid", ("clip", {"a_min": -1, "a_max": 2})),
     chain("sigmoid", ("clip", {"a_min": -1, "a_max": 2}))),
    ("negated", unary("negative"), unary("_mul_scalar", scalar=-1)),
    ("a table", table(1000), table(1000)),
    ("a product with codes", table(300), encoded(300)),
    ("an index that never wraps", table(400), limited(400)),
    ("a branch", branch(5, 2), branch(5, 2)),
    ("a norm in training", norm(fix_gamma=False), norm(fix_gamma=False), TRAIN),
    ("dropout in training", unary("Dropout", p=0.5), unary("Dropout", p=0.5), TRAIN),
    ("dropout in prediction", unary("Dropout", p=0.5), same),
    ("integers", integers("_mod_scalar", scalar=1000), integers("_mod_scalar", scalar=1000)),
    ("sequences", sequence("SequenceMask", use_sequence_length=True), sequence("SequenceMask", use_sequence_length=True)),
    ("lengths of a layer", lstm(use_sequence_length=True), lstm(use_sequence_length=True)),
    ("a loop", loop(4, 1000), loop(4, 1000)),
    ("images", image("Convolution", True, kernel=(3, 3), num_filter=2), image("Convolution", True, kernel=(3, 3), num_filter=2)),
    ("NaN in some", unary("sqrt"), unary("_power_scalar", scalar=0.5)),
    ("batches", loose(("mean", {"axis": 0})), loose(("mean", {"axis": 0})), X),
]


def folded(op, **attributes):
    """An operator of two inputs that are both x."""
    return lambda net: [net.call(op, *[net.var("x", *SHAPE)] * 2, **attributes)]


def with_constant(op, values, **attributes):
    """x and a parameter that holds one number, or one for each column."""
    def make(net):
        return [net.call(op, net.var("x", *SHAPE), net.param("constant", (1, len(values)), list(values)), **attributes)]
    return make


def split_and(op, parts=2, axis=1, **attributes):
    """Splits x and joins the parts."""
    def make(net):
        value = net.call("SliceChannel", net.var("x", *SHAPE), num_outputs=parts, axis=axis)
        return [net.call(op, *[out(value, i) for i in range(parts)], **attributes)]
    return make


def three(first, second, right=False):
    """Two operators on three inputs, from the left or from the right."""
    def make(net):
        x, y, z = [net.var(name, *SHAPE) for name in "xyz"]
        return [net.call(first, x, net.call(second, y, z)) if right else net.call(second, net.call(first, x, y), z)]
    return make


def distributed(is_expanded):
    def make(net):
        x, y, z = [net.var(name, *SHAPE) for name in "xyz"]
        if is_expanded:
            return [net.call("elemwise_add", net.call("elemwise_mul", x, y), net.call("elemwise_mul", x, z))]
        return [net.call("elemwise_mul", x, net.call("elemwise_add", y, z))]
    return make


def normalised(form):
    """Layer normalisation, written out or not."""
    def make(net):
        x, gamma, beta = net.var("x", *SHAPE), net.param("gamma", (8,)), net.param("beta", (8,))
        if form == "LayerNorm":
            return [net.call("LayerNorm", x, gamma, beta, eps=1e-3)]
        centred = net.call("broadcast_sub", x, net.call("mean", x, axis=1, keepdims=True))
        variance = net.call("mean", net.call("square", centred), axis=1, keepdims=True)
        scale = net.call("rsqrt", net.call("_plus_scalar", variance, scalar=1e-3))
        return [net.call("broadcast_add", net.call("broadcast_mul", net.call("broadcast_mul", centred, scale), gamma), beta)]
    return make


def cell_step(form):
    """A step of a simple cell: one product of both weights side by side, or two."""
    def make(net):
        x, h = net.var("x", 3, 4), net.var("h", 3, 5)
        w, u, b = net.param("w", (5, 4)), net.param("u", (5, 5)), net.param("b", (5,))
        if form == "joined":
            both = net.call("Concat", x, h, num_args=2, dim=1)
            return [net.call("tanh", net.call("FullyConnected", both, net.call("Concat", w, u, num_args=2, dim=1), b, num_hidden=5))]
        first = net.call("FullyConnected", x, w, b, num_hidden=5)
        return [net.call("tanh", net.call("elemwise_add", first, net.call("FullyConnected", h, u, num_hidden=5, no_bias=True)))]
    return make


def summed_rows(is_loop):
    """A sum over rows as a loop, or by an operator."""
    body = {"nodes": [{"op": "null", "name": "d", "inputs": []}, {"op": "null", "name": "s", "inputs": []},
                      {"op": "elemwise_add", "name": "a", "inputs": [[0, 0, 0], [1, 0, 0]]}],
            "arg_nodes": [0, 1], "node_row_ptr": [0, 1, 2, 3], "heads": [[2, 0, 0], [2, 0, 0]]}

    def make(net):
        x, s = net.var("x", 4, 3), net.var("s", 3)
        if not is_loop:
            return [net.call("elemwise_add", net.call("sum", x, axis=0), s)]
        node = net.call("_foreach", x, s, num_args=3, num_outputs=2, num_out_data=1, in_data_locs=[0], in_state_locs=[1], remain_locs=[])
        net.nodes[node[0]]["subgraphs"] = [body]
        return [out(node, 1)]
    return make


def convolved(form):
    """A convolution with a window of one pixel, or the product of all pixels."""
    def make(net):
        x, w = net.var("x", 2, 3, 5, 5), net.param("w", (4, 3, 1, 1))
        if form == "Convolution":
            return [net.call("Convolution", x, w, kernel=(1, 1), num_filter=4, no_bias=True)]
        rows = net.call("FullyConnected", net.call("transpose", x, axes=(0, 2, 3, 1)), net.call("Reshape", w, shape=(4, 3)), num_hidden=4,
                        no_bias=True, flatten=False)
        return [net.call("transpose", rows, axes=(0, 3, 1, 2))]
    return make


# Operators that are written in another way; each row is one pair: a name, a chain and another.
SQUARE_ROOT = ("_power_scalar", {"scalar": 0.5})
SPELT = [
    ("plus", [("_plus_scalar", {"scalar": 2})], [("_minus_scalar", {"scalar": -2})]),
    ("minus", [("_minus_scalar", {"scalar": 0.5})], [("_rminus_scalar", {"scalar": 0.5}), "negative"]),
    ("from a number", [("_rminus_scalar", {"scalar": 1})], ["negative", ("_plus_scalar", {"scalar": 1})]),
    ("divided", [("_div_scalar", {"scalar": 4})], [("_mul_scalar", {"scalar": 0.25})]),
    ("the reciprocal", ["reciprocal"], [("_rdiv_scalar", {"scalar": 1})]),
    ("the square root", ["sqrt"], [SQUARE_ROOT]),
    ("the reciprocal of the square root", ["rsqrt"], ["sqrt", "reciprocal"]),
    ("the cube root", ["cbrt"], ["negative", "cbrt", "negative"]),
    ("the reciprocal of the cube root", ["rcbrt"], ["cbrt", "reciprocal"]),
    ("a power", ["square", "square"], [("_power_scalar", {"scalar": 4})]),
    ("a cube", [("_power_scalar", {"scalar": 3})], ["negative", ("_power_scalar", {"scalar": 3}), "negative"]),
    ("a value without sign", ["abs"], ["negative", "abs"]),
    ("a squared value without sign", ["abs", "square"], ["square"]),
    ("the exponential", ["exp"], ["negative", "exp", "reciprocal"]),
    ("the exponential less one", ["expm1"], ["exp", ("_minus_scalar", {"scalar": 1})]),
    ("the logarithm of one more", ["square", "log1p"], ["square", ("_plus_scalar", {"scalar": 1}), "log"]),
    ("the logarithm to base 2", ["log2"], ["log", ("_div_scalar", {"scalar": 0.6931471805599453})]),
    ("the logarithm to base 10", ["log10"], ["log", ("_div_scalar", {"scalar": 2.302585092994046})]),
    ("the logarithm of a product", ["sigmoid", ("_mul_scalar", {"scalar": 2}), "log"], ["sigmoid", "log", ("_plus_scalar", {"scalar": 0.6931471805599453})]),
    ("an odd sine", ["sin"], ["negative", "sin", "negative"]),
    ("an even cosine", ["cos"], ["negative", "cos"]),
    ("an odd hyperbolic tangent", ["tanh"], ["negative", "tanh", "negative"]),
    ("an odd arctangent", ["arctan"], ["negative", "arctan", "negative"]),
    ("an odd hyperbolic sine", ["arcsinh"], ["negative", "arcsinh", "negative"]),
    ("sigmoid of minus x", ["negative", "sigmoid"], ["sigmoid", ("_rminus_scalar", {"scalar": 1})]),
    ("softsign", ["softsign"], [("Activation", {"act_type": "softsign"})]),
    ("softrelu", [("Activation", {"act_type": "softrelu"})], [("Activation", {"act_type": "softrelu"}), "_copy"]),
    ("tanh as an activation", ["tanh"], [("Activation", {"act_type": "tanh"})]),
    ("a leaky rectifier without a leak", [("LeakyReLU", {"act_type": "leaky", "slope": 0})], ["relu"]),
    ("a leaky rectifier that leaks all", [("LeakyReLU", {"act_type": "leaky", "slope": 1})], ["_copy"]),
    ("a limited rectifier", ["relu", ("_minimum_scalar", {"scalar": 6})], [("clip", {"a_min": 0, "a_max": 6})]),
    ("limits in another order", [("_minimum_scalar", {"scalar": 2}), ("_maximum_scalar", {"scalar": -2})],
     [("_maximum_scalar", {"scalar": -2}), ("_minimum_scalar", {"scalar": 2})]),
    ("a hard sigmoid", [("hard_sigmoid", {"alpha": 0.2, "beta": 0.5})],
     [("_mul_scalar", {"scalar": 0.2}), ("_plus_scalar", {"scalar": 0.5}), ("clip", {"a_min": 0, "a_max": 1})]),
    ("softmax of shifted numbers", ["softmax"], [("_plus_scalar", {"scalar": 3}), "softmax"]),
    ("softmin", ["softmin"], ["negative", "softmax"]),
    ("the logarithm of softmax", ["log_softmax"], [("_minus_scalar", {"scalar": 2}), "log_softmax"]),
    ("softmax with a temperature", [("softmax", {"temperature": 2})], [("_div_scalar", {"scalar": 2}), "softmax"]),
    ("softmax along the last axis", [("softmax", {"axis": -1})], [("softmax", {"axis": 1})]),
    ("softmax along the first axis", [("softmax", {"axis": 0})], [("transpose", {"axes": (1, 0)}), "softmax", ("transpose", {"axes": (1, 0)})]),
    ("SoftmaxActivation", ["softmax"], ["SoftmaxActivation"]),
    ("a sum that keeps its axis", [("sum", {"axis": 1, "keepdims": True}), ("squeeze", {"axis": 1})], [("sum", {"axis": 1})]),
    ("a sum in two steps", [("sum", {"axis": (0, 1)})], [("sum", {"axis": 0}), ("sum", {"axis": 0})]),
    ("a sum of a transposed array", [("sum", {"axis": 0})], [("transpose", {"axes": (1, 0)}), ("sum", {"axis": 1})]),
    ("a sum without one axis", [("sum", {"axis": 1})], [("sum", {"axis": 0, "exclude": True})]),
    ("a least number", [("min", {"axis": 1})], ["negative", ("max", {"axis": 1}), "negative"]),
    ("a largest number in two steps", [("max", {"axis": (0, 1)})], [("max", {"axis": 1}), ("max", {"axis": 0})]),
    ("a norm", [("norm", {"axis": 1})], ["square", ("sum", {"axis": 1}), "sqrt"]),
    ("a norm of order one", [("norm", {"axis": 1, "ord": 1})], ["abs", ("sum", {"axis": 1})]),
    ("a sum that ignores NaN", [("nansum", {"axis": 1})], [("sum", {"axis": 1})]),
    ("sums that add up", [("cumsum", {"axis": 0})], [("reverse", {"axis": 0}), ("reverse", {"axis": 0}), ("cumsum", {"axis": 0})]),
    ("reversed twice", [("reverse", {"axis": 1}), ("reverse", {"axis": 1})], ["_copy"]),
    ("axes reversed in another order", [("reverse", {"axis": 0}), ("reverse", {"axis": 1})], [("reverse", {"axis": 1}), ("reverse", {"axis": 0})]),
    ("swapped axes", [("SwapAxis", {"dim1": 0, "dim2": 1})], [("transpose", {"axes": (1, 0)})]),
    ("reshaped twice", [("Reshape", {"shape": (2, 16)}), ("Reshape", {"shape": (4, 8)})], ["_copy"]),
    ("flattened", ["Flatten"], [("Reshape", {"shape": (0, -1)})]),
    ("an axis added and removed", [("expand_dims", {"axis": 0}), ("squeeze", {"axis": 0})], ["_copy"]),
    ("an axis added by a shape", [("expand_dims", {"axis": 1})], [("Reshape", {"shape": (0, 1, -1)})]),
    ("a part of a part", [("slice_axis", {"axis": 1, "begin": 2, "end": 7}), ("slice_axis", {"axis": 1, "begin": 1, "end": 4})],
     [("slice_axis", {"axis": 1, "begin": 3, "end": 6})]),
    ("a part from the end", [("slice_axis", {"axis": 1, "begin": -3, "end": "None"})], [("reverse", {"axis": 1}), ("slice_axis", {"axis": 1, "begin": 0, "end": 3}), ("reverse", {"axis": 1})]),
    ("a part of two axes", [("slice", {"begin": (1, 2), "end": (3, 6)})],
     [("slice_axis", {"axis": 0, "begin": 1, "end": 3}), ("slice_axis", {"axis": 1, "begin": 2, "end": 6})]),
    ("repeated rows", [("tile", {"reps": (2, 1)})], [("Reshape", {"shape": (1, 4, 8)}), ("tile", {"reps": (2, 1, 1)}), ("Reshape", {"shape": (8, 8)})]),
    ("repeated elements", [("repeat", {"repeats": 2, "axis": 1})],
     [("expand_dims", {"axis": 2}), ("tile", {"reps": (1, 1, 2)}), ("Reshape", {"shape": (4, 16)})]),
    ("padded and cut", [("Reshape", {"shape": (1, 1, 4, 8)}), ("Pad", {"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)}),
                        ("slice", {"begin": (0, 0, 1, 2), "end": (1, 1, 5, 10)})], [("Reshape", {"shape": (1, 1, 4, 8)})]),
    ("double precision and back", [("Cast", {"dtype": "float64"}), ("Cast", {"dtype": "float32"})], ["_copy"]),
    ("without a gradient", ["BlockGrad"], ["BlockGrad", "_copy"]),
    ("normalised to length 1", [("L2Normalization", {"mode": "instance", "eps": 0})],
     [("L2Normalization", {"mode": "instance", "eps": 0}), "_copy"]),
    ("a sign", ["sign"], ["negative", "sign", "negative"]),
    ("rounded down", ["floor"], ["negative", "ceil", "negative"]),
    ("cut", ["trunc"], ["fix"]),
    ("compared", [("_greater_scalar", {"scalar": 0.25})], [("_lesser_equal_scalar", {"scalar": 0.25}), ("_rminus_scalar", {"scalar": 1})]),
    ("a place of the largest", [("argmax", {"axis": 1})], ["negative", ("argmin", {"axis": 1})]),
    ("two smoothed losses", [("smooth_l1", {"scalar": 1})], ["negative", ("smooth_l1", {"scalar": 1})]),
    ("degrees", ["degrees"], [("_mul_scalar", {"scalar": 57.29577951308232})]),
    ("radians", ["radians"], [("_mul_scalar", {"scalar": 0.017453292519943295})]),
    ("a hypotenuse", [("_hypot_scalar", {"scalar": 3})], ["square", ("_plus_scalar", {"scalar": 9}), "sqrt"]),
]
EQUAL += [(name, chain(*first), chain(*second)) for name, first, second in SPELT]
EQUAL += [
    ("a difference", two("elemwise_sub"), lambda net: [net.call("negative", two("elemwise_sub", (1, 0))(net)[0])]),
    ("a product of two", two("elemwise_mul"), two("elemwise_mul", (1, 0))),
    ("the larger of two", two("_maximum"), two("_maximum", (1, 0))),
    ("the smaller of two", two("broadcast_minimum"), two("_minimum", (1, 0))),
    ("a sum of rows", two("broadcast_add"), two("elemwise_add")),
    ("a difference of rows", two("broadcast_sub"), two("elemwise_sub")),
    ("a product of rows", two("broadcast_mul"), two("elemwise_mul", (1, 0))),
    ("a hypotenuse of two", two("_hypot"), two("broadcast_hypot", (1, 0))),
    ("compared with another", two("_greater"), two("_lesser", (1, 0))),
    ("equal elements", two("_equal"), two("broadcast_equal", (1, 0))),
    ("nothing left", folded("elemwise_sub"), unary("zeros_like")),
    ("a product of rows of x", folded("dot", transpose_b=True), folded("_linalg_gemm2", transpose_b=True)),
    ("joined parts", split_and("Concat", 2, num_args=2, dim=1), same),
    ("joined rows", split_and("Concat", 4, 0, num_args=4, dim=0), same),
    ("a sum of halves", split_and("elemwise_add"), lambda net: [net.call("sum", net.call("Reshape", net.var("x", *SHAPE), shape=(4, 2, 4)), axis=1)]),
    ("sums in another order", three("elemwise_add", "elemwise_add"), three("elemwise_add", "elemwise_add", True)),
    ("products in another order", three("elemwise_mul", "elemwise_mul"), three("elemwise_mul", "elemwise_mul", True)),
    ("maxima in another order", three("_maximum", "_maximum"), three("_maximum", "_maximum", True)),
    ("a product of a sum", distributed(False), distributed(True)),
    ("a layer norm", normalised("LayerNorm"), normalised("written out")),
    ("a step of a cell", cell_step("joined"), cell_step("split")),
    ("a sum as a loop", summed_rows(True), summed_rows(False)),
    ("a window of one pixel", convolved("Convolution"), convolved("dense")),
    ("a parameter as a factor", with_constant("broadcast_mul", [3.0]), unary("_mul_scalar", scalar=3)),
    ("a parameter as a summand", with_constant("broadcast_add", [0.5]), unary("_plus_scalar", scalar=0.5)),
    ("a layer without bias", dense(bias=False), dense(bias=False)),
    ("pooling of all pixels", image("Pooling", global_pool=True, pool_type="avg", kernel=(1, 1)),
     image("Pooling", kernel=(7, 7), pool_type="avg")),
    ("the largest of all pixels", image("Pooling", global_pool=True, pool_type="max", kernel=(1, 1)), image("max", axis=(2, 3), keepdims=True)),
    ("a mean of all pixels", image("mean", axis=(2, 3), keepdims=True), image("Pooling", kernel=(7, 7), pool_type="avg")),
    ("the last row of a sequence", sequence("SequenceLast"), lambda net: [net.call("broadcast_add", net.call(
        "squeeze", net.call("slice_axis", net.call("reverse", net.var("x", 6, 3, 2), axis=0), axis=0, begin=0, end=1), axis=0),
        net.call("_mul_scalar", net.call("sum", net.var("lengths", 3)), scalar=0))]),
    ("dropout of nothing in training", unary("Dropout", p=0.0), same, TRAIN),
    ("statistics that are given, in training", norm(use_global_stats=True, fix_gamma=False), norm(use_global_stats=True, fix_gamma=False), TRAIN),
    ("a loss", loss(), loss()),
    ("two tables", table(50, op="take"), table(50, op="take")),
    ("one column", column(), column()),
    ("whole numbers", integers("_plus_scalar", scalar=3), integers("_minus_scalar", scalar=-3)),
    ("a remainder of a remainder", integers("_mod_scalar", scalar=10),
     lambda net: [net.call("_mod_scalar", net.call("_mod_scalar", net.var("i", 40, __dtype__=4), scalar=100), scalar=10)]),
]

GALLERY_SIZES = {"lenet": "?channels=4&batch=2", "resnet18": "?channels=4&classes=5&size=32&batch=2",
                 "bucket-lm": "?hidden=16&length=6&shorter=4&batch=3", "ctc-reader": "?width=32&letters=2&hidden=8&batch=2",
                 "lstm-foreach": "?hidden=16&length=5&batch=3", "lstm-hybrid": "?hidden=16&length=5&batch=3",
                 "lstm-lm": "?hidden=16&layers=2&length=5&batch=3", "lstm-unrolled": "?hidden=16&length=5&batch=3"}
FORMS = ("unrolled", "foreach", "while", "fused")


# --- Runs ---

def prove(hscope, folder, first, second, options):
    done = subprocess.run([hscope, "prove", first, second, "--json", *options], cwd=folder, capture_output=True, text=True)
    answer = json.loads(done.stdout) if done.stdout.strip() else {}
    return answer.get("verdict", "error"), done


def try_pair(hscope, folder, number, pair):
    names = []
    for side, make in zip("ab", pair[1:3]):
        net = Net()
        heads = make(net)
        names.append(f"{number}{side}")
        net.write(os.path.join(folder, names[-1]), heads)
    return prove(hscope, folder, *[f"{name}-symbol.json" for name in names], pair[3] if len(pair) > 3 else ())


def try_gallery(hscope, folder, model):
    """The model and itself, and each form of it that can be written: convert writes only what it has proved."""
    name = "gallery:" + model + GALLERY_SIZES.get(model, "")
    verdict, done = prove(hscope, folder, name, name, ())
    if verdict != "equal":
        return verdict, done
    for form in FORMS:
        prefix = f"{model}-{form}"
        done = subprocess.run([hscope, "convert", name, "--to", form, "--output", prefix], cwd=folder, capture_output=True, text=True)
        if "not shown to be equal" in done.stderr or "more than rounding" in done.stderr:
            return f"refused as {form}", done
    return "equal", done


def try_golden(hscope, folder, path):
    symbol = f"{path}/{path.name}-symbol.json"
    return prove(hscope, folder, symbol, symbol, ("--input", f"{path}/input.npz") if (path / "input.npz").exists() else ())


def try_file(hscope, folder, path):
    """Loops of some of these files do not end for all numbers."""
    return prove(hscope, folder, path, path, ())


def main(hscope, goldens):
    temporary_folder.use()
    hscope = os.path.abspath(hscope)
    folder = tempfile.mkdtemp()
    listed = subprocess.run([hscope, "new", "--list", "--json"], capture_output=True, text=True).stdout
    gallery = [entry["name"] for entry in json.loads(listed)["models"]]
    models = sorted(path for path in pathlib.Path(goldens).resolve().iterdir() if (path / f"{path.name}-symbol.json").exists())
    jobs = [(f"different/{pair[0]}", try_pair, (f"d{i}", pair), False) for i, pair in enumerate(DIFFERENT + KINDS)]
    jobs += [(f"equal/{pair[0]}", try_pair, (f"e{i}", pair), True) for i, pair in enumerate(EQUAL)]
    jobs += [(f"gallery/{model}", try_gallery, (model,), True) for model in gallery]
    jobs += [(f"onnx/{path.stem}", try_file, (path.resolve(),), True) for path in sorted(pathlib.Path(goldens).glob("../../onnx/control/*.onnx"))]
    jobs += [(f"model/{path.name}", try_golden, (path,), True) for path in models]
    print(f"1..{len(jobs)}")
    status = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(job[1], hscope, folder, *job[2]) for job in jobs]
        for number, (job, future) in enumerate(zip(jobs, futures), 1):
            verdict, done = future.result()
            fits = (verdict == "equal") == job[3]
            status |= not fits
            print("ok" if fits else "not ok", number, job[0], "# " + verdict)
            if not fits:
                print("".join("# " + line + "\n" for line in (done.stdout + done.stderr).splitlines()), end="")
    subprocess.run(["rm", "-r", folder], check=False)
    return status


sys.exit(main(*sys.argv[1:]))
