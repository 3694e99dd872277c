/* test-allclose.c — tests of _contrib_allclose: samples and refusals for
 * op-check.h, and what counts as close.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_contrib_allclose", "different", NULL, { "f32[3,4]", "f32[3,4]" } },
  { "_contrib_allclose", "wide tolerance", "rtol=2 atol=3", { "f32[5]", "f32[5]" } },
  { "_contrib_allclose", "integers", NULL, { "i32[3]", "i32[3]" } },
  { "_contrib_allclose", "no element", NULL, { "f32[0]", "f32[0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_allclose", "other shape", NULL, { "f32[2]", "f32[1,2]" }, "does not match" },
  { "_contrib_allclose", "other type", NULL, { "f32[2]", "f64[2]" }, "float64" },
  { 0 },
};

static void
check (const char *attributes, double a, double b, double want)
{
  g_autoptr (HybTensor) y = op_run ("_contrib_allclose", attributes, op_tensor ("f32[2]", 1., a),
                                    op_tensor ("f32[2]", 1., b), NULL);

  op_assert_type (y, "uint8 ()");
  op_assert_near (y, 0, want);
}

/* The formula of numpy.allclose, and MXNet 1.9.1's answers for infinities. */
static void
test_close_numbers (void)
{
  check (NULL, 2, 2.00001, 1);
  check (NULL, 2, 2.0001, 0);
  check ("rtol=0 atol=0.5", 1, 1.5, 1);
  check (NULL, NAN, NAN, 1);
  check ("equal_nan=False", NAN, NAN, 0);
  check (NULL, NAN, 1, 0);
  check (NULL, INFINITY, INFINITY, 1);
  check (NULL, 1, -INFINITY, 1);
  check (NULL, INFINITY, 1, 0);
}

TEST_PROGRAM (test_allclose)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("allclose", hyb_ops_allclose, samples, refusals);
  g_test_add_func ("/engine/ops/allclose/close-numbers", test_close_numbers);
  return g_test_run ();
}
