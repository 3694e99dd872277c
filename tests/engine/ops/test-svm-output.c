/* test-svm-output.c — SVMOutput from its declaration.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

static const OpSample samples[] = {
  { "SVMOutput", "squared hinge", NULL, { "f32[3,4]", "f32[3] = 0,3,1" } },
  { "SVMOutput", "hinge", "use_linear=True margin=0.5", { "f32[3,4]", "f32[3] = 0,3,1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "SVMOutput", "labels of another number", NULL, { "f32[3,4]", "f32[4]" }, "label: " },
  { 0 },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("svm-output", hyb_ops_svm_output, samples, refusals);

  return g_test_run ();
}
