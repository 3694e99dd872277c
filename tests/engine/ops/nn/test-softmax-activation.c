/* test-softmax-activation.c — SoftmaxActivation: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "SoftmaxActivation", "last axis", NULL, { "f32[3,4]" } },
  { "SoftmaxActivation", "last axis of three", NULL, { "f32[2,2,3]" } },
  { "SoftmaxActivation", "channels", "mode=channel", { "f32[2,3,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "SoftmaxActivation", "channels of a matrix", "mode=channel", { "f32[2,3]" }, "dimensions" },
  { 0 },
};

TEST_PROGRAM (test_softmax_activation)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("softmax-activation", hyb_ops_softmax_activation, samples, refusals);

  return g_test_run ();
}
