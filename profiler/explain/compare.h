/* compare.h — several ways of computing the same, measured in turns.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"
#include "profiler/record/measure.h"

/* Whether two subjects compute the same numbers. */
typedef struct
{
  double   max_abs; /* the largest difference */
  double   tolerance;
  guint    n_compared; /* arrays: heads by position, gradients by name where both have them */
  gboolean ok;
} ProfEquality;

/* Of the last run of each, which had the same seed. */
void prof_compare_numbers (ProfSubject *a, ProfSubject *b, ProfEquality *equality);
/* The worse of both. */
void prof_equality_join (ProfEquality *to, const ProfEquality *from);

/* --- What the time goes to, in classes that can be compared --- */

typedef enum
{
  PROF_CLASS_HOST, /* between operators, and the machinery of loops */
  PROF_CLASS_GEMM,
  PROF_CLASS_POINTWISE,
  PROF_CLASS_MOVEMENT,
  PROF_CLASS_RECURRENT, /* fused layers, whose inside cannot be seen */
  PROF_N_CLASSES,
} ProfClass;

ProfClass prof_class_of (guint category);

/* Seconds of one run by class: the part of traced runs that it took, less what watching
 * took, of the clean median; HOST is what is left of that. */
typedef struct
{
  double  clean; /* median */
  double  seconds[PROF_N_CLASSES];
  double *runs[PROF_N_CLASSES]; /* by traced run */
  guint   n_runs;
  double *samples; /* clean */
  guint   n_samples;
  double  flops; /* NaN: not known */
} ProfWork;

void prof_work_init (ProfWork *work, const ProfCapture *capture);
void prof_work_clear (ProfWork *work);

/* --- Why B is faster than A --- */

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
