/* quantise.h — conversions between floats and 8-bit integers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* round (x / scale) + zero, saturated; zero HYB_NO_ID: 0. */
HybValueId onnx_quantise (HybLowering *lowering,
                          HybValueId   x,
                          HybValueId   scale,
                          HybValueId   zero,
                          HybDType     dtype);
/* (x − zero) · scale in floats; scale HYB_NO_ID: 1, zero HYB_NO_ID: 0. */
HybValueId onnx_dequantise (HybLowering *lowering, HybValueId x, HybValueId scale, HybValueId zero);
/* x as uint8, with scale and zero point from its range, which includes 0. */
HybValueId onnx_quantise_dynamically (HybLowering *lowering,
                                      HybValueId   x,
                                      HybValueId  *scale,
                                      HybValueId  *zero);
/* The product of integers a and b, each with its scale and zero point (a[1], a[2]; zero HYB_NO_ID: 0), and a bias by column
 * or HYB_NO_ID, as floats. */
HybValueId onnx_multiply_integers (HybLowering      *lowering,
                                   const HybValueId *a,
                                   const HybValueId *b,
                                   HybValueId        bias);
