/* test-density.c — tests of _random_pdf_…: samples and refusals for
 * op-check.h, and known densities.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

#define ONE    "_random_pdf_exponential _random_pdf_poisson"
#define TWO    "_random_pdf_uniform _random_pdf_normal _random_pdf_gamma"
#define COUNTS "_random_pdf_negative_binomial _random_pdf_generalized_negative_binomial"

static const OpSample samples[] = {
  { ONE, "blocks", NULL, { "f32[2,3] 0.5..3", "f32[2] 0.5..2" } },
  { ONE, "one each, logarithm", "is_log=True", { "f32[2,2] 0.5..3", "f32[2,2] 0.5..2" } },
  { TWO, "blocks", NULL, { "f32[2,3] 0.5..3", "f32[2] 0.5..1", "f32[2] 1.5..2" } },
  { TWO,
    "one each, logarithm",
    "is_log=True",
    { "f32[2,2] 0.5..3", "f32[2,2] 0.5..1", "f32[2,2] 1.5..2" } },
  { COUNTS, "blocks", NULL, { "f32[2,3] 0..4", "f32[2] 1..3", "f32[2] 0.3..0.7" } },
  { COUNTS, "logarithm", "is_log=True", { "f32[2,3] 0..4", "f32[2] 1..3", "f32[2] 0.3..0.7" } },
  { ONE, "no sample", NULL, { "f32[2,0]", "f32[2] 0.5..2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_backward_random_pdf_normal",
    "a gradient of another shape",
    NULL,
    { "f32[2,2]", "f32[2,3]", "f32[2]", "f32[2]" },
    "" },
  { "_random_pdf_normal",
    "other parameters",
    NULL,
    { "f32[2,3]", "f32[2]", "f32[3]" },
    "does not match" },
  { "_random_pdf_poisson",
    "not the beginning",
    NULL,
    { "f32[2,3]", "f32[3]" },
    "the sizes of parameters and samples" },
  { "_random_pdf_poisson",
    "more axes",
    NULL,
    { "f32[2]", "f32[2,1]" },
    "2 dimensions, the samples only 1" },
  { 0 },
};

static void
check (const char *op, double x, double a, double b, double want)
{
  g_autoptr (HybTensor) y =
      b < 0 ? op_run (op, NULL, op_tensor ("f64[1]", x), op_tensor ("f64[1]", a), NULL)
            : op_run (op, NULL, op_tensor ("f64[1]", x), op_tensor ("f64[1]", a),
                      op_tensor ("f64[1]", b), NULL);

  op_assert_near (y, 1e-12, want);
}

/* Closed formulas. */
static void
test_known_densities (void)
{
  check ("_random_pdf_uniform", 3, 0, 10, 0.1);
  check ("_random_pdf_normal", 1, 0, 1, exp (-0.5) / sqrt (2 * G_PI));
  check ("_random_pdf_gamma", 2, 3, 1, 2 * exp (-2));
  check ("_random_pdf_exponential", 2, 0.5, -1, 0.5 * exp (-1));
  check ("_random_pdf_poisson", 3, 2, -1, 8. / 6 * exp (-2));
  check ("_random_pdf_negative_binomial", 2, 1, 0.5, 0.125);
  check ("_random_pdf_generalized_negative_binomial", 2, 1, 1, 0.125);
}

TEST_PROGRAM (test_density)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("density", hyb_ops_density, samples, refusals);
  g_test_add_func ("/engine/ops/density/known-densities", test_known_densities);
  return g_test_run ();
}
