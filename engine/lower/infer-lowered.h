/* infer-lowered.h — types of a graph of another format, from its lowered nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/lower/lowering.h"

/* HybDialect.infer_types for all formats.  Dimensions that follow from an open one get its name. */
gboolean hyb_lowered_infer_types (HybGraph *graph,
                                  HybType  *types,
                                  guint32  *fixed_by,
                                  gboolean  training,
                                  GError  **error);
/* Findings of the export doctor about a graph's types. */
typedef struct
{
  GArray *faults; /* of HybLoweringFault, with the sizes that types were inferred with */
  GArray         *
      frozen; /* of HybLoweringFault, with other sizes, if the graph refuses sizes that its inputs declare possible; else NULL */
  const char *accepted; /* the sizes that it accepts then; static */
  gboolean    is_limit; /* sizes are not frozen, only large ones are refused */
} HybLoweredFacts;

/* hyb_lowered_infer_types() with these facts, which hyb_lowered_facts_clear() frees. */
void hyb_lowered_infer (HybGraph *graph, HybType *types, HybLoweredFacts *facts);
/* Frees the members. */
void hyb_lowered_facts_clear (HybLoweredFacts *facts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybLoweredFacts, hyb_lowered_facts_clear)
/* The lowered graph, with sizes for open dimensions that it accepts.  types: as inferred.  (transfer full) */
HybLowered *hyb_lowered_new (HybGraph *graph, const HybType *types);
/* By node, TRUE if the planner computes it and no run does, as for shape arithmetic. (transfer full) */
guint8 *hyb_lowered_find_known (const HybLowered *lowered, HybGraph *graph);
