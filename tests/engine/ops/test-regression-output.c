/* test-regression-output.c — the regression outputs from their declarations.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

static const OpSample samples[] = {
  { "*", "rows", NULL, { "f32[3,4]", "f32[3,4]" } },
  { "*", "a column and a vector", "grad_scale=0.5", { "f32[4,1]", "f32[4]" } },
  { "*", "equal to the label", NULL, { "f32[2,2] = 1", "f32[2,2] = 1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "LinearRegressionOutput", "label of another shape", NULL, { "f32[3,4]", "f32[3]" }, "label: " },
  { 0 },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("regression-output", hyb_ops_regression_output, samples, refusals);

  return g_test_run ();
}
