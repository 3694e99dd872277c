/* list.h — the families of ONNX operators, in alphabetical order.
 *
 * HYB_ONNX_OPS (gemm) stands for the array hyb_onnx_ops_gemm at the end of gemm.c.  op-find.c includes this file
 * twice, so it has no include guard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

HYB_ONNX_OPS (gemm)
