/* clean-samples.h — the clean samples of a capture, with the builds that they belong to.
 *
 * Captures of older versions do not say which builds there were; their samples are of one build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/pairing.h"
#include "profiler/capture/capture.h"

/* The fact of a capture that holds the number of clean samples of each build, in order. */
#define PROF_BUILDS_KEY "clean.builds"
/* The fact that is the same number in captures whose clean runs took turns. */
#define PROF_TURNS_KEY "clean.turns"

typedef struct
{
  double          *seconds; /* by sample, in the order in which they were taken */
  guint           *build;   /* by sample; never decreasing */
  ProfSampleFacts *facts;   /* by sample; NULL: not known, or selected by them */
  guint            n;
} ProfCleanSamples;

/* Reads the clean samples of capture that make the estimate (prof_select_undisturbed()); free the arrays with
 * prof_clean_samples_clear(). */
void prof_clean_samples_init (ProfCleanSamples *samples, const ProfCapture *capture);
/* Reads all clean samples. */
void prof_clean_samples_init_all (ProfCleanSamples *samples, const ProfCapture *capture);
/* Frees the arrays of samples, not samples itself. */
void prof_clean_samples_clear (ProfCleanSamples *samples);
/* The clean median of a capture, with the interval that holds for other builds, too. */
ProfInterval prof_clean_median (const ProfCapture *capture);
/* Whether the clean runs of two captures took turns. */
gboolean prof_captures_took_turns (const ProfCapture *a, const ProfCapture *b);
