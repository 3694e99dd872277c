/* test-source-range.c — tests of _arange, _linspace and _contrib_arange_like: samples and refusals
 * for op-check.h, and the numbers of some ranges.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_arange", "from to", "start=2 stop=7", { NULL } },
  { "_arange", "end alone", "start=5", { NULL } },
  { "_arange", "fractions, repeated", "start=0 stop=1 step=0.3 repeat=2", { NULL } },
  { "_arange", "downwards", "start=5 stop=0 step=-2 dtype=int32", { NULL } },
  { "_arange", "nothing", "start=0 stop=0", { NULL } },
  { "_linspace", "both ends", "start=0 stop=1 num=5", { NULL } },
  { "_linspace", "without the end", "start=0 stop=1 num=5 endpoint=False", { NULL } },
  { "_linspace", "one", "start=3 stop=4 num=1", { NULL } },
  { "_contrib_arange_like", "everything", NULL, { "f32[2,3]" } },
  { "_contrib_arange_like", "one axis", "axis=1 start=1 step=0.5 repeat=2", { "f32[2,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_arange", "no step", "start=0 stop=3 step=0", { NULL }, "step is 0" },
  { "_arange", "away from the end", "start=0 stop=3 step=-1", { NULL }, "not possible" },
  { "_arange", "endless", "start=0 stop=inf", { NULL }, "not possible" },
  { "_contrib_arange_like", "axis out of range", "axis=2", { "f32[2,4]" }, "axis 2" },
  { 0 },
};

static void
test_values (void)
{
  g_autoptr (HybTensor) a = op_run ("_arange", "start=5 stop=0 step=-2", NULL);
  g_autoptr (HybTensor) b = op_run ("_arange", "start=2 repeat=2", NULL);
  g_autoptr (HybTensor) c = op_run ("_linspace", "start=0 stop=1 num=3 endpoint=False", NULL);
  g_autoptr (HybTensor) d = op_run ("_linspace", "start=1 stop=2 num=3", NULL);

  /* In integers and half floats start and step are truncated to whole numbers. */
  g_autoptr (HybTensor) e = op_run ("_arange", "start=0.5 stop=5 step=1.5 dtype=int32", NULL);
  g_autoptr (HybTensor) f = op_run ("_contrib_arange_like", "start=-0.5 step=-1.5",
                                    op_tensor ("f16[3]", 0., 0., 0.), NULL);

  op_assert_near (e, 0, 0., 1., 2.);
  op_assert_near (f, 0, 0., -1., -2.);
  op_assert_type (a, "float32 (3,)");
  op_assert_type (b, "float32 (4,)");
  op_assert_near (a, 0, 5., 3., 1.);
  op_assert_near (b, 0, 0., 0., 1., 1.);
  op_assert_near (c, 1e-6, 0., 1 / 3., 2 / 3.);
  op_assert_near (d, 0, 1., 1.5, 2.);
}

TEST_PROGRAM (test_source_range)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("source-range", hyb_ops_source_range, samples, refusals);
  g_test_add_func ("/engine/ops/source-range/values", test_values);

  return g_test_run ();
}
