#!/usr/bin/env python3
"""Draws small networks and operators of random shapes as ONNX files, for which no list can be tuned.

usage: tools/onnx-shapes.py --random 30 --seed S FOLDER
       tools/onnx-speed.py --least 0 build/app/hscope FOLDER

FOLDER gets the files, their inputs and cases.jsonl, as tools/onnx-speed.py reads them.  Needs the Python packages onnx and numpy.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import json
import math
import os
import random
import re
import sys

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save, shape_inference

OPSET = 17


class Graph:
    """Nodes in order, with weights and inputs of random numbers."""

    def __init__(self, draw, numbers):
        self.draw, self.numbers = draw, numbers
        self.nodes, self.weights, self.inputs, self.count = [], [], {}, 0

    def size(self, low, high):
        """A whole number from low to high, each factor as probable as any other."""
        return round(math.exp(self.draw.uniform(math.log(low), math.log(high))))

    def shape(self, rank, most):
        """Axes of whole numbers whose product is about a draw from 1,000 to `most`."""
        each = self.size(1000, most) ** (1 / rank)
        return [max(1, self.size(1 + 0.3 * each, 3 * each)) for _ in range(rank)]

    def input(self, *shape):
        return self.given(self.numbers.standard_normal(shape).astype(np.float32))

    def given(self, values):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = values
        return name

    def weight(self, *shape):
        scale = 1 / math.sqrt(max(1, np.prod(shape[1:])))
        return self.constant((self.numbers.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, values):
        self.weights.append(numpy_helper.from_array(values, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def add(self, kind, inputs, outputs=1, **attributes):
        names = [f"v{self.count + i}" for i in range(outputs)]
        self.count += outputs
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x, into, channels, window, groups=1, **attributes):
        return self.add("Conv", [x, self.weight(channels, into // groups, *window), self.weight(channels)], group=groups, **attributes)


def pointwise_chain(g):
    x = g.input(g.size(8, 1000), g.size(16, 1000))
    for kind in g.draw.choices(["Tanh", "Sigmoid", "Relu", "Exp", "Abs", "Neg", "Softplus", "Erf"], k=g.draw.randint(2, 6)):
        x = g.add(kind, [x])
    return g.add("Mul", [x, x])


def transpose(g):
    order = g.draw.sample(range(4), 4)
    return g.add("Transpose", [g.input(g.size(1, 8), g.size(4, 64), g.size(8, 128), g.size(8, 128))], perm=order)


def softmax(g):
    return g.add("Softmax", [g.input(g.size(8, 2000), g.size(10, 2000))], axis=-1)


def reduction(g):
    return g.add("ReduceMean", [g.input(g.size(2, 32), g.size(16, 256), g.size(16, 256))], axes=[g.draw.randrange(3)], keepdims=0)


def layer_norm(g):
    width = g.size(64, 2048)
    return g.add("LayerNormalization", [g.input(g.size(8, 1000), width), g.weight(width), g.weight(width)], axis=-1)


def dense(g):
    into, out = g.size(64, 2048), g.size(64, 2048)
    return g.add("Relu", [g.add("Gemm", [g.input(g.size(1, 128), into), g.weight(out, into), g.weight(out)], transB=1)])


def embedding(g):
    words, width, n = g.size(1000, 30000), g.size(32, 512), g.size(16, 2000)
    rows = g.constant(g.numbers.integers(0, words, n))
    return g.add("Add", [g.add("Gather", [g.weight(words, width), rows]), g.input(n, width)])


def attention(g):
    tokens, heads, width = g.size(128, 512), g.draw.choice([4, 8, 12]), g.draw.choice([32, 64])
    x = g.input(1, tokens, heads * width)
    shape = g.constant(np.array([1, tokens, heads, width]))

    def part(order):
        y = g.add("Add", [g.add("MatMul", [x, g.weight(heads * width, heads * width)]), g.weight(heads * width)])
        return g.add("Transpose", [g.add("Reshape", [y, shape])], perm=order)

    scores = g.add("MatMul", [part([0, 2, 1, 3]), part([0, 2, 3, 1])])
    shares = g.add("Softmax", [g.add("Mul", [scores, g.constant(np.float32(width**-0.5))])], axis=-1)
    y = g.add("Transpose", [g.add("MatMul", [shares, part([0, 2, 1, 3])])], perm=[0, 2, 1, 3])
    y = g.add("Reshape", [y, g.constant(np.array([1, tokens, heads * width]))])
    return g.add("MatMul", [y, g.weight(heads * width, heads * width)])


def depthwise(g):
    channels, side, window = g.size(16, 256), g.size(14, 112), g.draw.choice([3, 5])
    x = g.conv(g.input(1, channels, side, side), channels, channels, (window, window), channels, pads=[window // 2] * 4, strides=[g.draw.choice([1, 2])] * 2)
    return g.conv(g.add("Relu", [x]), channels, g.size(16, 256), (1, 1))


def pointwise_convolution(g):
    channels, side = g.size(16, 512), g.size(7, 80)
    return g.add("Relu", [g.conv(g.input(1, channels, side, side), channels, g.size(16, 512), (1, 1))])


def convolution(g):
    channels, side = g.size(3, 128), g.size(14, 112)
    return g.add("Relu", [g.conv(g.input(1, channels, side, side), channels, g.size(16, 128), (3, 3), pads=[1] * 4, strides=[g.draw.choice([1, 1, 2])] * 2)])


def small_convolutions(g):
    channels, side = g.size(16, 96), g.draw.choice([7, 14])
    x = g.input(g.size(50, 300), channels, side, side)
    return g.add("Relu", [g.conv(x, channels, g.size(16, 96), (3, 3), pads=[1] * 4)])


def deconvolution(g):
    channels, out, side = g.size(16, 128), g.size(8, 128), g.size(7, 56)
    return g.add("ConvTranspose", [g.input(g.size(1, 8), channels, side, side), g.weight(channels, out, 2, 2), g.weight(out)], strides=[2, 2])


def convolution_1d(g):
    channels, window = g.size(8, 256), g.draw.choice([3, 5, 9])
    x = g.conv(g.input(1, channels, g.size(100, 4000)), channels, g.size(8, 256), (window,), pads=[window // 2] * 2)
    return g.add("Relu", [x])


def roi_align(g):
    channels, side, n = g.size(16, 256), g.size(20, 100), g.size(20, 500)
    corners = g.numbers.uniform(0, 0.6 * side, (n, 2))
    boxes = np.concatenate([corners, corners + g.numbers.uniform(1, 0.4 * side, (n, 2))], 1).astype(np.float32)
    return g.add("RoiAlign", [g.input(1, channels, side, side), g.constant(boxes), g.constant(np.zeros(n, np.int64))],
                 output_height=7, output_width=7, sampling_ratio=2, spatial_scale=1.0)


def lstm_over_convolutions(g):
    channels, width, height, hidden = g.size(16, 64), g.size(32, 200), g.draw.choice([8, 16]), g.size(32, 256)
    x = g.conv(g.input(1, 1, height, width), 1, channels, (3, 3), pads=[1] * 4)
    x = g.add("MaxPool", [g.add("Relu", [x])], kernel_shape=[2, 1], strides=[2, 1])
    x = g.add("Reshape", [g.add("Transpose", [x], perm=[3, 0, 1, 2]), g.constant(np.array([width, 1, channels * height // 2]))])
    weights = [g.weight(1, 4 * hidden, channels * height // 2), g.weight(1, 4 * hidden, hidden), g.weight(1, 8 * hidden)]
    y = g.add("LSTM", [x, *weights], 3, hidden_size=hidden)[0]
    return g.add("MatMul", [y, g.weight(hidden, g.size(10, 200))])


def gelu_layer(g):
    into, out = g.size(32, 768), g.size(64, 1024)
    x = g.add("Gemm", [g.input(g.size(1, 256), into), g.weight(out, into), g.weight(out)], transB=1)
    y = g.add("Erf", [g.add("Div", [x, g.constant(np.float32(2**0.5))])])
    return g.add("Mul", [g.add("Mul", [x, g.add("Add", [y, g.constant(np.float32(1))])]), g.constant(np.float32(0.5))])


def activation(g):
    kind = g.draw.choice(["LeakyRelu", "Elu", "Selu", "HardSigmoid", "HardSwish", "ThresholdedRelu", "Softsign", "Celu"])
    return g.add(kind, [g.input(*g.shape(2, 300000))])


def mathematics(g):
    kind = g.draw.choice(["Sqrt", "Log", "Reciprocal", "Sin", "Cos", "Floor", "Round", "Sign", "Tan", "Sinh", "Atan"])
    return g.add(kind, [g.add("Abs", [g.input(*g.shape(3, 300000))])])


def power(g):
    exponent = np.float32(g.draw.choice([0.5, 2, 3, -1, 1.7]))
    return g.add("Pow", [g.add("Abs", [g.input(*g.shape(2, 100000))]), g.constant(exponent)])


def clip(g):
    return g.add("Clip", [g.input(*g.shape(3, 300000)), g.constant(np.float32(-0.5)), g.constant(np.float32(0.7))])


def prelu(g):
    channels = g.size(4, 256)
    return g.add("PRelu", [g.input(1, channels, g.size(8, 64), g.size(8, 64)), g.weight(channels, 1, 1)])


def broadcast(g):
    shape = g.shape(4, 300000)
    other = [n if g.draw.random() < 0.5 else 1 for n in shape]
    return g.add(g.draw.choice(["Add", "Sub", "Mul", "Div", "Max", "Min"]), [g.input(*shape), g.input(*other)])


def comparison(g):
    shape = g.shape(3, 300000)
    return g.add(g.draw.choice(["Less", "Greater", "Equal", "LessOrEqual"]), [g.input(*shape), g.input(*shape)])


def where(g):
    shape = g.shape(3, 300000)
    return g.add("Where", [g.add("Less", [g.input(*shape), g.input(shape[-1])]), g.input(*shape), g.input(1)])


def cast(g):
    x = g.add("Mul", [g.input(*g.shape(2, 300000)), g.constant(np.float32(20))])
    return g.add("Cast", [x], to=g.draw.choice([TensorProto.INT64, TensorProto.INT32, TensorProto.UINT8, TensorProto.FLOAT16, TensorProto.DOUBLE]))


def integers(g):
    shape = g.shape(2, 200000)
    x, y = (g.given(g.numbers.integers(1, 1000, shape)) for _ in range(2))
    return g.add("Add", [g.add(g.draw.choice(["Mul", "Sub", "Div", "Mod"]), [x, y]), x])


def max_pool(g):
    window, step = g.draw.choice([2, 3, 5]), g.draw.choice([1, 2])
    return g.add("MaxPool", [g.input(1, g.size(4, 128), g.size(8, 80), g.size(8, 80))],
                 kernel_shape=[window] * 2, strides=[step] * 2, pads=[window // 2] * 4)


def average_pool(g):
    window, step = g.draw.choice([2, 3, 7]), g.draw.choice([1, 2])
    return g.add("AveragePool", [g.input(1, g.size(4, 128), g.size(8, 80), g.size(8, 80))],
                 kernel_shape=[window] * 2, strides=[step] * 2, pads=[window // 2] * 4)


def global_pool(g):
    return g.add(g.draw.choice(["GlobalAveragePool", "GlobalMaxPool"]), [g.input(g.size(1, 8), g.size(8, 512), g.size(4, 56), g.size(4, 56))])


def batch_norm(g):
    channels = g.size(4, 256)
    x = g.input(g.size(1, 8), channels, g.size(4, 56), g.size(4, 56))
    variance = g.constant((0.5 + g.numbers.random(channels)).astype(np.float32))
    return g.add("BatchNormalization", [x, g.weight(channels), g.weight(channels), g.weight(channels), variance])


def instance_norm(g):
    channels = g.size(4, 256)
    x = g.input(g.size(1, 8), channels, g.size(4, 56), g.size(4, 56))
    return g.add("InstanceNormalization", [x, g.weight(channels), g.weight(channels)])


def group_norm(g):
    groups, inside, side = g.draw.choice([4, 8, 16]), g.size(1, 16), g.size(6, 50)
    channels = groups * inside
    x = g.add("Reshape", [g.input(1, channels, side, side), g.constant(np.array([1, groups, -1]))])
    x = g.add("InstanceNormalization", [x, g.constant(np.ones(groups, np.float32)), g.constant(np.zeros(groups, np.float32))])
    x = g.add("Reshape", [x, g.constant(np.array([1, channels, side, side]))])
    return g.add("Add", [g.add("Mul", [x, g.weight(channels, 1, 1)]), g.weight(channels, 1, 1)])


def norm_in_pieces(g):
    width = g.size(32, 1024)
    x = g.input(g.size(8, 500), width)
    centred = g.add("Sub", [x, g.add("ReduceMean", [x], axes=[-1])])
    spread = g.add("ReduceMean", [g.add("Mul", [centred, centred])], axes=[-1])
    root = g.add("Sqrt", [g.add("Add", [spread, g.constant(np.float32(1e-5))])])
    return g.add("Add", [g.add("Mul", [g.add("Div", [centred, root]), g.weight(width)]), g.weight(width)])


def unit_length(g):
    return g.add("LpNormalization", [g.input(*g.shape(3, 300000))], axis=g.draw.choice([1, 2]), p=g.draw.choice([1, 2]))


def other_reduction(g):
    kind = g.draw.choice(["ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceProd", "ReduceSumSquare"])
    axes = sorted(g.draw.sample(range(4), g.draw.choice([1, 1, 2])))
    return g.add(kind, [g.input(*g.shape(4, 500000))], axes=axes, keepdims=g.draw.choice([0, 1]))


def sum_reduction(g):
    axes = sorted(g.draw.sample(range(4), g.draw.choice([1, 1, 2])))
    return g.add("ReduceSum", [g.input(*g.shape(4, 500000)), g.constant(np.array(axes))], keepdims=g.draw.choice([0, 1]))


def arg_reduction(g):
    return g.add(g.draw.choice(["ArgMax", "ArgMin"]), [g.input(*g.shape(3, 300000))], axis=g.draw.randrange(3), keepdims=0)


def cumulative_sum(g):
    return g.add("CumSum", [g.input(*g.shape(3, 300000)), g.constant(np.array(g.draw.randrange(3)))])


def top_k(g):
    n = g.size(50, 5000)
    return g.add("TopK", [g.input(g.size(1, 100), n), g.constant(np.array([g.size(1, min(n, 100))]))], 2, axis=-1)[0]


def other_softmax(g):
    return g.add(g.draw.choice(["Softmax", "LogSoftmax"]), [g.input(*g.shape(3, 300000))], axis=g.draw.choice([0, 1, 2]))


def concat(g):
    axis, shape = g.draw.randrange(4), g.shape(4, 100000)
    return g.add("Concat", [g.input(*[g.size(1, 2 * n) if i == axis else n for i, n in enumerate(shape)]) for _ in range(g.draw.randint(2, 4))], axis=axis)


def split(g):
    shape = g.shape(3, 300000)
    axis = g.draw.randrange(3)
    shape[axis] = max(3, shape[axis])
    first = g.draw.randint(1, shape[axis] - 1)
    x, y = g.add("Split", [g.input(*shape), g.constant(np.array([first, shape[axis] - first]))], 2, axis=axis)
    return x if g.draw.random() < 0.5 else y


def slice_(g):
    shape = g.shape(4, 300000)
    begin = [g.draw.randint(0, n // 3) for n in shape]
    end = [max(b + 1, n - g.draw.randint(0, n // 3)) for b, n in zip(begin, shape)]
    step = [g.draw.choice([1, 1, 1, 2]) for _ in shape]
    return g.add("Slice", [g.input(*shape), *(g.constant(np.array(v)) for v in (begin, end, [0, 1, 2, 3], step))])


def pad(g):
    shape = [max(6, n) for n in g.shape(4, 200000)]
    pads = [0, 0, *(g.draw.randint(0, 4) for _ in range(2)), 0, 0, *(g.draw.randint(0, 4) for _ in range(2))]
    return g.add("Pad", [g.input(*shape), g.constant(np.array(pads))], mode=g.draw.choice(["constant", "reflect", "edge"]))


def tile(g):
    return g.add("Tile", [g.input(*g.shape(3, 50000)), g.constant(np.array([g.draw.randint(1, 3) for _ in range(3)]))])


def expand(g):
    shape = g.shape(4, 300000)
    return g.add("Expand", [g.input(*[n if g.draw.random() < 0.5 else 1 for n in shape]), g.constant(np.array(shape))])


def blocks_of_space(g):
    block = g.draw.choice([2, 3])
    channels, height, width = g.size(1, 32), g.size(4, 40), g.size(4, 40)
    if g.draw.random() < 0.5:
        return g.add("SpaceToDepth", [g.input(1, channels, height * block, width * block)], blocksize=block)
    return g.add("DepthToSpace", [g.input(1, channels * block * block, height, width)], blocksize=block, mode=g.draw.choice(["DCR", "CRD"]))


def resize(g):
    scales = [1.0, 1.0, *(g.draw.choice([0.5, 1.5, 2.0, 2.7]) for _ in range(2))]
    mode = g.draw.choice(["nearest", "linear"])
    more = {"coordinate_transformation_mode": g.draw.choice(["half_pixel", "asymmetric", "align_corners"])}
    return g.add("Resize", [g.input(1, g.size(3, 64), g.size(8, 60), g.size(8, 60)), "", g.constant(np.array(scales, np.float32))], mode=mode, **more)


def gather(g):
    shape = g.shape(3, 300000)
    axis = g.draw.randrange(3)
    return g.add("Gather", [g.input(*shape), g.given(g.numbers.integers(0, shape[axis], g.size(1, 2 * shape[axis])))], axis=axis)


def gather_elements(g):
    shape = g.shape(2, 200000)
    axis = g.draw.randrange(2)
    return g.add("GatherElements", [g.input(*shape), g.given(g.numbers.integers(0, shape[axis], shape))], axis=axis)


def gather_rows(g):
    height, width, n = g.size(20, 300), g.size(20, 300), g.size(10, 3000)
    places = np.stack([g.numbers.integers(0, height, n), g.numbers.integers(0, width, n)], -1)
    return g.add("GatherND", [g.input(height, width, g.size(1, 32)), g.given(places)])


def scatter(g):
    shape = g.shape(2, 200000)
    if g.draw.random() < 0.5:
        rows = g.numbers.permutation(shape[0])[:max(1, shape[0] // 3)]
        return g.add("ScatterND", [g.input(*shape), g.given(rows[:, None]), g.input(len(rows), shape[1])])
    part = [max(1, shape[0] // 2), shape[1]]
    places = np.argsort(g.numbers.random((part[1], shape[0])), -1)[:, :part[0]].T.copy()
    return g.add("ScatterElements", [g.input(*shape), g.given(places), g.input(*part)], axis=0)


def matmul(g):
    batch, m, k, n = g.size(1, 16), g.size(1, 200), g.size(16, 400), g.size(8, 400)
    return g.add("MatMul", [g.input(batch, m, k), g.input(batch, k, n)])


def matmul_constant(g):
    batch, m, k, n = g.size(1, 16), g.size(1, 200), g.size(16, 400), g.size(8, 400)
    if g.draw.random() < 0.5:
        return g.add("MatMul", [g.input(batch, m, k), g.weight(k, n)])
    return g.add("MatMul", [g.weight(m, k), g.input(batch, k, n)])


def gemm(g):
    m, k, n = g.size(1, 300), g.size(16, 500), g.size(4, 500)
    a, b = g.draw.randint(0, 1), g.draw.randint(0, 1)
    x, y = g.input(*((k, m) if a else (m, k))), g.input(*((n, k) if b else (k, n)))
    return g.add("Gemm", [x, y, g.weight(n)], transA=a, transB=b, alpha=g.draw.choice([1.0, 0.5]))


def einsum(g):
    b, i, j, k, h = g.size(1, 6), g.size(8, 80), g.size(8, 80), g.size(8, 80), g.size(1, 8)
    terms, x, y = g.draw.choice([("bik,bkj->bij", (b, i, k), (b, k, j)), ("bihk,bjhk->bhij", (b, i, h, k), (b, j, h, k)), ("ik,jk->ij", (i, k), (j, k)),
                                 ("bhij,bjhk->bihk", (b, h, i, j), (b, j, h, k)), ("bi,bi->b", (b, i * k), (b, i * k))])
    return g.add("Einsum", [g.input(*x), g.input(*y)], equation=terms)


def quantise(g):
    scale, zero = g.constant(np.float32(0.05)), g.constant(np.uint8(128))
    x = g.add("QuantizeLinear", [g.input(*g.shape(3, 300000)), scale, zero])
    return g.add("DequantizeLinear", [x, scale, zero])


def quantised_product(g):
    m, k, n = g.size(1, 128), g.size(32, 768), g.size(32, 768)
    x = g.add("DynamicQuantizeLinear", [g.input(m, k)], 3)
    y = g.add("MatMulInteger", [x[0], g.constant(g.numbers.integers(-127, 128, (k, n)).astype(np.int8)), x[2]])
    return g.add("Mul", [g.add("Cast", [y], to=TensorProto.FLOAT), g.add("Mul", [x[1], g.constant(np.float32(0.01))])])


def one_hot(g):
    n, depth = g.size(10, 2000), g.size(4, 300)
    return g.add("OneHot", [g.given(g.numbers.integers(0, depth, n)), g.constant(np.array([depth])), g.constant(np.array([0, 1], np.float32))], axis=-1)


def triangle(g):
    side = g.size(16, 500)
    return g.add("Trilu", [g.input(g.size(1, 8), side, side)], upper=g.draw.choice([0, 1]))


def local_response(g):
    return g.add("LRN", [g.input(1, g.size(8, 128), g.size(6, 40), g.size(6, 40))], size=g.draw.choice([3, 5]))


def perceptron(g):
    width = g.size(16, 512)
    x = g.input(g.size(1, 64), width)
    for _ in range(g.draw.randint(2, 4)):
        out = g.size(16, 512)
        x = g.add(g.draw.choice(["Relu", "Tanh", "Sigmoid"]), [g.add("Add", [g.add("MatMul", [x, g.weight(width, out)]), g.weight(out)])])
        width = out
    return g.add("Softmax", [x], axis=-1)


def squeeze_and_excite(g):
    channels, side = g.size(16, 256), g.size(7, 56)
    x, inside = g.input(1, channels, side, side), max(4, channels // 4)
    y = g.add("Relu", [g.conv(g.add("GlobalAveragePool", [x]), channels, inside, (1, 1))])
    return g.add("Mul", [x, g.add("Sigmoid", [g.conv(y, inside, channels, (1, 1))])])


def feed_forward(g):
    width = g.size(32, 512)
    x = g.input(g.size(1, 200), width)
    y = g.add("LayerNormalization", [x, g.weight(width), g.weight(width)], axis=-1)
    y = g.add("Relu", [g.add("Add", [g.add("MatMul", [y, g.weight(width, 2 * width)]), g.weight(2 * width)])])
    return g.add("Add", [x, g.add("Add", [g.add("MatMul", [y, g.weight(2 * width, width)]), g.weight(width)])])


def recurrent_over_convolution(g):
    channels, steps, hidden = g.size(8, 64), g.size(20, 200), g.size(16, 200)
    x = g.add("Relu", [g.conv(g.input(1, channels, steps), channels, channels, (3,), pads=[1, 1])])
    kind, gates = g.draw.choice([("GRU", 3), ("RNN", 1), ("LSTM", 4)])
    weights = [g.weight(1, gates * hidden, channels), g.weight(1, gates * hidden, hidden), g.weight(1, 2 * gates * hidden)]
    return g.add(kind, [g.add("Transpose", [x], perm=[2, 0, 1]), *weights], 2, hidden_size=hidden)[0]


def some_bytes(g, kind, *shape):
    """Integers as quantisation makes them: a normal distribution that fills the type."""
    info = np.iinfo(kind)
    values = g.numbers.standard_normal(shape) * 40 + (info.min + info.max + 1) // 2
    return np.clip(np.rint(values), max(info.min, -127), info.max).astype(kind)


def product_of_bytes(g):
    m, k, n = g.size(1, 300), g.size(16, 1024), g.size(16, 1024)
    zeros = [g.constant(np.uint8(g.draw.randint(0, 255))), g.constant(np.int8(0))]
    return g.add("MatMulInteger", [g.given(some_bytes(g, np.uint8, m, k)), g.constant(some_bytes(g, np.int8, k, n)), *zeros])


def rounded_product(g):
    """QLinearMatMul, its weights with a scale for each column or one for all."""
    m, k, n = g.size(1, 300), g.size(16, 1024), g.size(16, 1024)
    kind = g.draw.choice([np.int8, np.uint8])
    scale = g.constant((0.001 + 0.002 * g.numbers.random(n)).astype(np.float32) if kind == np.int8 else np.float32(0.002))
    zero = g.constant(np.zeros(n, np.int8) if kind == np.int8 else np.uint8(128))
    return g.add("QLinearMatMul", [g.given(some_bytes(g, np.uint8, m, k)), g.constant(np.float32(0.02)), g.constant(np.uint8(120)),
                                   g.constant(some_bytes(g, kind, k, n)), scale, zero, g.constant(np.float32(0.05)), g.constant(np.uint8(128))])


def window_of_bytes(g):
    """Channels, side, filters and attributes of a convolution of integers; some are depthwise."""
    side, step = g.size(7, 80), g.draw.choice([1, 1, 2])
    channels, out, window, groups = g.size(3, 256), g.size(8, 256), g.draw.choice([1, 3, 3, 5]), 1
    if g.draw.random() < 0.25:
        out = groups = channels
        window = g.draw.choice([3, 5])
    return channels, side, (out, channels // groups, window, window), {"group": groups, "strides": [step] * 2, "pads": [window // 2] * 4}


def convolution_of_bytes(g):
    channels, side, filters, more = window_of_bytes(g)
    return g.add("ConvInteger", [g.given(some_bytes(g, np.uint8, 1, channels, side, side)), g.constant(some_bytes(g, np.int8, *filters)),
                                 g.constant(np.uint8(g.draw.randint(0, 255)))], **more)


def rounded_convolution(g):
    channels, side, filters, more = window_of_bytes(g)
    scale = (0.001 + 0.002 * g.numbers.random(filters[0])).astype(np.float32)
    return g.add("QLinearConv", [g.given(some_bytes(g, np.uint8, 1, channels, side, side)), g.constant(np.float32(0.02)), g.constant(np.uint8(128)),
                                 g.constant(some_bytes(g, np.int8, *filters)), g.constant(scale), g.constant(np.zeros(filters[0], np.int8)),
                                 g.constant(np.float32(0.05)), g.constant(np.uint8(110)),
                                 g.constant(g.numbers.integers(-2000, 2000, filters[0]).astype(np.int32))], **more)


def dynamic_product(g, x, into, out):
    """What quantize_dynamic() of ONNX Runtime makes of MatMul and Add."""
    kind = g.draw.choice([np.int8, np.uint8])
    y = g.add("DynamicQuantizeLinear", [x], 3)
    zero = g.constant(np.int8(0) if kind == np.int8 else np.uint8(g.draw.randint(120, 136)))
    sums = g.add("Cast", [g.add("MatMulInteger", [y[0], g.constant(some_bytes(g, kind, into, out)), y[2], zero])], to=TensorProto.FLOAT)
    scaled = g.add("Mul", [sums, g.add("Mul", [y[1], g.constant(np.float32(0.02 / math.sqrt(into)))])])
    return g.add("Add", [scaled, g.weight(out)])


def dynamic_feed_forward(g):
    width = g.size(32, 768)
    x = g.input(1, g.size(1, 256), width)
    y = g.add("Relu", [dynamic_product(g, x, width, 4 * width)])
    return g.add("Add", [x, dynamic_product(g, y, 4 * width, width)])


def dynamic_perceptron(g):
    width = g.size(16, 512)
    x = g.input(g.size(1, 64), width)
    for _ in range(g.draw.randint(2, 4)):
        out = g.size(16, 512)
        x, width = g.add("Relu", [dynamic_product(g, x, width, out)]), out
    return x


def rounded(g, x, scale=0.05, zero=128):
    """A value between two layers of a model that quantize_static() wrote."""
    more = [g.constant(np.float32(scale)), g.constant(np.uint8(zero))]
    return g.add("DequantizeLinear", [g.add("QuantizeLinear", [x, *more]), *more])


def constant_of_bytes(g, values, axis):
    scale = (0.02 / math.sqrt(values.size // values.shape[axis]) * (0.5 + g.numbers.random(values.shape[axis]))).astype(np.float32)
    return g.add("DequantizeLinear", [g.constant(values), g.constant(scale), g.constant(np.zeros(values.shape[axis], np.int8))], axis=axis), scale


def static_bias(g, scale):
    n = len(scale)
    return g.add("DequantizeLinear", [g.constant(g.numbers.integers(-2000, 2000, n).astype(np.int32)), g.constant((0.05 * scale).astype(np.float32)),
                                      g.constant(np.zeros(n, np.int32))], axis=0)


def static_convolutions(g):
    channels, side = g.size(3, 96), g.size(10, 64)
    x = rounded(g, g.input(1, channels, side, side))
    for _ in range(g.draw.randint(2, 4)):
        out, window = g.size(16, 128), g.draw.choice([1, 3])
        filters, scale = constant_of_bytes(g, some_bytes(g, np.int8, out, channels, window, window), 0)
        y = g.add("Conv", [x, filters, static_bias(g, scale)], pads=[window // 2] * 4)
        x, channels = rounded(g, g.add("Relu", [y]), 0.05, 0), out
    return x


def static_products(g):
    width = g.size(16, 512)
    x = rounded(g, g.input(g.size(1, 128), width))
    for _ in range(g.draw.randint(1, 3)):
        out = g.size(16, 512)
        weights, scale = constant_of_bytes(g, some_bytes(g, np.int8, width, out), 1)
        if g.draw.random() < 0.5:
            y = g.add("MatMul", [x, weights])
        else:
            y = g.add("Gemm", [x, weights, static_bias(g, scale)])
        x, width = rounded(g, y), out
    return x


def any_elements(g, *shape):
    """An input whose elements have 1, 2, 4 or 8 bytes."""
    kind = g.draw.choice([np.uint8, np.float16, np.float32, np.float32, np.int64])
    return g.given(g.numbers.integers(0, 200, shape).astype(kind))


def permutation(g):
    rank = g.draw.randint(2, 6)
    shape = [1 if g.draw.random() < 0.15 else n for n in g.shape(rank, 500000)]
    return g.add("Transpose", [any_elements(g, *shape)], perm=g.draw.sample(range(rank), rank))


def backward_slice(g):
    shape = [max(4, n) for n in g.shape(3, 300000)]
    step = [g.draw.choice([-2, -1, 1, 3]) for _ in shape]
    begin = [0 if s > 0 else n - 1 for n, s in zip(shape, step)]
    end = [n if s > 0 else -n - 1 for n, s in zip(shape, step)]
    return g.add("Slice", [any_elements(g, *shape), *(g.constant(np.array(v)) for v in (begin, end, [0, 1, 2], step))])


def roll(g):
    shape = [max(4, n) for n in g.shape(4, 200000)]
    x = g.input(*shape)
    for axis in g.draw.sample(range(4), 2):
        by = g.constant(np.array([g.draw.randint(1, shape[axis] - 1)]))
        ends = [g.constant(np.array([v])) for v in (0, shape[axis], axis)]
        parts = [g.add("Slice", [x, by, ends[1], ends[2]]), g.add("Slice", [x, ends[0], by, ends[2]])]
        x = g.add("Concat", parts, axis=axis)
    return x


def transposing_einsum(g):
    terms = g.draw.choice(["ij->ji", "bij->bji", "bihk->bhik", "bijk->bkij", "bchw->bhwc", "bhwc->bchw"])
    return g.add("Einsum", [g.input(*g.shape(len(terms.split("-")[0]), 300000))], equation=terms)


def views(g):
    shape = g.shape(4, 300000)
    x = g.add("Flatten", [g.input(*shape)], axis=g.draw.randint(1, 3))
    x = g.add("Reshape", [x, g.constant(np.array([shape[0], -1]))])
    return g.add("Unsqueeze", [x, g.constant(np.array([0, 2]))])


def unfold(g):
    """As PyTorch writes it: windows of 3 × 3 gathered along both axes."""
    channels, height, width = g.size(1, 32), g.size(6, 48), g.size(6, 48)
    x = g.add("Pad", [g.input(1, channels, height, width), g.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1]))])
    x = g.add("Gather", [x, g.constant(np.arange(3)[:, None] + np.arange(height)[None])], axis=2)
    x = g.add("Gather", [x, g.constant(np.arange(3)[:, None] + np.arange(width)[None])], axis=4)
    x = g.add("Transpose", [x], perm=[0, 1, 2, 4, 3, 5])
    return g.add("Reshape", [x, g.constant(np.array([1, 9 * channels, height * width]))])


def window_partition(g):
    window, rows, columns, channels = g.draw.choice([4, 7, 8]), g.size(1, 8), g.size(1, 8), g.size(16, 192)
    x = g.input(1, rows * window, columns * window, channels)
    x = g.add("Reshape", [x, g.constant(np.array([1, rows, window, columns, window, channels]))])
    x = g.add("Transpose", [x], perm=[0, 1, 3, 2, 4, 5])
    return g.add("Reshape", [x, g.constant(np.array([-1, window * window, channels]))])


def rotary_embedding(g):
    tokens, heads, width = g.size(8, 512), g.draw.choice([2, 4, 8]), g.draw.choice([32, 64, 128])
    x, half = g.input(1, heads, tokens, width), width // 2
    begin, middle, end, axis = (g.constant(np.array([v])) for v in (0, half, width, 3))
    low, high = g.add("Slice", [x, begin, middle, axis]), g.add("Slice", [x, middle, end, axis])
    turned = g.add("Concat", [g.add("Neg", [high]), low], axis=-1)
    return g.add("Add", [g.add("Mul", [x, g.weight(tokens, width)]), g.add("Mul", [turned, g.weight(tokens, width)])])


def channel_shuffle(g):
    groups, inside, side = g.draw.choice([2, 3, 4, 8]), g.size(4, 64), g.size(4, 56)
    x = g.add("Reshape", [g.input(1, groups * inside, side, side), g.constant(np.array([1, groups, inside, side, side]))])
    x = g.add("Transpose", [x], perm=[0, 2, 1, 3, 4])
    return g.add("Reshape", [x, g.constant(np.array([1, groups * inside, side, side]))])


def resize_other(g):
    """Cubic, filtered, and other numbers of axes."""
    scale = lambda: g.draw.choice([0.5, 1.5, 2.0, 2.7])
    if g.draw.random() < 0.5:
        mode, scales, shape = "cubic", [1.0, 1.0, scale(), scale()], [1, g.size(3, 32), g.size(8, 60), g.size(8, 60)]
    else:
        rank = g.draw.choice([1, 3])
        mode, scales = g.draw.choice(["nearest", "linear"]), [1.0, 1.0, *(scale() for _ in range(rank))]
        shape = [1, g.size(3, 16), *(g.size(8, 2000 if rank == 1 else 20) for _ in range(rank))]
    return g.add("Resize", [g.input(*shape), "", g.constant(np.array(scales, np.float32))], mode=mode)


def cast_from(g):
    kind, to = g.draw.choice([(np.uint8, TensorProto.FLOAT), (np.float16, TensorProto.FLOAT), (np.int64, TensorProto.FLOAT), (np.int32, TensorProto.INT64),
                              (np.int64, TensorProto.INT32), (np.float32, TensorProto.BOOL), (np.bool_, TensorProto.FLOAT), (np.int64, TensorProto.BOOL),
                              (np.float32, TensorProto.INT8), (np.float64, TensorProto.FLOAT), (np.bool_, TensorProto.INT64)])
    return g.add("Cast", [g.given(g.numbers.integers(0, 3, g.shape(2, 300000)).astype(kind))], to=to)


def masked(g):
    shape = g.shape(4, 300000)
    mask = g.given(g.numbers.random([n if g.draw.random() < 0.6 else 1 for n in shape]) < 0.5)
    return g.add("Where", [mask, g.constant(np.float32(-1e9)), g.input(*shape)])


def other_clip(g):
    kind = g.draw.choice([np.float32, np.int64, np.int32, np.uint8])
    low, high = g.constant(np.array(20, kind)), g.constant(np.array(80, kind))
    return g.add("Clip", [g.given(g.numbers.integers(0, 100, g.shape(2, 300000)).astype(kind)), low, high])


def sources(g):
    if g.draw.random() < 0.5:
        return g.add("Range", [g.given(np.int64(0)), g.given(np.int64(g.size(4, 20000))), g.given(np.int64(1))])
    return g.add("EyeLike", [g.input(g.size(4, 400), g.size(4, 400))], k=g.draw.randint(-1, 1))


def reverse_sequence(g):
    steps, batch = g.size(4, 200), g.size(1, 32)
    return g.add("ReverseSequence", [g.input(steps, batch, g.size(1, 256)), g.given(g.numbers.integers(1, steps + 1, batch))], time_axis=0, batch_axis=1)


def compress(g):
    shape = g.shape(3, 200000)
    axis = g.draw.randrange(3)
    return g.add("Compress", [g.input(*shape), g.given(g.numbers.random(shape[axis]) < 0.5)], axis=axis)


def non_zero(g):
    return g.add("NonZero", [g.given((g.numbers.random(g.shape(2, 100000)) < 0.2).astype(np.float32))])


def unique(g):
    return g.add("Unique", [g.given(g.numbers.integers(0, g.size(2, 1000), g.size(20, 5000)))], sorted=1)


def scatter_places(g):
    shape, n = g.shape(3, 200000), g.size(4, 2000)
    places = np.stack([g.numbers.integers(0, d, n) for d in shape[:2]], -1)
    places = np.unique(places, axis=0)
    return g.add("ScatterND", [g.input(*shape), g.given(places), g.input(len(places), shape[2])])


def joined_types(g):
    axis, shape = g.draw.randrange(3), g.shape(3, 100000)
    kind = g.draw.choice([np.uint8, np.float16, np.int64])
    parts = [[g.size(1, 2 * n) if i == axis else n for i, n in enumerate(shape)] for _ in range(g.draw.randint(2, 6))]
    return g.add("Concat", [g.given(g.numbers.integers(0, 200, part).astype(kind)) for part in parts], axis=axis)


def many_splits(g):
    n, axis, shape = g.draw.randint(2, 8), g.draw.randrange(3), g.shape(3, 200000)
    shape[axis] = max(n, shape[axis] // n * n)
    parts = g.add("Split", [g.input(*shape)], n, axis=axis)
    return g.add("Concat", parts[::-1], axis=axis)


def form_of_cell(g):
    """A recurrent layer in a form that only ONNX has, or in one direction or both, with or without lengths and states."""
    kind, gates, own = g.draw.choice([("GRU", 3, [{}, {"linear_before_reset": 1}]), ("RNN", 1, [{}, {"activations": ["Sigmoid"]}]),
                                      ("LSTM", 4, [{}, {"input_forget": 1}, {"activations": ["HardSigmoid", "Tanh", "Tanh"]}])])
    steps, batch, width, hidden = g.size(5, 100), g.size(1, 16), g.size(16, 200), g.size(16, 300)
    more = {**g.draw.choice(own), **g.draw.choice([{}, {}, {"clip": 3.0}])}
    direction = g.draw.choice(["forward", "forward", "reverse"] if "activations" in more else ["forward", "reverse", "bidirectional"])
    n = 2 if direction == "bidirectional" else 1
    inputs = [g.input(steps, batch, width), g.weight(n, gates * hidden, width), g.weight(n, gates * hidden, hidden), g.weight(n, 2 * gates * hidden)]
    inputs.append(g.given(g.numbers.integers(1, steps + 1, batch).astype(np.int32)) if g.draw.random() < 0.3 else "")
    inputs.append(g.input(n, batch, hidden) if g.draw.random() < 0.5 else "")
    if kind == "LSTM":
        inputs += ["", g.weight(n, 3 * hidden)] if g.draw.random() < 0.5 else []
    return g.add(kind, inputs, 2, hidden_size=hidden, direction=direction, **more)[0]


def dilated_convolution(g):
    channels, side, gap = g.size(16, 512), g.size(14, 64), g.draw.choice([2, 4, 6, 8, 12])
    return g.add("Relu", [g.conv(g.input(1, channels, side, side), channels, g.size(16, 512), (3, 3), pads=[gap] * 4, dilations=[gap] * 2)])


def strided_convolution(g):
    window, channels = g.draw.choice([1, 2, 3, 5, 7]), g.size(3, 256)
    return g.conv(g.input(1, channels, g.size(14, 120), g.size(14, 120)), channels, g.size(16, 256), (window, window),
                  pads=[window // 2] * 4, strides=[g.draw.choice([2, 2, 3])] * 2)


def grouped_convolution(g):
    groups, window = g.draw.choice([2, 4, 8, 16, 32]), g.draw.choice([1, 3, 5])
    channels, out = groups * g.size(2, 32), groups * g.size(2, 32)
    return g.conv(g.input(1, channels, g.size(7, 60), g.size(7, 60)), channels, out, (window, window), groups, pads=[window // 2] * 4)


def convolution_3d(g):
    channels, window = g.size(1, 32), g.draw.choice([1, 3, 3])
    x = g.input(1, channels, g.size(4, 24), g.size(8, 40), g.size(8, 40))
    return g.add("Relu", [g.conv(x, channels, g.size(4, 64), (window,) * 3, pads=[window // 2] * 6)])


def sound_convolution(g):
    groups, window, gap = g.draw.choice([1, 1, 2, 4]), g.draw.choice([3, 7, 15, 31]), g.draw.choice([1, 1, 2, 8])
    channels, out = groups * g.size(1, 64), groups * g.size(4, 64)
    return g.conv(g.input(1, channels, g.size(400, 16000)), channels, out, (window,), groups, pads=[window // 2 * gap] * 2, dilations=[gap],
                  strides=[g.draw.choice([1, 1, 2, 4])])


def overlapping_deconvolution(g):
    groups, window, stride = g.draw.choice([1, 1, 2, 4]), g.draw.choice([3, 4, 5]), g.draw.choice([1, 2, 2, 3])
    channels, out = groups * g.size(4, 64), g.size(4, 64)
    x = g.input(1, channels, g.size(7, 56), g.size(7, 56))
    return g.add("ConvTranspose", [x, g.weight(channels, out, window, window), g.weight(groups * out)], group=groups, strides=[stride] * 2,
                 pads=[window // 2] * 4, output_padding=[g.draw.randint(0, stride - 1)] * 2)


def depthwise_windows(g):
    channels, window, gap = g.size(16, 512), g.draw.choice([3, 5, 7]), g.draw.choice([1, 1, 2])
    return g.conv(g.input(1, channels, g.size(7, 80), g.size(7, 80)), channels, channels, (window, window), channels,
                  pads=[window // 2 * gap] * 4, dilations=[gap] * 2, strides=[g.draw.choice([1, 2])] * 2)


def pool_of_any_rank(g):
    side, rank = g.draw.choice([((100, 4000), 1), ((8, 112), 2), ((6, 24), 3)])
    window = [g.draw.choice([2, 3, 4, 5]) for _ in range(rank)]
    x = g.input(1, g.size(4, 128), *(g.size(*side) for _ in window))
    return g.add(g.draw.choice(["MaxPool", "AveragePool"]), [x], kernel_shape=window, strides=[g.draw.choice([1, 2, w]) for w in window])


def mobile_block(g):
    channels, side, window, step = g.size(8, 128), g.size(7, 112), g.draw.choice([3, 5]), g.draw.choice([1, 2])
    wide, kind = channels * g.draw.choice([3, 4, 6]), g.draw.choice(["Relu", "HardSwish"])
    x = g.add(kind, [g.conv(g.input(1, channels, side, side), channels, wide, (1, 1))])
    x = g.add(kind, [g.conv(x, wide, wide, (window, window), wide, pads=[window // 2] * 4, strides=[step] * 2)])
    return g.conv(x, wide, channels, (1, 1))


def fire(g):
    channels, narrow, out, side = g.size(32, 512), g.size(8, 64), g.size(16, 256), g.size(7, 56)
    x = g.add("Relu", [g.conv(g.input(1, channels, side, side), channels, narrow, (1, 1))])
    parts = [g.conv(x, narrow, out, (1, 1)), g.conv(x, narrow, out, (3, 3), pads=[1] * 4)]
    return g.add("Concat", [g.add("Relu", [part]) for part in parts], axis=1)


def residual_block(g):
    channels, side, inner = g.size(16, 256), g.size(7, 56), g.size(8, 64)
    x = g.input(1, channels, side, side)
    y = g.add("Relu", [g.conv(x, channels, inner, (1, 1))])
    y = g.add("Relu", [g.conv(y, inner, inner, (3, 3), pads=[1] * 4)])
    return g.add("Relu", [g.add("Add", [x, g.conv(y, inner, channels, (1, 1))])])


def typed(g, dtype, shape):
    """An input of numbers that every operator below takes: positive, and not 0."""
    if dtype == np.bool_:
        return g.given(g.numbers.random(shape) < 0.5)
    if np.dtype(dtype).kind == "f":
        return g.given((np.abs(g.numbers.standard_normal(shape)) + 0.01).astype(dtype))
    return g.given(g.numbers.integers(1, 7, shape).astype(dtype))


def partners(g, most):
    """Two shapes that are broadcast to each other: equal, a number, a row, a column, or any."""
    shape = g.shape(g.draw.choice([2, 3, 4]), most)
    k = g.draw.randrange(len(shape))
    return g.draw.choice([(shape, shape), (shape, []), (shape, [shape[-1]]), (shape, [n if i == k else 1 for i, n in enumerate(shape)]),
                          ([n if i == 0 else 1 for i, n in enumerate(shape)], [1, *shape[1:]])])


def function(g):
    kind = g.draw.choice(["Exp", "Abs", "Neg", "Tanh", "Sigmoid", "Relu", "Ceil", "Softplus", "Erf", "IsNaN", "IsInf", "Shrink", "Hardmax", "Asinh", "Cosh", "Acos", "Dropout"])
    return g.add(kind, [g.input(*g.shape(g.draw.choice([1, 2, 3]), 1000000))])


def typed_function(g):
    kind, dtype = g.draw.choice([("Abs", np.int64), ("Neg", np.int32), ("Sign", np.int64), ("Sqrt", np.float64), ("Exp", np.float64), ("Tanh", np.float64),
                                 ("Not", np.bool_), ("Exp", np.float16), ("Sigmoid", np.float16), ("Clip", np.int64), ("Clip", np.float64)])
    x = typed(g, dtype, g.shape(3, 300000))
    return g.add(kind, [x, *(g.constant(np.array(n, dtype)) for n in (2, 5))] if kind == "Clip" else [x])


def typed_binary(g):
    kind = g.draw.choice(["Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "Greater", "Equal", "Pow"])
    left, right = partners(g, 300000)
    dtype = g.draw.choice([np.int64, np.int32, np.float64])
    return g.add(kind, [typed(g, dtype, left), typed(g, dtype, right)])


def bits(g):
    kind = g.draw.choice(["And", "Or", "Xor", "BitShift", "Mod"])
    left, right = partners(g, 300000)
    dtype = g.draw.choice([np.uint8, np.uint32, np.uint64]) if kind in ("BitShift", "Mod") else np.bool_
    return g.add(kind, [typed(g, dtype, left), typed(g, dtype, right)], **({"direction": "LEFT"} if kind == "BitShift" else {}))


def powers(g):
    left, right = partners(g, 100000)
    return g.add("Pow", [typed(g, np.float32, left), typed(g, np.float32, right)])


def typed_where(g):
    left, right = partners(g, 300000)
    dtype = g.draw.choice([np.float32, np.float64, np.int64])
    return g.add("Where", [typed(g, np.bool_, right), typed(g, dtype, left), typed(g, dtype, right)])


def several(g):
    shape = g.shape(3, 200000)
    inputs = [g.input(*[n if i == 0 or g.draw.random() < 0.6 else 1 for n in shape]) for i in range(g.draw.randint(2, 5))]
    return g.add(g.draw.choice(["Sum", "Mean", "Max", "Min"]), inputs)


def typed_reduction(g):
    kind = g.draw.choice(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum"])
    dtypes = [np.float64] if kind.startswith(("ReduceL", "ReduceSumS")) else [np.int64, np.int32, np.float64]
    rank = g.draw.choice([1, 2, 3])
    return g.add(kind, [typed(g, g.draw.choice(dtypes), g.shape(rank, 500000))], axes=sorted(g.draw.sample(range(rank), g.draw.randint(1, rank))))


def typed_rank(g):
    shape, axis = g.shape(3, 300000), g.draw.randrange(3)
    x = typed(g, g.draw.choice([np.float32, np.int32, np.float64]), shape)
    if g.draw.random() < 0.5:
        return g.add("CumSum", [x, g.constant(np.array(axis))], exclusive=g.draw.choice([0, 1]), reverse=g.draw.choice([0, 1]))
    return g.add(g.draw.choice(["ArgMax", "ArgMin"]), [x], axis=axis, keepdims=0)


def norm_by_powers(g):
    """LayerNorm over the last axis or over channels, or RMSNorm, as exporters write them."""
    is_root, axis = g.draw.random() < 0.5, g.draw.choice([-1, -1, 1])
    shape = [1, g.size(4, 300), g.size(8, 1024)] if axis == -1 else [1, g.size(4, 128), g.size(4, 56), g.size(4, 56)]
    weight = [shape[-1]] if axis == -1 else [shape[1], 1, 1]
    x = g.input(*shape)
    centred = x if is_root else g.add("Sub", [x, g.add("ReduceMean", [x], axes=[axis])])
    spread = g.add("ReduceMean", [g.add("Pow", [centred, g.constant(np.float32(2))])], axes=[axis])
    root = g.add("Sqrt", [g.add("Add", [spread, g.constant(np.float32(1e-5))])])
    y = g.add("Mul", [g.weight(*weight), g.add("Div", [centred, root])])
    return y if is_root else g.add("Add", [y, g.weight(*weight)])


def mean_and_variance(g):
    return g.add("MeanVarianceNormalization", [g.input(g.size(1, 8), g.size(2, 64), g.size(4, 40), g.size(4, 40))], axes=g.draw.choice([[0, 2, 3], [2, 3], [1, 2, 3]]))


def gate(g):
    """SiLU, its steep form, and GELU by a hyperbolic tangent."""
    x, kind = g.input(*g.shape(2, 500000)), g.draw.randrange(3)
    if kind < 2:
        return g.add("Mul", [x, g.add("Sigmoid", [x if kind == 0 else g.add("Mul", [x, g.constant(np.float32(1.702))])])])
    cube = g.add("Mul", [g.constant(np.float32(0.044715)), g.add("Pow", [x, g.constant(np.float32(3))])])
    y = g.add("Tanh", [g.add("Mul", [g.constant(np.float32(0.7978846)), g.add("Add", [x, cube])])])
    return g.add("Mul", [g.add("Mul", [g.constant(np.float32(0.5)), x]), g.add("Add", [g.constant(np.float32(1)), y])])


def loss(g):
    n, classes = g.size(4, 2000), g.size(4, 500)
    return g.add(g.draw.choice(["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"]), [g.input(n, classes), g.given(g.numbers.integers(0, classes, [n]))],
                 reduction=g.draw.choice(["none", "sum", "mean"]))


def determinant(g):
    n = g.size(2, 64)
    return g.add("Det", [g.input(g.size(1, 200), n, n)])


def tiny_chain(g):
    """Few elements, so that the cost of a call decides."""
    x = g.input(g.size(1, 100))
    for kind in g.draw.choices(["Tanh", "Neg", "Abs", "Relu", "Exp", "Softmax"], k=g.draw.randint(1, 20)):
        x = g.add(kind, [x])
    return x


KINDS = [pointwise_chain, transpose, softmax, reduction, layer_norm, dense, embedding, attention, depthwise, pointwise_convolution,
         convolution, small_convolutions, deconvolution, convolution_1d, roi_align, lstm_over_convolutions,
         gelu_layer, activation, mathematics, power, clip, prelu, broadcast, comparison, where, cast, integers, max_pool, average_pool,
         global_pool, batch_norm, instance_norm, group_norm, norm_in_pieces, unit_length, other_reduction, sum_reduction, arg_reduction,
         cumulative_sum, top_k, other_softmax, concat, split, slice_, pad, tile, expand, blocks_of_space, resize, gather, gather_elements,
         gather_rows, scatter, matmul, einsum, quantise, quantised_product, one_hot, triangle, local_response, perceptron,
         squeeze_and_excite, feed_forward, recurrent_over_convolution, product_of_bytes, rounded_product, convolution_of_bytes,
         rounded_convolution, dynamic_feed_forward, dynamic_perceptron, static_convolutions, static_products,
         permutation, backward_slice, roll, transposing_einsum, views, unfold, window_partition, rotary_embedding, channel_shuffle, resize_other, cast_from,
         masked, other_clip, sources, reverse_sequence, compress, non_zero, unique, scatter_places, joined_types, many_splits, matmul_constant, gemm,
         form_of_cell,
         dilated_convolution, strided_convolution, grouped_convolution, convolution_3d, sound_convolution, overlapping_deconvolution,
         depthwise_windows, pool_of_any_rank, mobile_block, fire, residual_block,
         function, typed_function, typed_binary, bits, powers, typed_where, several, typed_reduction, typed_rank, norm_by_powers,
         mean_and_variance, gate, loss, determinant, tiny_chain]


def write_case(folder, number, seed, kinds):
    """Kinds take turns, so that each occurs as often; their sizes are drawn."""
    draw = random.Random(f"{seed}-{number}")
    graph = Graph(draw, np.random.default_rng([seed, number]))
    kind = kinds[number % len(kinds)]
    result = kind(graph)
    name = f"{kind.__name__}-{number}"
    inputs = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in graph.inputs.items()]
    model = helper.make_model(helper.make_graph(graph.nodes, name, inputs, [], graph.weights),
                              opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    model = shape_inference.infer_shapes(model, data_prop=True)
    model.graph.output.append(next(value for value in model.graph.value_info if value.name == result))
    checker.check_model(model)
    save(model, os.path.join(folder, name + ".onnx"))
    np.savez(os.path.join(folder, name + ".npz"), **graph.inputs)
    is_recurrent = kind in (lstm_over_convolutions, recurrent_over_convolution, form_of_cell)
    return {"id": name, "file": name + ".onnx", "format": "onnx", "kind": "recurrent" if is_recurrent else "other", "run": {"ok": True},
            "inputs_npz": {n: n for n in graph.inputs}, "inputs_file": name + ".npz", "output_file": ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=30, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", metavar="REGEX", help="only these kinds")
    parser.add_argument("folder")
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if re.search(options.kinds, kind.__name__)]
    if not kinds:
        sys.exit(f"no kind has a name that matches “{options.kinds}”")
    os.makedirs(options.folder, exist_ok=True)
    with open(os.path.join(options.folder, "cases.jsonl"), "w", encoding="utf-8") as file:
        for number in range(options.random):
            file.write(json.dumps(write_case(options.folder, number, options.seed, kinds)) + "\n")
    with open(os.path.join(options.folder, "recipes.py"), "w", encoding="utf-8") as file:
        file.write("# Inputs are stored.\n")


if __name__ == "__main__":
    main()
