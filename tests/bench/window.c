/* window.c — measures first paint, opening, frames, and how long the main loop is blocked.
 *
 *   window LARGE-MODEL EXAMPLE MODEL-TO-UNFOLD
 *
 * A benchmark, not a test: it prints one figure and its limit per line, and how late the main loop
 * was in each part of a walk through the window.  Exits with 1 if a limit is exceeded.
 * tests/bench/window.sh makes the models and starts it under Xvfb.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/window-walk.h"

#include "app/process/watchdog.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_STARTS 5
#define N_FRAMES 300

static gboolean all_within_limits = TRUE;

static void
report (const char *what, double value, double gate, const char *unit)
{
  gboolean met = value <= gate;

  g_print ("%-52s %9.2f %s  gate %g  %s\n", what, value, unit, gate, met ? "ok" : "MISSED");
  all_within_limits = all_within_limits && met;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* CPU time in µs, which depends little on the load of the machine.  clock: of this thread, or of all */
static gint64
computed_us (clockid_t clock)
{
  struct timespec time = { 0 };

  clock_gettime (clock, &time);
  return (gint64) time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* --- Starting --- */

/* Milliseconds from the start of the process to its first frame, which the process prints. */
static double
start_once (void)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) program = NULL;
  g_autoptr (GDataInputStream) lines = NULL;
  gint64 begin = g_get_monotonic_time (), painted = 0;

  g_subprocess_launcher_setenv (launcher, "HYBRIDSCOPE_WATCHDOG", "1", TRUE);
  program = g_subprocess_launcher_spawn (launcher, NULL, HYBRIDSCOPE, NULL);
  g_assert_nonnull (program);
  lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (program));
  while (painted == 0)
    {
      g_autofree char *line = g_data_input_stream_read_line (lines, NULL, NULL, NULL);

      g_assert_nonnull (line);
      if (g_str_has_prefix (line, "first paint: "))
        painted = g_ascii_strtoll (line + strlen ("first paint: "), NULL, 10);
    }
  g_subprocess_force_exit (program);
  g_subprocess_wait (program, NULL, NULL);
  return (double) (painted - begin) / 1000;
}

static void
measure_start (void)
{
  double times[N_STARTS];

  for (guint i = 0; i < N_STARTS; i++)
    times[i] = start_once ();
  qsort (times, N_STARTS, sizeof times[0], compare);
  report ("first paint after start, shortest", times[0], 700, "ms");
  report ("first paint after start, median", times[N_STARTS / 2], 700, "ms");
}

/* --- Opening --- */

static void
close_tab (ScopeWindow *window)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-tab", NULL);
  gui_spin (200);
}

static ScopePage *
open_model (ScopeWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_window_open (window, file);
  gui_settle (scope_window_get_page (window));
  return scope_window_get_page (window);
}

static void
measure_opening (ScopeWindow *window, const char *path)
{
  double           times[3], busy[3];
  guint            n = 0;
  g_autofree char *what = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      gint64     begin = g_get_monotonic_time ();
      gint64     busy_begin = computed_us (CLOCK_PROCESS_CPUTIME_ID);
      ScopePage *page = open_model (window, path);

      times[i] = (double) (g_get_monotonic_time () - begin) / 1000;
      busy[i] = (double) (computed_us (CLOCK_PROCESS_CPUTIME_ID) - busy_begin) / 1000;
      n = scope_document_get_totals (scope_workspace_get_document (scope_page_get_workspace (page)))
              ->n_nodes;
      close_tab (window);
    }
  qsort (times, G_N_ELEMENTS (times), sizeof times[0], compare);
  what = g_strdup_printf ("open and draw %u nodes, shortest of 3", n);
  report (what, times[0], 300, "ms");
  qsort (busy, G_N_ELEMENTS (busy), sizeof busy[0], compare);
  report ("  CPU time of all threads, shortest of 3", busy[0], 300, "ms");
}

/* --- Frames --- */

typedef struct
{
  gint64 begin, busy_begin;
  double times[N_FRAMES], busy[N_FRAMES];
  guint  n;
} Frames;

static void
on_before (GdkFrameClock *clock G_GNUC_UNUSED, gpointer data)
{
  ((Frames *) data)->begin = g_get_monotonic_time ();
  ((Frames *) data)->busy_begin = computed_us (CLOCK_THREAD_CPUTIME_ID);
}

static void
on_after (GdkFrameClock *clock G_GNUC_UNUSED, gpointer data)
{
  Frames *frames = data;

  if (frames->begin != 0 && frames->n < N_FRAMES)
    {
      frames->busy[frames->n] =
          (double) (computed_us (CLOCK_THREAD_CPUTIME_ID) - frames->busy_begin) / 1000;
      frames->times[frames->n++] = (double) (g_get_monotonic_time () - frames->begin) / 1000;
    }
  frames->begin = 0;
}

static gboolean
has_one_more (gpointer data)
{
  const guint *n = ((gpointer *) data)[0];

  return *n > GPOINTER_TO_UINT (((gpointer *) data)[1]);
}

/* Moves and zooms the view in small steps, as by hand, and waits for a frame after each. */
static void
move_around (ScopeCanvas *canvas, Frames *frames)
{
  double x, y, zoom;

  scope_canvas_get_camera (canvas, &x, &y, &zoom);
  for (guint i = 0; i < N_FRAMES; i++)
    {
      gpointer wanted[] = { &frames->n, GUINT_TO_POINTER (frames->n) };
      double   way = (double) (i % 60) * (i / 60 % 2 == 0 ? 1 : -1);

      scope_canvas_set_camera (canvas, x + way * 4 / zoom, y + way * 3 / zoom, zoom);
      if (i % 50 == 49)
        zoom *= i % 100 == 49 ? 1.1 : 1 / 1.1;
      gui_wait (has_one_more, wanted, 2000);
    }
}

static guint
count_visible (ScopeCanvas *canvas)
{
  VizPicture *picture = scope_canvas_get_picture (canvas);
  VizRect     view = scope_canvas_get_view (canvas);
  guint       n = 0;

  for (guint32 i = 1; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);

      n += item->state == VIZ_ITEM_LEAF && item->x < view.x + view.width &&
           item->x + item->width > view.x && item->y < view.y + view.height &&
           item->y + item->height > view.y;
    }
  return n;
}

/* Shows all steps of every chain instead of a few. */
static void
unfold_steps (ScopeGraphView *view, VizDiagram *diagram)
{
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->kind == VIZ_BOX_STEPS)
      scope_graph_view_set_steps (view, i, 0, G_MAXINT32);
}

/* Zooms out until everything is visible, also where "show all" stops for a long and thin graph. */
static void
show_everything (ScopeCanvas *canvas)
{
  VizPicture *picture = scope_canvas_get_picture (canvas);
  double      zoom = MIN (gtk_widget_get_width (GTK_WIDGET (canvas)) / viz_picture_width (picture),
                          gtk_widget_get_height (GTK_WIDGET (canvas)) / viz_picture_height (picture));

  scope_canvas_set_camera (canvas, 0, 0, zoom);
}

/* Moves around in the shown page and reports the frames. */
static void
measure_moving (ScopePage *page, const char *model)
{
  ScopeCanvas     *canvas = scope_graph_view_get_canvas (scope_page_get_graph_view (page));
  GdkFrameClock   *clock = gtk_widget_get_frame_clock (GTK_WIDGET (canvas));
  Frames           frames = { 0 };
  g_autofree char *what = NULL;
  guint            n;

  gui_settle (page);
  n = count_visible (canvas);
  g_signal_connect (clock, "before-paint", G_CALLBACK (on_before), &frames);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_after), &frames);
  move_around (canvas, &frames);
  g_signal_handlers_disconnect_by_data (clock, &frames);
  qsort (frames.times, frames.n, sizeof frames.times[0], compare);
  what = g_strdup_printf ("%s, %u boxes visible, frame, median of %u", model, n, frames.n);
  qsort (frames.busy, frames.n, sizeof frames.busy[0], compare);
  report (what, frames.times[frames.n / 2], 16.6, "ms");
  report ("  95th percentile", frames.times[frames.n * 95 / 100], 16.6, "ms");
  report ("  CPU time of the main thread, 95th percentile", frames.busy[frames.n * 95 / 100], 16.6,
          "ms");
}

/* As it opens, at the zoom at which names can be read, and with everything open. */
static void
measure_large (ScopeWindow *window, const char *path)
{
  ScopePage   *page = open_model (window, path);
  ScopeCanvas *canvas = scope_graph_view_get_canvas (scope_page_get_graph_view (page));

  measure_moving (page, "large model as it opens");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.unfold-all", NULL);
  gui_settle (page);
  gtk_widget_activate_action (GTK_WIDGET (canvas), "canvas.zoom-normal", NULL);
  measure_moving (page, "all groups open, natural size");
  close_tab (window);
}

static void
measure_frames (ScopeWindow *window, const char *path)
{
  ScopePage   *page = open_model (window, path);
  ScopeCanvas *canvas = scope_graph_view_get_canvas (scope_page_get_graph_view (page));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.unfold-all", NULL);
  unfold_steps (scope_page_get_graph_view (page),
                scope_document_get_diagram (
                    scope_workspace_get_document (scope_page_get_workspace (page))));
  gui_settle (page);
  show_everything (canvas);
  measure_moving (page, "all steps drawn, whole graph");
  close_tab (window);
}

/* --- Blocking --- */

static ScopeWatchdogReport blocked; /* sum of all steps */

static void
end_step (const char *done)
{
  ScopeWatchdogReport report = scope_watchdog_get_report ();

  g_print ("  %-50s %9.0f ms late, %.0f computing%s\n", done, report.longest, report.longest_busy,
           report.n_blocked + report.n_busy > 0 ? "  <" : "");
  blocked.n_blocked += report.n_blocked;
  blocked.n_busy += report.n_busy;
  blocked.longest = MAX (blocked.longest, report.longest);
  blocked.longest_busy = MAX (blocked.longest_busy, report.longest_busy);
  scope_watchdog_reset ();
}

int
main (int argc, char **argv)
{
  ScopeWindow *window;

  if (!gui_init (&argc, &argv) || argc != 4)
    {
      g_printerr ("usage: window LARGE-MODEL EXAMPLE MODEL-TO-UNFOLD, on a display\n");
      return 2;
    }
  measure_start ();
  window = gui_start ();
  scope_watchdog_start ();
  gui_spin (3000);
  end_step ("the start page with its thumbnails");
  measure_opening (window, argv[1]);
  end_step ("open three times, and close");
  measure_large (window, argv[1]);
  end_step ("move around in the large model");
  measure_frames (window, argv[3]);
  end_step ("unfold everything, and move around");
  bench_walk (window, argv[2], end_step);
  report ("main loop blocked over 50 ms, times", blocked.n_blocked, 0, "");
  report ("  longest", blocked.longest, SCOPE_WATCHDOG_LIMIT_MS, "ms");
  report ("main loop computing over 50 ms, times", blocked.n_busy, 0, "");
  report ("  longest", blocked.longest_busy, SCOPE_WATCHDOG_LIMIT_MS, "ms");
  gui_end (all_within_limits ? 0 : 1);
}
