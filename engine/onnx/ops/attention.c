/* attention.c — Attention: products of queries and keys, masked and normalised, times values.
 *
 * Keys and values of earlier calls come first.  Where fewer heads have keys than queries, several queries share one.
 * Which keys a query may see is a condition on positions: query i is at offset + i, where offset counts the keys before
 * the first query; it is a number, or differs by batch where nonpad_kv_seqlen is given.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/heads.h"
#include "engine/onnx/ops/pieces.h"

#include <math.h>

enum
{
  INPUT_Q,
  INPUT_K,
  INPUT_V,
  INPUT_MASK,
  INPUT_PAST_KEY,
  INPUT_PAST_VALUE,
  INPUT_LENGTHS,
};

/* The meaning of the output of the products, by the attribute qk_matmul_output_mode. */
enum
{
  OUTPUT_PRODUCTS,
  OUTPUT_CAPPED,
  OUTPUT_MASKED,
  OUTPUT_PROBABILITIES,
};

typedef struct
{
  HybValueId q, k, v; /* [batch, heads, length, size] */
  gboolean   is_flat; /* inputs are [batch, length, heads × size] */
  gint64     n_queries, n_keys, n_past;
  HybDType   dtype;
  HybValueId lengths;   /* keys that count, [batch, 1, 1, 1]; HYB_NO_ID: all */
  HybValueId bias;      /* HYB_NO_ID: none */
  gboolean   may_empty; /* the bias may leave a query without keys */
} Attention;

/* --- Heads --- */

/* FALSE if only types are known, or after a failure. */
static gboolean
read_inputs (HybLowering *lowering, Attention *attention)
{
  const guint inputs[] = { INPUT_Q, INPUT_K, INPUT_V, INPUT_PAST_KEY, INPUT_PAST_VALUE };
  int         rank = hyb_onnx_type (lowering, INPUT_Q)->shape.rank;

  attention->dtype = hyb_onnx_type (lowering, INPUT_Q)->dtype;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    if (hyb_onnx_has_input (lowering, inputs[i]) &&
        !hyb_type_is_known (hyb_onnx_type (lowering, inputs[i])))
      {
        hyb_onnx_set_rank (lowering, 0, attention->dtype, rank);
        return FALSE;
      }
  if (rank != 3 && rank != 4)
    {
      hyb_lowering_fail (lowering, NULL, "its queries have %d dimensions instead of 3 or 4", rank);
      return FALSE;
    }
  attention->is_flat = rank == 3;
  attention->q = hyb_onnx_input (lowering, INPUT_Q);
  attention->k = hyb_onnx_input (lowering, INPUT_K);
  attention->v = hyb_onnx_input (lowering, INPUT_V);
  if (attention->is_flat)
    {
      gint64 n_kv = hyb_onnx_int (lowering, "kv_num_heads", 0);

      attention->q =
          onnx_heads_split (lowering, attention->q, hyb_onnx_int (lowering, "q_num_heads", 0));
      attention->k = onnx_heads_split (lowering, attention->k, n_kv);
      attention->v = onnx_heads_split (lowering, attention->v, n_kv);
    }
  attention->k = onnx_heads_append (lowering, attention->k, INPUT_PAST_KEY);
  attention->v = onnx_heads_append (lowering, attention->v, INPUT_PAST_VALUE);
  attention->n_queries = onnx_size (lowering, attention->q, 2);
  attention->n_keys = onnx_size (lowering, attention->k, 2);
  attention->n_past = hyb_onnx_has_input (lowering, INPUT_PAST_KEY)
                          ? hyb_onnx_type (lowering, INPUT_PAST_KEY)->shape.dim[2]
                          : 0;
  return !hyb_lowering_has_failed (lowering);
}

/* --- Keys visible to a query --- */

/* The position of each query, plus a number: [batch or 1, 1, queries, 1]. */
static HybValueId
query_position (HybLowering *lowering, const Attention *attention, gint64 added)
{
  HybValueId x = onnx_count (lowering, attention->n_queries, 2, 4);

  if (attention->lengths == HYB_NO_ID || attention->n_past > 0)
    return onnx_shift (lowering, x, (double) (attention->n_past + added));
  return onnx_add (lowering, attention->lengths,
                   onnx_shift (lowering, x, (double) (added - attention->n_queries)));
}

/* The condition on key and query positions; HYB_NO_ID: there is none. */
static HybValueId
find_visible (HybLowering *lowering, Attention *attention)
{
  HybValueId keys = onnx_count (lowering, attention->n_keys, 3, 4), visible = HYB_NO_ID;
  gint64     left = CLAMP (hyb_onnx_int (lowering, "left_window_size", -1), -1, G_MAXINT32);
  gint64     right = CLAMP (hyb_onnx_int (lowering, "right_window_size", -1), -1, G_MAXINT32);

  if (hyb_onnx_int (lowering, "is_causal", 0))
    right = right < 0 ? 0 : MIN (right, 0);
  if (right >= 0)
    visible = hyb_onnx_binary (lowering, "_npi_less_equal", keys,
                               query_position (lowering, attention, right));
  if (left >= 0)
    visible = onnx_and (lowering, visible,
                        hyb_onnx_binary (lowering, "_npi_greater_equal", keys,
                                         query_position (lowering, attention, -left)));
  if (attention->lengths != HYB_NO_ID)
    visible = onnx_and (lowering, visible,
                        hyb_onnx_binary (lowering, "_npi_less", keys, attention->lengths));
  attention->may_empty |= left >= 0 || attention->lengths != HYB_NO_ID;
  return visible;
}

/* The mask, extended to the number of keys: keys beyond it are hidden. */
static HybValueId
read_mask (HybLowering *lowering, const Attention *attention)
{
  HybType    type = *hyb_onnx_type (lowering, INPUT_MASK);
  HybValueId mask = onnx_optional (lowering, INPUT_MASK);
  int        last = type.shape.rank - 1;
  gint64     missing[] = { 0, last >= 0 ? attention->n_keys - type.shape.dim[last] : 0 };

  if (mask == HYB_NO_ID || missing[1] <= 0)
    return mask;
  return onnx_extend (lowering, mask, last, missing, type.dtype == HYB_BOOL ? 0 : -INFINITY);
}

/* 0, or the summand of the mask, where a key is visible; else −∞. */
static void
find_bias (HybLowering *lowering, Attention *attention)
{
  HybValueId visible, mask = read_mask (lowering, attention), added = HYB_NO_ID;
  gboolean   is_condition = hyb_onnx_type (lowering, INPUT_MASK)->dtype == HYB_BOOL;

  attention->lengths = onnx_optional (lowering, INPUT_LENGTHS);
  if (attention->lengths != HYB_NO_ID)
    attention->lengths =
        hyb_onnx_reshape (lowering, hyb_onnx_cast (lowering, attention->lengths, HYB_I64), 4,
                          (gint64[]){ -1, 1, 1, 1 });
  visible = find_visible (lowering, attention);
  if (mask != HYB_NO_ID && is_condition)
    visible = onnx_and (lowering, visible, mask);
  else if (mask != HYB_NO_ID)
    added = hyb_onnx_cast (lowering, mask, attention->dtype);
  attention->may_empty |= mask != HYB_NO_ID;
  attention->bias = added;
  if (visible != HYB_NO_ID)
    attention->bias =
        onnx_where (lowering, visible,
                    added == HYB_NO_ID ? hyb_onnx_scalar (lowering, 0, attention->dtype) : added,
                    hyb_onnx_scalar (lowering, -INFINITY, attention->dtype));
}

/* --- The products --- */

/* The softmax over keys; zero for a query without visible keys. */
static HybValueId
normalise (HybLowering *lowering, const Attention *attention, HybValueId scores)
{
  gint64   given = hyb_onnx_int (lowering, "softmax_precision", 0);
  HybDType precision = given > 0 ? hyb_onnx_dtype_to_engine ((HybOnnxDType) MIN (given, G_MAXINT16))
                                 : HYB_DTYPE_UNKNOWN;
  HybValueId is_empty;

  if (precision != HYB_DTYPE_UNKNOWN)
    scores = hyb_onnx_cast (lowering, scores, precision);
  scores = hyb_lowering_emit (lowering, "softmax", 1, &scores, "axis", "-1", NULL);
  if (attention->may_empty)
    {
      is_empty = onnx_reduce (lowering, "_np_max", attention->bias, -1, TRUE);
      scores = onnx_where (lowering, hyb_onnx_unary (lowering, "_npi_isneginf", is_empty),
                           hyb_onnx_unary (lowering, "zeros_like", scores), scores);
    }
  return hyb_onnx_cast (lowering, scores, attention->dtype);
}

static HybValueId
cap (HybLowering *lowering, HybValueId scores)
{
  double limit = hyb_onnx_float (lowering, "softcap", 0);

  if (limit <= 0)
    return scores;
  scores = hyb_onnx_unary (lowering, "tanh", onnx_scale (lowering, scores, 1 / limit));
  return onnx_scale (lowering, scores, limit);
}

static HybValueId
multiply (HybLowering *lowering, const Attention *attention)
{
  static const gint64 order[] = { 0, 1, 3, 2 };
  double              size = (double) onnx_size (lowering, attention->q, 3);
  double              scale = hyb_onnx_float (lowering, "scale", 1 / sqrt (size));
  HybValueId          k = onnx_heads_share (lowering, attention->k, attention->q);

  k = onnx_scale (lowering, hyb_onnx_transpose (lowering, k, 4, order), sqrt (scale));
  return onnx_matmul (lowering, onnx_scale (lowering, attention->q, sqrt (scale)), k);
}

static void
lower_attention (HybLowering *lowering)
{
  Attention  attention = { .lengths = HYB_NO_ID, .bias = HYB_NO_ID };
  HybValueId scores[4], y;
  gint64     mode = hyb_onnx_int (lowering, "qk_matmul_output_mode", OUTPUT_PRODUCTS);

  if (!read_inputs (lowering, &attention))
    return;
  find_bias (lowering, &attention);
  scores[OUTPUT_PRODUCTS] = multiply (lowering, &attention);
  scores[OUTPUT_CAPPED] = cap (lowering, scores[OUTPUT_PRODUCTS]);
  scores[OUTPUT_MASKED] = attention.bias == HYB_NO_ID
                              ? scores[OUTPUT_CAPPED]
                              : onnx_add (lowering, scores[OUTPUT_CAPPED], attention.bias);
  scores[OUTPUT_PROBABILITIES] = normalise (lowering, &attention, scores[OUTPUT_MASKED]);
  y = onnx_matmul (lowering, scores[OUTPUT_PROBABILITIES],
                   onnx_heads_share (lowering, attention.v, attention.q));
  hyb_lowering_set_output (lowering, 0, attention.is_flat ? onnx_heads_join (lowering, y) : y);
  hyb_lowering_set_output (lowering, 1, attention.k);
  hyb_lowering_set_output (lowering, 2, attention.v);
  hyb_lowering_set_output (lowering, 3, scores[CLAMP (mode, 0, OUTPUT_PROBABILITIES)]);
}

static const char *const inputs[] = {
  "Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen", NULL
};
static const char *const outputs[] = { "Y", "present_key", "present_value", "qk_matmul_output",
                                       NULL };

const HybOnnxOp hyb_onnx_ops_attention[] = {
  { .op = { HYB_ONNX_ROW, .name = "Attention",
            .doc = "Means of values, weighted by products of queries and keys.",
            .category = HYB_CATEGORY_LINEAR, .inputs = inputs, .outputs = outputs,
            .lower = lower_attention },
    .since = 23 },
  { .since = 0 },
};
