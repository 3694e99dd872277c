/* train-capture.c — builds the capture of a training: its last steps, with their parts as rows.
 *
 * Start with scope_train_write_capture().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/messages.h"
#include "app/command/targets/original-name.h"
#include "app/command/train/train.h"
#include "engine/formats/mxnet-symbol.h"
#include "profiler/summary/attribute.h"

#include <math.h>

#define OTHER_CATEGORY G_MAXUINT16

typedef enum
{
  PART_FORWARD,
  PART_BACKWARD,
  PART_COMPUTING, /* both, where it is not known when the one ends */
  PART_UPDATE,
  N_PARTS,
} Part;

static const char *const part_names[N_PARTS] = {
  [PART_FORWARD] = "forward pass",
  [PART_BACKWARD] = "backward pass",
  [PART_COMPUTING] = "forward and backward pass",
  [PART_UPDATE] = "update of parameters",
};

gboolean
scope_train_begin_capture (ScopeTraining *training, const char *file, GError **error)
{
  if (!training->options->capture)
    return TRUE;
  if (training->gpu)
    return scope_usage_error (error,
                              "--capture records the processor only; train without --device gpu");
  training->subject = scope_original_name_dup (file);
  training->trace = scope_trace_new (training->trainer, training->model);
  return TRUE;
}

/* --- Building --- */

static void
add_facts (ProfBuilder *builder, const ScopeTraining *training)
{
  static const char *const modes[] = { "imperative", "hybrid", "static" };
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  prof_facts_set (facts, "program", "hscope " SCOPE_VERSION);
  prof_facts_set (facts, "subject", training->subject);
  scope_describe_origin (facts, training->subject);
  prof_facts_set (facts, "mode", modes[scope_common_options_get_mode (training->common)]);
  prof_facts_set (facts, "pass", "a step of training");
  prof_facts_set_number (facts, "seed", (double) training->common->seed);
  prof_facts_set (facts, "clean.stopped", "the training ended");
  prof_facts_set_number (facts, "clean.inner", 1);
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

static guint32
add_row (ProfBuilder *builder, const char *name)
{
  ProfNode row = { .id = PROF_NONE,
                   .origin = PROF_NONE,
                   .category = OTHER_CATEGORY,
                   .flags = PROF_NODE_ADDED | PROF_NODE_EXECUTED,
                   .flops = NAN,
                   .bytes_read = NAN,
                   .bytes_written = NAN };

  row.name = row.type = prof_builder_text (builder, name);
  row.shape = prof_builder_text (builder, NULL);
  return prof_builder_add_node (builder, &row);
}

/* A part of a step, or the whole, in ns since the first step began. */
typedef struct
{
  guint64       begin, end;
  ProfEventKind kind;
  guint32       row;
  guint         run;
} Span;

static void
add_event (ProfBuilder *builder, const Span *span)
{
  ProfEvent event = { .begin_ns = span->begin, .run = (guint16) span->run, .node = span->row };

  event.packed = prof_event_pack (span->end - span->begin, span->kind,
                                  span->kind == PROF_EVENT_RUN ? 0 : 1, 0, 0);
  if (span->end > span->begin)
    prof_builder_add_event (builder, &event);
}

static void
add_steps (ProfBuilder *builder, const ScopeTrace *trace)
{
  guint32 rows[N_PARTS];
  guint64 first = scope_trace_get_step (trace, 0)->begin;

  for (guint i = 0; i < N_PARTS; i++)
    rows[i] = add_row (builder, part_names[i]);
  for (guint i = 0; i < scope_trace_n_steps (trace); i++)
    {
      const ScopeTraceStep *step = scope_trace_get_step (trace, i);
      gboolean              is_divided = step->turn > step->begin;
      guint64               begin = step->begin - first, turn = step->turn - first;
      guint64               run = step->run - first, end = step->end - first;
      const Span            spans[] = {
                   { begin, is_divided ? turn : begin, PROF_EVENT_NODE, rows[PART_FORWARD], i },
                   { turn, is_divided ? run : turn, PROF_EVENT_NODE, rows[PART_BACKWARD], i },
                   { begin, is_divided ? begin : run, PROF_EVENT_NODE, rows[PART_COMPUTING], i },
                   { run, end, PROF_EVENT_NODE, rows[PART_UPDATE], i },
                   { begin, end, PROF_EVENT_RUN, 0, i },
      };

      for (guint k = 0; k < G_N_ELEMENTS (spans); k++)
        add_event (builder, &spans[k]);
      prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, i, (double) (end - begin) * 1e-9);
    }
}

gboolean
scope_train_write_capture (ScopeTraining *training, GError **error)
{
  HybGraph *graph = hyb_model_get_graph (training->model);
  g_autoptr (ProfBuilder) builder = NULL;
  g_autoptr (ProfAttribution) attribution = NULL;
  g_autofree char *symbol = NULL;
  gsize            length;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  if (!training->trace || scope_trace_n_steps (training->trace) == 0)
    return TRUE;
  builder = prof_builder_new ();
  attribution = prof_attribution_new_model (builder, graph, NULL);
  add_facts (builder, training);
  add_samples (builder, training->trace);
  add_steps (builder, training->trace);
  symbol = hyb_symbol_print (graph, &length);
  if (symbol)
    prof_builder_set_symbol (builder, symbol, length);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "this training", error);
  return capture && prof_capture_write (capture, training->options->capture, error);
}
