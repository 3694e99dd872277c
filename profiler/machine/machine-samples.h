/* machine-samples.h — the rates at which one core reads, multiplies and counts, measured in rounds.
 *
 * Each rate is measured in even and in odd rounds; other processes make rates smaller, never larger, so that the largest
 * one of each half counts, and a rate that both halves agree on was not disturbed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/simd/machine-model.h"

/* The rates that do not depend on a size. */
typedef enum
{
  PROF_RATE_CLOCK, /* dependent additions */
  PROF_RATE_LOADS, /* full vectors from the first-level cache */
  PROF_RATE_PLAIN, /* multiply-adds of floats at each level */
  PROF_RATE_AVX2,
  PROF_RATE_AVX512,
  /* Bytes of weights in products of 1, 2 and 8 rows, each from the last-level cache and then from memory, each without
   * and then with instructions that prefetch. */
  PROF_RATE_WEIGHTS,
  PROF_N_RATES = PROF_RATE_WEIGHTS + 4 * HYB_ROW_CLASSES,
} ProfRate;

#define PROF_MAX_SIZES 36

/* The rates of the even rounds, of the odd ones, or of both, per second; 0: not measured. */
typedef struct
{
  double rates[PROF_N_RATES];
  guint  n_sizes;
  gsize  sizes[PROF_MAX_SIZES]; /* bytes that are read again and again, smallest first */
  double reads[PROF_MAX_SIZES]; /* bytes per second, none smaller than that of a larger size */
} ProfMachineView;

typedef struct _ProfMachineSamples ProfMachineSamples;

/* Allocates sets of up to twice the last-level cache; NULL if the memory limit of the process is too low.  Rounds stop
 * after `seconds`, finished or not.  (transfer full) */
ProfMachineSamples *prof_machine_samples_new (double seconds);
/* Frees the samples; NULL is allowed. */
void prof_machine_samples_free (ProfMachineSamples *samples);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfMachineSamples, prof_machine_samples_free)
/* Measures every rate once.  FALSE if time ended before. */
gboolean prof_machine_samples_add_round (ProfMachineSamples *samples);
/* Fills the view with the best of the even rounds (0), of the odd ones (1), or of all (2). */
void
prof_machine_samples_view (const ProfMachineSamples *samples, guint which, ProfMachineView *view);
