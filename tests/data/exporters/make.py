#!/usr/bin/env python3
"""Exports one LSTM with the exporters of four frameworks, for docs/guide/exporters.md.

usage: tests/data/exporters/make.py torch|tensorflow|paddle|mxnet FOLDER

8 units, 4 inputs, 5 steps, a batch of 2, all sizes fixed; the weights are those of weights() below in all files.  Each framework needs a
Python environment of its own:

torch        torchscript.onnx, dynamo.onnx (with dynamo.onnx.data), cell.onnx: an LSTMCell in a loop of Python; torch 2.15, onnxscript 0.7.2
tensorflow   tf2onnx.onnx, keras.onnx, while.onnx: a cell that is written by hand in a tf.while_loop; tensorflow-cpu 2.21, tf2onnx 1.17
paddle       paddle2onnx.onnx; paddlepaddle 3.3.1, paddle2onnx 2.1, packaging
mxnet        mx2onnx.onnx, mxnet-symbol.json, mxnet-0000.params; mxnet 1.9.1, onnx 1.14
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import sys
import numpy as np

UNITS, INPUTS, STEPS, BATCH = 8, 4, 5, 2


def weights():
    """Gates in PyTorch's order: input, forget, cell, output."""
    generator = np.random.RandomState(7)
    shapes = {"w_ih": (4 * UNITS, INPUTS), "w_hh": (4 * UNITS, UNITS), "b_ih": (4 * UNITS,), "b_hh": (4 * UNITS,)}
    return {name: generator.uniform(-0.35, 0.35, shape).astype(np.float32) for name, shape in shapes.items()}


def with_torch(folder):
    import torch
    w = {name: torch.nn.Parameter(torch.tensor(array)) for name, array in weights().items()}

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(INPUTS, UNITS, batch_first=True)
            self.lstm.weight_ih_l0, self.lstm.weight_hh_l0 = w["w_ih"], w["w_hh"]
            self.lstm.bias_ih_l0, self.lstm.bias_hh_l0 = w["b_ih"], w["b_hh"]

        def forward(self, x):
            return self.lstm(x)[0]

    class Loop(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = torch.nn.LSTMCell(INPUTS, UNITS)
            self.cell.weight_ih, self.cell.weight_hh, self.cell.bias_ih, self.cell.bias_hh = w["w_ih"], w["w_hh"], w["b_ih"], w["b_hh"]

        def forward(self, x):
            h = c = x.new_zeros(x.shape[0], UNITS)
            steps = []
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], (h, c))
                steps.append(h)
            return torch.stack(steps, 1)

    x = torch.rand(BATCH, STEPS, INPUTS)
    names = dict(input_names=["input"], output_names=["output"], opset_version=17, dynamo=False)
    torch.onnx.export(Layer().eval(), (x,), os.path.join(folder, "torchscript.onnx"), **names)
    torch.onnx.export(Loop().eval(), (x,), os.path.join(folder, "cell.onnx"), **names)
    torch.onnx.export(Layer().eval(), (x,), os.path.join(folder, "dynamo.onnx"), dynamo=True, verbose=False)


def with_tensorflow(folder):
    import onnx
    import tensorflow as tf
    import tf2onnx
    w = weights()
    spec = [tf.TensorSpec((BATCH, STEPS, INPUTS), tf.float32, name="x")]
    x = tf.keras.Input((STEPS, INPUTS), batch_size=BATCH, name="x")
    layer = tf.keras.layers.LSTM(UNITS, return_sequences=True)
    model = tf.keras.Model(x, layer(x))
    layer.set_weights([w["w_ih"].T, w["w_hh"].T, w["b_ih"] + w["b_hh"]])

    @tf.function(input_signature=spec)
    def written_out(x):
        kernel, recurrent, bias = tf.constant(w["w_ih"].T), tf.constant(w["w_hh"].T), tf.constant(w["b_ih"] + w["b_hh"])
        h = c = tf.zeros((BATCH, UNITS))
        steps = tf.TensorArray(tf.float32, size=STEPS, element_shape=(BATCH, UNITS))
        for t in tf.range(STEPS):
            i, f, g, o = tf.split(tf.matmul(x[:, t], kernel) + tf.matmul(h, recurrent) + bias, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
            steps = steps.write(t, h)
        return tf.transpose(steps.stack(), [1, 0, 2])

    layers = tf.function(lambda x: model(x, training=False), input_signature=spec)
    for name, function in (("tf2onnx", layers), ("while", written_out)):
        proto, _ = tf2onnx.convert.from_function(function, input_signature=spec, opset=17)
        onnx.save(proto, os.path.join(folder, name + ".onnx"))
    model.export(os.path.join(folder, "keras.onnx"), format="onnx")


def with_paddle(folder):
    import paddle
    w = weights()

    class Layer(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.lstm = paddle.nn.LSTM(INPUTS, UNITS)

        def forward(self, x):
            return self.lstm(x)[0]

    layer = Layer()
    layer.eval()
    for name, key in (("weight_ih", "w_ih"), ("weight_hh", "w_hh"), ("bias_ih", "b_ih"), ("bias_hh", "b_hh")):
        getattr(layer.lstm, name + "_l0").set_value(w[key])
    spec = paddle.static.InputSpec([BATCH, STEPS, INPUTS], "float32", "x")
    paddle.onnx.export(layer, os.path.join(folder, "paddle2onnx"), input_spec=[spec], opset_version=17)


def with_mxnet(folder):
    import mxnet as mx
    w = weights()
    layer = mx.gluon.rnn.LSTM(UNITS, layout="NTC", input_size=INPUTS, prefix="lstm_")
    layer.initialize()
    for name, key in (("i2h_weight", "w_ih"), ("h2h_weight", "w_hh"), ("i2h_bias", "b_ih"), ("h2h_bias", "b_hh")):
        layer.collect_params()["lstm_l0_" + name].set_data(mx.nd.array(w[key]))

    class Net(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def hybrid_forward(self, F, x):
            return self.layer(x)

    net = Net()
    net.hybridize()
    net(mx.nd.zeros((BATCH, STEPS, INPUTS)))
    prefix = os.path.join(folder, "mxnet")
    net.export(prefix)
    mx.onnx.export_model(prefix + "-symbol.json", prefix + "-0000.params", [(BATCH, STEPS, INPUTS)], [np.float32], os.path.join(folder, "mx2onnx.onnx"))


if __name__ == "__main__":
    {"torch": with_torch, "tensorflow": with_tensorflow, "paddle": with_paddle, "mxnet": with_mxnet}[sys.argv[1]](sys.argv[2])
