/* pass.h — one step over a graph.
 *
 * A pass returns a new graph or the same one; pipeline.c calls them in order and
 * that file is the whole story of how a graph becomes a plan.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"

/* What a pass saves, which is how the profiler explains a difference. */
typedef enum
{
  HYB_SAVES_DISPATCH,  /* nodes to run */
  HYB_SAVES_PRODUCTS,  /* work or waiting of products of matrices */
  HYB_SAVES_POINTWISE, /* passes over memory between products */
  HYB_SAVES_MOVEMENT,  /* copies and other orders of the same numbers */
} HybSaving;

typedef struct
{
  const char *name;       /* for --plan-without=NAME, --dump-after=NAME and the Passes view */
  const char *doc;        /* one sentence */
  guint32     needs;      /* facts that must be there */
  gboolean    optimising; /* may be left out */
  HybSaving   saves;

  /* (transfer full): the graph to go on with, often a new ref to the same one.  A
   * pass that returns another graph fills map with, for every old value, the new
   * value id (HYB_NO_ID: gone); constants follow through it. */
  HybGraph *(*run) (HybGraph *graph, HybFacts *facts, GArray *map, GError **error);
} HybPass;

const HybPass *const *hyb_passes (void); /* NULL-terminated, in order: pipeline.c */
const HybPass        *hyb_pass_find (const char *name);
