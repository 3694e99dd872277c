/* ranking.c — rules, forward and gradient that topk, sort and argsort share; kernels/rank.c does the
 * sorting.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/reduce/ranking.h"

#include "engine/op/dimensions.h"
#include "engine/op/rules.h"

#include <string.h>

gboolean
hyb_ranking_check_dtype (const HybShape *data, gint64 axis, HybDType dtype, GError **error)
{
  /* The largest index that each dtype holds exactly. */
  static const double limits[HYB_N_DTYPES] = {
    [HYB_F32] = 1 << 24,
    [HYB_F64] = 9007199254740992.0,
    [HYB_F16] = 2048,
    [HYB_BF16] = 256,
    [HYB_U8] = 255,
    [HYB_I8] = 127,
    [HYB_I16] = 32767,
    [HYB_U16] = 65535,
    [HYB_I32] = 2147483647.0,
    [HYB_U32] = 4294967295.0,
    [HYB_I64] = 9007199254740992.0,
    [HYB_U64] = 9007199254740992.0,
    [HYB_BOOL] = 1,
  };
  gint64 length = axis == HYB_NONE ? hyb_dims_product (data, 0, data->rank)
                                   : data->dim[hyb_shape_axis (data, axis, NULL)];

  if (dtype == HYB_DTYPE_UNKNOWN)
    return hyb_refuse_types (error, "Choose a dtype for indices", "dtype is None");
  return (double) length - 1 <= limits[dtype] ||
         hyb_refuse_types (error, "Choose a wider dtype for indices",
                           "%s cannot hold indices up to %" G_GINT64_FORMAT, hyb_dtype_name (dtype),
                           length - 1);
}

gboolean
hyb_ranking_shape (const HybShape *data,
                   gint64          wanted_axis,
                   gint64          k,
                   HybShape       *out,
                   GError        **error)
{
  int    axis = 0;
  gint64 length;

  *out = *data;
  if (wanted_axis == HYB_NONE)
    *out = hyb_shape_1d (hyb_dims_product (data, 0, data->rank));
  else
    axis = hyb_shape_axis (data, wanted_axis, error);
  if (axis < 0)
    return FALSE;

  length = out->dim[axis];
  if (length != HYB_UNKNOWN && k > length)
    return hyb_refuse_types (error, NULL,
                             "k is %" G_GINT64_FORMAT " but there are only %" G_GINT64_FORMAT
                             " elements",
                             k, length);
  if (k >= 1)
    out->dim[axis] = k;
  return TRUE;
}

gsize
hyb_ranking_workspace (const HybShape *data, gint64 axis)
{
  HybAxisView view = hyb_axis_view_optional (data, axis);

  return hyb_rank_workspace (view.outer * view.inner, view.length);
}

void
hyb_ranking_run (const HybCall *call, const HybRun *run, gint64 axis, gint64 k, HybRanking *ranking)
{
  HybAxisView view = hyb_axis_view_optional (&call->input[0].shape, axis);

  ranking->outer = view.outer;
  ranking->length = view.length;
  ranking->inner = view.inner;
  ranking->k = k < 1 ? view.length : k;
  ranking->dtype = call->input[0].dtype;
  ranking->data = run->input[0];
  ranking->scratch = run->workspace;
  hyb_rank (ranking);
}

gboolean
hyb_ranking_backward_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

void
hyb_ranking_scatter (const HybCall *call, const HybRun *run, gint64 axis)
{
  HybAxisView view = hyb_axis_view_optional (&call->output[0].shape, axis);
  gint64      n = hyb_shape_size (&call->input[0].shape);
  gsize       item = hyb_dtype_size (call->output[0].dtype);
  gint64      k;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (n == 0)
    return;

  k = n / (view.outer * view.inner);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 outer = i / (k * view.inner);
      gint64 index = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) i);
      gint64 to = (outer * view.length + index) * view.inner + i % view.inner;

      if (index >= 0 && index < view.length)
        memcpy ((char *) run->output[0] + (gsize) to * item,
                (const char *) run->input[0] + (gsize) i * item, item);
    }
}

void
hyb_ranking_cost (const HybCall *call, HybCost *cost)
{
  gint64 n = hyb_shape_size (&call->input[0].shape);

  cost->flops = (double) n * (double) g_bit_storage ((gulong) MAX (0, n));
  hyb_rule_cost_bytes (call, cost);
}
