/* explain.c — divides what one variant saves against another into buckets.
 *
 * Buckets are differences of classes of work.  They add up to the difference of the clean medians
 * except for a residual, which is always reported.  Start reading at prof_explain().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/explain.h"

#include "profiler/base/format.h"
#include "profiler/explain/work-classes.h"

#include <math.h>

#define SAME_FLOPS 0.02 /* relative difference up to which work counts as equal */

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

/* Splits the time of fused layers into matrix products and the rest. */
static void
split_recurrent (ProfClassTimes *work, double gemm, double *split_gemm, double *split_rest)
{
  double recurrent = work->seconds[PROF_CLASS_RECURRENT];

  *split_gemm = isfinite (gemm) ? MIN (gemm, recurrent) : 0;
  *split_rest = isfinite (gemm) ? recurrent - *split_gemm : 0;
}

/* The bucket of one class; from_fused: what comes from splitting fused layers. */
static ProfBucket
compare_class (const ProfClassTimes *a, const ProfClassTimes *b, ProfClass class, double from_fused)
{
  const double *const series[] = { a->runs[class], b->runs[class] };
  const guint         n[] = { a->n_runs, b->n_runs };
  const double        weights[] = { 1, -1 };
  ProfBucket          bucket = { .proved = NAN };
  ProfInterval        interval = { .low = NAN, .high = NAN };

  if (a->n_runs > 1 && b->n_runs > 1)
    interval = prof_bootstrap_sum (series, n, weights, 2, 0.95);
  bucket.seconds = a->seconds[class] - b->seconds[class] + from_fused;
  bucket.low = interval.low + from_fused;
  bucket.high = interval.high + from_fused;
  return bucket;
}

void
prof_explain (const ProfCapture *capture_a,
              const ProfCapture *capture_b,
              double             gemm_a,
              double             gemm_b,
              ProfExplanation   *explanation)
{
  ProfClassTimes a, b;
  double         split_a[2], split_b[2];
  ProfPairing    pairing;

  prof_class_times_init (&a, capture_a);
  prof_class_times_init (&b, capture_b);
  split_recurrent (&a, gemm_a, &split_a[0], &split_a[1]);
  split_recurrent (&b, gemm_b, &split_b[0], &split_b[1]);

  *explanation = (ProfExplanation){ .saved = a.clean - b.clean };
  prof_compare_unpaired (a.samples, a.n_samples, b.samples, b.n_samples, &pairing);
  explanation->is_certain = pairing.verdict == PROF_SLOWER;
  explanation->bucket[PROF_BUCKET_HOST] = compare_class (&a, &b, PROF_CLASS_HOST, 0);
  explanation->bucket[PROF_BUCKET_GEMM] =
      compare_class (&a, &b, PROF_CLASS_GEMM, split_a[0] - split_b[0]);
  explanation->bucket[PROF_BUCKET_POINTWISE] =
      compare_class (&a, &b, PROF_CLASS_POINTWISE, split_a[1] - split_b[1]);
  explanation->bucket[PROF_BUCKET_MOVEMENT] = compare_class (&a, &b, PROF_CLASS_MOVEMENT, 0);
  /* Operators run one after the other, and only threads inside them run at the same time.  What
   * that saves shows only in runs with fewer threads. */
  explanation->bucket[PROF_BUCKET_OVERLAP] = (ProfBucket){ .proved = NAN };
  /* What memory management costs outside operators is known only from a rung:
   * prof_ladder_explain(). */
  explanation->bucket[PROF_BUCKET_MEMORY] = (ProfBucket){ .proved = NAN };

  explanation->residual = explanation->saved;
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      explanation->bucket[i].name = prof_bucket_name (i);
      explanation->residual -= explanation->bucket[i].seconds;
    }
  if (fabs (explanation->residual) < 1e-9 * fabs (explanation->saved))
    explanation->residual = 0; /* rounding */
  explanation->flops_a = a.flops;
  explanation->flops_b = b.flops;
  explanation->repeated_a = a.repeated;
  explanation->repeated_b = b.repeated;
  /* Sums and functions of single elements may be more in one form without another algebra. */
  explanation->same_flops =
      !(fabs (a.products - b.products) > SAME_FLOPS * MAX (a.products, b.products));
  prof_class_times_clear (&a);
  prof_class_times_clear (&b);
}

void
prof_explanation_add_overlap (ProfExplanation *explanation, const ProfInterval *seconds, char *rung)
{
  ProfBucket *bucket = &explanation->bucket[PROF_BUCKET_OVERLAP];

  bucket->seconds += seconds->median;
  bucket->low += seconds->low;
  bucket->high += seconds->high;
  bucket->proved = seconds->median;
  g_free (bucket->rung);
  bucket->rung = rung;
  explanation->saved += seconds->median;
}

static const char *
name_of (const ProfCapture *capture)
{
  const char *name = prof_capture_get_text (capture, "subject");

  return name ? name : "model";
}

void
prof_explain_threads (const ProfThreadCaptures *a,
                      const ProfThreadCaptures *b,
                      ProfExplanation          *explanation)
{
  const ProfCapture *const captures[] = {
    a->all_threads, b->all_threads, a->one_thread, b->one_thread
  };
  static const double weights[] = { 1, -1, -1, 1 };
  double             *samples[4];
  guint               n[4];
  double              median[4];
  ProfInterval        overlap;
  g_autofree char    *gain_a = NULL, *gain_b = NULL;

  prof_explain (a->one_thread, b->one_thread, a->gemm, b->gemm, explanation);
  for (guint i = 0; i < 4; i++)
    {
      samples[i] = prof_capture_dup_samples (captures[i], PROF_SAMPLE_CLEAN, &n[i]);
      median[i] = prof_median (samples[i], n[i]);
    }
  overlap = prof_bootstrap_sum ((const double *const *) samples, n, weights, 4, 0.95);
  /* The bootstrap median need not be the sum of the medians. */
  overlap.median = median[0] - median[1] - median[2] + median[3];
  overlap.low = MIN (overlap.low, overlap.median);
  overlap.high = MAX (overlap.high, overlap.median);
  gain_a = prof_format_seconds (median[2] - median[0]);
  gain_b = prof_format_seconds (median[3] - median[1]);
  prof_explanation_add_overlap (explanation,
                                &overlap,
                                g_strdup_printf ("%.0f threads instead of one: “%s” gains %s, "
                                                 "“%s” %s",
                                                 prof_capture_get_number (a->all_threads,
                                                                          "threads"),
                                                 name_of (b->all_threads),
                                                 gain_b,
                                                 name_of (a->all_threads),
                                                 gain_a));
  for (guint i = 0; i < 4; i++)
    g_free (samples[i]);
}

void
prof_explanation_clear (ProfExplanation *explanation)
{
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    g_clear_pointer (&explanation->bucket[i].rung, g_free);
}
