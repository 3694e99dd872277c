/* rotary.c — RotaryEmbedding: pairs of channels turned by an angle that grows with the position.
 *
 * Cosines and sines are inputs, by position.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

/* The places of the inputs: com.microsoft has another order. */
typedef struct
{
  guint cosines, sines, positions;
} Inputs;

/* [batch, length, heads, size] */
static HybValueId
read_input (HybLowering *lowering, HybType *type, const Inputs *inputs)
{
  static const gint64 order[] = { 0, 2, 1, 3 };
  HybValueId          x = hyb_onnx_input (lowering, 0);
  gint64              n_heads = hyb_onnx_int (lowering, "num_heads", 0);
  gint64              dims[4];
  const HybShape     *table = &hyb_onnx_type (lowering, inputs->cosines)->shape;

  *type = *hyb_onnx_type (lowering, 0);
  hyb_lowering_set_type (lowering, 0, type);
  if (!hyb_type_is_known (type))
    return HYB_NO_ID;
  if (type->shape.rank == 4)
    return hyb_onnx_transpose (lowering, x, 4, order);
  /* Without a number of heads, the tables give the size of a head. */
  if (n_heads == 0 && type->shape.rank == 3 && table->rank > 0 && table->dim[table->rank - 1] > 0)
    n_heads = type->shape.dim[2] / (2 * table->dim[table->rank - 1]);
  if (type->shape.rank != 3 || n_heads < 1 || type->shape.dim[2] % n_heads != 0)
    {
      hyb_lowering_fail (lowering, NULL, "its input cannot be divided into its heads");
      return HYB_NO_ID;
    }
  dims[0] = type->shape.dim[0];
  dims[1] = type->shape.dim[1];
  dims[2] = n_heads;
  dims[3] = type->shape.dim[2] / n_heads;
  return hyb_onnx_reshape (lowering, x, 4, dims);
}

/* The position of each element, [batch or 1, length]; one number is the position of the first. */
static HybValueId
read_positions (HybLowering *lowering, guint input, gint64 length)
{
  HybValueId positions = hyb_onnx_input (lowering, input);

  if (hyb_onnx_type (lowering, input)->shape.rank != 1)
    return positions;
  positions = hyb_onnx_reshape (lowering, positions, 2, (gint64[]){ -1, 1 });
  return onnx_add (lowering, positions, onnx_count (lowering, length, 1, 2));
}

/* Cosines or sines for each position, [batch, length, 1, half]. */
static HybValueId
read_table (HybLowering *lowering, guint input, const Inputs *inputs, gint64 length)
{
  HybValueId table = hyb_onnx_input (lowering, input);

  if (hyb_onnx_has_input (lowering, inputs->positions))
    table = onnx_take (lowering, table, read_positions (lowering, inputs->positions, length), 0);
  return hyb_lowering_emit (lowering, "expand_dims", 1, &table, "axis", "2", NULL);
}

/* The two channels of each pair: neighbours, or one from each half. */
static void
split_pairs (HybLowering *lowering, HybValueId x, gboolean is_interleaved, HybValueId *pair)
{
  HybType type = *hyb_lowering_get_type (lowering, x);
  gint64  half = type.shape.rank == 4 ? type.shape.dim[3] / 2 : 0;

  if (!is_interleaved)
    {
      pair[0] = hyb_onnx_slice (lowering, x, 3, 0, half);
      pair[1] = hyb_onnx_slice (lowering, x, 3, half, 2 * half);
      return;
    }
  type.shape.dim[3] = half;
  x = hyb_onnx_reshape (lowering, x, 5,
                        (gint64[]){ type.shape.dim[0], type.shape.dim[1], type.shape.dim[2], half,
                                    2 });
  for (int i = 0; i < 2; i++)
    pair[i] = onnx_reshape_to (lowering, hyb_onnx_slice (lowering, x, 4, i, i + 1), &type.shape);
}

static HybValueId
join_pairs (HybLowering *lowering, const HybValueId *pair, gboolean is_interleaved)
{
  HybType    type = *hyb_lowering_get_type (lowering, pair[0]);
  HybValueId parts[2];

  if (!is_interleaved || type.shape.rank != 4)
    return hyb_onnx_concat (lowering, 2, pair, 3);
  for (int i = 0; i < 2; i++)
    parts[i] = hyb_lowering_emit (lowering, "expand_dims", 1, &pair[i], "axis", "4", NULL);
  type.shape.dim[3] *= 2;
  return onnx_reshape_to (lowering, hyb_onnx_concat (lowering, 2, parts, 4), &type.shape);
}

static HybValueId
turn (HybLowering *lowering, HybValueId x, const Inputs *inputs)
{
  gboolean   is_interleaved = hyb_onnx_int (lowering, "interleaved", 0) != 0;
  gint64     length = onnx_size (lowering, x, 1);
  HybValueId cosine = read_table (lowering, inputs->cosines, inputs, length);
  HybValueId sine = read_table (lowering, inputs->sines, inputs, length);
  HybValueId pair[2], turned[2];

  split_pairs (lowering, x, is_interleaved, pair);
  turned[0] = onnx_subtract (lowering, onnx_multiply (lowering, cosine, pair[0]),
                             onnx_multiply (lowering, sine, pair[1]));
  turned[1] = onnx_add (lowering, onnx_multiply (lowering, sine, pair[0]),
                        onnx_multiply (lowering, cosine, pair[1]));
  return join_pairs (lowering, turned, is_interleaved);
}

static void
rotate (HybLowering *lowering, const Inputs *inputs)
{
  static const gint64 order[] = { 0, 2, 1, 3 };
  HybType             type;
  HybValueId          x = read_input (lowering, &type, inputs), y;
  gint64              size = onnx_size (lowering, x, 3);
  gint64              n = hyb_onnx_int (lowering, "rotary_embedding_dim", 0);

  if (x == HYB_NO_ID)
    return;
  n = n > 0 ? MIN (n, size) : size;
  y = turn (lowering, hyb_onnx_slice (lowering, x, 3, 0, n), inputs);
  if (n < size)
    y = hyb_onnx_concat (lowering, 2, (HybValueId[]){ y, hyb_onnx_slice (lowering, x, 3, n, size) },
                         3);
  hyb_lowering_set_output (lowering, 0,
                           type.shape.rank == 4 ? hyb_onnx_transpose (lowering, y, 4, order)
                                                : onnx_reshape_to (lowering, y, &type.shape));
}

static void
lower_rotary (HybLowering *lowering)
{
  rotate (lowering, &(Inputs){ .cosines = 1, .sines = 2, .positions = 3 });
}

/* Packed batches have another layout, and a scale is only written for other runtimes. */
static void
lower_microsoft (HybLowering *lowering)
{
  if (hyb_onnx_int (lowering, "is_packed_batching", 0) ||
      hyb_onnx_float (lowering, "scale", 1) != 1)
    hyb_lowering_fail (lowering, NULL, "packed batches and a scale are not computed");
  else
    rotate (lowering, &(Inputs){ .cosines = 2, .sines = 3, .positions = 1 });
}

static const char *const microsoft_inputs[] = { "input", "position_ids", "cos_cache", "sin_cache",
                                                NULL };
static const char *const inputs[] = { "X", "cos_cache", "sin_cache", "position_ids", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_rotary[] = {
  { .op = { HYB_ONNX_ROW, .name = "RotaryEmbedding",
            .doc = "Turns pairs of channels by angles that depend on the position.",
            .category = HYB_CATEGORY_ELEMENTWISE, .inputs = inputs, .outputs = outputs,
            .lower = lower_rotary },
    .since = 23 },
  { .op = { HYB_ONNX_ROW, .name = "RotaryEmbedding",
            .doc = "Turns pairs of channels by angles that depend on the position.",
            .category = HYB_CATEGORY_ELEMENTWISE, .inputs = microsoft_inputs, .outputs = outputs,
            .lower = lower_microsoft },
    .domain = "com.microsoft",
    .since = 1 },
  { .since = 0 },
};
