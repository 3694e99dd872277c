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

/* Seconds of one run by class.  A class takes the share of the clean median that it took of the
 * traced runs, tracing overhead subtracted; HOST is the rest of the clean median. */
typedef struct
{
  double  clean;                   /* median of the clean runs */
  double  seconds[PROF_N_CLASSES]; /* median over the traced runs */
  double *runs[PROF_N_CLASSES];    /* the same by traced run */
  guint   n_runs;                  /* traced runs */
  double *samples;                 /* seconds of the clean runs */
  guint   n_samples;
  double  flops; /* of a run; NaN: not known */
} ProfWork;

/* Computes the classes of capture into work; free the arrays with prof_work_clear(). */
void prof_work_init (ProfWork *work, const ProfCapture *capture);
/* Frees the arrays of work, not work itself. */
void prof_work_clear (ProfWork *work);
