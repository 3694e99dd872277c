#!/usr/bin/env python3
"""Writes small ONNX files, and what ONNX Runtime computes with them, or onnx.reference where ONNX Runtime lacks an operator.

usage: tests/data/onnx/make-runtime.py FOLDER [NAME…]

NAME.onnx is the model; NAME.npz has its inputs by their names, and its outputs in order as "=0", "=1", …
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import sys
import zlib
import numpy as np
import onnxruntime
from onnx import parser, save
from onnx.reference import ReferenceEvaluator


def maker(name):
    """Random numbers that depend on the name alone."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return lambda *shape: rng.normal(size=shape).astype(np.float32)


def floats(n):
    """A list of n numbers, as models are written."""
    return "[" + ", ".join("%.3f" % (2 * np.sin(1 + 3.7 * i)) for i in range(n)) + "]"


TRAINING = '"" : 17, "ai.onnx.preview.training" : 1'
LEARNING = '"" : 17, "ai.onnx.ml" : 3'
MICROSOFT = '"" : 17, "com.microsoft" : 1'

# name → (operator sets, text, inputs)
CASES = {
    # --- Support vectors ---
    "vectors-pairs": (LEARNING, f"""g (float[4,3] x) => (int64[4] y, float[4,3] z) {{
        y, z = ai.onnx.ml.SVMClassifier <kernel_type = "RBF", kernel_params = [0.3, 0.0, 3.0], support_vectors = {floats(18)}, coefficients = {floats(12)},
            rho = [0.1, -0.2, 0.3], vectors_per_class = [1, 3, 2], classlabels_ints = [7, 3, 5]> (x)
    }}""", lambda f: {"x": f(4, 3)}),
    "vectors-probabilities": (LEARNING, f"""g (double[4,3] x) => (int64[4] y, float[4,3] z) {{
        y, z = ai.onnx.ml.SVMClassifier <kernel_type = "POLY", kernel_params = [0.3, 0.5, 2.0], support_vectors = {floats(18)}, coefficients = {floats(12)},
            rho = [0.1, -0.2, 0.3], prob_a = [-1.0, -2.0, -0.5], prob_b = [0.1, 0.2, -0.3], vectors_per_class = [1, 3, 2], classlabels_ints = [7, 3, 5]> (x)
    }}""", lambda f: {"x": f(4, 3).astype(np.float64)}),
    "vectors-two-classes": (LEARNING, f"""g (float[4,3] x) => (int64[4] y, float[4,2] z) {{
        y, z = ai.onnx.ml.SVMClassifier <kernel_type = "SIGMOID", kernel_params = [0.3, 0.5, 0.0], support_vectors = {floats(9)}, coefficients = {floats(3)},
            rho = [0.1], vectors_per_class = [1, 2], classlabels_ints = [7, 3], post_transform = "LOGISTIC"> (x)
    }}""", lambda f: {"x": f(4, 3)}),
    "vectors-linear": (LEARNING, f"""g (int64[4,3] x) => (int64[4] y, float[4,2] z) {{
        y, z = ai.onnx.ml.SVMClassifier <kernel_params = [0.0, 0.0, 3.0], coefficients = {floats(6)}, rho = [0.25], classlabels_ints = [7, 3],
            post_transform = "SOFTMAX"> (x)
    }}""", lambda f: {"x": (3 * f(4, 3)).astype(np.int64)}),
    "vectors-regression": (LEARNING, f"""g (float[4,3] x) => (float[4,1] y, float[4,1] z) {{
        y = ai.onnx.ml.SVMRegressor <kernel_type = "RBF", kernel_params = [0.3, 0.0, 3.0], support_vectors = {floats(15)}, coefficients = {floats(5)},
            rho = [0.1], n_supports = 5> (x)
        z = ai.onnx.ml.SVMRegressor <kernel_params = [0.0, 0.0, 3.0], coefficients = {floats(3)}, rho = [0.1], n_supports = 0, one_class = 1> (x)
    }}""", lambda f: {"x": f(4, 3)}),
    # --- Of ONNX Runtime alone ---
    "quantised-attention": (MICROSOFT, """g (uint8[2,3,4] x, int8[4,12] w, float[12] b, int32[2,5] m, float[2,2,2,2,2] p) => (float[2,3,4] y, float[2,2,2,5,2] q)
        <float xs = {0.02}, float[12] ws = {0.01, 0.02, 0.01, 0.03, 0.02, 0.01, 0.02, 0.01, 0.02, 0.01, 0.02, 0.03}, uint8 xz = {120}, int8 wz = {3}> {
        y, q = com.microsoft.QAttention <num_heads = 2, unidirectional = 1> (x, w, b, xs, ws, m, xz, wz, p)
    }""", lambda f: {"x": (120 + 40 * f(2, 3, 4)).clip(0, 255).astype(np.uint8), "w": (30 * f(4, 12)).clip(-128, 127).astype(np.int8), "b": f(12),
                     "m": np.array([[1, 0, 1, 1, 1], [1, 1, 1, 0, 1]], np.int32), "p": f(2, 2, 2, 2, 2)}),
    "inverse": (MICROSOFT, """g (float[2,3,3] x) => (float[2,3,3] y) {
        y = com.microsoft.Inverse (x)
    }""", lambda f: {"x": f(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)}),
    "image-scaler": ('"" : 9', """g (float[1,2,2,3] x) => (float[1,2,2,3] y) {
        y = ImageScaler <scale = 2.0, bias = [0.25, -1.0]> (x)
    }""", lambda f: {"x": f(1, 2, 2, 3)}),
    # --- Shapes that depend on data ---
    "suppression": ('"" : 17', """g (float[2,6,4] boxes, float[2,2,6] scores) => (int64[n,3] y) <int64 limit = {3}, float overlap = {0.3}, float least = {-0.5}> {
        y = NonMaxSuppression (boxes, scores, limit, overlap, least)
    }""", lambda f: {"boxes": np.abs(f(2, 6, 4)), "scores": f(2, 2, 6)}),
    "suppression-centred": ('"" : 17', """g (float[1,8,4] boxes, float[1,1,8] scores) => (int64[n,3] y) <int64 limit = {10}, float overlap = {0.1}> {
        y = NonMaxSuppression <center_point_box = 1> (boxes, scores, limit, overlap)
    }""", lambda f: {"boxes": np.abs(f(1, 8, 4)), "scores": f(1, 1, 8)}),
    "unique": ('"" : 17', """g (float[7] x) => (float[n] y, int64[n] i, int64[7] v, int64[n] c) {
        y, i, v, c = Unique (x)
    }""", lambda f: {"x": np.array([2, 1, 1, 3, 4, 3, -1], np.float32)}),
    # More elements than are sorted by insertion, of both signs and with both zeros, and integers beyond 2⁵³.
    "unique-many": ('"" : 17', """g (float[90] x, int64[70] k) => (float[n] y, int64[n] i, int64[90] v, int64[n] c, int64[m] z, int64[m] u) {
        y, i, v, c = Unique (x)
        z, u = Unique <sorted = 0> (k)
    }""", lambda f: {"x": np.concatenate([np.round(4 * f(88)) / 2, np.array([0.0, -0.0], np.float32)]).astype(np.float32),
                     "k": np.concatenate([np.round(3 * f(66)).astype(np.int64), np.array([2**60 + 1, 2**60, -2**62, 2**60 + 1])])}),
    # More elements than are known while planning.
    "non-zero": ('"" : 17', """g (float[70,90] x, bool[5,6,7] b, int64[9] k) => (int64[2,n] y, int64[3,m] z, int64[1,l] w) {
        y = NonZero (x)
        z = NonZero (b)
        w = NonZero (k)
    }""", lambda f: {"x": np.where(f(70, 90) > 2, f(70, 90), 0).astype(np.float32), "b": f(5, 6, 7) > 0.5, "k": np.array([0, 3, 0, 0, -1, 0, 2**40, 0, 0])}),
    "non-zero-scalars": ('"" : 17', """g (float x, float z) => (int64[1,n] a, int64[1,m] b, int64[1,k] c, int64[1,l] d) <float one = {3.0}, float none = {0.0}> {
        a = NonZero (x)
        b = NonZero (z)
        c = NonZero (one)
        d = NonZero (none)
    }""", lambda f: {"x": np.array(-2, np.float32), "z": np.array(0, np.float32)}),
    "triangles": ('"" : 17', """g (float[2,3,5] x, int64[4,3] k) => (float[2,3,5] y, float[2,3,5] z, int64[4,3] u, int64[4,3] v) <int64 one = {1}, int64 low = {-2}, int64 far = {-9}> {
        y = Trilu (x)
        z = Trilu <upper = 0> (x, one)
        u = Trilu (k, low)
        v = Trilu <upper = 0> (k, far)
    }""", lambda f: {"x": f(2, 3, 5), "k": np.arange(1, 13).reshape(4, 3)}),
    "reversed-sequences": ('"" : 17', """g (float[5,3,2] x, uint8[3,4] t, int64[3] n, int64[3] m) => (float[5,3,2] y, uint8[3,4] z) {
        y = ReverseSequence <time_axis = 0, batch_axis = 1> (x, n)
        z = ReverseSequence <time_axis = 1, batch_axis = 0> (t, m)
    }""", lambda f: {"x": f(5, 3, 2), "t": np.arange(12).reshape(3, 4).astype(np.uint8), "n": np.array([5, 1, 3]), "m": np.array([2, 4, 1])}),
    # Bounds that are known, have changed places, or come with the inputs.
    "clipped": ('"" : 17', """g (float[3,11] x, float low, int64[5] k) => (float[3,11] y, float[3,11] z, float[3,11] u, float[3,11] v, int64[5] w)
        <float a = {-0.5}, float b = {0.7}, int64 c = {-2}, int64 d = {3}> {
        y = Clip (x, a, b)
        z = Clip (x, b, a)
        u = Clip (x, , a)
        v = Clip (x, low, b)
        w = Clip (k, c, d)
    }""", lambda f: {"x": np.concatenate([f(3, 9), np.full((3, 1), 1e30), np.full((3, 1), -1e30)], 1).astype(np.float32), "low": np.array(-0.1, np.float32),
                     "k": np.array([-5, -2, 0, 3, 2**40])}),
    "clipped-6": ('"" : 6', """g (float[3,11] x) => (float[3,11] y, float[3,11] z) {
        y = Clip <min = -0.5, max = 0.7> (x)
        z = Clip <min = 0.25> (x)
    }""", lambda f: {"x": f(3, 11)}),
    "axes-twice": ('"" : 18', """g (float[2,3,4] x) => (float[2,1,4] y, float[3] z) <int64[3] a = {1, -2, 1}, int64[4] b = {2, 0, -1, 0}> {
        y = ReduceMean (x, a)
        z = ReduceL2 <keepdims = 0> (x, b)
    }""", lambda f: {"x": f(2, 3, 4)}),
    "scale-of-zero": ('"" : 17', """g (float[6] x) => (uint8[6] y) <float s = {0.0}, uint8 z = {3}> {
        y = QuantizeLinear (x, s, z)
    }""", lambda f: {"x": np.array([-1, 0, 1, 0.5, np.inf, -np.inf], np.float32)}),
    "unique-rows": ('"" : 17', """g (int64[4,2] x) => (int64[n,2] y, int64[n] i, int64[4] v, int64[n] c) {
        y, i, v, c = Unique <axis = 0, sorted = 0> (x)
    }""", lambda f: {"x": np.array([[3, 1], [1, 2], [3, 1], [0, 5]], np.int64)}),
    "unique-columns": ('"" : 17', """g (float[2,4] x) => (float[2,n] y) {
        y = Unique <axis = -1> (x)
    }""", lambda f: {"x": np.array([[3, 1, 3, 0], [1, 2, 1, 5]], np.float32)}),
    "ngrams": ('"" : 17', """g (int64[2,6] x) => (float[2,7] y) {
        y = TfIdfVectorizer <max_gram_length = 2, max_skip_count = 2, min_gram_length = 1, mode = "TF", ngram_counts = [0, 4], ngram_indexes = [0, 1, 2, 3, 4, 5, 6],
                             pool_int64s = [2, 3, 5, 4, 5, 6, 7, 8, 6, 7]> (x)
    }""", lambda f: {"x": np.array([[1, 1, 3, 3, 3, 7], [8, 6, 7, 5, 6, 8]], np.int64)}),
    "ngrams-weighted": ('"" : 17', """g (int32[6] x) => (float[4] y) {
        y = TfIdfVectorizer <max_gram_length = 2, max_skip_count = 0, min_gram_length = 1, mode = "TFIDF", ngram_counts = [0, 2], ngram_indexes = [3, 0, 1, 2],
                             pool_int64s = [2, 3, 5, 4, 3, 3], weights = [0.5, 2.0, 3.0, 4.0]> (x)
    }""", lambda f: {"x": np.array([2, 3, 3, 3, 5, 4], np.int32)}),
    "ngrams-seen": ('"" : 17', """g (int32[6] x) => (float[4] y) {
        y = TfIdfVectorizer <max_gram_length = 2, max_skip_count = 0, min_gram_length = 2, mode = "IDF", ngram_counts = [0, 2], ngram_indexes = [3, 0, 1, 2],
                             pool_int64s = [2, 3, 5, 4, 3, 3], weights = [0.5, 2.0, 3.0, 4.0]> (x)
    }""", lambda f: {"x": np.array([2, 3, 3, 3, 5, 4], np.int32)}),
    # --- Recurrent nodes that the engine's RNN does not have ---
    "gru-first-reset": ('"" : 17', """g (float[4,3,2] x, float[2,6,2] w, float[2,6,2] r, float[2,12] b, float[2,3,2] h) => (float[4,2,3,2] y, float[2,3,2] z) <int32[3] n = {4, 2, 3}> {
        y, z = GRU <hidden_size = 2, direction = "bidirectional"> (x, w, r, b, n, h)
    }""", lambda f: {"x": f(4, 3, 2), "w": f(2, 6, 2), "r": f(2, 6, 2), "b": f(2, 12), "h": f(2, 3, 2)}),
    "gru-activations": ('"" : 17', """g (float[4,3,2] x, float[1,6,2] w, float[1,6,2] r, float[1,12] b) => (float[4,1,3,2] y, float[1,3,2] z) {
        y, z = GRU <hidden_size = 2, direction = "reverse", linear_before_reset = 1, activations = ["HardSigmoid", "ScaledTanh"], activation_alpha = [0.3, 0.9],
                    activation_beta = [0.4, 1.1]> (x, w, r, b)
    }""", lambda f: {"x": f(4, 3, 2), "w": f(1, 6, 2), "r": f(1, 6, 2), "b": f(1, 12)}),
    "lstm-peepholes": ('"" : 17', """g (float[4,3,2] x, float[1,8,2] w, float[1,8,2] r, float[1,16] b, float[1,3,2] h, float[1,3,2] c, float[1,6] p)
            => (float[4,1,3,2] y, float[1,3,2] z, float[1,3,2] k) <int32[3] n = {4, 1, 3}> {
        y, z, k = LSTM <hidden_size = 2> (x, w, r, b, n, h, c, p)
    }""", lambda f: {"x": f(4, 3, 2), "w": f(1, 8, 2), "r": f(1, 8, 2), "b": f(1, 16), "h": f(1, 3, 2), "c": f(1, 3, 2), "p": f(1, 6)}),
    "lstm-activations": ('"" : 17', """g (float[3,2,2] x, float[2,8,2] w, float[2,8,2] r) => (float[3,2,2,2] y, float[2,2,2] z, float[2,2,2] k) {
        y, z, k = LSTM <hidden_size = 2, direction = "bidirectional", activations = ["Sigmoid", "Relu", "Softsign", "HardSigmoid", "Elu", "Tanh"]> (x, w, r)
    }""", lambda f: {"x": f(3, 2, 2), "w": f(2, 8, 2), "r": f(2, 8, 2)}),
    "rnn-clipped": ('"" : 17', """g (float[4,3,2] x, float[1,2,2] w, float[1,2,2] r, float[1,4] b) => (float[4,1,3,2] y, float[1,3,2] z) {
        y, z = RNN <hidden_size = 2, clip = 0.8> (x, w, r, b)
    }""", lambda f: {"x": f(4, 3, 2), "w": f(1, 2, 2), "r": f(1, 2, 2), "b": f(1, 4)}),
    "lstm-clipped": ('"" : 17', """g (float[4,3,2] x, float[1,8,2] w, float[1,8,2] r, float[1,3,2] h, float[1,3,2] c) => (float[4,1,3,2] y, float[1,3,2] z, float[1,3,2] k) {
        y, z, k = LSTM <hidden_size = 2, clip = 0.5> (x, w, r, "", "", h, c)
    }""", lambda f: {"x": f(4, 3, 2), "w": f(1, 8, 2), "r": f(1, 8, 2), "h": f(1, 3, 2), "c": 2 * f(1, 3, 2)}),
    "gru-no-steps": ('"" : 17', """g (float[4,3,2] x, float[1,6,2] w, float[1,6,2] r, float[1,3,2] h) => (float[4,1,3,2] y, float[1,3,2] z) <int32[3] n = {4, 0, 2}> {
        y, z = GRU <hidden_size = 2> (x, w, r, "", n, h)
    }""", lambda f: {"x": f(4, 3, 2), "w": f(1, 6, 2), "r": f(1, 6, 2), "h": f(1, 3, 2)}),
    "lstm-no-steps": ('"" : 17', """g (float[4,3,2] x, float[1,8,2] w, float[1,8,2] r, float[1,3,2] h, float[1,3,2] c) => (float[4,1,3,2] y, float[1,3,2] z, float[1,3,2] k) <int32[3] n = {4, 0, 2}> {
        y, z, k = LSTM <hidden_size = 2> (x, w, r, "", n, h, c)
    }""", lambda f: {"x": f(4, 3, 2), "w": f(1, 8, 2), "r": f(1, 8, 2), "h": f(1, 3, 2), "c": f(1, 3, 2)}),
    # --- Images ---
    # Positions behind the border: every neighbour of a cubic one moves alone.
    "grid-cubic-border": ('"" : 20', """g (float[1,2,4,5] x, float[1,3,3,2] p) => (float[1,2,3,3] y) {
        y = GridSample <mode = "cubic", padding_mode = "border", align_corners = 1> (x, p)
    }""", lambda f: {"x": f(1, 2, 4, 5), "p": 2 * f(1, 3, 3, 2)}),
    "resize-crop": ('"" : 17', """g (float[1,1,5,6] x) => (float[1,1,n,m] y) <float[8] roi = {0, 0, 0.2, -0.1, 1, 1, 0.9, 0.8}, float[0] none = {}, int64[4] size = {1, 1, 4, 3}> {
        y = Resize <mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.5> (x, roi, none, size)
    }""", lambda f: {"x": f(1, 1, 5, 6)}),
    "resize-smooth": ('"" : 18', """g (float[1,2,7,8] x) => (float[1,2,n,m] y) <float[4] scale = {1, 1, 0.6, 0.4}> {
        y = Resize <mode = "linear", antialias = 1> (x, "", scale)
    }""", lambda f: {"x": f(1, 2, 7, 8)}),
    "resize-smooth-cubic": ('"" : 18', """g (float[1,1,9,8] x) => (float[1,1,n,m] y) <int64[4] size = {1, 1, 4, 5}> {
        y = Resize <mode = "cubic", antialias = 1, exclude_outside = 1, cubic_coeff_a = -0.5> (x, "", "", size)
    }""", lambda f: {"x": f(1, 1, 9, 8)}),
    # Integers: numbers between two are cut off, so that weights are exact here; filters round and limit after each axis.
    "resize-bytes": ('"" : 18', """g (uint8[1,2,7,8] x, int32[1,1,4,5] k, uint8[1,2,3,4,5] v) => (uint8[1,2,n,m] y, int32[1,1,a,b] z, uint8[1,2,c,d,e] w) <float[4] s = {1, 1, 2.0, 0.5}, float[5] t = {1, 1, 2.0, 4.0, 0.5}> {
        y = Resize <mode = "linear"> (x, "", s)
        z = Resize <mode = "linear"> (k, "", s)
        w = Resize <mode = "linear"> (v, "", t)
    }""", lambda f: {"x": (128 + 60 * f(1, 2, 7, 8)).clip(0, 255).astype(np.uint8), "k": (1000 * f(1, 1, 4, 5)).astype(np.int32),
                     "v": (128 + 60 * f(1, 2, 3, 4, 5)).clip(0, 255).astype(np.uint8)}),
    "resize-bytes-9": ('"" : 9', """g (uint8[1,2,4,5] x) => (uint8[1,2,n,m] y) <float[4] s = {1, 1, 2.0, 4.0}> {
        y = Upsample <mode = "linear"> (x, s)
    }""", lambda f: {"x": (128 + 60 * f(1, 2, 4, 5)).clip(0, 255).astype(np.uint8)}),
    "resize-bytes-smooth": ('"" : 18', """g (uint8[1,2,9,8] x, int32[1,1,9,8] k) => (uint8[1,2,n,m] y, uint8[1,2,a,b] z, int32[1,1,c,d] w, uint8[1,2,e,f] v) <float[4] s = {1, 1, 0.6, 0.4}, float[4] t = {1, 1, 0.37, 0.65}> {
        y = Resize <mode = "linear", antialias = 1> (x, "", s)
        z = Resize <mode = "linear", antialias = 1> (x, "", t)
        w = Resize <mode = "linear", antialias = 1> (k, "", t)
        v = Resize <mode = "cubic", antialias = 1, exclude_outside = 1> (x, "", t)
    }""", lambda f: {"x": (128 + 150 * f(1, 2, 9, 8)).clip(0, 255).astype(np.uint8), "k": (1000 * f(1, 1, 9, 8)).astype(np.int32)}),
    "resize-last-bit": ('"" : 18', """g (float[1,1,1,7] x, float[1,1,1,100] w) => (float[1,1,1,n] y, float[1,1,1,m] z) <float[4] a = {1, 1, 1, 0.6}, float[4] b = {1, 1, 1, 0.29}> {
        y = Resize <mode = "nearest", nearest_mode = "floor"> (x, "", a)
        z = Resize <mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric"> (w, "", b)
    }""", lambda f: {"x": f(1, 1, 1, 7), "w": f(1, 1, 1, 100)}),
    "pool-places": ('"" : 17', """g (float[2,2,5,6] x) => (float[2,2,n,m] y, int64[2,2,n,m] i) {
        y, i = MaxPool <kernel_shape = [3, 2], pads = [1, 0, 1, 1], strides = [2, 1]> (x)
    }""", lambda f: {"x": f(2, 2, 5, 6)}),
    "pool-places-columns": ('"" : 17', """g (float[1,2,5,6] x) => (float[1,2,n,m] y, int64[1,2,n,m] i) {
        y, i = MaxPool <kernel_shape = [2, 2], dilations = [2, 2], storage_order = 1> (x)
    }""", lambda f: {"x": f(1, 2, 5, 6)}),
    "pooled-regions": ('"" : 17', """g (float[2,2,6,6] x) => (float[3,2,2,3] y) <float[3,5] r = {0, 0, 1, 5, 9, 1, 4, 2, 11, 11, 1, 0, 0, 3, 3}> {
        y = MaxRoiPool <pooled_shape = [2, 3], spatial_scale = 0.5> (x, r)
    }""", lambda f: {"x": f(2, 2, 6, 6)}),
    # --- com.microsoft ---
    "turned": (MICROSOFT, """g (float[2,3,8] x, int64[2,3] p, float[6,2] c, float[6,2] s) => (float[2,3,8] y) {
        y = com.microsoft.RotaryEmbedding <interleaved = 1> (x, p, c, s)
    }""", lambda f: {"x": f(2, 3, 8), "p": np.array([[4, 0, 2], [1, 2, 3]]), "c": f(6, 2), "s": f(6, 2)}),
    "turned-from": (MICROSOFT, """g (float[2,2,3,4] x, int64[1] p, float[6,2] c, float[6,2] s) => (float[2,2,3,4] y) {
        y = com.microsoft.RotaryEmbedding (x, p, c, s)
    }""", lambda f: {"x": f(2, 2, 3, 4), "p": np.array([2]), "c": f(6, 2), "s": f(6, 2)}),
    "skip-normalisation": (MICROSOFT, """g (float[2,3,4] x, float[2,3,4] s, float[4] g, float[4] b, float[4] c) => (float[2,3,4] y, float[2,3,1] m, float[2,3,1] i, float[2,3,4] z) {
        y, m, i, z = com.microsoft.SkipLayerNormalization <epsilon = 0.01> (x, s, g, b, c)
    }""", lambda f: {"x": f(2, 3, 4), "s": f(2, 3, 4), "g": f(4), "b": f(4), "c": f(4)}),
    "skip-simplified": (MICROSOFT, """g (float[2,3,4] x, float[2,3,4] s, float[4] g) => (float[2,3,4] y, float[2,3,4] z) {
        y, "", "", z = com.microsoft.SkipSimplifiedLayerNormalization (x, s, g)
    }""", lambda f: {"x": f(2, 3, 4), "s": f(2, 3, 4), "g": f(4)}),
    "simplified-normalisation": ('"" : 17', """g (float[2,3,4] x, float[4] g) => (float[2,3,4] y) {
        y = SimplifiedLayerNormalization <axis = -1, epsilon = 0.01> (x, g)
    }""", lambda f: {"x": f(2, 3, 4), "g": f(4)}),
    "embeddings": (MICROSOFT, """g (int32[2,3] w, int32[2,3] s, float[7,4] a, float[5,4] b, float[2,4] c, float[4] g, float[4] d, int32[2,3] m) => (float[2,3,4] y, int32[2] n) {
        y, n = com.microsoft.EmbedLayerNormalization (w, s, a, b, c, g, d, m)
    }""", lambda f: {"w": np.array([[1, 6, 0], [2, 2, 5]], np.int32), "s": np.array([[0, 0, 1], [1, 1, 1]], np.int32), "a": f(7, 4), "b": f(5, 4), "c": f(2, 4),
                     "g": f(4), "d": f(4), "m": np.array([[1, 1, 0], [1, 1, 1]], np.int32)}),
    "embeddings-other-masks": (MICROSOFT, """g (int32[1,3] w, float[7,4] a, float[5,4] b, float[4] g, float[4] d, int32[1,3] m) => (float[1,3,4] y, int32[1] n) {
        y, n = com.microsoft.EmbedLayerNormalization (w, "", a, b, "", g, d, m)
    }""", lambda f: {"w": np.array([[1, 6, 0]], np.int32), "a": f(7, 4), "b": f(5, 4), "g": f(4), "d": f(4), "m": np.array([[1, 2, -1]], np.int32)}),
    "layer-normalisation-of-old-files": ('"" : 12', """g (float[2,3,4] x, float[4] g, float[4] b) => (float[2,3,4] y) {
        y = LayerNormalization <axis = -1, epsilon = 0.01> (x, g, b)
    }""", lambda f: {"x": f(2, 3, 4), "g": f(4), "b": f(4)}),
    "layer-normalisation-broadcast": ('"" : 17', """g (float[2,3,4] x, float[2,1,4] g, float[1] b) => (float[2,3,4] y) {
        y = LayerNormalization <axis = -1> (x, g, b)
    }""", lambda f: {"x": f(2, 3, 4), "g": f(2, 1, 4), "b": f(1)}),
    "batch-normalisation-of-mixed-types": ('"" : 15', """g (float16[2,3,4] x, float16[3] s, float16[3] b, float[3] m, float[3] v) => (float16[2,3,4] y) {
        y = BatchNormalization (x, s, b, m, v)
    }""", lambda f: {"x": f(2, 3, 4).astype(np.float16), "s": f(3).astype(np.float16), "b": f(3).astype(np.float16), "m": f(3), "v": np.abs(f(3))}),
    "heads": (MICROSOFT, """g (float[2,3,8] q, float[2,5,8] k, float[2,5,6] v, float[22] b, int32[2] n) => (float[2,3,6] y) {
        y = com.microsoft.MultiHeadAttention <num_heads = 2, scale = 0.4> (q, k, v, b, n)
    }""", lambda f: {"q": f(2, 3, 8), "k": f(2, 5, 8), "v": f(2, 5, 6), "b": f(22), "n": np.array([5, 3], np.int32)}),
    "heads-past": (MICROSOFT, """g (float[2,3,8] q, float[2,3,8] k, float[2,3,8] v, float[1,2,3,5] a, float[2,2,2,4] p, float[2,2,2,4] r) => (float[2,3,8] y, float[2,2,5,4] s, float[2,2,5,4] t) {
        y, s, t = com.microsoft.MultiHeadAttention <num_heads = 2, unidirectional = 1> (q, k, v, "", "", a, p, r)
    }""", lambda f: {"q": f(2, 3, 8), "k": f(2, 3, 8), "v": f(2, 3, 8), "a": f(1, 2, 3, 5), "p": f(2, 2, 2, 4), "r": f(2, 2, 2, 4)}),
    "self-attention": (MICROSOFT, """g (float[2,3,5] x, float[5,24] w, float[24] b, int32[2,3] m) => (float[2,3,8] y) {
        y = com.microsoft.Attention <num_heads = 2> (x, w, b, m)
    }""", lambda f: {"x": f(2, 3, 5), "w": f(5, 24), "b": f(24), "m": np.array([[1, 1, 0], [1, 1, 1]], np.int32)}),
    "self-attention-past": (MICROSOFT, """g (float[2,3,5] x, float[5,24] w, float[24] b, float[2,2,2,2,4] p) => (float[2,3,8] y, float[2,2,2,5,4] z) {
        y, z = com.microsoft.Attention <num_heads = 2, unidirectional = 1> (x, w, b, "", p)
    }""", lambda f: {"x": f(2, 3, 5), "w": f(5, 24), "b": f(24), "p": f(2, 2, 2, 2, 4)}),
    "narrow-4": (MICROSOFT, """g (float[2,40] x, uint8[3,3,8] w, float[9] s, uint8[6] z) => (float[2,3] y) {
        y = com.microsoft.MatMulNBits <K = 40, N = 3, bits = 4, block_size = 16> (x, w, s, z)
    }""", lambda f: {"x": f(2, 40), "w": (np.abs(f(3, 3, 8)) * 97).astype(np.uint8), "s": f(9), "z": (np.abs(f(6)) * 90).astype(np.uint8)}),
    "narrow-8": (MICROSOFT, """g (float[2,32] x, uint8[3,2,16] w, float[6] s) => (float[2,3] y) {
        y = com.microsoft.MatMulNBits <K = 32, N = 3, bits = 8, block_size = 16> (x, w, s)
    }""", lambda f: {"x": f(2, 32), "w": (np.abs(f(3, 2, 16)) * 97).astype(np.uint8), "s": f(6)}),
    "lstm-bytes": (MICROSOFT, """g (float[3,2,2] x, float[2,2,2] h, float[2,2,2] c) => (float[3,2,2,2] y, float[2,2,2] z)
            <int8[2,2,8] w = {%s}, int8[2,2,8] r = {%s}, float[2] a = {0.01, 0.02}, int8[2] b = {1, -2}> {
        y, z = com.microsoft.DynamicQuantizeLSTM <hidden_size = 2, direction = "bidirectional"> (x, w, r, "", "", h, c, "", a, b, a, b)
    }""" % (", ".join(str(37 * i % 121 - 60) for i in range(32)), ", ".join(str(53 * i % 121 - 60) for i in range(32))),
                   lambda f: {"x": f(3, 2, 2), "h": f(2, 2, 2), "c": f(2, 2, 2)}),
    "fused-convolution": (MICROSOFT, """g (float[1,2,4,4] x, float[2,2,3,3] w, float[2] b, float[1,2,4,4] z) => (float[1,2,4,4] y) {
        y = com.microsoft.FusedConv <pads = [1, 1, 1, 1], activation = "Clip", activation_params = [-0.5, 2.5]> (x, w, b, z)
    }""", lambda f: {"x": f(1, 2, 4, 4), "w": f(2, 2, 3, 3), "b": f(2), "z": f(1, 2, 4, 4)}),
    "fused-gemm": (MICROSOFT, """g (float[3,2] a, float[3,4] b, float[4] c) => (float[2,4] y) {
        y = com.microsoft.FusedGemm <transA = 1, alpha = 0.5, beta = 2.0, activation = "LeakyRelu", activation_alpha = 0.2> (a, b, c)
    }""", lambda f: {"a": f(3, 2), "b": f(3, 4), "c": f(4)}),
    "fused-matmul": (MICROSOFT, """g (float[2,3,4] a, float[2,5,4] b) => (float[2,3,5] y) {
        y = com.microsoft.FusedMatMul <transB = 1, alpha = 0.3> (a, b)
    }""", lambda f: {"a": f(2, 3, 4), "b": f(2, 5, 4)}),
    "pooled-bytes": (MICROSOFT, """g (uint8[1,2,5,5] x) => (uint8[1,2,3,3] y) <float a = {0.05}, uint8 b = {120}, float c = {0.04}, uint8 d = {130}> {
        y = com.microsoft.QLinearAveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (x, a, b, c, d)
    }""", lambda f: {"x": (f(1, 2, 5, 5) * 40 + 128).clip(0, 255).astype(np.uint8)}),
    "pooled-bytes-last": (MICROSOFT, """g (uint8[2,3,4,2] x) => (uint8[2,1,1,2] y) <float a = {0.05}, uint8 b = {120}, float c = {0.03}, uint8 d = {128}> {
        y = com.microsoft.QLinearGlobalAveragePool <channels_last = 1> (x, a, b, c, d)
    }""", lambda f: {"x": (f(2, 3, 4, 2) * 40 + 128).clip(0, 255).astype(np.uint8)}),
    "joined-bytes": (MICROSOFT, """g (uint8[2,3] x, uint8[2,2] z) => (uint8[2,5] y) <float a = {0.05}, uint8 b = {120}, float c = {0.03}, uint8 d = {128}, float e = {0.06}, uint8 h = {100}> {
        y = com.microsoft.QLinearConcat <axis = 1> (e, h, x, a, b, z, c, d)
    }""", lambda f: {"x": (f(2, 3) * 40 + 128).clip(0, 255).astype(np.uint8), "z": (f(2, 2) * 40 + 128).clip(0, 255).astype(np.uint8)}),
    "rounded-product": (MICROSOFT, """g (float[2,3] a, uint8[3,2] b, float[2] c) => (float[2,2] y) <float s = {0.02}, uint8 z = {110}> {
        y = com.microsoft.DynamicQuantizeMatMul (a, b, s, z, c)
    }""", lambda f: {"a": f(2, 3), "b": (f(3, 2) * 40 + 128).clip(0, 255).astype(np.uint8), "c": f(2)}),
    "quantised-gemm": (MICROSOFT, """g (uint8[2,3] x) => (uint8[3,4] y) <float s = {0.03}, uint8 z = {120}, int8[4,2] w = {5, -7, 100, 3, -128, 127, 9, 0}, float[4] t = {0.02, 0.01, 0.03, 0.005}, int8[4] v = {0, 2, -1, 3}, int32[4] b = {300, -200, 50, 0}, float r = {0.1}, uint8 o = {128}> {
        y = com.microsoft.QGemm <transA = 1, transB = 1, alpha = 0.5> (x, s, z, w, t, v, b, r, o)
    }""", lambda f: {"x": np.uint8([[0, 255, 100], [120, 130, 7]])}),
    "quantised-gemm-floats": (MICROSOFT, """g (uint8[2,3] x) => (float[2,2] y) <float s = {0.03}, uint8 z = {120}, uint8[3,2] w = {5, 7, 100, 3, 255, 0}, float t = {0.02}, uint8 v = {100}> {
        y = com.microsoft.QGemm (x, s, z, w, t, v)
    }""", lambda f: {"x": np.uint8([[0, 255, 100], [120, 130, 7]])}),
    "quantised-softmax": (MICROSOFT, """g (uint8[2,2,3] x) => (uint8[2,2,3] y, uint8[2,2,3] k, uint8[2,2,3] v) <float s = {0.05}, uint8 z = {120}, float r = {0.00390625}, uint8 o = {0}> {
        y = com.microsoft.QLinearSoftmax <opset = 13> (x, s, z, r, o)
        k = com.microsoft.QLinearSoftmax <opset = 13, axis = 1> (x, s, z, r, o)
        v = com.microsoft.QLinearSoftmax <opset = 12, axis = 1> (x, s, z, r, o)
    }""", lambda f: {"x": np.uint8([[[0, 255, 250], [120, 130, 107]], [[10, 20, 30], [100, 101, 102]]])}),
    "no-range": ('"" : 17', """g (float[3] x) => (uint8[3] y, float s, uint8 z) {
        y, s, z = DynamicQuantizeLinear (x)
    }""", lambda f: {"x": np.zeros(3, np.float32)}),
    # --- ai.onnx.ml ---
    "linear-regressor": (LEARNING, """g (float[4,3] x) => (float[4,2] y) {
        y = ai.onnx.ml.LinearRegressor <coefficients = [0.3, -0.2, 0.5, 0.1, 0.7, -0.4], intercepts = [0.1, -0.2], targets = 2> (x)
    }""", lambda f: {"x": f(4, 3)}),
    "linear-classifier": (LEARNING, """g (float[4,2] x) => (int64[4] y, float[4,3] z) {
        y, z = ai.onnx.ml.LinearClassifier <coefficients = [0.3, -0.2, 0.5, 0.1, 0.7, -0.4], intercepts = [0.1, -0.2, 0.05], classlabels_ints = [5, 9, 4], post_transform = "SOFTMAX"> (x)
    }""", lambda f: {"x": f(4, 2)}),
    "linear-classifier-binary": (LEARNING, """g (float[4,2] x) => (int64[4] y, float[4,2] z) {
        y, z = ai.onnx.ml.LinearClassifier <coefficients = [1.3, -0.2], intercepts = [-0.1], classlabels_ints = [5, 9], post_transform = "LOGISTIC"> (x)
    }""", lambda f: {"x": f(4, 2)}),
    "linear-zeros": (LEARNING, """g (float[4,2] x) => (int64[4] y, float[4,3] z) {
        y, z = ai.onnx.ml.LinearClassifier <coefficients = [0.3, -0.2, 0.0, 0.0, 0.7, -0.4], intercepts = [0.1, 0.0, 0.05], classlabels_ints = [5, 9, 4], post_transform = "SOFTMAX_ZERO"> (x)
    }""", lambda f: {"x": f(4, 2)}),
    "linear-probit": (LEARNING, """g (float[4,2] x) => (float[4,1] y) {
        y = ai.onnx.ml.LinearRegressor <coefficients = [0.03, -0.02], intercepts = [0.6], post_transform = "PROBIT"> (x)
    }""", lambda f: {"x": f(4, 2)}),
    "linear-one-target": (LEARNING, """g (float[4,2] x) => (float[4,1] y) {
        y = ai.onnx.ml.LinearRegressor <coefficients = [0.3, -0.2], intercepts = [0.6], post_transform = "LOGISTIC"> (x)
    }""", lambda f: {"x": f(4, 2)}),
    "tree-of-numbers": (LEARNING, """g (float[4,1] x) => (float[4,1] y) {
        y = ai.onnx.ml.TreeEnsembleRegressor <nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_values = [0.5, 0.0, 0.0], nodes_truenodeids = [1, 0, 0],
                             nodes_falsenodeids = [2, 0, 0], nodes_modes = ["BRANCH_NEQ", "LEAF", "LEAF"], n_targets = 1, target_treeids = [0, 0], target_nodeids = [1, 2],
                             target_ids = [0, 0], target_weights = [0.25, 2.0], post_transform = "SOFTMAX"> (x)
    }""", lambda f: {"x": np.array([[0.5], [1], [np.nan], [-3]], np.float32)}),
    "features": (LEARNING, """g (float[3,2] x, int64[3,1] k) => (float[3,2] a, float[3,2] b, float[3,2] c, float[3,2] d, float[3,1] e, float[3,5] h) <int64[1] i = {1}> {
        a = ai.onnx.ml.Scaler <offset = [0.5, -1.0], scale = [2.0, 0.25]> (x)
        b = ai.onnx.ml.Normalizer <norm = "L2"> (x)
        c = ai.onnx.ml.Normalizer <norm = "L1"> (x)
        d = ai.onnx.ml.Binarizer <threshold = 0.2> (x)
        e = ai.onnx.ml.ArrayFeatureExtractor (x, i)
        h = ai.onnx.ml.FeatureVectorizer <inputdimensions = [2, 3]> (x, x)
    }""", lambda f: {"x": f(3, 2), "k": np.array([[3], [7], [4]], np.int64)}),
    "encoders": (LEARNING, """g (float[2,3] x, int64[4] k) => (float[2,3] a, float[4,3] b, float[4] c, int64[4] d) {
        a = ai.onnx.ml.Imputer <imputed_value_floats = [5.0, 6.0, 7.0], replaced_value_float = 2.0> (x)
        b = ai.onnx.ml.OneHotEncoder <cats_int64s = [4, 7, 3], zeros = 1> (k)
        c = ai.onnx.ml.LabelEncoder <keys_int64s = [3, 7], values_floats = [0.5, 1.5], default_float = -2.5> (k)
        d = ai.onnx.ml.LabelEncoder <keys_int64s = [3, 7], values_int64s = [30, 70], default_int64 = 9> (k)
    }""", lambda f: {"x": np.array([[2, 1, 2], [0, 2, 3]], np.float32), "k": np.array([3, 7, 4, 1], np.int64)}),
    "trees": (LEARNING, """g (float[6,3] x) => (float[6,2] y) {
        y = ai.onnx.ml.TreeEnsembleRegressor <nodes_treeids = [0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2, 3, 4], nodes_featureids = [0, 0, 0, 1, 2, 0, 0, 0], nodes_values = [0.0, 0.0, 0.0, 0.5, 0.1, 0.0, 0.0, 0.0],
                             nodes_truenodeids = [1, 0, 0, 1, 3, 0, 0, 0], nodes_falsenodeids = [2, 0, 0, 2, 4, 0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT", "BRANCH_GTE", "LEAF", "LEAF", "LEAF"], n_targets = 2,
                             target_treeids = [0, 0, 1, 1, 1], target_nodeids = [1, 2, 2, 3, 4], target_ids = [0, 1, 0, 1, 0], target_weights = [0.1, 0.4, 0.2, 0.3, -0.6]> (x)
    }""", lambda f: {"x": np.concatenate([f(4, 3), [[0, 0.5, 0.1], [np.nan, np.nan, np.nan]]]).astype(np.float32)}),
    "trees-turned": (LEARNING, """g (float[6,3] x) => (float[6,1] y) {
        y = ai.onnx.ml.TreeEnsembleRegressor <nodes_treeids = [0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2, 3, 4], nodes_featureids = [0, 0, 0, 1, 2, 0, 0, 0], nodes_values = [0.0, 0.0, 0.0, 0.5, 0.1, 0.0, 0.0, 0.0],
                             nodes_truenodeids = [1, 0, 0, 1, 3, 0, 0, 0], nodes_falsenodeids = [2, 0, 0, 2, 4, 0, 0, 0], nodes_modes = ["BRANCH_GT", "LEAF", "LEAF", "BRANCH_EQ", "BRANCH_NEQ", "LEAF", "LEAF", "LEAF"], nodes_missing_value_tracks_true = [1, 0, 0, 0, 1, 0, 0, 0], n_targets = 1, aggregate_function = "MAX", base_values = [0.5],
                             target_treeids = [0, 0, 1, 1, 1], target_nodeids = [1, 2, 2, 3, 4], target_ids = [0, 0, 0, 0, 0], target_weights = [0.1, 0.4, 0.2, 0.3, -0.6]> (x)
    }""", lambda f: {"x": np.concatenate([f(3, 3), [[0, 0.5, 0.1], [1, 0.5, 3], [np.nan, np.nan, np.nan]]]).astype(np.float32)}),
    "trees-classes": (LEARNING, """g (float[6,3] x) => (int64[6] y, float[6,3] z) {
        y, z = ai.onnx.ml.TreeEnsembleClassifier <nodes_treeids = [0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2, 3, 4], nodes_featureids = [0, 0, 0, 1, 2, 0, 0, 0], nodes_values = [0.0, 0.0, 0.0, 0.5, 0.1, 0.0, 0.0, 0.0],
                             nodes_truenodeids = [1, 0, 0, 1, 3, 0, 0, 0], nodes_falsenodeids = [2, 0, 0, 2, 4, 0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT", "BRANCH_GTE", "LEAF", "LEAF", "LEAF"], classlabels_int64s = [5, 9, 4], post_transform = "SOFTMAX",
                             class_treeids = [0, 0, 1, 1, 1], class_nodeids = [1, 2, 2, 3, 4], class_ids = [0, 1, 2, 1, 0], class_weights = [0.1, 0.4, 0.2, 0.3, 0.6]> (x)
    }""", lambda f: {"x": f(6, 3)}),
    "trees-binary": (LEARNING, """g (float[6,3] x) => (int64[6] y, float[6,2] z) {
        y, z = ai.onnx.ml.TreeEnsembleClassifier <nodes_treeids = [0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2, 3, 4], nodes_featureids = [0, 0, 0, 1, 2, 0, 0, 0], nodes_values = [0.0, 0.0, 0.0, 0.5, 0.1, 0.0, 0.0, 0.0],
                             nodes_truenodeids = [1, 0, 0, 1, 3, 0, 0, 0], nodes_falsenodeids = [2, 0, 0, 2, 4, 0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT", "BRANCH_GTE", "LEAF", "LEAF", "LEAF"], classlabels_int64s = [5, 9], post_transform = "LOGISTIC", base_values = [0.1],
                             class_treeids = [0, 0, 1, 1, 1], class_nodeids = [1, 2, 2, 3, 4], class_ids = [0, 0, 0, 0, 0], class_weights = [0.1, -0.4, 0.2, 0.3, -0.6]> (x)
    }""", lambda f: {"x": f(6, 3)}),
    "trees-probabilities": (LEARNING, """g (float[6,3] x) => (int64[6] y, float[6,2] z) {
        y, z = ai.onnx.ml.TreeEnsembleClassifier <nodes_treeids = [0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2, 3, 4], nodes_featureids = [0, 0, 0, 1, 2, 0, 0, 0], nodes_values = [0.0, 0.0, 0.0, 0.5, 0.1, 0.0, 0.0, 0.0],
                             nodes_truenodeids = [1, 0, 0, 1, 3, 0, 0, 0], nodes_falsenodeids = [2, 0, 0, 2, 4, 0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LT", "BRANCH_GTE", "LEAF", "LEAF", "LEAF"], classlabels_int64s = [5, 9],
                             class_treeids = [0, 0, 1, 1, 1], class_nodeids = [1, 2, 2, 3, 4], class_ids = [0, 0, 0, 0, 0], class_weights = [0.1, 0.4, 0.2, 0.3, 0.6]> (x)
    }""", lambda f: {"x": f(6, 3)}),
    "trees-sets": ('"" : 17, "ai.onnx.ml" : 5', """g (float[6,1] x) => (float[6,4] y) {
        y = ai.onnx.ml.TreeEnsemble <n_targets = 4, aggregate_function = 1, tree_roots = [0], nodes_modes = uint8[3] {0, 6, 6}, nodes_featureids = [0, 0, 0],
                             nodes_splits = float[3] {11.0, 232344.0, 0.0}, membership_values = float[7] {1.5, 3.75, 8.0, 9.0, nan, 12.0, nan}, nodes_truenodeids = [1, 0, 1],
                             nodes_trueleafs = [0, 1, 1], nodes_falsenodeids = [2, 2, 3], nodes_falseleafs = [1, 0, 1], leaf_targetids = [0, 1, 2, 3],
                             leaf_weights = float[4] {1.0, 10.0, 1000.0, 100.0}> (x)
    }""", lambda f: {"x": np.array([[1.5], [3.4], [-0.12], [8], [12], [7]], np.float32)}),
    # --- What ONNX Runtime lacks ---
    "flex-attention": ('"" : 22, "ai.onnx.preview" : 1', """g (float[2,4,3,5] q, float[2,2,6,5] k, float[2,2,6,4] v) => (float[2,4,3,4] y) {
        y = ai.onnx.preview.FlexAttention <scale = 0.6, score_mod = s (float[a,b,c,d] x) => (float[a,b,c,d] z) { z = Tanh (x) },
                                           prob_mod = p (float[a,b,c,d] x) => (float[a,b,c,d] z) { z = Mul (x, x) }> (q, k, v)
    }""", lambda f: {"q": f(2, 4, 3, 5), "k": f(2, 2, 6, 5), "v": f(2, 2, 6, 4)}),
    "flex-attention-probabilities": ('"" : 22, "ai.onnx.preview" : 1', """g (float[1,2,3,5] q, float[1,2,6,5] k, float[1,2,6,4] v) => (float[1,2,3,4] y) {
        y = ai.onnx.preview.FlexAttention <prob_mod = p (float[a,b,c,d] x) => (float[a,b,c,d] z) { z = Mul (x, x) }> (q, k, v)
    }""", lambda f: {"q": f(1, 2, 3, 5), "k": f(1, 2, 6, 5), "v": f(1, 2, 6, 4)}),
    "adagrad": (TRAINING, """g (float r, int64 t, float[2] x, float[3] z, float[2] d, float[3] e, float[2] h, float[3] k) => (float[2] a, float[3] b, float[2] c, float[3] f) {
        a, b, c, f = ai.onnx.preview.training.Adagrad <norm_coefficient = 0.1, epsilon = 0.01, decay_factor = 0.2> (r, t, x, z, d, e, h, k)
    }""", lambda f: {"r": np.array(0.3, np.float32), "t": np.array(2), "x": f(2), "z": f(3), "d": f(2), "e": f(3), "h": np.abs(f(2)), "k": np.abs(f(3))}),
    "adam": (TRAINING, """g (float r, int64 t, float[2] x, float[2] d, float[2] v, float[2] h) => (float[2] a, float[2] b, float[2] c) {
        a, b, c = ai.onnx.preview.training.Adam <norm_coefficient = 0.1, alpha = 0.8, beta = 0.9, norm_coefficient_post = 0.05> (r, t, x, d, v, h)
    }""", lambda f: {"r": np.array(0.3, np.float32), "t": np.array(2), "x": f(2), "d": f(2), "v": f(2), "h": np.abs(f(2))}),
    "momentum": (TRAINING, """g (float r, int64 t, float[2] x, float[2] d, float[2] v) => (float[2] a, float[2] b) {
        a, b = ai.onnx.preview.training.Momentum <norm_coefficient = 0.1, alpha = 0.8, beta = 0.6, mode = "nesterov"> (r, t, x, d, v)
    }""", lambda f: {"r": np.array(0.3, np.float32), "t": np.array(2), "x": f(2), "d": f(2), "v": f(2)}),
}


def run(model, inputs):
    if any(o.domain.startswith("ai.onnx.preview") for o in model.opset_import):
        results = ReferenceEvaluator(model).run(None, inputs)  # which may compute in float64
        return [r.astype(np.float32) if r.dtype == np.float64 else r for r in map(np.asarray, results)]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # dynamic quantisation depends on how rows are shared out
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, inputs)


def main():
    for name, (opsets, text, make) in CASES.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        model = parser.parse_model("<ir_version: 8, opset_import: [%s]>\n%s" % (opsets, text))
        inputs = make(maker(name))
        arrays = dict(inputs)
        arrays.update({"=%d" % i: np.asarray(value) for i, value in enumerate(run(model, inputs))})
        save(model, os.path.join(sys.argv[1], name + ".onnx"))
        np.savez(os.path.join(sys.argv[1], name + ".npz"), **arrays)


if __name__ == "__main__":
    main()
