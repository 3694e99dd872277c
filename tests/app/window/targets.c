/* targets.c — the page of the preferences with targets, and a run on a target that a local launcher stands for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/targets/target-list.h"
#include "app/window/preferences.h"

#include <glib/gstdio.h>
#include <string.h>

/* The program that --target runs is the one of this build. */
#define LAUNCHER "env NOTHING=1"

static gboolean
has_preferences (gpointer unused G_GNUC_UNUSED)
{
  return gui_find_window (SCOPE_TYPE_PREFERENCES) != NULL;
}

static gboolean
has_none (gpointer unused G_GNUC_UNUSED)
{
  return !gui_find_window (SCOPE_TYPE_PREFERENCES);
}

static guint
count_targets (void)
{
  g_autoptr (GPtrArray) targets = scope_targets_read (NULL);

  return targets ? targets->len : 0;
}

static void
enter (GtkWidget *root, const char *row, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (gui_find (root, row)), text);
}

static gboolean
is_answered (gpointer row)
{
  const char *subtitle = adw_action_row_get_subtitle (row);

  return subtitle && strstr (subtitle, "answers on");
}

static void
test_preferences (void)
{
  GtkWidget *preferences, *list;

  gui_act (window, "win.targets", NULL);
  g_assert_true (gui_wait (has_preferences, NULL, 5000));
  preferences = gui_find_window (SCOPE_TYPE_PREFERENCES);
  list = gui_find (preferences, "targets-page");
  g_assert_true (list && gtk_widget_get_mapped (list));
  enter (preferences, "target-name", "near by");
  gui_act (list, "targets.add", NULL);
  g_assert_true (says (list, "a name that an option cannot take"));
  g_assert_cmpuint (count_targets (), ==, 0);
  enter (preferences, "target-name", "near");
  enter (preferences, "target-launcher", LAUNCHER);
  enter (preferences, "target-program", HSCOPE);
  gui_act (list, "targets.add", NULL);
  g_assert_cmpuint (count_targets (), ==, 1);
  g_assert_nonnull (gui_find (list, "near"));
  gui_act (list, "targets.check", "near");
  g_assert_true (gui_wait (is_answered, gui_find (list, "near"), 60000));
  take_picture (preferences, "targets-page");
  gui_act (list, "targets.remove", "near");
  g_assert_cmpuint (count_targets (), ==, 0);
  gtk_window_destroy (GTK_WINDOW (preferences));
  g_assert_true (gui_wait (has_none, NULL, 5000));
}

static gboolean
has_another (gpointer before)
{
  return scope_workspace_get_measurement (workspace ()) != before &&
         !scope_workspace_is_running (workspace ());
}

static void
test_run (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  g_autoptr (ScopeTarget) target = scope_target_new ("near", LAUNCHER, HSCOPE, NULL, NULL);
  gpointer measurement = scope_workspace_get_measurement (workspace ());

  g_assert_true (scope_targets_store (target, NULL, NULL));
  g_free (options->target);
  options->target = g_strdup ("near");
  options->seconds = 2;
  g_assert_true (scope_page_run (page, options));
  g_assert_true (gui_wait (has_another, measurement, 60000));
  g_assert_true (is_logged ((gpointer) "near"));
  g_assert_cmpstr (prof_capture_get_text (scope_measurement_get_capture (
                                              scope_workspace_get_measurement (workspace ())),
                                          "target"),
                   ==, "near");
  g_assert_true (scope_targets_remove ("near", NULL));
}

void
add_target_tests (void)
{
  add_test ("/app/window/targets-are-added-checked-and-removed", CASE_MODEL, test_preferences);
  add_test ("/app/window/a-run-on-a-target-brings-its-recording-back", CASE_MODEL, test_run);
}
