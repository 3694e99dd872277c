/* khatri-rao.c — khatri_rao: the outer products of equally numbered columns of several matrices.
 *
 * Matrices (M₁, N), (M₂, N) … give (M₁ M₂ …, N); the row of the last matrix changes fastest.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  gint64 num_args;
} KhatriRaoParams;

static const HybParam khatri_rao_params[] = {
  { HYB_FIELD (KhatriRaoParams, num_args), HYB_PARAM_INT, NULL, 1, 1 << 20,
    .doc = "number of matrices" },
  { 0 },
};

static void
khatri_rao_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const KhatriRaoParams *) params)->num_args;
  *n_outputs = 1;
}

static gboolean
khatri_rao_infer_shape (HybCall *call, GError **error)
{
  HybShape out = hyb_shape_2d (1, HYB_UNKNOWN);

  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybShape        *matrix = &call->input[i].shape;
      g_autofree char *name = g_strdup_printf ("arg%u", i);

      if (!hyb_layer_expect_rank (matrix, name, 2, 2, error))
        return FALSE;
      if (matrix->rank == HYB_UNKNOWN)
        *matrix = hyb_shape_make (2, NULL);
      if (!hyb_dim_unify (&out.dim[1], &matrix->dim[1], "the numbers of columns", error))
        return FALSE;
      out.dim[0] = hyb_dim_multiply (out.dim[0], matrix->dim[0]);
    }
  if (!hyb_shape_unify (&out, &call->output[0].shape, error))
    return FALSE;
  for (guint i = 0; i < call->n_inputs; i++)
    call->input[i].shape.dim[1] = out.dim[1];
  return TRUE;
}

/* The row of matrix i that belongs to a row of the result is found by division, from the last matrix
 * to the first. */
#define ROW(T, suffix)                                                          \
  static void row_##suffix (const HybCall *call, const HybRun *run, gint64 row) \
  {                                                                             \
    gint64 n = call->output[0].shape.dim[1], rest = row;                        \
    T     *y = (T *) run->output[0] + row * n;                                  \
                                                                                \
    for (gint64 k = 0; k < n; k++)                                              \
      y[k] = 1;                                                                 \
    for (guint i = call->n_inputs; i-- > 0;)                                    \
      {                                                                         \
        gint64   rows = call->input[i].shape.dim[0];                            \
        const T *x = (const T *) run->input[i] + rest % rows * n;               \
                                                                                \
        for (gint64 k = 0; k < n; k++)                                          \
          y[k] *= x[k];                                                         \
        rest /= rows;                                                           \
      }                                                                         \
  }

ROW (float, f32)
ROW (double, f64)

#undef ROW

static void
khatri_rao_forward (const HybCall *call, const HybRun *run)
{
  for (gint64 row = 0; row < call->output[0].shape.dim[0]; row++)
    if (call->output[0].dtype == HYB_F64)
      row_f64 (call, run, row);
    else
      row_f32 (call, run, row);
}

static void
khatri_rao_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_elementwise (call, (double) call->n_inputs, cost);
}

static const char *const khatri_rao_inputs[] = { "arg", NULL };

const HybOp hyb_ops_khatri_rao[] = {
  {
      .name = "khatri_rao",
      .doc = "Outer products of equally numbered columns of several matrices.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = khatri_rao_inputs,
      HYB_PARAMS (khatri_rao_params, KhatriRaoParams),
      .arity = khatri_rao_arity,
      .infer_shape = khatri_rao_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = khatri_rao_forward,
      .cost = khatri_rao_cost,
  },
  { 0 },
};
