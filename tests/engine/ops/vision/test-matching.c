/* test-matching.c — bipartite_matching: the checks of op-check.h on samples and refusals; equal
 * scores; the limit of pairs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_bipartite_matching", "one matrix", "threshold=0.1", { "f32[3,4] 0..1" } },
  { "_contrib_bipartite_matching",
    "several matrices, small scores first",
    "threshold=0.6 is_ascend=True topk=1",
    { "f32[2,2,3,2] 0..1" } },
  { "_contrib_bipartite_matching", "no columns", "threshold=0", { "f32[3,0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_bipartite_matching", "a vector", "threshold=0", { "f32[3]" }, "data" },
  { "_contrib_bipartite_matching", "no threshold", NULL, { "f32[3,2]" }, "threshold" },
  { 0 },
};

static GPtrArray *
match (const char *attributes, HybTensor *scores)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_add (inputs, scores);
  return op_run_all ("_contrib_bipartite_matching", attributes, FALSE, inputs);
}

static void
test_equal_scores_are_taken_in_row_major_order (void)
{
  g_autoptr (GPtrArray) pairs =
      match ("threshold=0.5", op_tensor ("f32[2,3]", 0.9, 0.9, 0.9, 0.9, 0.9, 0.5));

  op_assert_near (pairs->pdata[0], 0, 0., 1.);
  op_assert_near (pairs->pdata[1], 0, 0., 1., -1.);
}

/* MXNet compares topk after it made a pair: one more is made. */
static void
test_one_pair_more_than_topk_is_made (void)
{
  g_autoptr (GPtrArray) pairs =
      match ("threshold=0 topk=1", op_tensor ("f32[3,3]", 0.9, 0., 0., 0., 0.8, 0., 0., 0., 0.7));

  op_assert_near (pairs->pdata[0], 0, 0., 1., -1.);
}

TEST_PROGRAM (test_matching)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("matching", hyb_ops_matching, samples, refusals);
  g_test_add_func ("/engine/ops/matching/equal-scores-are-taken-in-row-major-order",
                   test_equal_scores_are_taken_in_row_major_order);
  g_test_add_func ("/engine/ops/matching/one-pair-more-than-topk-is-made",
                   test_one_pair_more_than_topk_is_made);

  return g_test_run ();
}
