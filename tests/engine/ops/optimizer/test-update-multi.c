/* test-update-multi.c — updates of several weights: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "multi_sgd_update",
    "two",
    "lrs=(0.1, 0.2) wds=(0, 0.1) num_weights=2",
    { "f32[2]", "f32[2]", "f32[3,1]", "f32[3,1]" } },
  { "multi_sgd_mom_update multi_mp_sgd_update",
    "two",
    "lrs=(0.1, 0.2) wds=(0, 0.1) num_weights=2",
    { "f32[2]", "f32[2]", "f32[2]", "f32[3,1]", "f32[3,1]", "f32[3,1]" } },
  { "multi_mp_sgd_mom_update",
    "half floats",
    "lrs=(0.1, 0.2) wds=(0, 0.1) momentum=0.5 num_weights=2",
    { "f16[2]", "f16[2]", "f32[2]", "f32[2]", "f16[3]", "f16[3]", "f32[3]", "f32[3]" } },
  { "preloaded_multi_sgd_update",
    "two",
    "num_weights=2",
    { "f32[2]", "f32[2]", "f32[3,1]", "f32[3,1]", "f32[2]", "f32[2]" } },
  /* Read as the other type, one rate would be half of its array, and the other beyond its end. */
  { "preloaded_multi_sgd_update",
    "rates of two types",
    "num_weights=2",
    { "f32[2]", "f32[2]", "f32[3,1]", "f32[3,1]", "f64[2]", "f32[2]" } },
  { "preloaded_multi_sgd_mom_update preloaded_multi_mp_sgd_update",
    "one",
    NULL,
    { "f32[2]", "f32[2]", "f32[2]", "f32[1]", "f32[1]" } },
  { "preloaded_multi_mp_sgd_mom_update",
    "one",
    "momentum=0.5",
    { "f16[2]", "f16[2]", "f32[2]", "f32[2]", "f32[1]", "f32[1]" } },
  { "_multi_adamw_update",
    "one",
    "lrs=0.1 wds=0.1 etas=0.5",
    { "f32[2]", "f32[2]", "f32[2] 0.1..2", "f32[2] 0.1..2", "f32[1] = 0.5" } },
  { "_multi_mp_adamw_update",
    "one",
    "lrs=0.1 wds=0.1 etas=0.5",
    { "f16[2]", "f16[2]", "f32[2] 0.1..2", "f32[2] 0.1..2", "f32[2]", "f32[1] = 0.5" } },
  { "_multi_lamb_update",
    "two",
    "learning_rates=(0.1, 0.2) wds=(0.1, 0) step_count=(1, 3) num_tensors=2",
    { "f32[2]", "f32[2]", "f32[2] 0.1..2", "f32[2] 0.1..2", "f32[3]", "f32[3]", "f32[3] 0.1..2",
      "f32[3] 0.1..2" } },
  { "_multi_mp_lamb_update",
    "one",
    "learning_rates=0.1 wds=0.1 step_count=1 lower_bound=0.5 upper_bound=1",
    { "f16[2]", "f16[2]", "f32[2] 0.1..2", "f32[2] 0.1..2", "f32[2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "multi_sgd_update",
    "too few rates",
    "lrs=0.1 wds=(0, 0) num_weights=2",
    { "f32[2]", "f32[2]", "f32[3]", "f32[3]" },
    "the tuple of learning rates has 1 elements" },
  { "_multi_adamw_update",
    "too many factors",
    "lrs=0.1 wds=0.1 etas=(1, 2)",
    { "f32[2]", "f32[2]", "f32[2]", "f32[2]", "f32[1]" },
    "etas has 2 elements" },
  { "_multi_lamb_update",
    "no step",
    "learning_rates=0.1 wds=0.1 step_count=()",
    { "f32[2]", "f32[2]", "f32[2]", "f32[2]" },
    "step_count has 0 elements" },
  { "multi_sgd_update",
    "no weights",
    "lrs=() wds=() num_weights=0",
    { "f32[2]", "f32[2]" },
    "num_weights" },
  { "preloaded_multi_sgd_update",
    "too few rates",
    NULL,
    { "f32[2]", "f32[2]", "f32[2]", "f32[1]" },
    "(2,)" },
  { 0 },
};

/* The first number of a weight of norm 5 after a step without decay, with the limits of its norm. */
static double
lamb_step (const char *limits)
{
  g_autofree char *attributes =
      g_strconcat ("learning_rates=0.1 wds=0 step_count=1 ", limits, NULL);
  g_autoptr (HybTensor) new =
      op_run ("_multi_lamb_update", attributes, op_tensor ("f32[2]", 3., 4.),
              op_tensor ("f32[2]", 1., 1.), op_tensor ("f32[2]", 0., 0.),
              op_tensor ("f32[2]", 0., 0.), NULL);

  return hyb_tensor_get_value (new, 0);
}

/* A step is proportional to the norm, which the limits bound, also below one. */
static void
test_norms_have_limits (void)
{
  double free = 3 - lamb_step ("lower_bound=-1 upper_bound=-1");

  g_assert_cmpfloat (free, >, 0.01);
  g_assert_cmpfloat_with_epsilon (3 - lamb_step ("upper_bound=0.5"), free * 0.5 / 5, 1e-5);
  g_assert_cmpfloat_with_epsilon (3 - lamb_step ("lower_bound=10"), free * 10 / 5, 1e-5);
  g_assert_cmpfloat_with_epsilon (3 - lamb_step ("lower_bound=0.5"), free, 1e-5);
}

TEST_PROGRAM (test_update_multi)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("update-multi", hyb_ops_update_multi, samples, refusals);

  g_test_add_func ("/engine/ops/update-multi/norms-have-limits", test_norms_have_limits);

  return g_test_run ();
}
