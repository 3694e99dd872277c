/* infer-types.h — shapes and dtypes of every value, in both directions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"

/* Starts from types (one per value; unknown where nothing is given; variables'
 * __shape__ and __dtype__ are used where nothing is) and repeats every operator's
 * rules until nothing changes.  Unknown is no error here.  fixed_by may be NULL.
 * default_dtype: what remains unknown becomes float32, as in MXNet. */
gboolean hyb_infer_types (HybGraph *graph,
                          HybType  *types,
                          guint32  *fixed_by,
                          gboolean  training,
                          GError  **error);
/* The same, but what nothing determines stays unknown: for bodies of loops, whose
 * surroundings may still learn more. */
gboolean hyb_infer_known_types (HybGraph *graph, HybType *types, gboolean training, GError **error);
/* Only shapes known to hyb_infer_types; why value is not: a sentence with the
 * variable or operator at the bottom of it.  (transfer full) */
char *hyb_infer_reason (HybGraph *graph, const HybType *types, HybValueId value);

/* One use of a node with its own copy of types, for rules and costs. */
void
hyb_call_init (HybCall *call, HybGraph *graph, HybNodeId id, const HybType *types, HybType *room);
/* Asks the operator's rules once; a call alone knows nothing of its neighbours. */
gboolean hyb_call_infer (HybCall *call, GError **error);
