/* lowering-private.h — the state of a lowering, for the files of this folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/lower/lowering.h"

/* A graph of another format that is being lowered: the model's own, or a body. */
typedef struct
{
  HybGraph   *graph;
  HybType    *types; /* by value of graph */
  HybValueId *map;   /* by value of graph: its value in the new graph; HYB_NO_ID: none yet */

  const guint8 *by_head; /* see HybBodyUse */
} LoweringScope;

/* The graph that is being written. */
typedef struct
{
  HybBuilder *builder;
  GArray     *types;    /* of HybType, by value of builder */
  GPtrArray  *contents; /* of HybTensor or NULL, by value of builder */
  HybArena   *texts;    /* of attributes */
} LoweringTarget;

/* Work done so far, of the graph and all bodies together. */
typedef struct
{
  guint64     n_evaluated; /* elements computed while lowering */
  guint       n_in_bodies; /* nodes of bodies that were lowered, each as often as it was */
  GHashTable *entered;     /* HybGraph → HybType * or NULL; see HybLowered.entered */
  gboolean    is_portable; /* see HybLowerOptions */
} LoweringWork;

struct _HybLowering
{
  LoweringScope  *scope;
  LoweringTarget *target;
  HybNodeId       node; /* of scope->graph */
  GError         *error;
  gboolean        training;
  gboolean        for_run;
  gboolean        is_tolerant;
  gboolean        is_drawn; /* types are inferred for all nodes, also for unused ones */
  guint           depth;
  LoweringWork   *work;
  GArray         *faults;     /* of HybLoweringFault; of the outermost graph */
  HybNodeId       outer_node; /* of the outermost graph */
};

/* A value without a node that computes it, for an output of a node of the scope.  HYB_NO_ID and a failure unless failures are
 * tolerated. */
HybValueId
hyb_lowering_add_placeholder (HybLowering *lowering, HybNodeId producer, const HybType *type);
/* Lowers all nodes of the scope.  FALSE after a failure that is not tolerated. */
gboolean hyb_lowering_walk (HybLowering *lowering);
/* An empty table for HybLowered.entered, with references to its graphs: some are written while lowering.  (transfer full) */
GHashTable *hyb_lowering_bodies_new (void);
/* Clears the parts of a type that another one does not confirm. */
void hyb_type_keep_common (HybType *type, const HybType *other);
/* Space for a scope, in which nothing is known. */
LoweringScope *hyb_lowering_scope_new (HybGraph *graph);
/* Frees a scope. */
void hyb_lowering_scope_free (LoweringScope *scope);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LoweringScope, hyb_lowering_scope_free)
/* An empty graph to be written. */
LoweringTarget *hyb_lowering_target_new (void);
/* Frees a target whose builder was frozen or not. */
void hyb_lowering_target_free (LoweringTarget *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LoweringTarget, hyb_lowering_target_free)
/* Adds the variable of a scope to its target.  contents may be NULL. */
void hyb_lowering_add_variable (HybLowering   *lowering,
                                HybNodeId      variable,
                                const HybType *type,
                                HybTensor     *contents);
