/* test-nested.c — loops inside loops: the work of inferring types grows with the depth, not with its
 * power.
 *
 * Without a memory of what was inferred, the types of each body are inferred twice for every time that
 * the body around it is: 2^30 times for the innermost body here, which would not end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/formats/mxnet-symbol.h"
#include "tests/program.h"

#define LOOP(data, state)                                                                      \
  "{\"op\": \"null\", \"name\": \"d\", \"inputs\": []" data                                    \
  "}, {\"op\": \"null\", \"name\": \"s\", \"inputs\": []" state                                \
  "}, {\"op\": \"_foreach\", \"name\": \"f\", \"inputs\": [[0, 0, 0], [1, 0, 0]], \"attrs\": " \
  "{\"num_args\": \"3\", \"num_outputs\": \"2\", \"num_out_data\": \"1\", \"in_state_locs\": " \
  "\"(1,)\", \"in_data_locs\": \"(0,)\", \"remain_locs\": \"()\"}, \"subgraphs\": ["

#define LOOP_END "]}], \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0], [2, 1, 0]]}"

#define BODY                                                                                     \
  "{\"nodes\": [{\"op\": \"null\", \"name\": \"d\", \"inputs\": []}, {\"op\": \"null\", "        \
  "\"name\": \"s\", \"inputs\": []}, {\"op\": \"elemwise_add\", \"name\": \"add\", \"inputs\": " \
  "[[0, 0, 0], [1, 0, 0]]}], \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0], [2, 0, 0]]}"

/* A loop that contains depth - 1 others, each inside the one before. */
static HybModel *
new_nested (guint depth, const char *data, const char *state)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_string_append_printf (text, "{\"nodes\": [" LOOP ("%s", "%s"), data, state);
  for (guint i = 1; i < depth; i++)
    g_string_append (text, "{\"nodes\": [" LOOP ("", ""));
  g_string_append (text, BODY);
  for (guint i = 0; i < depth; i++)
    g_string_append (text, LOOP_END);
  bytes = g_bytes_new (text->str, text->len);
  g_assert_true (hyb_symbol_read (model, bytes, "nested", &error));
  g_assert_no_error (error);
  return g_steal_pointer (&model);
}

static HybType *
infer (HybModel *model)
{
  HybGraph *graph = hyb_model_get_graph (model);
  guint     n = hyb_graph_n_values (graph);
  HybType  *types = g_new (HybType, n);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, &error));
  g_assert_no_error (error);
  return types;
}

static void
test_unknown_shapes (void)
{
  g_autoptr (HybModel) model = new_nested (30, "", "");
  g_autofree HybType *types = infer (model);

  g_assert_cmpint (types[0].dtype, ==, HYB_F32);
}

/* The shape of the data is known, so it passes through all levels. */
static void
test_known_shapes (void)
{
  g_autoptr (HybModel) model =
      new_nested (12, ", \"attrs\": {\"__shape__\": \"(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3)\"}",
                  ", \"attrs\": {\"__shape__\": \"(3,)\"}");
  g_autofree HybType *types = infer (model);
  HybShape            state = hyb_shape_1d (3);

  g_assert_cmpint (types[2].shape.rank, ==, 13);
  g_assert_cmpint (types[2].shape.dim[12], ==, 3);
  g_assert_true (hyb_shape_equal (&types[3].shape, &state));
}

TEST_PROGRAM (test_nested)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/control/nested/unknown-shapes-are-inferred-once-a-level",
                   test_unknown_shapes);
  g_test_add_func ("/engine/control/nested/known-shapes-pass-through-all-levels",
                   test_known_shapes);
  return g_test_run ();
}
