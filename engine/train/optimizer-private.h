/* optimizer-private.h — the formula of an optimizer, for the loops of the processor and for graphs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/optimizer-step.h"
#include "engine/train/optimizer.h"

struct _HybOptimizerFormula
{
  const char *op;  /* the operator of engine/ops/optimizer/update-trained.c that computes it */
  HybStepFunc run; /* the same on the processor */
  /* Sets the members of a step that are this optimizer's own; may change rate, which with decay,
   * rescale, clip and t is set before. */
  void (*set) (gconstpointer options, HybOptimizerStep *step);
};

/* Update number t, from 1, of a parameter with these multipliers: all members but n and the arrays. */
HybOptimizerStep
hyb_optimizer_get_step (HybOptimizer *optimizer, guint64 t, double lr_mult, double wd_mult);
/* The name of the operator that computes updates in graphs. */
const char *hyb_optimizer_get_operator (HybOptimizer *optimizer);
