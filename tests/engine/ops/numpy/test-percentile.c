/* test-percentile.c — percentiles: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_percentile", "one number", "q_scalar=30", { "f32[2,3]" } },
  { "_npi_percentile", "the ends", "axis=(0,)", { "f64[3,2]", "f32[2] = 0,100" } },
  { "_npi_percentile", "integers", "axis=(0,-1) keepdims=True", { "i32[2,3,2]", "f64[] = 50" } },
  { "_npi_percentile", "one element", "interpolation=nearest q_scalar=99", { "f16[1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_percentile", "too large", NULL, { "f32[3]", "f32[2] = 100,100.1" }, "100.1 is outside" },
  { "_npi_percentile", "negative", NULL, { "f32[3]", "f32[] = -1" }, "-1 is outside" },
  { "_npi_percentile", "a large number", "q_scalar=101", { "f32[3]" }, "q_scalar" },
  { "_npi_percentile", "a table of percentages", NULL, { "f32[3]", "f32[1,1]" }, "q has 2" },
  { "_npi_percentile", "nothing", "q_scalar=1", { "f32[0]" }, "an empty array" },
  { "_npi_percentile", "bool", "q_scalar=1", { "bool[2]" }, "the type bool" },
  { 0 },
};

TEST_PROGRAM (test_percentile)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("percentile", hyb_ops_percentile, samples, refusals);

  return g_test_run ();
}
