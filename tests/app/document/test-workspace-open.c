/* test-workspace-open.c — opening files in a workspace: what it shows then, also if a file cannot be read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace.h"
#include "app/process/file-guard.h"
#include "engine/formats/format.h"
#include "profiler/capture/capture-builder.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

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

/* --- Files that become shorter --- */

#define LARGE 3000 /* an array of this times this is mapped */

static const char large_symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []},"
    " {\"op\": \"null\", \"name\": \"w\", \"inputs\": []},"
    " {\"op\": \"dot\", \"name\": \"y\", \"inputs\": [[0, 0, 0], [1, 0, 0]]}],"
    " \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]]}";

typedef struct
{
  char *folder, *symbol, *params;
} LargeModel;

static void
large_model_set_up (LargeModel *model, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) weight = hyb_tensor_new_float (2, (const gint64[]){ LARGE, LARGE }, NULL);
  g_autoptr (HybTensor) last = hyb_tensor_new_float (1, (const gint64[]){ 100 }, NULL);

  model->folder = g_dir_make_tmp ("large-XXXXXX", NULL);
  model->symbol = g_build_filename (model->folder, "m-symbol.json", NULL);
  model->params = g_build_filename (model->folder, "m-0000.params", NULL);
  hyb_tensor_list_set (list, "arg:w", weight);
  hyb_tensor_list_set (list, "arg:last", last);
  g_assert_true (g_file_set_contents (model->symbol, large_symbol, -1, NULL));
  g_assert_true (hyb_weights_write_file (list, model->params, NULL));
  scope_file_guard_install ();
}

static void
large_model_tear_down (LargeModel *model, gconstpointer unused G_GNUC_UNUSED)
{
  g_remove (model->symbol);
  g_remove (model->params);
  g_rmdir (model->folder);
  g_free (model->symbol);
  g_free (model->params);
  g_free (model->folder);
}

static void
start_path (ScopeWorkspace *workspace, const char *path, const char *params)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_workspace_open (workspace, file, params);
}

/* What a view does that shows values of the weights. */
static float
sum_weights (ScopeWorkspace *workspace)
{
  HybModel    *model = scope_document_get_model (scope_workspace_get_document (workspace));
  HybTensor   *weight = hyb_model_get_parameter (model, "w");
  const float *values = hyb_tensor_get_data (weight);
  float        sum = 0;

  for (gsize i = 0; i < (gsize) LARGE * LARGE; i++)
    sum += values[i];
  return sum;
}

static void
test_cut_file_is_an_error_of_its_document (LargeModel *model, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  g_autoptr (ScopeWorkspace) other = scope_workspace_new ();
  g_autofree char *contents = NULL;
  gsize            n;

  g_assert_true (g_file_get_contents (model->params, &contents, &n, NULL));
  start_path (workspace, model->symbol, model->params);
  start (other, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  wait_until_read (other);
  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_READY);

  g_assert_cmpint (truncate (model->params, 0), ==, 0);
  g_assert_cmpfloat (sum_weights (workspace), ==, 0);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_FAILED);
  g_assert_nonnull (strstr (scope_workspace_get_error (workspace), model->params));
  g_assert_nonnull (strstr (scope_workspace_get_error (workspace), "became shorter"));
  g_assert_cmpint (scope_workspace_get_state (other), ==, SCOPE_STATE_READY);

  /* The file is whole again. */
  g_assert_true (g_file_set_contents (model->params, contents, (gssize) n, NULL));
  scope_workspace_reload (workspace);
  wait_until_read (workspace);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (scope_workspace_get_state (workspace), ==, SCOPE_STATE_READY);
}

/* --- Captures --- */

/* A capture of these runs with this many events each, none of a node.  Remove it with remove_capture().
 * (transfer full) */
static char *
make_capture (guint n_runs, guint n_events)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *folder = g_dir_make_tmp ("captures-XXXXXX", NULL);
  char            *path = g_build_filename (folder, "made.hscope", NULL);

  prof_builder_add_graph (builder, "", PROF_NONE, PROF_NONE);
  for (guint i = 0; i < n_runs * n_events; i++)
    {
      gboolean is_run = (i + 1) % n_events == 0;
      guint    run = i / n_events;

      prof_builder_add_event (builder,
                              &(ProfEvent){
                                  .begin_ns = i,
                                  .packed =
                                      prof_event_pack (1, is_run ? PROF_EVENT_RUN : PROF_EVENT_PASS,
                                                       0, 0, 0),
                                  .node = PROF_NONE,
                                  .run = (guint16) run });
    }
  bytes = prof_builder_finish (builder);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), NULL));
  return path;
}

static void
remove_capture (char *path /* (transfer full) */)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_remove (path);
  g_rmdir (folder);
  g_free (path);
}

/* Waits until no task holds the workspace.  A worker may be the last to let go of one, which wakes no
 * loop. */
static void
wait_for_workers (ScopeWorkspace *workspace)
{
  gboolean is_late = FALSE;
  guint    timer = g_timeout_add_seconds (60, on_late, &is_late);

  while (g_atomic_int_get (&G_OBJECT (workspace)->ref_count) > 1 && !is_late)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_assert_false (is_late);
  g_source_remove (timer);
}

static int
shown_run (ScopeWorkspace *workspace)
{
  return scope_measurement_get_run (scope_workspace_get_measurement (workspace));
}

/* Reading the first one takes much longer. */
static void
test_newest_capture_is_shown (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  char *first = make_capture (1, 400000), *second = make_capture (1, 1);

  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  scope_workspace_open_capture (workspace, first);
  scope_workspace_open_capture (workspace, second);
  wait_for_workers (workspace);
  g_assert_cmpstr (scope_workspace_get_capture_path (workspace), ==, second);
  remove_capture (first);
  remove_capture (second);
}

/* Requests before the first one is answered: the last one counts, also if it is for the run that is shown. */
static void
test_newest_run_is_shown (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  char *capture = make_capture (3, 2);

  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  scope_workspace_open_capture (workspace, capture);
  wait_for_workers (workspace);
  g_assert_cmpint (shown_run (workspace), ==, -1);
  scope_workspace_pick_run (workspace, 1);
  scope_workspace_pick_run (workspace, 2);
  wait_for_workers (workspace);
  g_assert_cmpint (shown_run (workspace), ==, 2);
  scope_workspace_pick_run (workspace, 0);
  scope_workspace_pick_run (workspace, 2);
  wait_for_workers (workspace);
  g_assert_cmpint (shown_run (workspace), ==, 2);
  remove_capture (capture);
}

/* A run of the former capture that was asked for is not shown in its place. */
static void
test_run_of_a_former_capture_is_not_shown (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  char *first = make_capture (3, 100000), *second = make_capture (1, 1);

  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  scope_workspace_open_capture (workspace, first);
  wait_for_workers (workspace);
  scope_workspace_pick_run (workspace, 1);
  scope_workspace_open_capture (workspace, second);
  wait_for_workers (workspace);
  g_assert_cmpstr (scope_workspace_get_capture_path (workspace), ==, second);
  g_assert_cmpint (shown_run (workspace), !=, 1);
  remove_capture (first);
  remove_capture (second);
}

static void
on_problem (ScopeWorkspace *workspace G_GNUC_UNUSED, GError *error G_GNUC_UNUSED, guint *n)
{
  (*n)++;
}

/* A capture that was read for a model which has been replaced is not reported. */
static void
test_capture_of_another_model_is_no_problem (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  g_autoptr (ScopeWorkspace) other = scope_workspace_new ();
  guint n_problems = 0;

  start (workspace, LSTM "/" LSTM "-symbol.json");
  start (other, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  wait_until_read (other);
  g_signal_connect (workspace, "problem", G_CALLBACK (on_problem), &n_problems);
  scope_workspace_open_capture (workspace, "absent.hscope");
  scope_workspace_show_document (workspace, scope_workspace_get_document (other));
  wait_for_workers (workspace);
  g_assert_cmpuint (n_problems, ==, 0);
  scope_workspace_open_capture (workspace, "absent.hscope");
  wait_for_workers (workspace);
  g_assert_cmpuint (n_problems, ==, 1);
}

/* The newest request counts even if it fails: the one before it is neither shown nor reported. */
static void
test_failure_of_the_newest_capture (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  char *slow = make_capture (1, 400000);
  guint n_problems = 0;

  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  g_signal_connect (workspace, "problem", G_CALLBACK (on_problem), &n_problems);
  scope_workspace_open_capture (workspace, "absent-1.hscope");
  scope_workspace_open_capture (workspace, slow);
  scope_workspace_open_capture (workspace, "absent-2.hscope");
  wait_for_workers (workspace);
  g_assert_null (scope_workspace_get_measurement (workspace));
  g_assert_cmpuint (n_problems, ==, 1);
  remove_capture (slow);
}

/* A shown capture whose file became shorter is dropped, and a run of it that was asked for is, too. */
static void
test_capture_that_became_shorter (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  char *capture = make_capture (2, 100000); /* mapped: files below 4 MiB are read */
  guint n_problems = 0;

  scope_file_guard_install ();
  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  scope_workspace_open_capture (workspace, capture);
  wait_for_workers (workspace);
  g_signal_connect (workspace, "problem", G_CALLBACK (on_problem), &n_problems);
  g_assert_cmpint (truncate (capture, 4096), ==, 0);
  scope_workspace_pick_run (workspace, 1);
  wait_for_workers (workspace);
  g_assert_null (scope_workspace_get_measurement (workspace));
  g_assert_null (scope_workspace_get_capture_path (workspace));
  g_assert_cmpuint (n_problems, ==, 1);
  remove_capture (capture);
}

/* --- Numbers --- */

/* A file with a number for the first node of the document, behind n numbers for others.  Remove it with
 * remove_capture().  (transfer full) */
static char *
make_numbers (ScopeWorkspace *workspace, guint n)
{
  HybGraph        *graph = scope_document_get_graph (scope_workspace_get_document (workspace));
  g_autofree char *folder = g_dir_make_tmp ("numbers-XXXXXX", NULL);
  char            *path = g_build_filename (folder, "made.json", NULL);
  g_autoptr (GString) text = g_string_new ("{");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "\"no-such-node-%u\": %u, ", i, i);
  g_string_append_printf (text, "\"%s\": 1}", hyb_graph_get_node (graph, 0)->name);
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  return path;
}

static void
on_numbers (GObject *source, GAsyncResult *result, gpointer n_failures)
{
  *(guint *) n_failures +=
      !scope_workspace_open_numbers_finish (SCOPE_WORKSPACE (source), result, NULL);
}

/* As with captures: reading the first file takes longer, and what is removed does not come back. */
static void
test_newest_numbers_are_shown (void)
{
  g_autoptr (ScopeWorkspace) workspace = scope_workspace_new ();
  char *first, *second;
  guint n_failures = 0;

  start (workspace, LSTM "/" LSTM "-symbol.json");
  wait_until_read (workspace);
  first = make_numbers (workspace, 200000);
  second = make_numbers (workspace, 0);
  scope_workspace_open_numbers_async (workspace, first, on_numbers, &n_failures);
  scope_workspace_open_numbers_async (workspace, second, on_numbers, &n_failures);
  wait_for_workers (workspace);
  g_assert_cmpstr (scope_workspace_get_numbers_path (workspace), ==, second);
  scope_workspace_open_numbers_async (workspace, "absent.json", on_numbers, &n_failures);
  scope_workspace_open_numbers_async (workspace, first, on_numbers, &n_failures);
  scope_workspace_remove_numbers (workspace);
  wait_for_workers (workspace);
  g_assert_null (scope_workspace_get_numbers (workspace));
  g_assert_cmpuint (n_failures, ==, 0);
  scope_workspace_open_numbers_async (workspace, "absent.json", on_numbers, &n_failures);
  wait_for_workers (workspace);
  g_assert_cmpuint (n_failures, ==, 1);
  remove_capture (first);
  remove_capture (second);
}

TEST_PROGRAM (test_workspace_open)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/workspace-open/a-cut-file-is-an-error-of-its-document", LargeModel, NULL,
              large_model_set_up, test_cut_file_is_an_error_of_its_document, large_model_tear_down);
  g_test_add_func ("/app/workspace-open/a-model-is-shown", test_model_is_shown);
  g_test_add_func ("/app/workspace-open/a-file-that-is-absent-keeps-the-model",
                   test_failure_keeps_the_model);
  g_test_add_func ("/app/workspace-open/the-newest-file-is-shown", test_newest_file_is_shown);
  g_test_add_func ("/app/workspace-open/the-newest-capture-counts-if-it-fails",
                   test_failure_of_the_newest_capture);
  g_test_add_func ("/app/workspace-open/a-capture-that-became-shorter-is-dropped",
                   test_capture_that_became_shorter);
  g_test_add_func ("/app/workspace-open/the-newest-numbers-are-shown",
                   test_newest_numbers_are_shown);
  g_test_add_func ("/app/workspace-open/the-newest-run-is-shown", test_newest_run_is_shown);
  g_test_add_func ("/app/workspace-open/a-run-of-a-former-capture-is-not-shown",
                   test_run_of_a_former_capture_is_not_shown);
  g_test_add_func ("/app/workspace-open/the-newest-capture-is-shown", test_newest_capture_is_shown);
  g_test_add_func ("/app/workspace-open/a-capture-of-another-model-is-no-problem",
                   test_capture_of_another_model_is_no_problem);
  return g_test_run ();
}
