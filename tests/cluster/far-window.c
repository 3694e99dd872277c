/* far-window.c — the window runs and compares on a target behind SSH, and the connection is cut meanwhile.
 *
 * Not a test of its own: ssh.sh starts it, with the file of targets in FAR_TARGETS, of which “far” is the one to use, and the
 * folder for files on the other side in FAR_FOLDER.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"

#include "app/page/target-row.h"
#include "app/session/settings.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MODEL "cell-lstm-t6-ntc-none"

static const char *const shapes[] = { "data=2,6,4", NULL };

static ScopeWindow *window;
static ScopePage   *page;

/* --- Processes --- */

/* The parent of a process, and its name; 0: it has ended. */
static GPid
read_process (const char *number, char name[17])
{
  g_autofree char *path = g_build_filename ("/proc", number, "stat", NULL);
  g_autofree char *text = NULL;
  char            *open, *close;
  int              parent = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL) || !(open = strchr (text, '(')) ||
      !(close = strrchr (text, ')')))
    return 0;
  g_strlcpy (name, open + 1, MIN ((gsize) (close - open), 17));
  sscanf (close + 1, " %*c %d", &parent);
  return parent;
}

/* The process of that name that a child of parent has started, or 0. */
static GPid
find_grandchild (const char *wanted, GPid parent)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *number;
  char        name[17] = "", unused[17];

  while ((number = g_dir_read_name (dir)))
    {
      GPid             child = g_ascii_isdigit (*number) ? read_process (number, name) : 0;
      g_autofree char *middle = g_strdup_printf ("%d", child);

      if (child > 0 && strcmp (name, wanted) == 0 && read_process (middle, unused) == parent)
        return (GPid) g_ascii_strtoll (number, NULL, 10);
    }
  return 0;
}

static gboolean
is_connected (gpointer unused G_GNUC_UNUSED)
{
  return find_grandchild ("ssh", getpid ()) > 0;
}

/* The other side has made a folder for the run. */
static gboolean
is_at_work (gpointer unused G_GNUC_UNUSED)
{
  const char *folder = g_getenv ("FAR_FOLDER");
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;

  return dir && g_dir_read_name (dir) && is_connected (NULL);
}

static void
cut (void)
{
  GPid pid = find_grandchild ("ssh", getpid ());

  g_assert_cmpint (pid, >, 0);
  kill (pid, SIGKILL);
}

/* --- The window --- */

static ScopeWorkspace *
workspace (void)
{
  return scope_page_get_workspace (page);
}

static gboolean
has_another (gpointer before)
{
  return scope_workspace_get_measurement (workspace ()) != before &&
         !scope_workspace_is_running (workspace ());
}

static gboolean
has_stopped (gpointer unused G_GNUC_UNUSED)
{
  return !scope_workspace_is_running (workspace ());
}

/* The other side has told of its progress. */
static gboolean
is_under_way (gpointer unused G_GNUC_UNUSED)
{
  return scope_workspace_get_progress (workspace ()) > 0;
}

static gboolean
is_open (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

/* Chooses the target in the popover beside “Run”. */
static void
choose_target (void)
{
  GtkWidget *button = gui_find (GTK_WIDGET (window), "run-button");
  GtkWidget *row;

  adw_split_button_popup (ADW_SPLIT_BUTTON (button));
  row = gui_find (GTK_WIDGET (window), "run-target");
  g_assert_true (gui_wait (is_open, row, 5000));
  scope_target_row_set_target (SCOPE_TARGET_ROW (row), "far");
  g_assert_cmpstr (scope_target_row_get_target (SCOPE_TARGET_ROW (row)), ==, "far");
}

static void
save_picture (GtkWindow *of, const char *name)
{
  const char      *folder = g_getenv ("HYBRIDSCOPE_PICTURES");
  g_autofree char *base = g_strconcat (name, ".png", NULL);
  g_autofree char *path = folder ? g_build_filename (folder, base, NULL) : NULL;

  if (path)
    gui_save_picture (of, path);
}

static void
click_run (int seconds)
{
  GtkWidget *button = gtk_widget_get_first_child (gui_find (GTK_WIDGET (window), "run-button"));

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (gui_find (GTK_WIDGET (window), "run-seconds")),
                             seconds);
  while (!GTK_IS_BUTTON (button))
    button = gtk_widget_get_next_sibling (button);
  g_signal_emit_by_name (button, "clicked");
}

static void
test_profile (void)
{
  const ProfCapture *capture;

  choose_target ();
  click_run (2);
  g_assert_true (gui_wait (has_another, NULL, 120000));
  capture = scope_measurement_get_capture (scope_workspace_get_measurement (workspace ()));
  g_assert_cmpstr (prof_capture_get_text (capture, "target"), ==, "far");
  gui_settle (page);
  save_picture (GTK_WINDOW (window), "far-profile");
}

/* What was measured before stays, and the sentence has a button. */
static void
test_cut_profile (void)
{
  gpointer   before = scope_workspace_get_measurement (workspace ());
  GtkWidget *label = gui_find (GTK_WIDGET (page), "banner-label");
  GtkWidget *button = gui_find (GTK_WIDGET (page), "banner-button");

  g_assert_nonnull (before);
  click_run (60);
  g_assert_true (gui_wait (is_under_way, NULL, 30000));
  cut ();
  g_assert_true (gui_wait (has_stopped, NULL, 30000));
  g_test_message ("%s", gtk_label_get_text (GTK_LABEL (label)));
  g_assert_nonnull (
      strstr (gtk_label_get_text (GTK_LABEL (label)), "far: the connection was lost"));
  g_assert_true (gtk_widget_get_mapped (label));
  g_assert_true (gtk_widget_get_mapped (button) && gtk_widget_is_sensitive (button));
  g_assert_nonnull (gtk_actionable_get_action_name (GTK_ACTIONABLE (button)));
  g_assert_true (scope_workspace_get_measurement (workspace ()) == before);
  save_picture (GTK_WINDOW (window), "far-profile-cut");
}

static gboolean
is_measured (gpointer compare)
{
  return scope_compare_page_is_measured (compare);
}

/* What the comparison shows in place of results that there are none of. */
static AdwStatusPage *
get_failure (gpointer compare)
{
  GtkWidget *states = gui_find (compare, "compare-states");

  return ADW_STATUS_PAGE (gtk_stack_get_child_by_name (GTK_STACK (states), "failed"));
}

static gboolean
is_refused (gpointer compare)
{
  return gtk_widget_get_mapped (GTK_WIDGET (get_failure (compare)));
}

/* Nothing here shows whether hscope there has answered before the line is cut, so either sentence may come. */
static gboolean
says_cut (const char *text)
{
  return strstr (text, "far: the connection was lost") ||
         strstr (text, "far: hscope does not answer: the launcher was ended by signal 9");
}

static void
test_cut_comparison (void)
{
  ScopeComparePage *compare;
  AdwStatusPage    *failed;
  GtkWidget        *button;

  scope_settings_set_int ("compare-seconds", 60);
  gui_act (window, "win.compare", NULL);
  compare = scope_window_get_comparison (window);
  g_assert_nonnull (compare);
  g_assert_true (gui_wait (is_at_work, NULL, 60000));
  cut ();
  g_assert_true (gui_wait (is_refused, compare, 60000));
  failed = get_failure (compare);
  g_test_message ("%s", adw_status_page_get_description (failed));
  g_assert_true (says_cut (adw_status_page_get_description (failed)));
  button = adw_status_page_get_child (failed);
  g_assert_true (gtk_widget_get_mapped (button) && gtk_widget_is_sensitive (button));
  save_picture (GTK_WINDOW (window), "far-compare-cut");

  /* The button measures again, and now nothing is cut. */
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (gui_find (GTK_WIDGET (compare), "compare-seconds")),
                             4);
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (gui_wait (is_measured, compare, 120000));
  save_picture (GTK_WINDOW (window), "far-compare");
}

static void
copy_targets (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_config_dir (), "hybridscope", NULL);
  g_autofree char *file = g_build_filename (folder, "targets.ini", NULL);
  g_autofree char *text = NULL;

  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_get_contents (g_getenv ("FAR_TARGETS"), &text, NULL, NULL));
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
}

static void
test_no_display (void)
{
  g_test_skip ("there is no display");
}

int
main (int argc, char **argv)
{
  int status;

  if (!gui_init (&argc, &argv))
    {
      g_test_add_func ("/cluster/far-window/opens", test_no_display);
      return g_test_run ();
    }
  copy_targets ();
  window = gui_start ();
  page = gui_open (window, MODEL, shapes);
  g_test_add_func ("/cluster/far-window/a-run-there-brings-its-recording-back", test_profile);
  g_test_add_func ("/cluster/far-window/a-run-that-is-cut-off-is-a-sentence-with-a-button",
                   test_cut_profile);
  g_test_add_func ("/cluster/far-window/a-comparison-is-cut-off-and-repeated", test_cut_comparison);
  status = g_test_run ();
  gui_end (status);
}
