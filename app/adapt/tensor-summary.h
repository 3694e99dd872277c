/* tensor-summary.h — statistics, histogram and places of interest of a tensor, and the difference of two.
 *
 * Tensors are read in parts, so that computing can be cancelled and a mapped tensor may exceed the memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

#include <gio/gio.h>

#define SCOPE_SUMMARY_BINS 48

typedef struct
{
  HybStatistics statistics; /* of the finite elements */
  gint64        size, n_zeros;
  gint64        smallest, largest; /* indices of minimum and maximum; -1: no element is finite */
  gint64        first_bad; /* index of the first element that is NaN or infinite; -1: none */
  double        bins[SCOPE_SUMMARY_BINS]; /* by scope_summary_count() */
} ScopeSummary;

/* Computes everything except the histogram.  FALSE: cancelled.  cancellable: (nullable) */
gboolean
scope_summary_compute (ScopeSummary *summary, HybTensor *tensor, GCancellable *cancellable);
/* Adds the statistics of n more finite elements to the n_before finite ones in sum. */
void
scope_statistics_merge (HybStatistics *sum, double n_before, const HybStatistics *part, double n);
/* Computes the histogram of the finite elements, from minimum to maximum; all bins are 0 if these are equal.
 * FALSE: cancelled. */
gboolean scope_summary_count (ScopeSummary *summary, HybTensor *tensor, GCancellable *cancellable);

/* The magnitude that gets the strongest colour: |mean| + 3 deviations, so that single outliers do not make all other
 * elements pale. */
double scope_summary_scale (const HybStatistics *statistics);

/* The index of the first element from `from` on that is NaN or infinite; -1: there is none, or cancelled. */
gint64 scope_tensor_find_bad (const HybTensor *tensor, gint64 from, GCancellable *cancellable);

typedef struct
{
  double largest; /* absolute difference; infinite where only one element is NaN */
  double mean;    /* of the finite absolute differences; NAN: there are none */
  gint64 where;   /* index of the largest one; -1: all elements are equal */
  gint64 n_different;
} ScopeDifference;

/* Compares tensors of the same shape element by element; NaN equals NaN.  FALSE: cancelled. */
gboolean scope_difference_compute (ScopeDifference *difference,
                                   const HybTensor *a,
                                   const HybTensor *b,
                                   GCancellable    *cancellable);
