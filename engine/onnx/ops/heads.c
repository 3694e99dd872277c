/* heads.c — queries, keys and values apart by heads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/heads.h"

#include "engine/onnx/ops/pieces.h"

HybValueId
onnx_heads_split (HybLowering *lowering, HybValueId x, gint64 n_heads)
{
  static const gint64 order[] = { 0, 2, 1, 3 };
  gint64 dims[] = { onnx_size (lowering, x, 0), onnx_size (lowering, x, 1), n_heads, -1 };

  if (n_heads < 1 || onnx_size (lowering, x, 2) % n_heads != 0)
    {
      hyb_lowering_fail (lowering, NULL, "its inputs cannot be divided into its heads");
      return HYB_NO_ID;
    }
  return hyb_onnx_transpose (lowering, hyb_onnx_reshape (lowering, x, 4, dims), 4, order);
}

HybValueId
onnx_heads_join (HybLowering *lowering, HybValueId x)
{
  static const gint64 order[] = { 0, 2, 1, 3 };
  gint64              dims[] = { onnx_size (lowering, x, 0), onnx_size (lowering, x, 2), -1 };

  return hyb_onnx_reshape (lowering, hyb_onnx_transpose (lowering, x, 4, order), 3, dims);
}

HybValueId
onnx_heads_share (HybLowering *lowering, HybValueId x, HybValueId q)
{
  gint64 n_queries = onnx_size (lowering, q, 1), n = onnx_size (lowering, x, 1);

  return n > 0 && n_queries % n == 0 ? onnx_repeat (lowering, x, 1, n_queries / n) : x;
}

HybValueId
onnx_heads_append (HybLowering *lowering, HybValueId x, guint past)
{
  if (!hyb_onnx_has_input (lowering, past))
    return x;
  return hyb_onnx_concat (lowering, 2, (HybValueId[]){ hyb_onnx_input (lowering, past), x }, 2);
}
