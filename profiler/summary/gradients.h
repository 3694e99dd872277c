/* gradients.h — when the gradient of each parameter is complete, counted from the beginning of a
 * run.
 *
 * A gradient that is complete early can be sent or applied while the others are computed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

#define PROF_GRADIENT_KEY \
  "gradient." /* facts with this prefix hold the row that makes a gradient */

typedef struct
{
  char  *name;    /* of the parameter */
  double seconds; /* median over the traced runs */
} ProfGradient;

/* GArray of ProfGradient, earliest first; empty for captures without gradients.  (transfer full) */
GArray *prof_gradients (const ProfCapture *capture);
