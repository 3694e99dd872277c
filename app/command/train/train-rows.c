/* train-rows.c — gives each part of a step a row and each span an event, and averages that overlap lanes of their own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train-rows.h"

#include "engine/formats/mxnet-symbol.h"

#include <math.h>
#include <string.h>

#define OTHER_CATEGORY G_MAXUINT16
#define FIRST_LANE     2 /* of averages: the step and its parts are above */
#define MAX_LANES      4 /* of averages; more share the last one */

static const char *const part_names[PROF_N_PARTS] = {
  [PROF_PART_STEP] = "step",
  [PROF_PART_FORWARD] = "forward pass",
  [PROF_PART_BACKWARD] = "backward pass",
  [PROF_PART_COMPUTING] = "forward and backward pass",
  [PROF_PART_WAITING] = "waiting for other processes",
  [PROF_PART_UPDATE] = "update of parameters",
};

typedef struct
{
  ProfBuilder *builder;
  guint32      parts[PROF_N_PARTS]; /* rows */
  guint32     *gradients;           /* rows by gradient */
} Rows;

static guint32
add_row (ProfBuilder *builder, const char *name, const char *type, guint32 origin)
{
  ProfNode row = { .id = PROF_NONE,
                   .origin = origin,
                   .category = OTHER_CATEGORY,
                   .flags = PROF_NODE_ADDED | PROF_NODE_EXECUTED,
                   .flops = NAN,
                   .bytes_read = NAN,
                   .bytes_written = NAN };

  row.name = prof_builder_text (builder, name);
  row.type = prof_builder_text (builder, type);
  row.shape = prof_builder_text (builder, NULL);
  return prof_builder_add_node (builder, &row);
}

/* The row of a parameter of the model; PROF_NONE if it has none of this name. */
static guint32
find_parameter (const ProfAttribution *attribution, HybGraph *graph, const char *name)
{
  HybNodeId id = hyb_graph_find_variable (graph, name);

  return id == HYB_NO_ID ? PROF_NONE : prof_attribution_get_model_row (attribution, graph, id);
}

static void
add_rows (Rows                  *rows,
          ProfBuilder           *builder,
          const ProfAttribution *attribution,
          const ScopeTraining   *training)
{
  HybGraph *graph = hyb_model_get_graph (training->model);
  guint     n = hyb_trainer_n_trained (training->trainer);

  rows->builder = builder;
  rows->gradients = g_new (guint32, MAX (n, 1));
  for (guint i = 0; i < PROF_N_PARTS; i++)
    rows->parts[i] =
        part_names[i] ? add_row (builder, part_names[i], part_names[i], PROF_NONE) : PROF_NONE;
  for (guint i = 0; i < n; i++)
    {
      const char      *name;
      g_autofree char *title = NULL;

      hyb_trainer_get_trained (training->trainer, i, &name);
      title = g_strdup_printf ("gradient of %s", name);
      rows->gradients[i] = add_row (builder,
                                    title,
                                    "average of a gradient",
                                    find_parameter (attribution, graph, name));
    }
}

/* By step, process and begin, so that the whole step comes first. */
static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const ScopeProcessSpan *x = a, *y = b;

  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  if (x->process != y->process)
    return x->process < y->process ? -1 : 1;
  if (x->begin_ns != y->begin_ns)
    return x->begin_ns < y->begin_ns ? -1 : 1;
  return (int) x->part - (int) y->part;
}

/* The first lane that is free; busy_until: of each. */
static guint
take_lane (const ScopeProcessSpan *span, guint64 *busy_until)
{
  guint lane = 0;

  while (lane + 1 < MAX_LANES && busy_until[lane] > span->begin_ns)
    lane++;
  busy_until[lane] = span->end_ns;
  return lane;
}

static void
add_event (const Rows *rows, const ScopeProcessSpan *span, ProfEventKind kind, guint depth)
{
  ProfEvent event = { .begin_ns = span->begin_ns, .run = (guint16) span->step };
  gboolean  is_process = kind == PROF_EVENT_PROCESS;

  event.packed = prof_event_pack (span->end_ns - MIN (span->begin_ns, span->end_ns),
                                  kind,
                                  depth,
                                  0,
                                  is_process ? span->process : 0);
  event.correlation = is_process ? span->part : 0;
  event.node = kind == PROF_EVENT_RUN            ? 0
               : span->part == PROF_PART_AVERAGE ? rows->gradients[span->gradient]
                                                 : rows->parts[span->part];
  prof_builder_add_event (rows->builder, &event);
}

/* Adds the events of a step, which are n spans. */
static void
add_step (const Rows *rows, const ScopeProcessSpan *spans, guint n)
{
  guint64 busy_until[MAX_LANES] = { 0 };

  for (guint i = 0; i < n; i++)
    {
      guint depth = spans[i].part == PROF_PART_STEP ? 0 : 1;

      if (i > 0 && spans[i].process != spans[i - 1].process)
        memset (busy_until, 0, sizeof busy_until);
      if (spans[i].part == PROF_PART_AVERAGE)
        depth = FIRST_LANE + take_lane (&spans[i], busy_until);
      add_event (rows, &spans[i], PROF_EVENT_PROCESS, depth);
    }
  for (guint i = 1; i < n && spans[i].process == 0; i++)
    if (spans[i].part != PROF_PART_AVERAGE)
      add_event (rows, &spans[i], PROF_EVENT_NODE, 1);
  add_event (rows, &spans[0], PROF_EVENT_RUN, 0);
  prof_builder_add_sample (rows->builder,
                           PROF_SAMPLE_TRACED,
                           spans[0].step,
                           (double) (spans[0].end_ns - spans[0].begin_ns) * 1e-9);
}

void
scope_add_process_spans (ProfBuilder           *builder,
                         const ProfAttribution *attribution,
                         const ScopeTraining   *training,
                         GArray                *spans)
{
  const ScopeProcessSpan *all = (gconstpointer) spans->data;
  Rows                    rows;

  add_rows (&rows, builder, attribution, training);
  g_array_sort (spans, compare_spans);
  for (guint first = 0, i = 0; i < spans->len; i++)
    if (i + 1 == spans->len || all[i + 1].step != all[first].step)
      {
        add_step (&rows, &all[first], i + 1 - first);
        first = i + 1;
      }
  g_free (rows.gradients);
}

void
scope_add_symbol (ProfBuilder *builder, HybGraph *graph)
{
  gsize            length;
  g_autofree char *symbol = hyb_symbol_print (graph, &length);

  if (symbol)
    prof_builder_set_symbol (builder, symbol, length);
}
