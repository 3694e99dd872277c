/* attributes.h — the attributes of a call by name, for twins.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* An integer, enumerated or boolean attribute; fallback if the operator does not have it. */
static inline gint64
hyb_cuda_get_int (const HybCall *call, const char *name, gint64 fallback)
{
  return hyb_params_get_int (call->op->params, call->params, name, fallback);
}

/* A number; 0 if the operator does not have it. */
static inline double
hyb_cuda_get_double (const HybCall *call, const char *name)
{
  return hyb_params_get_double (call->op->params, call->params, name, 0);
}

/* A tuple of integers; NULL if the operator does not have it. */
static inline const HybInts *
hyb_cuda_get_ints (const HybCall *call, const char *name)
{
  return hyb_params_get_ints (call->op->params, call->params, name);
}

/* A tuple that is declared as a shape; NULL if the operator does not have it. */
static inline const HybShape *
hyb_cuda_get_shape (const HybCall *call, const char *name)
{
  const HybParam *param = hyb_params_find (call->op->params, name);

  return param && param->kind == HYB_PARAM_SHAPE
             ? (const HybShape *) (gconstpointer) ((const char *) call->params + param->offset)
             : NULL;
}

/* An axis from 0; negative ones count from the end. */
static inline int
hyb_cuda_axis_of (gint64 axis, int rank)
{
  return (int) (axis < 0 ? axis + rank : axis);
}
