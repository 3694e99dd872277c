/* run.c — random seeds and workspace offsets for kernels.
 *
 * A seed depends on the run, the node and the loop step alone, so that the order of
 * execution and the number of threads do not change random numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/run.h"

#include "engine/base/random.h"

guint64
hyb_run_random_seed (const HybRun *run)
{
  return hyb_random_mix (hyb_random_mix (run->seed, run->key), run->step);
}

gsize
hyb_workspace_take (gsize *workspace, gsize bytes)
{
  gsize offset = *workspace;

  *workspace += (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
  return offset;
}
