/* processes.c — the timeline of a training in several processes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/widgets/lane-chart.h"
#include "app/widgets/tooltip.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/summary/processes.h"
#include "profiler/summary/save-capture.h"

#include <glib/gstdio.h>
#include <math.h>

#define N_PROCESSES 4
#define MILLISECOND 1000000

static const struct
{
  ProfProcessPart part;
  const char     *name;
  guint           begin, end, lane; /* milliseconds */
} parts[] = {
  { PROF_PART_STEP, "step", 0, 100, 0 },
  { PROF_PART_FORWARD, "forward pass", 0, 20, 1 },
  { PROF_PART_BACKWARD, "backward pass", 20, 70, 1 },
  { PROF_PART_AVERAGE, "gradient of weight", 30, 60, 2 },
  { PROF_PART_AVERAGE, "gradient of bias", 40, 85, 3 },
  { PROF_PART_WAITING, "waiting for other processes", 70, 90, 1 },
  { PROF_PART_UPDATE, "update of parameters", 90, 100, 1 },
};

static void
add_events (ProfBuilder *builder)
{
  ProfEvent run = { .packed = prof_event_pack (100 * MILLISECOND, PROF_EVENT_RUN, 0, 0, 0) };

  for (guint process = 0; process < N_PROCESSES; process++)
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
      {
        guint64   duration = (guint64) (parts[i].end - parts[i].begin) * MILLISECOND;
        ProfEvent event = {
          .begin_ns = (guint64) (parts[i].begin + process) * MILLISECOND,
          .packed = prof_event_pack (duration, PROF_EVENT_PROCESS, parts[i].lane, 0, process),
          .node = i,
          .correlation = parts[i].part
        };

        prof_builder_add_event (builder, &event);
      }
  prof_builder_add_event (builder, &run);
  prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, 0, 0.1);
  prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, 0, 0.1);
}

/* Writes a capture of a training in four processes, twice as fast as one.  (transfer full) */
static char *
write_training (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (g_get_user_cache_dir (), "training.hscope", NULL);

  prof_facts_set_number (facts, PROF_PROCESSES_KEY, N_PROCESSES);
  prof_facts_set_number (facts, PROF_ALONE_KEY, 0.2);
  prof_builder_add_facts (builder, facts);
  prof_builder_add_graph (builder, "main", PROF_NONE, 0);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      ProfNode node = { .id = PROF_NONE,
                        .origin = PROF_NONE,
                        .flags = PROF_NODE_ADDED | PROF_NODE_EXECUTED,
                        .flops = NAN };

      node.name = node.type = prof_builder_text (builder, parts[i].name);
      prof_builder_add_node (builder, &node);
    }
  add_events (builder);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, path, &error);
  g_assert_no_error (error);
  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  g_assert_true (prof_capture_write (capture, path, &error));
  return path;
}

static gboolean
is_measured (gpointer path)
{
  return g_strcmp0 (scope_workspace_get_capture_path (workspace ()), path) == 0;
}

static gboolean
has_spans (gpointer lanes)
{
  double begin, end;

  scope_lane_chart_get_range (lanes, &begin, &end);
  return gtk_widget_get_mapped (lanes) && gtk_widget_get_width (lanes) > 1 && end > begin;
}

/* The tooltip of the n-th lane at a share of the width. */
static const char *
read_lane (GtkWidget *lanes, guint lane, double share)
{
  gpointer motion = gui_controller (lanes, GTK_TYPE_EVENT_CONTROLLER_MOTION);

  g_signal_emit_by_name (motion,
                         "motion",
                         share * gtk_widget_get_width (lanes),
                         22 + 24.0 * lane + 11);
  return scope_tooltip_get (lanes);
}

static void
test_lanes (void)
{
  GtkWidget       *lanes = gui_find (GTK_WIDGET (page), "timeline-lanes");
  GtkWidget       *note = gui_find (GTK_WIDGET (page), "timeline-processes");
  g_autofree char *path = write_training ();
  double           begin, end;

  g_assert_false (gtk_widget_get_visible (note));
  scope_workspace_open_capture (workspace (), path);
  g_assert_true (gui_wait (is_measured, path, 10000));
  gui_act (window, "win.show-view", "timeline");
  g_assert_true (gui_wait (has_spans, lanes, 5000));
  scope_lane_chart_get_range (SCOPE_LANE_CHART (lanes), &begin, &end);
  g_assert_cmpfloat_with_epsilon (end - begin, 0.103, 1e-9);
  g_assert_true (gtk_widget_get_visible (note));
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (note)),
                   ==,
                   "4 processes train together, 2 times as fast as one");
  for (guint process = 0; process < N_PROCESSES; process++)
    {
      g_autofree char *title = g_strdup_printf ("Process %u waits 20 %% of its step", process);

      g_assert_true (g_str_has_prefix (read_lane (lanes, 4 * process, 0.5), title));
      g_assert_true (g_str_has_prefix (read_lane (lanes, 4 * process + 1, 0.1), "forward pass"));
      g_assert_true (g_str_has_prefix (read_lane (lanes, 4 * process + 1, 0.5), "backward pass"));
      g_assert_true (g_str_has_prefix (read_lane (lanes, 4 * process + 1, 0.8), "waiting"));
      g_assert_true (
          g_str_has_prefix (read_lane (lanes, 4 * process + 2, 0.4), "gradient of weight"));
      g_assert_true (
          g_str_has_prefix (read_lane (lanes, 4 * process + 3, 0.6), "gradient of bias"));
    }
  take_picture (window, "timeline-processes");
  g_unlink (path);
}

void
add_process_tests (void)
{
  add_test ("/app/window/the-timeline-has-lanes-of-each-process", CASE_MEASURED, test_lanes);
}
