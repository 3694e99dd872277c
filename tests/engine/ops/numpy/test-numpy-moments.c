/* test-numpy-moments.c — tests of variances and averages: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {

  { "_npi_var _npi_std", "all", NULL, { "f32[2,3]" } },
  { "_npi_var _npi_std", "one axis, kept", "axis=(1,) keepdims=True ddof=1", { "f32[2,3]" } },
  { "_npi_var _npi_std", "outer axes", "axis=(0,2)", { "f32[2,3,2]" } },
  { "_npi_var", "no axes", "axis=()", { "f32[3]" } },
  { "_npi_var _npi_std", "wider", "axis=(0,) dtype=float64", { "f32[3,2]" } },
  { "_npi_var _npi_std", "integers", "axis=(0,)", { "i32[3,2]" } },
  { "_npi_average", "weights of all", NULL, { "f32[2,3]", "f32[2,3] 0.5..2" } },
  { "_npi_average", "weights of an axis", "axis=(1,)", { "f32[2,3,2]", "f32[3] 0.5..2" } },
  { "_npi_average",
    "the weights, too",
    "axis=(1,) returned=True",
    { "f32[2,3]", "f32[2,3] 0.5..2" } },
  { "_npi_average",
    "the weights of an axis, too",
    "axis=(-1,) returned=True",
    { "f32[2,3]", "f32[3] 0.5..2" } },
  { "_npi_average", "no weights", "weighted=False axis=(0,)", { "f32[2,3]" } },
  { "_npi_average", "the number, too", "weighted=False returned=True", { "f32[2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_backward_np_average",
    "a gradient of another shape",
    "axis=(1,)",
    { "f32[3]", "f32[2]", "f32[2,3]", "f32[3]" },
    "as a gradient of _npi_average" },

  { "_npi_var", "too few elements", "ddof=4", { "f32[3]" }, "ddof is 4" },
  { "_npi_std", "no such axis", "axis=(2,)", { "f32[3,2]" }, "axis 2" },
  { "_npi_average", "weights without an axis", NULL, { "f32[2,3]", "f32[3]" }, "0 axes" },
  { "_npi_average", "weights of two axes", "axis=(0,1)", { "f32[2,3]", "f32[3]" }, "2 axes" },
  { "_npi_average", "too few weights", "axis=(1,)", { "f32[2,3]", "f32[2]" }, "2 weights for 3" },
  { 0 },
};

TEST_PROGRAM (test_numpy_moments)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-moments", hyb_ops_numpy_moments, samples, refusals);
  return g_test_run ();
}
