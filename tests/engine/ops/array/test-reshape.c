/* test-reshape.c — tests of Reshape, Flatten, expand_dims, squeeze and reshape_like: samples and
 * refusals for op-check.h, and every code of Reshape's shape attribute.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_np_squeeze", "nothing left", NULL, { "f32[1,1]" } },
  { "_np_squeeze", "one axis", "axis=-1", { "f32[1,2,1]" } },
  { "_np_squeeze", "no element", NULL, { "f32[1,0,1]" } },
  { "Reshape", "sizes", "shape=(3, 4)", { "f32[2,6]" } },
  { "Reshape", "codes", "shape=(-4, -1, 2, -3, -2)", { "f32[4,2,3,2]" } },
  { "Reshape", "reverse", "shape=(-1, 0) reverse=True", { "f32[4,3,2]" } },
  { "Reshape", "integers", "shape=-1", { "i32[2,3]" } },
  { "Reshape", "old form", "target_shape=(0, 6) keep_highest=True", { "f32[2,3,2]" } },
  { "Reshape", "no element", "shape=(0, 3)", { "f32[0,3]" } },
  { "Flatten", "four axes", NULL, { "f32[2,3,2,2]" } },
  { "Flatten", "one axis", NULL, { "f32[4]" } },
  { "expand_dims", "front", "axis=0", { "f32[2,3]" } },
  { "expand_dims", "end", "axis=-1", { "f32[2,3]" } },
  { "squeeze", "all", NULL, { "f32[1,2,1,3]" } },
  { "squeeze", "named", "axis=(0, -2)", { "f32[1,2,1,3]" } },
  { "squeeze", "to one element", NULL, { "f32[1,1]" } },
  { "reshape_like", "whole", NULL, { "f32[2,6]", "f32[3,4]" } },
  { "reshape_like",
    "some axes",
    "lhs_begin=0 lhs_end=2 rhs_begin=1 rhs_end=2",
    { "f32[2,3,4]", "f32[5,6]" } },
  { "reshape_like", "like integers", NULL, { "f32[2,6]", "i32[3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Reshape",
    "sizes do not fit",
    "shape=(4, 4)",
    { "f32[2,3]" },
    "shape (2, 3) has 6 elements but (4, 4) has 16" },
  { "Reshape",
    "nothing divides",
    "shape=(4, -1)",
    { "f32[2,3]" },
    "6 elements do not divide into shape (4, ?)" },
  { "Reshape",
    "two inferred",
    "shape=(-1, -1)",
    { "f32[2,3]" },
    "only one dimension of shape can be -1" },
  { "Reshape",
    "split does not fit",
    "shape=(-4, 2, 2, 0)",
    { "f32[6,3]" },
    "a dimension of 6 does not split into 2 × 2" },
  { "Reshape", "split is cut off", "shape=(-4, 2)", { "f32[6]" }, "needs two sizes after it" },
  { "Reshape", "split of nothing", "shape=(-4, 0, 2)", { "f32[6]" }, "cannot split into 0 and 2" },
  { "Reshape",
    "more copies than axes",
    "shape=(0, 0, 0)",
    { "f32[2,3]" },
    "needs more dimensions than input (2, 3) has" },
  { "Reshape", "unknown code", "shape=(-5, 2)", { "f32[2,3]" }, "unknown code -5" },
  { "Reshape",
    "product beyond any memory",
    "shape=(4611686018427387904, 4611686018427387904)",
    { "f32[2,3]" },
    "has 9223372036854775807" },
  { "expand_dims", "axis outside", "axis=4", { "f32[2,3]" }, "use -3 to 2" },
  { "squeeze", "axis of more elements", "axis=1", { "f32[2,3]" }, "axis 1 has size 3" },
  { "squeeze", "axis twice", "axis=(0, 0)", { "f32[1,3]" }, "named twice" },
  { "reshape_like", "sizes do not fit", NULL, { "f32[2,3]", "f32[5]" }, "has 6 elements" },
  { "reshape_like",
    "axes outside",
    "lhs_begin=0 lhs_end=5",
    { "f32[2,3]", "f32[6]" },
    "outside an input of 2" },
  { 0 },
};

typedef struct
{
  const char *attributes;
  const char *input;
  const char *type;
} CodeRow;

/* The examples of MXNet's reference manual. */
static const CodeRow rows[] = {
  { "shape=(0, 12)", "f32[2,3,4]", "float32 (2, 12)" },
  { "shape=(4, -1)", "f32[2,3,4]", "float32 (4, 6)" },
  { "shape=-1", "f32[2,3,4]", "float32 (24,)" },
  { "shape=(-2,)", "f32[2,3,4]", "float32 (2, 3, 4)" },
  { "shape=(6, 1, -2)", "f32[2,3,4]", "float32 (6, 1, 4)" },
  { "shape=(-3, 4)", "f32[2,3,4]", "float32 (6, 4)" },
  { "shape=(-3, -3)", "f32[2,3,4,5]", "float32 (6, 20)" },
  { "shape=(-4, 2, 3, 4)", "f32[6,4]", "float32 (2, 3, 4)" },
  { "shape=(0, -4, -1, 3, 0)", "f32[2,6,4]", "float32 (2, 2, 3, 4)" },
  { "shape=(-4, 1, 2, -2)", "f32[2,3,4]", "float32 (1, 2, 3, 4)" },
  { "shape=(0, -2, 1, 1)", "f32[2,3]", "float32 (2, 3, 1, 1)" },
  { "shape=(-1, 0) reverse=True", "f32[10,5,4]", "float32 (50, 4)" },
  { "shape=(-1, 0)", "f32[10,5,4]", "float32 (40, 5)" },
  { "shape=(0, -3) reverse=True", "f32[2,3,4]", "float32 (2, 12)" },
  { "shape=(0, 2, 3, -4) reverse=True", "f32[4,6]", "float32 (4, 2, 3)" },
  { "target_shape=(4, 0)", "f32[2,6]", "float32 (4, 3)" },
  { "target_shape=(0, 6) keep_highest=True", "f32[2,3,2]", "float32 (2, 6)" },
};

static void
test_codes_follow_the_table (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HybTensor *x = op_tensor_from_text (rows[i].input, 0);
      g_autoptr (HybTensor) y = op_run ("Reshape", rows[i].attributes, x, NULL);

      g_test_message ("%s of %s", rows[i].attributes, rows[i].input);
      op_assert_type (y, rows[i].type);
    }
}

static void
test_elements_keep_their_order (void)
{
  g_autoptr (HybTensor) y = op_run ("Reshape", "shape=(-1, 0) reverse=True",
                                    op_tensor ("f32[2,1,2]", 1., 2., 3., 4.), NULL);

  op_assert_near (y, 0, 1., 2., 3., 4.);
}

TEST_PROGRAM (test_reshape)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("reshape", hyb_ops_reshape, samples, refusals);
  g_test_add_func ("/engine/ops/reshape/codes-follow-the-table", test_codes_follow_the_table);
  g_test_add_func ("/engine/ops/reshape/elements-keep-their-order", test_elements_keep_their_order);

  return g_test_run ();
}
