/* test-linalg-syrk.c — products of matrices with their transposes: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_linalg_syrk", "plain", NULL, { "f32[2,3]" } },
  { "_linalg_syrk", "transposed", "transpose=True alpha=0.5", { "f32[2,3]" } },
  { "_linalg_syrk", "a batch", "alpha=-2", { "f64[2,1,2,3]" } },
  { "_linalg_syrk", "no columns", NULL, { "f32[2,0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_linalg_syrk", "a vector", NULL, { "f32[3]" }, "A has 1 dimensions" },
  { "_linalg_syrk", "integers", NULL, { "i32[2,2]" }, "its type is int32" },
  { 0 },
};

TEST_PROGRAM (test_linalg_syrk)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-syrk", hyb_ops_linalg_syrk, samples, refusals);

  return g_test_run ();
}
