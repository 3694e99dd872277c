/* einsum-contract.h — one sum of products of tensors, for einsum.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/ops/numpy/einsum-terms.h"

/* target[kept labels] = the sum over the other labels of the product of the factors. */
typedef struct
{
  HybDType      dtype;
  int           n_kept, n_summed, n_factors;
  gint64        dim[EINSUM_MAX_LABELS]; /* kept labels first, then summed ones */
  gint64        to[EINSUM_MAX_LABELS];
  gint64        from[EINSUM_MAX_OPERANDS][EINSUM_MAX_LABELS];
  gconstpointer x[EINSUM_MAX_OPERANDS];
  gpointer      y;
} EinsumContraction;

/* Computes the contraction, whose strides the caller has set for all labels; it counts and orders the labels itself.
 * Threads share the work. */
void hyb_einsum_contract (EinsumContraction *contraction, const EinsumLabels *labels);
