/* attention-products.c — see attention-products.h.  The products read and write the interleaved arrays in place, through
 * strides.  With q scaled by 1/√d:
 *
 *   qk:     S = q kᵀ         dq = dS k,  dk = dSᵀ q
 *   valatt: O = A v          dA = dO vᵀ, dv = Aᵀ dO
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/linear/attention-products.h"

#include "engine/kernels/matrix/gemm.h"

#include <math.h>

/* Part number `part` of `parts` in an interleaved array. */
static HybAttentionLayout
interleaved_layout (const HybShape *shape, gint64 heads, gint64 parts, gint64 part)
{
  gint64 d = shape->dim[2] / heads / parts;

  return (HybAttentionLayout){
    .start = part * d,
    .row = shape->dim[1] * shape->dim[2],
    .sample = shape->dim[2],
    .head = parts * d,
  };
}

/* Scores: (sample × heads, queries, keys). */
static HybAttentionLayout
score_layout (const HybShape *shape, gint64 heads)
{
  gint64 size = shape->dim[1] * shape->dim[2];

  return (HybAttentionLayout){ .row = shape->dim[2], .sample = heads * size, .head = size };
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
  gint64 heads = ((const HybAttentionParams *) call->params)->heads;

  return (Sizes){
    .heads = heads,
    .samples = interleaved_shape->dim[1],
    .d = interleaved_shape->dim[2] / heads / parts,
    .queries = score_shape->dim[1],
    .keys = score_shape->dim[2],
  };
}

/* A product of m × k and k × n matrices for every sample and head, whose factors the caller sets. */
static HybAttentionProduct
start_product (const Sizes *sizes, gint64 m, gint64 n, gint64 k)
{
  return (HybAttentionProduct){
    .alpha = 1, .samples = sizes->samples, .heads = sizes->heads, .m = m, .n = n, .k = k
  };
}

/* The product of one sample and head. */
static HybGemm
gemm_of (const HybAttentionProduct *product)
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

void
hyb_attention_multiply (const HybCall *call, const HybAttentionProduct *product)
{
  const HybAttentionLayout *a = &product->a.layout, *b = &product->b.layout,
                           *c = &product->c_layout;
  HybDType     dtype = call->output[0].dtype;
  gint64       item = (gint64) hyb_dtype_size (dtype);
  HybGemm      gemm = gemm_of (product);
  HybGemmBatch batch = {
    .count = { product->samples, product->heads },
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

HybAttentionProduct
hyb_attention_find_scores (const HybCall *call)
{
  guint               keys = call->n_inputs - 1; /* one input holds both in self attention */
  gint64              parts_q = keys == 0 ? HYB_ATTENTION_PARTS_SELF : HYB_ATTENTION_PARTS_QUERIES;
  gint64              parts_k = keys == 0 ? HYB_ATTENTION_PARTS_SELF : HYB_ATTENTION_PARTS_ENCODER;
  const HybShape     *shape = &call->input[0].shape, *keys_shape = &call->input[keys].shape;
  Sizes               sizes = sizes_of (call, shape, parts_q, &call->output[0].shape);
  HybAttentionProduct product = start_product (&sizes, sizes.queries, sizes.keys, sizes.d);

  product.alpha = 1 / sqrt ((double) sizes.d);
  product.a.layout = interleaved_layout (shape, sizes.heads, parts_q, 0);
  product.b.layout = interleaved_layout (keys_shape, sizes.heads, parts_k, parts_k - 2);
  product.b.transpose = TRUE;
  product.c_layout = score_layout (&call->output[0].shape, sizes.heads);
  return product;
}

HybAttentionProduct
hyb_attention_find_values (const HybCall *call, gint64 parts)
{
  const HybShape     *shape = &call->input[0].shape;
  Sizes               sizes = sizes_of (call, shape, parts, &call->input[1].shape);
  HybAttentionProduct product = start_product (&sizes, sizes.queries, sizes.d, sizes.keys);

  product.a.layout = score_layout (&call->input[1].shape, sizes.heads);
  product.b.layout = interleaved_layout (shape, sizes.heads, parts, parts - 1);
  product.c_layout = interleaved_layout (&call->output[0].shape, sizes.heads, 1, 0);
  return product;
}

void
hyb_attention_find_score_gradients (const HybCall *call, HybAttentionProduct products[2])
{
  guint           keys = call->n_outputs - 1;
  gint64          parts_q = keys == 0 ? HYB_ATTENTION_PARTS_SELF : HYB_ATTENTION_PARTS_QUERIES;
  gint64          parts_k = keys == 0 ? HYB_ATTENTION_PARTS_SELF : HYB_ATTENTION_PARTS_ENCODER;
  const HybShape *shape = &call->output[0].shape, *keys_shape = &call->output[keys].shape;
  Sizes           sizes = sizes_of (call, shape, parts_q, &call->input[0].shape);

  products[0] = start_product (&sizes, sizes.queries, sizes.d, sizes.keys);
  products[1] = start_product (&sizes, sizes.keys, sizes.d, sizes.queries);
  products[0].alpha = products[1].alpha = 1 / sqrt ((double) sizes.d);
  products[0].a.layout = products[1].a.layout = score_layout (&call->input[0].shape, sizes.heads);
  products[1].a.transpose = TRUE;
  products[0].b.layout = products[1].c_layout =
      interleaved_layout (keys_shape, sizes.heads, parts_k, parts_k - 2);
  products[1].b.layout = products[0].c_layout = interleaved_layout (shape, sizes.heads, parts_q, 0);
}

void
hyb_attention_find_value_gradients (const HybCall      *call,
                                    gint64              parts,
                                    HybAttentionProduct products[2])
{
  const HybShape    *shape = &call->output[0].shape;
  Sizes              sizes = sizes_of (call, shape, parts, &call->output[1].shape);
  HybAttentionLayout o = interleaved_layout (&call->input[0].shape, sizes.heads, 1, 0);

  products[0] = start_product (&sizes, sizes.queries, sizes.keys, sizes.d);
  products[1] = start_product (&sizes, sizes.keys, sizes.d, sizes.queries);
  products[0].a.layout = products[1].b.layout = o;
  products[0].b.transpose = products[1].a.transpose = TRUE;
  products[0].b.layout = products[1].c_layout =
      interleaved_layout (shape, sizes.heads, parts, parts - 1);
  products[1].a.layout = products[0].c_layout = score_layout (&call->output[1].shape, sizes.heads);
}

const char *
hyb_attention_note (const HybCall *call, const HybAttentionProduct *product)
{
  HybGemm gemm = gemm_of (product);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}
