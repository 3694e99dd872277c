/* test-merge-equal.c — what is one node afterwards, and what stays two.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/passes/pipeline.h"
#include "tests/engine/toy-ops.h"
#include "tests/program.h"

/* Two nodes of one operator on the same input: whether one is left. */
static gboolean
merges (const char *op, const char *const *a, const char *const *b)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId         x = hyb_builder_add_variable (builder, "x", NULL);
  const char *const *attributes[2] = { a, b };
  HybPipelineOptions options = { .optimise = TRUE };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybGraph) merged = NULL;
  g_autoptr (HybFacts) facts = hyb_facts_new (FALSE);
  g_autoptr (GError) error = NULL;
  guint             n_heads;
  const HybValueId *heads;

  for (guint i = 0; i < 2; i++)
    {
      HybValueId value = hyb_builder_call (builder, op,
                                           &(HybNodeSpec){ .name = "y",
                                                           .n_inputs = 1,
                                                           .inputs = &x,
                                                           .attributes = attributes[i] },
                                           &error);

      g_assert_no_error (error);
      hyb_builder_add_head (builder, value);
    }
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  hyb_facts_resize (facts, graph);
  facts->types[x] = (HybType){ hyb_shape_2d (4, 6), HYB_F32 };
  merged = hyb_pipeline_run (graph, facts, &options, NULL, &error);
  g_assert_no_error (error);

  heads = hyb_graph_get_heads (merged, &n_heads);
  g_assert_cmpuint (n_heads, ==, 2);
  g_assert_true (hyb_shape_is_known (&facts->types[heads[1]].shape));
  g_assert_cmpuint (hyb_graph_n_nodes (merged), ==, heads[0] == heads[1] ? 2 : 3);
  return heads[0] == heads[1];
}

static void
test_attributes_count_by_meaning (void)
{
  static const char *const first[] = { "axis", "1", "begin", "0", "end", "2", NULL };
  static const char *const same[] = { "axis", "1", "begin", "0", "end", " 2", NULL };
  static const char *const other[] = { "axis", "1", "begin", "1", "end", "2", NULL };
  static const char *const none[] = { "axis", "1", "begin", "0", "end", "None", NULL };

  g_assert_true (merges ("slice_axis", first, first));
  g_assert_true (merges ("slice_axis", first, same));
  g_assert_false (merges ("slice_axis", first, other));
  g_assert_false (merges ("slice_axis", first, none));
}

static void
test_shapes_are_compared (void)
{
  static const char *const rows[] = { "shape", "(6, 4)", NULL };
  static const char *const columns[] = { "shape", "(4, 6)", NULL };
  static const char *const flat[] = { "shape", "(24,)", NULL };

  g_assert_true (merges ("Reshape", rows, rows));
  g_assert_false (merges ("Reshape", rows, columns));
  g_assert_false (merges ("Reshape", rows, flat));
}

static void
test_random_numbers_stay_apart (void)
{
  static const char *const always[] = { "mode", "always", NULL };

  if (!hyb_op_find ("Dropout"))
    {
      g_test_skip ("no Dropout");
      return;
    }
  g_assert_false (merges ("Dropout", always, always));
}

TEST_PROGRAM (test_merge_equal)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/merge-equal/attributes-count-by-meaning",
                   test_attributes_count_by_meaning);
  g_test_add_func ("/engine/passes/merge-equal/shapes-are-compared", test_shapes_are_compared);
  g_test_add_func ("/engine/passes/merge-equal/random-numbers-stay-apart",
                   test_random_numbers_stay_apart);

  return g_test_run ();
}
