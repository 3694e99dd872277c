#!/usr/bin/env python3
"""Writes what tf2onnx makes of layers of Keras.

keras-gru.onnx is a Loop that gathers its steps; keras-stacked.onnx two LSTM, of which the second reads the first backwards;
keras-gru-before.onnx a GRU that resets its state before the product; keras-masked.onnx and keras-embedding.onnx are LSTMs that leave
steps out, of which the second has an open length.

usage: tests/data/onnx/make-keras.py FOLDER
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
import keras
import tensorflow
import tf2onnx
from keras import layers as L

keras.utils.set_random_seed(1)
for name, length, layers in (
    ("keras-gru", None, [L.GRU(5, return_sequences=True)]),
    ("keras-stacked", None, [L.LSTM(5, return_sequences=True), L.LSTM(3, go_backwards=True)]),
    ("keras-gru-before", 6, [L.GRU(5, reset_after=False)]),
    ("keras-masked", 6, [L.Masking(), L.LSTM(5)]),
    ("keras-embedding", None, [L.Embedding(20, 8, mask_zero=True), L.LSTM(5)]),
):
    shape = (length,) if isinstance(layers[0], L.Embedding) else (length, 4)
    x = keras.Input(shape)
    y = x
    for layer in layers:
        y = layer(y)
    model = keras.Model(x, y)
    signature = [tensorflow.TensorSpec((None,) + shape, tensorflow.float32, name="x0")]
    tf2onnx.convert.from_function(
        tensorflow.function(lambda x: model(x, training=False)), input_signature=signature, opset=17, output_path="%s/%s.onnx" % (sys.argv[1], name)
    )
