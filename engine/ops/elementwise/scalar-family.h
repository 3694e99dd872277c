/* scalar-family.h — shared parts of operators on a tensor and a number: scalar.c, and the NumPy
 * interface (numpy/numpy-scalar.c, numpy/comparison.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/binary.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

typedef struct
{
  double   scalar;
  gboolean is_int; /* the number was written as an integer */
} HybScalarParams;

/* The table of HybScalarParams. */
extern const HybParam hyb_scalar_params[];

/* For HybOp.infer_dtype: the type of the data; except that bool gives int64, and integers and bool
 * give float64 with a number that is not an integer. */
gboolean hyb_scalar_infer_dtype (HybCall *call, GError **error);
/* For HybOp.forward: function (x, s), or function (s, x) if is_reversed, in the type of output 0, to
 * which both are converted first. */
void hyb_scalar_forward (const HybCall *call,
                         const HybRun  *run,
                         HybBinary      function,
                         gboolean       is_reversed);
