/* where.c — of two arrays, element by element, the one that a condition chooses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/gradient/gradient.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

#define GRAIN 16384

/* The condition has the shape of both, or one element for each of their rows. */
static gboolean
where_infer_shape (HybCall *call, GError **error)
{
  HybShape *condition = &call->input[0].shape;
  HybShape *x = &call->input[1].shape;
  HybShape *y = &call->input[2].shape;
  HybShape *out = &call->output[0].shape;

  if (!hyb_shape_unify (x, y, error) || !hyb_shape_unify (x, out, error) ||
      !hyb_shape_unify (x, y, error))
    return FALSE;
  if (condition->rank == HYB_UNKNOWN || x->rank == HYB_UNKNOWN)
    return TRUE;

  if (condition->rank == 1 && x->rank > 1)
    return hyb_dim_unify (&condition->dim[0],
                          &x->dim[0],
                          "the sizes of the condition and of the first axis",
                          error);
  if (hyb_shape_unify (condition, x, error))
    return TRUE;
  g_prefix_error (error, "the condition: ");
  return FALSE;
}

static gboolean
where_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 0, error);
}

typedef struct
{
  gconstpointer condition;
  HybDType      condition_dtype;
  gsize         row; /* bytes chosen by one element of the condition */
  const char   *x, *y;
  char         *out;
} WhereJob;

/* Anything but zero is true, NaN too. */
static gboolean
is_true (const WhereJob *job, gint64 n)
{
  if (job->condition_dtype == HYB_F32)
    return ((const float *) job->condition)[n] != 0;

  return hyb_dtype_get_double (job->condition, job->condition_dtype, (gsize) n) != 0;
}

static void
where_rows (gint64 begin, gint64 end, gpointer data)
{
  const WhereJob *job = data;

  for (gint64 n = begin; n < end; n++)
    memcpy (job->out + (gsize) n * job->row,
            (is_true (job, n) ? job->x : job->y) + (gsize) n * job->row,
            job->row);
}

/* The common case, single floats, without a call for each. */
static void
where_floats (gint64 begin, gint64 end, gpointer data)
{
  const WhereJob *job = data;
  const float    *condition = job->condition;
  const float    *x = (const float *) (gconstpointer) job->x;
  const float    *y = (const float *) (gconstpointer) job->y;
  float          *out = (float *) (gpointer) job->out;

  for (gint64 n = begin; n < end; n++)
    out[n] = condition[n] != 0 ? x[n] : y[n];
}

static void
where_forward (const HybCall *call, const HybRun *run)
{
  gint64   n = hyb_shape_size (&call->input[0].shape);
  gint64   size = hyb_shape_size (&call->output[0].shape);
  gboolean is_float = call->input[0].dtype == HYB_F32 && call->output[0].dtype == HYB_F32;
  WhereJob job = {
    .condition = run->input[0],
    .condition_dtype = call->input[0].dtype,
    .x = run->input[1],
    .y = run->input[2],
    .out = run->output[0],
  };

  if (size == 0)
    return;

  job.row = (gsize) (size / n) * hyb_dtype_size (call->output[0].dtype);
  hyb_parallel_for (n,
                    MAX (1, GRAIN / (size / n)),
                    is_float && n == size ? where_floats : where_rows,
                    &job);
}

static HybValueId
choose (HybGrad *grad, gboolean first)
{
  HybValueId dy = hyb_grad_incoming (grad, 0);
  HybValueId zeros = hyb_grad_emit (grad, "zeros_like", dy, HYB_NO_ID);

  return hyb_grad_emit (grad,
                        "where",
                        hyb_grad_input (grad, 0),
                        first ? dy : zeros,
                        first ? zeros : dy,
                        HYB_NO_ID);
}

static void
where_gradient (HybGrad *grad)
{
  if (hyb_grad_wants (grad, 1))
    hyb_grad_set_input (grad, 1, choose (grad, TRUE));
  if (hyb_grad_wants (grad, 2))
    hyb_grad_set_input (grad, 2, choose (grad, FALSE));
}

static const char *const where_inputs[] = { "condition", "x", "y", NULL };

const HybOp hyb_ops_where[] = {
  {
      .name = "where",
      .doc = "x where the condition is not zero, else y.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_POINTWISE,
      .inputs = where_inputs,
      .constant_inputs = 1 << 0,
      .infer_shape = where_infer_shape,
      .infer_dtype = where_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = where_forward,
      .gradient = where_gradient,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
