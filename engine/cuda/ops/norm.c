/* norm.c — norm: the sum of absolute values, or the root of the sum of squares, over axes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/reductions.h"

/* The result has the precision of the data, also where it is stored as another type. */
static const HybReduceRule sizes = { .start = "0",
                                     .combine = "s + t",
                                     .finish = "(Wide<GivenResult>::type) s" };
static const HybReduceRule root_of_squares = { .start = "0",
                                               .combine = "s + t",
                                               .finish = "(Wide<GivenResult>::type) sqrt (s)" };

static gpointer
norm_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  gboolean           is_l1 = hyb_cuda_get_int (call, "ord", 2) == 1;
  HybDeviceReduction reduction = { .rule = is_l1 ? &sizes : &root_of_squares,
                                   .term = is_l1 ? "fabs (x)" : "x * x",
                                   .n = 1 };

  hyb_cuda_lay_reduction (call, &reduction);
  return hyb_reduce_new (device, call, &reduction, workspace, error);
}

const HybDeviceOp hyb_cuda_ops_norm[] = {
  HYB_REDUCE_OP ("norm", norm_prepare),
  { NULL },
};
