/* test-density-dirichlet.c — tests of _random_pdf_dirichlet: samples and refusals for
 * op-check.h, and the uniform distribution.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_random_pdf_dirichlet", "blocks", NULL, { "f32[2,2,3] 0.1..0.6", "f32[2,3] 0.5..2" } },
  { "_random_pdf_dirichlet", "one row", "is_log=True", { "f32[4,2] 0.1..0.6", "f32[2] 0.5..2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_backward_random_pdf_dirichlet",
    "a gradient of another shape",
    NULL,
    { "f32[2]", "f32[4,3]", "f32[3]" },
    "" },
  { "_random_pdf_dirichlet",
    "other lengths",
    NULL,
    { "f32[2,3]", "f32[2,2]" },
    "the lengths of the vectors" },
  { "_random_pdf_dirichlet", "scalar", NULL, { "f32[]", "f32[2]" }, "axis of vectors" },
  { 0 },
};

/* alpha = (1, 1, 1) is uniform with density Γ (3) = 2. */
static void
test_ones_are_uniform (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_random_pdf_dirichlet", NULL, op_tensor ("f64[2,3]", 0.2, 0.3, 0.5, 0.1, 0.1, 0.8),
              op_tensor ("f64[3]", 1., 1., 1.), NULL);

  op_assert_near (y, 1e-12, 2., 2.);
}

TEST_PROGRAM (test_density_dirichlet)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("density-dirichlet", hyb_ops_density_dirichlet, samples, refusals);
  g_test_add_func ("/engine/ops/density-dirichlet/ones-are-uniform", test_ones_are_uniform);
  return g_test_run ();
}
