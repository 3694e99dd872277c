/* head-attention.c — Attention, QAttention and MultiHeadAttention of com.microsoft.
 *
 * All are products of queries and keys, masked and normalised, times values; the first two also compute queries, keys and
 * values from their input, which QAttention has in 8 bits.  A masked key counts with mask_filter_value, not with −∞.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/heads.h"
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/quantise.h"

#include <math.h>

/* Values [batch, heads, length, size], and their masks. */
typedef struct
{
  HybValueId q, k, v;
  HybDType   dtype;
  guint      mask, bias, past; /* inputs */
} Heads;

/* The summand of the scores from the mask input, whose rows are lengths, or conditions by key, or by query and key.
 * HYB_NO_ID: nothing. */
static HybValueId
find_mask (HybLowering *lowering, const Heads *heads)
{
  HybType    type = *hyb_onnx_type (lowering, heads->mask);
  HybValueId mask = onnx_optional (lowering, heads->mask), is_seen;
  gint64     batch = onnx_size (lowering, heads->q, 0), n_keys = onnx_size (lowering, heads->k, 2);
  double     filter = hyb_onnx_float (lowering, "mask_filter_value", -10000);

  if (mask == HYB_NO_ID)
    return HYB_NO_ID;
  if (type.shape.rank == 1 && type.shape.dim[0] == batch)
    {
      mask = hyb_onnx_cast (lowering, mask, HYB_I64);
      mask = hyb_onnx_reshape (lowering, mask, 4, (gint64[]){ batch, 1, 1, 1 });
      is_seen = hyb_onnx_binary (lowering, "_npi_less", onnx_count (lowering, n_keys, 3, 4), mask);
    }
  else if (type.shape.rank == 2 || type.shape.rank == 3)
    {
      mask = hyb_onnx_reshape (lowering, mask, 4,
                               (gint64[]){ type.shape.dim[0], 1,
                                           type.shape.rank == 3 ? type.shape.dim[1] : 1,
                                           type.shape.dim[type.shape.rank - 1] });
      is_seen = hyb_onnx_with_scalar (lowering, "_npi_not_equal_scalar", mask, 0);
    }
  else
    {
      hyb_lowering_fail (lowering, NULL, "a mask of this shape is not supported");
      return HYB_NO_ID;
    }
  return onnx_where (lowering, is_seen, hyb_onnx_scalar (lowering, 0, heads->dtype),
                     hyb_onnx_scalar (lowering, filter, heads->dtype));
}

/* Scores of keys behind the query become very small. */
static HybValueId
hide_future (HybLowering *lowering, const Heads *heads, HybValueId scores)
{
  gint64     n = onnx_size (lowering, heads->q, 2), n_keys = onnx_size (lowering, heads->k, 2);
  HybValueId last = onnx_shift (lowering, onnx_count (lowering, n, 2, 4), (double) (n_keys - n));

  if (!hyb_onnx_int (lowering, "unidirectional", 0))
    return scores;
  return onnx_where (lowering,
                     hyb_onnx_binary (lowering, "_npi_less_equal",
                                      onnx_count (lowering, n_keys, 3, 4), last),
                     scores, hyb_onnx_scalar (lowering, -INFINITY, heads->dtype));
}

static HybValueId
attend (HybLowering *lowering, const Heads *heads)
{
  static const gint64 order[] = { 0, 1, 3, 2 };
  double              size = (double) MAX (onnx_size (lowering, heads->q, 3), 1);
  double              scale = hyb_onnx_float (lowering, "scale", 0);
  HybValueId          mask = find_mask (lowering, heads), x;

  x = onnx_matmul (lowering, heads->q, hyb_onnx_transpose (lowering, heads->k, 4, order));
  x = onnx_scale (lowering, x, scale == 0 ? 1 / sqrt (size) : scale);
  if (mask != HYB_NO_ID)
    x = onnx_add (lowering, x, mask);
  if (hyb_onnx_has_input (lowering, heads->bias))
    x = onnx_add (lowering, x, hyb_onnx_input (lowering, heads->bias));
  x = hide_future (lowering, heads, x);
  x = hyb_lowering_emit (lowering, "softmax", 1, &x, "axis", "-1", NULL);
  return onnx_heads_join (lowering,
                          onnx_matmul (lowering, hyb_onnx_cast (lowering, x, heads->dtype),
                                       heads->v));
}

/* FALSE, with the rank of the result, if a type is not known. */
static gboolean
are_types_known (HybLowering *lowering, HybDType dtype)
{
  for (guint i = 0; i < hyb_onnx_n_inputs (lowering); i++)
    if (hyb_onnx_has_input (lowering, i) && !hyb_type_is_known (hyb_onnx_type (lowering, i)))
      {
        hyb_onnx_set_rank (lowering, 0, dtype, 3);
        return FALSE;
      }
  return TRUE;
}

/* TRUE, after a failure, if earlier keys and values have room for new ones: inputs from `first` on say how much of it
 * is used. */
static gboolean
shares_buffer (HybLowering *lowering, guint first)
{
  for (guint i = first; i < hyb_onnx_n_inputs (lowering); i++)
    if (hyb_onnx_has_input (lowering, i))
      {
        hyb_lowering_fail (lowering, NULL,
                           "keys and values that are written into a buffer of earlier ones (its "
                           "input %u) are not computed",
                           i);
        return TRUE;
      }
  return FALSE;
}

/* --- MultiHeadAttention --- */

/* An input with its part of the bias, apart by heads; one that is so already has no bias. */
static HybValueId
read_heads (HybLowering *lowering, guint input, gint64 n_heads, gint64 *first)
{
  HybValueId x = hyb_onnx_input (lowering, input);
  gint64     size = onnx_size (lowering, x, 2);

  if (hyb_lowering_get_type (lowering, x)->shape.rank == 4)
    return x;
  if (hyb_onnx_has_input (lowering, 3))
    x = onnx_add (lowering, x,
                  hyb_onnx_slice (lowering, hyb_onnx_input (lowering, 3), 0, *first,
                                  *first + size));
  *first += size;
  return onnx_heads_split (lowering, x, n_heads);
}

static void
lower_multi_head (HybLowering *lowering)
{
  Heads  heads = { .dtype = hyb_onnx_type (lowering, 0)->dtype, .mask = 4, .bias = 5 };
  gint64 n_heads = hyb_onnx_int (lowering, "num_heads", 0), first = 0;

  if (!are_types_known (lowering, heads.dtype))
    return;
  if (hyb_onnx_type (lowering, 0)->shape.rank != 3 || !hyb_onnx_has_input (lowering, 1) ||
      !hyb_onnx_has_input (lowering, 2))
    {
      hyb_lowering_fail (lowering, NULL, "queries, keys and values in one input are not computed");
      return;
    }
  if (shares_buffer (lowering, 8))
    return;
  heads.q = read_heads (lowering, 0, n_heads, &first);
  heads.k = onnx_heads_append (lowering, read_heads (lowering, 1, n_heads, &first), 6);
  heads.v = onnx_heads_append (lowering, read_heads (lowering, 2, n_heads, &first), 7);
  hyb_lowering_set_output (lowering, 0, attend (lowering, &heads));
  hyb_lowering_set_output (lowering, 1, heads.k);
  hyb_lowering_set_output (lowering, 2, heads.v);
}

/* --- Attention --- */

/* Part number `part` of earlier keys and values [2, batch, heads, length, size], followed by x. */
static HybValueId
after_past (HybLowering *lowering, const Heads *heads, HybValueId x, gint64 part)
{
  HybValueId past;

  if (!hyb_onnx_has_input (lowering, heads->past))
    return x;
  past = hyb_onnx_slice (lowering, hyb_onnx_input (lowering, heads->past), 0, part, part + 1);
  past = hyb_lowering_emit (lowering, "_np_squeeze", 1, &past, "axis", "0", NULL);
  return hyb_onnx_concat (lowering, 2, (HybValueId[]){ past, x }, 2);
}

/* Sizes of queries, keys and values, of which `weights` has the columns. */
static gboolean
read_parts (HybLowering *lowering, gint64 *sizes)
{
  gint64        n = hyb_onnx_type (lowering, 1)->shape.dim[1];
  guint         n_given;
  const gint64 *given;

  hyb_onnx_ints (lowering, "qkv_hidden_sizes", &n_given, &given);
  for (guint i = 0; i < 3; i++)
    sizes[i] = given && n_given == 3 ? given[i] : n / 3;
  if (sizes[0] >= 1 && sizes[0] <= n && sizes[1] == sizes[0] && sizes[2] >= 1 && sizes[2] <= n &&
      sizes[0] + sizes[1] + sizes[2] == n)
    return TRUE;
  hyb_lowering_fail (lowering, NULL, "its weights cannot be divided");
  return FALSE;
}

/* FALSE if only types are known, or after a failure.  Inputs from `first` on are not computed. */
static gboolean
can_attend (HybLowering *lowering, HybDType dtype, guint first)
{
  if (!are_types_known (lowering, dtype))
    return FALSE;
  if (hyb_onnx_type (lowering, 1)->shape.rank == 2 && !hyb_onnx_int (lowering, "do_rotary", 0))
    return !shares_buffer (lowering, first);
  hyb_lowering_fail (lowering, NULL, "this form of it is not supported");
  return FALSE;
}

/* x has queries, keys and values side by side. */
static void
attend_to_itself (HybLowering *lowering, Heads *heads, HybValueId x)
{
  gint64      n_heads = hyb_onnx_int (lowering, "num_heads", 0), sizes[3], first = 0;
  HybValueId *parts[] = { &heads->q, &heads->k, &heads->v }, present[2];

  if (!read_parts (lowering, sizes))
    return;
  for (guint i = 0; i < 3; i++)
    {
      *parts[i] =
          onnx_heads_split (lowering, hyb_onnx_slice (lowering, x, 2, first, first + sizes[i]),
                            n_heads);
      first += sizes[i];
    }
  heads->k = after_past (lowering, heads, heads->k, 0);
  heads->v = after_past (lowering, heads, heads->v, 1);
  hyb_lowering_set_output (lowering, 0, attend (lowering, heads));
  if (hyb_lowering_get_node (lowering)->n_outputs < 2)
    return;
  for (guint i = 0; i < 2; i++)
    present[i] = hyb_lowering_emit (lowering, "expand_dims", 1, parts[i + 1], "axis", "0", NULL);
  hyb_lowering_set_output (lowering, 1, hyb_onnx_concat (lowering, 2, present, 0));
}

static void
lower_attention (HybLowering *lowering)
{
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;
  Heads      heads = { .dtype = dtype, .mask = 3, .past = 4, .bias = 5 };
  HybValueId x;

  if (!can_attend (lowering, dtype, 6))
    return;
  x = onnx_matmul (lowering, hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 1));
  if (hyb_onnx_has_input (lowering, 2))
    x = onnx_add (lowering, x, hyb_onnx_input (lowering, 2));
  attend_to_itself (lowering, &heads, x);
}

static void
lower_quantised (HybLowering *lowering)
{
  Heads      heads = { .dtype = HYB_F32, .mask = 5, .past = 8, .bias = G_MAXUINT };
  HybValueId x, weights;

  if (!can_attend (lowering, HYB_F32, 9))
    return;
  x = onnx_dequantise (lowering, hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 3),
                       onnx_optional (lowering, 6));
  weights = onnx_dequantise (lowering, hyb_onnx_input (lowering, 1), hyb_onnx_input (lowering, 4),
                             onnx_optional (lowering, 7));
  x = onnx_matmul (lowering, x, weights);
  attend_to_itself (lowering, &heads, onnx_add (lowering, x, hyb_onnx_input (lowering, 2)));
}

static const char *const inputs[] = {
  "query",          "key",      "value",      "bias", "key_padding_mask",
  "attention_bias", "past_key", "past_value", NULL
};
static const char *const outputs[] = { "output", "present_key", "present_value", NULL };
static const char *const attention_inputs[] = { "input", "weights",        "bias", "mask_index",
                                                "past",  "attention_bias", NULL };
static const char *const quantised_inputs[] = { "input",
                                                "weight",
                                                "bias",
                                                "input_scale",
                                                "weight_scale",
                                                "mask_index",
                                                "input_zero_point",
                                                "weight_zero_point",
                                                "past",
                                                NULL };
static const char *const attention_outputs[] = { "output", "present", NULL };

const HybOnnxOp hyb_onnx_ops_head_attention[] = {
  { .op = { HYB_ONNX_ROW, .name = "MultiHeadAttention",
            .doc = "Means of values, weighted by products of queries and keys.",
            .category = HYB_CATEGORY_LINEAR, .inputs = inputs, .outputs = outputs,
            .lower = lower_multi_head },
    .domain = "com.microsoft",
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "Attention",
            .doc = "Attention of a sequence to itself, with the layer that computes queries, keys "
                   "and values.",
            .category = HYB_CATEGORY_LINEAR, .inputs = attention_inputs,
            .outputs = attention_outputs, .lower = lower_attention },
    .domain = "com.microsoft",
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "QAttention",
            .doc = "Attention of a quantised sequence to itself, with its quantised layer.",
            .category = HYB_CATEGORY_LINEAR, .inputs = quantised_inputs,
            .outputs = attention_outputs, .lower = lower_quantised },
    .domain = "com.microsoft",
    .since = 1 },
  { .since = 0 },
};
