/* gpu-check.h — the commands of gpu-check, each in a file of its own.
 *
 * Each prints its answers and returns TRUE if it could make its calls, else FALSE and an error.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tools/gpu-check/layer.h"

/* questions.c: what cuDNN does where its manual and other programs disagree. */
gboolean check_questions (HybDevice *device, GError **error);
/* times.c: how long a layer takes, `runs` times.  file: also gets the numbers as JSON, or NULL. */
gboolean check_times (HybDevice        *device,
                      const LayerSizes *sizes,
                      int               runs,
                      const char       *file,
                      GError          **error);
/* What sweep.c measures: one algorithm for each pair of sizes. */
typedef struct
{
  int         algorithm;       /* of cuDNN */
  const char *units, *batches; /* numbers with spaces between */
  int         steps, runs;
} CheckSweep;

/* sweep.c: how long layers take with an algorithm, in both maths, launched and recorded, inference and training. */
gboolean check_sweep (HybDevice *device, const CheckSweep *sweep, GError **error);
/* sweep.c: the number of an algorithm's name; -1 if there is none. */
int check_find_algorithm (const char *name);
/* ceilings.c: what the card can do at most.  size: rows and columns of products, whose bytes are copied, too. */
gboolean check_ceilings (HybDevice *device, int size, int runs, GError **error);
/* counters.c: whether this user may read the GPU's counters. */
gboolean check_counters (GError **error);
