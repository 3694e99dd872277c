/* reduce-backward.c — runs the loop of a reduction's gradient over whole tensors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/reduce/reduce-backward.h"

void
hyb_reduce_backward (const HybCall       *call,
                     const HybRun        *run,
                     const HybReduceAxes *axes,
                     HybEachRow           row)
{
  const HybShape   *shape = &call->output[0].shape;
  HybReduceBackward operands = { run->output[0], run->input[0], run->input[1], run->input[2], 1 };
  HybShape          kept;
  HybEach           each;
  guint32           mask;

  hyb_reduce_mask (shape->rank, axes, &mask, NULL);
  for (int i = 0; i < shape->rank; i++)
    if (mask >> i & 1)
      operands.count *= shape->dim[i];
  kept = hyb_reduce_kept_shape (shape, mask);
  hyb_each_init (&each, shape, 4, (const HybShape *[]){ shape, &kept, shape, &kept });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN, row, &operands);
}
