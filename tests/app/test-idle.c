/* test-idle.c — a window that shows something and does nothing draws no frame and hardly wakes.
 *
 * Counts the frames of the window's clock and the voluntary context switches of all threads of this process
 * for ten seconds, once everything that the window began has ended.  Both are counts of what the program does,
 * so a busy machine does not raise them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/ending.h"
#include "tests/app/gui-test.h"
#include "tests/program.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A thread of ThreadSanitizer's runtime waits ten times a second. */
#ifdef __SANITIZE_THREAD__
#define TOOL_WAITS(ms) ((ms) / 100)
#else
#define TOOL_WAITS(ms) 0
#endif

#define QUIET_S          10
#define MAX_WAKES        (5 * QUIET_S + TOOL_WAITS (QUIET_S * 1000))
#define CALM_MS          1500 /* without a frame and work: what was begun has ended */
#define CALM_WAITS       (5 + TOOL_WAITS (CALM_MS))
#define CALM_WORK_MS     50 /* processor time of all threads: one that works needs more */
#define MAX_WATCHES      3
#define MAX_CALM_PERIODS 40
#define THUMBNAILS_MS    120000

static guint n_frames;

static const char *const shapes[] = { "data=2,6,4", NULL };

static void
on_frame (GdkFrameClock *clock G_GNUC_UNUSED, gpointer unused G_GNUC_UNUSED)
{
  n_frames++;
}

/* How often all threads of the process have waited for something. */
static gint64
count_waits (void)
{
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  gint64      n = 0;
  const char *name;

  g_assert_nonnull (threads);
  while ((name = g_dir_read_name (threads)))
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", name, "status", NULL);
      g_autofree char *text = NULL;
      const char      *line;

      if (!g_file_get_contents (path, &text, NULL, NULL))
        continue; /* the thread has ended */
      line = strstr (text, "\nvoluntary_ctxt_switches:");
      g_assert_nonnull (line);
      n += strtoll (strchr (line, ':') + 1, NULL, 10);
    }
  return n;
}

/* The processor time that all threads of the process have used. */
static gint64
get_work_ms (void)
{
  struct timespec used;

  g_assert_cmpint (clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &used), ==, 0);
  return used.tv_sec * G_GINT64_CONSTANT (1000) + used.tv_nsec / 1000000;
}

static gboolean
on_end (gpointer ended)
{
  *(gboolean *) ended = TRUE;
  return G_SOURCE_REMOVE;
}

/* Runs the main loop without a timer of its own but the last. */
static void
run_quietly (guint ms)
{
  gboolean ended = FALSE;

  g_timeout_add (ms, on_end, &ended);
  while (!ended)
    g_main_context_iteration (NULL, TRUE);
}

/* Whether a period passes without a frame and without work. */
static gboolean
is_calm (void)
{
  gint64 waits = count_waits (), work = get_work_ms ();

  n_frames = 0;
  run_quietly (CALM_MS);
  work = get_work_ms () - work;
  return n_frames == 0 && count_waits () - waits <= CALM_WAITS && work <= CALM_WORK_MS;
}

/* Counts the waits of a long period, after calm has come; n_frames is set, too. */
static gint64
watch (void)
{
  guint  n_periods = 0;
  gint64 waits;

  while (!is_calm () && ++n_periods < MAX_CALM_PERIODS)
    ;
  n_frames = 0;
  waits = count_waits ();
  run_quietly (QUIET_S * 1000);
  waits = count_waits () - waits;
  g_test_message ("%u frames, %" G_GINT64_FORMAT " waits in %d s", n_frames, waits, QUIET_S);
  return waits;
}

/* On a busy machine the work of another process may end after a calm period, and is drawn then.  What draws by
 * itself does so in every period. */
static void
assert_idle (GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  gulong         handler = g_signal_connect (clock, "after-paint", G_CALLBACK (on_frame), NULL);
  gint64         waits = watch ();

  for (guint i = 1; i < MAX_WATCHES && (n_frames > 0 || waits >= MAX_WAKES); i++)
    waits = watch ();
  g_signal_handler_disconnect (clock, handler);
  g_assert_cmpuint (n_frames, ==, 0);
  g_assert_cmpint (waits, <, MAX_WAKES);
}

/* Counts the thumbnails under root, and those that are not drawn yet. */
static void
count_thumbnails (GtkWidget *root, guint *n, guint *n_empty)
{
  if (gtk_widget_has_css_class (root, "thumbnail"))
    {
      *n += 1;
      *n_empty += !gtk_picture_get_paintable (GTK_PICTURE (root));
    }
  for (GtkWidget *i = gtk_widget_get_first_child (root); i != NULL;
       i = gtk_widget_get_next_sibling (i))
    count_thumbnails (i, n, n_empty);
}

static gboolean
has_thumbnails (gpointer window)
{
  guint n = 0, n_empty = 0;

  count_thumbnails (window, &n, &n_empty);
  return n > 0 && n_empty == 0;
}

/* Starts the application and waits for the start page's thumbnails, each of which a process of its own makes. */
static ScopeWindow *
start (void)
{
  ScopeWindow *window = gui_start ();

  g_assert_true (gui_wait (has_thumbnails, window, THUMBNAILS_MS));
  return window;
}

static void
test_start_page (void)
{
  ScopeWindow *window = start ();

  assert_idle (GTK_WIDGET (window));
  gui_stop ();
}

static void
test_open_model (void)
{
  ScopeWindow *window = start ();

  gui_open (window, "lm-lstm", NULL);
  assert_idle (GTK_WIDGET (window));
  gui_stop ();
}

static gboolean
is_measured (gpointer workspace)
{
  return scope_workspace_get_measurement (workspace) && !scope_workspace_is_running (workspace);
}

/* With the timeline, so that each view of a measurement has been filled at least once. */
static void
test_after_a_run (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  ScopeWindow *window = start ();
  ScopePage   *page = gui_open (window, "cell-lstm-t6-ntc-none", shapes);

  options->seconds = 2;
  g_assert_true (scope_page_run (page, options));
  wait_until (is_measured, scope_page_get_workspace (page));
  gui_act (window, "win.show-view", "timeline");
  gui_spin (300);
  gui_act (window, "win.show-view", "operators");
  assert_idle (GTK_WIDGET (window));
  gui_stop ();
}

static void
test_many_tabs (void)
{
  ScopeWindow *window = start ();

  for (guint i = 0; i < 6; i++)
    gui_open (window, "lm-lstm", NULL);
  assert_idle (GTK_WIDGET (window));
  gui_stop ();
}

static void
no_display (void)
{
  g_test_skip ("no display");
}

TEST_PROGRAM (test_idle)
{
  if (!gui_init (&argc, &argv))
    {
      g_test_add_func ("/app/idle/display", no_display);
      return g_test_run ();
    }
  /* As users have it. */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  g_test_add_func ("/app/idle/the-start-page-draws-nothing", test_start_page);
  g_test_add_func ("/app/idle/an-open-model-draws-nothing", test_open_model);
  g_test_add_func ("/app/idle/a-measured-model-draws-nothing", test_after_a_run);
  g_test_add_func ("/app/idle/many-tabs-draw-nothing", test_many_tabs);
  scope_end_process (g_test_run ());
}
