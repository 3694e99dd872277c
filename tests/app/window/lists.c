/* lists.c — opening folders of models, and files of parameters without their graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include <glib/gstdio.h>
#include <string.h>

#define MODEL  "mlp-dropout-symbol.json"
#define PARAMS "mlp-dropout-0000.params"

static char *folder;

static void
make_folder (void)
{
  g_autofree char *below = NULL;

  folder = g_dir_make_tmp ("hybridscope-lists-XXXXXX", NULL);
  below = g_build_filename (folder, "below", NULL);
  g_mkdir (below, 0700);
}

static void
remove_folder (void)
{
  for (const char *const *name =
           (const char *const[]){ "below/" MODEL, "below/other.params", "below", MODEL, PARAMS,
                                  "notes.json", NULL };
       *name; name++)
    {
      g_autofree char *path = g_build_filename (folder, *name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

/* Copies a file of the model into the folder, under a name. */
static void
copy (const char *file, const char *name)
{
  g_autofree char *source =
      g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/mlp-dropout", file, NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) from = g_file_new_for_path (source);
  g_autoptr (GFile) to = g_file_new_for_path (path);

  g_assert_true (g_file_copy (from, to, 0, NULL, NULL, NULL, NULL));
}

static void
open_path (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_window_open (window, file);
}

static gboolean
window_says (gpointer text)
{
  return says (GTK_WIDGET (window), text);
}

static gboolean
has_page (gpointer unused G_GNUC_UNUSED)
{
  return scope_window_get_page (window) != NULL;
}

static gboolean
has_failed (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *states = gui_find (GTK_WIDGET (window), "list-states");

  return states && g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (states)), "failed") == 0;
}

static gboolean
has_rows (gpointer n)
{
  GtkWidget *table = gui_find (GTK_WIDGET (window), "list-table");

  return table && g_list_model_get_n_items (G_LIST_MODEL (
                      gtk_column_view_get_model (GTK_COLUMN_VIEW (table)))) == GPOINTER_TO_UINT (n);
}

/* Models in folders below are listed, too; a row opens its model. */
static void
test_folder_of_models (void)
{
  g_autofree char *notes = NULL;

  make_folder ();
  notes = g_build_filename (folder, "notes.json", NULL);
  copy (MODEL, MODEL);
  copy (PARAMS, PARAMS);
  copy (MODEL, "below/" MODEL);
  g_assert_true (g_file_set_contents (notes, "{\"written\": \"by hand\"}", -1, NULL));
  open_path (".");
  wait_until (has_rows, GUINT_TO_POINTER (2));
  g_assert_true (window_says ((gpointer) "2 models · "));
  take_picture (window, "folder-of-models");
  g_signal_emit_by_name (gui_find (GTK_WIDGET (window), "list-table"), "activate", 0u);
  wait_until (has_page, NULL);
  page = scope_window_get_page (window);
  gui_settle (page);
  g_assert_true (
      g_str_has_suffix (scope_document_get_path (scope_workspace_get_document (workspace ())),
                        "below/" MODEL));
  remove_folder ();
}

static void
test_folder_without_models (void)
{
  make_folder ();
  gui_act (window, "win.open-folder", folder);
  wait_until (has_failed, NULL);
  g_assert_true (window_says ((gpointer) "there is no model in the folder"));
  remove_folder ();
}

/* The graph whose name fits is opened with the parameters. */
static void
test_parameters_beside_a_graph (void)
{
  make_folder ();
  copy (MODEL, MODEL);
  copy (PARAMS, PARAMS);
  open_path (PARAMS);
  wait_until (has_page, NULL);
  page = scope_window_get_page (window);
  gui_settle (page);
  g_assert_true (
      g_str_has_suffix (scope_document_get_params (scope_workspace_get_document (workspace ())),
                        PARAMS));
  remove_folder ();
}

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

/* Its arrays are listed, and the graph can be chosen. */
static void
test_parameters_alone (void)
{
  g_autofree char *path = NULL;
  g_autoptr (GFile) graph = NULL;
  GtkWidget *dialog;

  make_folder ();
  copy (MODEL, MODEL);
  copy (PARAMS, "below/other.params");
  path = g_build_filename (folder, "below", "other.params", NULL);
  gui_act (window, "win.open-arrays", path);
  wait_until (has_rows, GUINT_TO_POINTER (6));
  g_assert_true (window_says ((gpointer) "6 arrays, without a graph · "));
  take_picture (window, "arrays");
  gui_act (window, "win.choose-graph", path);
  wait_until (has_dialog, NULL);
  dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);
  graph = g_file_new_build_filename (folder, MODEL, NULL);
  g_assert_true (gtk_file_chooser_set_file (GTK_FILE_CHOOSER (dialog), graph, NULL));
  gui_spin (500);
  gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  wait_until (has_page, NULL);
  page = scope_window_get_page (window);
  gui_settle (page);
  g_assert_cmpstr (scope_document_get_params (scope_workspace_get_document (workspace ())), ==,
                   path);
  remove_folder ();
}

void
add_list_tests (void)
{
  add_test ("/app/window/a-folder-lists-its-models", CASE_EMPTY, test_folder_of_models);
  add_test ("/app/window/a-folder-without-models-says-so", CASE_EMPTY, test_folder_without_models);
  add_test ("/app/window/parameters-open-their-graph", CASE_EMPTY, test_parameters_beside_a_graph);
  add_test ("/app/window/parameters-alone-are-listed", CASE_EMPTY, test_parameters_alone);
}
