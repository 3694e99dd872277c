/* value-series.h — statistics of one output of an operator, run after run.
 *
 * Each step of a loop has an element until max_steps are reached; then pairs are merged, so that
 * an element covers 2, 4, 8 … steps and memory stays bounded.  The last run is also kept alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/bodies.h"
#include "engine/tensor/tensor.h"

#define SCOPE_VALUE_BINS 32

/* Statistics of one run, or of several consecutive runs. */
typedef struct
{
  ScopeStepPath first, last;
  HybStatistics statistics;
  double        n_finite;       /* number of finite elements */
  float bins[SCOPE_VALUE_BINS]; /* histogram from minimum to maximum; all 0 if they are equal */
} ScopeValueStep;

typedef struct
{
  HybShape       shape; /* of the last run */
  guint64        n_runs;
  ScopeValueStep latest; /* the last run */
  GArray        *steps;  /* of ScopeValueStep; NULL: only the last run is kept */

  guint max_steps;      /* length of steps at most */
  guint runs_per_step;  /* a power of two */
  guint n_runs_in_last; /* runs that the last element of steps has so far */
} ScopeValueSeries;

/* max_steps: an even number; 0: keep only the last run.  (transfer full) */
ScopeValueSeries *scope_value_series_new (guint max_steps);
/* Frees the series. */
void scope_value_series_free (ScopeValueSeries *series);
/* Adds the value of a run.  Paths of successive runs must increase. */
void scope_value_series_add (ScopeValueSeries    *series,
                             const ScopeStepPath *step,
                             const HybTensor     *tensor);

/* The last element of steps that contains a step.  index: (out) (optional), its position.  NULL if
 * there is none. */
const ScopeValueStep *
scope_value_series_find (const ScopeValueSeries *series, const ScopeStepPath *step, guint *index);
/* "3", "4 – 7" or "1.3".  (transfer full) */
char *scope_value_step_name (const ScopeValueStep *step);
