/* fold.h — groups the boxes of a diagram, so that a large model stays readable.
 *
 * Works on the builder, after all boxes and arrows were added and before it is frozen.  Boxes keep
 * their numbers; new groups get the numbers after them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

typedef enum
{
  VIZ_FOLD_WEIGHTS = 1 << 0, /* draws a VIZ_BOX_WEIGHT as a row of each consumer */
  VIZ_FOLD_SCOPES = 1 << 1,  /* groups boxes by name: a/b/c and a_b_c */
  VIZ_FOLD_REPEATS = 1 << 2, /* groups repeated structure: steps …_t0_…, …_t1_… into one
                              * VIZ_BOX_STEPS, and equal blocks and branches into scopes */
  VIZ_FOLD_ALL = VIZ_FOLD_WEIGHTS | VIZ_FOLD_SCOPES | VIZ_FOLD_REPEATS,
} VizFoldWhat;

/* The cell that a box belongs to, where the caller recognised it in the graph. */
typedef struct
{
  guint32 chain; /* index + 1 in VizFoldHints.chains; 0: no cell */
  guint32 step;  /* from 0, in the order of time */
} VizFoldPlace;

/* A chain of cells found by the caller. */
typedef struct
{
  const char *title;       /* of a chain whose boxes have no common name: "LSTM" */
  guint32     n_steps;     /* at least 2 */
  guint32     stack;       /* chains of one stack are directions and layers of one grid */
  gboolean    is_backward; /* runs from the last step to the first */
} VizFoldChain;

typedef struct
{
  const VizFoldPlace *places; /* by box; boxes from n_places on have no cell */
  guint32             n_places;
  const VizFoldChain *chains; /* lower layers first */
  guint32             n_chains;
} VizFoldHints;

/* Adds the groups and sets the flags that what selects.  The name of a box is its subtitle, or its title if it
 * has none.  hints: (nullable) precede names: every cell found by the caller is a step.  Then opens (VIZ_BOX_OPEN) as
 * many groups as show about 60 boxes at once. */
void viz_fold (VizDiagramBuilder *builder, VizFoldWhat what, const VizFoldHints *hints);
