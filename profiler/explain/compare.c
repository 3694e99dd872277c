/* compare.c — equal numbers first, then classes of work.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/compare.h"

#include "engine/op/op.h"
#include "profiler/summary/summary-private.h"

#include <math.h>
#include <string.h>

/* Sums of a long sequence come out differently in another order; this much of the
 * largest value is far below what any reader of a model would see. */
#define TOLERANCE 1e-4

/* --- Numbers --- */

static gboolean
compare_tensors (HybTensor *a, HybTensor *b, ProfEquality *equality, double *largest)
{
  gboolean is_close = TRUE;

  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    {
      double x = hyb_tensor_get_value (a, i), y = hyb_tensor_get_value (b, i);
      double difference = x == y || (isnan (x) && isnan (y)) ? 0 : fabs (x - y);

      *largest = MAX (*largest, isfinite (x) ? fabs (x) : 0);
      if (!isfinite (difference))
        is_close = FALSE;
      else
        equality->max_abs = MAX (equality->max_abs, difference);
    }
  return is_close;
}

static HybTensor *
find_gradient (ProfSubject *subject, const char *name)
{
  for (guint i = prof_subject_n_heads (subject); i < prof_subject_n_outputs (subject); i++)
    if (g_strcmp0 (prof_subject_get_gradient_name (subject, i), name) == 0)
      return prof_subject_get_output (subject, i);
  return NULL;
}

void
prof_compare_numbers (ProfSubject *a, ProfSubject *b, ProfEquality *equality)
{
  guint    n_heads = MIN (prof_subject_n_heads (a), prof_subject_n_heads (b));
  double   largest = 0;
  gboolean is_close = TRUE;

  *equality = (ProfEquality){ 0 };
  for (guint i = 0; i < prof_subject_n_outputs (a); i++)
    {
      HybTensor *x = prof_subject_get_output (a, i);
      HybTensor *y = i < n_heads ? prof_subject_get_output (b, i)
                     : i < prof_subject_n_heads (a)
                         ? NULL
                         : find_gradient (b, prof_subject_get_gradient_name (a, i));

      if (!y || hyb_tensor_get_size (x) != hyb_tensor_get_size (y))
        {
          /* Fused layers keep their weights in one array: its gradient has no partner. */
          is_close = is_close && i >= n_heads;
          continue;
        }
      is_close = compare_tensors (x, y, equality, &largest) && is_close;
      equality->n_compared++;
    }
  equality->tolerance = TOLERANCE * MAX (largest, 1);
  equality->ok = is_close && equality->n_compared > 0 && equality->max_abs <= equality->tolerance;
}

void
prof_equality_join (ProfEquality *to, const ProfEquality *from)
{
  if (to->n_compared == 0)
    {
      *to = *from;
      return;
    }
  to->ok = to->ok && from->ok;
  to->n_compared += from->n_compared;
  if (from->max_abs / from->tolerance > to->max_abs / to->tolerance)
    {
      to->max_abs = from->max_abs;
      to->tolerance = from->tolerance;
    }
}

/* --- Classes --- */

ProfClass
prof_class_of (guint category)
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

  return category < HYB_N_CATEGORIES ? classes[category] : PROF_CLASS_POINTWISE;
}

/* A traced run that was disturbed is longer in all of its parts: what counts is the part of
 * the run that a class took, of as long as a clean run takes. */
static double
find_scale (const ProfWork *work, const Matrix *matrix, guint run, double per_span)
{
  double wall = matrix->wall[run] - matrix->spans[run] * per_span;

  return wall > 0 && isfinite (work->clean) ? work->clean / wall : 1;
}

static void
add_row (ProfWork *work, const Matrix *matrix, guint32 at, const ProfNode *node, double per_span)
{
  ProfClass class = prof_class_of (node->category);
  double count = (double) matrix->count[at] / MAX (matrix->n_runs, 1);

  /* Without its types nobody knows what a product computes; movement computes nothing. */
  if (isfinite (node->flops) ? class != PROF_CLASS_HOST : class == PROF_CLASS_GEMM)
    work->flops += count * node->flops;
  /* The machinery of loops is part of what is left. */
  for (guint run = 0; class != PROF_CLASS_HOST && run < matrix->n_runs; run++)
    {
      double self = (double) matrix->self[(gsize) at * matrix->n_runs + run] * 1e-9;

      work->runs[class][run] +=
          MAX (self - count * per_span, 0) * find_scale (work, matrix, run, per_span);
    }
}

void
prof_work_init (ProfWork *work, const ProfCapture *capture)
{
  double              per_span = prof_capture_get_number (capture, "trace.overhead_ns") * 1e-9;
  Matrix              matrix;
  g_autofree guint32 *by_row = NULL;

  *work = (ProfWork){ 0 };
  per_span = isfinite (per_span) ? per_span : 0;
  work->samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &work->n_samples);
  work->clean = prof_median (work->samples, work->n_samples);
  prof_matrix_fill (&matrix, capture, &by_row);
  work->n_runs = matrix.n_runs;
  for (guint c = 0; c < PROF_N_CLASSES; c++)
    work->runs[c] = g_new0 (double, MAX (matrix.n_runs, 1));
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    if (by_row[row] != PROF_NONE)
      add_row (work, &matrix, by_row[row], prof_capture_get_node (capture, row), per_span);
  prof_matrix_clear (&matrix);

  for (guint run = 0; run < work->n_runs; run++)
    {
      work->runs[PROF_CLASS_HOST][run] = work->clean;
      for (guint c = PROF_CLASS_GEMM; c < PROF_N_CLASSES; c++)
        work->runs[PROF_CLASS_HOST][run] -= work->runs[c][run];
    }
  work->seconds[PROF_CLASS_HOST] = work->clean;
  for (guint c = PROF_CLASS_GEMM; c < PROF_N_CLASSES; c++)
    {
      work->seconds[c] = work->n_runs > 0 ? prof_median (work->runs[c], work->n_runs) : 0;
      work->seconds[PROF_CLASS_HOST] -= work->seconds[c];
    }
}

void
prof_work_clear (ProfWork *work)
{
  for (guint c = 0; c < PROF_N_CLASSES; c++)
    g_clear_pointer (&work->runs[c], g_free);
  g_clear_pointer (&work->samples, g_free);
}
