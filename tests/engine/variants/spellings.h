/* spellings.h — recurrent cells as people write them, each as a model of a few steps.
 *
 * To add a spelling, write its step as a function in spellings.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

#define STEPS     4
#define BATCH     2
#define WIDTH     3 /* of an input */
#define UNITS     5
#define PROJECTED 2 /* size of a projected state */

typedef struct
{
  const char *name;
  const char *cell;      /* the cell that must be found */
  const char *not_fused; /* part of the reason why it cannot be fused; NULL: it can */
} Spelling;

/* A spelling by index; NULL behind the last one. */
const Spelling *spelling_get (guint index);
/* A model that repeats the step.  Initial states are zeros, or parameters with has_learnt_states;
 * outputs are those of all steps, or of the last with is_last_only.  (transfer full) */
HybModel *spelling_write (guint index, gboolean has_learnt_states, gboolean is_last_only);
/* The input of all these models.  (transfer full) */
HybTensorList *spelling_input (void);
