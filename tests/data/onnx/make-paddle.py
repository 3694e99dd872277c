#!/usr/bin/env python3
"""Writes what Paddle2ONNX makes of recurrent cells of Paddle in a Python loop, and of a layer that it does not know.

paddle-rnn-cell.onnx, paddle-gru-cell.onnx and paddle-lstm-cell.onnx have three steps of the same cell, with the weights stored once for each
step. In paddle-simple-rnn.onnx the layer is missing: its readers name a value that nothing produces.

usage: tests/data/onnx/make-paddle.py FOLDER    with paddlepaddle 3.3 and paddle2onnx 2.1
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
import paddle
from paddle import nn
from paddle.static import InputSpec


class Steps(nn.Layer):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, state):
        outputs = []
        for step in range(3):
            output, state = self.cell(x[:, step], state)
            outputs.append(output)
        return paddle.stack(outputs, 1)


class StepsOfTwo(Steps):
    def forward(self, x, hidden, memory):
        return super().forward(x, (hidden, memory))


class Layer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layer = nn.SimpleRNN(4, 5)

    def forward(self, x):
        return self.layer(x)[0]


paddle.seed(1)
for name, model, n_states in (
    ("paddle-rnn-cell", Steps(nn.SimpleRNNCell(4, 5)), 1),
    ("paddle-gru-cell", Steps(nn.GRUCell(4, 5)), 1),
    ("paddle-lstm-cell", StepsOfTwo(nn.LSTMCell(4, 5)), 2),
    ("paddle-simple-rnn", Layer(), 0),
):
    model.eval()
    inputs = [InputSpec([None, 3, 4], "float32", "x")] + [InputSpec([None, 5], "float32", f"state{i}") for i in range(n_states)]
    paddle.onnx.export(model, f"{sys.argv[1]}/{name}", input_spec=inputs, opset_version=17, enable_onnx_checker=False)
