/* devices.c — the choice of a device in the options of runs, and the note below it.
 *
 * hscope is replaced by a shell script where the answer of a GPU is wanted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/page/device-row.h"
#include "app/page/run-panel.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

/* Replaces hscope by a shell script; NULL restores it. */
static void
set_child (const char *script)
{
  g_autofree char *path = g_build_filename (folder, "hscope", NULL);
  g_autofree char *text = NULL;

  if (!script)
    {
      g_setenv ("HYBRIDSCOPE_HSCOPE", HSCOPE, TRUE);
      return;
    }
  text = g_strdup_printf ("#!/bin/sh\n%s\n", script);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  g_setenv ("HYBRIDSCOPE_HSCOPE", path, TRUE);
}

/* A row with its note in a window of its own, so that it asks for the devices again. */
static GtkWidget *
show_device_row (GtkWidget **parent, GtkWidget **note)
{
  GtkWidget *row = g_object_new (SCOPE_TYPE_DEVICE_ROW, "title", "Device", NULL);
  GtkWidget *list = gtk_list_box_new ();

  *parent = gtk_window_new ();
  *note = g_object_new (SCOPE_TYPE_DEVICE_NOTE, NULL);
  gtk_list_box_append (GTK_LIST_BOX (list), row);
  gtk_list_box_append (GTK_LIST_BOX (list), *note);
  scope_device_row_set_note (SCOPE_DEVICE_ROW (row), SCOPE_DEVICE_NOTE (*note));
  gtk_window_set_child (GTK_WINDOW (*parent), list);
  gtk_window_present (GTK_WINDOW (*parent));
  return row;
}

static guint
count_devices (GtkWidget *row)
{
  return g_list_model_get_n_items (adw_combo_row_get_model (ADW_COMBO_ROW (row)));
}

/* Whether the second device is the one that hscope named. */
static gboolean
is_named (gpointer row)
{
  GListModel *list = adw_combo_row_get_model (row);
  const char *title =
      count_devices (row) == 2 ? gtk_string_list_get_string (GTK_STRING_LIST (list), 1) : "";

  return g_str_equal (title, "Quick");
}

static gboolean
is_told (gpointer note)
{
  return gtk_widget_get_visible (note);
}

/* button: NULL where the way out is the guide. */
static void
check_note (GtkWidget *note, const char *text, const char *button)
{
  GtkWidget *test = gui_find (note, "device-test"), *guide = gui_find (note, "device-guide");

  g_assert_true (is_told (note));
  if (!strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (note)), text))
    g_error ("not “%s”: %s", text, adw_action_row_get_subtitle (ADW_ACTION_ROW (note)));
  g_assert_true (gtk_widget_get_visible (test) == (button != NULL));
  g_assert_true (gtk_widget_get_visible (guide) == !button);
  if (button)
    g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (test)), ==, button);
}

static void
test_absence (void)
{
  GtkWidget *parent, *note, *row;

  g_setenv ("HYB_GPU_MODULE", "/absent.so", TRUE);
  row = show_device_row (&parent, &note);
  wait_until (is_told, note);
  g_assert_cmpuint (count_devices (row), ==, 1);
  check_note (note, "No GPU: ", NULL);
  g_unsetenv ("HYB_GPU_MODULE");

  /* A launcher may lead to a machine that has some. */
  scope_device_row_set_remote (SCOPE_DEVICE_ROW (row), TRUE);
  g_assert_cmpuint (count_devices (row), >, 1);
  g_assert_false (is_told (note));
  gtk_window_destroy (GTK_WINDOW (parent));
}

static void
test_gpus (void)
{
  GtkWidget *parent, *note, *row;

  set_child ("echo '{\"devices\":[{\"name\":\"cpu\"},{\"name\":\"gpu:0\",\"model\":\"Quick\","
             "\"proof\":\"They agree.\",\"selftest\":{\"operators\":2,"
             "\"samples_without_time\":1}}]}'");
  row = show_device_row (&parent, &note);
  scope_device_row_set_device (SCOPE_DEVICE_ROW (row), "gpu:0"); /* of the last run */
  wait_until (is_named, row);
  g_assert_cmpstr (scope_device_row_get_device (SCOPE_DEVICE_ROW (row)), ==, "gpu:0");
  check_note (note, "2 operators agree with the processor. 1 more was left out to save time.",
              "Test Again");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (note), ==, "They agree.");
  scope_device_row_set_device (SCOPE_DEVICE_ROW (row), "cpu"); /* of which nothing is said */
  g_assert_false (is_told (note));
  gtk_window_destroy (GTK_WINDOW (parent));
  set_child (NULL);
}

static gboolean
has_title (gpointer note)
{
  return g_strcmp0 (adw_preferences_row_get_title (note), g_object_get_data (note, "wanted")) == 0;
}

static void
wait_for_title (GtkWidget *note, const char *title)
{
  g_object_set_data (G_OBJECT (note), "wanted", (gpointer) title);
  wait_until (has_title, note);
}

/* hscope as it is before a self-test was made, and, once the file exists, after one that found four wrong operators and
 * as many wrong models as the file says. */
#define NOTE_CHILD                                                                              \
  "case $* in *selftest*--device*gpu:0*) [ -e %s ] || exec sleep 100; exit 1 ;; esac\n"         \
  "test=null\n"                                                                                 \
  "[ -e %s ] && test='{\"operators\":9,\"model_runs\":2,\"model_runs_failed\":'$(cat %s)'}'\n"  \
  "[ -e %s ] && "                                                                               \
  "wrong='{\"name\":\"dot\",\"type\":\"float16\"},{\"name\":\"tanh\"},{\"name\":\"sum\"},{"     \
  "\"name\":\""                                                                                 \
  "max\"}'\n"                                                                                   \
  "echo '{\"devices\":[{\"name\":\"gpu:0\",\"model\":\"Quick\",\"selftest\":'$test',\"wrong_op" \
  "erators\":['$wrong']}]}'"

/* The button makes a self-test, after which hscope is asked again; it can be cancelled. */
static void
test_self_test (void)
{
  GtkWidget       *parent, *note, *row, *button;
  g_autofree char *done = g_build_filename (folder, "done", NULL);
  g_autofree char *script = g_strdup_printf (NOTE_CHILD, done, done, done, done);

  set_child (script);
  row = show_device_row (&parent, &note);
  scope_device_row_set_device (SCOPE_DEVICE_ROW (row), "gpu:0");
  wait_for_title (note, "Not Tested on This Computer");
  check_note (note, "has never run on one", "Test Now");
  button = gui_find (note, "device-test");
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (note)), ==, "Testing…");
  check_note (note, "computed on both", "Cancel");
  g_signal_emit_by_name (button, "clicked");
  wait_for_title (note, "Not Tested on This Computer");

  g_assert_true (g_file_set_contents (done, "0", -1, NULL));
  g_signal_emit_by_name (button, "clicked");
  wait_for_title (note, "4 Operators Are Wrong");
  check_note (note, "The processor computes them instead: dot (float16), tanh, sum, …",
              "Test Again");
  g_assert_true (g_file_set_contents (done, "1", -1, NULL));
  g_signal_emit_by_name (button, "clicked");
  wait_for_title (note, "Models Differ");
  check_note (note, "1 run of a model differs from the processor’s", "Test Again");
  gtk_window_destroy (GTK_WINDOW (parent));
  set_child (NULL);
  g_remove (done);
}

/* The chosen GPU is named in full, whatever is said of it. */
static gboolean
has_whole_labels (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    return FALSE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    if (!GTK_IS_POPOVER (child) && !has_whole_labels (child))
      return FALSE;
  return TRUE;
}

static gboolean
has_long_name (gpointer row)
{
  GListModel *list = adw_combo_row_get_model (row);

  return count_devices (row) == 2 &&
         g_str_has_suffix (gtk_string_list_get_string (GTK_STRING_LIST (list), 1), "HBM3");
}

/* A picture of the popover that a widget is in. */
static void
take_native (GtkWidget *in, const char *name)
{
  gui_spin (300);
  take_picture (gtk_widget_get_native (in), name);
}

static void
test_whole_name (void)
{
  GtkWidget *row, *mode = gui_find (GTK_WIDGET (window), "run-mode");

  set_child ("echo '{\"devices\":[{\"name\":\"gpu:0\",\"model\":\"NVIDIA H100 80GB HBM3\","
             "\"selftest\":null}]}'");
  gui_act (window, "win.choose-device", NULL);
  row = gui_find (GTK_WIDGET (window), "run-device");
  wait_until (is_mapped, row);
  wait_until (has_long_name, row);
  scope_device_row_set_device (SCOPE_DEVICE_ROW (row), "gpu:0");
  wait_until (is_told, gui_find (GTK_WIDGET (window), "run-device-note"));
  take_native (row, "gpu-long-name");
  g_assert_true (has_whole_labels (row));
  adw_combo_row_set_selected (ADW_COMBO_ROW (mode), 2); /* Imperative: operator by operator */
  gui_spin (300);
  g_assert_true (has_whole_labels (mode));
  adw_combo_row_set_selected (ADW_COMBO_ROW (mode), 0);

  gtk_widget_grab_focus (gui_find (GTK_WIDGET (window), "run-targets")); /* which scrolls */
  take_native (row, "run-panel-targets");
  g_assert_true (has_whole_labels (gui_find (GTK_WIDGET (window), "run-device-note")));
  scope_device_row_set_device (SCOPE_DEVICE_ROW (row), "cpu");
  set_child (NULL);
}

static gboolean
folds (GtkWidget *in)
{
  GtkWidget *panel = gtk_widget_get_ancestor (in, SCOPE_TYPE_RUN_PANEL);
  g_autoptr (ScopeRunOptions) options = scope_run_panel_get_options (SCOPE_RUN_PANEL (panel));

  return options->fold;
}

/* The switch belongs to runs that have a plan. */
static void
test_folding (void)
{
  GtkWidget *fold = gui_find (GTK_WIDGET (window), "run-fold");
  GtkWidget *mode = gui_find (GTK_WIDGET (window), "run-mode");

  gui_act (window, "win.choose-device", NULL);
  wait_until (is_mapped, fold);
  g_assert_false (folds (fold));
  g_assert_true (gtk_widget_is_sensitive (fold));
  gtk_switch_set_active (GTK_SWITCH (fold), TRUE);
  take_native (fold, "run-panel-fold");
  g_assert_true (folds (fold));
  adw_combo_row_set_selected (ADW_COMBO_ROW (mode), 2); /* Imperative: operator by operator */
  g_assert_false (gtk_widget_is_sensitive (fold));
  adw_combo_row_set_selected (ADW_COMBO_ROW (mode), 0);
  g_assert_true (gtk_widget_is_sensitive (fold));
  gtk_switch_set_active (GTK_SWITCH (fold), FALSE);
  g_assert_false (folds (fold));
}

/* The sentence is whole, and the way out is a button. */
static void
test_no_driver (void)
{
  GtkWidget *row, *note;

  set_child (
      "echo '{\"devices\":[{\"name\":\"cpu\"}],\"error\":{\"message\":\"no driver is installed "
      "(libcuda.so.1 was not found)\",\"hint\":\"Install version 525 or newer\"}}'");
  gui_act (window, "win.choose-device", NULL);
  row = gui_find (GTK_WIDGET (window), "run-device");
  note = gui_find (GTK_WIDGET (window), "run-device-note");
  wait_until (is_told, note);
  take_native (row, "gpu-no-driver");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (note)), ==,
                   "No GPU: no driver is installed (libcuda.so.1 was not found). Install version "
                   "525 or newer.");
  check_note (note, "525", NULL);
  g_assert_true (has_whole_labels (note));
  set_child (NULL);
}

static void
remove_folder (void)
{
  g_autofree char *path = g_build_filename (folder, "hscope", NULL);

  g_remove (path);
  g_rmdir (folder);
  g_free (folder);
}

void
add_device_tests (void)
{
  folder = g_dir_make_tmp ("hybridscope-devices-XXXXXX", NULL);
  at_quick_exit (remove_folder);
  add_test ("/app/window/the-list-of-devices-says-why-there-is-no-GPU", CASE_MODEL, test_absence);
  add_test ("/app/window/the-list-of-devices-has-the-GPUs", CASE_MODEL, test_gpus);
  add_test ("/app/window/a-GPU-is-tested-by-a-button", CASE_MODEL, test_self_test);
  add_long_test ("/app/window/the-name-of-a-GPU-is-not-cut", CASE_MODEL, test_whole_name);
  add_test ("/app/window/a-switch-folds-parameters-where-there-is-a-plan", CASE_MODEL,
            test_folding);
  add_test ("/app/window/a-missing-driver-leads-to-the-guide", CASE_MODEL, test_no_driver);
}
