/* types.c — element types in the text of kernels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/types.h"

static const struct
{
  const char *stored, *result;
} names[HYB_N_DTYPES] = {
  [HYB_F32] = { "float", "float" },   [HYB_F64] = { "double", "double" },
  [HYB_F16] = { "Half", "float" },    [HYB_U8] = { "U8", "U8" },
  [HYB_I32] = { "I32", "I32" },       [HYB_I8] = { "I8", "I8" },
  [HYB_I64] = { "I64", "I64" },       [HYB_BOOL] = { "Bool", "Truth" },
  [HYB_I16] = { "I16", "I16" },       [HYB_U16] = { "U16", "U16" },
  [HYB_U32] = { "U32", "U32" },       [HYB_U64] = { "U64", "U64" },
  [HYB_BF16] = { "Bfloat", "float" },
};

const char *
hyb_cuda_stored_type (HybDType dtype)
{
  return names[dtype].stored;
}

const char *
hyb_cuda_result_type (HybDType dtype)
{
  return names[dtype].result;
}

/* As engine/imperative/convert.c chooses, except that kernels compute integers as long long and thus uint64 in double. */
HybDType
hyb_cuda_computed_type (const HybOp *op, HybDType dtype)
{
  guint32  computes = op->dtypes != 0 ? op->dtypes : HYB_DTYPES_F32;
  HybDType preferred = dtype == HYB_F16 || dtype == HYB_BF16 ? HYB_F32 : HYB_F64;
  HybDType second = preferred == HYB_F32 ? HYB_F64 : HYB_F32;

  if (computes & HYB_DTYPE_BIT (dtype) && !(dtype == HYB_U64 && computes & HYB_DTYPE_BIT (HYB_F64)))
    return dtype;
  if (computes & HYB_DTYPE_BIT (preferred))
    return preferred;
  if (computes & HYB_DTYPE_BIT (second))
    return second;
  return (HybDType) g_bit_nth_lsf (computes, -1);
}
