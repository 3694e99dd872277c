#!/usr/bin/env python3
"""Writes what tf2onnx makes of layers of Keras.

keras-gru.onnx is a Loop that gathers its steps; keras-stacked.onnx two LSTM, of which the second reads the first backwards.

usage: tests/data/onnx/make-keras.py FOLDER
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
import keras
import tensorflow
import tf2onnx

keras.utils.set_random_seed(1)
signature = [tensorflow.TensorSpec([None, None, 4], tensorflow.float32, name="x0")]
for name, layers in (
    ("keras-gru", [keras.layers.GRU(5, return_sequences=True)]),
    ("keras-stacked", [keras.layers.LSTM(5, return_sequences=True), keras.layers.LSTM(3, go_backwards=True)]),
):
    x = keras.Input((None, 4))
    y = x
    for layer in layers:
        y = layer(y)
    model = keras.Model(x, y)
    tf2onnx.convert.from_function(
        tensorflow.function(lambda x: model(x, training=False)), input_signature=signature, opset=17, output_path="%s/%s.onnx" % (sys.argv[1], name)
    )
