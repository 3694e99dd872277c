/* disturbance.c — decides which samples were taken without losing the processor.
 *
 * The decision uses the kernel's report on a sample and never its time: leaving out slow samples
 * because they are slow would make every model fast.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/disturbance.h"

#include "profiler/base/statistics.h"

#include <math.h>

gboolean
prof_sample_is_disturbed (const ProfSampleFacts *facts)
{
  return isnan (facts->wait) ? facts->involuntary > 0 : facts->wait > PROF_MAX_WAIT * facts->wall;
}

/* Whether sample i is disturbed in one of the series. */
static gboolean
is_disturbed (const ProfSampleFacts *const *series, guint n_series, guint i)
{
  for (guint k = 0; k < n_series; k++)
    if (series[k] && prof_sample_is_disturbed (&series[k][i]))
      return TRUE;
  return FALSE;
}

guint
prof_select_undisturbed (const ProfSampleFacts *const *series,
                         guint                         n_series,
                         guint                         n,
                         guint                        *index,
                         ProfDisturbance              *disturbance)
{
  guint n_kept = 0;

  *disturbance = (ProfDisturbance){ .n = n };
  for (guint k = 0; k < n_series; k++)
    disturbance->is_known |= series[k] != NULL;
  for (guint i = 0; i < n; i++)
    if (!is_disturbed (series, n_series, i))
      index[n_kept++] = i;
  disturbance->n_disturbed = n - n_kept;
  disturbance->uses_all = n_kept < n && n_kept < PROF_MIN_UNDISTURBED;
  if (!disturbance->uses_all)
    return n_kept;
  for (guint i = 0; i < n; i++)
    index[i] = i;
  return n;
}

void
prof_typical_facts (const ProfSampleFacts *facts, guint n, double inner, ProfTypicalFacts *typical)
{
  g_autofree double *values = g_new (double, MAX (n, 1) * 6);
  double            *to[] = { &typical->cpu,         &typical->wait,       &typical->voluntary,
                              &typical->involuntary, &typical->migrations, &typical->faults };

  for (guint i = 0; i < n; i++)
    {
      const double of_sample[] = { facts[i].cpu,         facts[i].wait,       facts[i].voluntary,
                                   facts[i].involuntary, facts[i].migrations, facts[i].faults };

      for (guint k = 0; k < G_N_ELEMENTS (of_sample); k++)
        values[k * n + i] = of_sample[k] / inner;
    }
  for (guint k = 0; k < G_N_ELEMENTS (to); k++)
    *to[k] = prof_median (values + k * n, n);
}

char *
prof_disturbance_sentence (const ProfDisturbance *disturbance)
{
  guint n_left = disturbance->n - disturbance->n_disturbed;

  if (disturbance->n_disturbed == 0)
    return NULL;
  if (!disturbance->uses_all)
    return g_strdup_printf ("%u of %u clean runs waited for a processor for more than %.0f %% of "
                            "their time; the estimate leaves them out.",
                            disturbance->n_disturbed, disturbance->n, 100 * PROF_MAX_WAIT);
  return g_strdup_printf ("%u of %u clean runs waited for a processor for more than %.0f %% of "
                          "their time.  Only %u did not, and at least %u are needed, so the "
                          "estimate uses all of them and is too long.",
                          disturbance->n_disturbed, disturbance->n, 100 * PROF_MAX_WAIT, n_left,
                          (guint) PROF_MIN_UNDISTURBED);
}
