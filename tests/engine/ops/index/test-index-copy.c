/* test-index-copy.c — tests of index_copy: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

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
  { "_contrib_index_copy",
    "an index outside",
    NULL,
    { "f32[2]", "i64[2] = 1,2", "f32[2]" },
    "index 2 is outside of axis 0" },
  { 0 },
};

TEST_PROGRAM (test_index_copy)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("index-copy", hyb_ops_index_copy, samples, refusals);
  return g_test_run ();
}
