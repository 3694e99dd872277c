/* infer-lowered.h — types of a graph of another format, from what its nodes are lowered to.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* HybDialect.infer_types for all formats.  Dimensions that follow from an open one get its name. */
gboolean hyb_lowered_infer_types (HybGraph *graph,
                                  HybType  *types,
                                  guint32  *fixed_by,
                                  gboolean  training,
                                  GError  **error);
