/* run.c — random numbers that depend on the node and the loop step alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/run.h"

#include "engine/base/random.h"

guint64
hyb_run_random_seed (const HybRun *run)
{
  return hyb_random_mix (hyb_random_mix (run->seed, run->key), run->step);
}
