/* work-classes.c — sums the traced runs of a capture by class of work.
 *
 * Times of nodes come from traced runs and are scaled to the clean median, run by run, so that a
 * disturbed traced run does not count for more.  Start reading at prof_class_times_init().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/work-classes.h"

#include "engine/op/op.h"
#include "profiler/base/statistics.h"
#include "profiler/explain/repeats.h"
#include "profiler/summary/cost.h"
#include "profiler/summary/run-matrix.h"

#include <math.h>

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

  /* What a fused layer does besides its parts is neither products nor pointwise work. */
  if (node->category == HYB_CATEGORY_RECURRENT && prof_node_is_divided (node))
    return PROF_CLASS_HOST;
  return node->category < HYB_N_CATEGORIES ? classes[node->category] : PROF_CLASS_POINTWISE;
}

/* Clean median over the time of a traced run without recording overhead.  A disturbed run is longer
 * in all of its parts, so shares of it are scaled to the clean median. */
static double
find_scale (const ProfClassTimes *times, const ProfRunMatrix *matrix, guint run, double per_span)
{
  double wall = matrix->wall[run] - matrix->spans[run] * per_span;

  return wall > 0 && isfinite (times->clean) ? times->clean / wall : 1;
}

/* Adds the times of one node to its class. */
static void
add_row (ProfClassTimes      *times,
         const ProfRunMatrix *matrix,
         guint32              at,
         const ProfNode      *node,
         double               per_span)
{
  ProfClass class = class_of (node);
  double count = (double) matrix->count[at] / MAX (matrix->n_runs, 1);

  /* HOST is what is left of the clean median, and includes control operators. */
  for (guint run = 0; class != PROF_CLASS_HOST && run < matrix->n_runs; run++)
    {
      double self = (double) matrix->self[(gsize) at * matrix->n_runs + run] * 1e-9;

      times->runs[class][run] +=
          MAX (self - count * per_span, 0) * find_scale (times, matrix, run, per_span);
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
  double              per_span = prof_capture_get_number (capture, "trace.overhead_ns") * 1e-9;
  ProfRunMatrix       matrix;
  g_autofree guint32 *by_row = NULL;

  *times = (ProfClassTimes){ 0 };
  per_span = isfinite (per_span) ? per_span : 0;
  times->samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &times->n_samples);
  times->clean = prof_median (times->samples, times->n_samples);
  prof_run_matrix_init (&matrix, capture, &by_row);
  times->n_runs = matrix.n_runs;
  for (guint c = 0; c < PROF_N_CLASSES; c++)
    times->runs[c] = g_new0 (double, MAX (matrix.n_runs, 1));
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    if (by_row[row] != PROF_NONE)
      add_row (times, &matrix, by_row[row], prof_capture_get_node (capture, row), per_span);
  count_work (times, capture, &matrix, by_row);
  prof_run_matrix_clear (&matrix);

  for (guint run = 0; run < times->n_runs; run++)
    {
      times->runs[PROF_CLASS_HOST][run] = times->clean;
      for (guint c = PROF_CLASS_GEMM; c < PROF_N_CLASSES; c++)
        times->runs[PROF_CLASS_HOST][run] -= times->runs[c][run];
    }
  times->seconds[PROF_CLASS_HOST] = times->clean;
  for (guint c = PROF_CLASS_GEMM; c < PROF_N_CLASSES; c++)
    {
      times->seconds[c] = times->n_runs > 0 ? prof_median (times->runs[c], times->n_runs) : 0;
      times->seconds[PROF_CLASS_HOST] -= times->seconds[c];
    }
}

void
prof_class_times_clear (ProfClassTimes *times)
{
  for (guint c = 0; c < PROF_N_CLASSES; c++)
    g_clear_pointer (&times->runs[c], g_free);
  g_clear_pointer (&times->samples, g_free);
}
