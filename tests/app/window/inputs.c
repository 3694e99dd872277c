/* inputs.c — shapes of inputs and values that a model lacks: guessed, given, remembered.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/writer.h"

#include <glib/gstdio.h>
#include <string.h>

/* A fully connected layer of 5 units; nothing suggests how many numbers it reads. */
static const char *const layer_symbol =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"fc_bias\", \"inputs\": []},"
    "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"5\"}, "
    "\"inputs\": [[0,0,0],[1,0,0],[2,0,0]]}],"
    "\"arg_nodes\": [0,1,2], \"heads\": [[3,0,0]]}";

/* Opens a model that lies in a folder of its own. */
static ScopePage *
open_symbol (const char *folder, const char *name, const char *text)
{
  g_autofree char *file_name = g_strconcat (name, "-symbol.json", NULL);
  g_autofree char *path = g_build_filename (folder, file_name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  if (text)
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
  scope_window_open (window, file);
  gui_settle (scope_window_get_page (window));
  return scope_window_get_page (window);
}

static void
remove_symbol (const char *folder, const char *name)
{
  g_autofree char *file_name = g_strconcat (name, "-symbol.json", NULL);
  g_autofree char *path = g_build_filename (folder, file_name, NULL);

  g_remove (path);
  g_rmdir (folder);
}

/* The shape of the first output of the shown model, "2,6,5". */
static char *
shape_of_output (void)
{
  ScopeDocument    *document = scope_workspace_get_document (workspace ());
  HybGraph         *graph = scope_document_get_graph (document);
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);

  return hyb_shape_join (&scope_document_get_types (document, graph)[heads[0]].shape, ",");
}

static gboolean
has_output (gpointer expected)
{
  g_autofree char *shape = scope_workspace_get_document (workspace ()) ? shape_of_output () : NULL;

  return g_strcmp0 (shape, expected) == 0 &&
         scope_workspace_get_state (workspace ()) == SCOPE_STATE_READY;
}

static GtkWidget *
field (const char *name)
{
  GtkWidget *found = gui_find (GTK_WIDGET (window), name);

  g_assert_nonnull (found);
  return found;
}

static GtkWidget *
panel (void)
{
  return gtk_widget_get_ancestor (field ("inputs-view"), GTK_TYPE_POPOVER);
}

static void
show_form (void)
{
  gui_act (window, "win.run-options", NULL);
  wait_until (is_mapped, field ("inputs-view"));
}

static void
hide_form (void)
{
  gtk_popover_popdown (GTK_POPOVER (panel ()));
  wait_until (is_unmapped, panel ());
}

static void
type_into (const char *name, const char *text)
{
  gtk_widget_grab_focus (field (name));
  gtk_editable_set_text (GTK_EDITABLE (field (name)), text);
  g_signal_emit_by_name (field (name), "activate");
}

static void
test_guesses_at_once (void)
{
  const ScopeInput *input;

  page = gui_open (window, "zoo-squeezenet1.0", NULL);
  input = &g_array_index (scope_document_get_inputs (scope_workspace_get_document (workspace ())),
                          ScopeInput, 0);
  g_assert_cmpstr (input->name, ==, "data");
  g_assert_false (hyb_shape_is_known (&input->known));
  g_assert_true (hyb_shape_is_known (&input->type.shape));
  g_assert_nonnull (input->reason);
  g_assert_cmpstr (scope_workspace_get_shapes (workspace ())[0], ==, "data=1,3,224,224");
  g_assert_true (has_output ((gpointer) "1,1000"));
  show_form ();
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (field ("shape-data-0"))), ==, "1");
  g_assert_nonnull (
      strstr (gtk_label_get_text (GTK_LABEL (field ("reason-data"))), "a batch of 1"));
  take_picture (panel (), "inputs");
  hide_form ();
}

/* Files of ONNX name open dimensions; the name stands in the field until there is a size. */
static void
test_named_dimensions (void)
{
  g_autoptr (GFile) file = g_file_new_for_path (SOURCE_ROOT "/tests/data/onnx/outside.onnx");
  GtkWidget *time;

  scope_window_open (window, file);
  page = scope_window_get_page (window);
  gui_settle (page);
  show_form ();
  time = field ("shape-words-0");
  g_assert_true (GTK_IS_ENTRY (time));
  g_assert_cmpstr (gtk_entry_get_placeholder_text (GTK_ENTRY (time)), ==, "time");
  g_assert_false (says (panel (), "-1"));
  type_into ("shape-words-0", "7");
  type_into ("shape-words-1", "2");
  g_assert_true (gui_wait (has_output, (gpointer) "7,2,5", 10000));
  g_assert_cmpstr (scope_workspace_get_shapes (workspace ())[0], ==, "words=7,2");
  hide_form ();
}

static void
test_given_shape (void)
{
  page = gui_open (window, "zoo-squeezenet1.0", NULL);
  show_form ();
  type_into ("shape-data-0", "7");
  wait_until (has_output, (gpointer) "7,1000");
  g_assert_cmpstr (scope_workspace_get_shapes (workspace ())[0], ==, "data=7,3,224,224");
  /* What is no size changes nothing. */
  type_into ("shape-data-0", "many");
  g_assert_true (gtk_widget_has_css_class (field ("shape-data-0"), "error"));
  g_assert_cmpstr (scope_workspace_get_given_shapes (workspace ())[0], ==, "data=7,3,224,224");
  g_signal_emit_by_name (field ("guess-data"), "clicked");
  wait_until (has_output, (gpointer) "1,1000");
  g_assert_null (scope_workspace_get_given_shapes (workspace ())[0]);
  hide_form ();
}

static void
test_shapes_stay_with_their_model (void)
{
  ScopePage *first, *second;

  first = page = gui_open (window, "zoo-squeezenet1.0", NULL);
  show_form ();
  type_into ("shape-data-0", "3");
  wait_until (has_output, (gpointer) "3,1000");
  hide_form ();
  second = page = gui_open (window, "mlp-dropout", NULL);
  g_assert_null (scope_workspace_get_given_shapes (workspace ()));
  show_form ();
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (field ("shape-data"))), ==, "1, 5");
  hide_form ();
  g_assert_true (first != second);
  /* Closed and opened again, each has its own. */
  scope_page_save_state (first);
  scope_page_save_state (second);
  scope_writer_wait ();
  page = gui_open (window, "zoo-squeezenet1.0", NULL);
  wait_until (has_output, (gpointer) "3,1000");
  page = gui_open (window, "mlp-dropout", NULL);
  g_assert_null (scope_workspace_get_given_shapes (workspace ()));
}

static gboolean
is_focused (gpointer widget)
{
  return (gtk_widget_get_state_flags (widget) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0;
}

static const char *
banner_text (void)
{
  return gtk_label_get_text (GTK_LABEL (gui_find (GTK_WIDGET (page), "banner-label")));
}

/* The action of the button beside the message of the page. */
static const char *
banner_action (void)
{
  GtkWidget *button = gui_find (GTK_WIDGET (page), "banner-button");

  return gtk_widget_get_visible (button) ? gtk_actionable_get_action_name (GTK_ACTIONABLE (button))
                                         : NULL;
}

static void
test_asks_for_shapes (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-inputs-XXXXXX", NULL);

  page = open_symbol (folder, "layer", layer_symbol);
  g_assert_cmpstr (scope_workspace_get_open_input (workspace ()), ==, "data");
  for (const char *const *action =
           (const char *const[]){ "win.run", "win.compare", "win.convert", NULL };
       *action; action++)
    {
      scope_page_show_message (page, NULL, NULL, NULL);
      gui_act (window, *action, g_str_equal (*action, "win.convert") ? "fused" : NULL);
      g_assert_false (scope_workspace_is_running (workspace ()));
      g_assert_true (scope_window_get_page (window) == page);
      g_assert_nonnull (strstr (banner_text (), "data"));
      g_assert_cmpstr (banner_action (), ==, "win.give-shapes");
    }
  gui_act (window, "win.give-shapes", NULL);
  wait_until (is_focused, field ("shape-data"));
  take_picture (panel (), "shapes-wanted");
  type_into ("shape-data", "2, 9");
  wait_until (has_output, (gpointer) "2,5");
  g_assert_null (scope_workspace_get_open_input (workspace ()));
  hide_form ();
  remove_symbol (folder, "layer");
}

static gboolean
has_measurement (gpointer of_workspace)
{
  return scope_workspace_get_measurement (of_workspace) != NULL;
}

static void
test_fills_values (void)
{
  g_autofree char   *folder = g_dir_make_tmp ("hybridscope-inputs-XXXXXX", NULL);
  const ProfCapture *capture;

  page = open_symbol (folder, "layer", layer_symbol);
  scope_workspace_give_shapes (workspace (), (const char *const[]){ "data=2,9", NULL });
  wait_until (has_output, (gpointer) "2,5");
  g_assert_true (scope_workspace_lacks_values (workspace ()));
  gui_act (window, "win.run", NULL);
  g_assert_false (scope_workspace_is_running (workspace ()));
  g_assert_nonnull (strstr (banner_text (), "2 parameters"));
  g_assert_cmpstr (banner_action (), ==, "win.fill");
  take_picture (window, "values-wanted");
  /* The run that was asked for follows. */
  gui_act (window, "win.fill", NULL);
  g_assert_true (scope_workspace_is_running (workspace ()));
  g_assert_true (gui_wait (has_measurement, workspace (), 90000));
  g_assert_nonnull (strstr (gtk_window_get_title (GTK_WINDOW (window)), "random values"));
  g_assert_cmpstr (scope_workspace_get_title (workspace ()), ==, "layer");
  capture = scope_measurement_get_capture (scope_workspace_get_measurement (workspace ()));
  g_assert_cmpfloat (prof_capture_get_number (capture, "model.filled"), ==, 2);
  scope_page_save_state (page);
  scope_writer_wait ();
  /* It is remembered. */
  page = open_symbol (folder, "layer", NULL);
  g_assert_true (scope_workspace_get_fills (workspace ()));
  g_assert_true (has_output ((gpointer) "2,5"));
  show_form ();
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (field ("missing-values"))), "random"));
  g_signal_emit_by_name (field ("fill-button"), "clicked");
  g_assert_true (scope_workspace_lacks_values (workspace ()));
  hide_form ();
  remove_symbol (folder, "layer");
}

void
add_input_tests (void)
{
  add_test ("/app/window/shapes-are-guessed-when-a-model-opens", CASE_EMPTY, test_guesses_at_once);
  add_test ("/app/window/named-dimensions-can-be-given", CASE_EMPTY, test_named_dimensions);
  add_test ("/app/window/a-given-shape-takes-effect-at-once", CASE_EMPTY, test_given_shape);
  add_long_test ("/app/window/shapes-stay-with-their-model", CASE_EMPTY,
                 test_shapes_stay_with_their_model);
  add_test ("/app/window/asks-for-a-shape-that-nothing-suggests", CASE_EMPTY, test_asks_for_shapes);
  add_test ("/app/window/fills-values-that-a-model-lacks", CASE_EMPTY, test_fills_values);
}
