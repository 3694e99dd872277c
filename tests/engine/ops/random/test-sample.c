/* test-sample.c — tests of the operators in sample.c: samples and refusals for op-check.h, and that
 * each element of the parameters gets numbers from its own distribution.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_sample_uniform _sample_normal _sample_gamma _sample_negative_binomial "
    "_sample_generalized_negative_binomial",
    "two parameters",
    "shape=(3,)",
    { "f32[2] 0.2..0.9", "f32[2] 0.3..0.8" } },
  { "_sample_uniform _sample_normal", "one each", NULL, { "f32[2,3] 0.2..0.9", "f32[2,3] 1..2" } },
  { "_sample_uniform", "doubles", "shape=(2,2) dtype=float64", { "f32[2]", "f32[2]" } },
  { "_sample_exponential _sample_poisson", "one parameter", "shape=(3,)", { "f32[2] 0.2..0.9" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_sample_uniform", "two shapes", NULL, { "f32[2]", "f32[3]" }, "(2,)" },
  { 0 },
};

static void
test_each_parameter_has_its_own_numbers (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_sample_uniform", "shape=(1000,)", op_tensor ("f32[2]", 0., 10.),
              op_tensor ("f32[2]", 1., 12.), NULL);

  op_assert_type (y, "float32 (2, 1000)");
  for (gint64 i = 0; i < 2000; i++)
    {
      double value = hyb_tensor_get_value (y, i);

      g_assert_true (i < 1000 ? value >= 0 && value <= 1 : value >= 10 && value <= 12);
    }
}

TEST_PROGRAM (test_sample)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("sample", hyb_ops_sample, samples, refusals);
  g_test_add_func ("/engine/ops/sample/each-parameter-has-its-own-numbers",
                   test_each_parameter_has_its_own_numbers);

  return g_test_run ();
}
