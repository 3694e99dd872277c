/* targets.c — a run on a target that a local launcher stands for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/targets/target-list.h"

/* The program that --target runs is the one of this build. */
#define LAUNCHER "env NOTHING=1"

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
                   ==,
                   "near");
  g_assert_true (scope_targets_remove ("near", NULL));
}

void
add_target_tests (void)
{
  add_test ("/app/window/a-run-on-a-target-brings-its-recording-back", CASE_MODEL, test_run);
}
