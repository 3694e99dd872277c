/* explain.h — why one variant of a model is faster than another.
 *
 * What is saved is divided into buckets, which are differences of classes of work (work-classes.h).
 * Buckets and residual add up to the difference of the clean medians.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"

typedef enum
{
  PROF_BUCKET_HOST,
  PROF_BUCKET_GEMM,
  PROF_BUCKET_POINTWISE,
  PROF_BUCKET_MOVEMENT,
  PROF_BUCKET_OVERLAP,
  PROF_BUCKET_MEMORY,
  PROF_N_BUCKETS,
} ProfBucketKind;

const char *prof_bucket_name (ProfBucketKind kind);

typedef struct
{
  const char *name;
  double      seconds, low, high; /* what B saves; negative: what it costs more.  NaN: one traced
                                     run is no interval */
  char       *rung;   /* the rungs that prove it, with what they measured; NULL: none was run */
  double      proved; /* seconds by those rungs; NaN */
} ProfBucket;

typedef struct
{
  double     saved; /* clean median of A less that of B */
  ProfBucket bucket[PROF_N_BUCKETS];
  double     residual;   /* saved less all buckets, exactly */
  gboolean   is_certain; /* A is slower beyond the noise */
  gboolean same_flops; /* within 10 %: gates in one are counted a little otherwise; or not known */
  double   flops_a, flops_b; /* NaN: not known */
} ProfExplanation;

/* Operators run one after the other here; what threads inside of them bring is in every
 * bucket, unless both ran with one thread (prof_explain_threads).
 * gemm_a, gemm_b: seconds of matrix products inside fused layers, from a rung that ran
 * them alone; NaN: there are none, or nobody knows. */
void prof_explain (const ProfCapture *a,
                   const ProfCapture *b,
                   double             gemm_a,
                   double             gemm_b,
                   ProfExplanation   *explanation);
/* For buckets of runs with one thread each: what more threads change about the
 * difference is the overlap, and belongs to what is saved.  rung: (transfer full) */
void prof_explanation_add_overlap (ProfExplanation    *explanation,
                                   const ProfInterval *seconds,
                                   char               *rung);
/* Why B is faster than A with all threads.  Buckets are of a_one and b_one, the same two
 * with one thread; the overlap is the rest, measured.  Products as above, one thread. */
void prof_explain_threads (const ProfCapture *a,
                           const ProfCapture *b,
                           const ProfCapture *a_one,
                           const ProfCapture *b_one,
                           double             gemm_a,
                           double             gemm_b,
                           ProfExplanation   *explanation);
void prof_explanation_clear (ProfExplanation *explanation);
