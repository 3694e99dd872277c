/* typical-runs.c — leaves out traced runs that lost the processor, then the shortest and longest.
 *
 * Start reading at prof_typical_runs_init().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/typical-runs.h"

#include <math.h>

/* A disturbed run that is longer than the shortest one by more than this mostly waited. */
#define MAX_RATIO 2

/* Orders columns by a key, then by their number. */
static int
compare_columns (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *key = data;
  guint         x = *(const guint *) a, y = *(const guint *) b;

  if (key[x] != key[y])
    return key[x] < key[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

static void
sort_columns (guint *column, guint n, const double *key)
{
  g_qsort_with_data (column, (int) n, sizeof (guint), compare_columns, (gpointer) key);
}

/* Facts by column; NULL if the capture has none for each of them. */
static ProfSampleFacts *
dup_facts (const ProfRunMatrix *matrix, const ProfCapture *capture)
{
  guint                     n;
  g_autofree double *traced G_GNUC_UNUSED =
      prof_capture_dup_samples (capture, PROF_SAMPLE_TRACED, &n);

  return n == matrix->n_runs ? prof_capture_dup_sample_facts (capture, PROF_SAMPLE_TRACED) : NULL;
}

void
prof_typical_runs_init (ProfTypicalRuns     *typical,
                        const ProfRunMatrix *matrix,
                        const ProfCapture   *capture)
{
  g_autofree ProfSampleFacts *facts = dup_facts (matrix, capture);
  g_autofree double          *waited = g_new0 (double, MAX (matrix->n_runs, 1));
  guint                       n, n_end;

  *typical = (ProfTypicalRuns){
    .column = g_new (guint, MAX (matrix->n_runs, 1)),
    .is_disturbed = g_new0 (gboolean, MAX (matrix->n_runs, 1)),
  };
  for (guint run = 0; run < matrix->n_runs; run++)
    {
      typical->column[run] = run;
      typical->is_disturbed[run] = facts && prof_sample_is_disturbed (&facts[run]);
      typical->n_disturbed += typical->is_disturbed[run];
      if (typical->is_disturbed[run])
        waited[run] = isnan (facts[run].wait) ? facts[run].involuntary : facts[run].wait;
    }
  sort_columns (typical->column, matrix->n_runs, waited); /* undisturbed runs first */
  n = MAX (matrix->n_runs - typical->n_disturbed, MIN (matrix->n_runs, PROF_MIN_TYPICAL));
  sort_columns (typical->column, n, matrix->wall);
  while (n > 1 && typical->is_disturbed[typical->column[n - 1]] &&
         matrix->wall[typical->column[n - 1]] > MAX_RATIO * matrix->wall[typical->column[0]])
    n--;

  n_end = n / 4;
  typical->n = n - 2 * n_end;
  for (guint i = 0; i < typical->n; i++)
    typical->column[i] = typical->column[i + n_end];
}

void
prof_typical_runs_init_one (ProfTypicalRuns     *typical,
                            const ProfRunMatrix *matrix,
                            const ProfCapture   *capture,
                            guint                column)
{
  prof_typical_runs_init (typical, matrix, capture);
  typical->column[0] = column;
  typical->n = 1;
}

void
prof_typical_runs_clear (ProfTypicalRuns *typical)
{
  g_free (typical->column);
  g_free (typical->is_disturbed);
}

double
prof_typical_mean (const ProfTypicalRuns *typical, const guint64 *values)
{
  guint64 sum = 0;

  for (guint i = 0; i < typical->n; i++)
    sum += values[typical->column[i]];
  return typical->n > 0 ? (double) sum * 1e-9 / typical->n : NAN;
}
