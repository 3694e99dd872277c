/* numbers.c — numbers of the user by node name: opened, dropped, selected, removed, refused.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/writer.h"
#include "app/session/settings.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static char *folder;

static gboolean
has_numbers (gpointer of_workspace)
{
  return scope_workspace_get_numbers (of_workspace) != NULL;
}

/* Colours with this title are shown. */
static gboolean
has_title (gpointer title)
{
  VizOverlay *overlay = scope_canvas_get_overlay (canvas ());

  return overlay && g_strcmp0 (viz_overlay_title (overlay), title) == 0;
}

static gboolean
has_no_colours (gpointer of_canvas)
{
  return !scope_canvas_get_overlay (of_canvas);
}

static gboolean
is_at_selection (gpointer text)
{
  return says (GTK_WIDGET (scope_page_get_view (page, "node")), text);
}

/* The message above the views is shown and has this text. */
static gboolean
is_refused (gpointer text)
{
  GtkWidget *label = gui_find (GTK_WIDGET (page), "banner-label");

  return gtk_revealer_get_reveal_child (
             GTK_REVEALER (gtk_widget_get_ancestor (label, GTK_TYPE_REVEALER))) &&
         strstr (gtk_label_get_text (GTK_LABEL (label)), text);
}

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

static gboolean
has_no_dialog (gpointer unused)
{
  return !has_dialog (unused);
}

/* The name of the n-th operator of the model. */
static const char *
nth_operator (guint n)
{
  HybGraph *graph = scope_document_get_graph (scope_workspace_get_document (workspace ()));

  for (HybNodeId i = 0; i < hyb_graph_n_nodes (graph); i++)
    if (!hyb_node_is_variable (hyb_graph_get_node (graph, i)) && n-- == 0)
      return hyb_graph_get_node (graph, i)->name;
  g_assert_not_reached ();
}

static guint32
box_of (const char *name)
{
  return scope_document_find_name (scope_workspace_get_document (workspace ()), name);
}

/* Writes a file into the folder; (transfer full) its path. */
static char *
write_file (const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* Numbers of the first two operators. */
static char *
write_numbers (const char *name)
{
  g_autofree char *text =
      g_strdup_printf ("{\"%s\": 1.25, \"%s\": {\"value\": 4.5}, \"elsewhere\": 9}",
                       nth_operator (0), nth_operator (1));

  return write_file (name, text);
}

static void
drop (const char *path)
{
  gpointer target = gui_controller (GTK_WIDGET (window), GTK_TYPE_DROP_TARGET);
  GValue   value = G_VALUE_INIT;
  gboolean handled = FALSE;

  g_value_init (&value, G_TYPE_FILE);
  g_value_take_object (&value, g_file_new_for_path (path));
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &handled);
  g_value_unset (&value);
  g_assert_true (handled);
}

static void
begin (void)
{
  folder = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);
}

/* Removes the folder with what is in it. */
static void
end (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_clear_pointer (&folder, g_free);
}

static void
test_colours_and_selection (void)
{
  g_autofree char *path = NULL;
  g_autofree char *heat = NULL;
  VizOverlay      *overlay;
  GtkWidget       *legend = gui_find (GTK_WIDGET (page), "heat-legend");

  begin ();
  path = write_numbers ("sensitivity.json");
  scope_window_open_numbers (window, path);
  wait_until (has_title, (gpointer) "sensitivity.json");
  overlay = scope_canvas_get_overlay (canvas ());
  g_assert_cmpfloat (viz_overlay_value (overlay, box_of (nth_operator (0))), ==, 1.25);
  g_assert_cmpfloat (viz_overlay_value (overlay, box_of (nth_operator (1))), ==, 4.5);
  g_assert_true (isnan (viz_overlay_value (overlay, box_of (nth_operator (2)))));
  g_assert_cmpint (viz_overlay_scale (overlay), ==, VIZ_SCALE_LINEAR);
  g_assert_true (gtk_widget_get_visible (legend));
  g_assert_nonnull (strstr (viz_overlay_note (overlay), "2 of its 3 names"));
  take_picture (window, "numbers");

  scope_workspace_show (workspace (), box_of (nth_operator (1)));
  wait_until (is_at_selection, (gpointer) "sensitivity.json");
  g_assert_true (is_at_selection ((gpointer) "4.5"));
  take_picture (window, "numbers-selected");

  /* Numbers are no setting: the next page shows costs again. */
  heat = scope_settings_get_text ("heat", "self");
  g_assert_cmpstr (heat, ==, "self");
  end ();
}

static void
test_removal (void)
{
  g_autofree char *path = NULL;
  g_autofree char *scale = NULL;

  begin ();
  path = write_numbers ("removed.json");
  scope_window_open_numbers (window, path);
  wait_until (has_title, (gpointer) "removed.json");
  gui_act (page, "page.remove-numbers", NULL);
  g_assert_false (has_numbers (workspace ()));
  wait_until (has_no_colours, canvas ());
  scale = scope_settings_get_text ("heat-scale", "log");
  g_assert_cmpstr (scale, ==, "log");
  end ();
}

/* Numbers take the place of costs, and costs come back. */
static void
test_beside_costs (void)
{
  g_autofree char *path = NULL;
  g_autofree char *costs = g_strdup (viz_overlay_title (scope_canvas_get_overlay (canvas ())));

  begin ();
  path = write_numbers ("beside.json");
  scope_window_open_numbers (window, path);
  wait_until (has_title, (gpointer) "beside.json");
  gui_act (page, "page.heat", "self");
  wait_until (has_title, costs);
  g_assert_cmpint (viz_overlay_scale (scope_canvas_get_overlay (canvas ())), ==, VIZ_SCALE_LOG);
  gui_act (page, "page.heat", "numbers");
  wait_until (has_title, (gpointer) "beside.json");
  gui_act (page, "page.remove-numbers", NULL);
  wait_until (has_title, costs);
  end ();
}

static void
test_dropped (void)
{
  g_autofree char  *numbers = NULL, *model = NULL;
  static const char graph[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, {\"op\": \"tanh\", "
      "\"name\": \"squash\", \"inputs\": [[0, 0, 0]]}], \"arg_nodes\": [0], \"heads\": [[1, 0, "
      "0]]}";

  begin ();
  numbers = write_numbers ("dropped.json");
  drop (numbers);
  wait_until (has_title, (gpointer) "dropped.json");
  g_assert_true (scope_window_get_page (window) == page);

  model = write_file ("graph.json", graph);
  drop (model);
  for (guint i = 0; i < 100 && scope_window_get_page (window) == page; i++)
    gui_spin (50);
  g_assert_true (scope_window_get_page (window) != page);
  gui_settle (scope_window_get_page (window));
  gui_act (window, "win.close-tab", NULL);
  wait_until (is_shown, page);
  end ();
}

/* Numbers are kept with the view of the model, until they are removed. */
static void
test_reopening (void)
{
  g_autofree char *path = NULL;

  begin ();
  path = write_numbers ("kept.json");
  scope_window_open_numbers (window, path);
  wait_until (has_title, (gpointer) "kept.json");
  for (guint i = 0; i < 2; i++)
    {
      scope_page_autosave (page);
      scope_writer_wait ();
      gui_act (window, "win.close-tab", NULL);
      scope_writer_wait ();
      page = gui_open (window, "cell-lstm-t6-ntc-none", NULL);
      if (i == 0)
        {
          wait_until (has_title, (gpointer) "kept.json");
          gui_act (page, "page.remove-numbers", NULL);
        }
    }
  gui_settle (page);
  g_assert_null (scope_workspace_get_numbers_path (workspace ()));
  g_assert_false (has_title ((gpointer) "kept.json"));
  end ();
}

/* A file of numbers that is no longer there is forgotten; one that is none any more is named in the log. */
static void
test_reopening_without (void)
{
  g_autofree char *path = NULL, *again = NULL;

  begin ();
  path = write_numbers ("gone.json");
  scope_window_open_numbers (window, path);
  wait_until (has_title, (gpointer) "gone.json");
  again = write_file ("gone.json", "{\"elsewhere\": 1}");
  gui_act (window, "win.close-tab", NULL);
  scope_writer_wait ();
  page = gui_open (window, "cell-lstm-t6-ntc-none", NULL);
  wait_until (is_logged, (gpointer) "none of its 1 names");
  g_assert_false (has_numbers (workspace ()));
  end ();
}

/* Files that are none of numbers are refused with a message, and the way out is a button. */
static void
test_refusals (void)
{
  static const struct
  {
    const char *text, *message;
  } cases[] = {
    { "{\"elsewhere\": 1}", "none of its 1 names" },
    { "{\"some\": \"text\"}", "no number" },
    { "{\"nodes\": []}", "is a graph" },
    { "[1, 2", "refused.json" },
    { "", "refused.json" },
  };
  GtkWidget *button = gui_find (GTK_WIDGET (page), "banner-button");

  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = write_file ("refused.json", cases[i].text);

      scope_window_open_numbers (window, path);
      g_test_message ("%s", cases[i].text);
      wait_until (is_refused, (gpointer) cases[i].message);
      g_assert_true (gtk_widget_get_mapped (button));
      g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (button)), ==,
                       "win.open-numbers");
      g_assert_false (has_numbers (workspace ()));
      gui_act (page, "page.dismiss", NULL);
    }
  end ();
}

/* The action opens a file dialog; so does the choice of colours while there are no numbers. */
static void
test_dialog (void)
{
  gui_act (window, "win.open-numbers", NULL);
  wait_until (has_dialog, NULL);
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
  wait_until (has_no_dialog, NULL);
  gui_act (page, "page.heat", "numbers");
  wait_until (has_dialog, NULL);
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
  wait_until (has_no_dialog, NULL);
}

void
add_number_tests (void)
{
  add_test ("/app/window/numbers-colour-the-graph-and-stand-at-the-selection", CASE_MODEL,
            test_colours_and_selection);
  add_test ("/app/window/numbers-can-be-removed", CASE_MODEL, test_removal);
  add_test ("/app/window/numbers-and-costs-take-turns", CASE_MEASURED, test_beside_costs);
  add_test ("/app/window/dropped-json-is-numbers-or-a-model", CASE_MODEL, test_dropped);
  add_test ("/app/window/numbers-come-back-with-the-model", CASE_MODEL, test_reopening);
  add_test ("/app/window/wrong-numbers-do-not-come-back", CASE_MODEL, test_reopening_without);
  add_test ("/app/window/wrong-numbers-are-refused-with-a-button", CASE_MODEL, test_refusals);
  add_test ("/app/window/numbers-have-a-file-dialog", CASE_MODEL, test_dialog);
}
