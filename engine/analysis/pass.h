/* pass.h — the interface of a pass over a graph.
 *
 * A pass returns a new graph or the same one.  passes/pass-list.h names all passes in order, and
 * passes/pipeline.c runs them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"

/* The kind of work that a pass saves; the profiler explains differences between variants by these classes. */
typedef enum
{
  HYB_SAVES_DISPATCH,  /* calls of operators */
  HYB_SAVES_PRODUCTS,  /* matrix products */
  HYB_SAVES_POINTWISE, /* element-wise work between products */
  HYB_SAVES_MOVEMENT,  /* copies and changes of layout */
} HybSaving;

typedef struct
{
  const char *name;            /* for --plan-without=NAME, --dump-after=NAME and the Passes view */
  const char *doc;             /* one sentence */
  guint32     needs;           /* facts that it requires, HybFact */
  gboolean    optimising;      /* may be left out */
  gboolean    host_only;       /* lays values out for kernels of the processor */
  gboolean    makes_constants; /* which are in the memory of the host */
  HybSaving   saves;

  /* Returns the graph to continue with, often a new reference to the same one (transfer full).  A
   * pass that returns another graph fills map with the new value id of every old value
   * (HYB_NO_ID: removed); facts are carried over through it. */
  HybGraph *(*run) (HybGraph *graph, HybFacts *facts, GArray *map, GError **error);
} HybPass;

/* All passes in the order in which they run, NULL-terminated. */
const HybPass *const *hyb_passes (void);
/* The pass of this name, or NULL. */
const HybPass *hyb_pass_find (const char *name);
