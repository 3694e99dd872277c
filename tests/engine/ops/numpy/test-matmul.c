/* test-matmul.c — tests of products of matrices in the last two axes: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_matmul", "matrices", NULL, { "f32[2,3]", "f32[3,2]" } },
  { "_npi_matmul", "vectors", NULL, { "f32[3]", "f32[3]" } },
  { "_npi_matmul", "vector and matrices", NULL, { "f32[3]", "f32[2,3,2]" } },
  { "_npi_matmul", "matrices and vector", NULL, { "f32[2,2,3]", "f32[3]" } },
  { "_npi_matmul", "broadcast", NULL, { "f32[2,1,1,3]", "f32[2,3,2]" } },
  { "_npi_matmul", "no element", NULL, { "f32[2,0]", "f32[0,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_matmul", "a number", NULL, { "f32[]", "f32[2]" }, "does not multiply by numbers" },
  { "_npi_matmul",
    "sizes that differ",
    NULL,
    { "f32[2,3]", "f32[2,3]" },
    "the columns of the first" },
  { 0 },
};

TEST_PROGRAM (test_matmul)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("matmul", hyb_ops_matmul, samples, refusals);
  return g_test_run ();
}
