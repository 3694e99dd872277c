/* test-identity.c — tests of operators that return their input unchanged: samples and refusals for
 * op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_copy BlockGrad", "floats", NULL, { "f32[2,3]" } },
  { "_copy BlockGrad", "integers", NULL, { "u16[2,3]" } },
  { "_copy BlockGrad", "half floats", NULL, { "bf16[2]" }, OP_SKIP_GRADIENT },
  { "_copy BlockGrad", "no element", NULL, { "f32[0]" } },
  { "_identity_with_attr_like_rhs", "two tensors", NULL, { "f32[2,3]", "f32[2,3]" } },
  { "_contrib_gradientmultiplier", "factor", "scalar=-0.3", { "f32[2,3]" } },
  { "cast_storage", "dense", "stype=default", { "f32[2,3]" } },
  { "cast_storage", "sparse is dense here", "stype=csr", { "f32[2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "cast_storage", "no such storage", "stype=dense", { "f32[2]" }, "stype" },
  { "_identity_with_attr_like_rhs", "two shapes", NULL, { "f32[2]", "f32[3]" }, "(2,)" },
  { 0 },
};

TEST_PROGRAM (test_identity)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("identity", hyb_ops_identity, samples, refusals);

  return g_test_run ();
}
