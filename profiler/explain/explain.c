/* explain.c — divides the time that one variant saves against another into buckets.
 *
 * A bucket is the share of a class in traced runs, times the clean time, of A less of B.  Clean and
 * traced runs are redrawn together for the intervals.  Start reading at prof_explain().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/explain.h"

#include "profiler/base/format.h"
#include "profiler/explain/pair-captures.h"
#include "profiler/explain/work-classes.h"

#include <math.h>
#include <string.h>

#define SAME_FLOPS 0.02 /* relative difference up to which work counts as equal */
#define N_REDRAWS  1000
/* The part of the time between operators that counts as uncertain: only few exact runs show it. */
#define UNCERTAIN_BETWEEN 0.5

const char *
prof_bucket_name (ProfBucketKind kind)
{
  static const char *const names[PROF_N_BUCKETS] = {
    [PROF_BUCKET_HOST] = "host and dispatch",
    [PROF_BUCKET_GEMM] = "gemm batching",
    [PROF_BUCKET_POINTWISE] = "pointwise fusion",
    [PROF_BUCKET_MOVEMENT] = "data movement",
    [PROF_BUCKET_OVERLAP] = "overlap",
    [PROF_BUCKET_MEMORY] = "memory",
  };

  return names[kind];
}

/* --- Buckets from shares and times --- */

/* The share of each bucket in a run of one variant.  The work of a fused layer is in none if the
 * capture lacks its parts. */
static void
find_shares (const double *class_share, double *share)
{
  share[PROF_BUCKET_HOST] = class_share[PROF_CLASS_HOST];
  share[PROF_BUCKET_GEMM] = class_share[PROF_CLASS_GEMM];
  share[PROF_BUCKET_POINTWISE] = class_share[PROF_CLASS_POINTWISE];
  share[PROF_BUCKET_MOVEMENT] = class_share[PROF_CLASS_MOVEMENT];
  /* Operators run one after the other, and only threads inside them run at the same time.  Their
   * gain shows only in runs with fewer threads, and the cost of memory management outside
   * operators only in a rung: prof_ladder_explain(). */
  share[PROF_BUCKET_OVERLAP] = share[PROF_BUCKET_MEMORY] = 0;
}

/* The savings of B in each bucket.  clean: seconds of A and B. */
static void
find_savings (double class_share[2][PROF_N_CLASSES], const double *clean, double *saved)
{
  double share[2][PROF_N_BUCKETS];

  for (guint i = 0; i < 2; i++)
    find_shares (class_share[i], share[i]);
  for (guint b = 0; b < PROF_N_BUCKETS; b++)
    saved[b] = clean[0] * share[0][b] - clean[1] * share[1][b];
}

/* --- Intervals --- */

/* The interval around an estimate from redraws of it.  Redraws of few observations scatter too
 * little; n: their number. */
static ProfInterval
find_interval (double estimate, double *redrawn, guint n)
{
  double widen = prof_student_quantile (0.975, n - 1) / prof_student_quantile (0.975, 1000) *
                 sqrt (n / (n - 1.0));
  double low = prof_quantile (redrawn, N_REDRAWS, 0.025);
  double high = prof_quantile (redrawn, N_REDRAWS, 0.975);

  return (ProfInterval){
    estimate,
    estimate - widen * MAX (estimate - low, 0),
    estimate + widen * MAX (high - estimate, 0),
  };
}

/* Widens the interval of HOST by the uncertainty of the time between operators.  clean: seconds
 * of A and B. */
static void
widen_host (const ProfClassTimes *sides, const double *clean, ProfInterval *interval)
{
  double uncertain =
      UNCERTAIN_BETWEEN * hypot (clean[0] * sides[0].between, clean[1] * sides[1].between);

  interval->low = interval->median - hypot (interval->median - interval->low, uncertain);
  interval->high = interval->median + hypot (interval->high - interval->median, uncertain);
}

/* Redraws clean and traced runs together and fills the interval of every bucket.  saved: estimates, as
 * from find_savings(). */
static void
find_intervals (const ProfClassTimes *sides,
                const ProfRedraw     *redraw,
                const double         *saved,
                ProfInterval         *interval)
{
  guint              n_blocks = redraw ? prof_redraw_n_blocks (redraw) : 0;
  guint              n = MIN (n_blocks, MIN (sides[0].n_runs, sides[1].n_runs));
  g_autofree double *redrawn = g_new (double, PROF_N_BUCKETS *N_REDRAWS);

  for (guint i = 0; redraw && i < N_REDRAWS; i++)
    {
      double class_share[2][PROF_N_CLASSES], clean[2], one[PROF_N_BUCKETS];

      prof_redraw_levels (redraw, i, &clean[0], &clean[1]);
      for (guint k = 0; k < 2; k++)
        prof_class_times_redraw (&sides[k], 2 * i + k, class_share[k]);
      find_savings (class_share, clean, one);
      for (guint b = 0; b < PROF_N_BUCKETS; b++)
        redrawn[b * N_REDRAWS + i] = one[b];
    }
  for (guint b = 0; b < PROF_N_BUCKETS; b++)
    interval[b] = n >= PROF_MIN_FOR_INTERVAL ? find_interval (saved[b], redrawn + b * N_REDRAWS, n)
                                             : (ProfInterval){ saved[b], NAN, NAN };
}

/* --- Explanations --- */

/* The remainder that no bucket claims. */
static void
find_unexplained (ProfExplanation *explanation)
{
  explanation->unexplained = explanation->saved.median;
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    explanation->unexplained -= explanation->bucket[i].seconds;
}

void
prof_explain (const ProfExplained *pair, ProfExplanation *explanation)
{
  g_autoptr (ProfRedraw) redraw = prof_redraw_new (pair->comparison, pair->a, pair->b);
  ProfClassTimes sides[2];
  double         class_share[2][PROF_N_CLASSES], saved[PROF_N_BUCKETS];
  const double   clean[2] = { prof_comparison_get_time (pair->comparison, pair->a)->median,
                              prof_comparison_get_time (pair->comparison, pair->b)->median };
  ProfInterval   interval[PROF_N_BUCKETS];
  ProfPairing    pairing;

  *explanation = (ProfExplanation){ .unexplained = 0 };
  prof_comparison_pair (pair->comparison, pair->a, pair->b, &pairing);
  prof_class_times_init (&sides[0], pair->capture_a);
  prof_class_times_init (&sides[1], pair->capture_b);
  for (guint k = 0; k < 2; k++)
    memcpy (class_share[k], sides[k].share, sizeof class_share[k]);
  find_savings (class_share, clean, saved);
  find_intervals (sides, redraw, saved, interval);
  widen_host (sides, clean, &interval[PROF_BUCKET_HOST]);

  explanation->is_certain = pairing.verdict == PROF_SLOWER;
  explanation->saved = prof_comparison_get_saved (pair->comparison, pair->a, pair->b);
  explanation->run = clean[1];
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    explanation->bucket[i] = (ProfBucket){
      .name = prof_bucket_name (i),
      .seconds = interval[i].median,
      .low = interval[i].low,
      .high = interval[i].high,
      .proved = NAN,
      .residual = NAN,
    };
  find_unexplained (explanation);
  explanation->flops_a = sides[0].flops;
  explanation->flops_b = sides[1].flops;
  explanation->repeated_a = sides[0].repeated;
  explanation->repeated_b = sides[1].repeated;
  /* Sums and functions of single elements may be more in one form without another algebra. */
  explanation->same_flops = !(fabs (sides[0].products - sides[1].products) >
                              SAME_FLOPS * MAX (sides[0].products, sides[1].products));
  prof_class_times_clear (&sides[0]);
  prof_class_times_clear (&sides[1]);
}

gboolean
prof_explanation_is_clear (const ProfExplanation *explanation, ProfBucketKind kind)
{
  const ProfBucket *bucket = &explanation->bucket[kind];

  return fabs (bucket->seconds) > PROF_SAME_WITHIN * explanation->run &&
         (bucket->low > 0 || bucket->high < 0);
}

gboolean
prof_explanation_has_cause (const ProfExplanation *explanation)
{
  return explanation->is_certain && explanation->saved.median > 0 && !explanation->is_same_plan;
}

gboolean
prof_explanation_is_incomplete (const ProfExplanation *explanation, ProfBucketKind *worst)
{
  double largest = fabs (explanation->unexplained);

  *worst = PROF_N_BUCKETS;
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    if (fabs (explanation->bucket[i].residual) > largest)
      {
        largest = fabs (explanation->bucket[i].residual);
        *worst = i;
      }
  return largest > PROF_COMPLETE_WITHIN * fabs (explanation->saved.median);
}

void
prof_bucket_set_rung (ProfBucket *bucket, double seconds, char *rung)
{
  g_free (bucket->rung);
  bucket->rung = rung;
  bucket->proved = seconds;
  bucket->residual = bucket->seconds - seconds;
}

/* Adds seconds, measured by a rung, to the overlap and to the total, for an explanation of runs
 * with one thread.  rung: (transfer full) in words */
static void
add_overlap (ProfExplanation *explanation, const ProfInterval *seconds, char *rung)
{
  ProfBucket *bucket = &explanation->bucket[PROF_BUCKET_OVERLAP];

  bucket->seconds += seconds->median;
  bucket->low = seconds->low;
  bucket->high = seconds->high;
  prof_bucket_set_rung (bucket, bucket->seconds, rung);
  bucket->residual = NAN; /* traced runs claim nothing: only the rung measures it */
  explanation->saved.median += seconds->median;
  explanation->saved.low += seconds->low;
  explanation->saved.high += seconds->high;
}

static const char *
name_of (const ProfCapture *capture)
{
  const char *name = prof_capture_get_text (capture, "subject");

  return name ? name : "model";
}

void
prof_explain_threads (const ProfExplained *all,
                      const ProfExplained *one,
                      ProfExplanation     *explanation)
{
  ProfInterval of_all = prof_comparison_get_saved (all->comparison, all->a, all->b);
  ProfInterval of_one = prof_comparison_get_saved (one->comparison, one->a, one->b);
  ProfInterval overlap = { .median = of_all.median - of_one.median };
  double       gain_a = prof_comparison_get_time (one->comparison, one->a)->median -
                  prof_comparison_get_time (all->comparison, all->a)->median;
  double           gain_b = gain_a + overlap.median;
  ProfPairing      pairing;
  g_autofree char *text_a = prof_format_seconds (gain_a), *text_b = prof_format_seconds (gain_b);

  prof_explain (one, explanation);
  /* Widths of differences of independent estimates add up in squares. */
  overlap.low = overlap.median - hypot (of_all.median - of_all.low, of_one.high - of_one.median);
  overlap.high = overlap.median + hypot (of_all.high - of_all.median, of_one.median - of_one.low);
  add_overlap (explanation, &overlap,
               g_strdup_printf ("%.0f threads instead of one: “%s” gains %s, “%s” %s",
                                prof_capture_get_number (all->capture_a, "threads"),
                                name_of (all->capture_b), text_b, name_of (all->capture_a),
                                text_a));
  prof_comparison_pair (all->comparison, all->a, all->b, &pairing);
  explanation->is_certain = pairing.verdict == PROF_SLOWER;
  explanation->saved = of_all;
}

void
prof_explanation_clear (ProfExplanation *explanation)
{
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    g_clear_pointer (&explanation->bucket[i].rung, g_free);
}
