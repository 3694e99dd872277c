/* narrow-matmul.c — MatMulNBits of com.microsoft: a product with a matrix of 2, 4 or 8 bits an element.
 *
 * Elements of a row of the matrix lie in blocks, lowest bits first; each block has a scale and a zero point.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

typedef struct
{
  gint64 k, n, bits, block, n_blocks;
} Narrow;

/* The elements of bytes [rows, bytes] as floats [rows, n]. */
static HybValueId
unpack (HybLowering *lowering, const Narrow *narrow, HybValueId bytes, gint64 n)
{
  gint64     per_byte = 8 / narrow->bits, n_bytes = onnx_size (lowering, bytes, 1);
  gint64     rows = onnx_size (lowering, bytes, 0);
  double     limit = (double) (1 << narrow->bits), divisor = 1;
  HybValueId parts[4];

  bytes = hyb_onnx_cast (lowering, bytes, HYB_F32);
  for (gint64 i = 0; i < per_byte; i++, divisor *= limit)
    {
      HybValueId one =
          hyb_onnx_unary (lowering, "floor", onnx_scale (lowering, bytes, 1 / divisor));

      one = hyb_onnx_with_scalar (lowering, "_mod_scalar", one, limit);
      parts[i] = hyb_lowering_emit (lowering, "expand_dims", 1, &one, "axis", "2", NULL);
    }
  bytes = per_byte > 1 ? hyb_onnx_concat (lowering, (guint) per_byte, parts, 2) : parts[0];
  bytes = hyb_onnx_reshape (lowering, bytes, 2, (gint64[]){ rows, n_bytes * per_byte });
  return n < n_bytes * per_byte ? hyb_onnx_slice (lowering, bytes, 1, 0, n) : bytes;
}

/* Zero points of all blocks, [n, blocks, 1]: packed as the matrix is, or numbers, or the middle of the range. */
static HybValueId
read_zeros (HybLowering *lowering, const Narrow *narrow)
{
  HybValueId zeros = onnx_optional (lowering, 3);

  if (zeros == HYB_NO_ID)
    return hyb_onnx_scalar (lowering, (double) (1 << (narrow->bits - 1)), HYB_F32);
  if (hyb_lowering_get_type (lowering, zeros)->dtype == HYB_U8)
    zeros = unpack (lowering, narrow,
                    hyb_onnx_reshape (lowering, zeros, 2, (gint64[]){ narrow->n, -1 }),
                    narrow->n_blocks);
  zeros = hyb_onnx_cast (lowering, zeros, HYB_F32);
  return hyb_onnx_reshape (lowering, zeros, 3, (gint64[]){ narrow->n, narrow->n_blocks, 1 });
}

/* The matrix as floats, [n, k]. */
static HybValueId
read_matrix (HybLowering *lowering, const Narrow *narrow)
{
  gint64     dims[] = { narrow->n, narrow->n_blocks, narrow->block };
  HybValueId w =
      hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 1), 2, (gint64[]){ narrow->n, -1 });
  HybValueId scales = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 2), HYB_F32);

  w = unpack (lowering, narrow, w, narrow->n_blocks * narrow->block);
  w = hyb_onnx_reshape (lowering, w, 3, dims);
  w = onnx_subtract (lowering, w, read_zeros (lowering, narrow));
  dims[2] = 1;
  w = onnx_multiply (lowering, w, hyb_onnx_reshape (lowering, scales, 3, dims));
  w = hyb_onnx_reshape (lowering, w, 2, (gint64[]){ narrow->n, narrow->n_blocks * narrow->block });
  return narrow->n_blocks * narrow->block > narrow->k
             ? hyb_onnx_slice (lowering, w, 1, 0, narrow->k)
             : w;
}

static void
lower_narrow (HybLowering *lowering)
{
  static const gint64 swapped[] = { 1, 0 };
  HybType             type = *hyb_onnx_type (lowering, 0);
  Narrow              narrow = { .k = hyb_onnx_int (lowering, "K", 0),
                                 .n = hyb_onnx_int (lowering, "N", 0),
                                 .bits = hyb_onnx_int (lowering, "bits", 4),
                                 .block = hyb_onnx_int (lowering, "block_size", 0) };
  HybValueId          y;

  if (type.shape.rank > 0)
    type.shape.dim[type.shape.rank - 1] = MAX (narrow.n, 0);
  hyb_lowering_set_type (lowering, 0, &type);
  if (narrow.k < 1 || narrow.k > G_MAXINT32 || narrow.n < 1 || narrow.n > G_MAXINT32 ||
      narrow.block < 8 || narrow.block > G_MAXINT32 ||
      (narrow.bits != 2 && narrow.bits != 4 && narrow.bits != 8) ||
      hyb_onnx_has_input (lowering, 4))
    {
      hyb_lowering_fail (lowering, NULL, "this form of it is not supported");
      return;
    }
  narrow.n_blocks = (narrow.k + narrow.block - 1) / narrow.block;
  for (guint i = 1; i < 4; i++)
    if (hyb_onnx_has_input (lowering, i) && !hyb_type_is_known (hyb_onnx_type (lowering, i)))
      return;
  y = hyb_onnx_cast (lowering,
                     hyb_onnx_transpose (lowering, read_matrix (lowering, &narrow), 2, swapped),
                     type.dtype);
  y = onnx_matmul (lowering, hyb_onnx_input (lowering, 0), y);
  if (hyb_onnx_has_input (lowering, 5))
    y = onnx_add (lowering, y, hyb_onnx_input (lowering, 5));
  hyb_lowering_set_output (lowering, 0, y);
}

static const char *const inputs[] = { "A", "B", "scales", "zero_points", "g_idx", "bias", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_narrow_matmul[] = {
  { .op = { HYB_ONNX_ROW, .name = "MatMulNBits",
            .doc = "A product with a matrix of a few bits an element.",
            .category = HYB_CATEGORY_LINEAR, .inputs = inputs, .outputs = outputs,
            .lower = lower_narrow },
    .domain = "com.microsoft",
    .since = 1 },
  { .since = 0 },
};
