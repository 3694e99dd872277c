#!/usr/bin/env python3
"""Writes the ONNX files of this folder, and the two of examples that the guide uses (tagger, frozen), with the Python package onnx; weights are seeded.

usage: tests/data/onnx/make-models.py FOLDER

tagger.onnx   words [time, batch] → embedding → LSTM → classes, with open dimensions and shapes that are computed
frozen.onnx   declares its batch open, but reshapes to a batch of 1
modules.onnx  three layers whose nodes tell their modules in metadata only, as PyTorch's exporter writes them
branch.onnx   an If whose condition follows from the rank of its input
strange.onnx  a node of an unknown domain with a body
brain.onnx    adds a number of bfloat16 to itself
outside.onnx  the tagger with its arrays in outside.onnx.data
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import sys
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

RNG = np.random.default_rng(11)


def array(name, *shape):
    return numpy_helper.from_array((0.3 * RNG.normal(size=shape)).astype(np.float32), name)


def ints(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def finish(nodes, inputs, outputs, initializers, opset=17):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="make-models", producer_version="1")
    model.ir_version = 8
    return model


def tagger():
    node = helper.make_node
    nodes = [
        node("Gather", ["table", "words"], ["embedded"], "/embedding/Gather"),
        node("Shape", ["words"], ["shape"], "/rnn/Shape"),
        node("Gather", ["shape", "one"], ["batch"], "/rnn/Gather"),
        node("Concat", ["directions", "batch", "hidden"], ["state_shape"], "/rnn/Concat", axis=0),
        node("ConstantOfShape", ["state_shape"], ["zeros"], "/rnn/ConstantOfShape"),
        node("LSTM", ["embedded", "w", "r", "b", "", "zeros", "zeros"], ["steps", "h", "c"], "/rnn/LSTM", hidden_size=16),
        node("Squeeze", ["steps", "one"], ["rows"], "/rnn/Squeeze"),
        node("MatMul", ["rows", "classes"], ["scores"], "/head/MatMul"),
        node("Softmax", ["scores"], ["tags"], "/head/Softmax", axis=-1),
    ]
    inputs = [helper.make_tensor_value_info("words", TensorProto.INT64, ["time", "batch"])]
    outputs = [helper.make_tensor_value_info("tags", TensorProto.FLOAT, ["time", "batch", 5])]
    return finish(nodes, inputs, outputs, [array("table", 40, 8), array("w", 1, 64, 8), array("r", 1, 64, 16), array("b", 1, 128),
                                           array("classes", 16, 5), ints("one", 1), ints("directions", 1), ints("hidden", 16)])


def frozen():
    node = helper.make_node
    nodes = [node("Reshape", ["x", "target"], ["flat"], "/Reshape"), node("Gemm", ["flat", "weight"], ["y"], "/Gemm")]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 2, 4])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])]
    return finish(nodes, inputs, outputs, [ints("target", 1, 8), array("weight", 8, 3)])


def in_module(node, line, *modules):
    """Adds the metadata of PyTorch's exporter: the path and class of each module, and a traceback."""
    namespace = "/".join([": net.Net"] + ["%s: %s" % m for m in modules] + ["call: aten.%s.default" % node.op_type.lower()])
    trace = 'File "/home/user/net.py", line %d, in forward\n    return step(x)\n  File "/usr/lib/python3/site-packages/torch/nn/f.py", line 9, in step' % line
    helper.set_model_props(node, {"namespace": namespace, "pkg.torch.onnx.stack_trace": trace})
    return node


def modules():
    node = helper.make_node
    nodes, weights, at = [], [], "x"
    for i in range(3):
        layer, linear = ("layers.%d" % i, "net.Layer"), ("layers.%d.first" % i, "torch.nn.modules.linear.Linear")
        name = "linear" if i == 0 else "linear_%d" % i
        nodes.append(in_module(node("Gemm", [at, "layers.%d.first.weight" % i], [name], "node_" + name, transB=1), 7, layer, linear))
        nodes.append(in_module(node("Relu", [name], ["relu_%d" % i], "node_relu_%d" % i), 8, layer))
        nodes.append(in_module(node("Add", [at, "relu_%d" % i], ["add_%d" % i], "node_add_%d" % i), 9, layer))
        weights.append(array("layers.%d.first.weight" % i, 8, 8))
        at = "add_%d" % i
    nodes.append(in_module(node("Conv", ["image", "filters"], ["convolved"], "node_conv", kernel_shape=[3, 5], pads=[0, 0, 0, 0],
                                strides=[2, 2]), 12, ("stem", "torch.nn.modules.conv.Conv2d")))
    weights.append(array("filters", 2, 1, 3, 5))
    value = helper.make_tensor_value_info
    return finish(nodes, [value("x", TensorProto.FLOAT, ["batch", 8]), value("image", TensorProto.FLOAT, [1, 1, 9, 9])],
                  [value(at, TensorProto.FLOAT, ["batch", 8]), value("convolved", TensorProto.FLOAT, None)], weights)


def branch():
    node, value = helper.make_node, helper.make_tensor_value_info
    y = [value("y", TensorProto.FLOAT, None)]
    squeeze = helper.make_graph([node("Squeeze", ["x"], ["y"], "squeeze")], "squeezed", [], y)
    keep = helper.make_graph([node("Relu", ["x"], ["y"], "keep")], "kept", [], y)
    nodes = [node("Shape", ["x"], ["shape"], "/Shape"), node("Size", ["shape"], ["rank"], "/Size"),
             node("Equal", ["rank", "three"], ["is_three"], "/Equal"), node("If", ["is_three"], ["z"], "/If", then_branch=squeeze, else_branch=keep)]
    return finish(nodes, [value("x", TensorProto.FLOAT, ["batch", 4])], [value("z", TensorProto.FLOAT, None)],
                  [numpy_helper.from_array(np.array(3, np.int64), "three")])


def brain():
    inputs = [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, [3])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.BFLOAT16, [3])]
    return finish([helper.make_node("Add", ["x", "x"], ["y"], "/Add")], inputs, outputs, [])


def strange():
    node, value = helper.make_node, helper.make_tensor_value_info
    body = helper.make_graph([node("Relu", ["x"], ["y"], "inner")], "inside", [], [value("y", TensorProto.FLOAT, None)])
    model = finish([node("Repeat", ["x"], ["z"], "outer", domain="mine", body=body)], [value("x", TensorProto.FLOAT, [4])], [value("z", TensorProto.FLOAT, None)], [])
    model.opset_import.append(helper.make_opsetid("mine", 1))
    return model


def main():
    save(tagger(), os.path.join(sys.argv[1], "tagger.onnx"))
    save(frozen(), os.path.join(sys.argv[1], "frozen.onnx"))
    save(modules(), os.path.join(sys.argv[1], "modules.onnx"))
    save(branch(), os.path.join(sys.argv[1], "branch.onnx"))
    save(strange(), os.path.join(sys.argv[1], "strange.onnx"))
    save(brain(), os.path.join(sys.argv[1], "brain.onnx"))
    save(tagger(), os.path.join(sys.argv[1], "outside.onnx"), save_as_external_data=True, location="outside.onnx.data", size_threshold=512)


main()
