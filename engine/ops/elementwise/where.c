/* where.c — where: chooses between the elements, or the rows, of two arrays by a condition.
 *
 * out[i] = condition[i] ≠ 0 ? x[i] : y[i], where [i] is an element if the condition has the shape of
 * x, or a row if it is a vector.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* Elements for each thread at least. */
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
    return hyb_dim_unify (&condition->dim[0], &x->dim[0],
                          "the sizes of the condition and of the first axis", error);
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
} WhereOperands;

/* Everything except zero is true, including NaN. */
static gboolean
is_true (const WhereOperands *operands, gint64 n)
{
  if (operands->condition_dtype == HYB_F32)
    return ((const float *) operands->condition)[n] != 0;

  return hyb_dtype_get_double (operands->condition, operands->condition_dtype, (gsize) n) != 0;
}

static void
where_rows (gint64 begin, gint64 end, gpointer data)
{
  const WhereOperands *operands = data;

  for (gint64 n = begin; n < end; n++)
    memcpy (operands->out + (gsize) n * operands->row,
            (is_true (operands, n) ? operands->x : operands->y) + (gsize) n * operands->row,
            operands->row);
}

/* The common case: a float32 condition chooses single float32 elements. */
static void
where_floats (gint64 begin, gint64 end, gpointer data)
{
  const WhereOperands *operands = data;
  const float         *condition = operands->condition;
  const float         *x = (const float *) (gconstpointer) operands->x;
  const float         *y = (const float *) (gconstpointer) operands->y;
  float               *out = (float *) (gpointer) operands->out;

  for (gint64 n = begin; n < end; n++)
    out[n] = condition[n] != 0 ? x[n] : y[n];
}

static void
where_forward (const HybCall *call, const HybRun *run)
{
  gint64        n = hyb_shape_size (&call->input[0].shape);
  gint64        size = hyb_shape_size (&call->output[0].shape);
  gboolean      is_float = call->input[0].dtype == HYB_F32 && call->output[0].dtype == HYB_F32;
  WhereOperands operands = {
    .condition = run->input[0],
    .condition_dtype = call->input[0].dtype,
    .x = run->input[1],
    .y = run->input[2],
    .out = run->output[0],
  };

  if (size == 0)
    return;

  operands.row = (gsize) (size / n) * hyb_dtype_size (call->output[0].dtype);
  hyb_parallel_for (n, MAX (1, GRAIN / (size / n)),
                    is_float && n == size ? where_floats : where_rows, &operands);
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
      HYB_GRADIENT ("where (i0, g0, zeros_like (g0)) > i1; where (i0, zeros_like (g0), g0) > i2"),
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
