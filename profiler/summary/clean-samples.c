/* clean-samples.c — reads which build each clean sample belongs to.
 *
 * A text that does not agree with the number of samples is ignored: captures are not trusted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/clean-samples.h"

#include <math.h>
#include <string.h>

void
prof_clean_samples_init_all (ProfCleanSamples *samples, const ProfCapture *capture)
{
  const char *counts = prof_capture_get_text (capture, PROF_BUILDS_KEY);
  g_auto (GStrv) words = g_strsplit (counts ? counts : "", " ", -1);
  guint n = 0;

  samples->seconds = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &samples->n);
  samples->facts = prof_capture_dup_sample_facts (capture, PROF_SAMPLE_CLEAN);
  samples->build = g_new0 (guint, MAX (samples->n, 1));
  for (guint b = 0; words[b] && n < samples->n; b++)
    {
      guint64 count;

      if (!g_ascii_string_to_unsigned (words[b], 10, 1, samples->n - n, &count, NULL))
        break;
      for (guint64 i = 0; i < count; i++)
        samples->build[n++] = b;
    }
  if (n < samples->n)
    memset (samples->build, 0, samples->n * sizeof *samples->build);
}

void
prof_clean_samples_init (ProfCleanSamples *samples, const ProfCapture *capture)
{
  g_autofree guint *index = NULL;
  ProfDisturbance   disturbance;

  prof_clean_samples_init_all (samples, capture);
  index = g_new (guint, MAX (samples->n, 1));
  samples->n = prof_select_undisturbed ((const ProfSampleFacts *const *) &samples->facts, 1,
                                        samples->n, index, &disturbance);
  for (guint i = 0; i < samples->n; i++)
    {
      samples->seconds[i] = samples->seconds[index[i]]; /* index[i] ≥ i */
      samples->build[i] = samples->build[index[i]];
    }
  g_clear_pointer (&samples->facts, g_free);
}

void
prof_clean_samples_clear (ProfCleanSamples *samples)
{
  g_clear_pointer (&samples->seconds, g_free);
  g_clear_pointer (&samples->build, g_free);
  g_clear_pointer (&samples->facts, g_free);
}

ProfInterval
prof_clean_median (const ProfCapture *capture)
{
  ProfCleanSamples samples;
  ProfInterval     interval;

  prof_clean_samples_init (&samples, capture);
  interval = prof_builds_interval (samples.seconds, samples.build, samples.n, 0.95);
  prof_clean_samples_clear (&samples);
  return interval;
}

gboolean
prof_captures_took_turns (const ProfCapture *a, const ProfCapture *b)
{
  double of_a = prof_capture_get_number (a, PROF_TURNS_KEY);

  return isfinite (of_a) && of_a == prof_capture_get_number (b, PROF_TURNS_KEY);
}
