/* explain.h — why one variant of a model is faster than another.
 *
 * The time that B saves against A is divided into buckets, which are differences of classes of work
 * (work-classes.h).  A bucket claims what traced runs show; a rung, where there is one, is a run
 * that measures the same by switching one thing.  Neither is defined as what the others leave.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/comparison.h"
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

/* "host and dispatch", "gemm batching" and so on. */
const char *prof_bucket_name (ProfBucketKind kind);

typedef struct
{
  const char *name;
  double      seconds;   /* time that B saves, by the traced runs; negative: B takes longer */
  double      low, high; /* 95 % interval of seconds; NaN: too few runs */
  char       *rung;      /* the rungs that were run for it, with their times; NULL: none */
  double      proved;    /* seconds that these rungs saved; NaN: none */
  double      residual;  /* seconds less proved; NaN: no rung */
} ProfBucket;

typedef struct
{
  ProfInterval saved; /* clean seconds of A less B's */
  ProfBucket   bucket[PROF_N_BUCKETS];
  double       unexplained; /* saved less all buckets */
  double       run;         /* clean seconds of a run of B */
  gboolean     is_certain;  /* A is slower beyond the noise: only then there is a cause to name */
  gboolean     is_other_device;        /* measured on different devices */
  gboolean     is_same_plan;           /* both execute the same operators on the same types */
  gboolean     same_flops;             /* products agree within 2 %, or are not known */
  double       flops_a, flops_b;       /* of a run, without repeated work; NaN: unknown */
  double       repeated_a, repeated_b; /* in addition: work that a backward loop repeats */
} ProfExplanation;

/* Share of the difference that may remain unexplained, or by which a bucket may differ from its
 * rung, before the explanation counts as incomplete. */
#define PROF_COMPLETE_WITHIN 0.1

/* Whether more than PROF_COMPLETE_WITHIN of the difference is unexplained, or a bucket differs
 * by more from its rung.  *worst gets the bucket, PROF_N_BUCKETS for the unexplained part. */
gboolean prof_explanation_is_incomplete (const ProfExplanation *explanation, ProfBucketKind *worst);
/* Whether a bucket may be named as a cause: its interval excludes zero, and it is more than
 * PROF_SAME_WITHIN of a run.  Traced runs are of a single build and cannot resolve smaller differences. */
gboolean prof_explanation_is_clear (const ProfExplanation *explanation, ProfBucketKind kind);
/* Whether causes may be named: the difference is certain, and the plans differ. */
gboolean prof_explanation_has_cause (const ProfExplanation *explanation);
/* Sets the measurement of rungs for a bucket.  rung: (transfer full) in words */
void prof_bucket_set_rung (ProfBucket *bucket, double seconds, char *rung);

/* Two subjects of a comparison, with their captures. */
typedef struct
{
  const ProfComparison *comparison; /* clean times, and the time that b saves */
  guint                 a, b;       /* subjects */
  const ProfCapture    *capture_a, *capture_b;
} ProfExplained;

/* Explains why b is faster than a.  Operators run one after the other; the gain of threads inside them is part of every bucket
 * unless both variants ran with one thread. */
void prof_explain (const ProfExplained *pair, ProfExplanation *explanation);

/* Explains why b is faster than a with all threads, which all is about; one: the same with one
 * thread. Buckets are of the runs with one thread; the overlap is the change of the difference by
 * more threads. */
void prof_explain_threads (const ProfExplained *all,
                           const ProfExplained *one,
                           ProfExplanation     *explanation);

/* Frees the members of explanation, but not explanation itself. */
void prof_explanation_clear (ProfExplanation *explanation);
