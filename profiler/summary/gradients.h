/* gradients.h — when each parameter's gradient was there, counted from the run's beginning.
 *
 * What is ready early can be sent or applied while the rest is computed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

#define PROF_GRADIENT_KEY "gradient."

typedef struct
{
  char  *name;    /* of the parameter */
  double seconds; /* the median over the traced runs */
} ProfGradient;

/* GArray of ProfGradient, the earliest first; empty for captures without gradients. */
GArray *prof_gradients (const ProfCapture *capture);
