/* div-sqrt-dim.c — div_sqrt_dim: divides by the square root of the size of the last axis, as
 * attention scales its queries.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

static gboolean
div_sqrt_dim_infer_shape (HybCall *call, GError **error)
{
  if (!hyb_rule_unary (call, error))
    return FALSE;

  return call->input[0].shape.rank != 0 ||
         hyb_refuse_types (error, NULL, "a 0-dimensional array has no last axis");
}

static void
div_sqrt_dim_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->input[0].shape;
  gint64          n = hyb_shape_size (shape);
  double          root = sqrt ((double) shape->dim[shape->rank - 1]);

  if (call->input[0].dtype == HYB_F64)
    for (gint64 i = 0; i < n; i++)
      ((double *) run->output[0])[i] = ((const double *) run->input[0])[i] / root;
  else
    for (gint64 i = 0; i < n; i++)
      ((float *) run->output[0])[i] = ((const float *) run->input[0])[i] / (float) root;
}

static const char *const data_input[] = { "data", NULL };

const HybOp hyb_ops_div_sqrt_dim[] = {
  {
      .name = "_contrib_div_sqrt_dim",
      .doc = "Divides by the square root of the last dimension.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_IN_PLACE,
      .inputs = data_input,
      .infer_shape = div_sqrt_dim_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = div_sqrt_dim_forward,
      HYB_GRADIENT ("_contrib_div_sqrt_dim (g0) > i0"),
      .flops_per_output = 1,
  },
  { 0 },
};
