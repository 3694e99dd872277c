/* test-source.c — tests of _zeros, _ones, _full and _eye: samples and refusals for op-check.h, and
 * the values of their results.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_zeros _ones", "floats", "shape=(2,3)", { NULL } },
  { "_zeros _ones", "integers", "shape=(2,) dtype=int32", { NULL } },
  { "_zeros _ones", "half floats", "shape=(2,) dtype=float16 ctx=gpu(0)", { NULL } },
  { "_full", "floats", "shape=(2,2) value=2.5", { NULL } },
  { "_full", "longer than the pattern", "shape=(50001,) value=-3 dtype=int8", { NULL } },
  { "_zeros_without_dtype", "type by its code", "shape=(2,2) dtype=1", { NULL } },
  { "_eye", "square", "N=3", { NULL } },
  { "_eye", "above the diagonal", "N=3 M=4 k=1", { NULL } },
  { "_eye", "below the diagonal", "N=4 M=2 k=-1 dtype=int32", { NULL } },
  { "_eye", "beside the matrix", "N=2 k=-9", { NULL } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_full", "value missing", "shape=(2,)", { NULL }, "value" },
  { "_eye", "negative size", "N=-1", { NULL }, "N" },
  { "_zeros_without_dtype", "no such type", "shape=(2,) dtype=99", { NULL }, "dtype" },
  { "_zeros", "too large", "shape=(4611686018427387904,4)", { NULL }, "" },
  { 0 },
};

static void
test_values (void)
{
  g_autoptr (HybTensor) full = op_run ("_full", "shape=(3,) value=2.5", NULL);
  g_autoptr (HybTensor) eye = op_run ("_eye", "N=2 M=3 k=1", NULL);
  g_autoptr (HybTensor) long_one = op_run ("_ones", "shape=(20001,) dtype=int64", NULL);

  op_assert_near (full, 0, 2.5, 2.5, 2.5);
  op_assert_near (eye, 0, 0., 1., 0., 0., 0., 1.);
  for (gint64 i = 0; i < 20001; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (long_one, i), ==, 1);
}

TEST_PROGRAM (test_source)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("source", hyb_ops_source, samples, refusals);
  g_test_add_func ("/engine/ops/source/values", test_values);

  return g_test_run ();
}
