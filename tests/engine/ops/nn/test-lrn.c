/* test-lrn.c — LRN: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "LRN", "three channels", "nsize=3 alpha=1", { "f32[1,5,2,2]" } },
  { "LRN", "all channels", "nsize=5 alpha=0.5 beta=0.5 knorm=1", { "f32[2,5,1,2]" } },
  { "LRN", "window wider than the channels", "nsize=7 alpha=1", { "f32[1,3,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "LRN", "even window", "nsize=4", { "f32[1,5,2,2]" }, "nsize: 4 is even" },
  { "LRN", "no window", NULL, { "f32[1,5,2,2]" }, "nsize" },
  { 0 },
};

TEST_PROGRAM (test_lrn)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("lrn", hyb_ops_lrn, samples, refusals);

  return g_test_run ();
}
