/* plan-private.h — the inside of a plan, for the files that make, print and run it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"
#include "engine/exec/plan.h"

typedef enum
{
  HYB_PLACE_NONE,     /* nobody computes or reads it */
  HYB_PLACE_BLOCK,    /* offset in the block of memory */
  HYB_PLACE_VARIABLE, /* offset in what is bound to variable number index */
  HYB_PLACE_HEAD,     /* offset in what is bound to head number index */
  HYB_PLACE_CONSTANT, /* offset in constant number index */
} HybPlaceKind;

typedef struct
{
  HybPlaceKind kind;
  guint32      index;
  gsize        offset;
} HybPlace;

/* One kernel call. */
typedef struct
{
  HybCall   call;     /* what forward gets: its own dtypes if converts */
  HybCall   outer;    /* only if converts: the types that the values have */
  gboolean  converts; /* see convert.h */
  HybNodeId node;
  guint32   key;
  guint32   first_slot; /* of its inputs; its outputs follow */
  gsize     workspace_bytes;
  gsize     workspace; /* offset in the block */
} HybStep;

/* A slot that must be filled when something is bound. */
typedef struct
{
  guint32 slot;
  gsize   offset;
} HybPatch;

/* A head that does not lie where the caller wants it. */
typedef struct
{
  HybPlace from;
  guint    head;
  gsize    bytes;
} HybCopy;

struct _HybPlan
{
  gatomicrefcount       references;
  HybGraph             *graph;
  HybType              *types;  /* by value */
  HybPlace             *places; /* by value */
  gboolean              training;
  const HybPlanOptions *options; /* while it is made */
  gboolean              is_dynamic;
  gboolean              binds_outputs;
  gsize                 memory;

  guint     n_steps;
  guint     n_prepared; /* steps whose prepare() has been called */
  HybStep  *steps;
  HybType  *operands; /* of all steps */
  guint     n_slots;
  HybPlace *slots;

  guint      n_variables, n_heads;
  guint     *variable_first; /* by variable, and one more: its patches */
  HybPatch  *variable_patches;
  guint     *head_first; /* likewise */
  HybPatch  *head_patches;
  guint      n_copies;
  HybCopy   *copies;
  GPtrArray *constants; /* of HybTensor */
  GArray    *reports;   /* of HybPassReport */
};

/* plan-places.c: gives every needed value its place, but for offsets in the block;
 * those come later, from interval number place.index.  GArray of HybInterval. */
GArray *hyb_plan_find_places (HybPlan      *plan,
                              HybFacts     *facts,
                              const guint8 *needed,
                              GArray       *step_nodes /* of HybNodeId: filled */);
