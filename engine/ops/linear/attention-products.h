/* attention-products.h — the matrix products of attention on interleaved projections (attention.c), and of its gradients.
 *
 * A product is found from the types of a call, without the addresses of the arrays, which the caller sets before it computes it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* Parts of an interleaved array. */
enum
{
  HYB_ATTENTION_PARTS_QUERIES = 1,
  HYB_ATTENTION_PARTS_ENCODER = 2, /* keys, values */
  HYB_ATTENTION_PARTS_SELF = 3,    /* queries, keys, values */
};

typedef struct
{
  gint64 heads;
} HybAttentionParams;

/* An array as one matrix for each sample and head.  Rows are time steps. */
typedef struct
{
  gint64 start;             /* index of the first element of the first matrix */
  gint64 row, sample, head; /* strides in elements */
} HybAttentionLayout;

typedef struct
{
  HybAttentionLayout layout;
  gconstpointer      data;
  gboolean           transpose;
} HybAttentionFactor;

/* C = alpha op(A) op(B) for every sample and head, where C is m × n and the sum goes over k. */
typedef struct
{
  double             alpha;
  gint64             samples, heads;
  gint64             m, n, k;
  HybAttentionFactor a, b;
  HybAttentionLayout c_layout;
  gpointer           c;
} HybAttentionProduct;

/* The scores: queries times keys. */
HybAttentionProduct hyb_attention_find_scores (const HybCall *call);
/* The weighted values. */
HybAttentionProduct hyb_attention_find_values (const HybCall *call, gint64 parts);
/* The gradients of the queries and of the keys by the scores; both take as long. */
void hyb_attention_find_score_gradients (const HybCall *call, HybAttentionProduct products[2]);
/* The gradients of the attention and of the values; both take as long. */
void hyb_attention_find_value_gradients (const HybCall      *call,
                                         gint64              parts,
                                         HybAttentionProduct products[2]);
/* Computes a product whose addresses are set. */
void hyb_attention_multiply (const HybCall *call, const HybAttentionProduct *product);
/* The kernel that computes a product, as hyb_gemm_note(). */
const char *hyb_attention_note (const HybCall *call, const HybAttentionProduct *product);
