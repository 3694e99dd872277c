/* state.c — files that keep how a model is viewed, beside the model and from strangers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/writer.h"

#include <glib/gstdio.h>

static void
test_state (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT,
                                            "tests/data/goldens/models/cell-lstm-t6-ntc-none",
                                            "cell-lstm-t6-ntc-none.hsws",
                                            NULL);

  g_remove (path);
  gui_act (page, "page.save-view", NULL);
  scope_writer_wait ();
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpint (g_remove (path), ==, 0);
  gui_act (window, "win.save-view", NULL);
  scope_writer_wait ();
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpint (g_remove (path), ==, 0);
}

static gboolean
has_capture (gpointer data)
{
  return scope_workspace_get_capture_path (data) != NULL;
}

/* Opens the model, and closes it when its costs are shown.  asked: the capture to open; NULL: the one that a
 * workspace file names.  expected: the capture that is shown. */
static void
check_capture (const char *asked, const char *expected)
{
  ScopeWorkspace *opened =
      scope_page_get_workspace (gui_open (window, "cell-lstm-t6-ntc-none", NULL));

  if (asked)
    scope_workspace_open_capture (opened, asked);
  g_assert_true (gui_wait (has_capture, opened, 20000));
  g_assert_cmpstr (scope_workspace_get_capture_path (opened), ==, expected);
  gui_act (window, "win.close-tab", NULL);
  scope_writer_wait ();
}

/* The same with a workspace file beside the model, as a stranger could have written it. */
static void
check_capture_of_workspace (const char *named, const char *expected)
{
  g_autofree char *beside = g_build_filename (SOURCE_ROOT,
                                              "tests/data/goldens/models/cell-lstm-t6-ntc-none",
                                              "cell-lstm-t6-ntc-none.hsws",
                                              NULL);
  g_autofree char *text = g_strdup_printf ("[workspace]\nversion=1\ncapture=%s\n", named);

  g_assert_true (g_file_set_contents (beside, text, -1, NULL));
  check_capture (NULL, expected);
  g_assert_cmpint (g_remove (beside), ==, 0);
}

static void
test_captures_of_workspaces (void)
{
  g_autofree char *folder = g_build_filename (SOURCE_ROOT, "tests/data/goldens/models", NULL);
  g_autofree char *near = g_build_filename (folder, "cell-lstm-t6-ntc-none", "near.hscope", NULL);
  g_autofree char *far = g_build_filename (folder, "far.hscope", NULL);
  g_autofree char *capture = g_strdup (scope_workspace_get_capture_path (workspace ()));
  g_autofree char *bytes = NULL;
  gsize            length;

  g_assert_true (g_file_get_contents (capture, &bytes, &length, NULL));
  g_assert_true (g_file_set_contents (near, bytes, (gssize) length, NULL));
  g_assert_true (g_file_set_contents (far, bytes, (gssize) length, NULL));
  /* From now on the state folder remembers this one. */
  check_capture (capture, capture);
  check_capture_of_workspace (far, capture);
  check_capture_of_workspace ("../far.hscope", capture);
  check_capture_of_workspace (near, capture);
  check_capture_of_workspace ("near.hscope", near);
  g_assert_cmpint (g_remove (near), ==, 0);
  g_assert_cmpint (g_remove (far), ==, 0);
}

static gboolean
flows_to_the_right (ScopePage *shown)
{
  ScopeCanvas *canvas = scope_graph_view_get_canvas (scope_page_get_graph_view (shown));

  return viz_picture_is_sideways (scope_canvas_get_picture (canvas));
}

/* The direction in which the user lets the data flow stays when groups are closed, and is stored with the view. */
static void
test_direction (void)
{
  g_autoptr (GKeyFile) state = g_key_file_new ();
  ScopeGraphView  *graph = scope_page_get_graph_view (page);
  g_autofree char *direction = NULL;

  gui_act (graph, "graph.direction", "right");
  gui_settle (page);
  g_assert_true (flows_to_the_right (page));
  gui_act (graph, "graph.fold-all", NULL);
  gui_settle (page);
  g_assert_true (flows_to_the_right (page));
  scope_graph_view_save (graph, state);
  gui_act (graph, "graph.direction", "down");
  gui_settle (page);
  g_assert_false (flows_to_the_right (page));
  scope_graph_view_load (graph, state);
  gui_settle (page);
  g_assert_true (flows_to_the_right (page));
  g_object_get (graph, "direction", &direction, NULL);
  g_assert_cmpstr (direction, ==, "right");
  g_key_file_set_string (state, "graph", "direction", "up");
  scope_graph_view_load (graph, state);
  gui_settle (page);
  g_assert_true (flows_to_the_right (page));
  gui_act (graph, "graph.undo", NULL);
  gui_act (graph, "graph.direction", "auto");
  gui_settle (page);
  g_assert_false (flows_to_the_right (page));
}

void
add_state_tests (void)
{
  add_test ("/app/window/opens-captures-of-a-workspace-only-beside-it",
            CASE_MEASURED,
            test_captures_of_workspaces);
  add_test ("/app/window/keeps-views-in-files", CASE_MODEL, test_state);
  add_test ("/app/window/keeps-the-direction-of-the-flow", CASE_MODEL, test_direction);
}
