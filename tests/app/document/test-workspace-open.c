/* test-workspace-open.c — opening files in a workspace: what it shows then, also if a file cannot be read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace.h"
#include "tests/program.h"

#define MODELS "tests/data/goldens/models/"
#define LSTM   "cell-lstm-t6-ntc-none"

/* Starts to open a file below the folder of models. */
static void
start (ScopeWorkspace *workspace, const char *name)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, MODELS, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_workspace_open (workspace, file, NULL);
}

static gboolean
on_late (gpointer is_late)
{
  *(gboolean *) is_late = TRUE;
  return G_SOURCE_REMOVE;
}

/* Waits until the file has been read or refused. */
static void
wait_until_read (ScopeWorkspace *workspace)
{
  gboolean is_late = FALSE;
  guint    timer = g_timeout_add_seconds (60, on_late, &is_late);

  while (scope_workspace_get_state (workspace) == SCOPE_STATE_LOADING && !is_late)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (is_late);
  g_source_remove (timer);
}

static void
test_model_is_shown (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();

  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_EMPTY);
  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_READY);
  g_assert_nonnull (scope_workspace_get_document (workspace));
  g_assert_null (scope_workspace_get_error (workspace));
  g_assert_cmpstr (scope_workspace_get_title (workspace), ==, LSTM);
}

/* A model that is open already stays. */
static void
test_failure_keeps_the_model (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  ScopeDocument *document;

  start (workspace, "absent.json");
  wait_until_read (workspace);
  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_FAILED);
  g_assert_nonnull (scope_workspace_get_error (workspace));
  g_assert_null (scope_workspace_get_document (workspace));

  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  document = scope_workspace_get_document (workspace);
  g_assert_nonnull (document);
  start (workspace, "absent.json");
  wait_until_read (workspace);
  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_FAILED);
  g_assert_true (scope_workspace_get_document (workspace) == document);
}

/* Also if the result of the other arrives later. */
static void
test_newest_file_is_shown (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();

  start (workspace, "absent.json");
  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_READY);
  g_assert_nonnull (scope_workspace_get_document (workspace));
  g_assert_null (scope_workspace_get_error (workspace));
}

TEST_PROGRAM (test_workspace_open)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/workspace-open/a-model-is-shown", test_model_is_shown);
  g_test_add_func ("/app/workspace-open/a-file-that-is-absent-keeps-the-model",
                   test_failure_keeps_the_model);
  g_test_add_func ("/app/workspace-open/the-newest-file-is-shown", test_newest_file_is_shown);
  return g_test_run ();
}
