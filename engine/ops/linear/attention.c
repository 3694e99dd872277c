/* attention.c — interleaved_matmul_selfatt_… and …_encdec_…: the matrix products of multi-head
 * attention on interleaved projections.
 *
 * An interleaved array has the shape (time, sample, heads × parts × d).  Its parts are queries, keys
 * and values in self attention (3 parts), keys and values in attention to an encoder (2), and plain
 * queries (1).  Scores have the shape (sample × heads, queries, keys).  attention-products.h finds and
 * computes the products.  Start with qk_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/linear/attention-products.h"

#include <string.h>

static const HybParam attention_params[] = {
  { HYB_FIELD (HybAttentionParams, heads), HYB_PARAM_INT, .low = 1, .high = 1 << 20,
    .doc = "number of heads" },
  { 0 },
};

/* --- Shapes --- */

/* An interleaved operand, with its name for messages. */
typedef struct
{
  HybShape   *shape;
  gint64      parts;
  const char *name;
} Interleaved;

/* The operand has rank 3 and a last axis that divides into heads × parts. */
static gboolean
check_interleaved (const Interleaved *operand, gint64 heads, GError **error)
{
  HybShape *shape = operand->shape;
  HybShape  ranked = hyb_shape_make (3, NULL);

  if (shape->rank == HYB_UNKNOWN)
    return TRUE;
  if (shape->rank != 3)
    {
      g_autofree char *text = hyb_shape_to_string (shape);

      return hyb_refuse_types (error, "It must be (time, sample, features)",
                               "%s has shape %s, not 3 dimensions", operand->name, text);
    }
  if (!hyb_shape_assign (shape, &ranked, error))
    return FALSE;
  if (shape->dim[2] != HYB_UNKNOWN && shape->dim[2] % (heads * operand->parts) != 0)
    return hyb_refuse_types (error, NULL,
                             "the last dimension of %s, %" G_GINT64_FORMAT
                             ", does not divide into %" G_GINT64_FORMAT
                             " heads of %" G_GINT64_FORMAT " parts",
                             operand->name, shape->dim[2], heads, operand->parts);
  return TRUE;
}

/* dim / over × times; HYB_UNKNOWN if dim is unknown. */
static gint64
scaled (gint64 dim, gint64 times, gint64 over)
{
  return dim == HYB_UNKNOWN ? HYB_UNKNOWN : hyb_dim_multiply (dim / over, times);
}

/* Infers the scores, which are output 0.  queries and keys may be the same array. */
static gboolean
infer_scores (HybCall *call, const Interleaved *queries, const Interleaved *keys, GError **error)
{
  const HybAttentionParams *params = call->params;
  HybShape                 *q = queries->shape, *k = keys->shape;
  HybShape                  scores;

  if (!check_interleaved (queries, params->heads, error) ||
      !check_interleaved (keys, params->heads, error))
    return FALSE;
  if (q->rank == HYB_UNKNOWN || k->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_dim_unify (&q->dim[1], &k->dim[1], "the numbers of samples", error))
    return FALSE;
  if (q->dim[2] != HYB_UNKNOWN && k->dim[2] != HYB_UNKNOWN &&
      q->dim[2] / queries->parts != k->dim[2] / keys->parts)
    return hyb_refuse_types (error, NULL,
                             "queries have %" G_GINT64_FORMAT
                             " features but keys have %" G_GINT64_FORMAT,
                             q->dim[2] / queries->parts, k->dim[2] / keys->parts);

  scores = hyb_shape_3d (scaled (q->dim[1], params->heads, 1), q->dim[0], k->dim[0]);
  return hyb_shape_assign (&call->output[0].shape, &scores, error);
}

/* Inputs: an interleaved array with the values, attention (sample × heads, queries, keys).
 * Output: (queries, sample, heads × d). */
static gboolean
infer_values (HybCall *call, gint64 parts, GError **error)
{
  const HybAttentionParams *params = call->params;
  HybShape                 *values = &call->input[0].shape;
  HybShape                 *attention = &call->input[1].shape;
  HybShape                  shape;

  if (!check_interleaved (&(Interleaved){ values, parts, "the values" }, params->heads, error))
    return FALSE;
  if (values->rank == HYB_UNKNOWN)
    return TRUE;

  /* In self attention there are as many queries as keys. */
  shape = hyb_shape_3d (scaled (values->dim[1], params->heads, 1),
                        parts == HYB_ATTENTION_PARTS_SELF ? values->dim[0] : HYB_UNKNOWN,
                        values->dim[0]);
  if (!hyb_shape_assign (attention, &shape, error))
    return FALSE;

  shape = hyb_shape_3d (attention->dim[1], values->dim[1], scaled (values->dim[2], 1, parts));
  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

static gboolean
selfatt_qk_infer_shape (HybCall *call, GError **error)
{
  HybShape *qkv = &call->input[0].shape;

  return infer_scores (call, &(Interleaved){ qkv, HYB_ATTENTION_PARTS_SELF, "the queries" },
                       &(Interleaved){ qkv, HYB_ATTENTION_PARTS_SELF, "the keys" }, error);
}

static gboolean
encdec_qk_infer_shape (HybCall *call, GError **error)
{
  return infer_scores (call,
                       &(Interleaved){ &call->input[0].shape, HYB_ATTENTION_PARTS_QUERIES,
                                       "the queries" },
                       &(Interleaved){ &call->input[1].shape, HYB_ATTENTION_PARTS_ENCODER,
                                       "the keys" },
                       error);
}

static gboolean
selfatt_valatt_infer_shape (HybCall *call, GError **error)
{
  return infer_values (call, HYB_ATTENTION_PARTS_SELF, error);
}

static gboolean
encdec_valatt_infer_shape (HybCall *call, GError **error)
{
  return infer_values (call, HYB_ATTENTION_PARTS_ENCODER, error);
}

/* --- Forward --- */

static void
qk_forward (const HybCall *call, const HybRun *run)
{
  HybAttentionProduct product = hyb_attention_find_scores (call);

  product.a.data = run->input[0];
  product.b.data = run->input[call->n_inputs - 1];
  product.c = run->output[0];
  hyb_attention_multiply (call, &product);
}

static const char *
qk_note (const HybCall *call)
{
  HybAttentionProduct product = hyb_attention_find_scores (call);

  return hyb_attention_note (call, &product);
}

static void
valatt_forward (const HybCall *call, const HybRun *run, gint64 parts)
{
  HybAttentionProduct product = hyb_attention_find_values (call, parts);

  product.a.data = run->input[1];
  product.b.data = run->input[0];
  product.c = run->output[0];
  hyb_attention_multiply (call, &product);
}

static const char *
valatt_note (const HybCall *call, gint64 parts)
{
  HybAttentionProduct product = hyb_attention_find_values (call, parts);

  return hyb_attention_note (call, &product);
}

static const char *
selfatt_valatt_note (const HybCall *call)
{
  return valatt_note (call, HYB_ATTENTION_PARTS_SELF);
}

static const char *
encdec_valatt_note (const HybCall *call)
{
  return valatt_note (call, HYB_ATTENTION_PARTS_ENCODER);
}

static void
selfatt_valatt_forward (const HybCall *call, const HybRun *run)
{
  valatt_forward (call, run, HYB_ATTENTION_PARTS_SELF);
}

static void
encdec_valatt_forward (const HybCall *call, const HybRun *run)
{
  valatt_forward (call, run, HYB_ATTENTION_PARTS_ENCODER);
}

/* --- Gradients: inputs are the incoming gradient and the forward inputs, outputs as those --- */

static void
backward_qk (const HybCall *call, const HybRun *run)
{
  guint               keys = call->n_outputs - 1;
  HybAttentionProduct products[2], *of_queries = &products[0], *of_keys = &products[1];

  hyb_attention_find_score_gradients (call, products);
  of_queries->a.data = of_keys->a.data = run->input[0];
  of_queries->b.data = run->input[keys + 1];
  of_keys->b.data = run->input[1];
  of_queries->c = run->output[0];
  of_keys->c = run->output[keys];
  /* The scores do not depend on the values, whose gradient is zero. */
  memset (run->output[keys], 0, hyb_type_bytes (&call->output[keys]));
  hyb_attention_multiply (call, of_queries);
  hyb_attention_multiply (call, of_keys);
}

static const char *
backward_qk_note (const HybCall *call)
{
  HybAttentionProduct products[2];

  hyb_attention_find_score_gradients (call, products);
  return hyb_attention_note (call, &products[0]);
}

static void
backward_valatt (const HybCall *call, const HybRun *run, gint64 parts)
{
  HybAttentionProduct products[2], *of_attention = &products[0], *of_values = &products[1];

  hyb_attention_find_value_gradients (call, parts, products);
  of_attention->a.data = of_values->b.data = run->input[0];
  of_attention->b.data = run->input[1];
  of_values->a.data = run->input[2];
  of_attention->c = run->output[1];
  of_values->c = run->output[0];
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_attention_multiply (call, of_attention);
  hyb_attention_multiply (call, of_values);
}

static const char *
backward_selfatt_valatt_note (const HybCall *call)
{
  HybAttentionProduct products[2];

  hyb_attention_find_value_gradients (call, HYB_ATTENTION_PARTS_SELF, products);
  return hyb_attention_note (call, &products[0]);
}

static const char *
backward_encdec_valatt_note (const HybCall *call)
{
  HybAttentionProduct products[2];

  hyb_attention_find_value_gradients (call, HYB_ATTENTION_PARTS_ENCODER, products);
  return hyb_attention_note (call, &products[0]);
}

static void
backward_selfatt_valatt (const HybCall *call, const HybRun *run)
{
  backward_valatt (call, run, HYB_ATTENTION_PARTS_SELF);
}

static void
backward_encdec_valatt (const HybCall *call, const HybRun *run)
{
  backward_valatt (call, run, HYB_ATTENTION_PARTS_ENCODER);
}

/* Every product takes 2 × d operations for each score: it has the scores as one operand or result,
 * and d as one dimension. */
static void
cost_of_products (const HybCall *call, const HybShape *score_shape, gint64 features, HybCost *cost)
{
  const HybAttentionParams *params = call->params;

  cost->flops = 2.0 * (double) hyb_shape_size (score_shape) * (double) (features / params->heads);
  hyb_rule_cost_bytes (call, cost);
}

static void
qk_cost (const HybCall *call, HybCost *cost)
{
  gint64 features = call->input[0].shape.dim[2] /
                    (call->n_inputs == 1 ? HYB_ATTENTION_PARTS_SELF : HYB_ATTENTION_PARTS_QUERIES);

  cost_of_products (call, &call->output[0].shape, features, cost);
}

static void
valatt_cost (const HybCall *call, HybCost *cost)
{
  cost_of_products (call, &call->input[1].shape, call->output[0].shape.dim[2], cost);
}

static void
backward_qk_cost (const HybCall *call, HybCost *cost)
{
  gint64 features = call->output[0].shape.dim[2] /
                    (call->n_outputs == 1 ? HYB_ATTENTION_PARTS_SELF : HYB_ATTENTION_PARTS_QUERIES);

  cost_of_products (call, &call->input[0].shape, features, cost);
  cost->flops *= 2;
}

static void
backward_valatt_cost (const HybCall *call, HybCost *cost)
{
  cost_of_products (call, &call->output[1].shape, call->input[0].shape.dim[2], cost);
  cost->flops *= 2;
}

static const char *const selfatt_qk_inputs[] = { "queries_keys_values", NULL };
static const char *const selfatt_valatt_inputs[] = { "queries_keys_values", "attention", NULL };
static const char *const encdec_qk_inputs[] = { "queries", "keys_values", NULL };
static const char *const encdec_valatt_inputs[] = { "keys_values", "attention", NULL };

static const char *const one_backward_inputs[] = { "gradient", "queries_keys_values", NULL };
static const char *const two_backward_inputs[] = { "gradient", "first", "second", NULL };
static const char *const one_output[] = { "first_gradient", NULL };
static const char *const two_outputs[] = { "first_gradient", "second_gradient", NULL };

#define ATTENTION(symbol, what, stem, kernel, words, work)                                       \
  {                                                                                              \
    .name = "_contrib_interleaved_matmul_" symbol, .doc = what, .category = HYB_CATEGORY_LINEAR, \
    .inputs = stem##_inputs, .params = attention_params,                                         \
    .params_size = sizeof (HybAttentionParams), .infer_shape = stem##_infer_shape,               \
    .dtypes = HYB_DTYPES_FLOAT, .forward = kernel, .note = words,                                \
    .gradient = hyb_gradient_by_operands, .cost = work,                                          \
  }

#define BACKWARD(symbol, input_names, output_names, kernel, words, work)                   \
  {                                                                                        \
    .name = "_backward_interleaved_matmul_" symbol,                                        \
    .doc = "Gradients of interleaved_matmul_" symbol ".", .category = HYB_CATEGORY_LINEAR, \
    .gradient_of = "_contrib_interleaved_matmul_" symbol, .operands = "g0 i* > i*",        \
    .flags = HYB_OP_INTERNAL, .inputs = input_names, .outputs = output_names,              \
    .params = attention_params, .params_size = sizeof (HybAttentionParams),                \
    .dtypes = HYB_DTYPES_FLOAT, .forward = kernel, .note = words, .cost = work,            \
  }

const HybOp hyb_ops_attention[] = {
  ATTENTION ("selfatt_qk",
             "Scores of self attention: queries times keys.",
             selfatt_qk,
             qk_forward,
             qk_note,
             qk_cost),
  ATTENTION ("selfatt_valatt",
             "Output of self attention: weights times values.",
             selfatt_valatt,
             selfatt_valatt_forward,
             selfatt_valatt_note,
             valatt_cost),
  ATTENTION ("encdec_qk",
             "Scores of attention to an encoder: queries times keys.",
             encdec_qk,
             qk_forward,
             qk_note,
             qk_cost),
  ATTENTION ("encdec_valatt",
             "Output of attention to an encoder: weights times values.",
             encdec_valatt,
             encdec_valatt_forward,
             encdec_valatt_note,
             valatt_cost),
  BACKWARD ("selfatt_qk",
            one_backward_inputs,
            one_output,
            backward_qk,
            backward_qk_note,
            backward_qk_cost),
  BACKWARD ("selfatt_valatt",
            two_backward_inputs,
            two_outputs,
            backward_selfatt_valatt,
            backward_selfatt_valatt_note,
            backward_valatt_cost),
  BACKWARD ("encdec_qk",
            two_backward_inputs,
            two_outputs,
            backward_qk,
            backward_qk_note,
            backward_qk_cost),
  BACKWARD ("encdec_valatt",
            two_backward_inputs,
            two_outputs,
            backward_encdec_valatt,
            backward_encdec_valatt_note,
            backward_valatt_cost),
  { 0 },
};

#undef ATTENTION
#undef BACKWARD
