/* test-random.c — tests of the operators in random.c: samples and refusals for op-check.h, mean,
 * variance and range of each distribution, and equal numbers for equal seeds.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_random_uniform _random_normal _random_gamma _random_exponential _random_poisson "
    "_random_negative_binomial _random_generalized_negative_binomial",
    "shape",
    "shape=(3,4)",
    { NULL } },
  { "_random_uniform _random_normal", "doubles", "shape=(3,) dtype=float64", { NULL } },
  { "_random_uniform_like _random_normal_like _random_gamma_like _random_exponential_like "
    "_random_poisson_like _random_negative_binomial_like "
    "_random_generalized_negative_binomial_like",
    "shape of the data",
    NULL,
    { "f32[2,3]" } },
  { "_random_uniform_like _random_normal_like", "half floats", NULL, { "f16[2,3]" } },
  { "_random_randint", "range", "low=-2 high=3 shape=(4,)", { NULL } },
  { "_random_randint", "long", "low=0 high=5000000000 shape=(4,) dtype=int64", { NULL } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_random_normal", "negative deviation", "scale=-1 shape=(2,)", { NULL }, "scale" },
  { "_random_normal", "no deviation", "scale=0 shape=(2,)", { NULL }, "scale" },
  { "_random_gamma", "no shape", "alpha=0 shape=(2,)", { NULL }, "alpha" },
  { "_random_gamma", "no scale", "beta=0 shape=(2,)", { NULL }, "beta" },
  { "_random_exponential", "no rate", "lam=0 shape=(2,)", { NULL }, "lam" },
  { "_random_uniform",
    "ends exchanged",
    "low=2 high=1 shape=(2,)",
    { NULL },
    "2 is above high, 1" },
  { "_random_uniform_like", "ends exchanged", "low=2 high=1", { "f32[2]" }, "2 is above high, 1" },
  { "_random_negative_binomial", "no probability", "p=1.5 shape=(2,)", { NULL }, "p" },
  { "_random_randint", "empty range", "low=3 high=3 shape=(2,)", { NULL }, "no integer" },
  { "_random_randint",
    "not for floats",
    "low=0 high=3 shape=(2,) dtype=float32",
    { NULL },
    "float32" },
  { 0 },
};

static void
check (const char *op, const char *attributes, double mean, double variance)
{
  g_autofree char *text = g_strdup_printf ("%s shape=(40000,)", attributes);
  g_autoptr (HybTensor) y = op_run (op, text, NULL);
  HybStatistics statistics;
  double        got;

  hyb_tensor_statistics (y, &statistics);
  got = statistics.deviation * statistics.deviation;
  g_assert_cmpint (statistics.n_nan + statistics.n_infinite, ==, 0);
  /* The mean may be off by five standard errors; the variance scatters more. */
  if (ABS (statistics.mean - mean) > 5 * sqrt (variance / 40000))
    g_error ("%s: mean %g, not %g", op, statistics.mean, mean);
  if (ABS (got - variance) > 0.06 * variance)
    g_error ("%s: variance %g, not %g", op, got, variance);
}

static void
test_moments (void)
{
  check ("_random_uniform", "low=-1 high=3", 1, 16 / 12.);
  check ("_random_normal", "loc=2 scale=3", 2, 9);
  check ("_random_gamma", "alpha=2 beta=0.5", 1, 0.5);
  check ("_random_gamma", "alpha=0.5 beta=2", 1, 2);
  check ("_random_exponential", "lam=2", 0.5, 0.25);
  check ("_random_poisson", "lam=3", 3, 3);
  check ("_random_poisson", "lam=200", 200, 200);
  check ("_random_negative_binomial", "k=3 p=0.4", 4.5, 11.25);
  check ("_random_generalized_negative_binomial", "mu=2 alpha=0.3", 2, 3.2);
  check ("_random_generalized_negative_binomial", "mu=2 alpha=0", 2, 2);
  check ("_random_randint", "low=-2 high=3", 0, 2);
}

static void
test_the_same_seed_gives_the_same_numbers (void)
{
  g_autoptr (HybTensor) a = op_run ("_random_gamma", "shape=(5000,)", NULL);
  g_autoptr (HybTensor) b = op_run ("_random_gamma", "shape=(5000,)", NULL);

  op_assert_same (a, b, 0);
}

TEST_PROGRAM (test_random)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("random", hyb_ops_random, samples, refusals);
  g_test_add_func ("/engine/ops/random/moments", test_moments);
  g_test_add_func ("/engine/ops/random/the-same-seed-gives-the-same-numbers",
                   test_the_same_seed_gives_the_same_numbers);

  return g_test_run ();
}
