/* test-models.h — compares models on a GPU with the processor, forward and backward.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"

#include "engine/device/gpu.h"

#define SCOPE_MODEL_MODES 3 /* that each model runs in */

/* One model in one mode. */
typedef struct
{
  const char *model;
  const char *mode;
  char       *work;    /* which steps the GPU computed; may be NULL */
  char       *failure; /* NULL: it passed */
  char       *note;    /* a tolerated deviation; may be NULL */
  guint       n_arrays;
  double      error; /* the largest difference, relative to the largest number of its array */
} ScopeModelResult;

typedef struct
{
  const ScopeCommonOptions *common;
  HybGpu                   *gpu;
  gboolean                  quick;       /* few runs */
  gboolean                  only_static; /* in static mode only, which replays */
  void (*show) (const ScopeModelResult *result, gpointer data); /* once for each mode */
  gpointer data;
} ScopeModelTest;

/* Runs a model in all modes with the same numbers on both, and again and again: numbers must be the same, and no memory
 * may be lost.  name: of the gallery, or the path of a symbol.json, whose inputs are those of input.npz beside
 * it.  FALSE and an error if it cannot be opened, which is not a failure of the GPU. */
gboolean scope_test_model (const ScopeModelTest *test, const char *name, GError **error);
/* The paths of the models FOLDER/NAME/NAME-symbol.json that have inputs, by name, as tests/data/goldens/models has them.
 * NULL and an error if there is none.  (transfer full) */
char **scope_test_models_find (const char *folder, GError **error);
