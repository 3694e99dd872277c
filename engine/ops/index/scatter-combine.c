/* scatter-combine.c — _scatter_combine: a copy of an array in which rows at given indices are combined with others.
 *
 * data (N, row …), indices (M), updates (M, row …): row indices[i] of the result becomes its product with row i of updates,
 * or the smaller or larger of both, one i after the other.  ONNX's ScatterND and ScatterElements are lowered to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

enum
{
  COMBINE_MUL,
  COMBINE_MIN,
  COMBINE_MAX,
};

typedef struct
{
  int reduction;
} CombineParams;

static const char *const reductions[] = { "mul", "min", "max", NULL };

static const HybParam combine_params[] = {
  { HYB_FIELD (CombineParams, reduction), HYB_PARAM_ENUM, NULL, .choices = reductions,
    .doc = "what becomes of two elements" },
  { 0 },
};

static gboolean
combine_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *indices = &call->input[1].shape;
  HybShape  ranked = hyb_shape_make (1, NULL);
  HybShape  rows;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_shape_assign (indices, &ranked, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->rank == 0)
    return hyb_refuse_types (error, NULL, "a 0-dimensional array has no rows");

  rows = *data;
  rows.dim[0] = indices->dim[0];
  if (!hyb_shape_unify (&call->input[2].shape, &rows, error))
    {
      g_prefix_error (error, "the updates: ");
      return FALSE;
    }
  indices->dim[0] = call->input[2].shape.dim[0];
  return TRUE;
}

static gboolean
combine_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

/* Combines n elements with others. */
typedef void (*CombineRow) (gpointer to, gconstpointer from, gsize n, int reduction);

/* NaN stays. */
#define COMBINE_ROW(SUFFIX, TYPE)                                                         \
  static void combine_##SUFFIX (gpointer to, gconstpointer from, gsize n, int reduction)  \
  {                                                                                       \
    TYPE       *x = to;                                                                   \
    const TYPE *y = from;                                                                 \
                                                                                          \
    for (gsize i = 0; i < n; i++)                                                         \
      if (reduction == COMBINE_MUL)                                                       \
        x[i] = (TYPE) (x[i] * y[i]);                                                      \
      else if (x[i] == x[i] && !(reduction == COMBINE_MIN ? x[i] <= y[i] : x[i] >= y[i])) \
        x[i] = y[i];                                                                      \
  }

COMBINE_ROW (f32, float)
COMBINE_ROW (f64, double)
COMBINE_ROW (u8, guint8)
COMBINE_ROW (i8, gint8)
COMBINE_ROW (i32, gint32)
COMBINE_ROW (i64, gint64)

static const CombineRow combine_row[HYB_N_DTYPES] = {
  [HYB_F32] = combine_f32, [HYB_F64] = combine_f64, [HYB_U8] = combine_u8,
  [HYB_I8] = combine_i8,   [HYB_I32] = combine_i32, [HYB_I64] = combine_i64,
};

/* Indices outside of the array are reported and ignored. */
static void
combine_forward (const HybCall *call, const HybRun *run)
{
  const CombineParams *params = call->params;
  const HybShape      *data = &call->input[0].shape;
  HybDType             dtype = call->input[0].dtype;
  gsize                row = (gsize) hyb_shape_count (data, 1, data->rank);
  gsize                bytes = row * hyb_dtype_size (dtype);

  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < call->input[1].shape.dim[0]; i++)
    {
      gint64 at = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) i);

      if (at < 0 || at >= data->dim[0])
        hyb_run_report_index (run, 0, (double) at, data->dim[0]);
      else
        combine_row[dtype]((char *) run->output[0] + (gsize) at * bytes,
                           (const char *) run->input[2] + (gsize) i * bytes, row,
                           params->reduction);
    }
}

static void
combine_cost (const HybCall *call, HybCost *cost)
{
  cost->flops = (double) hyb_shape_size (&call->input[2].shape);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const combine_inputs[] = { "data", "indices", "updates", NULL };

const HybOp hyb_ops_scatter_combine[] = {
  {
      .name = "_scatter_combine",
      .doc = "Copies an array, combining the rows at given indices with others.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_IN_PLACE | HYB_OP_INTERNAL,
      .inputs = combine_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (combine_params, CombineParams),
      .infer_shape = combine_infer_shape,
      .infer_dtype = combine_infer_dtype,
      .dtypes = HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_F64) | HYB_DTYPE_BIT (HYB_U8) |
                HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64),
      .forward = combine_forward,
      .cost = combine_cost,
  },
  { 0 },
};
