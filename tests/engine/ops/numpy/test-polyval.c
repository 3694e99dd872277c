/* test-polyval.c — tests of polynomials: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {

  { "_npi_polyval", "three coefficients", NULL, { "f32[3]", "f32[2,2]" } },
  { "_npi_polyval", "a constant", NULL, { "f32[1]", "f32[2]" } },
  { "_npi_polyval", "no coefficient", NULL, { "f32[0]", "f32[2]" } },
  { "_npi_polyval", "no element", NULL, { "f32[2]", "f32[0,2]" } },
  { "_npi_polyval", "a number", NULL, { "f32[4]", "f32[]" } },
  { 0 },
};

static const OpRefusal refusals[] = {

  { "_npi_polyval", "a matrix", NULL, { "f32[2,2]", "f32[2]" }, "p" },
  { 0 },
};

TEST_PROGRAM (test_polyval)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("polyval", hyb_ops_polyval, samples, refusals);
  return g_test_run ();
}
