#!/usr/bin/env python3
"""Writes files for the writer of ONNX.

bfloat16.onnx has an input of bfloat16 and a layer; bfloat16.npz has its bits as uint16.  unread.onnx has a layer whose last state only a
node reads that no output needs.

usage: tests/data/onnx/make-written.py FOLDER
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
import numpy as np
import onnx
from onnx import helper, numpy_helper

folder = sys.argv[1]
random = np.random.RandomState(1)
weights = [("w", (1, 16, 3)), ("r", (1, 16, 4)), ("b", (1, 32))]
arrays = [numpy_helper.from_array(random.uniform(-0.5, 0.5, shape).astype(np.float32), name) for name, shape in weights]


def write(name, nodes, dtype):
    x = helper.make_tensor_value_info("x", dtype, [5, 2, 3])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [5, 1, 2, 4])
    graph = helper.make_graph([helper.make_node(*node, **more) for node, more in nodes], name, [x], [y], arrays)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "%s/%s.onnx" % (folder, name))


lstm = (("LSTM", ["x32", "w", "r", "b"], ["y", "h"], "layer"), {"hidden_size": 4})
write("bfloat16", [(("Cast", ["x"], ["x32"], "cast"), {"to": onnx.TensorProto.FLOAT}), lstm], onnx.TensorProto.BFLOAT16)
write("unread", [(("Identity", ["x"], ["x32"], "same"), {}), lstm, (("Relu", ["h"], ["unread"], "unread"), {})], onnx.TensorProto.FLOAT)
bits = random.uniform(-1, 1, (5, 2, 3)).astype(np.float32).view(np.uint32) >> 16
np.savez("%s/bfloat16.npz" % folder, x=bits.astype(np.uint16))
