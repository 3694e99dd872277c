/* pane.c — the side pane: outputs of the model, weights that steps share, and where it begins.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include <glib/gstdio.h>
#include <string.h>

static GtkWidget *
pane (void)
{
  return GTK_WIDGET (scope_page_get_view (page, "node"));
}

static gboolean
pane_says (gpointer text)
{
  return says (pane (), text);
}

/* The first box of that kind that is, or is not, before the steps of a chain. */
static guint32
find_box (VizBoxKind kind, gboolean is_header)
{
  VizDiagram *diagram = scope_document_get_diagram (scope_workspace_get_document (workspace ()));

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == kind &&
        ((viz_diagram_box (diagram, box)->flags & VIZ_BOX_HEADER) != 0) == is_header)
      return box;
  g_assert_not_reached ();
}

/* --- Outputs --- */

static gboolean
has_histogram (gpointer unused G_GNUC_UNUSED)
{
  return gui_find (pane (), "activation") != NULL;
}

/* Before a run its shape, the node that computes it and a button that runs the model; afterwards its values. */
static void
test_output (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  GtkWidget *button;

  scope_workspace_select (workspace (), find_box (VIZ_BOX_OUTPUT, FALSE));
  wait_until (pane_says, (gpointer) "output of the model");
  g_assert_true (pane_says ((gpointer) "Computed by"));
  g_assert_true (pane_says ((gpointer) "2×4"));
  button = gui_find (pane (), "run-for-values");
  g_assert_nonnull (button);
  g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (button)), ==, "win.run");
  take_picture (window, "output-before");
  options->seconds = 2;
  g_assert_true (scope_page_run (page, options));
  wait_until (has_histogram, NULL);
  g_assert_true (pane_says ((gpointer) "Values of the Last Run"));
  g_assert_true (pane_says ((gpointer) "Largest"));
  g_assert_null (gui_find (pane (), "run-for-values"));
  take_picture (window, "output-after");
}

/* Thirteen outputs, which share a box. */
static char *
write_many (void)
{
  GString *text =
      g_string_new ("{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}");
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-many-XXXXXX", NULL);
  char            *path = g_build_filename (folder, "many-symbol.json", NULL);

  for (guint i = 0; i < 13; i++)
    g_string_append_printf (text,
                            ", {\"op\": \"square\", \"name\": \"part%u\", \"inputs\": [[0,0,0]]}",
                            i);
  g_string_append (text, "], \"arg_nodes\": [0], \"heads\": [");
  for (guint i = 0; i < 13; i++)
    g_string_append_printf (text, "%s[%u,0,0]", i > 0 ? ", " : "", i + 1);
  g_string_append (text, "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_string_free (text, TRUE);
  return path;
}

static void
test_many_outputs (void)
{
  g_autofree char *path = write_many ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_window_open_as (window, file, NULL, (const char *const[]){ "data=2,3", NULL });
  page = scope_window_get_page (window);
  gui_settle (page);
  scope_workspace_select (workspace (), find_box (VIZ_BOX_OUTPUT, FALSE));
  wait_until (pane_says, (gpointer) "outputs of the model");
  g_assert_true (pane_says ((gpointer) "part0_output"));
  g_assert_true (pane_says ((gpointer) "part12_output"));
  g_remove (path);
  g_rmdir (folder);
}

/* --- Weights of all steps --- */

/* The box before the first step has no node of its own; the pane leads to the weights that it lists. */
static void
test_shared_weights (void)
{
  ScopeDocument *document = scope_workspace_get_document (workspace ());
  guint32        weight = scope_document_find_name (document, "unroll0_lstm0_i2h_weight");

  scope_workspace_select (workspace (), find_box (VIZ_BOX_WEIGHT, TRUE));
  wait_until (pane_says, (gpointer) "weights of all steps");
  g_assert_cmpuint (weight, !=, VIZ_ROOT);
  g_assert_true (pane_says ((gpointer) "unroll0_lstm0_i2h_weight"));
  g_assert_true (pane_says ((gpointer) "unroll0_lstm0_h2h_bias"));
  g_assert_false (pane_says ((gpointer) "Members"));
  take_picture (window, "weights-of-all-steps");
}

/* --- Problems --- */

/* Whether a label with this text is styled as an error. */
static gboolean
is_red (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root) && strstr (gtk_label_get_text (GTK_LABEL (root)), text))
    return gtk_widget_has_css_class (root, "error");
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    if (is_red (child, text))
      return TRUE;
  return FALSE;
}

/* Eight units by the weights, nine by the attribute: what is wrong is red, and where the shapes come from is not. */
static void
test_details_of_a_problem_are_not_red (void)
{
  g_autofree char *source = g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/mlp-dropout",
                                              "mlp-dropout-symbol.json", NULL);
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-problem-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "wrong-symbol.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GString) changed = NULL;

  g_assert_true (g_file_get_contents (source, &text, NULL, NULL));
  changed = g_string_new (text);
  g_assert_cmpuint (g_string_replace (changed, "\"num_hidden\": \"8\"", "\"num_hidden\": \"9\"", 1),
                    ==, 1);
  g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
  scope_window_open_as (window, file, NULL, NULL);
  page = scope_window_get_page (window);
  gui_settle (page);
  wait_until (pane_says, (gpointer) "does not match");
  g_assert_true (is_red (pane (), "does not match"));
  g_assert_true (pane_says ((gpointer) "Its inputs are"));
  g_assert_false (is_red (pane (), "Its inputs are"));
  g_remove (path);
  g_rmdir (folder);
}

/* --- Scrolling --- */

static GtkAdjustment *
scroll (void)
{
  GtkWidget *scroller = adw_bin_get_child (ADW_BIN (pane ()));

  return gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
}

static gboolean
is_at_top (gpointer unused G_GNUC_UNUSED)
{
  return gtk_adjustment_get_value (scroll ()) < 0.5;
}

static gboolean
can_scroll (gpointer unused G_GNUC_UNUSED)
{
  return gtk_adjustment_get_upper (scroll ()) > gtk_adjustment_get_page_size (scroll ()) + 40;
}

/* The pane of another node begins with its title. */
static void
test_another_node_begins_at_the_top (void)
{
  gtk_window_set_default_size (GTK_WINDOW (window), 900, 420);
  scope_workspace_select (workspace (), find_box (VIZ_BOX_STEPS, FALSE));
  wait_until (can_scroll, NULL);
  gtk_adjustment_set_value (scroll (), 40);
  g_assert_false (is_at_top (NULL));
  scope_workspace_select (workspace (), VIZ_ROOT);
  wait_until (is_at_top, NULL);
}

void
add_pane_tests (void)
{
  add_test ("/app/window/the-pane-tells-of-an-output", CASE_MODEL, test_output);
  add_test ("/app/window/the-pane-lists-many-outputs", CASE_EMPTY, test_many_outputs);
  add_test ("/app/window/the-pane-lists-weights-of-all-steps", CASE_MODEL, test_shared_weights);
  add_test ("/app/window/details-of-a-problem-are-not-red", CASE_EMPTY,
            test_details_of_a_problem_are_not_red);
  add_test ("/app/window/another-node-begins-at-the-top", CASE_MODEL,
            test_another_node_begins_at_the_top);
}
