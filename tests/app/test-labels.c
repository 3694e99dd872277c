/* test-labels.c — titles of loops, with and without known shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/labels.h"

#include "engine/formats/mxnet-symbol.h"
#include "tests/program.h"

#define VARIABLE(name)    "{\"op\":\"null\",\"name\":\"" name "\",\"inputs\":[]}"
#define LIST(nodes, head) "{\"nodes\":[" nodes "],\"arg_nodes\":[],\"heads\":[" head "]"
#define ATTRIBUTES                                                                             \
  "\"num_args\":\"2\",\"num_outputs\":\"1\",\"num_out_data\":\"1\",\"in_data_locs\":\"(0,)\"," \
  "\"in_state_locs\":\"()\",\"remain_locs\":\"()\""

/* A loop over the first axis of “data”. */
static const char foreach[] =
    LIST (VARIABLE (
              "data") ",{\"op\":\"_foreach\",\"name\":\"loop\",\"attrs\":{" ATTRIBUTES
                      "},\"inputs\":[[0,0,0]],\"subgraphs\":[" LIST (
                          VARIABLE ("row") ",{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[0,0,0]]}",
                          "[1,0,0]") "}]}",
          "[1,0,0]") ",\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

static void
test_steps_of_a_loop (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (foreach, sizeof foreach - 1);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autofree HybType *types = NULL;
  g_autofree char    *known = NULL, *unknown = NULL, *without = NULL;
  g_autoptr (GError) error = NULL;
  HybGraph *graph;

  hyb_symbol_read (model, bytes, "loop", &error);
  g_assert_no_error (error);
  graph = hyb_model_get_graph (model);
  types = g_new (HybType, hyb_graph_n_values (graph));
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;

  unknown = scope_label_frame (graph, 1, types);
  g_assert_cmpstr (unknown, ==, "foreach");
  types[0].shape = hyb_shape_2d (35, 4);
  known = scope_label_frame (graph, 1, types);
  g_assert_cmpstr (known, ==, "foreach × 35");
  without = scope_label_frame (graph, 1, NULL);
  g_assert_cmpstr (without, ==, "foreach");
}

TEST_PROGRAM (test_labels)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/app/labels/steps-of-a-loop", test_steps_of_a_loop);

  return g_test_run ();
}
