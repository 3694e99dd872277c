/* test-device-time.c — each moment of a run on a GPU counts once, whatever overlaps.
 *
 * The captures are made of chosen numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/machine.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/summary/device-time.h"
#include "profiler/summary/summary.h"
#include "tests/program.h"

#include <math.h>

/* An event that begins and ends at these ns. */
static ProfEvent
event (ProfEventKind kind, guint device, guint32 node, guint64 begin, guint64 end)
{
  guint depth = kind == PROF_EVENT_RUN ? 0 : 1;

  return (ProfEvent){ .begin_ns = begin,
                      .packed = prof_event_pack (end - begin, kind, depth, device, 0),
                      .node = node };
}

/* Four nodes: the first has the graph of the last two as its body, which for is_cyclic is the graph that it lies
 * in. */
static ProfCapture *
make_capture (const ProfEvent *events, guint n, gboolean is_traced, gboolean is_cyclic)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  ProfCapture *capture;

  prof_facts_set (facts, PROF_DEVICE_TRACE_KEY, is_traced ? "CUPTI 13.0" : NULL);
  prof_builder_add_facts (builder, facts);
  prof_builder_add_graph (builder, "main", is_cyclic ? 0 : PROF_NONE, 0);
  prof_builder_add_graph (builder, "body", 0, 0);
  for (guint i = 0; i < 4; i++)
    {
      ProfNode node = { .graph = i / 2,
                        .name = prof_builder_text (builder, "node"),
                        .type = prof_builder_text (builder, "op"),
                        .origin = PROF_NONE,
                        .step = PROF_NONE,
                        .flops = NAN };

      prof_builder_add_node (builder, &node);
    }
  for (guint i = 0; i < n; i++)
    prof_builder_add_event (builder, &events[i]);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", &error);
  g_assert_no_error (error);
  return capture;
}

static const ProfNodeSum *
find (const ProfSummary *summary, guint32 row)
{
  g_assert_cmpuint (summary->by_row[row], !=, PROF_NONE);
  return &g_array_index (summary->node, ProfNodeSum, summary->by_row[row]);
}

static void
assert_ns (double seconds, double ns)
{
  g_assert_cmpfloat_with_epsilon (seconds, ns * 1e-9, 1e-15);
}

static void
test_each_moment_counts_once (void)
{
  const ProfEvent events[] = {
    event (PROF_EVENT_NODE, 1, 2, 0, 90),              /* a launch, which does not count */
    event (PROF_EVENT_NODE, 0, 1, 100, 400),           /* the host, until 300 alone for 100 */
    event (PROF_EVENT_DEVICE, 1, 3, 250, 500),         /* the later half of what overlaps */
    event (PROF_EVENT_DEVICE, 1, 2, 200, 300),         /* began first */
    event (PROF_EVENT_DEVICE, 1, 0, 260, 260),         /* a loop without work of its own */
    event (PROF_EVENT_DEVICE, 1, PROF_NONE, 600, 640), /* of no operator */
    event (PROF_EVENT_COPY, 1, 2, 900, 1100),          /* ends behind the run */
    event (PROF_EVENT_RUN, 0, 0, 0, 1000),
  };
  g_autoptr (ProfCapture) capture = make_capture (events, G_N_ELEMENTS (events), TRUE, FALSE);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  ProfGroupSum rest[PROF_MAX_REST];

  assert_ns (summary->traced, 1000);
  assert_ns (find (summary, 1)->self, 100);
  assert_ns (find (summary, 2)->self, 100);
  assert_ns (find (summary, 3)->self, 200);
  assert_ns (find (summary, 0)->self, 0);
  assert_ns (find (summary, 0)->inclusive, 300);
  g_assert_cmpfloat (find (summary, 0)->count, ==, 1);
  g_assert_cmpfloat (find (summary, 2)->count, ==, 1);
  assert_ns (summary->device_busy, 440);
  g_assert_cmpuint (prof_summary_rest (summary, rest), ==, 3);
  g_assert_cmpstr (rest[0].name, ==, "(GPU idle)");
  assert_ns (rest[0].self, 460);
  g_assert_cmpstr (rest[1].name, ==, "(passes and copies)");
  assert_ns (rest[1].self, 100);
  g_assert_cmpstr (rest[2].name, ==, "(GPU, no operator)");
  assert_ns (rest[2].self, 40);
}

/* Without a trace the host waits for the GPU in each operator, which has that time. */
static void
test_untraced_runs_are_the_host_s (void)
{
  const ProfEvent events[] = {
    event (PROF_EVENT_NODE, 1, 1, 100, 400),
    event (PROF_EVENT_RUN, 0, 0, 0, 1000),
  };
  g_autoptr (ProfCapture) capture = make_capture (events, G_N_ELEMENTS (events), FALSE, FALSE);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  ProfGroupSum rest[PROF_MAX_REST];

  g_assert_null (prof_device_time_new (capture));
  assert_ns (find (summary, 1)->self, 300);
  g_assert_cmpuint (prof_summary_rest (summary, rest), ==, 1);
  g_assert_cmpstr (rest[0].name, ==, "(between operators)");
  assert_ns (rest[0].self, 700);
}

/* A damaged capture may have such a run. */
static void
test_runs_of_no_time_have_no_shares (void)
{
  const ProfEvent events[] = { event (PROF_EVENT_RUN, 0, 0, 50, 50) };
  g_autoptr (ProfCapture) capture = make_capture (events, G_N_ELEMENTS (events), FALSE, FALSE);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  ProfGroupSum rest[PROF_MAX_REST];

  assert_ns (summary->traced, 0);
  g_assert_cmpuint (prof_summary_rest (summary, rest), ==, 1);
  g_assert_cmpfloat (rest[0].share, ==, 0);
}

/* A damaged capture has times beyond the end of time, runs without an end, and graphs that lie inside
 * themselves. */
static void
test_damaged_captures_are_survived (void)
{
  ProfEvent events[] = {
    event (PROF_EVENT_DEVICE, 1, 0, 10, 20),   event (PROF_EVENT_DEVICE, 15, 1, 0, 0),
    event (PROF_EVENT_DEVICE, 1, 9999, 5, 30), event (PROF_EVENT_RUN, 0, 0, 0, 100),
    event (PROF_EVENT_RUN, 3, 0, 50, 60),      event (PROF_EVENT_DEVICE, 1, 0, 55, 57),
  };
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;

  events[1].begin_ns = G_MAXUINT64;
  events[1].packed = prof_event_pack (PROF_DURATION_MAX, PROF_EVENT_DEVICE, 255, 15, 255);
  events[5].run = 7; /* a run that has no end */
  capture = make_capture (events, G_N_ELEMENTS (events), TRUE, TRUE);
  summary = prof_summary_new (capture);
  g_assert_cmpfloat (find (summary, 1)->self, ==, 0);
  g_assert_cmpfloat (summary->device_busy, <=, summary->traced);
}

TEST_PROGRAM (test_device_time)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/device-time/each-moment-counts-once", test_each_moment_counts_once);
  g_test_add_func ("/profiler/device-time/untraced-runs-are-the-host-s",
                   test_untraced_runs_are_the_host_s);
  g_test_add_func ("/profiler/device-time/runs-of-no-time-have-no-shares",
                   test_runs_of_no_time_have_no_shares);
  g_test_add_func ("/profiler/device-time/damaged-captures-are-survived",
                   test_damaged_captures_are_survived);
  return g_test_run ();
}
