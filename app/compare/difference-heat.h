/* difference-heat.h — how much longer one form takes than another, as the colours of its graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/matching-nodes.h"
#include "app/document/measurement.h"

/* In a worker.  What stands for the same is taken together; boxes of other get the change. */
void        scope_difference_paint_async (ScopeNodeMap       *base,
                                          ScopeMeasurement   *base_measurement,
                                          ScopeNodeMap       *other,
                                          ScopeMeasurement   *other_measurement,
                                          GCancellable       *cancellable,
                                          GAsyncReadyCallback callback,
                                          gpointer            user_data);
VizOverlay *scope_difference_paint_finish (GAsyncResult *result, GError **error);
