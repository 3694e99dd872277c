/* faults.c — faults around the window: each is reported, and the open model stays usable.
 *
 * The faults are real: a child that is killed, files that are damaged or deleted, and a limit on the
 * size of files in place of a full disk.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/child.h"
#include "app/process/writer.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* --- The message above the graph --- */

static GtkRevealer *
banner_of (ScopePage *on)
{
  GtkWidget *label = gui_find (GTK_WIDGET (on), "banner-label");

  return GTK_REVEALER (gtk_widget_get_ancestor (label, GTK_TYPE_REVEALER));
}

static const char *
banner_text (ScopePage *on)
{
  return gtk_label_get_text (GTK_LABEL (gui_find (GTK_WIDGET (on), "banner-label")));
}

static gboolean
has_banner (gpointer on)
{
  return gtk_revealer_get_reveal_child (banner_of (on));
}

static gboolean
has_no_banner (gpointer on)
{
  return !has_banner (on);
}

static const char *
banner_label (ScopePage *on)
{
  return gtk_button_get_label (GTK_BUTTON (gui_find (GTK_WIDGET (on), "banner-button")));
}

static gboolean
shows_remedy (gpointer label)
{
  return has_banner (page) && g_strcmp0 (banner_label (page), label) == 0;
}

/* The message names no option, and has a button that can be pressed. */
static void
assert_has_way_out (void)
{
  GtkWidget *button = gui_find (GTK_WIDGET (page), "banner-button");

  g_assert_null (strstr (banner_text (page), "--"));
  g_assert_true (gtk_widget_get_visible (button));
  g_assert_true (gtk_widget_is_sensitive (button));
  g_assert_nonnull (gtk_actionable_get_action_name (GTK_ACTIONABLE (button)));
}

/* A message with this part appears, and the open model can still be used. */
static void
check_message (const char *part)
{
  g_assert_true (gui_wait (has_banner, page, 30000));
  g_test_message ("%s", banner_text (page));
  g_assert_nonnull (strstr (banner_text (page), part));
  assert_has_way_out ();
  g_assert_nonnull (scope_workspace_get_document (workspace ()));
  g_assert_cmpuint (n_items (), >, 1);
  gui_act (canvas (), "canvas.zoom-in", NULL);
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  gui_act (page, "page.dismiss", NULL);
  g_assert_true (gui_wait (is_idle, workspace (), 30000));
}

/* --- Children --- */

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
  text = g_strdup_printf ("#!/bin/sh\nhscope=%s\n%s\n", HSCOPE, script);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  g_setenv ("HYBRIDSCOPE_HSCOPE", path, TRUE);
}

static void
test_killed_child (void)
{
  ScopeMeasurement *before = scope_workspace_get_measurement (workspace ());

  set_child ("echo '{\"event\":\"progress\",\"phase\":\"warming up\"}' >&2\nkill -9 $$");
  gui_act (window, "win.run", NULL);
  check_message ("signal 9");
  g_assert_true (scope_workspace_get_measurement (workspace ()) == before);
  set_child (NULL);
}

static void
test_killed_conversion (void)
{
  set_child ("kill -9 $$");
  gui_act (window, "win.convert", "foreach");
  check_message ("signal 9");
  set_child (NULL);
}

static void
test_missing_child (void)
{
  g_setenv ("HYBRIDSCOPE_HSCOPE", "/nowhere/hscope", TRUE);
  gui_act (window, "win.run", NULL);
  check_message ("/nowhere/hscope");
  set_child (NULL);
}

static void
test_silent_child (void)
{
  set_child ("exit 4");
  gui_act (window, "win.run", NULL);
  check_message ("without an error message");
  set_child (NULL);
}

/* The last line is "error:" and nothing after it. */
static void
test_child_with_empty_error (void)
{
  set_child ("echo error: >&2\nexit 4");
  gui_act (window, "win.run", NULL);
  check_message ("without an error message");
  set_child (NULL);
}

/* A device that does not exist. */
static void
test_no_gpu (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

  g_free (options->device);
  options->device = g_strdup ("gpu:7");
  g_setenv ("HYB_GPU_MODULE", "/absent.so", TRUE);
  g_assert_true (scope_page_run (page, options));
  wait_until (shows_remedy, (gpointer) "Choose Device");
  gui_act (window, "win.choose-device", NULL);
  wait_until (is_mapped, gui_find (GTK_WIDGET (window), "run-device"));
  check_message ("GPU");
  g_unsetenv ("HYB_GPU_MODULE");
}

/* --- Errors and their buttons --- */

/* An error with a remedy and the node that it concerns. */
static void
test_remedy_of_child (void)
{
  VizDiagram *diagram = scope_document_get_diagram (scope_workspace_get_document (workspace ()));
  guint32     box = viz_diagram_n_boxes (diagram) - 1;
  g_autofree char *script = NULL;

  while (scope_document_find_name (scope_workspace_get_document (workspace ()),
                                   viz_diagram_box (diagram, box)->title) == VIZ_ROOT)
    box--;
  script = g_strdup_printf ("echo '{\"event\":\"message\",\"severity\":\"error\",\"text\":"
                            "\"no parameters\",\"remedy\":\"parameters\",\"subject\":\"%s\"}' >&2\n"
                            "exit 4",
                            viz_diagram_box (diagram, box)->title);
  set_child (script);
  gui_act (window, "win.run", NULL);
  wait_until (shows_remedy, (gpointer) "Choose Parameters…");
  g_assert_cmpstr (banner_text (page), ==, "no parameters");
  assert_has_way_out ();
  g_assert_true (gtk_widget_get_visible (gui_find (GTK_WIDGET (page), "banner-show")));
  scope_workspace_select (workspace (), VIZ_ROOT);
  gui_act (page, "page.show-node", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, VIZ_ROOT);
  gui_act (page, "page.show-findings", NULL);
  wait_until (is_idle, workspace ());
  set_child (NULL);
}

/* The child reports nothing and does not end. */
static void
test_run_without_progress (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

  g_assert_cmpint (options->patience, ==, 60);
  options->patience = 1;
  set_child ("trap 'exit 4' INT\nwhile :; do sleep 0.1; done");
  g_assert_true (scope_page_run (page, options));
  wait_until (shows_remedy, (gpointer) "Continue without Limit");
  g_assert_nonnull (strstr (banner_text (page), "1 seconds without progress"));
  wait_until (is_idle, workspace ());
  set_child ("exit 4");
  gui_act (page, "page.run-unlimited", NULL);
  wait_until (shows_remedy, (gpointer) "Show Log");
  g_assert_cmpint (scope_workspace_get_run_options (workspace ())->patience, ==, 0);
  wait_until (is_idle, workspace ());
  set_child (NULL);
}

/* What the engine says about a model that lacks something comes with its button. */
static void
test_remedy_of_engine (void)
{
  set_child ("exec \"$hscope\" run \"$3\"");
  gui_act (window, "win.run", NULL);
  wait_until (has_banner, page);
  g_test_message ("%s: %s", banner_text (page), banner_label (page));
  g_assert_null (strstr (banner_text (page), "--"));
  g_assert_cmpstr (banner_label (page), !=, "Show Log");
  wait_until (is_idle, workspace ());
  set_child (NULL);
}

/* --- Captures --- */

static void
test_damaged_capture (void)
{
  ScopeMeasurement *before = scope_workspace_get_measurement (workspace ());
  g_autofree char  *path = g_build_filename (folder, "damaged.hscope", NULL);
  g_autofree char  *whole = NULL;
  gsize             size;

  g_assert_nonnull (before);
  g_assert_true (
      g_file_get_contents (scope_workspace_get_capture_path (workspace ()), &whole, &size, NULL));
  /* Within the table of sections. */
  g_assert_cmpuint (size, >, 200);
  g_assert_true (g_file_set_contents (path, whole, 200, NULL));
  scope_workspace_open_capture (workspace (), path);
  check_message ("damaged.hscope");
  g_assert_true (g_file_set_contents (path, "no capture at all", -1, NULL));
  scope_workspace_open_capture (workspace (), path);
  check_message ("damaged.hscope");
  g_assert_true (scope_workspace_get_measurement (workspace ()) == before);
}

static gboolean
shows_other_capture (gpointer before)
{
  return scope_workspace_get_measurement (workspace ()) != before;
}

/* Its whole entries are shown, and what is missing is said. */
static void
test_cut_capture (void)
{
  ScopeMeasurement *before;
  g_autofree char  *good = g_strdup (scope_workspace_get_capture_path (workspace ()));
  g_autofree char  *path = g_build_filename (folder, "cut.hscope", NULL);
  g_autofree char  *whole = NULL;
  gsize             size;

  g_assert_true (g_file_get_contents (good, &whole, &size, NULL));
  g_assert_true (g_file_set_contents (path, whole, (gssize) size - 8, NULL));
  scope_workspace_open_capture (workspace (), path);
  check_message ("cut.hscope: the capture was cut");
  before = scope_workspace_get_measurement (workspace ());
  g_assert_cmpstr (scope_workspace_get_capture_path (workspace ()), ==, path);
  scope_workspace_open_capture (workspace (), good);
  g_assert_true (gui_wait (shows_other_capture, before, 20000));
}

/* A run that succeeds but leaves a truncated capture. */
static void
test_cut_off_run (void)
{
  set_child ("while [ $# -gt 1 ]; do\n"
             "  [ \"$1\" = --capture ] && printf 'half' >\"$2\"\n"
             "  shift\n"
             "done");
  gui_act (window, "win.run", NULL);
  check_message (".hscope");
  set_child (NULL);
}

static gboolean
has_failed (gpointer unused G_GNUC_UNUSED)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown != page &&
         scope_workspace_get_state (scope_page_get_workspace (shown)) == SCOPE_STATE_FAILED;
}

static void
test_damaged_capture_alone (void)
{
  g_autofree char *path = g_build_filename (folder, "damaged.hscope", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  g_assert_true (g_file_set_contents (path, "no capture at all", -1, NULL));
  scope_window_open (window, file);
  g_assert_true (gui_wait (has_failed, NULL, 10000));
  g_assert_nonnull (
      strstr (scope_workspace_get_error (scope_page_get_workspace (scope_window_get_page (window))),
              "damaged.hscope"));
}

/* --- Files --- */

static char *
copy_model (void)
{
  g_autofree char *from = g_file_get_path (scope_workspace_get_file (workspace ()));
  char            *to = g_build_filename (folder, "copy-symbol.json", NULL);
  g_autofree char *text = NULL;
  gsize            size;

  g_assert_true (g_file_get_contents (from, &text, &size, NULL));
  g_assert_true (g_file_set_contents (to, text, (gssize) size, NULL));
  return to;
}

static gboolean
is_complaining (gpointer unused G_GNUC_UNUSED)
{
  return has_banner (scope_window_get_page (window));
}

static gboolean
is_content (gpointer unused G_GNUC_UNUSED)
{
  return has_no_banner (scope_window_get_page (window));
}

/* A file that is deleted or damaged is reported, and its model stays open; when it is back it is reloaded. */
static void
test_vanishing_file (void)
{
  g_autofree char *path = copy_model ();
  g_autofree char *text = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  ScopePage *other;
  gsize      size;

  g_assert_true (g_file_get_contents (path, &text, &size, NULL));
  scope_window_open (window, file);
  other = scope_window_get_page (window);
  gui_settle (other);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_true (gui_wait (is_complaining, NULL, 10000));
  g_assert_nonnull (strstr (banner_text (other), "was deleted or moved"));
  g_assert_nonnull (scope_workspace_get_document (scope_page_get_workspace (other)));
  g_assert_true (g_file_set_contents (path, text, (gssize) size, NULL));
  g_assert_true (gui_wait (is_content, NULL, 10000));
  g_assert_true (g_file_set_contents (path, text, (gssize) size / 2, NULL));
  g_assert_true (gui_wait (is_complaining, NULL, 10000));
  g_test_message ("%s", banner_text (other));
  g_assert_nonnull (scope_workspace_get_document (scope_page_get_workspace (other)));
  g_assert_true (g_file_set_contents (path, text, (gssize) size, NULL));
  g_assert_true (gui_wait (is_content, NULL, 10000));
  gui_settle (other);
}

/* --- A full disk --- */

static void
limit_files (rlim_t bytes)
{
  struct rlimit limit;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  limit.rlim_cur = MIN (bytes, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

static void
check_full_export (const char *what, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *kept = NULL;

  g_assert_true (g_file_set_contents (path, "what was there before", -1, NULL));
  limit_files (512);
  scope_window_export (window, what, path);
  g_assert_true (gui_wait (has_banner, page, 20000));
  limit_files (RLIM_INFINITY);
  check_message (name);
  g_assert_true (g_file_get_contents (path, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "what was there before");
}

static void
test_full_disk (void)
{
  check_full_export ("picture", "full.svg");
  check_full_export ("picture", "full.png");
  check_full_export ("picture", "full.pdf");
  check_full_export ("costs", "full.csv");
  check_full_export ("costs", "full.json");
  check_full_export ("costs", "full.hscope");
}

static void
test_full_disk_of_a_run (void)
{
  ScopeMeasurement *before = scope_workspace_get_measurement (workspace ());

  set_child ("trap '' XFSZ\nulimit -f 1\nexec $hscope \"$@\"");
  gui_act (window, "win.run", NULL);
  check_message (".hscope");
  g_assert_true (scope_workspace_get_measurement (workspace ()) == before);
  set_child (NULL);
}

static void
test_full_disk_beside_the_model (void)
{
  limit_files (16);
  gui_act (window, "win.save-view", NULL);
  scope_writer_wait ();
  limit_files (RLIM_INFINITY);
  check_message (".hsws");
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
}

void
add_fault_tests (void)
{
  folder = g_dir_make_tmp ("hybridscope-faults-XXXXXX", NULL);
  add_test ("/app/window/an-error-has-a-button-and-shows-its-node", CASE_MODEL,
            test_remedy_of_child);
  add_long_test ("/app/window/a-run-without-progress-is-stopped", CASE_MODEL,
                 test_run_without_progress);
  add_test ("/app/window/an-error-of-the-engine-has-a-button", CASE_MODEL, test_remedy_of_engine);
  add_test ("/app/window/when-the-child-is-killed", CASE_MEASURED, test_killed_child);
  add_test ("/app/window/when-the-converting-child-is-killed", CASE_MEASURED,
            test_killed_conversion);
  add_test ("/app/window/when-the-child-is-missing", CASE_MEASURED, test_missing_child);
  add_test ("/app/window/when-the-child-says-nothing", CASE_MEASURED, test_silent_child);
  add_test ("/app/window/when-the-child-reports-an-empty-error", CASE_MEASURED,
            test_child_with_empty_error);
  add_test ("/app/window/when-there-is-no-gpu", CASE_MEASURED, test_no_gpu);
  add_test ("/app/window/when-the-capture-is-damaged", CASE_MEASURED, test_damaged_capture);
  add_test ("/app/window/when-the-capture-was-cut", CASE_MEASURED, test_cut_capture);
  add_test ("/app/window/when-the-capture-of-a-run-is-cut-off", CASE_MEASURED, test_cut_off_run);
  add_test ("/app/window/when-a-damaged-capture-is-opened", CASE_MEASURED,
            test_damaged_capture_alone);
  add_long_test ("/app/window/when-the-file-vanishes-and-comes-back", CASE_MEASURED,
                 test_vanishing_file);
  add_test ("/app/window/when-the-disk-is-full-for-exports", CASE_MEASURED, test_full_disk);
  add_test ("/app/window/when-the-disk-is-full-for-a-run", CASE_MEASURED, test_full_disk_of_a_run);
  add_test ("/app/window/when-the-disk-is-full-beside-the-model", CASE_MEASURED,
            test_full_disk_beside_the_model);
  g_test_add_func ("/app/window/faults-leave-nothing-behind", remove_folder);
}
