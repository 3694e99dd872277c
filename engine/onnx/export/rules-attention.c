/* rules-attention.c — the matrix products of multi-head attention on interleaved projections.
 *
 * An interleaved array is [time, sample, heads × parts × d]; scores are [sample × heads, queries, keys].
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include <math.h>

enum
{
  PARTS_ENCODER = 2, /* keys, values */
  PARTS_SELF = 3,    /* queries, keys, values */
};

/* Columns of one part of a head. */
static gint64
part_width (OnnxExport *export, guint index, gint64 parts)
{
  return onnx_input_type (export, index).shape.dim[2] / onnx_param_int (export, "heads", 1) / parts;
}

/* Part number `part` of `parts` of an input as one matrix for each sample and head, [sample × heads, time, d]; with
 * is_transposed [sample × heads, d, time]. */
static OnnxValue
matrices (OnnxExport *export, guint index, gint64 parts, gint64 part, gboolean is_transposed)
{
  gint64    heads = onnx_param_int (export, "heads", 1);
  gint64    d = part_width (export, index, parts);
  OnnxValue x = onnx_input (export, index);

  if (d < 1)
    {
      onnx_fail (export, "the number of its features is open; fix it");
      return ONNX_NONE;
    }
  if (parts > 1)
    {
      x = onnx_reshape (export, x, 5, (gint64[]){ 0, 0, heads, parts, d });
      x = onnx_squeeze (export, onnx_slice (export, x, 3, part, part + 1), 3);
    }
  x = onnx_reshape (export, x, 3, (gint64[]){ 0, -1, d });
  return onnx_transpose (export, x, 3,
                         is_transposed ? (gint64[]){ 1, 2, 0 } : (gint64[]){ 1, 0, 2 });
}

/* Scores of queries and keys. */
static void
write_scores (OnnxExport *export, OnnxValue queries, OnnxValue keys, gint64 d)
{
  HybDType  dtype = onnx_output_type (export, 0).dtype;
  OnnxValue scale = onnx_number (export, 1 / sqrt ((double) d), dtype);

  queries = onnx_binary (export, "Mul", queries, scale);
  onnx_set_output (export, 0, onnx_binary (export, "MatMul", queries, keys));
}

static void
write_self_scores (OnnxExport *export)
{
  write_scores (export, matrices (export, 0, PARTS_SELF, 0, FALSE),
                matrices (export, 0, PARTS_SELF, 1, TRUE), part_width (export, 0, PARTS_SELF));
}

static void
write_encoder_scores (OnnxExport *export)
{
  write_scores (export, matrices (export, 0, 1, 0, FALSE),
                matrices (export, 1, PARTS_ENCODER, 0, TRUE), part_width (export, 0, 1));
}

/* Values weighted by scores, interleaved again: [time, sample, heads × d]. */
static void
write_weighted (OnnxExport *export)
{
  gint64    parts = (gint64) onnx_rule (export)->number;
  gint64    d = part_width (export, 0, parts), heads = onnx_param_int (export, "heads", 1);
  OnnxValue values = matrices (export, 0, parts, parts - 1, FALSE);
  OnnxValue y = onnx_binary (export, "MatMul", onnx_input (export, 1), values);

  y = onnx_transpose (export, y, 3, (gint64[]){ 1, 0, 2 });
  onnx_set_output (export, 0, onnx_reshape (export, y, 3, (gint64[]){ 0, -1, d * heads }));
}

const HybOnnxRule hyb_onnx_rules_attention[] = {
  { .op = "_contrib_interleaved_matmul_selfatt_qk", .write = write_self_scores },
  { .op = "_contrib_interleaved_matmul_selfatt_valatt",
    .write = write_weighted,
    .number = PARTS_SELF },
  { .op = "_contrib_interleaved_matmul_encdec_qk", .write = write_encoder_scores },
  { .op = "_contrib_interleaved_matmul_encdec_valatt",
    .write = write_weighted,
    .number = PARTS_ENCODER },
  { .op = NULL },
};
