#!/usr/bin/env python3
"""Writes keras-gru.onnx: a GRU layer of Keras as tf2onnx writes it, a Loop that gathers its steps.

usage: tests/data/onnx/make-keras.py FILE
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
import keras
import tensorflow
import tf2onnx

keras.utils.set_random_seed(1)
x = keras.Input((None, 4))
model = keras.Model(x, keras.layers.GRU(5, return_sequences=True)(x))
signature = [tensorflow.TensorSpec([None, None, 4], tensorflow.float32, name="x0")]
tf2onnx.convert.from_function(tensorflow.function(lambda x: model(x, training=False)), input_signature=signature, opset=17, output_path=sys.argv[1])
