/* test-window-gpu.c — the window on the pretend GPU: the choice of a device, steps of the host, recordings of both devices
 * side by side.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"
#include "tests/program.h"

#include "app/page/device-row.h"

#include <glib/gstdio.h>
#include <string.h>

/* The host must compute the running sums. */
#define NODES                                                                                    \
  "{\"nodes\": ["                                                                                \
  "{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, "                                     \
  "{\"op\": \"null\", \"name\": \"layer0_weight\", \"inputs\": []}, "                            \
  "{\"op\": \"null\", \"name\": \"layer0_bias\", \"inputs\": []}, "                              \
  "{\"op\": \"FullyConnected\", \"name\": \"layer0_fwd\", \"attrs\": {\"num_hidden\": \"16\"}, " \
  "\"inputs\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}, "                                             \
  "{\"op\": \"Activation\", \"name\": \"layer0_tanh\", \"attrs\": {\"act_type\": \"tanh\"}, "    \
  "\"inputs\": [[3, 0, 0]]}, "                                                                   \
  "{\"op\": \"cumsum\", \"name\": \"sums\", \"attrs\": {\"axis\": \"1\"}, "                      \
  "\"inputs\": [[4, 0, 0]]}, "                                                                   \
  "{\"op\": \"softmax\", \"name\": \"shares\", \"inputs\": [[5, 0, 0]]}], "                      \
  "\"arg_nodes\": [0, 1, 2], \"node_row_ptr\": [0, 1, 2, 3, 4, 5, 6, 7], "                       \
  "\"heads\": [[6, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}\n"

#define REASON "the GPU module does not compute this operator"

static char *folder; /* of all tests, with the model and two recordings */

static char *
path_of (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* FALSE: the compiler of kernels is missing, so that there is no GPU. */
static gboolean
record (const char *device, const char *name)
{
  g_autofree char  *model = path_of ("sums-symbol.json"), *capture = path_of (name), *out = NULL;
  const char *const command[] = { HSCOPE,    "profile",   model,      "--init",
                                  "uniform", "--shape",   "data=4,8", "--device",
                                  device,    "--repeat",  "8",        "--traced",
                                  "2",       "--capture", capture,    NULL };
  int               status;
  g_autoptr (GError) error = NULL;

  g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &out,
                &status, &error);
  g_assert_no_error (error);
  if (strstr (out, "libnvrtc"))
    return FALSE;
  if (!g_spawn_check_wait_status (status, NULL))
    g_error ("%s: %s", device, out);
  return TRUE;
}

/* FALSE and a skipped test where NVRTC is not installed. */
static gboolean
make_files (void)
{
  g_autofree char *model = NULL;

  if (!folder)
    {
      folder = g_dir_make_tmp ("hybridscope-gpu-XXXXXX", NULL);
      model = path_of ("sums-symbol.json");
      g_assert_true (g_file_set_contents (model, NODES, -1, NULL));
      record ("cpu", "cpu.hscope");
      record ("gpu", "gpu.hscope");
    }
  g_free (model);
  model = path_of ("gpu.hscope");
  if (g_file_test (model, G_FILE_TEST_EXISTS))
    return TRUE;
  g_test_skip ("libnvrtc.so.13 is not installed");
  return FALSE;
}

static void
remove_files (void)
{
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = path_of (name);

      g_remove (path);
    }
  if (folder)
    g_rmdir (folder);
  g_free (folder);
}

/* --- Steps of the host --- */

static gboolean
has_page (gpointer unused G_GNUC_UNUSED)
{
  page = scope_window_get_page (window);
  return page != NULL;
}

static gboolean
has_overlay (gpointer unused G_GNUC_UNUSED)
{
  return scope_canvas_get_overlay (canvas ()) != NULL;
}

static void
open_recording (const char *name)
{
  g_autofree char *path = path_of (name);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_window_open (window, file);
  wait_until (has_page, NULL);
  gui_settle (page);
  wait_until (has_overlay, NULL);
}

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static gboolean
says_why (gpointer root)
{
  return says (root, "on the host: " REASON);
}

static void
test_badges (void)
{
  GtkWidget       *side, *legend;
  VizOverlay      *overlay;
  guint32          box;
  const char      *text;
  g_autofree char *picture = NULL, *svg = NULL;

  if (!make_files ())
    return;
  picture = path_of ("picture.svg");
  open_recording ("gpu.hscope");
  overlay = scope_canvas_get_overlay (canvas ());
  box = scope_document_find_name (scope_workspace_get_document (workspace ()), "sums");
  g_assert_cmpint (viz_overlay_badge (overlay, box, &text), ==, VIZ_BADGE_OWN);
  g_assert_cmpstr (text, ==, "on the host: " REASON);
  box = scope_document_find_name (scope_workspace_get_document (workspace ()), "shares");
  g_assert_cmpint (viz_overlay_badge (overlay, box, NULL), ==, VIZ_BADGE_NONE);
  legend = gui_find (GTK_WIDGET (page), "legend-badges");
  g_assert_true (gtk_widget_get_visible (legend));
  g_assert_true (says (legend, "1 step on the host"));

  scope_workspace_select (workspace (),
                          scope_document_find_name (scope_workspace_get_document (workspace ()),
                                                    "sums"));
  side = gui_find (GTK_WIDGET (page), "node-view");
  wait_until (says_why, side);
  gui_spin (300);
  take_picture (window, "gpu-host-step");
  scope_window_export (window, "picture", picture);
  wait_until (is_file, picture);
  g_assert_true (g_file_get_contents (picture, &svg, NULL, NULL));
  g_assert_nonnull (strstr (svg, "on the host: " REASON "</title>"));
  g_assert_nonnull (strstr (svg, "1 step on the host"));
}

static void
test_no_badges (void)
{
  guint32 box;

  if (!make_files ())
    return;
  open_recording ("cpu.hscope");
  box = scope_document_find_name (scope_workspace_get_document (workspace ()), "sums");
  g_assert_cmpint (viz_overlay_badge (scope_canvas_get_overlay (canvas ()), box, NULL), ==,
                   VIZ_BADGE_NONE);
  g_assert_false (gtk_widget_get_visible (gui_find (GTK_WIDGET (page), "legend-badges")));
}

/* --- Both devices --- */

static gboolean
is_measured (gpointer compare)
{
  return scope_compare_page_is_measured (compare);
}

static gboolean
is_coloured (gpointer pane)
{
  return scope_canvas_get_overlay (scope_compare_pane_get_canvas (pane)) != NULL;
}

/* One pane has the processor's times, the other one the GPU's and its badge; the page says that the devices differ. */
static void
test_both_devices (void)
{
  ScopeComparePage *compare;
  g_autofree char  *a = NULL, *b = NULL;
  GtkStack         *states;

  if (!make_files ())
    return;
  a = path_of ("cpu.hscope");
  b = path_of ("gpu.hscope");
  scope_window_open_beside (window, (const char *const[]){ a, b, NULL });
  compare = scope_window_get_comparison (window);
  wait_until (is_measured, compare);
  g_assert_cmpuint (scope_compare_page_n_panes (compare), ==, 2);
  states = GTK_STACK (gui_find (GTK_WIDGET (compare), "compare-states"));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (states), ==, "result");
  for (guint i = 0; i < 2; i++)
    {
      ScopeComparePane *pane = scope_compare_page_get_pane (compare, i);
      VizOverlay       *overlay;
      guint32           box;

      wait_until (is_coloured, pane);
      overlay = scope_canvas_get_overlay (scope_compare_pane_get_canvas (pane));
      box = scope_document_find_name (scope_workspace_get_document (
                                          scope_compare_pane_get_workspace (pane)),
                                      "sums");
      g_assert_cmpint (viz_overlay_badge (overlay, box, NULL), ==,
                       i == 0 ? VIZ_BADGE_NONE : VIZ_BADGE_OWN);
    }
  gui_spin (500);
  take_picture (window, "gpu-beside-cpu");
  g_assert_true (
      says (GTK_WIDGET (compare), "device: “the processor” in the baseline, “Pretend GPU"));
}

/* --- The choice of a device --- */

/* A picture of the popover or window that a widget is in. */
static void
take_native (GtkWidget *in, const char *name)
{
  gui_spin (500);
  take_picture (gtk_widget_get_native (in), name);
}

static gboolean
has_gpu (gpointer row)
{
  return g_list_model_get_n_items (adw_combo_row_get_model (row)) == 2;
}

static gboolean
is_visible (gpointer widget)
{
  return gtk_widget_get_visible (widget);
}

/* Runs on the GPU that was chosen in the panel. */
static void
test_choice (void)
{
  GtkWidget *row, *note;

  if (!make_files ())
    return;
  open_recording ("cpu.hscope");
  gui_act (window, "win.choose-device", NULL);
  row = gui_find (GTK_WIDGET (window), "run-device");
  note = gui_find (GTK_WIDGET (window), "run-device-note");
  wait_until (is_mapped, row);
  wait_until (has_gpu, row);
  g_assert_false (is_visible (note));
  scope_device_row_set_device (SCOPE_DEVICE_ROW (row), "gpu:0");
  wait_until (is_visible, note);
  take_native (row, "gpu-choice");
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (note)), ==,
                   "Not Tested on This Computer");
}

static void
test_choice_without_gpu (void)
{
  GtkWidget *row, *note;

  if (!make_files ())
    return;
  open_recording ("cpu.hscope");
  g_setenv ("HYB_PRETEND", "device=none", TRUE);
  gui_act (window, "win.choose-device", NULL);
  row = gui_find (GTK_WIDGET (window), "run-device");
  note = gui_find (GTK_WIDGET (window), "run-device-note");
  wait_until (is_mapped, row);
  wait_until (is_visible, note);
  g_unsetenv ("HYB_PRETEND");
  g_assert_false (has_gpu (row));
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (note)), ==,
                   "No GPU: the NVIDIA driver sees no GPU.");
  take_native (row, "gpu-none");
}

static void
test_no_display (void)
{
  g_test_skip ("no display");
}

TEST_PROGRAM (test_window_gpu)
{
  int status;

  if (!gui_init (&argc, &argv))
    {
      g_test_add_func ("/app/window-gpu/opens", test_no_display);
      return g_test_run ();
    }
  gui_start_application ();
  add_test ("/app/window-gpu/steps-of-the-host-wear-a-badge", CASE_EMPTY, test_badges);
  add_test ("/app/window-gpu/the-processor-has-no-badges", CASE_EMPTY, test_no_badges);
  add_test ("/app/window-gpu/recordings-of-both-devices-compare", CASE_EMPTY, test_both_devices);
  add_test ("/app/window-gpu/the-panel-offers-the-gpu", CASE_EMPTY, test_choice);
  add_test ("/app/window-gpu/the-panel-says-why-there-is-none", CASE_EMPTY,
            test_choice_without_gpu);
  status = g_test_run ();
  remove_files ();
  gui_end (status);
}
