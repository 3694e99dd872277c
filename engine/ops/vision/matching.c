/* matching.c — bipartite_matching: pairs rows with columns of a matrix of scores, the best score
 * first, each row and column once.  No gradient.
 *
 * Start at match_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/kernels/fill.h"
#include "engine/kernels/rank.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/run.h"

typedef struct
{
  gboolean is_ascend;
  double   threshold;
  gint64   topk;
} MatchParams;

static const HybParam match_params[] = {
  { HYB_FIELD (MatchParams, is_ascend), HYB_PARAM_BOOL, "False",
    .doc = "small scores are good ones" },
  { HYB_FIELD (MatchParams, threshold), HYB_PARAM_FLOAT, NULL,
    .doc = "scores must be better than this" },
  { HYB_FIELD (MatchParams, topk), HYB_PARAM_INT, "-1",
    .doc = "stop when there are more pairs than this; 0 or less: no limit" },
  { 0 },
};

/* data (…, rows, columns), output 0 (…, rows), output 1 (…, columns). */
static gboolean
match_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape  want;

  if (!hyb_layer_expect_rank (data, "data", 2, HYB_MAX_RANK, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  want = hyb_dims_without (data, data->rank - 1);
  if (!hyb_layer_expect (&call->output[0].shape, "rows", &want, error))
    return FALSE;

  want = hyb_dims_without (data, data->rank - 2);
  return hyb_layer_expect (&call->output[1].shape, "columns", &want, error);
}

/* The number of cells of one matrix. */
static gint64
count_cells (const HybCall *call)
{
  const HybShape *data = &call->input[0].shape;

  return hyb_dims_product (data, data->rank - 2, data->rank);
}

/* Holds the cells of all matrices, best first, and the scratch memory of hyb_rank(). */
static gsize
match_workspace (const HybCall *call)
{
  gint64 cells = count_cells (call);
  gint64 all = hyb_shape_size (&call->input[0].shape);
  gsize  bytes, workspace = 0;

  if (!g_size_checked_mul (&bytes, (gsize) all, sizeof (gint64)))
    return G_MAXSIZE;

  hyb_workspace_take (&workspace, bytes);
  hyb_workspace_take (&workspace, hyb_rank_workspace (cells > 0 ? all / cells : 0, cells));
  return workspace;
}

/* Makes the pairs of matrix number `matrix`, whose cells are given best first.  As in MXNet, topk
 * is compared after a pair was made, so that at most topk + 1 pairs are made. */
static void
match_pairs (const HybCall *call, const HybRun *run, gint64 matrix, const gint64 *sorted)
{
  const MatchParams *params = call->params;
  const HybShape    *data = &call->input[0].shape;
  HybDType           dtype = call->output[0].dtype;
  gint64             rows = data->dim[data->rank - 2], columns = data->dim[data->rank - 1];
  double             limit = (float) params->threshold;

  for (gint64 i = 0, count = 0; i < rows * columns; i++)
    {
      gint64 row = sorted[i] / columns, column = sorted[i] % columns;
      gsize  at_row = (gsize) (matrix * rows + row);
      gsize  at_column = (gsize) (matrix * columns + column);
      double score =
          hyb_dtype_get_double (run->input[0], dtype, at_row * (gsize) columns + (gsize) column);

      if (hyb_dtype_get_double (run->output[0], dtype, at_row) >= 0 ||
          hyb_dtype_get_double (run->output[1], dtype, at_column) >= 0)
        continue;
      if (!(params->is_ascend ? score < limit : score > limit))
        return;

      hyb_dtype_set_double (run->output[0], dtype, at_row, (double) column);
      hyb_dtype_set_double (run->output[1], dtype, at_column, (double) row);
      if (params->topk > 0 && ++count > params->topk)
        return;
    }
}

static void
match_forward (const HybCall *call, const HybRun *run)
{
  const MatchParams *params = call->params;
  gint64             cells = count_cells (call), all = hyb_shape_size (&call->input[0].shape);
  gsize              workspace = 0;
  gint64            *sorted = run->workspace;
  HybRanking         ranking = {
            .outer = cells > 0 ? all / cells : 0,
            .length = cells,
            .inner = 1,
            .k = cells,
            .is_ascend = params->is_ascend,
            .dtype = call->input[0].dtype,
            .data = run->input[0],
            .indices = sorted,
            .index_dtype = HYB_I64,
  };

  hyb_workspace_take (&workspace, (gsize) all * sizeof (gint64));
  ranking.scratch = (gpointer) ((char *) run->workspace + workspace);
  for (guint i = 0; i < 2; i++)
    hyb_fill (run->output[i], call->output[i].dtype, -1,
              (gsize) hyb_shape_size (&call->output[i].shape));
  if (cells == 0)
    return;

  hyb_rank (&ranking);
  for (gint64 matrix = 0; matrix < ranking.outer; matrix++)
    match_pairs (call, run, matrix, sorted + matrix * cells);
}

static const char *const match_inputs[] = { "data", NULL };
static const char *const match_outputs[] = { "output0", "output1", NULL };

const HybOp hyb_ops_matching[] = {
  {
      .name = "_contrib_bipartite_matching",
      .doc = "Pairs rows with columns of a matrix of scores, the best score first.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = match_inputs,
      .outputs = match_outputs,
      HYB_PARAMS (match_params, MatchParams),
      .infer_shape = match_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = match_forward,
      .workspace = match_workspace,
  },
  { 0 },
};
