/* spellings.h — cells as people have written them, each as a model of a few steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

#define STEPS 4
#define BATCH 2
#define WIDTH 3 /* of an input */
#define UNITS 5

typedef struct
{
  const char *name;
  const char *cell;      /* what it is */
  const char *not_fused; /* why there is no fused form; NULL: there is */
} Spelling;

/* NULL behind the last one. */
const Spelling *spelling_get (guint index);
/* States to begin with are zeros or parameters; outputs are those of all steps or the last. */
HybModel      *spelling_write (guint index, gboolean has_learnt_states, gboolean is_last_only);
HybTensorList *spelling_input (void);
