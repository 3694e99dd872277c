/* value-series.h — what one output of an operator gave, run after run: numbers, not arrays.
 *
 * Steps of a loop are kept one by one while there is room; then by twos, by fours and so on, so
 * that no loop is too long.  The last run is always kept as it was.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/bodies.h"
#include "engine/tensor/tensor.h"

#define SCOPE_VALUE_BINS 32

/* One run of it, or several in a row. */
typedef struct
{
  ScopeStepPath first, last;
  HybStatistics statistics;
  double        n_finite;
  float         bins[SCOPE_VALUE_BINS]; /* all 0 where all elements are the same */
} ScopeValueStep;

typedef struct
{
  HybShape       shape; /* of the last run */
  guint64        n_runs;
  ScopeValueStep latest;
  GArray        *steps; /* of ScopeValueStep; NULL: only the latest is wanted */

  guint most;    /* steps that are kept */
  guint each;    /* runs that a step stands for */
  guint in_last; /* runs that the last of steps has so far */
} ScopeValueSeries;

/* most: steps to keep, an even number; 0: only the last run. */
ScopeValueSeries *scope_value_series_new (guint most);
void              scope_value_series_free (ScopeValueSeries *series);
void              scope_value_series_add (ScopeValueSeries    *series,
                                          const ScopeStepPath *step,
                                          const HybTensor     *tensor);

/* The last of steps that is, or holds, a step; index: (out) (optional).  NULL: not run then. */
const ScopeValueStep *
scope_value_series_find (const ScopeValueSeries *series, const ScopeStepPath *step, guint *index);
/* "3", "4 – 7", "1.3".  (transfer full) */
char *scope_value_step_name (const ScopeValueStep *step);
