/* list.h — the families of ONNX operators, in alphabetical order.
 *
 * Each line stands for the array hyb_onnx_ops_NAME at the end of NAME.c.  op-find.c includes this file twice, so it has
 * no include guard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

HYB_ONNX_OPS (activation)
HYB_ONNX_OPS (attention)
HYB_ONNX_OPS (branch)
HYB_ONNX_OPS (constant)
HYB_ONNX_OPS (convolution)
HYB_ONNX_OPS (crop)
HYB_ONNX_OPS (elementwise)
HYB_ONNX_OPS (fourier)
HYB_ONNX_OPS (gemm)
HYB_ONNX_OPS (index)
HYB_ONNX_OPS (linear_attention)
HYB_ONNX_OPS (loop)
HYB_ONNX_OPS (loss)
HYB_ONNX_OPS (normalisation)
HYB_ONNX_OPS (pooling)
HYB_ONNX_OPS (quantise)
HYB_ONNX_OPS (recurrent)
HYB_ONNX_OPS (reduce)
HYB_ONNX_OPS (region)
HYB_ONNX_OPS (resize)
HYB_ONNX_OPS (rotary)
HYB_ONNX_OPS (sample)
HYB_ONNX_OPS (scan)
HYB_ONNX_OPS (scatter)
HYB_ONNX_OPS (shape)
HYB_ONNX_OPS (signal)
HYB_ONNX_OPS (slice)
HYB_ONNX_OPS (source)
