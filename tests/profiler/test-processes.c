/* test-processes.c — clocks of several processes, and what each of them does in a step.
 *
 * The captures are made of chosen numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/clock-offset.h"
#include "profiler/base/machine.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/exchange/report-processes.h"
#include "profiler/summary/processes.h"
#include "profiler/summary/summary.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* --- Clocks --- */

#define N_MEETINGS 32

/* Meetings of two processes whose clocks differ by an offset; the second comes late by turns. */
static void
meet (ProfMeeting *mine, ProfMeeting *others, double offset)
{
  for (guint i = 0; i < N_MEETINGS; i++)
    {
      double came = 1e6 * i, late = came + (i % 3 - 1.0) * 7000, all = MAX (came, late);

      mine[i] = (ProfMeeting){ came, all + 2000 + 100 * (i % 5) };
      others[i] = (ProfMeeting){ late + offset, all + 1500 + 300 * (i % 4) + offset };
    }
}

static void
test_offset_is_found (void)
{
  static const double offsets[] = { 5e9, -3.25e6, 40000 };

  for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
    {
      ProfMeeting     mine[N_MEETINGS], others[N_MEETINGS];
      ProfClockOffset found;

      meet (mine, others, offsets[i]);
      found = prof_clock_offset (mine, others, N_MEETINGS);
      g_assert_cmpfloat (fabs (found.offset - offsets[i]), <=, found.uncertainty);
      g_assert_cmpfloat (found.uncertainty, <, 2001);
      g_assert_cmpfloat (found.uncertainty, >, 0);
    }
}

/* One machine has one clock: nothing is moved. */
static void
test_same_clock_stays (void)
{
  ProfMeeting mine[N_MEETINGS], others[N_MEETINGS];

  meet (mine, others, 0);
  g_assert_cmpfloat (prof_clock_offset (mine, others, N_MEETINGS).offset, ==, 0);
  g_assert_cmpfloat (prof_clock_offset (mine, others, N_MEETINGS).uncertainty, <, 4001);
  g_assert_true (isinf (prof_clock_offset (mine, others, 0).uncertainty));
}

/* --- Captures --- */

/* A span of a process, in ns. */
typedef struct
{
  guint           process, run;
  ProfProcessPart part;
  guint64         begin, end;
} Span;

static void
add (ProfBuilder *builder, Span span)
{
  guint     lane = span.part == PROF_PART_STEP ? 0 : span.part == PROF_PART_AVERAGE ? 2 : 1;
  ProfEvent event = {
    .begin_ns = span.begin,
    .packed = prof_event_pack (span.end - span.begin, PROF_EVENT_PROCESS, lane, 0, span.process),
    .run = (guint16) span.run,
    .correlation = span.part
  };

  prof_builder_add_event (builder, &event);
}

static ProfCapture *
finish (ProfBuilder *builder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = prof_builder_finish (builder);
  ProfCapture *capture = prof_capture_new (bytes, "made", &error);

  g_assert_no_error (error);
  return capture;
}

/* A builder of a capture of n processes, whose clean steps take 10, 20 and 30 times scale. */
static ProfBuilder *
begin (guint n, double alone, double scale)
{
  ProfBuilder *builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  ProfNode node = { .id = PROF_NONE, .origin = PROF_NONE, .step = PROF_NONE, .flops = NAN };

  prof_facts_set_number (facts, PROF_PROCESSES_KEY, n);
  prof_facts_set_number (facts, PROF_PROCESSES_HERE_KEY, n);
  prof_facts_set_number (facts, "cpu.cores", 2);
  if (isfinite (alone))
    prof_facts_set_number (facts, PROF_ALONE_KEY, alone);
  prof_builder_add_facts (builder, facts);
  prof_builder_add_graph (builder, "main", PROF_NONE, 0);
  node.name = node.type = prof_builder_text (builder, "forward pass");
  prof_builder_add_node (builder, &node);
  for (guint i = 0; i < 3; i++)
    prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, i, (10 + 10 * i) * scale);
  return builder;
}

static void
test_parts_are_summed_by_process (void)
{
  g_autoptr (ProfBuilder) builder = begin (2, NAN, 1);
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (GArray) list = NULL;
  const ProfProcess *first, *second;

  /* The first process in two runs, the second in one; averages overlap each other and the end of the backward pass. */
  add (builder, (Span){ 0, 0, PROF_PART_STEP, 0, 100 });
  add (builder, (Span){ 0, 0, PROF_PART_FORWARD, 0, 20 });
  add (builder, (Span){ 0, 0, PROF_PART_BACKWARD, 20, 60 });
  add (builder, (Span){ 0, 0, PROF_PART_AVERAGE, 50, 80 });
  add (builder, (Span){ 0, 0, PROF_PART_AVERAGE, 30, 55 });
  add (builder, (Span){ 0, 0, PROF_PART_AVERAGE, 40, 50 });
  add (builder, (Span){ 0, 0, PROF_PART_WAITING, 60, 90 });
  add (builder, (Span){ 0, 0, PROF_PART_UPDATE, 90, 100 });
  add (builder, (Span){ 1, 0, PROF_PART_STEP, 10, 90 });
  add (builder, (Span){ 1, 0, PROF_PART_COMPUTING, 10, 80 });
  add (builder, (Span){ 1, 0, PROF_PART_WAITING, 80, 90 });
  add (builder, (Span){ 0, 1, PROF_PART_STEP, 200, 400 });
  add (builder, (Span){ 0, 1, PROF_PART_FORWARD, 200, 300 });
  capture = finish (builder);
  list = prof_processes (capture);
  g_assert_cmpuint (list->len, ==, 2);
  first = &g_array_index (list, ProfProcess, 0);
  second = &g_array_index (list, ProfProcess, 1);
  g_assert_cmpfloat_with_epsilon (first->step, 150e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (first->forward, 60e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (first->backward, 20e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (first->computing, 80e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (first->waiting, 15e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (first->update, 5e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (first->averaging, 25e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (first->hidden, 15e-9, 1e-15);
  g_assert_cmpuint (second->number, ==, 1);
  g_assert_cmpfloat_with_epsilon (second->computing, 70e-9, 1e-15);
  g_assert_cmpfloat (second->forward, ==, 0);
  g_assert_cmpfloat_with_epsilon (second->waiting / second->step, 0.125, 1e-12);
}

/* Other processes do what they do meanwhile: a run of the first one does not get longer by that. */
static void
test_processes_do_not_change_the_summary (void)
{
  g_autoptr (ProfBuilder) builder = begin (2, NAN, 1);
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  ProfEvent node = { .packed = prof_event_pack (60, PROF_EVENT_NODE, 1, 0, 0) };
  ProfEvent run = { .packed = prof_event_pack (100, PROF_EVENT_RUN, 0, 0, 0) };

  add (builder, (Span){ 1, 0, PROF_PART_STEP, 0, 5000 });
  add (builder, (Span){ 1, 0, PROF_PART_FORWARD, 0, 4000 });
  prof_builder_add_event (builder, &node);
  prof_builder_add_event (builder, &run);
  capture = finish (builder);
  summary = prof_summary_new (capture);
  g_assert_cmpfloat_with_epsilon (summary->traced, 100e-9, 1e-15);
  g_assert_cmpuint (summary->node->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (g_array_index (summary->node, ProfNodeSum, 0).self, 60e-9, 1e-15);
  g_assert_cmpfloat_with_epsilon (summary->between, 40e-9, 1e-15);
}

static void
test_speed_up_compares_with_one_process (void)
{
  g_autoptr (ProfBuilder) one_builder = begin (1, NAN, 1), four_builder = begin (4, 30, 0.5);
  g_autoptr (ProfCapture) one = finish (one_builder), four = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *sentence = NULL;

  add (four_builder, (Span){ 0, 0, PROF_PART_STEP, 0, 100 });
  four = finish (four_builder);
  g_assert_cmpfloat_with_epsilon (prof_speed_up (one, four), 2, 1e-12);
  g_assert_true (isnan (prof_speed_up (four, one)));
  g_assert_true (isnan (prof_speed_up (four, four)));
  g_assert_true (isnan (prof_speed_up_known (one)));
  g_assert_cmpfloat_with_epsilon (prof_speed_up_known (four), 3, 1e-12);
  sentence = prof_speed_up_describe (four, 2);
  g_assert_cmpstr (sentence,
                   ==,
                   "4 processes are 2 times as fast as one, 50 % of what 4 could be; the "
                   "machine "
                   "has fewer processors than processes");
  g_assert_null (prof_speed_up_describe (four, NAN));
  prof_report_processes (text, four);
  g_assert_nonnull (strstr (text->str, "4 processes are 3 times as fast as one"));
  g_string_truncate (text, 0);
  prof_report_processes (text, one);
  g_assert_cmpstr (text->str, ==, "");
}

/* Times, parts and numbers of a damaged capture may be anything. */
static void
test_damaged_events_are_left_out (void)
{
  g_autoptr (ProfBuilder) builder = begin (2, NAN, 1);
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (GArray) list = NULL;
  ProfEvent late = { .begin_ns = G_MAXUINT64,
                     .packed = prof_event_pack (10, PROF_EVENT_PROCESS, 255, 15, 255),
                     .node = G_MAXUINT32,
                     .correlation = PROF_PART_STEP };
  ProfEvent unknown = late;

  unknown.begin_ns = 0;
  unknown.correlation = PROF_N_PARTS;
  prof_builder_add_event (builder, &late);
  prof_builder_add_event (builder, &unknown);
  add (builder, (Span){ 3, 65535, PROF_PART_AVERAGE, 0, 50 });
  capture = finish (builder);
  list = prof_processes (capture);
  g_assert_cmpuint (list->len, ==, 1);
  g_assert_cmpuint (g_array_index (list, ProfProcess, 0).number, ==, 3);
  g_assert_cmpfloat (g_array_index (list, ProfProcess, 0).hidden, ==, 0);
}

TEST_PROGRAM (test_processes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/processes/offset-of-clocks-is-found", test_offset_is_found);
  g_test_add_func ("/profiler/processes/one-clock-stays-as-it-is", test_same_clock_stays);
  g_test_add_func ("/profiler/processes/parts-are-summed-by-process",
                   test_parts_are_summed_by_process);
  g_test_add_func ("/profiler/processes/processes-do-not-change-the-summary",
                   test_processes_do_not_change_the_summary);
  g_test_add_func ("/profiler/processes/speed-up-compares-with-one-process",
                   test_speed_up_compares_with_one_process);
  g_test_add_func ("/profiler/processes/damaged-events-are-left-out",
                   test_damaged_events_are_left_out);
  return g_test_run ();
}
