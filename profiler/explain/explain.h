/* explain.h — why one variant of a model is faster than another.
 *
 * The time that B saves against A is divided into buckets, which are differences of classes of work
 * (work-classes.h).  Buckets and residual add up to the difference of the clean medians.
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

/* "host and dispatch", "gemm batching" and so on. */
const char *prof_bucket_name (ProfBucketKind kind);

typedef struct
{
  const char *name;
  double      seconds; /* what B saves; negative: what it costs more */
  double      low,
      high;      /* 95 % interval of seconds; NaN if one of the variants has a single traced run */
  char  *rung;   /* the rungs that were run for it, with their times; NULL: none */
  double proved; /* seconds that those rungs saved; NaN: none */
} ProfBucket;

typedef struct
{
  double     saved; /* clean median of A less that of B */
  ProfBucket bucket[PROF_N_BUCKETS];
  double     residual;               /* saved less all buckets */
  gboolean   is_certain;             /* A is slower beyond the noise */
  gboolean   same_flops;             /* products agree within 2 %, or are not known */
  double     flops_a, flops_b;       /* of a run, without what is repeated; NaN: not known */
  double     repeated_a, repeated_b; /* besides: what a backward loop computes again */
} ProfExplanation;

/* Explains why b is faster than a.  gemm_a, gemm_b: seconds of the matrix products inside fused
 * layers, measured by prof_ladder_fused_gemm(); NaN if there are none or they are not known.
 * Operators run one after the other; what threads inside them save is part of every bucket unless
 * both variants ran with one thread. */
void prof_explain (const ProfCapture *a,
                   const ProfCapture *b,
                   double             gemm_a,
                   double             gemm_b,
                   ProfExplanation   *explanation);

/* One variant, measured with all threads and with one. */
typedef struct
{
  const ProfCapture *all_threads;
  const ProfCapture *one_thread;
  double             gemm; /* as for prof_explain(), with one thread */
} ProfThreadCaptures;

/* Explains why b is faster than a with all threads.  Buckets are of the runs with one thread; the
 * overlap is what more threads change about the difference. */
void prof_explain_threads (const ProfThreadCaptures *a,
                           const ProfThreadCaptures *b,
                           ProfExplanation          *explanation);

/* Adds seconds to the overlap and to what is saved, for an explanation of runs with one thread.
 * rung: (transfer full) */
void prof_explanation_add_overlap (ProfExplanation    *explanation,
                                   const ProfInterval *seconds,
                                   char               *rung);
/* Frees what explanation owns, not explanation itself. */
void prof_explanation_clear (ProfExplanation *explanation);
