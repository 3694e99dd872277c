/* attention.c — interleaved_matmul_selfatt_… and …_encdec_…: the matrix products of multi-head
 * attention on interleaved projections.
 *
 * An interleaved array has the shape (time, sample, heads × parts × d).  Its parts are queries, keys
 * and values in self attention (3 parts), keys and values in attention to an encoder (2), and plain
 * queries (1).  Scores have the shape (sample × heads, queries, keys).  The products run in place on
 * the interleaved arrays, through strides.  With q scaled by 1/√d:
 *
 *   qk:     S = q kᵀ         dq = dS k,  dk = dSᵀ q
 *   valatt: O = A v          dA = dO vᵀ, dv = Aᵀ dO
 *
 * Start with multiply() and qk_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

enum
{
  PARTS_QUERIES = 1,
  PARTS_ENCODER = 2, /* keys, values */
  PARTS_SELF = 3,    /* queries, keys, values */
};

typedef struct
{
  gint64 heads;
} AttentionParams;

static const HybParam attention_params[] = {
  { HYB_FIELD (AttentionParams, heads), HYB_PARAM_INT, .low = 1, .high = 1 << 20,
    .doc = "number of heads" },
  { 0 },
};

/* --- Products --- */

/* An array as one matrix for each sample and head.  Rows are time steps. */
typedef struct
{
  gint64 start;             /* index of the first element of the first matrix */
  gint64 row, sample, head; /* strides in elements */
} Layout;

/* Part number `part` of `parts` in an interleaved array. */
static Layout
interleaved_layout (const HybShape *shape, gint64 heads, gint64 parts, gint64 part)
{
  gint64 d = shape->dim[2] / heads / parts;

  return (Layout){
    .start = part * d,
    .row = shape->dim[1] * shape->dim[2],
    .sample = shape->dim[2],
    .head = parts * d,
  };
}

/* Scores: (sample × heads, queries, keys). */
static Layout
score_layout (const HybShape *shape, gint64 heads)
{
  gint64 size = shape->dim[1] * shape->dim[2];

  return (Layout){ .row = shape->dim[2], .sample = heads * size, .head = size };
}

typedef struct
{
  gint64 heads, samples, d;
  gint64 queries, keys; /* time steps */
} Sizes;

static Sizes
sizes_of (const HybCall  *call,
          const HybShape *interleaved_shape,
          gint64          parts,
          const HybShape *score_shape)
{
  gint64 heads = ((const AttentionParams *) call->params)->heads;

  return (Sizes){
    .heads = heads,
    .samples = interleaved_shape->dim[1],
    .d = interleaved_shape->dim[2] / heads / parts,
    .queries = score_shape->dim[1],
    .keys = score_shape->dim[2],
  };
}

typedef struct
{
  Layout        layout;
  gconstpointer data;
  gboolean      transpose;
} Factor;

/* C = alpha op(A) op(B), where C is m × n and the sum goes over k. */
typedef struct
{
  double   alpha;
  gint64   m, n, k;
  Factor   a, b;
  Layout   c_layout;
  gpointer c;
} Product;

/* The product of one sample and head. */
static HybGemm
gemm_of (const Product *product)
{
  return (HybGemm){
    .transpose_a = product->a.transpose,
    .transpose_b = product->b.transpose,
    .m = product->m,
    .n = product->n,
    .k = product->k,
    .lda = MAX (1, product->a.layout.row),
    .ldb = MAX (1, product->b.layout.row),
    .ldc = MAX (1, product->c_layout.row),
    .alpha = product->alpha,
  };
}

/* Computes a product for every sample and head. */
static void
multiply (const HybCall *call, const Sizes *sizes, const Product *product)
{
  const Layout *a = &product->a.layout, *b = &product->b.layout, *c = &product->c_layout;
  HybDType      dtype = call->output[0].dtype;
  gint64        item = (gint64) hyb_dtype_size (dtype);
  HybGemm       gemm = gemm_of (product);
  HybGemmBatch  batch = {
     .count = { sizes->samples, sizes->heads },
     .a = { a->sample, a->head },
     .b = { b->sample, b->head },
     .c = { c->sample, c->head },
  };

  hyb_gemm_batch (&gemm, &batch,
                  &(HybGemmOperands){ .dtype = dtype,
                                      .a = (const char *) product->a.data + a->start * item,
                                      .b = (const char *) product->b.data + b->start * item,
                                      .c = (char *) product->c + c->start * item });
}

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
  const AttentionParams *params = call->params;
  HybShape              *q = queries->shape, *k = keys->shape;
  HybShape               scores;

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
  const AttentionParams *params = call->params;
  HybShape              *values = &call->input[0].shape;
  HybShape              *attention = &call->input[1].shape;
  HybShape               shape;

  if (!check_interleaved (&(Interleaved){ values, parts, "the values" }, params->heads, error))
    return FALSE;
  if (values->rank == HYB_UNKNOWN)
    return TRUE;

  /* In self attention there are as many queries as keys. */
  shape = hyb_shape_3d (scaled (values->dim[1], params->heads, 1),
                        parts == PARTS_SELF ? values->dim[0] : HYB_UNKNOWN, values->dim[0]);
  if (!hyb_shape_assign (attention, &shape, error))
    return FALSE;

  shape = hyb_shape_3d (attention->dim[1], values->dim[1], scaled (values->dim[2], 1, parts));
  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

static gboolean
selfatt_qk_infer_shape (HybCall *call, GError **error)
{
  HybShape *qkv = &call->input[0].shape;

  return infer_scores (call, &(Interleaved){ qkv, PARTS_SELF, "the queries" },
                       &(Interleaved){ qkv, PARTS_SELF, "the keys" }, error);
}

static gboolean
encdec_qk_infer_shape (HybCall *call, GError **error)
{
  return infer_scores (call, &(Interleaved){ &call->input[0].shape, PARTS_QUERIES, "the queries" },
                       &(Interleaved){ &call->input[1].shape, PARTS_ENCODER, "the keys" }, error);
}

static gboolean
selfatt_valatt_infer_shape (HybCall *call, GError **error)
{
  return infer_values (call, PARTS_SELF, error);
}

static gboolean
encdec_valatt_infer_shape (HybCall *call, GError **error)
{
  return infer_values (call, PARTS_ENCODER, error);
}

/* --- Forward --- */

/* The scores, without the addresses of the arrays. */
static Product
find_scores (const HybCall *call, Sizes *sizes)
{
  guint           keys = call->n_inputs - 1; /* one input holds both in self attention */
  gint64          parts_q = keys == 0 ? PARTS_SELF : PARTS_QUERIES;
  gint64          parts_k = keys == 0 ? PARTS_SELF : PARTS_ENCODER;
  const HybShape *shape = &call->input[0].shape, *keys_shape = &call->input[keys].shape;

  *sizes = sizes_of (call, shape, parts_q, &call->output[0].shape);
  return (Product){
    .alpha = 1 / sqrt ((double) sizes->d),
    .m = sizes->queries,
    .n = sizes->keys,
    .k = sizes->d,
    .a = { .layout = interleaved_layout (shape, sizes->heads, parts_q, 0) },
    .b = { .layout = interleaved_layout (keys_shape, sizes->heads, parts_k, parts_k - 2),
           .transpose = TRUE },
    .c_layout = score_layout (&call->output[0].shape, sizes->heads),
  };
}

static void
qk_forward (const HybCall *call, const HybRun *run)
{
  Sizes   sizes;
  Product product = find_scores (call, &sizes);

  product.a.data = run->input[0];
  product.b.data = run->input[call->n_inputs - 1];
  product.c = run->output[0];
  multiply (call, &sizes, &product);
}

static const char *
qk_note (const HybCall *call)
{
  Sizes   sizes;
  Product product = find_scores (call, &sizes);
  HybGemm gemm = gemm_of (&product);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

/* The weighted values, without the addresses of the arrays. */
static Product
find_values (const HybCall *call, gint64 parts, Sizes *sizes)
{
  const HybShape *shape = &call->input[0].shape;

  *sizes = sizes_of (call, shape, parts, &call->input[1].shape);
  return (Product){
    .alpha = 1,
    .m = sizes->queries,
    .n = sizes->d,
    .k = sizes->keys,
    .a = { .layout = score_layout (&call->input[1].shape, sizes->heads) },
    .b = { .layout = interleaved_layout (shape, sizes->heads, parts, parts - 1) },
    .c_layout = interleaved_layout (&call->output[0].shape, sizes->heads, 1, 0),
  };
}

static void
valatt_forward (const HybCall *call, const HybRun *run, gint64 parts)
{
  Sizes   sizes;
  Product product = find_values (call, parts, &sizes);

  product.a.data = run->input[1];
  product.b.data = run->input[0];
  product.c = run->output[0];
  multiply (call, &sizes, &product);
}

static const char *
valatt_note (const HybCall *call, gint64 parts)
{
  Sizes   sizes;
  Product product = find_values (call, parts, &sizes);
  HybGemm gemm = gemm_of (&product);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static const char *
selfatt_valatt_note (const HybCall *call)
{
  return valatt_note (call, PARTS_SELF);
}

static const char *
encdec_valatt_note (const HybCall *call)
{
  return valatt_note (call, PARTS_ENCODER);
}

static void
selfatt_valatt_forward (const HybCall *call, const HybRun *run)
{
  valatt_forward (call, run, PARTS_SELF);
}

static void
encdec_valatt_forward (const HybCall *call, const HybRun *run)
{
  valatt_forward (call, run, PARTS_ENCODER);
}

/* --- Gradients: inputs are the incoming gradient and the forward inputs, outputs as those --- */

static void
backward_qk (const HybCall *call, const HybRun *run)
{
  guint           keys = call->n_outputs - 1;
  gint64          parts_q = keys == 0 ? PARTS_SELF : PARTS_QUERIES;
  gint64          parts_k = keys == 0 ? PARTS_SELF : PARTS_ENCODER;
  const HybShape *shape = &call->output[0].shape;
  Sizes           sizes = sizes_of (call, shape, parts_q, &call->input[0].shape);
  Layout          q = interleaved_layout (shape, sizes.heads, parts_q, 0);
  Layout k = interleaved_layout (&call->output[keys].shape, sizes.heads, parts_k, parts_k - 2);
  Layout s = score_layout (&call->input[0].shape, sizes.heads);
  double scale = 1 / sqrt ((double) sizes.d);

  /* The scores do not depend on the values, whose gradient is zero. */
  memset (run->output[keys], 0, hyb_type_bytes (&call->output[keys]));
  multiply (call, &sizes,
            &(Product){ .alpha = scale,
                        .m = sizes.queries,
                        .n = sizes.d,
                        .k = sizes.keys,
                        .a = { s, run->input[0], FALSE },
                        .b = { k, run->input[keys + 1], FALSE },
                        .c_layout = q,
                        .c = run->output[0] });
  multiply (call, &sizes,
            &(Product){ .alpha = scale,
                        .m = sizes.keys,
                        .n = sizes.d,
                        .k = sizes.queries,
                        .a = { s, run->input[0], TRUE },
                        .b = { q, run->input[1], FALSE },
                        .c_layout = k,
                        .c = run->output[keys] });
}

static void
backward_valatt (const HybCall *call, const HybRun *run, gint64 parts)
{
  const HybShape *shape = &call->output[0].shape;
  Sizes           sizes = sizes_of (call, shape, parts, &call->output[1].shape);
  Layout          v = interleaved_layout (shape, sizes.heads, parts, parts - 1);
  Layout          a = score_layout (&call->output[1].shape, sizes.heads);
  Layout          o = interleaved_layout (&call->input[0].shape, sizes.heads, 1, 0);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  multiply (call, &sizes,
            &(Product){ .alpha = 1,
                        .m = sizes.queries,
                        .n = sizes.keys,
                        .k = sizes.d,
                        .a = { o, run->input[0], FALSE },
                        .b = { v, run->input[1], TRUE },
                        .c_layout = a,
                        .c = run->output[1] });
  multiply (call, &sizes,
            &(Product){ .alpha = 1,
                        .m = sizes.keys,
                        .n = sizes.d,
                        .k = sizes.queries,
                        .a = { a, run->input[2], TRUE },
                        .b = { o, run->input[0], FALSE },
                        .c_layout = v,
                        .c = run->output[0] });
}

static void
backward_selfatt_valatt (const HybCall *call, const HybRun *run)
{
  backward_valatt (call, run, PARTS_SELF);
}

static void
backward_encdec_valatt (const HybCall *call, const HybRun *run)
{
  backward_valatt (call, run, PARTS_ENCODER);
}

/* Every product takes 2 × d operations for each score: it has the scores as one operand or result,
 * and d as one dimension. */
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
  gint64 features =
      call->input[0].shape.dim[2] / (call->n_inputs == 1 ? PARTS_SELF : PARTS_QUERIES);

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
  gint64 features =
      call->output[0].shape.dim[2] / (call->n_outputs == 1 ? PARTS_SELF : PARTS_QUERIES);

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

#define ATTENTION(symbol, what, stem, kernel, words, work)                                        \
  {                                                                                               \
    .name = "_contrib_interleaved_matmul_" symbol, .doc = what, .category = HYB_CATEGORY_LINEAR,  \
    .inputs = stem##_inputs, .params = attention_params, .params_size = sizeof (AttentionParams), \
    .infer_shape = stem##_infer_shape, .dtypes = HYB_DTYPES_FLOAT, .forward = kernel,             \
    .note = words, .gradient = hyb_gradient_by_operands, .cost = work,                            \
  }

#define BACKWARD(symbol, input_names, output_names, kernel, work)                          \
  {                                                                                        \
    .name = "_backward_interleaved_matmul_" symbol,                                        \
    .doc = "Gradients of interleaved_matmul_" symbol ".", .category = HYB_CATEGORY_LINEAR, \
    .gradient_of = "_contrib_interleaved_matmul_" symbol, .operands = "g0 i* > i*",        \
    .flags = HYB_OP_INTERNAL, .inputs = input_names, .outputs = output_names,              \
    .params = attention_params, .params_size = sizeof (AttentionParams),                   \
    .dtypes = HYB_DTYPES_FLOAT, .forward = kernel, .cost = work,                           \
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
