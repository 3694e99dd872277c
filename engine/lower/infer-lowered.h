/* infer-lowered.h — types of a graph of another format, from what its nodes are lowered to.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/lower/lowering.h"

/* HybDialect.infer_types for all formats.  Dimensions that follow from an open one get its name. */
gboolean hyb_lowered_infer_types (HybGraph *graph,
                                  HybType  *types,
                                  guint32  *fixed_by,
                                  gboolean  training,
                                  GError  **error);
/* The same for the export doctor.  faults: (out) (transfer full) HybLoweringFaults of the sizes that types were inferred
 * with.  frozen: (out) (transfer full) those of other sizes, if the graph refuses sizes that its inputs declare possible;
 * else NULL.  words: (out) static, the sizes that it accepts then. */
void hyb_lowered_infer (HybGraph    *graph,
                        HybType     *types,
                        gboolean     training,
                        GArray     **faults,
                        GArray     **frozen,
                        const char **words);
/* Which nodes only compute what planning knows, such as shapes, by node: no run computes them.  types: as inferred.
 * (transfer full) */
guint8 *hyb_lowered_find_known (HybGraph *graph, const HybType *types);
