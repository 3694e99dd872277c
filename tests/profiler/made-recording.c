/* made-recording.c — builds captures from numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/profiler/made-recording.h"

#include "engine/base/random.h"
#include "profiler/base/machine.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/summary/unchanging.h"

#include <math.h>
#include <string.h>

const MadeRecording made_recording = {
  .host = "ada",
  .processor = "Example 3000",
  .pass = "forward",
  .shape = "1×8",
  .load = "0.5",
  .cores = 4,
  .threads = 2,
  .copy = 5e9,
  .clock = 1e9,
  .seconds = 1e-3,
  .noise = 0.01,
  .n = 30,
  .seed = 1,
};

static double
uniform (guint64 seed, guint64 draw)
{
  return ((double) (guint32) hyb_random_word (seed, draw) + 0.5) * 0x1p-32;
}

/* Box and Muller. */
double
made_normal (guint64 seed, guint64 draw)
{
  return sqrt (-2 * log (uniform (seed, 2 * draw))) * cos (2 * G_PI * uniform (seed, 2 * draw + 1));
}

static void
add_facts (ProfBuilder *builder, const MadeRecording *recording)
{
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  prof_facts_set (facts, "subject", "made");
  prof_facts_set (facts, "system.host", recording->host);
  prof_facts_set (facts, "cpu.model", recording->processor);
  prof_facts_set (facts, "pass", recording->pass);
  prof_facts_set (facts, "mode", "static");
  prof_facts_set (facts, "without", recording->without);
  prof_facts_set (facts, PROF_FOLDED_KEY, recording->folded);
  prof_facts_set (facts, "system.cpu limit", recording->quota);
  prof_facts_set (facts, "system.cpu quota", recording->old_quota);
  if (recording->cores > 0)
    prof_facts_set_number (facts, "cpu.cores", recording->cores);
  if (recording->threads > 0)
    prof_facts_set_number (facts, "threads", recording->threads);
  if (recording->copy > 0)
    prof_facts_set_number (facts, PROF_SPEED_COPY_KEY, recording->copy);
  if (recording->clock > 0)
    prof_facts_set_number (facts, PROF_SPEED_CLOCK_KEY, recording->clock);
  if (recording->load)
    prof_facts_set_number (facts, "system.load", g_ascii_strtod (recording->load, NULL));
  prof_builder_add_facts (builder, facts);
}

static void
add_nodes (ProfBuilder *builder, const MadeRecording *recording)
{
  guint32  graph = prof_builder_add_graph (builder, "main", PROF_NONE, PROF_NONE);
  ProfNode node = { .graph = graph, .origin = PROF_NONE, .step = PROF_NONE, .flops = NAN };

  node.name = prof_builder_text (builder, "data");
  node.shape = prof_builder_text (builder, recording->shape);
  node.flags = PROF_NODE_VARIABLE;
  prof_builder_add_node (builder, &node);
  node.id = 1;
  node.name = prof_builder_text (builder, "fc1");
  node.type = prof_builder_text (builder, "FullyConnected");
  node.flags = PROF_NODE_EXECUTED;
  prof_builder_add_node (builder, &node);
  if (!recording->body)
    return;
  node.graph = prof_builder_add_graph (builder, "body", 1, 0);
  node.id = 0;
  node.name = prof_builder_text (builder, "data");
  node.type = prof_builder_text (builder, "");
  node.shape = prof_builder_text (builder, recording->body);
  node.flags = PROF_NODE_VARIABLE;
  prof_builder_add_node (builder, &node);
}

static void
add_traced_runs (ProfBuilder *builder, const MadeRecording *recording)
{
  guint64 duration = (guint64) (recording->seconds * 1e9);

  for (guint16 run = 0; run < 12; run++)
    {
      ProfEvent event = {
        .begin_ns = run * 2 * duration + 10,
        .packed = prof_event_pack (duration, PROF_EVENT_NODE, 1, 0, 0),
        .node = 1,
        .run = run,
      };

      prof_builder_add_event (builder, &event);
      event.begin_ns -= 10;
      event.packed = prof_event_pack (duration + 20, PROF_EVENT_RUN, 0, 0, 0);
      event.node = 0;
      prof_builder_add_event (builder, &event);
      prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, run, recording->seconds + 20e-9);
    }
}

ProfCapture *
made_recording_new (const MadeRecording *recording)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  ProfCapture *capture;

  add_facts (builder, recording);
  for (guint i = 0; i < recording->n; i++)
    {
      double seconds =
          recording->seconds * exp (recording->noise * made_normal (recording->seed, i));
      gboolean is_disturbed = i >= recording->n - recording->n_disturbed;

      prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, i, seconds);
      prof_builder_add_sample_facts (builder, PROF_SAMPLE_CLEAN, i,
                                     &(ProfSampleFacts){
                                         .wall = 1, .cpu = 1, .wait = is_disturbed ? 0.5 : 0 });
    }
  add_nodes (builder, recording);
  add_traced_runs (builder, recording);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", &error);
  g_assert_no_error (error);
  return capture;
}

ProfSessions
made_recordings_compare (const MadeRecording *a, const MadeRecording *b)
{
  g_autoptr (ProfCapture) of_a = made_recording_new (a);
  g_autoptr (ProfCapture) of_b = made_recording_new (b);
  g_autoptr (GError) error = NULL;
  ProfSessions sessions;

  prof_sessions_compare (&sessions, (const ProfCapture *const[]){ of_a }, 1, of_b, &error);
  g_assert_no_error (error);
  return sessions;
}

void
assert_made_caution (const ProfSessions *sessions, ProfCautionKind kind, const char *text)
{
  for (guint i = 0; i < sessions->cautions->len; i++)
    {
      const ProfCaution *caution = sessions->cautions->pdata[i];

      if (caution->kind == kind && strstr (caution->text, text))
        return;
    }
  g_error ("there is no caution of the kind %s with “%s”", prof_caution_name (kind), text);
}
