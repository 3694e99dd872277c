/* train-capture.c — collects what all processes noted, puts their clocks right, and builds the capture.
 *
 * Each process fills its own part of a list of zeros, and the sum of all lists goes to everybody.  Start with
 * scope_train_write_capture().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/messages.h"
#include "app/command/open-model.h"
#include "app/command/targets/original-name.h"
#include "app/command/train/train-rows.h"
#include "profiler/base/clock-offset.h"
#include "profiler/base/clock.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/processes.h"
#include "profiler/summary/save-capture.h"

#include <math.h>

#define MAX_STEPS   16
#define MAX_NUMBERS 4000000 /* of all processes */
#define N_MEETINGS  32
#define AT_ONCE     1000000 /* numbers that travel at once */

/* What one process tells; all are doubles. */
typedef struct
{
  double      n_spans;
  ProfMeeting meetings[N_MEETINGS];
} Told;

/* A span as it travels. */
typedef struct
{
  double step, part, gradient, begin, end;
} ToldSpan;

#define TOLD_SIZE (sizeof (Told) / sizeof (double))
#define SPAN_SIZE (sizeof (ToldSpan) / sizeof (double))

typedef struct
{
  ScopeTraining *training;
  guint          rank, size;
  guint          n_spans; /* of the process that has most */
  gsize          stride;  /* numbers of a process */
  double        *numbers;
  double         clock; /* seconds that clocks may differ */
} Collection;

/* --- The options --- */

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, SCOPE_ERROR, SCOPE_ERROR_USAGE, text);
  return FALSE;
}

static guint
count_processes (const ScopeTraining *training)
{
  return training->parallel ? scope_parallel_get_size (training->parallel) : 1;
}

/* Reads what one process took, for the same model. */
static gboolean
read_alone (ScopeTraining *training, GError **error)
{
  const char *file = training->options->alone;
  g_autoptr (ProfCapture) capture = scope_open_capture (file, error);
  const char        *model;
  guint              n;
  g_autofree double *clean = NULL;

  if (!capture)
    return FALSE;
  model = prof_capture_get_text (capture, "model");
  clean = prof_capture_dup_undisturbed (capture, &n, NULL);
  if (prof_capture_get_number (capture, PROF_PROCESSES_KEY) != 1 || n == 0)
    return refuse (error,
                   "--alone %s: it is no capture of a training in one process, which “hscope train "
                   "… --capture” writes",
                   file);
  if (g_strcmp0 (model, training->subject) != 0)
    return refuse (error,
                   "--alone %s: it is a capture of %s, and this is %s",
                   file,
                   model ? model : "another model",
                   training->subject);
  training->alone = prof_median (clean, n);
  return TRUE;
}

/* As many steps as the list of all processes has room for. */
static guint
choose_steps (const ScopeTraining *training)
{
  guint64 of_step = SPAN_SIZE * (hyb_trainer_n_trained (training->trainer) + 64ul);

  return (guint) CLAMP (MAX_NUMBERS / (of_step * count_processes (training)), 1, MAX_STEPS);
}

gboolean
scope_train_begin_capture (ScopeTraining *training, const char *file, GError **error)
{
  const ScopeTrainOptions *options = training->options;

  training->alone = NAN;
  if (!options->capture)
    return !options->alone || refuse (error, "--alone belongs to --capture, and that is not given");
  if (training->gpu)
    return refuse (error, "--capture notes what processors do; train without --device gpu");
  if (count_processes (training) > PROF_MAX_PROCESSES)
    return refuse (error, "--capture has room for %d processes", PROF_MAX_PROCESSES);
  training->subject = scope_original_name_dup (file);
  if (options->alone && !read_alone (training, error))
    return FALSE;
  training->trace =
      scope_trace_new (training->trainer, choose_steps (training), training->parallel != NULL);
  return TRUE;
}

/* --- Collecting --- */

static Told *
get_told (const Collection *collection, guint process)
{
  return (Told *) (gpointer) (collection->numbers + process * collection->stride);
}

static ToldSpan *
get_spans (const Collection *collection, guint process)
{
  return (ToldSpan *) (gpointer) (collection->numbers + process * collection->stride + TOLD_SIZE);
}

static guint
count_spans (const ScopeTrace *trace)
{
  guint n, sum = 0;

  for (guint i = 0; i < scope_trace_n_steps (trace); i++)
    {
      scope_trace_get_step (trace, i, &n);
      sum += n;
    }
  return sum;
}

static gboolean
combine (const Collection *collection, ScopeCombine how, double *values, gsize n, GError **error)
{
  ScopeParallel *parallel = collection->training->parallel;

  for (gsize done = 0; parallel && done < n; done += AT_ONCE)
    if (!scope_parallel_combine (parallel,
                                 how,
                                 values + done,
                                 (guint) MIN (n - done, AT_ONCE),
                                 error))
      return FALSE;
  return TRUE;
}

/* Writes down when this process comes to each meeting and leaves it. */
static gboolean
meet (const Collection *collection, ProfMeeting *meetings, GError **error)
{
  for (guint i = 0; i < N_MEETINGS; i++)
    {
      double nothing = 0;

      meetings[i].came = (double) prof_clock_now ();
      if (!combine (collection, SCOPE_COMBINE_SUM, &nothing, 1, error))
        return FALSE;
      meetings[i].left = (double) prof_clock_now ();
    }
  return TRUE;
}

static void
tell_spans (const Collection *collection)
{
  const ScopeTrace *trace = collection->training->trace;
  Told             *told = get_told (collection, collection->rank);
  ToldSpan         *to = get_spans (collection, collection->rank);

  told->n_spans = count_spans (trace);
  for (guint step = 0; step < scope_trace_n_steps (trace); step++)
    {
      guint                 n;
      const ScopeTraceSpan *spans = scope_trace_get_step (trace, step, &n);

      for (guint i = 0; i < n; i++)
        *to++ = (ToldSpan){ step,
                            spans[i].part,
                            spans[i].gradient,
                            (double) spans[i].begin_ns,
                            (double) spans[i].end_ns };
    }
}

/* Puts all spans of a process on the clock of the first one. */
static void
align (Collection *collection, guint process)
{
  ToldSpan       *spans = get_spans (collection, process);
  ProfClockOffset offset = prof_clock_offset (get_told (collection, 0)->meetings,
                                              get_told (collection, process)->meetings,
                                              N_MEETINGS);

  collection->clock = MAX (collection->clock, offset.uncertainty * 1e-9);
  for (guint i = 0; i < (guint) get_told (collection, process)->n_spans; i++)
    {
      spans[i].begin -= offset.offset;
      spans[i].end -= offset.offset;
    }
}

static gboolean
collect (Collection *collection, GError **error)
{
  double n_spans = count_spans (collection->training->trace);

  if (!combine (collection, SCOPE_COMBINE_MAXIMUM, &n_spans, 1, error))
    return FALSE;
  collection->n_spans = (guint) n_spans;
  collection->stride = TOLD_SIZE + SPAN_SIZE * (gsize) collection->n_spans;
  collection->numbers = g_new0 (double, collection->size * collection->stride);
  tell_spans (collection);
  if (!meet (collection, get_told (collection, collection->rank)->meetings, error) ||
      !combine (collection,
                SCOPE_COMBINE_SUM,
                collection->numbers,
                collection->size * collection->stride,
                error))
    return FALSE;
  for (guint i = 1; i < collection->size; i++)
    align (collection, i);
  return TRUE;
}

/* --- Building --- */

static void
add_facts (ProfBuilder *builder, const Collection *collection)
{
  static const char *const modes[] = { "imperative", "hybrid", "static" };
  const ScopeTraining     *training = collection->training;
  const char              *here = g_getenv ("OMPI_COMM_WORLD_LOCAL_SIZE");
  guint64                  n_here = 1;
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  if (here)
    g_ascii_string_to_unsigned (here, 10, 1, PROF_MAX_PROCESSES, &n_here, NULL);
  prof_facts_set (facts, "program", "hscope " SCOPE_VERSION);
  prof_facts_set (facts, "subject", training->subject);
  scope_describe_origin (facts, training->subject);
  prof_facts_set (facts, "mode", modes[scope_common_options_get_mode (training->common)]);
  prof_facts_set (facts, "pass", "a step of training");
  prof_facts_set_number (facts, "seed", (double) training->common->seed);
  prof_facts_set (facts, "clean.stopped", "the training ended");
  prof_facts_set_number (facts, "clean.inner", 1);
  prof_facts_set_number (facts, PROF_PROCESSES_KEY, collection->size);
  prof_facts_set_number (facts, PROF_PROCESSES_HERE_KEY, (double) n_here);
  if (collection->size > 1)
    prof_facts_set_number (facts, PROF_PROCESSES_CLOCK_KEY, collection->clock);
  if (isfinite (training->alone))
    prof_facts_set_number (facts, PROF_ALONE_KEY, training->alone);
  prof_machine_describe (facts);
  prof_builder_add_facts (builder, facts);
}

static void
add_samples (ProfBuilder *builder, const ScopeTrace *trace)
{
  const GArray *seconds = scope_trace_get_seconds (trace);

  for (guint i = 0; i < seconds->len; i++)
    prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, i, g_array_index (seconds, double, i));
}

/* All spans of all processes.  (transfer full) */
static GArray *
list_spans (const Collection *collection)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (ScopeProcessSpan));
  double  first = INFINITY;

  for (guint process = 0; process < collection->size; process++)
    for (guint i = 0; i < (guint) get_told (collection, process)->n_spans; i++)
      first = MIN (first, get_spans (collection, process)[i].begin);
  for (guint process = 0; process < collection->size; process++)
    for (guint i = 0; i < (guint) get_told (collection, process)->n_spans; i++)
      {
        const ToldSpan  *told = &get_spans (collection, process)[i];
        ScopeProcessSpan span = { .process = process,
                                  .step = (guint) told->step,
                                  .part = (ProfProcessPart) told->part,
                                  .gradient = (guint) told->gradient,
                                  .begin_ns = (guint64) (told->begin - first),
                                  .end_ns = (guint64) (told->end - first) };

        g_array_append_val (list, span);
      }
  return list;
}

static gboolean
write_capture (const Collection *collection, GError **error)
{
  ScopeTraining *training = collection->training;
  HybGraph      *graph = hyb_model_get_graph (training->model);
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfAttribution) attribution = prof_attribution_new_model (builder, graph, NULL);
  g_autoptr (GArray) spans = list_spans (collection);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  add_facts (builder, collection);
  add_samples (builder, training->trace);
  scope_add_process_spans (builder, attribution, training, spans);
  scope_add_symbol (builder, graph);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "this training", error);
  return capture && prof_capture_write (capture, training->options->capture, error);
}

gboolean
scope_train_write_capture (ScopeTraining *training, GError **error)
{
  Collection collection = { .training = training, .size = count_processes (training) };
  gboolean   is_done;

  if (!training->trace || scope_trace_n_steps (training->trace) == 0)
    return TRUE;
  if (training->parallel)
    collection.rank = scope_parallel_get_rank (training->parallel);
  is_done =
      collect (&collection, error) && (collection.rank > 0 || write_capture (&collection, error));
  g_free (collection.numbers);
  return is_done;
}
