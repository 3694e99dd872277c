/* measured-capture.c — collects everything that was measured of one subject in a capture.
 *
 * Facts come first, then samples, rows and events.  Start reading at prof_capture_measurement().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/measured-capture.h"

#include "engine/analysis/pass.h"
#include "engine/device/gpu.h"
#include "engine/formats/mxnet-symbol.h"
#include "profiler/base/clock.h"
#include "profiler/base/format.h"
#include "profiler/record/probe-cost.h"
#include "profiler/summary/attribute.h"
#include "profiler/summary/clean-samples.h"
#include "profiler/summary/gradients.h"
#include "profiler/summary/host-steps.h"
#include "profiler/summary/memory-curve.h"
#include "profiler/summary/phase-rows.h"
#include "profiler/summary/unchanging.h"

#include <math.h>

static const char *
mode_name (HybMode mode)
{
  static const char *const names[] = {
    [HYB_MODE_IMPERATIVE] = "imperative",
    [HYB_MODE_HYBRID] = "hybrid",
    [HYB_MODE_STATIC] = "static",
  };

  return names[mode];
}

/* "dot: …; sum: …", or NULL.  (transfer full) */
static char *
dup_excluded (const HybGpu *gpu)
{
  g_auto (GStrv) names = hyb_gpu_list_excluded (gpu);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; names[i]; i++)
    g_string_append_printf (text, "%s%s: %s", i > 0 ? "; " : "", names[i],
                            hyb_gpu_why_excluded (gpu, names[i]));
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

static void
add_device_facts (ProfFacts *facts, const ProfSubject *subject)
{
  HybGpu          *gpu = prof_subject_get_options (subject)->gpu;
  g_autofree char *name = NULL, *work = NULL, *excluded = NULL;

  if (!gpu)
    return;
  name = hyb_gpu_describe (gpu);
  work = hyb_executor_dup_device_work (prof_subject_get_executor (subject));
  excluded = dup_excluded (gpu);
  prof_facts_set (facts, PROF_DEVICE_KEY, name);
  prof_facts_set (facts, PROF_DEVICE_WORK_KEY, work);
  prof_facts_set (facts, PROF_DEVICE_MATH_KEY, hyb_gpu_describe_math (gpu));
  prof_facts_set (facts, PROF_DEVICE_EXCLUDED_KEY, excluded);
  prof_facts_set (facts, PROF_DEVICE_PROOF_KEY, hyb_gpu_get_proof (gpu));
}

static void
add_subject_facts (ProfFacts *facts, const ProfSubject *subject)
{
  const ProfSubjectOptions *options = prof_subject_get_options (subject);

  prof_facts_set (facts, "subject", options->name);
  prof_facts_set (facts, "variant", options->variant);
  prof_facts_set (facts, "mode", mode_name (options->mode));
  prof_facts_set (facts, "pass",
                  options->backward   ? "forward and backward"
                  : options->training ? "forward, training"
                                      : "forward");
  if (options->batch > 0)
    prof_facts_set_number (facts, "batch", (double) options->batch);
  if (options->length > 0)
    prof_facts_set_number (facts, "length", (double) options->length);
  if (options->without && options->without[0])
    {
      g_autofree char *list = g_strjoinv (", ", (char **) options->without);

      prof_facts_set (facts, "without", list);
    }
  if (options->no_passes)
    prof_facts_set (facts, "without", "all passes");
  if (options->threads > 0)
    prof_facts_set_number (facts, "threads", options->threads);
  add_device_facts (facts, subject);
}

/* How many clean samples were taken of each build, and which other series took turns with them. */
static void
add_build_facts (ProfFacts *facts, const ProfSeries *series)
{
  g_autoptr (GString) counts = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < series->build->len; i++)
    {
      n++;
      if (i + 1 < series->build->len &&
          g_array_index (series->build, guint, i) == g_array_index (series->build, guint, i + 1))
        continue;
      g_string_append_printf (counts, "%s%u", counts->len > 0 ? " " : "", n);
      n = 0;
    }
  if (counts->len > 0)
    prof_facts_set (facts, PROF_BUILDS_KEY, counts->str);
  if (series->turns > 0)
    prof_facts_set_number (facts, PROF_TURNS_KEY, (double) series->turns);
}

/* Why the clean runs are what they are.  (transfer full) */
static char *
describe_runs (const ProfSeries *series, const ProfDisturbance *disturbance)
{
  g_autofree char *seconds = prof_format_seconds (series->cut_seconds);

  if (isfinite (series->cut_seconds))
    return g_strdup_printf ("The first run was cancelled after %s, when %u operators had finished: "
                            "nothing was measured.  Wait longer, or make the inputs smaller.",
                            seconds, series->cut_nodes);
  if (series->is_only_first)
    return g_strdup ("There was time for the first run only, which was traced.  Later runs may be "
                     "faster.");
  return prof_disturbance_sentence (disturbance);
}

static void
add_series_facts (ProfFacts *facts, const ProfSeries *series, HybMode mode)
{
  ProfStatistics     clean;
  ProfDisturbance    disturbance;
  guint              n;
  g_autofree double *used = prof_series_dup_undisturbed (series, &n, &disturbance);
  g_autofree char   *runs = describe_runs (series, &disturbance);

  prof_statistics (used, n, &clean);
  prof_facts_set (facts, PROF_DISTURBANCE_KEY, runs);
  prof_facts_set (facts, "clean.stopped", prof_stop_name (series->stop));
  prof_facts_set_number (facts, "clean.inner", series->inner);
  add_build_facts (facts, series);
  if (clean.n > 1)
    prof_facts_set_number (facts, "clean.deviation", clean.deviation);
  if (isfinite (series->copy_rate))
    {
      prof_facts_set_number (facts, PROF_SPEED_COPY_KEY, series->copy_rate);
      prof_facts_set_number (facts, PROF_SPEED_CLOCK_KEY, series->clock_rate);
    }
  if (series->resident_bytes > 0) /* else no run has finished */
    {
      prof_facts_set_number (facts, "memory.planned", (double) series->planned_bytes);
      prof_facts_set_number (facts, "memory.resident", (double) series->resident_bytes);
    }

  if (series->recorder)
    {
      prof_facts_set_number (facts, "trace.overhead_ns", prof_probe_cost (mode));
      prof_facts_set_number (facts, "trace.clock_ns", prof_clock_cost ());
      prof_facts_set_number (facts, "trace.lost", (double) prof_recorder_n_lost (series->recorder));
    }
  prof_facts_set (facts, PROF_DEVICE_TRACE_KEY, series->device_trace);
  prof_facts_set (facts, PROF_DEVICE_TRACE_PROBLEM_KEY, series->device_problem);
  if (series->counts_reason)
    prof_facts_set (facts, "counters.missing", series->counts_reason);
  for (guint i = 0; series->has_counts && i < PROF_N_COUNTS; i++)
    {
      g_autofree char *key = g_strconcat ("counter.", prof_count_name (i), NULL);

      if (isfinite (series->counts[i]))
        prof_facts_set_number (facts, key, series->counts[i]);
    }
}

static void
add_sample_facts (ProfBuilder *builder, const ProfSeries *series)
{
  for (guint i = 0; i < series->clean_facts->len; i++)
    prof_builder_add_sample_facts (builder, PROF_SAMPLE_CLEAN, i,
                                   &g_array_index (series->clean_facts, ProfSampleFacts, i));
  for (guint i = 0; i < series->traced_facts->len; i++)
    prof_builder_add_sample_facts (builder,
                                   i >= series->exact ? PROF_SAMPLE_EXACT : PROF_SAMPLE_TRACED, i,
                                   &g_array_index (series->traced_facts, ProfSampleFacts, i));
}

static void
add_samples (ProfBuilder *builder, const ProfSeries *series)
{
  if (isfinite (series->first))
    prof_builder_add_sample (builder, PROF_SAMPLE_FIRST, 0, series->first);
  for (guint i = 0; i < series->warm->len; i++)
    prof_builder_add_sample (builder, PROF_SAMPLE_WARM, i, g_array_index (series->warm, double, i));
  for (guint i = 0; i < series->clean->len; i++)
    prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, i,
                             g_array_index (series->clean, double, i));
  for (guint i = 0; i < series->device->len; i++)
    if (isfinite (g_array_index (series->device, double, i)))
      prof_builder_add_sample (builder, PROF_SAMPLE_DEVICE, i,
                               g_array_index (series->device, double, i));
  for (guint i = 0; i < series->traced->len; i++)
    prof_builder_add_sample (builder, i >= series->exact ? PROF_SAMPLE_EXACT : PROF_SAMPLE_TRACED,
                             i, g_array_index (series->traced, double, i));
}

/* Puts a row in place of a slot and the id of a node. */
static void
set_row (ProfBuilder *builder, const ProfAttribution *attribution, ProfEvent *event)
{
  if (event->node != PROF_NONE)
    event->node = prof_attribution_get_row (attribution, event->graph, event->node);
  event->graph = (guint16) prof_attribution_get_graph (attribution, event->graph);
  if (event->node != PROF_NONE)
    prof_builder_get_node (builder, event->node)->flags |= PROF_NODE_EXECUTED;
}

/* Puts the row of a part of a node in place of the node. */
static void
add_phase_event (ProfBuilder           *builder,
                 const ProfAttribution *attribution,
                 ProfPhaseRows         *phases,
                 ProfEvent             *event)
{
  event->node = prof_phase_rows_add_event (phases, event->correlation - 1);
  event->graph = (guint16) prof_attribution_get_graph (attribution, event->graph);
  if (event->node != PROF_NONE)
    prof_builder_get_node (builder, event->node)->flags |= PROF_NODE_EXECUTED;
}

/* Adds the GPU's work in a run, from number `first` on.  Returns the next number. */
static guint
add_device_events (ProfBuilder           *builder,
                   const ProfAttribution *attribution,
                   const GArray          *events,
                   guint                  first,
                   guint                  run)
{
  for (; events && first < events->len; first++)
    {
      ProfEvent event = g_array_index (events, ProfEvent, first);

      if (event.run != run)
        break;
      set_row (builder, attribution, &event);
      prof_builder_add_event (builder, &event);
    }
  return first;
}

/* Adds the events, with slots and node ids replaced by graphs and rows of the capture. */
static void
add_events (ProfBuilder *builder, const ProfAttribution *attribution, const ProfRecorder *recorder)
{
  ProfPhaseRows *phases = prof_phase_rows_new (builder, attribution, recorder);
  const GArray  *of_device = prof_recorder_get_device_events (recorder);
  guint          n_of_device = 0;

  for (guint thread = 0; thread < prof_recorder_n_threads (recorder); thread++)
    for (gsize i = 0; i < prof_recorder_n_events (recorder, thread); i++)
      {
        ProfEvent     event = *prof_recorder_get_event (recorder, thread, i);
        ProfEventKind kind = prof_event_kind (&event);

        event.packed =
            prof_event_pack (prof_event_duration (&event), kind, prof_event_depth (&event),
                             prof_event_device (&event), thread);
        if (kind == PROF_EVENT_RUN)
          n_of_device = add_device_events (builder, attribution, of_device, n_of_device, event.run);
        /* Parts of an operator that a GPU computes have no times of their own. */
        if (kind == PROF_EVENT_NODE && event.correlation > 0 &&
            !(of_device && prof_event_device (&event) > 0))
          add_phase_event (builder, attribution, phases, &event);
        else if (kind == PROF_EVENT_NODE || kind == PROF_EVENT_SLICE)
          set_row (builder, attribution, &event);
        else
          event.graph = 0;
        event.correlation = 0;
        prof_builder_add_event (builder, &event);
      }
  prof_phase_rows_finish (phases);
}

/* Stores the bytes that nodes allocated in the last run in which they did, where a run goes operator
 * by operator. A node ends after its allocations, so those since the last node that ended are its
 * own. */
static void
add_allocations (ProfBuilder           *builder,
                 const ProfAttribution *attribution,
                 const ProfRecorder    *recorder)
{
  for (guint thread = 0; thread < prof_recorder_n_threads (recorder); thread++)
    {
      double pending = 0;

      for (gsize i = 0; i < prof_recorder_n_events (recorder, thread); i++)
        {
          const ProfEvent *event = prof_recorder_get_event (recorder, thread, i);
          ProfEventKind    kind = prof_event_kind (event);
          guint32          row = PROF_NONE;

          if (kind == PROF_EVENT_MEMORY)
            pending += (double) MAX (prof_event_bytes (event), 0);
          if (kind == PROF_EVENT_NODE)
            row = prof_attribution_get_row (attribution, event->graph, event->node);
          if (row != PROF_NONE && pending > 0)
            prof_builder_set_allocated (builder, row, pending);
          if (kind != PROF_EVENT_MEMORY)
            pending = 0;
        }
    }
}

/* Adds the memory in use by step of the plan. */
static void
add_memory (ProfBuilder *builder, const ProfAttribution *attribution, const ProfSubject *subject)
{
  const HybPlan *plan = hyb_executor_get_plan (prof_subject_get_executor (subject));
  g_autoptr (GArray) curve = prof_memory_curve (plan);

  for (guint i = 0; i < curve->len; i++)
    {
      const ProfLive *live = &g_array_index (curve, ProfLive, i);
      guint32         row = prof_attribution_get_planned_row (attribution, live->node);

      prof_builder_add_memory (builder, row, live->live);
      if (row != PROF_NONE)
        prof_builder_set_allocated (builder, row, (double) live->taken);
    }
}

/* The row of a node of the executed graph, if it ran without a plan. */
static guint32
find_row (const ProfAttribution *attribution,
          const ProfSubject     *subject,
          const ProfRecorder    *recorder,
          HybNodeId              node)
{
  HybGraph *executed = prof_subject_get_executed (subject);

  for (guint i = 0; i < prof_recorder_n_slots (recorder); i++)
    if (prof_recorder_get_slot (recorder, i)->graph == executed)
      return prof_attribution_get_row (attribution, i, node);
  return PROF_NONE;
}

/* Stores which rows make the gradients of parameters, as facts. */
static void
add_gradients (ProfBuilder           *builder,
               const ProfAttribution *attribution,
               const ProfSubject     *subject,
               const ProfRecorder    *recorder)
{
  const HybPlan *plan = hyb_executor_get_plan (prof_subject_get_executor (subject));
  gboolean       is_planned = plan && !hyb_plan_is_dynamic (plan);
  HybGraph *graph = is_planned ? hyb_plan_get_graph (plan) : prof_subject_get_executed (subject);
  guint     n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  for (guint i = prof_subject_n_heads (subject); i < n_heads; i++)
    {
      const char      *name = prof_subject_get_gradient_name (subject, i);
      HybNodeId        producer = hyb_graph_get_producer (graph, heads[i]);
      guint32          row = is_planned ? prof_attribution_get_planned_row (attribution, producer)
                                        : find_row (attribution, subject, recorder, producer);
      g_autofree char *key = name ? g_strconcat (PROF_GRADIENT_KEY, name, NULL) : NULL;

      if (key && row != PROF_NONE)
        prof_facts_set_number (facts, key, row);
    }
  prof_builder_add_facts (builder, facts);
}

ProfCapture *
prof_capture_measurement (const ProfSubject *subject,
                          const ProfSeries  *series,
                          const ProfFacts   *facts,
                          GError           **error)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) measured = prof_facts_new ();
  g_autoptr (ProfAttribution) attribution = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize            length;
  g_autofree char *symbol = hyb_symbol_print (prof_subject_get_graph (subject), &length);

  if (facts)
    prof_builder_add_facts (builder, facts);
  add_subject_facts (measured, subject);
  add_series_facts (measured, series, prof_subject_get_options (subject)->mode);
  prof_builder_add_facts (builder, measured);
  add_samples (builder, series);
  add_sample_facts (builder, series);

  attribution = prof_attribution_new (builder, subject, series->recorder);
  if (series->recorder)
    {
      add_events (builder, attribution, series->recorder);
      add_allocations (builder, attribution, series->recorder);
      add_gradients (builder, attribution, subject, series->recorder);
    }
  prof_host_steps_add (builder, attribution, subject, series->recorder);
  add_memory (builder, attribution, subject);
  prof_unchanging_add (builder, attribution, subject);
  if (symbol)
    prof_builder_set_symbol (builder, symbol, length);
  bytes = prof_builder_finish (builder);
  return prof_capture_new (bytes, "this measurement", error);
}
