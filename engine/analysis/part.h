/* part.h — a part of a model, between values of its graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* The nodes between the values from, which become inputs, and to, which become outputs, with their parameters.  Each is named
 * as in hyb_graph_dup_value_name(), or by its node, which means all of its outputs; NULL: the inputs of the graph, and its
 * outputs.  Inputs have the type that is inferred, if it is known.  NULL and an error that names a value which is not there or
 * not needed.  (transfer full) */
HybModel *
hyb_model_part (HybModel *model, const char *const *from, const char *const *to, GError **error);
/* Sets the error for a name that a graph lacks and returns FALSE.  names: the existing ones; graph: "the
 * graph". */
gboolean hyb_part_refuse_name (HybModel   *model,
                               GPtrArray  *names,
                               const char *graph,
                               const char *name,
                               GError    **error);
