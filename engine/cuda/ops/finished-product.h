/* finished-product.h — products to which cuBLASLt adds a bias, and which it rectifies, while it writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/ops/product.h"

/* A planned product A Bᵀ + bias, with max (0, x) of it or without. */
typedef struct _HybFinishedProduct HybFinishedProduct;

/* Plans the product, of which alpha, beta, batches and groups are not used; B is stored transposed.  NULL where cuBLASLt is
 * not there or has no algorithm for it. */
HybFinishedProduct *
hyb_finished_product_new (HybDevice *device, const HybProduct *product, gboolean rectifies);
/* Frees it; NULL is allowed. */
void hyb_finished_product_free (HybFinishedProduct *finished);

typedef struct
{
  gconstpointer a, b, bias;
  gpointer      c;
} HybFinishedOperands;

/* Hands it to the queue.  FALSE, and nothing is done, if an operand lies where the planned algorithm does not read. */
gboolean hyb_finished_product_launch (HybQueue                  *queue,
                                      const HybFinishedProduct  *finished,
                                      const HybFinishedOperands *operands);
