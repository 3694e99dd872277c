/* test-numpy-random.c — tests of random numbers of the NumPy interface: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_uniform _npi_uniform_n", "numbers", "low=0 high=2 size=(2,3)", { NULL } },
  { "_npi_uniform _npi_uniform_n", "no size", "low=0 high=2", { NULL } },
  { "_npi_uniform", "tensors", "low=None high=None", { "f32[3] 0..1", "f32[2,1] 2..3" } },
  { "_npi_uniform_n", "a size in front", "low=None high=9 size=(5,)", { "f32[3] 0..1" } },
  { "_npi_normal _npi_normal_n _npi_gumbel _npi_logistic",
    "numbers",
    "loc=1 scale=2 size=(2,3) ctx=cpu(0)",
    { NULL } },
  { "_npi_normal _npi_normal_n _npi_gumbel _npi_logistic",
    "a tensor",
    "loc=None scale=2",
    { "f32[2] 0..1" } },
  { "_npi_gamma", "numbers", "shape=2 scale=3 size=(4,) dtype=float64", { NULL } },
  { "_npi_exponential _npi_rayleigh", "a number", "scale=2 size=(3,)", { NULL } },
  { "_npi_exponential _npi_rayleigh", "a tensor", "scale=None size=(2,3)", { "f32[3] 1..2" } },
  { "_npi_bernoulli", "a number", "prob=0.25 logit=None is_logit=False size=(3,)", { NULL } },
  { "_npi_bernoulli",
    "a tensor of logits",
    "prob=None logit=None is_logit=True dtype=bool",
    { "f32[3] -1..1" } },
  { "_npi_weibull _npi_pareto _npi_powerd", "a number", "a=3 size=(3,)", { NULL } },
  { "_npi_weibull _npi_pareto _npi_powerd", "a tensor", "a=None", { "f32[3] 1..2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_uniform",
    "a size that does not fit",
    "low=None high=9 size=(2,2)",
    { "f32[3] 0..1" },
    "cannot be broadcast" },
  { 0 },
};

TEST_PROGRAM (test_numpy_random)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-random", hyb_ops_numpy_random, samples, refusals);
  return g_test_run ();
}
