/* work-classes.c — sums the traced runs of a capture by class of work.
 *
 * Each traced run counts with the parts that its nodes take of it, so that a disturbed run does not
 * count for more.  Start reading at prof_class_times_init().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/work-classes.h"

#include "engine/base/random.h"
#include "engine/op/op.h"
#include "profiler/base/statistics.h"
#include "profiler/explain/repeats.h"
#include "profiler/summary/cost.h"
#include "profiler/summary/run-matrix.h"

#include <math.h>

#define REDRAW_SEED 20260722

static ProfClass
class_of (const ProfNode *node)
{
  static const guint8 classes[HYB_N_CATEGORIES] = {
    [HYB_CATEGORY_DATA] = PROF_CLASS_MOVEMENT,
    [HYB_CATEGORY_ELEMENTWISE] = PROF_CLASS_POINTWISE,
    [HYB_CATEGORY_LINEAR] = PROF_CLASS_GEMM,
    [HYB_CATEGORY_CONVOLUTION] = PROF_CLASS_GEMM,
    [HYB_CATEGORY_NORMALISATION] = PROF_CLASS_POINTWISE,
    [HYB_CATEGORY_REDUCTION] = PROF_CLASS_POINTWISE,
    [HYB_CATEGORY_MOVEMENT] = PROF_CLASS_MOVEMENT,
    [HYB_CATEGORY_RECURRENT] = PROF_CLASS_RECURRENT,
    [HYB_CATEGORY_CONTROL] = PROF_CLASS_HOST,
    [HYB_CATEGORY_LOSS] = PROF_CLASS_POINTWISE,
  };

  /* The work of a fused layer outside of its parts is neither products nor pointwise. */
  if (node->category == HYB_CATEGORY_RECURRENT && prof_node_is_divided (node))
    return PROF_CLASS_HOST;
  return node->category < HYB_N_CATEGORIES ? classes[node->category] : PROF_CLASS_POINTWISE;
}

/* The overhead in every recorded span, in seconds. */
typedef struct
{
  double recording; /* taking the time */
  double between;   /* choosing the node and calling it; only nodes outside of bodies */
} SpanCost;

/* Whether the executor calls the node itself: it is in no body and no part of an operator. */
static gboolean
is_called_directly (const ProfNode *node)
{
  return node->graph == 0 && !(node->flags & PROF_NODE_PHASE);
}

/* Seconds outside of the outermost nodes in exact runs; NaN if there are none. */
static double
median_around (const ProfRunMatrix *matrix)
{
  g_autofree double *around = g_new (double, MAX (matrix->exact->len, 1));

  for (guint i = 0; i < matrix->exact->len; i++)
    around[i] = g_array_index (matrix->exact, ProfExactRun, i).around;
  return prof_median (around, matrix->exact->len);
}

/* Time stamps are chained, so that a span begins where the last one ended.  The exact run shows how
 * long the time between nodes is, which is divided among the spans. */
static SpanCost
find_span_cost (const ProfCapture *capture, const ProfRunMatrix *matrix, const guint32 *by_row)
{
  SpanCost cost = { .recording = prof_capture_get_number (capture, "trace.overhead_ns") * 1e-9 };
  double   per_clock = prof_capture_get_number (capture, "trace.clock_ns") * 1e-9;
  double   exact_around = median_around (matrix);
  double   n_spans = 0, around = 0, all = 0;

  /* Recording takes nothing of the GPU's times. */
  if (!isfinite (cost.recording) || prof_capture_get_text (capture, PROF_DEVICE_TRACE_KEY))
    cost.recording = 0;
  for (guint run = 0; run < matrix->n_runs; run++)
    {
      around += (matrix->wall[run] - matrix->nodes[run]) / matrix->n_runs;
      all += matrix->spans[run] / matrix->n_runs;
    }
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    if (by_row[row] != PROF_NONE && is_called_directly (prof_capture_get_node (capture, row)))
      n_spans += (double) matrix->count[by_row[row]] / MAX (matrix->n_runs, 1);
  if (isfinite (exact_around) && n_spans > 0)
    {
      /* In an exact run the second clock reading of each node is between nodes, too. */
      double reading = isfinite (per_clock) ? per_clock * all : 0;

      cost.between = MAX (exact_around - around - reading, 0) / n_spans;
    }
  return cost;
}

/* Adds the times of one node to its class, and the rest of its spans to HOST. */
static void
add_row (ProfClassTimes      *times,
         const ProfRunMatrix *matrix,
         guint32              at,
         const ProfNode      *node,
         const SpanCost      *cost)
{
  ProfClass class = class_of (node);
  double count = (double) matrix->count[at] / MAX (matrix->n_runs, 1);
  double between = is_called_directly (node) ? count * cost->between : 0;

  for (guint run = 0; run < matrix->n_runs; run++)
    {
      double self = (double) matrix->self[(gsize) at * matrix->n_runs + run] * 1e-9;
      double host;

      self = MAX (self - count * cost->recording, 0);
      host = MIN (between, self);
      times->between += host / MAX (matrix->wall[run], 1e-12) / matrix->n_runs;
      times->runs[class][run] += self - host;
      times->runs[PROF_CLASS_HOST][run] += host;
    }
}

/* Adds the time around the nodes of each run to HOST, and divides all classes by its length. */
static void
finish_runs (ProfClassTimes *times, const ProfRunMatrix *matrix, const SpanCost *cost)
{
  for (guint run = 0; run < matrix->n_runs; run++)
    {
      double wall = matrix->wall[run] - matrix->spans[run] * cost->recording;

      times->runs[PROF_CLASS_HOST][run] += MAX (matrix->wall[run] - matrix->nodes[run], 0);
      for (guint c = 0; c < PROF_N_CLASSES; c++)
        times->runs[c][run] = wall > 0 ? times->runs[c][run] / wall : 0;
    }
}

/* Sums the work of the nodes that ran.  by_row: PROF_NONE, or the row of the matrix. */
static void
count_work (ProfClassTimes      *times,
            const ProfCapture   *capture,
            const ProfRunMatrix *matrix,
            const guint32       *by_row)
{
  g_autofree gboolean *repeats = prof_find_repeats (capture, by_row);

  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    {
      const ProfNode *node = prof_capture_get_node (capture, row);
      gboolean        is_product = class_of (node) == PROF_CLASS_GEMM;
      double          work;

      /* A product with unknown FLOP makes the total unknown; other unknown work is data movement. */
      if (by_row[row] == PROF_NONE || prof_node_is_divided (node) ||
          (!isfinite (node->flops) && !is_product))
        continue;
      work = node->flops * (double) matrix->count[by_row[row]] / MAX (matrix->n_runs, 1);
      if (repeats[row])
        {
          times->repeated += work;
          continue;
        }
      times->flops += work;
      if (is_product)
        times->products += work;
    }
}

void
prof_class_times_init (ProfClassTimes *times, const ProfCapture *capture)
{
  ProfRunMatrix       matrix;
  g_autofree guint32 *by_row = NULL;
  SpanCost            cost;

  *times = (ProfClassTimes){ 0 };
  prof_run_matrix_init (&matrix, capture, &by_row);
  cost = find_span_cost (capture, &matrix, by_row);
  times->n_runs = matrix.n_runs;
  for (guint c = 0; c < PROF_N_CLASSES; c++)
    times->runs[c] = g_new0 (double, MAX (matrix.n_runs, 1));
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    if (by_row[row] != PROF_NONE)
      add_row (times, &matrix, by_row[row], prof_capture_get_node (capture, row), &cost);
  finish_runs (times, &matrix, &cost);
  count_work (times, capture, &matrix, by_row);
  prof_run_matrix_clear (&matrix);
  for (guint c = 0; c < PROF_N_CLASSES; c++)
    times->share[c] = times->n_runs > 0 ? prof_median (times->runs[c], times->n_runs) : 0;
}

void
prof_class_times_redraw (const ProfClassTimes *times, guint index, double *share)
{
  guint              n = times->n_runs;
  g_autofree double *drawn = g_new (double, MAX (n, 1));

  for (guint c = 0; c < PROF_N_CLASSES; c++)
    {
      for (guint i = 0; i < n; i++)
        drawn[i] = times->runs[c][hyb_random_word (REDRAW_SEED, (guint64) index * n + i) % n];
      share[c] = n > 0 ? prof_median (drawn, n) : 0;
    }
}

void
prof_class_times_clear (ProfClassTimes *times)
{
  for (guint c = 0; c < PROF_N_CLASSES; c++)
    g_clear_pointer (&times->runs[c], g_free);
}
