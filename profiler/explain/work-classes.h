/* work-classes.h — where the time of a run goes, in classes that exist in every form of a model.
 *
 * Forms have different nodes, but the same classes of work.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

typedef enum
{
  PROF_CLASS_HOST, /* between operators, and the control operators of loops */
  PROF_CLASS_GEMM, /* matrix products and convolutions */
  PROF_CLASS_POINTWISE,
  PROF_CLASS_MOVEMENT,
  PROF_CLASS_RECURRENT, /* fused recurrent layers, which are one operator */
  PROF_N_CLASSES,
} ProfClass;

/* The share of each class in a run, by the traced runs, without the time of recording.  HOST is
 * the time between operators, measured by exact runs, and around them, and the control operators
 * themselves.  The parts need not add up to 1: the rest belongs to no class. */
typedef struct
{
  double  share[PROF_N_CLASSES]; /* median over the traced runs */
  double *runs[PROF_N_CLASSES];  /* by traced run */
  guint   n_runs;                /* traced runs */
  double  between;               /* of HOST: shown only by exact runs, which are few */
  /* FLOP of a run, each NaN if not known.  Work that a backward loop repeats is counted apart. */
  double flops;
  double products; /* of flops: in matrix products and convolutions */
  double repeated; /* in addition: repeated work of the forward pass */
} ProfClassTimes;

/* Computes the classes of capture into times; free the arrays with prof_class_times_clear(). */
void prof_class_times_init (ProfClassTimes *times, const ProfCapture *capture);
/* Frees the arrays of times, not times itself. */
void prof_class_times_clear (ProfClassTimes *times);
/* Draws traced runs with replacement, the same ones for all classes, and writes the median share of
 * each class to share.  Draws of the same index are equal. */
void prof_class_times_redraw (const ProfClassTimes *times, guint index, double *share);
