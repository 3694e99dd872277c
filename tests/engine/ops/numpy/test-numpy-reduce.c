/* test-numpy-reduce.c — tests of reductions of the NumPy interface: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_np_sum _npi_mean _np_prod _np_max _np_min", "everything", NULL, { "f32[2,3] 0.31..2" } },
  { "_np_sum _npi_mean _np_prod _np_max _np_min", "one axis", "axis=-1", { "f32[2,3,2] 0.31..2" } },
  { "_np_sum _npi_mean _np_prod _np_max _np_min",
    "two axes, kept",
    "axis=(0,2) keepdims=True",
    { "f32[2,3,2] 0.31..2" } },
  { "_np_sum _npi_mean _np_prod _np_max _np_min", "no axes", "axis=()", { "f32[2,3] 0.31..2" } },
  { "_np_sum _npi_mean _np_prod _np_max _np_min", "no dimensions", NULL, { "f32[] 0.31..2" } },
  { "_np_sum _npi_mean _np_prod _np_max _np_min", "integers", NULL, { "i8[2,3] 1..4" } },
  { "_np_sum _npi_mean _np_prod _np_max _np_min", "bools", "axis=0", { "bool[2,2] = 1,0,1,1" } },
  { "_np_sum _npi_mean _np_prod",
    "another type",
    "axis=0 dtype=float64",
    { "f32[2,3] 0.31..2" },
    OP_SKIP_GRADIENT },
  { "_np_sum _npi_mean _np_prod",
    "to integers",
    "dtype=int32",
    { "f32[2] 1..3" },
    OP_SKIP_GRADIENT },
  { "_np_sum _npi_mean _np_prod", "no element", "axis=0", { "f32[0,3]" } },
  { "_np_any _np_all", "floats", "axis=1", { "f32[2,2] = 0,1,0,0" } },
  { "_np_any _np_all", "everything", NULL, { "i32[2,2] = 0,1,0,0" } },
  { "_np_any _np_all", "no element", "axis=0 keepdims=True", { "bool[0,2]" } },
  { "_np_any _np_all", "no axes", "axis=()", { "bool[2] = 1,0" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_np_max", "no element", NULL, { "f32[0,3]" }, "no largest" },
  { "_np_sum", "initial", "initial=2", { "f32[2]" }, "initial is 2" },
  { "_np_sum", "axis outside", "axis=2", { "f32[2,2]" }, "axis 2" },
  { 0 },
};

TEST_PROGRAM (test_numpy_reduce)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-reduce", hyb_ops_numpy_reduce, samples, refusals);
  return g_test_run ();
}
