/* skip-normalisation.c — normalisation of a sum over the last axis, of com.microsoft, and operators older than ONNX's own
 * forms.
 *
 * Output 3 is the sum, which the next block adds to.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

/* x normalised by its mean and variance, or by its mean square. */
static HybValueId
normalise (HybLowering *lowering,
           HybValueId   x,
           gboolean     is_simple,
           HybValueId  *mean,
           HybValueId  *inverse)
{
  double epsilon = hyb_onnx_float (lowering, "epsilon", 1e-12);

  *mean = HYB_NO_ID;
  if (!is_simple)
    {
      *mean = onnx_reduce (lowering, "_npi_mean", x, -1, TRUE);
      x = onnx_subtract (lowering, x, *mean);
    }
  *inverse = onnx_reduce (lowering, "_npi_mean", hyb_onnx_unary (lowering, "square", x), -1, TRUE);
  *inverse = hyb_onnx_unary (lowering, "rsqrt", onnx_shift (lowering, *inverse, epsilon));
  return onnx_multiply (lowering, x, *inverse);
}

/* Inputs: input, skip, gamma, then beta unless is_simple, and a bias that is added before. */
static void
lower_skip (HybLowering *lowering, gboolean is_simple)
{
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;
  guint      bias = is_simple ? 3 : 4;
  HybValueId sum, mean, inverse, y;

  sum = onnx_add (lowering, hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 1));
  if (hyb_onnx_has_input (lowering, bias))
    sum = onnx_add (lowering, sum, hyb_onnx_input (lowering, bias));
  /* Half floats are normalised as floats. */
  y = normalise (lowering,
                 hyb_dtype_size (dtype) < 4 ? hyb_onnx_cast (lowering, sum, HYB_F32) : sum,
                 is_simple, &mean, &inverse);
  y = onnx_multiply (lowering, y,
                     hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 2),
                                    hyb_lowering_get_type (lowering, y)->dtype));
  if (!is_simple && hyb_onnx_has_input (lowering, 3))
    y = onnx_add (lowering, y,
                  hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 3),
                                 hyb_lowering_get_type (lowering, y)->dtype));
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, dtype));
  hyb_lowering_set_output (lowering, 1, mean);
  hyb_lowering_set_output (lowering, 2, inverse);
  hyb_lowering_set_output (lowering, 3, sum);
}

static void
lower_skip_layer (HybLowering *lowering)
{
  lower_skip (lowering, FALSE);
}

static void
lower_skip_simplified (HybLowering *lowering)
{
  lower_skip (lowering, TRUE);
}

/* --- EmbedLayerNormalization --- */

/* The rows of a table that indices of an input name; by position where there is no such input. */
static HybValueId
embed (HybLowering *lowering, guint table, guint indices)
{
  HybValueId weights = hyb_onnx_input (lowering, table);

  if (hyb_onnx_has_input (lowering, indices))
    return onnx_take (lowering, weights, hyb_onnx_input (lowering, indices), 0);
  return hyb_onnx_slice (lowering, weights, 0, 0, hyb_onnx_type (lowering, 0)->shape.dim[1]);
}

/* How many words of each sequence have the mask 1: ONNX Runtime does not count other numbers. */
static HybValueId
count_words (HybLowering *lowering, gint64 batch)
{
  HybShape   shape = hyb_shape_1d (batch);
  HybValueId mask = onnx_optional (lowering, 7);

  if (mask == HYB_NO_ID)
    return onnx_fill (lowering, &shape, HYB_I32, 0);
  mask = hyb_lowering_emit (lowering, "_equal_scalar", 1, &mask, "scalar", "1", NULL);
  return hyb_onnx_cast (lowering, onnx_reduce (lowering, "_np_sum", mask, 1, FALSE), HYB_I32);
}

static void
lower_embed (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybDType   dtype = hyb_onnx_type (lowering, 2)->dtype;
  HybValueId sum, mean, inverse, y;

  if (!hyb_shape_is_known (&type.shape) || type.shape.rank != 2)
    {
      hyb_onnx_set_rank (lowering, 0, dtype, 3);
      return;
    }
  sum = onnx_add (lowering, embed (lowering, 2, 0), embed (lowering, 3, 8));
  if (hyb_onnx_has_input (lowering, 4))
    sum = onnx_add (lowering, sum, embed (lowering, 4, 1));
  y = normalise (lowering, sum, FALSE, &mean, &inverse);
  y = onnx_multiply (lowering, y, hyb_onnx_input (lowering, 5));
  y = onnx_add (lowering, y, hyb_onnx_input (lowering, 6));
  hyb_lowering_set_output (lowering, 0, y);
  hyb_lowering_set_output (lowering, 1, count_words (lowering, type.shape.dim[0]));
  hyb_lowering_set_output (lowering, 2, sum);
}

static const char *const inputs[] = { "input", "skip", "gamma", "beta", "bias", NULL };
static const char *const simple_inputs[] = { "input", "skip", "gamma", "bias", NULL };
static const char *const outputs[] = { "output", "mean", "inv_std_var", "input_skip_bias_sum",
                                       NULL };
static const char *const embed_inputs[] = {
  "input_ids", "segment_ids", "word_embedding", "position_embedding", "segment_embedding",
  "gamma",     "beta",        "mask",           "position_ids",       NULL
};
static const char *const embed_outputs[] = { "output", "mask_index", "embedding_sum", NULL };

#define NORMALISATION(NAME, DOC, INPUTS, OUTPUTS, LOWER)              \
  {                                                                   \
    .op = { HYB_ONNX_ROW,     .name = NAME,                           \
            .doc = DOC,       .category = HYB_CATEGORY_NORMALISATION, \
            .inputs = INPUTS, .outputs = OUTPUTS,                     \
            .lower = LOWER },                                         \
    .domain = "com.microsoft", .since = 1                             \
  }

const HybOnnxOp hyb_onnx_ops_skip_normalisation[] = {
  NORMALISATION ("SkipLayerNormalization",
                 "Normalises a sum over the last axis.",
                 inputs,
                 outputs,
                 lower_skip_layer),
  NORMALISATION ("SkipSimplifiedLayerNormalization",
                 "Divides a sum by the root of its mean square.",
                 simple_inputs,
                 outputs,
                 lower_skip_simplified),
  NORMALISATION ("EmbedLayerNormalization",
                 "The normalised sum of the rows that words, positions and segments name.",
                 embed_inputs,
                 embed_outputs,
                 lower_embed),
  { .since = 0 },
};
