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

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.numbers.standard_normal(shape).astype(np.float32)
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


KINDS = [pointwise_chain, transpose, softmax, reduction, layer_norm, dense, embedding, attention, depthwise, pointwise_convolution,
         convolution, small_convolutions, deconvolution, convolution_1d, roi_align, lstm_over_convolutions]


def write_case(folder, number, seed):
    """Kinds take turns, so that each occurs as often; their sizes are drawn."""
    draw = random.Random(f"{seed}-{number}")
    graph = Graph(draw, np.random.default_rng([seed, number]))
    kind = KINDS[number % len(KINDS)]
    result = kind(graph)
    name = f"{kind.__name__}-{number}"
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, x.shape) for n, x in graph.inputs.items()]
    output = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
    model = helper.make_model(helper.make_graph(graph.nodes, name, inputs, [output], graph.weights),
                              opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    model = shape_inference.infer_shapes(model)
    checker.check_model(model)
    save(model, os.path.join(folder, name + ".onnx"))
    np.savez(os.path.join(folder, name + ".npz"), **graph.inputs)
    return {"id": name, "file": name + ".onnx", "format": "onnx", "kind": "recurrent" if "lstm" in name else "other", "run": {"ok": True},
            "inputs_npz": {n: n for n in graph.inputs}, "inputs_file": name + ".npz", "output_file": ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=30, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    with open(os.path.join(options.folder, "cases.jsonl"), "w", encoding="utf-8") as file:
        for number in range(options.random):
            file.write(json.dumps(write_case(options.folder, number, options.seed)) + "\n")
    with open(os.path.join(options.folder, "recipes.py"), "w", encoding="utf-8") as file:
        file.write("# Inputs are stored.\n")


if __name__ == "__main__":
    main()
