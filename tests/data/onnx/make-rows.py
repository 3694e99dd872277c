#!/usr/bin/env python3
"""Writes rows.txt: single nodes of ONNX with inputs, and the outputs that onnx.reference computes.

usage: tests/data/onnx/make-rows.py > tests/data/onnx/rows.txt

A case is a line “opset N”, inputs “x: TYPE = NUMBERS”, initialisers “a = TYPE NUMBERS”, a node, and results
“= TYPE NUMBERS” in the order of the node's outputs.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np
import onnx
from onnx import helper, TensorProto
from onnx.reference import ReferenceEvaluator

TYPES = {"float": (TensorProto.FLOAT, np.float32), "int64": (TensorProto.INT64, np.int64), "int32": (TensorProto.INT32, np.int32),
         "bool": (TensorProto.BOOL, np.bool_), "uint8": (TensorProto.UINT8, np.uint8), "int8": (TensorProto.INT8, np.int8), "int16": (TensorProto.INT16, np.int16),
         "uint64": (TensorProto.UINT64, np.uint64)}

# Opset, inputs (type[shape], random), initialisers, node.
F = "float[2,3]"
CASES = [(13, {"x": F}, {}, "y = %s x" % op) for op in
         "Abs Ceil Cos Erf Exp Floor Neg Relu Round Sigmoid Sign Sin Softplus Softsign Tanh Elu Selu LeakyRelu HardSigmoid Identity "
         "ThresholdedRelu LogSoftmax Softmax Celu HardSwish Atan Sinh Shrink Transpose Flatten ReduceMean ReduceMax ReduceL1 ReduceL2 "
         "ReduceLogSumExp ReduceSumSquare ReduceProd ReduceMin ReduceSum".split() if op != "HardSwish"]
CASES += [(14, {"x": F}, {}, "y = HardSwish x"), (18, {"x": F}, {}, "y = Mish x"), (20, {"x": F}, {}, "y = Gelu x"),
          (20, {"x": F}, {}, "y = Gelu x | approximate=tanh")]
CASES += [(13, {"x": F, "z": "float[3]"}, {}, "y = %s x, z" % op) for op in "Add Sub Mul Div Min Max Equal Greater LessOrEqual Sum Mean PRelu".split()]
CASES += [
    (13, {"x": "int64[4]", "z": "int64[4]"}, {}, "y = Div x, z"),
    (13, {"x": "int64[4]", "z": "int64[4]"}, {}, "y = Mod x, z"),
    (13, {"x": "int64[4]", "z": "int64[4]"}, {}, "y = Mod x, z | fmod=1"),
    (13, {"x": F}, {"a": "float[] -0.5", "b": "float[] 0.5"}, "y = Clip x, a, b"),
    (13, {"x": F}, {"b": "float[] 0.5"}, "y = Clip x, _, b"),
    (13, {"x": F, "z": F}, {"c": "bool[2,3] 1 0 1 0 1 0"}, "y = Where c, x, z"),
    (13, {"x": F}, {}, "y = Cast x | to=6"),
    (13, {"x": F}, {}, "y = Softmax x | axis=0"),
    (13, {"x": F}, {}, "y = Hardmax x"),
    (13, {"x": F}, {}, "y = ArgMax x | axis=1 keepdims=0"),
    (13, {"x": F}, {}, "y = ArgMin x | axis=0 select_last_index=1"),
    (13, {"x": "float[2,5]"}, {"k": "int64[1] 3"}, "y, z = TopK x, k"),
    (13, {"x": "float[2,5]"}, {"k": "int64[1] 2"}, "y, z = TopK x, k | largest=0 axis=1"),
    (14, {"x": "float[2,4]"}, {"a": "int64[] 1"}, "y = CumSum x, a | exclusive=1 reverse=1"),
    (13, {"x": F}, {"a": "int64[1] 0"}, "y = ReduceSum x, a | keepdims=0"),
    (18, {"x": F}, {"a": "int64[1] -1"}, "y = ReduceMean x, a"),
    (18, {"x": F}, {}, "y = ReduceMax x | noop_with_empty_axes=1"),
    (15, {"x": "float[2,3,4]"}, {}, "y = Shape x | start=1 end=-1"),
    (13, {"x": F}, {"s": "int64[2] 3 -1"}, "y = Reshape x, s"),
    (13, {"x": F}, {"s": "int64[3] 0 1 -1"}, "y = Reshape x, s"),
    (13, {"x": "float[1,3,1]"}, {"a": "int64[1] 0"}, "y = Squeeze x, a"),
    (13, {"x": F}, {"a": "int64[2] 0 -1"}, "y = Unsqueeze x, a"),
    (13, {"x": "float[2,3,4]"}, {}, "y = Transpose x | perm=[2,0,1]"),
    (13, {"x": F, "z": F}, {}, "y = Concat x, z | axis=-1"),
    (13, {"x": "float[2,6]"}, {"s": "int64[2] 2 4"}, "y, z = Split x, s | axis=1"),
    (13, {"x": "float[5,4]"}, {"a": "int64[2] -1 0", "b": "int64[2] -6 2", "c": "int64[2] 0 1", "d": "int64[2] -2 1"}, "y = Slice x, a, b, c, d"),
    (13, {"x": F}, {"i": "int64[2] -1 0"}, "y = Gather x, i | axis=1"),
    (13, {"x": F}, {"i": "int64[2,2] 0 2 1 -1"}, "y = GatherElements x, i | axis=1"),
    (13, {"x": "float[2,3,2]"}, {"i": "int64[2,2] 0 1 1 2"}, "y = GatherND x, i"),
    (13, {"x": "float[2,2,2]"}, {"i": "int64[2,1] 1 0"}, "y = GatherND x, i | batch_dims=1"),
    (16, {"x": F, "u": "float[1,2]"}, {"i": "int64[1,2] 2 0"}, "y = ScatterElements x, i, u | axis=1"),
    (16, {"x": F, "u": "float[1,2]"}, {"i": "int64[1,2] 2 2"}, "y = ScatterElements x, i, u | axis=1 reduction=add"),
    (16, {"x": "float[4,2]", "u": "float[2,2]"}, {"i": "int64[2,1] 3 1"}, "y = ScatterND x, i, u"),
    (13, {"x": "float[1,3]"}, {"s": "int64[2] 2 1"}, "y = Expand x, s"),
    (13, {"x": F}, {"r": "int64[2] 1 2"}, "y = Tile x, r"),
    (13, {"x": F}, {"p": "int64[4] 0 1 1 0"}, "y = Pad x, p"),
    (13, {"x": F}, {"p": "int64[4] 0 1 0 1"}, "y = Pad x, p | mode=reflect"),
    (13, {}, {"a": "int64[] 1", "b": "int64[] 8", "c": "int64[] 3"}, "y = Range a, b, c"),
    (13, {}, {"s": "int64[2] 2 3"}, "y = ConstantOfShape s"),
    (13, {"x": F}, {}, "y = EyeLike x | k=1"),
    (13, {}, {"i": "int64[3] 1 -1 5", "d": "int64[] 4", "v": "float[2] 2 7"}, "y = OneHot i, d, v"),
    (14, {"x": "float[3,4]"}, {}, "y = Trilu x | upper=0"),
    (13, {"x": "float[3,4]"}, {"c": "bool[3] 1 0 1"}, "y = Compress x, c | axis=0"),
    (13, {"x": "float[1,4,2,2]"}, {}, "y = DepthToSpace x | blocksize=2 mode=CRD"),
    (13, {"x": "float[1,1,2,4]"}, {}, "y = SpaceToDepth x | blocksize=2"),
    (13, {"x": "float[4,2]"}, {"l": "int64[2] 3 2"}, "y = ReverseSequence x, l"),
    (13, {"x": "float[2,3]", "w": "float[3,4]"}, {}, "y = MatMul x, w"),
    (13, {"x": "float[3,2]", "w": "float[4,3]", "c": "float[4]"}, {}, "y = Gemm x, w, c | transA=1 transB=1 alpha=0.5 beta=2.0"),
    (13, {"x": "float[2,3]", "w": "float[3,4]"}, {}, "y = Einsum x, w | equation=ij,jk->ki"),
    (13, {"x": "float[1,2,5,5]", "w": "float[3,2,3,3]", "b": "float[3]"}, {}, "y = Conv x, w, b | pads=[1,0,0,1] strides=[2,2]"),
    (13, {"x": "float[1,2,6]", "w": "float[2,1,3]"}, {}, "y = Conv x, w | group=2 dilations=[2]"),
    (13, {"x": "float[1,2,3,3]", "w": "float[2,1,3,3]"}, {}, "y = ConvTranspose x, w | strides=[2,2] output_padding=[1,1]"),
    (13, {"x": "float[1,1,5,5]"}, {}, "y = MaxPool x | kernel_shape=[3,3] strides=[2,2] ceil_mode=1"),
    (13, {"x": "float[1,1,5,5]"}, {}, "y = AveragePool x | kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2]"),
    (13, {"x": "float[1,1,4,4]"}, {}, "y = AveragePool x | kernel_shape=[2,2] auto_pad=SAME_LOWER"),
    (13, {"x": "float[1,2,3,3]"}, {}, "y = GlobalAveragePool x"),
    (15, {"x": "float[2,3,2]", "s": "float[3]", "b": "float[3]", "m": "float[3]"}, {"v": "float[3] 1 0.5 2"}, "y = BatchNormalization x, s, b, m, v"),
    (13, {"x": "float[2,3,4]", "s": "float[3]", "b": "float[3]"}, {}, "y = InstanceNormalization x, s, b"),
    (17, {"x": "float[2,3,4]", "s": "float[4]", "b": "float[4]"}, {}, "y = LayerNormalization x, s, b"),
    (13, {"x": "float[4,2,3]", "w": "float[1,8,3]", "r": "float[1,8,2]", "b": "float[1,16]"}, {}, "y, h, c = LSTM x, w, r, b | hidden_size=2"),
    (13, {"x": "float[4,2,3]", "w": "float[1,6,3]", "r": "float[1,6,2]", "b": "float[1,12]"}, {}, "y, h = GRU x, w, r, b | hidden_size=2 linear_before_reset=1"),
    (13, {"x": "float[4,2,3]", "w": "float[1,2,3]", "r": "float[1,2,2]"}, {}, "y, h = RNN x, w, r | hidden_size=2"),
    (13, {"x": "float[2,3]"}, {"s": "float[] 0.1", "z": "uint8[] 128"}, "y = QuantizeLinear x, s, z"),
    (13, {"x": "float[3,2]"}, {"s": "float[3] 0.1 0.2 0.3", "z": "int8[3] 0 1 -1"}, "y = QuantizeLinear x, s, z | axis=0"),
    (19, {}, {"x": "int8[3] -128 0 127", "s": "float[] 0.5", "z": "int8[] 3"}, "y = DequantizeLinear x, s, z"),
    (11, {"x": "float[2,3]"}, {}, "y, s, z = DynamicQuantizeLinear x"),
    (13, {"x": "float[1,1,2,2]"}, {"e": "float[0]", "s": "float[4] 1 1 2 2"}, "y = Resize x, e, s | mode=nearest"),
    (13, {"x": "float[1,1,2,3]"}, {"e": "float[0]", "s": "float[4] 1 1 2 2"}, "y = Resize x, e, s | mode=linear"),
    (13, {"x": "float[1,1,4,4]"}, {"e": "float[0]", "s": "float[0]", "z": "int64[4] 1 1 3 2"}, "y = Resize x, e, s, z | mode=linear coordinate_transformation_mode=align_corners"),
    (13, {"x": F, "z": F}, {}, "y = Mod x, z | fmod=1"),
    (13, {"x": F}, {"z": "float[3] 0.5 -0.7 0"}, "y = Mod x, z"),
]
LOSS = [
    (13, {"x": "float[3,4]"}, {"t": "int64[3] 0 3 1"}, "y = NegativeLogLikelihoodLoss x, t"),
    (13, {"x": "float[3,4]", "w": "float[4]"}, {"t": "int64[3] 0 3 1"}, "y = NegativeLogLikelihoodLoss x, t, w | reduction=sum"),
    (13, {"x": "float[2,3,2]", "w": "float[3]"}, {"t": "int64[2,2] 0 2 1 1"}, "y = NegativeLogLikelihoodLoss x, t, w | reduction=none ignore_index=1"),
    (13, {"x": "float[2,3,2,2]"}, {"t": "int32[2,2,2] 0 2 1 1 -2 2 0 -2"}, "y = NegativeLogLikelihoodLoss x, t | ignore_index=-2"),
    (13, {"x": "float[3,4]"}, {"t": "int64[3] 0 3 1"}, "y, z = SoftmaxCrossEntropyLoss x, t"),
    (13, {"x": "float[3,4]"}, {"t": "int64[3] 0 3 1", "w": "float[4] 1 2 0.5 3"}, "y, z = SoftmaxCrossEntropyLoss x, t, w | ignore_index=3"),
    (13, {"x": "float[2,3,2]"}, {"t": "int64[2,2] 0 2 1 1"}, "y = SoftmaxCrossEntropyLoss x, t | reduction=none"),
]
Q, K, V = "float[2,4,3,6]", "float[2,2,5,6]", "float[2,2,5,4]"
ATTENTION = [
    (23, {"q": "float[1,2,3,4]", "k": "float[1,2,5,4]", "v": "float[1,2,5,4]"}, {}, "y = Attention q, k, v"),
    (23, {"q": Q, "k": K, "v": V}, {}, "y, p, r, z = Attention q, k, v | is_causal=1 scale=0.7"),
    (23, {"q": "float[2,3,8]", "k": "float[2,5,4]", "v": "float[2,5,6]"}, {}, "y = Attention q, k, v | q_num_heads=4 kv_num_heads=2"),
    (23, {"q": Q, "k": K, "v": V}, {"m": "bool[3,5] 1 0 1 0 1 0 1 1 1 1 0 0 0 0 0"}, "y, p, r, z = Attention q, k, v, m | qk_matmul_output_mode=3"),
    (23, {"q": Q, "k": K, "v": V, "m": "float[2,1,3,4]"}, {}, "y, p, r, z = Attention q, k, v, m | softcap=2.0 qk_matmul_output_mode=2"),
    (23, {"q": Q, "k": "float[2,2,3,6]", "v": "float[2,2,3,4]", "p": "float[2,2,2,6]", "r": "float[2,2,2,4]"}, {},
     "y, s, t, z = Attention q, k, v, _, p, r | is_causal=1 softcap=1.5 qk_matmul_output_mode=1"),
    (24, {"q": Q, "k": K, "v": V}, {"n": "int64[2] 3 5"}, "y = Attention q, k, v, _, _, _, n | is_causal=1"),
    (25, {"q": Q, "k": K, "v": V}, {}, "y = Attention q, k, v | left_window_size=1 right_window_size=2"),
    (23, {"x": "float[2,3,8]", "c": "float[2,3,2]", "s": "float[2,3,2]"}, {}, "y = RotaryEmbedding x, c, s | num_heads=2"),
    (23, {"x": "float[1,2,3,6]", "c": "float[5,2]", "s": "float[5,2]"}, {"i": "int64[1,3] 4 0 2"},
     "y = RotaryEmbedding x, c, s, i | interleaved=1 rotary_embedding_dim=4"),
    (27, {"q": "float[2,3,8]", "k": "float[2,3,4]", "v": "float[2,3,6]"}, {}, "y, s = LinearAttention q, k, v | q_num_heads=4 kv_num_heads=2 update_rule=linear"),
    (27, {"q": "float[2,3,8]", "k": "float[2,3,4]", "v": "float[2,3,6]", "p": "float[2,2,2,3]", "d": "float[2,3,4]", "b": "float[2,3,1]"}, {},
     "y, s = LinearAttention q, k, v, p, d, b | q_num_heads=4 kv_num_heads=2 scale=0.5"),
    (27, {"x": "float[2,3,5]", "w": "float[3,1,3]", "b": "float[3]", "p": "float[2,3,2]"}, {}, "y, s = CausalConvWithState x, w, b, p | activation=silu"),
    (27, {"x": "float[2,3,5]", "w": "float[3,1,3]"}, {}, "y, s = CausalConvWithState x, w"),
    (28, {"x": F, "z": F}, {}, "y = SwiGLU x, z | alpha=0.5"),
]
IMAGES = [
    (20, {"x": "float[2,3,4,5]", "g": "float[2,2,3,2]"}, {}, "y = GridSample x, g"),
    (20, {"x": "float[1,2,4,5]", "g": "float[1,2,3,2]"}, {}, "y = GridSample x, g | mode=nearest padding_mode=border"),
    (20, {"x": "float[1,2,4,5]", "g": "float[1,3,3,2]"}, {}, "y = GridSample x, g | mode=cubic padding_mode=reflection align_corners=1"),
    (20, {"x": "float[1,2,3,4,2]", "g": "float[1,2,2,2,3]"}, {}, "y = GridSample x, g | padding_mode=reflection"),
    (20, {"x": "float[2,2,3]"}, {"s": "int64[4] 2 1 3 2"}, "y = AffineGrid x, s"),
    (20, {"x": "float[1,3,4]"}, {"s": "int64[5] 1 1 2 3 2"}, "y = AffineGrid x, s | align_corners=1"),
    (18, {"x": "float[5,4]"}, {"s": "int64[2] 2 7"}, "y = CenterCropPad x, s"),
    (18, {"x": "float[5,4,3]"}, {"s": "int64[2] 6 2"}, "y = CenterCropPad x, s | axes=[2,-3]"),
    (18, {"x": "float[2,8,6]"}, {"i": "int64[2] 3 4", "b": "int64[2] 2 2"}, "y = Col2Im x, i, b"),
    (18, {"x": "float[1,4,4]"}, {"i": "int64[2] 4 3", "b": "int64[2] 2 2"}, "y = Col2Im x, i, b | pads=[1,0,0,1] strides=[2,1] dilations=[1,2]"),
    (19, {"x": "float[1,2,4,4]", "w": "float[3,2,2,2]", "o": "float[1,8,3,3]", "b": "float[3]", "m": "float[1,4,3,3]"}, {}, "y = DeformConv x, w, o, b, m"),
    (19, {"x": "float[1,2,4,4]", "w": "float[2,1,2,2]", "o": "float[1,16,5,5]"}, {}, "y = DeformConv x, w, o | pads=[1,1,1,1] group=2 offset_group=2"),
    (16, {"x": "float[2,2,6,5]"}, {"r": "float[2,4] 0 1 3.5 4 1 0 4 5", "i": "int64[2] 1 0"}, "y = RoiAlign x, r, i | output_height=2 output_width=3 sampling_ratio=2"),
    (16, {"x": "float[2,2,6,5]"}, {"r": "float[2,4] 0 1 3.5 4 1 0 4 5", "i": "int64[2] 1 0"},
     "y = RoiAlign x, r, i | output_height=2 output_width=3 sampling_ratio=2 mode=max coordinate_transformation_mode=output_half_pixel spatial_scale=0.8"),
    (11, {"x": "float[1,1,2,2]"}, {"i": "int64[1,1,2,2] 5 7 13 15"}, "y = MaxUnpool x, i | kernel_shape=[2,2] strides=[2,2]"),
    (11, {"x": "float[2,3,3]"}, {}, "y = Det x"),
]
SIGNALS = [
    (17, {"x": "float[2,7,1]"}, {}, "y = DFT x | onesided=1"),
    (20, {"x": "float[2,3,5,2]"}, {"n": "int64[] 4", "a": "int64[] -3"}, "y = DFT x, n, a"),
    (20, {"x": "float[2,6,2]"}, {}, "y = DFT x | inverse=1"),
    (20, {"x": "float[2,4,2]"}, {"n": "int64[] 6", "a": "int64[] 1"}, "y = DFT x, n, a | inverse=1 onesided=1"),
    (20, {"x": "float[2,4,2]"}, {"n": "int64[] 7", "a": "int64[] 1"}, "y = DFT x, n, a | inverse=1 onesided=1"),
    (17, {"x": "float[2,11,1]", "w": "float[4]"}, {"s": "int64[] 3"}, "y = STFT x, s, w"),
    (17, {"x": "float[1,9,2]"}, {"s": "int64[] 2", "n": "int64[] 4"}, "y = STFT x, s, _, n | onesided=0"),
    (17, {}, {"n": "int64[] 5"}, "y = HannWindow n"),
    (17, {}, {"n": "int64[] 6"}, "y = HammingWindow n | periodic=0"),
    (17, {}, {"n": "int32[] 5"}, "y = BlackmanWindow n | output_datatype=1"),
    (17, {}, {"a": "int64[] 4", "b": "int64[] 16", "c": "int64[] 8000", "d": "float[] 10", "e": "float[] 3900"}, "y = MelWeightMatrix a, b, c, d, e"),
]
PLACES = [
    (18, {"x": F, "u": "float[1,3]"}, {"i": "int64[1,3] 2 2 0"}, "y = ScatterElements x, i, u | axis=1 reduction=mul"),
    (18, {"x": F, "u": "float[2,2]"}, {"i": "int64[2,2] 2 2 0 -1"}, "y = ScatterElements x, i, u | axis=1 reduction=max"),
    (18, {"x": "float[4,2]", "u": "float[3,2]"}, {"i": "int64[3,1] 3 1 3"}, "y = ScatterND x, i, u | reduction=min"),
    (24, {"x": "float[2,3,4,2]", "u": "float[2,3,2,2]"}, {"i": "int64[2] 1 2"}, "y = TensorScatter x, u, i"),
    (24, {"x": "float[2,4,3]", "u": "float[2,3,3]"}, {"i": "int64[2] 1 3"}, "y = TensorScatter x, u, i | mode=circular axis=1"),
    (26, {"x": "float[2,5]"}, {"a": "int64[] 1"}, "y = CumProd x, a"),
    (26, {"x": "float[3,2]"}, {"a": "int64[] -2"}, "y = CumProd x, a | exclusive=1 reverse=1"),
    (26, {"x": "float[4]"}, {}, "y = BitCast x | to=6"),
    (18, {}, {"x": "int16[3] -5 300 7", "z": "int16[3] 3 -1 256"}, "y = BitwiseXor x, z"),
    (18, {}, {"x": "uint64[3] 5 300 7", "z": "uint64[1] 6"}, "y = BitwiseAnd x, z"),
    (18, {}, {"x": "uint64[0,2]"}, "y = ReduceProd x"),
    (18, {}, {"x": "float[2,0]", "a": "int64[1] 1"}, "y = ReduceMax x, a | keepdims=0"),
    (18, {}, {"x": "float[2,0]", "a": "int64[1] 1"}, "y = ReduceLogSumExp x, a"),
    (15, {"x": "float[2,3,2]", "s": "float[3]", "b": "float[3]", "m": "float[3]"}, {"v": "float[3] 1 0.5 2"},
     "y, p, q = BatchNormalization x, s, b, m, v | training_mode=1 momentum=0.7"),
    (18, {"x": F}, {}, "y = OptionalHasElement x"),
    (18, {}, {}, "y = OptionalHasElement _"),
    (18, {"x": F}, {}, "y = OptionalGetElement x"),
]
CASES += LOSS + ATTENTION + IMAGES + SIGNALS + PLACES
# Offsets that lead between the image and the zeros around it.
CASES.append((19, {"x": "float[1,2,4,4]", "w": "float[2,2,2,2]", "o": "float[1,16,3,3]"}, {}, "y = DeformConv x, w, o | offset_group=2"))
# ceil_mode with and without the last window, padding that differs, and padding that becomes the same by it.
CASES += [
    (13, {"x": "float[1,2,6,5]"}, {}, "y = MaxPool x | kernel_shape=[3,2] strides=[2,1] ceil_mode=1"),
    (13, {"x": "float[1,1,5,5]"}, {}, "y = MaxPool x | kernel_shape=[2,2] strides=[2,2] pads=[1,1,1,1] ceil_mode=1"),
    (13, {"x": "float[1,1,6,5]"}, {}, "y = MaxPool x | kernel_shape=[3,3] strides=[2,2] pads=[1,0,0,0] ceil_mode=1"),
    (19, {"x": "float[1,1,6,6]"}, {}, "y = AveragePool x | kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1"),
    (19, {"x": "float[1,1,6,6]"}, {}, "y = AveragePool x | kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1 count_include_pad=1"),
    (19, {"x": "float[1,1,6]"}, {}, "y = AveragePool x | kernel_shape=[3] strides=[2] pads=[1,0] ceil_mode=1 count_include_pad=1"),
    # An integer that float32 rounds, norms of everything, and running sums without the element itself.
    (13, {}, {"a": "int64[1,2] 33554433 33554437"}, "y = ReduceMean a | axes=[1]"),
    (13, {"x": F}, {}, "y = ReduceL1 x | keepdims=0"),
    (13, {"x": F}, {}, "y = ReduceL2 x | keepdims=0"),
    (13, {"x": F}, {}, "y = ReduceSumSquare x | keepdims=0 axes=[1]"),
    (14, {"x": "float[3,4]"}, {"a": "int64[] 0"}, "y = CumSum x, a | exclusive=1"),
    (14, {"x": "float[3,4]"}, {"a": "int64[] -1"}, "y = CumSum x, a | reverse=1"),
]


def split_type(text):
    name, dims = text.split("[")
    dims = dims.rstrip("]")
    return TYPES[name], [int(d) for d in dims.split(",")] if dims else []


def parse_attribute(text):
    name, value = text.split("=", 1)
    if value[0] == "[":
        return name, [int(v) for v in value[1:-1].split(",")]
    if value[0].isdigit() or value[0] == "-":
        return name, float(value) if "." in value else int(value)
    return name, value


def parse_node(line):
    outputs, rest = line.split(" = ", 1)
    left, _, right = rest.partition(" | ")
    op, _, inputs = left.partition(" ")
    attributes = dict(parse_attribute(a) for a in right.split()) if right else {}
    names = ["" if n == "_" else n for n in inputs.replace(" ", "").split(",") if n]
    return op, names, outputs.replace(" ", "").split(","), attributes


def numbers(array):
    return " ".join("%.9g" % v for v in np.asarray(array, np.float64).reshape(-1))


def type_text(array):
    for name, (_, dtype) in TYPES.items():
        if np.dtype(dtype) == array.dtype:
            return "%s[%s]" % (name, ",".join(map(str, array.shape)))
    raise SystemExit("no name for %s" % array.dtype)


def main():
    rng = np.random.default_rng(7)
    for opset, inputs, fixed, line in CASES:
        op, names, outputs, attributes = parse_node(line)
        feeds, initializers = {}, []
        text = ["opset %d" % opset]
        for name, t in inputs.items():
            (code, dtype), shape = split_type(t)
            value = np.round(rng.normal(size=shape), 2) if dtype == np.float32 else rng.integers(-9, 10, size=shape)
            value = np.where(value == 0, 1, value).astype(dtype)
            feeds[name] = value
            text.append("%s: %s = %s" % (name, t, numbers(value)))
        for name, t in fixed.items():
            words = t.split()
            (code, dtype), shape = split_type(words[0])
            value = np.array([float(w) for w in words[1:]]).astype(dtype).reshape(shape)
            initializers.append(onnx.numpy_helper.from_array(value, name))
            text.append("%s = %s" % (name, t))
        node = helper.make_node(op, names, outputs, **attributes)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(n, split_type(t)[0][0], split_type(t)[1]) for n, t in inputs.items()],
                                  [helper.make_tensor_value_info(o, 0, None) for o in outputs], initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        results = ReferenceEvaluator(model).run(None, feeds)
        text.append(line)
        for r in results:
            r = np.asarray(r)
            text.append("= %s %s" % (type_text(r), numbers(r)))
        print("\n".join(text) + "\n")


main()
