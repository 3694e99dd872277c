/* product.h — products of matrices by cuBLAS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"

/* C (m × n) = alpha A (m × k) · B (k × n) + beta C for each of `batch` products; matrices are stored row by
 * row, and A or B may be stored transposed. */
typedef struct
{
  HybDType dtype;
  gboolean transpose_a, transpose_b;
  gint64   m, n, k;
  gint64   lda, ldb, ldc; /* elements from one stored row to the next */
  gint64   batch;         /* 0 means 1 */
  gint64   stride_a, stride_b, stride_c;
  gint64   outer; /* groups of such products, one call of cuBLAS each; 0 means 1 */
  gint64   outer_a, outer_b, outer_c; /* elements from group to group */
  double   alpha, beta;
} HybProduct;

/* Joins groups and products of a group to one batch where their strides allow it; else sees to it that the
 * groups are the fewer ones. */
void hyb_product_join (HybProduct *product);

/* Why cuBLAS cannot compute products of these sizes, as half a sentence; NULL if it can. */
const char *hyb_product_refuses (const HybProduct *product);
/* cuBLAS's number of an element type. */
int hyb_product_type (HybDType dtype);
/* Its number of the type in which sums of products of such elements are computed. */
int hyb_product_compute_type (const HybDevice *device, HybDType dtype);
/* Hands the product to the queue. */
void hyb_product_launch (HybQueue         *queue,
                         const HybProduct *product,
                         gconstpointer     a,
                         gconstpointer     b,
                         gpointer          c);
