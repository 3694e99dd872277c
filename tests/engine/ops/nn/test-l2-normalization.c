/* test-l2-normalization.c — L2Normalization: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "L2Normalization", "sample", NULL, { "f32[3,4]" } },
  { "L2Normalization", "every element by itself", "eps=0.5", { "f32[4]" } },
  { "L2Normalization", "channel", "mode=channel eps=0.01", { "f32[2,3,2,2]" } },
  { "L2Normalization", "space", "mode=spatial eps=0.01", { "f32[2,3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "L2Normalization", "space of a matrix", "mode=spatial", { "f32[2,3]" }, "dimensions" },
  { 0 },
};

TEST_PROGRAM (test_l2_normalization)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("l2-normalization", hyb_ops_l2_normalization, samples, refusals);

  return g_test_run ();
}
