/* values.c — recorded values of a run: statistics, steps of loops, and the first NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include <glib/gstdio.h>
#include <string.h>

static const char *const shapes[] = { "data=2,6,4", NULL };

static const char *const nan_symbol =
    "{\"nodes\": ["
    "{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"square\", \"name\": \"squared\", \"inputs\": [[0, 0, 0]]},"
    "{\"op\": \"negative\", \"name\": \"below\", \"inputs\": [[1, 0, 0]]},"
    "{\"op\": \"sqrt\", \"name\": \"root\", \"inputs\": [[2, 0, 0]]},"
    "{\"op\": \"square\", \"name\": \"after\", \"inputs\": [[3, 0, 0]]}],"
    "\"arg_nodes\": [0], \"node_row_ptr\": [0, 1, 2, 3, 4, 5], \"heads\": [[4, 0, 0]],"
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

static gboolean
has_strip (gpointer of)
{
  return gui_find (of, "values-strip") != NULL;
}

static const char *
steps_label (ScopePage *of)
{
  GtkWidget *view = GTK_WIDGET (scope_page_get_graph_view (of));

  return gtk_label_get_text (GTK_LABEL (gui_find (view, "steps-label")));
}

/* The first in some body. */
static guint32
find_sigmoid (ScopeDocument *document)
{
  for (guint i = 0; i < scope_document_n_places (document); i++)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);

      if (scope_document_get_body (document, place->graph) &&
          strcmp (hyb_graph_get_node (place->graph, place->node)->type, "sigmoid") == 0)
        return place->box;
    }
  return VIZ_ROOT;
}

static gboolean
has_values (gpointer of)
{
  return scope_workspace_get_values (of) != NULL;
}

static gboolean
has_activation (gpointer of)
{
  return gui_find (of, "activation") != NULL;
}

static void
run_shortly (ScopePage *own)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

  options->seconds = 2;
  g_assert_true (scope_page_run (own, options));
  g_assert_true (gui_wait (has_values, scope_page_get_workspace (own), 60000));
}

static void
test_values (void)
{
  ScopePage              *own = gui_open (window, "cell-lstm-t6-ntc-none", shapes);
  ScopeWorkspace         *its = scope_page_get_workspace (own);
  const ScopeValueSeries *value;

  run_shortly (own);
  value = scope_values_find (scope_workspace_get_values (its), NULL, "unroll0_lstm0_t0_i", 0);
  g_assert_nonnull (value);
  /* A sigmoid. */
  g_assert_cmpfloat (value->latest.statistics.minimum, >, 0);
  g_assert_cmpfloat (value->latest.statistics.maximum, <, 1);
  g_assert_null (scope_values_get_first_nan (scope_workspace_get_values (its)));
  scope_workspace_show (its, scope_document_find_name (scope_workspace_get_document (its),
                                                       "unroll0_lstm0_t0_i"));
  g_assert_true (gui_wait (has_activation, own, 10000));
  gui_settle (own);
  take_picture (window, "activations");
}

/* --- The first NaN --- */

/* Writes a model, opens and runs it. */
static ScopePage *
run_symbol (const char *text, const char *const *own_shapes)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-nan-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "nan-symbol.json", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  ScopePage *own;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  scope_window_open_as (window, file, NULL, own_shapes);
  own = scope_window_get_page (window);
  gui_settle (own);
  run_shortly (own);
  g_remove (path);
  g_rmdir (folder);
  return own;
}

/* The node is selected and named in a message. */
static void
test_first_nan (void)
{
  ScopePage           *own = run_symbol (nan_symbol, (const char *const[]){ "data=2,3", NULL });
  ScopeWorkspace      *its = scope_page_get_workspace (own);
  const ScopeFirstNan *first = scope_values_get_first_nan (scope_workspace_get_values (its));

  g_assert_cmpstr (first->node, ==, "root");
  g_assert_null (first->body);
  g_assert_cmpuint (scope_workspace_get_selected (its), ==,
                    scope_document_find_name (scope_workspace_get_document (its), "root"));
  take_picture (window, "first-nan");
}

/* A state that begins below 1 and grows by 1 a step, and the root of what it leaves of 3. */
static const char *const loop_symbol =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"begin\", \"inputs\": []},"
    "{\"op\": \"_foreach\", \"name\": \"loop\", \"attrs\": {\"in_data_locs\": \"[0]\", "
    "\"in_state_locs\": \"[1]\", \"remain_locs\": \"[]\", \"num_args\": \"3\", "
    "\"num_out_data\": \"1\", \"num_outputs\": \"2\"}, \"inputs\": [[0,0,0],[1,0,0]], "
    "\"subgraphs\": [{\"nodes\": [{\"op\": \"null\", \"name\": \"row\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"state\", \"inputs\": []},"
    "{\"op\": \"_plus_scalar\", \"name\": \"next\", \"attrs\": {\"scalar\": \"1\"}, "
    "\"inputs\": [[1,0,0]]},"
    "{\"op\": \"_rminus_scalar\", \"name\": \"left\", \"attrs\": {\"scalar\": \"3\"}, "
    "\"inputs\": [[2,0,0]]},"
    "{\"op\": \"sqrt\", \"name\": \"root\", \"inputs\": [[3,0,0]]},"
    "{\"op\": \"elemwise_add\", \"name\": \"sum\", \"inputs\": [[0,0,0],[4,0,0]]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[5,0,0],[2,0,0]]}]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[2,0,0],[2,1,0]], "
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

/* Inside a loop its step is named as well, and shown. */
static void
test_first_nan_in_a_loop (void)
{
  ScopePage *own = run_symbol (loop_symbol, (const char *const[]){ "data=6,3", "begin=3", NULL });
  ScopeWorkspace      *its = scope_page_get_workspace (own);
  const ScopeFirstNan *first = scope_values_get_first_nan (scope_workspace_get_values (its));
  const char *told = gtk_label_get_text (GTK_LABEL (gui_find (GTK_WIDGET (own), "banner-label")));

  g_assert_cmpstr (first->node, ==, "root");
  g_assert_cmpstr (first->body, ==, "loop");
  g_assert_nonnull (strstr (told, "root in loop, step 2"));
  g_assert_cmpuint (scope_workspace_get_selected (its), ==,
                    scope_document_find_inside (scope_workspace_get_document (its), "loop",
                                                "root"));
  g_assert_true (gui_wait (has_strip, own, 10000));
  g_assert_cmpstr (steps_label (own), ==, "Step 2 of 6");
  gui_settle (own);
  take_picture (window, "first-nan-in-a-loop");
}

/* --- Loops --- */

/* The step is chosen on the scale, with its buttons, and on the strip in the side pane. */
static void
test_steps_of_a_loop (void)
{
  static const char *const own_shapes[] = { "data0=5,2,3", "data1=2,4", "data2=2,4", NULL };
  ScopePage               *own = gui_open (window, "foreachrnn-lstm", own_shapes);
  ScopeWorkspace          *its = scope_page_get_workspace (own);
  GtkWidget               *view = GTK_WIDGET (scope_page_get_graph_view (own));
  GtkWidget               *scale = gui_find (view, "steps-scale"), *strip;
  guint32                  box = find_sigmoid (scope_workspace_get_document (its));

  g_assert_false (gtk_widget_get_visible (scale));
  run_shortly (own);
  scope_workspace_show (its, box);
  g_assert_true (gui_wait (has_strip, own, 10000));
  g_assert_true (gtk_widget_get_visible (scale));
  g_assert_cmpstr (steps_label (own), ==, "Step 4 of 5");
  gui_settle (own);
  take_picture (window, "values-in-a-loop");
  g_assert_true (says (GTK_WIDGET (own), "· step 4 of 5"));
  gtk_range_set_value (GTK_RANGE (scale), 1);
  g_assert_cmpuint (scope_workspace_get_step (its)->step[0], ==, 1);
  gui_spin (50);
  g_assert_true (says (GTK_WIDGET (own), "· step 1 of 5"));
  gui_act (view, "graph.steps-earlier", NULL);
  g_assert_cmpstr (steps_label (own), ==, "Step 0 of 5");
  gui_act (view, "graph.steps-earlier", NULL);
  g_assert_cmpstr (steps_label (own), ==, "Step 0 of 5");
  gui_act (view, "graph.steps-later", NULL);
  gui_act (view, "graph.steps-more", NULL);
  g_assert_cmpstr (steps_label (own), ==, "Step 1 of 5");
  gui_settle (own);
  gui_spin (50);
  strip = gui_find (GTK_WIDGET (own), "values-strip");
  g_signal_emit_by_name (strip, "picked", 3u);
  g_assert_cmpstr (steps_label (own), ==, "Step 3 of 5");
}

/* The step of the loop inside names that of the loop around; what is chosen holds for both. */
static void
test_steps_of_a_loop_in_a_loop (void)
{
  static const char *const own_shapes[] = { "data0=4,2,3", "data1=3", NULL };
  ScopePage               *own = gui_open (window, "foreach-nested", own_shapes);
  ScopeWorkspace          *its = scope_page_get_workspace (own);
  ScopeDocument           *document = scope_workspace_get_document (its);
  GtkWidget               *view = GTK_WIDGET (scope_page_get_graph_view (own));
  guint32 inner = scope_document_find_inside (document, "fn0__foreach1/fn0__foreach0", "fn0__mul0");
  guint32 outer = scope_document_find_inside (document, "fn0__foreach1", "fn0_tanh0");

  run_shortly (own);
  scope_workspace_show (its, inner);
  g_assert_true (gui_wait (has_strip, own, 10000));
  g_assert_cmpstr (steps_label (own), ==, "Step 3.1");
  gtk_range_set_value (GTK_RANGE (gui_find (view, "steps-scale")), 2);
  g_assert_cmpstr (steps_label (own), ==, "Step 1.0");
  gui_spin (50);
  g_assert_true (says (GTK_WIDGET (own), "· step 1.0"));
  gui_settle (own);
  take_picture (window, "values-in-a-loop-in-a-loop");
  scope_workspace_show (its, outer);
  g_assert_cmpstr (steps_label (own), ==, "Step 1 of 4");
  gui_act (view, "graph.steps-later", NULL);
  scope_workspace_show (its, inner);
  g_assert_cmpstr (steps_label (own), ==, "Step 2.1");
}

void
add_value_tests (void)
{
  add_test ("/app/window/shows-what-a-run-gave", CASE_EMPTY, test_values);
  add_test ("/app/window/finds-the-first-that-is-no-number", CASE_EMPTY, test_first_nan);
  add_test ("/app/window/finds-the-first-that-is-no-number-in-a-loop", CASE_EMPTY,
            test_first_nan_in_a_loop);
  add_test ("/app/window/looks-at-each-step-of-a-loop-in-a-loop", CASE_EMPTY,
            test_steps_of_a_loop_in_a_loop);
  add_test ("/app/window/looks-at-each-step-of-a-loop", CASE_EMPTY, test_steps_of_a_loop);
}
