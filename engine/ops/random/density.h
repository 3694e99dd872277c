/* density.h — what the operators _random_pdf_… share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The attributes of all of them. */
typedef struct
{
  gboolean is_log;
} HybDensityParams;

/* The table of HybDensityParams. */
extern const HybParam hyb_density_params[];

/* Adds the operator op, which computes the gradients of all inputs from the gradient of the output and
 * those inputs. */
void hyb_density_emit_gradient (HybGrad *grad, const char *op);
/* infer_shape of such an operator. */
gboolean hyb_density_backward_infer_shape (HybCall *call, GError **error);
/* HybOp.cost: logarithms and exponentials of every sample. */
void hyb_density_cost (const HybCall *call, HybCost *cost);
