/* test-index-copy.c — tests of index_copy: samples and refusals for op-check.h, and that indices
 * outside of the array are ignored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

static const OpSample samples[] = {
  { "_contrib_index_copy", "rows", NULL, { "f32[4,2]", "i64[2] = 3,1", "f32[2,2]" } },
  { "_contrib_index_copy", "float indices", NULL, { "f32[4]", "f32[2] = 0,2", "f32[2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_index_copy",
    "rows of another size",
    NULL,
    { "f32[4,2]", "i64[2]", "f32[2,3]" },
    "the new rows: " },
  { "_contrib_index_copy",
    "another number of rows",
    NULL,
    { "f32[4,2]", "i64[3]", "f32[2,2]" },
    "the new rows: " },
  { 0 },
};

static void
test_an_index_outside_replaces_nothing (void)
{
  g_autoptr (HybTensor) y = op_run ("_contrib_index_copy",
                                    NULL,
                                    op_tensor ("f32[2]", 1., 2.),
                                    op_tensor ("i64[3]", 1., 7., -1.),
                                    op_tensor ("f32[3]", 5., 6., 7.),
                                    NULL);

  op_assert_near (y, 0, 1., 5.);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("index-copy", hyb_ops_index_copy, samples, refusals);
  g_test_add_func ("/engine/ops/index-copy/an-index-outside-replaces-nothing",
                   test_an_index_outside_replaces_nothing);

  return g_test_run ();
}
