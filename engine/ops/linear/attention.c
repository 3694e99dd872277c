/* attention.c — the matrix products of attention on interleaved projections.
 *
 * Queries, keys and values lie side by side in the last axis: (heads, parts, d)
 * with parts = 3 (query, key, value) for self attention and 2 (key, value) for an
 * encoder's memory; plain queries have one part.  Each product runs over samples
 * and heads in place, through strides alone.  With q scaled by 1/√d:
 *
 *   qk:     S = q kᵀ         dq = dS k,  dk = dSᵀ q
 *   valatt: O = A v          dA = dO vᵀ, dv = Aᵀ dO
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/gradient.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64 heads;
} AttentionParams;

static const HybParam attention_params[] = {
  { HYB_FIELD (AttentionParams, heads),
    HYB_PARAM_INT,
    .low = 1,
    .high = 1 << 20,
    .doc = "number of heads" },
  { 0 },
};

/* One operand as matrices, a row a time step (or one of attention's). */
typedef struct
{
  gint64 start, row, sample, head;
} Matrices;

/* Part number `part` of `parts` in an interleaved array (time, sample, heads × parts × d). */
static Matrices
interleaved (const HybShape *shape, gint64 heads, gint64 parts, gint64 part)
{
  gint64 d = shape->dim[2] / heads / parts;

  return (Matrices){
    .start = part * d,
    .row = shape->dim[1] * shape->dim[2],
    .sample = shape->dim[2],
    .head = parts * d,
  };
}

/* Scores: (sample × heads, queries, keys). */
static Matrices
scores (const HybShape *shape, gint64 heads)
{
  gint64 size = shape->dim[1] * shape->dim[2];

  return (Matrices){ .row = shape->dim[2], .sample = heads * size, .head = size };
}

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  gint64         heads, samples;
} Products;

static Products
products_of (const HybCall *call, const HybRun *run, gint64 samples)
{
  const AttentionParams *params = call->params;

  return (Products){ call, run, params->heads, samples };
}

static gconstpointer
operand_at (const Products *products, gconstpointer data, gint64 start)
{
  return (const char *) data + start * (gint64) hyb_dtype_size (products->call->output[0].dtype);
}

/* C = alpha op(A) op(B) for every sample and head; C is m × n, summed over k. */
static void
multiply (const Products *products,
          double          alpha,
          gint64          m,
          gint64          n,
          gint64          k,
          gconstpointer   a,
          const Matrices *at_a,
          gboolean        transpose_a,
          gconstpointer   b,
          const Matrices *at_b,
          gboolean        transpose_b,
          gpointer        c,
          const Matrices *at_c)
{
  HybGemm      gemm = { transpose_a,        transpose_b,        m,     n, k, MAX (1, at_a->row),
                        MAX (1, at_b->row), MAX (1, at_c->row), alpha, 0 };
  HybGemmBatch batch = {
    .count = { products->samples, products->heads },
    .a = { at_a->sample, at_a->head },
    .b = { at_b->sample, at_b->head },
    .c = { at_c->sample, at_c->head },
  };

  hyb_gemm_batch (&gemm,
                  &batch,
                  products->call->output[0].dtype,
                  operand_at (products, a, at_a->start),
                  operand_at (products, b, at_b->start),
                  (gpointer) operand_at (products, c, at_c->start));
}

/* What the four operators are made of: which inputs hold what. */
typedef struct
{
  gint64 heads, samples, d;
  gint64 queries, keys; /* time steps */
} Sizes;

/* An interleaved input of rank 3 whose last axis is heads × parts × d. */
static gboolean
check_interleaved (HybShape *shape, const char *name, gint64 heads, gint64 parts, GError **error)
{
  HybShape ranked = hyb_shape_make (3, NULL);

  if (shape->rank == HYB_UNKNOWN)
    return TRUE;
  if (shape->rank != 3)
    {
      g_autofree char *text = hyb_shape_to_string (shape);

      return hyb_refuse_types (error,
                               "It must be (time, sample, features).",
                               "%s has shape %s, not 3 dimensions",
                               name,
                               text);
    }
  if (!hyb_shape_assign (shape, &ranked, error))
    return FALSE;
  if (shape->dim[2] != HYB_UNKNOWN && shape->dim[2] % (heads * parts) != 0)
    return hyb_refuse_types (error,
                             NULL,
                             "the last dimension of %s, %" G_GINT64_FORMAT
                             ", does not divide into %" G_GINT64_FORMAT
                             " heads of %" G_GINT64_FORMAT " parts",
                             name,
                             shape->dim[2],
                             heads,
                             parts);
  return TRUE;
}

static gint64
scaled (gint64 dim, gint64 times, gint64 over)
{
  return dim == HYB_UNKNOWN ? HYB_UNKNOWN : hyb_dim_multiply (dim / over, times);
}

/* queries: of parts_q parts; keys: likewise, may be the same array. */
static gboolean
infer_scores (HybCall  *call,
              HybShape *queries,
              gint64    parts_q,
              HybShape *keys,
              gint64    parts_k,
              HybShape *out,
              GError  **error)
{
  const AttentionParams *params = call->params;
  HybShape               shape;

  if (!check_interleaved (queries, "the queries", params->heads, parts_q, error) ||
      !check_interleaved (keys, "the keys", params->heads, parts_k, error))
    return FALSE;
  if (queries->rank == HYB_UNKNOWN || keys->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_dim_unify (&queries->dim[1], &keys->dim[1], "the numbers of samples", error))
    return FALSE;
  if (queries->dim[2] != HYB_UNKNOWN && keys->dim[2] != HYB_UNKNOWN &&
      queries->dim[2] / parts_q != keys->dim[2] / parts_k)
    return hyb_refuse_types (error, NULL, "queries and keys have different numbers of features");

  shape = hyb_shape_3d (scaled (queries->dim[1], params->heads, 1), queries->dim[0], keys->dim[0]);
  return hyb_shape_assign (out, &shape, error);
}

/* values: of `parts` parts; attention (sample × heads, queries, keys); out (queries, sample, heads × d). */
static gboolean
infer_values (HybCall  *call,
              HybShape *values,
              gint64    parts,
              HybShape *attention,
              HybShape *out,
              gboolean  is_self,
              GError  **error)
{
  const AttentionParams *params = call->params;
  HybShape               shape;

  if (!check_interleaved (values, "the values", params->heads, parts, error))
    return FALSE;
  if (values->rank == HYB_UNKNOWN)
    return TRUE;

  shape = hyb_shape_3d (scaled (values->dim[1], params->heads, 1),
                        is_self ? values->dim[0] : HYB_UNKNOWN,
                        values->dim[0]);
  if (!hyb_shape_assign (attention, &shape, error))
    return FALSE;

  shape = hyb_shape_3d (attention->dim[1], values->dim[1], scaled (values->dim[2], 1, parts));
  return hyb_shape_assign (out, &shape, error);
}

/* Self attention, scores: input queries_keys_values. */

static gboolean
selfatt_qk_infer_shape (HybCall *call, GError **error)
{
  HybShape *qkv = &call->input[0].shape;

  return infer_scores (call, qkv, 3, qkv, 3, &call->output[0].shape, error);
}

static gboolean
encdec_qk_infer_shape (HybCall *call, GError **error)
{
  return infer_scores (call,
                       &call->input[0].shape,
                       1,
                       &call->input[1].shape,
                       2,
                       &call->output[0].shape,
                       error);
}

static gboolean
selfatt_valatt_infer_shape (HybCall *call, GError **error)
{
  return infer_values (call,
                       &call->input[0].shape,
                       3,
                       &call->input[1].shape,
                       &call->output[0].shape,
                       TRUE,
                       error);
}

static gboolean
encdec_valatt_infer_shape (HybCall *call, GError **error)
{
  return infer_values (call,
                       &call->input[0].shape,
                       2,
                       &call->input[1].shape,
                       &call->output[0].shape,
                       FALSE,
                       error);
}

static Sizes
sizes_of (const HybShape *interleaved_shape,
          gint64          parts,
          const HybShape *score_shape,
          gint64          heads)
{
  return (Sizes){
    .heads = heads,
    .samples = interleaved_shape->dim[1],
    .d = interleaved_shape->dim[2] / heads / parts,
    .queries = score_shape->dim[1],
    .keys = score_shape->dim[2],
  };
}

static void
qk_forward (const HybCall *call, const HybRun *run)
{
  const AttentionParams *params = call->params;
  guint                  keys = call->n_inputs - 1; /* one input holds both in self attention */
  gint64                 parts_q = keys == 0 ? 3 : 1;
  gint64                 parts_k = keys == 0 ? 3 : 2;
  const HybShape        *shape = &call->input[0].shape;
  Sizes                  sizes = sizes_of (shape, parts_q, &call->output[0].shape, params->heads);
  Products               products = products_of (call, run, sizes.samples);
  Matrices               q = interleaved (shape, params->heads, parts_q, 0);
  Matrices k = interleaved (&call->input[keys].shape, params->heads, parts_k, parts_k - 2);
  Matrices s = scores (&call->output[0].shape, params->heads);

  multiply (&products,
            1 / sqrt ((double) sizes.d),
            sizes.queries,
            sizes.keys,
            sizes.d,
            run->input[0],
            &q,
            FALSE,
            run->input[keys],
            &k,
            TRUE,
            run->output[0],
            &s);
}

static void
valatt_forward (const HybCall *call, const HybRun *run, gint64 parts)
{
  const AttentionParams *params = call->params;
  const HybShape        *shape = &call->input[0].shape;
  Sizes                  sizes = sizes_of (shape, parts, &call->input[1].shape, params->heads);
  Products               products = products_of (call, run, sizes.samples);
  Matrices               v = interleaved (shape, params->heads, parts, parts - 1);
  Matrices               a = scores (&call->input[1].shape, params->heads);
  Matrices               o = interleaved (&call->output[0].shape, params->heads, 1, 0);

  multiply (&products,
            1,
            sizes.queries,
            sizes.d,
            sizes.keys,
            run->input[1],
            &a,
            FALSE,
            run->input[0],
            &v,
            FALSE,
            run->output[0],
            &o);
}

static void
selfatt_valatt_forward (const HybCall *call, const HybRun *run)
{
  valatt_forward (call, run, 3);
}

static void
encdec_valatt_forward (const HybCall *call, const HybRun *run)
{
  valatt_forward (call, run, 2);
}

/* Gradients.  qk: inputs gradient, then the forward inputs; outputs as those. */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_unify (&call->output[i].shape, &call->input[i + 1].shape, error))
      return FALSE;

  return TRUE;
}

static void
backward_qk (const HybCall *call, const HybRun *run)
{
  const AttentionParams *params = call->params;
  guint                  keys = call->n_outputs - 1;
  gint64                 parts_q = keys == 0 ? 3 : 1;
  gint64                 parts_k = keys == 0 ? 3 : 2;
  const HybShape        *shape = &call->output[0].shape;
  Sizes                  sizes = sizes_of (shape, parts_q, &call->input[0].shape, params->heads);
  Products               products = products_of (call, run, sizes.samples);
  Matrices               q = interleaved (shape, params->heads, parts_q, 0);
  Matrices k = interleaved (&call->output[keys].shape, params->heads, parts_k, parts_k - 2);
  Matrices s = scores (&call->input[0].shape, params->heads);
  double   scale = 1 / sqrt ((double) sizes.d);

  /* The values have no part in the scores: their gradient is zero. */
  memset (run->output[keys], 0, hyb_type_bytes (&call->output[keys]));
  multiply (&products,
            scale,
            sizes.queries,
            sizes.d,
            sizes.keys,
            run->input[0],
            &s,
            FALSE,
            run->input[keys + 1],
            &k,
            FALSE,
            run->output[0],
            &q);
  multiply (&products,
            scale,
            sizes.keys,
            sizes.d,
            sizes.queries,
            run->input[0],
            &s,
            TRUE,
            run->input[1],
            &q,
            FALSE,
            run->output[keys],
            &k);
}

static void
backward_valatt (const HybCall *call, const HybRun *run, gint64 parts)
{
  const AttentionParams *params = call->params;
  const HybShape        *shape = &call->output[0].shape;
  Sizes                  sizes = sizes_of (shape, parts, &call->output[1].shape, params->heads);
  Products               products = products_of (call, run, sizes.samples);
  Matrices               v = interleaved (shape, params->heads, parts, parts - 1);
  Matrices               a = scores (&call->output[1].shape, params->heads);
  Matrices               o = interleaved (&call->input[0].shape, params->heads, 1, 0);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  multiply (&products,
            1,
            sizes.queries,
            sizes.keys,
            sizes.d,
            run->input[0],
            &o,
            FALSE,
            run->input[1],
            &v,
            TRUE,
            run->output[1],
            &a);
  multiply (&products,
            1,
            sizes.keys,
            sizes.d,
            sizes.queries,
            run->input[2],
            &a,
            TRUE,
            run->input[0],
            &o,
            FALSE,
            run->output[0],
            &v);
}

static void
backward_selfatt_valatt (const HybCall *call, const HybRun *run)
{
  backward_valatt (call, run, 3);
}

static void
backward_encdec_valatt (const HybCall *call, const HybRun *run)
{
  backward_valatt (call, run, 2);
}

static void
emit_backward (HybGrad *grad, const char *op)
{
  HybValueId inputs[3] = { hyb_grad_incoming (grad, 0) };
  HybValueId first;
  guint      n = hyb_grad_n_inputs (grad);

  for (guint i = 0; i < n; i++)
    inputs[i + 1] = hyb_grad_input (grad, i);
  first = hyb_grad_emit_same (grad, op, n + 1, inputs);
  for (guint i = 0; i < n; i++)
    hyb_grad_set_input (grad, i, first + i);
}

static void
selfatt_qk_gradient (HybGrad *grad)
{
  emit_backward (grad, "_backward_interleaved_matmul_selfatt_qk");
}

static void
selfatt_valatt_gradient (HybGrad *grad)
{
  emit_backward (grad, "_backward_interleaved_matmul_selfatt_valatt");
}

static void
encdec_qk_gradient (HybGrad *grad)
{
  emit_backward (grad, "_backward_interleaved_matmul_encdec_qk");
}

static void
encdec_valatt_gradient (HybGrad *grad)
{
  emit_backward (grad, "_backward_interleaved_matmul_encdec_valatt");
}

/* Every product of an operator is of heads × samples matrices of the size of the
 * scores, summed over d. */
static void
cost_of_products (const HybCall *call, const HybShape *score_shape, gint64 features, HybCost *cost)
{
  const AttentionParams *params = call->params;

  cost->flops = 2.0 * (double) hyb_shape_size (score_shape) * (double) (features / params->heads);
  hyb_rule_cost_bytes (call, cost);
}

static void
qk_cost (const HybCall *call, HybCost *cost)
{
  gint64 features = call->input[0].shape.dim[2] / (call->n_inputs == 1 ? 3 : 1);

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
  gint64 features = call->output[0].shape.dim[2] / (call->n_outputs == 1 ? 3 : 1);

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

#define ATTENTION(symbol, what, stem, kernel, work)                                               \
  {                                                                                               \
    .name = "_contrib_interleaved_matmul_" symbol, .doc = what, .category = HYB_CATEGORY_LINEAR,  \
    .inputs = stem##_inputs, .params = attention_params, .params_size = sizeof (AttentionParams), \
    .infer_shape = stem##_infer_shape, .dtypes = HYB_DTYPES_FLOAT, .forward = kernel,             \
    .gradient = stem##_gradient, .cost = work,                                                    \
  }

#define BACKWARD(symbol, input_names, output_names, kernel, work)                          \
  {                                                                                        \
    .name = "_backward_interleaved_matmul_" symbol,                                        \
    .doc = "Gradients of interleaved_matmul_" symbol ".", .category = HYB_CATEGORY_LINEAR, \
    .gradient_of = "_contrib_interleaved_matmul_" symbol, .operands = "g0 i* > i*",        \
    .flags = HYB_OP_INTERNAL, .inputs = input_names, .outputs = output_names,              \
    .params = attention_params, .params_size = sizeof (AttentionParams),                   \
    .infer_shape = backward_infer_shape, .dtypes = HYB_DTYPES_FLOAT, .forward = kernel,    \
    .cost = work,                                                                          \
  }

const HybOp hyb_ops_attention[] = {
  ATTENTION ("selfatt_qk",
             "Scores of self attention: queries times keys.",
             selfatt_qk,
             qk_forward,
             qk_cost),
  ATTENTION ("selfatt_valatt",
             "Result of self attention: weights times values.",
             selfatt_valatt,
             selfatt_valatt_forward,
             valatt_cost),
  ATTENTION ("encdec_qk",
             "Scores of attention to an encoder: queries times keys.",
             encdec_qk,
             qk_forward,
             qk_cost),
  ATTENTION ("encdec_valatt",
             "Result of attention to an encoder: weights times values.",
             encdec_valatt,
             encdec_valatt_forward,
             valatt_cost),
  BACKWARD ("selfatt_qk", one_backward_inputs, one_output, backward_qk, backward_qk_cost),
  BACKWARD ("selfatt_valatt",
            two_backward_inputs,
            two_outputs,
            backward_selfatt_valatt,
            backward_valatt_cost),
  BACKWARD ("encdec_qk", two_backward_inputs, two_outputs, backward_qk, backward_qk_cost),
  BACKWARD ("encdec_valatt",
            two_backward_inputs,
            two_outputs,
            backward_encdec_valatt,
            backward_valatt_cost),
  { 0 },
};

#undef ATTENTION
#undef BACKWARD
