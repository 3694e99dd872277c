/* statements.c — the words for the numbers of a comparison.
 *
 * hscope does not bind translations, so that it prints the English texts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/statements.h"

#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

/* Names of buckets, listed for the translation. */
static const char *const words[] G_GNUC_UNUSED = {
  N_ ("host and dispatch"), N_ ("gemm batching"), N_ ("pointwise fusion"),
  N_ ("data movement"),     N_ ("overlap"),       N_ ("memory"),
};

gboolean
scope_is_noise (ProfVerdict verdict)
{
  return verdict != PROF_FASTER && verdict != PROF_SLOWER;
}

/* --- Sentences --- */

char *
scope_say_pair (const char *a, const char *b, const ProfPairing *pairing)
{
  double ratio = pairing->ratio.median, low = pairing->strict.low, high = pairing->strict.high;

  if (!prof_interval_is_known (&pairing->strict))
    return g_strdup_printf (_ ("%s and %s: too few runs for a comparison"), a, b);
  switch (pairing->verdict)
    {
    case PROF_FASTER:
      return g_strdup_printf (_ ("%s is %.2f × as fast as %s (%.2f – %.2f)"), a, 1 / ratio, b,
                              1 / high, 1 / low);
    case PROF_SLOWER:
      return g_strdup_printf (_ ("%s is %.2f × as fast as %s (%.2f – %.2f)"), b, ratio, a, low,
                              high);
    case PROF_SAME:
      return g_strdup_printf (_ ("%s and %s take the same time"), a, b);
    case PROF_UNDECIDED:
      break;
    }
  return g_strdup_printf (_ ("%s and %s: no measurable difference (%.2f – %.2f)"), a, b, low, high);
}

/* "+1.20 ms" or "−1.20 ms". */
static char *
dup_signed (double seconds)
{
  g_autofree char *text = prof_format_seconds (fabs (seconds));

  return g_strconcat (seconds > 0 ? "+" : seconds < 0 ? "−" : "", text, NULL);
}

/* "± 12.0 µs": how far from 0 the interval reaches. */
static char *
dup_noise (double low, double high)
{
  g_autofree char *text = prof_format_seconds (fmax (fabs (low), fabs (high)));

  return g_strconcat ("± ", text, NULL);
}

/* "−7.34 ms (−7.51 ms … −7.12 ms)", or "± 12.0 µs" for noise. */
static char *
dup_change (double change, double low, double high, gboolean is_noise)
{
  g_autofree char *from = NULL, *to = NULL, *middle = NULL;

  if (!isfinite (low) || !isfinite (high))
    return g_strdup (_ ("too few runs"));
  if (is_noise)
    return dup_noise (low, high);
  middle = dup_signed (change);
  from = dup_signed (low);
  to = dup_signed (high);
  return g_strdup_printf ("%s (%s … %s)", middle, from, to);
}

char *
scope_say_time (double seconds)
{
  return seconds > 0 ? prof_format_seconds (seconds) : g_strdup ("–");
}

char *
scope_say_change (const ProfInterval *saved, ProfVerdict verdict)
{
  return dup_change (-saved->median, -saved->high, -saved->low, scope_is_noise (verdict));
}

gboolean
scope_bucket_is_noise (const ProfBucket *bucket)
{
  return !(bucket->low > 0 || bucket->high < 0);
}

char *
scope_say_bucket (const ProfBucket *bucket)
{
  return dup_change (-bucket->seconds, -bucket->high, -bucket->low, scope_bucket_is_noise (bucket));
}

char *
scope_say_bucket_shortly (const ProfBucket *bucket)
{
  return !scope_bucket_is_noise (bucket) ? dup_signed (-bucket->seconds)
         : isfinite (bucket->low)        ? dup_noise (bucket->low, bucket->high)
                                         : prof_format_seconds (fabs (bucket->seconds));
}

char *
scope_say_speed_up (const ProfPairing *pairing, int n_decimals)
{
  const ProfInterval *ratio = &pairing->ratio;

  if (!prof_interval_is_known (ratio))
    return g_strdup ("–");
  if (scope_is_noise (pairing->verdict))
    return g_strdup_printf ("± %.*f %%", n_decimals,
                            100 * fmax (fabs (1 / ratio->low - 1), fabs (1 / ratio->high - 1)));
  return g_strdup_printf ("%+.*f %%", n_decimals, 100 * (1 / ratio->median - 1));
}

char *
scope_say_speed (double fastest, double slowest)
{
  return g_strdup_printf (_ ("The machine changed its speed during the measurement: the same run "
                             "took between %.2f and %.2f times as long as shown. Times are of its "
                             "typical speed, ratios of runs next to each other."),
                          fastest, slowest);
}

char *
scope_say_speed_of (const ProfComparison *comparison)
{
  double fastest, slowest;

  return comparison && prof_comparison_get_speed (comparison, &fastest, &slowest)
             ? scope_say_speed (fastest, slowest)
             : NULL;
}

char *
scope_say_rungs (const GPtrArray *rungs)
{
  ProfRung *const *list = (gpointer) rungs->pdata;
  guint            n = rungs->len;
  double           noise = n > 1 ? list[0]->time.median - list[n - 1]->time.median : 0;
  g_autofree char *in_all = dup_signed (-noise), *text = NULL;

  for (guint i = 1; i < n; i++)
    noise -= scope_is_noise (list[i]->verdict) ? 0 : list[i]->saved.median;
  text = prof_format_seconds (fabs (noise));
  return g_strdup_printf (_ ("%s in all, %s of it in rungs that may be noise"), in_all, text);
}

/* --- Explanations --- */

/* "gemm batching (60 %)". */
static char *
dup_share (const ProfExplanation *explanation, guint bucket)
{
  double share = 100 * explanation->bucket[bucket].seconds / explanation->saved.median;

  return g_strdup_printf ("%s (%s%.0f %%)", gettext (explanation->bucket[bucket].name),
                          share < 0 ? "−" : "", fabs (share));
}

/* The bucket that saves most (sign 1) or costs most (sign -1), except for one.  PROF_N_BUCKETS if
 * no other is more than a tenth of what is saved. */
static guint
find_bucket (const ProfExplanation *explanation, guint except, double sign)
{
  guint best = PROF_N_BUCKETS;

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      double weight = sign * explanation->bucket[i].seconds;

      if (i != except && prof_explanation_is_clear (explanation, i) &&
          weight > 0.1 * explanation->saved.median &&
          (best == PROF_N_BUCKETS || weight > sign * explanation->bucket[best].seconds))
        best = i;
    }
  return best;
}

/* Appends a note on missing parts of the explanation; nothing if it is complete. */
static void
append_gap (GString *text, const ProfExplanation *explanation)
{
  ProfBucketKind worst;
  double         saved = explanation->saved.median;

  if (!prof_explanation_is_incomplete (explanation, &worst))
    return;
  if (worst == PROF_N_BUCKETS)
    g_string_append_printf (text,
                            _ ("; this explanation is incomplete: %.0f %% of the difference is in "
                               "none of these"),
                            100 * fabs (explanation->unexplained / saved));
  else
    g_string_append_printf (text,
                            _ ("; this explanation is incomplete: “%s” differs from its own rung "
                               "by %.0f %% of the difference"),
                            gettext (explanation->bucket[worst].name),
                            100 * fabs (explanation->bucket[worst].residual / saved));
}

/* "gemm batching (60 %) and host and dispatch (31 %), against data movement (−12 %)". */
static char *
dup_causes (const ProfExplanation *explanation)
{
  guint            first = find_bucket (explanation, PROF_N_BUCKETS, 1), second, opposite;
  g_autofree char *largest = NULL, *next = NULL, *causes = NULL, *against = NULL;

  if (first == PROF_N_BUCKETS)
    return g_strdup (_ ("no single cause stands out"));
  second = find_bucket (explanation, first, 1);
  opposite = find_bucket (explanation, first, -1);
  largest = dup_share (explanation, first);
  if (second == PROF_N_BUCKETS)
    causes = g_strdup_printf (_ ("mostly %s"), largest);
  else
    {
      next = dup_share (explanation, second);
      causes = g_strdup_printf (_ ("%s and %s"), largest, next);
    }
  if (opposite == PROF_N_BUCKETS)
    return g_steal_pointer (&causes);
  against = dup_share (explanation, opposite);
  return g_strdup_printf (_ ("%s, against %s"), causes, against);
}

char *
scope_say_reason (const ProfExplanation *explanation)
{
  GString         *text;
  g_autofree char *causes = NULL;

  if (explanation->is_same_plan)
    return g_strdup (
        _ ("identical plans: both execute the same, so nothing in the model causes a difference"));
  if (!prof_interval_is_known (&explanation->saved))
    return g_strdup (_ ("too few runs to tell a difference from the noise"));
  if (!prof_explanation_has_cause (explanation))
    return g_strdup (_ ("no difference beyond the noise"));
  causes = dup_causes (explanation);
  text = g_string_new (explanation->is_other_device ? _ ("they ran on different devices; ") : NULL);
  g_string_append (text, causes);
  append_gap (text, explanation);
  return g_string_free (text, FALSE);
}
