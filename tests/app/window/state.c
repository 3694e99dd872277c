/* state.c — files that keep how a model is viewed, beside the model and from strangers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/writer.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void
test_state (void)
{
  g_autofree char *path =
      g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/cell-lstm-t6-ntc-none",
                        "cell-lstm-t6-ntc-none.hsws", NULL);

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

/* Makes something at path that is not a state of ours, and is to stay as it is. */
static void
make_link (const char *path, const char *target)
{
  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
make_copy (const char *path, const char *target)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (target, &text, NULL, NULL));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
make_pipe (const char *path, const char *target G_GNUC_UNUSED)
{
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
}

/* What a stranger put beside the model is neither followed nor replaced, by itself or when the user stores the view. */
static void
test_files_of_others (void)
{
  static void (*const make[]) (const char *path, const char *target) = { make_link, make_copy,
                                                                         make_pipe };
  static const char mine[] = "export IMPORTANT=1\n";
  g_autofree char  *beside =
      g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/cell-lstm-t6-ntc-none",
                        "cell-lstm-t6-ntc-none.hsws", NULL);
  g_autofree char *folder = g_dir_make_tmp ("victim-XXXXXX", NULL);
  g_autofree char *victim = g_build_filename (folder, ".bashrc", NULL);

  g_assert_true (g_file_set_contents (victim, mine, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (make); i++)
    {
      g_autofree char *text = NULL, *link = NULL;

      make[i](beside, victim);
      scope_page_save_state (gui_open (window, "cell-lstm-t6-ntc-none", NULL));
      gui_act (window, "win.save-view", NULL);
      scope_writer_wait ();
      gui_act (window, "win.close-tab", NULL);
      scope_writer_wait ();
      g_assert_true (g_file_get_contents (victim, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, mine);
      link = g_file_read_link (beside, NULL);
      g_assert_true ((link != NULL) == (i == 0));
      g_assert_true (g_file_test (beside, G_FILE_TEST_IS_REGULAR) == (i < 2));
      g_assert_cmpint (g_remove (beside), ==, 0);
    }
  g_assert_cmpint (g_remove (victim), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
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
  g_autofree char *beside =
      g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/cell-lstm-t6-ntc-none",
                        "cell-lstm-t6-ntc-none.hsws", NULL);
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

/* How a model opens. */
typedef struct
{
  const char *model;
  gboolean    to_the_right;
  guint32     least, most; /* columns into which the whole picture is wrapped; 0: it is not */
} Opened;

static void
assert_opens (int height, const Opened *opened, guint n)
{
  gtk_window_set_default_size (GTK_WINDOW (window), 1200, height);
  gui_spin (500);
  for (guint i = 0; i < n; i++)
    {
      const VizPicture *picture;
      guint32           n_columns;

      page = gui_open (window, opened[i].model, NULL);
      picture = scope_canvas_get_picture (canvas ());
      viz_picture_columns (picture, 0, &n_columns);
      g_test_message ("%s on %d × %d: %.0f × %.0f, %u columns", opened[i].model,
                      gtk_widget_get_width (GTK_WIDGET (canvas ())),
                      gtk_widget_get_height (GTK_WIDGET (canvas ())), viz_picture_width (picture),
                      viz_picture_height (picture), n_columns);
      g_assert_cmpint (flows_to_the_right (page), ==, opened[i].to_the_right);
      g_assert_cmpuint (n_columns, >=, opened[i].least);
      g_assert_cmpuint (n_columns, <=, opened[i].most);
    }
}

/* Down, in columns beside each other if the picture is higher than the window. */
static void
test_direction_in_a_high_window (void)
{
  static const Opened opened[] = { { "mlp-dropout", FALSE, 0, 0 },
                                   { "zoo-squeezenet1.0", FALSE, 2, 3 },
                                   { "foreach-attention", FALSE, 0, 0 } };

  assert_opens (760, opened, G_N_ELEMENTS (opened));
}

/* More columns, and to the right where that can be read and down cannot. */
static void
test_direction_in_a_low_window (void)
{
  static const Opened opened[] = { { "mlp-dropout", FALSE, 2, 4 },
                                   { "zoo-squeezenet1.0", FALSE, 4, 12 },
                                   { "foreach-attention", TRUE, 0, 0 } };

  assert_opens (420, opened, G_N_ELEMENTS (opened));
}

void
add_state_tests (void)
{
  add_long_test ("/app/window/opens-captures-of-a-workspace-only-beside-it", CASE_MEASURED,
                 test_captures_of_workspaces);
  add_test ("/app/window/keeps-views-in-files", CASE_MODEL, test_state);
  add_test ("/app/window/leaves-files-of-others-alone", CASE_EMPTY, test_files_of_others);
  add_test ("/app/window/keeps-the-direction-of-the-flow", CASE_MODEL, test_direction);
  add_long_test ("/app/window/lets-data-flow-down-if-it-is-high", CASE_EMPTY,
                 test_direction_in_a_high_window);
  add_test ("/app/window/lets-data-flow-in-columns-or-to-the-right-if-it-is-low", CASE_EMPTY,
            test_direction_in_a_low_window);
}
