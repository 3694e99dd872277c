/* sweeps.c — the page of a sweep: opened, updated while workers fill the folder, its axes, its cells.
 *
 * The folders are written by hand, as workers leave them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/watchdog.h"
#include "app/sweep/sweep-table.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define N_FORMS   3
#define N_BATCHES 4
#define N_CELLS   (2 * N_BATCHES * N_FORMS)

static char *folder; /* of the test that runs */

/* --- Folders --- */

static void
write_file (const char *text, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Locks the file of a cell that is being done.  The descriptor is closed when the file is removed. */
static int
hold_file (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  int              file = g_open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

  g_assert_cmpint (file, >=, 0);
  g_assert_cmpint (flock (file, LOCK_EX | LOCK_NB), ==, 0);
  return file;
}

static void
release_file (int file, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (g_remove (path), ==, 0);
  close (file);
}

/* Forms are the fastest axis, then passes, then batch sizes.  batches: a JSON list */
static void
write_plan (const char *batches)
{
  g_autofree char *plan =
      g_strdup_printf ("{\"version\": 1, \"task\": \"measure\", \"samples\": 0, \"time_limit\": 0, "
                       "\"repeat\": [\"1\"], \"models\": [\"gallery:lstm-lm\"], \"batch\": %s, "
                       "\"length\": [\"\"], \"passes\": [\"inference\", \"training\"], "
                       "\"devices\": [\"\"], \"threads\": [\"\"], \"modes\": [\"\"], "
                       "\"variants\": [\"unrolled\", \"foreach\", \"fused\"]}",
                       batches);

  write_file (plan, "plan.json");
}

static void
write_result (guint cell)
{
  g_autofree char *name = g_strdup_printf ("cells/%06u.json", cell);
  double           median = 1e-3 * (1 + cell / 6) / (1 + cell % N_FORMS);
  char             text[4][G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *line =
      g_strdup_printf ("{\"cell\": %u, \"status\": \"done\", \"median\": %s, "
                       "\"low\": %s, \"high\": %s, \"worker\": \"node%u.1.1\"}",
                       cell, g_ascii_dtostr (text[0], sizeof text[0], median),
                       g_ascii_dtostr (text[1], sizeof text[1], median * 0.95),
                       g_ascii_dtostr (text[2], sizeof text[2], median * 1.05), 1 + cell / 12 % 2);

  write_file (line, name);
}

static void
write_failure (guint cell, const char *reason)
{
  g_autofree char *name = g_strdup_printf ("cells/%06u.json", cell);
  g_autofree char *line = g_strdup_printf ("{\"cell\": %u, \"status\": \"failed\", \"reason\": "
                                           "\"%s\", \"worker\": \"node1.1.1\"}",
                                           cell, reason);

  write_file (line, name);
}

/* 18 cells are done, 3 have failed, 3 are to do. */
static void
make_folder (void)
{
  const char *const names[] = { "cells", "captures" };

  folder = g_dir_make_tmp ("hybridscope-sweep-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_cmpint (g_mkdir (path, 0777), ==, 0);
    }
  write_plan ("[\"1\", \"2\", \"4\", \"8\"]");
  for (guint cell = 0; cell < 18; cell++)
    write_result (cell);
  write_failure (18, "no memory is left");
  write_failure (19, "no memory is left");
  write_failure (20, "the command was killed");
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_all (child);
    }
  g_remove (path);
}

static void
end_folder (void)
{
  remove_all (folder);
  g_clear_pointer (&folder, g_free);
}

/* --- The page --- */

static ScopeSweepPage *
sweep (void)
{
  return scope_window_get_sweep (window);
}

static GtkWidget *
find (const char *name)
{
  GtkWidget *found = gui_find (GTK_WIDGET (sweep ()), name);

  g_assert_nonnull (found);
  return found;
}

static gboolean
has_data (gpointer unused G_GNUC_UNUSED)
{
  return sweep () && scope_sweep_page_get_data (sweep ());
}

static gboolean
says_progress (gpointer text)
{
  return has_data (NULL) &&
         g_strcmp0 (gtk_label_get_text (GTK_LABEL (find ("sweep-progress"))), text) == 0;
}

static gboolean
has_cells (gpointer n)
{
  return has_data (NULL) && scope_sweep_page_get_data (sweep ())->n_cells == GPOINTER_TO_UINT (n);
}

static gboolean
shows_state (gpointer name)
{
  return sweep () &&
         g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (find ("sweep-states"))), name) ==
             0;
}

static ScopeSweepTable *
table (void)
{
  return SCOPE_SWEEP_TABLE (gtk_widget_get_ancestor (find ("sweep-table"), SCOPE_TYPE_SWEEP_TABLE));
}

static gboolean
has_rows (gpointer n)
{
  return scope_sweep_table_n_shown (table ()) == GPOINTER_TO_UINT (n);
}

static gboolean
has_text (gpointer text)
{
  return says (GTK_WIDGET (window), text);
}

static gboolean
has_all_rows (gpointer view)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (view))) == N_CELLS;
}

static void
open_folder (void)
{
  g_autoptr (GFile) file = NULL;

  make_folder ();
  file = g_file_new_for_path (folder);
  scope_window_open (window, file);
  wait_until (has_data, NULL);
}

/* --- Tests --- */

static void
test_filling (void)
{
  int running, done;

  open_folder ();
  wait_until (says_progress, (gpointer) "18 of 24 cells done, 3 failed, 3 waiting");
  running = hold_file ("cells/000022.part");
  done = hold_file ("cells/000003.part"); /* has a line already */
  wait_until (says_progress, (gpointer) "18 of 24 cells done, 3 failed, 1 running, 2 waiting");
  release_file (running, "cells/000022.part");
  release_file (done, "cells/000003.part");
  g_assert_true (
      says (GTK_WIDGET (sweep ()), "3 cells failed, 2 of them because: no memory is left"));
  g_assert_true (says (GTK_WIDGET (sweep ()), "Fused Operator against Unrolled: faster in 6 of 6"));
  take_picture (window, "sweep-overview");
  write_result (21);
  wait_until (says_progress, (gpointer) "19 of 24 cells done, 3 failed, 2 waiting");
  write_result (18);
  wait_until (says_progress, (gpointer) "20 of 24 cells done, 2 failed, 2 waiting");
  write_result (19);
  write_result (20);
  write_result (22);
  write_result (23);
  wait_until (says_progress, (gpointer) "24 of 24 cells done, 0 failed, 0 waiting");
  g_assert_false (says (GTK_WIDGET (sweep ()), "failed, all"));
  end_folder ();
}

/* Nothing watches the plan. */
static void
test_reading_again (void)
{
  open_folder ();
  wait_until (has_cells, GUINT_TO_POINTER (N_CELLS));
  write_plan ("[\"1\", \"2\"]");
  gui_act (window, "win.reload", NULL);
  wait_until (has_cells, GUINT_TO_POINTER (N_CELLS / 2));
  write_file ("nonsense", "plan.json");
  gui_act (sweep (), "sweep.reload", NULL);
  wait_until (has_text, (gpointer) "could not be read again");
  g_assert_true (shows_state ((gpointer) "shown")); /* the results stay */
  end_folder ();
}

static void
test_axes (void)
{
  GtkDropDown *rows, *columns;

  open_folder ();
  rows = GTK_DROP_DOWN (find ("sweep-rows"));
  columns = GTK_DROP_DOWN (find ("sweep-columns"));
  g_assert_true (gtk_widget_get_visible (find ("sweep-curves")));
  g_assert_cmpuint (gtk_drop_down_get_selected (rows), ==, 0); /* batch, pass, form */
  g_assert_cmpuint (gtk_drop_down_get_selected (columns), ==, 2);
  g_assert_true (gtk_widget_get_mapped (find ("sweep-value-passes")));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find ("sweep-value-passes")), 1);
  take_picture (window, "sweep-training");
  gtk_drop_down_set_selected (rows, 1);
  gui_spin (50);
  g_assert_false (gtk_widget_get_visible (find ("sweep-curves"))); /* passes are no numbers */
  g_assert_false (gtk_widget_get_mapped (find ("sweep-value-passes")));
  g_assert_true (gtk_widget_get_mapped (find ("sweep-value-batch")));
  /* An axis that is taken by the other list changes places with it. */
  gtk_drop_down_set_selected (rows, 2);
  g_assert_cmpuint (gtk_drop_down_get_selected (columns), ==, 1);
  end_folder ();
}

static void
test_failed_cells (void)
{
  open_folder ();
  wait_until (has_rows, GUINT_TO_POINTER (N_CELLS));
  gui_act (sweep (), "sweep.show-failed", NULL);
  wait_until (has_rows, GUINT_TO_POINTER (3));
  wait_until (is_mapped, table ());
  take_picture (window, "sweep-failed");
  write_failure (23, "no memory is left");
  wait_until (has_rows, GUINT_TO_POINTER (4));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find ("sweep-filter")), 3);
  wait_until (has_rows, GUINT_TO_POINTER (2));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find ("sweep-filter")), 0);
  wait_until (has_rows, GUINT_TO_POINTER (N_CELLS));
  gui_spin (300);
  take_picture (window, "sweep-cells");
  end_folder ();
}

static gboolean
shows_recording (gpointer path)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown &&
         g_strcmp0 (scope_workspace_get_capture_path (scope_page_get_workspace (shown)), path) == 0;
}

/* Double clicks on a field of the map, and on a row of the table. */
static void
test_opening_cells (void)
{
  g_autofree char *recorded = g_strdup (scope_workspace_get_capture_path (workspace ()));
  g_autofree char *text = NULL, *path = NULL;
  gsize            length;
  GtkWidget       *heat, *view;

  open_folder ();
  g_assert_true (g_file_get_contents (recorded, &text, &length, NULL));
  path = g_build_filename (folder, "captures", "000000.hscope", NULL);
  g_assert_true (g_file_set_contents (path, text, (gssize) length, NULL));
  heat = find ("sweep-heat");
  wait_until (is_mapped, heat);
  gui_spin (50);
  view = find ("sweep-table");
  gui_record_gestures (GTK_WIDGET (window));
  g_signal_emit_by_name (gui_controller (heat, GTK_TYPE_GESTURE_CLICK), "pressed", 2, 60.0, 36.0);
  gui_mark_gesture ("sweep-heat-click");
  wait_until (shows_recording, path);
  gui_act (window, "win.open-folder", folder); /* selects its tab */
  g_assert_true (has_data (NULL));
  gtk_stack_set_visible_child_name (GTK_STACK (find ("sweep-stack")), "cells");
  wait_until (has_all_rows, view);
  g_signal_emit_by_name (view, "activate", 18);
  wait_until (has_text, (gpointer) "Cell 18 failed: no memory is left");
  g_signal_emit_by_name (view, "activate", 23);
  g_assert_true (has_data (NULL)); /* the tab stays */
  end_folder ();
}

/* The dialog for models cannot choose folders. */
static void
test_plan (void)
{
  g_autoptr (GFile) file = NULL;

  make_folder ();
  file = g_file_new_build_filename (folder, "plan.json", NULL);
  scope_window_open (window, file);
  wait_until (has_data, NULL);
  g_assert_cmpstr (scope_sweep_page_get_folder (sweep ()), ==, folder);
  end_folder ();
}

static void
test_dropping (void)
{
  GtkDropTarget *target =
      GTK_DROP_TARGET (gui_controller (GTK_WIDGET (window), GTK_TYPE_DROP_TARGET));
  GValue   value = G_VALUE_INIT;
  gboolean handled = FALSE;

  make_folder ();
  g_value_init (&value, G_TYPE_FILE);
  g_value_take_object (&value, g_file_new_for_path (folder));
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &handled);
  g_value_unset (&value);
  g_assert_true (handled);
  wait_until (has_data, NULL);
  end_folder ();
}

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

static void
choose_folder (void)
{
  GtkFileChooser *dialog;
  g_autoptr (GFile) file = g_file_new_for_path (folder);

  gui_act (window, "win.open-sweep", NULL);
  wait_until (has_dialog, NULL);
  dialog = GTK_FILE_CHOOSER (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG));
  g_assert_cmpint (gtk_file_chooser_get_action (dialog), ==, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
  g_assert_true (gtk_file_chooser_set_file (dialog, file, NULL));
  gui_spin (500);
  gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
}

static void
test_dialog (void)
{
  make_folder ();
  choose_folder ();
  wait_until (has_data, NULL);
  end_folder ();
}

/* The dialog for sweeps takes any folder. */
static void
test_other_folders (void)
{
  folder = g_dir_make_tmp ("hybridscope-sweep-XXXXXX", NULL);
  choose_folder ();
  wait_until (shows_state, (gpointer) "failed");
  take_picture (window, "sweep-not-one");
  end_folder ();
}

/* 100 batch sizes, most of them done, and then all. */
static void
test_ten_thousand_cells (void)
{
  g_autoptr (GString) batches = g_string_new ("[");
  g_autoptr (GFile) file = NULL;
  ScopeWatchdogReport report;
  guint               n = 1667 * 6;

  make_folder ();
  for (guint i = 1; i <= n / 6; i++)
    g_string_append_printf (batches, "%s\"%u\"", i > 1 ? ", " : "", i);
  g_string_append (batches, "]");
  write_plan (batches->str);
  for (guint cell = 21; cell < n - 100; cell++)
    write_result (cell);
  scope_watchdog_start ();
  file = g_file_new_for_path (folder);
  scope_window_open (window, file);
  wait_until (says_progress, (gpointer) "9899 of 10002 cells done, 3 failed, 100 waiting");
  take_picture (window, "sweep-large");
  gtk_stack_set_visible_child_name (GTK_STACK (find ("sweep-stack")), "cells");
  wait_until (has_rows, GUINT_TO_POINTER (n));
  gui_spin (500);
  take_picture (window, "sweep-large-cells");
  for (guint cell = n - 100; cell < n; cell++)
    write_result (cell);
  /* A busy machine reads them for long. */
  g_assert_true (
      gui_wait (says_progress, (gpointer) "9999 of 10002 cells done, 3 failed, 0 waiting", 240000));
  report = scope_watchdog_get_report ();
  g_test_message ("the main loop computed for %d ms %u times, at most %.0f ms",
                  SCOPE_WATCHDOG_LIMIT_MS, report.n_busy, report.longest_busy);
  end_folder ();
}

void
add_sweep_tests (void)
{
  add_long_test ("/app/window/a-sweep-is-updated-while-it-fills", CASE_EMPTY, test_filling);
  add_test ("/app/window/a-sweep-is-read-again", CASE_EMPTY, test_reading_again);
  add_test ("/app/window/a-sweep-is-shown-over-any-two-axes", CASE_EMPTY, test_axes);
  add_test ("/app/window/cells-that-failed-have-reasons", CASE_EMPTY, test_failed_cells);
  add_test ("/app/window/cells-open-their-recordings", CASE_MEASURED, test_opening_cells);
  add_test ("/app/window/a-folder-without-a-sweep-says-so", CASE_EMPTY, test_other_folders);
  add_test ("/app/window/a-plan-opens-its-folder", CASE_EMPTY, test_plan);
  add_test ("/app/window/a-folder-can-be-dropped", CASE_EMPTY, test_dropping);
  add_test ("/app/window/a-folder-can-be-chosen", CASE_EMPTY, test_dialog);
  add_long_test ("/app/window/ten-thousand-cells-are-shown", CASE_EMPTY, test_ten_thousand_cells);
}
