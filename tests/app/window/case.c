/* case.c — the fixture of the window tests.
 *
 * The application is shared by all tests; each test has a window of its own, see set_up().  The capture
 * for CASE_MEASURED is recorded once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/document/log-item.h"
#include "app/session/settings.h"

#include <glib/gstdio.h>
#include <string.h>

#define MODEL "cell-lstm-t6-ntc-none"

ScopeWindow *window;
ScopePage   *page;

static const char *const shapes[] = { "data=2,6,4", NULL };

ScopeCanvas *
canvas (void)
{
  return scope_graph_view_get_canvas (scope_page_get_graph_view (page));
}

ScopeWorkspace *
workspace (void)
{
  return scope_page_get_workspace (page);
}

guint
n_items (void)
{
  return viz_picture_n_items (scope_canvas_get_picture (canvas ()));
}

gboolean
is_shown (gpointer of_page)
{
  return scope_window_get_page (window) == of_page;
}

gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

gboolean
is_unmapped (gpointer widget)
{
  return !gtk_widget_get_mapped (widget);
}

gboolean
is_logged (gpointer text)
{
  GListModel *log = scope_workspace_get_log (workspace ());

  for (guint i = 0; i < g_list_model_get_n_items (log); i++)
    {
      g_autoptr (ScopeLogItem) item = g_list_model_get_item (log, i);

      if (strstr (scope_log_item_get_text (item), text))
        return TRUE;
    }
  return FALSE;
}

gboolean
is_idle (gpointer of_workspace)
{
  return !scope_workspace_is_running (of_workspace);
}

gboolean
says (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root))
    return strstr (gtk_label_get_text (GTK_LABEL (root)), text) != NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (says (child, text))
      return TRUE;
  return FALSE;
}

void
take_picture (gpointer of, const char *name)
{
  const char      *folder = g_getenv ("HYBRIDSCOPE_PICTURES");
  g_autofree char *path = folder ? g_strdup_printf ("%s/%s.png", folder, name) : NULL;

  if (path)
    gui_save_picture (of, path);
}

/* --- The fixture --- */

static gboolean
has_measurement (gpointer of_workspace)
{
  return scope_workspace_get_measurement (of_workspace) != NULL;
}

static gboolean
has_overlay (gpointer of_canvas)
{
  return scope_canvas_get_overlay (of_canvas) != NULL;
}

/* Shows a capture that is recorded by the first test that needs it. */
static void
measure (void)
{
  static char *capture;

  if (!capture)
    {
      g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

      options->seconds = 2;
      g_assert_true (scope_page_run (page, options));
      wait_until (is_idle, workspace ());
      capture = g_strdup (scope_workspace_get_run_path (workspace ()));
    }
  else
    scope_workspace_open_capture (workspace (), capture);
  wait_until (has_measurement, workspace ());
  wait_until (has_overlay, canvas ());
}

/* Folds, cameras and captures that earlier tests left. */
static void
remove_view_states (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "hybridscope", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  scope_settings_flush (); /* states may be in the writer's queue */
  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
}

static void
set_up (gpointer unused G_GNUC_UNUSED, gconstpointer data)
{
  WindowCase state = *(const WindowCase *) data;

  gui_begin_test ();
  remove_view_states ();
  scope_settings_set_text ("heat", "self");
  scope_settings_set_text ("heat-scale", "log");
  scope_settings_set_flag ("panel", FALSE);
  scope_settings_set_flag ("measure-forms", TRUE);
  scope_settings_set_flag ("first-steps", TRUE);
  window = scope_window_new (GTK_APPLICATION (gui_application ()));
  page = NULL;
  gtk_window_present (GTK_WINDOW (window));
  wait_until (is_mapped, window);
  if (state == CASE_EMPTY)
    return;
  page = gui_open (window, MODEL, shapes);
  if (state == CASE_MEASURED)
    measure ();
}

static gboolean
has_no_window (gpointer unused G_GNUC_UNUSED)
{
  return g_list_model_get_n_items (gtk_window_get_toplevels ()) == 0;
}

/* Destroys the window, and dialogs that a test left open. */
static void
tear_down (gpointer unused G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) other = g_list_model_get_item (windows, i);

      gtk_window_destroy (other);
    }
  wait_until (has_no_window, NULL);
  window = NULL;
  page = NULL;
}

typedef struct
{
  WindowCase state; /* first: set_up() gets the whole struct */
  void (*test) (void);
} Case;

static void
run_case (gpointer unused G_GNUC_UNUSED, gconstpointer data)
{
  ((const Case *) data)->test ();
}

void
add_test (const char *path, WindowCase state, void (*test) (void))
{
  Case *added = g_new (Case, 1); /* lives as long as the process */

  *added = (Case){ state, test };
  g_test_add_vtable (path, 0, added, set_up, run_case, tear_down);
}

void
add_long_test (const char *path, WindowCase state, void (*test) (void))
{
  if (g_test_slow ())
    add_test (path, state, test);
}
