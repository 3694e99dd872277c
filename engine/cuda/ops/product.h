/* product.h — products of matrices by cuBLAS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"

/* C (m × n) = A (m × k) · B (k × n) for each of `batch` products; matrices are stored row by row, and
 * A or B may be stored transposed. */
typedef struct
{
  HybDType dtype;
  gboolean transpose_a, transpose_b;
  gint64   m, n, k;
  gint64   lda, ldb, ldc; /* elements from one stored row to the next */
  gint64   batch;         /* 0 stands for 1 */
  gint64   stride_a, stride_b, stride_c;
  double   alpha, beta;
} HybProduct;

/* Why cuBLAS cannot compute products of these sizes, as half a sentence; NULL if it can. */
const char *hyb_product_refuses (const HybProduct *product);
/* Hands the product to the queue. */
void hyb_product_launch (HybQueue         *queue,
                         const HybProduct *product,
                         gconstpointer     a,
                         gconstpointer     b,
                         gpointer          c);
