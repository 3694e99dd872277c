/* difference-heat.h — the difference in self time between two forms, as colours of the second one.
 *
 * Needs measurements of both forms and the maps that match their nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/matching-nodes.h"
#include "app/document/measurement.h"

/* A form of the model and its measurement, both borrowed. */
typedef struct
{
  ScopeNodeMap     *map;
  ScopeMeasurement *measurement;
} ScopeMeasuredForm;

/* Computes an overlay for the diagram of other in a worker. */
void scope_difference_paint_async (const ScopeMeasuredForm *base,
                                   const ScopeMeasuredForm *other,
                                   GCancellable            *cancellable,
                                   GAsyncReadyCallback      callback,
                                   gpointer                 user_data);
/* (transfer full) NULL and an error: cancelled. */
VizOverlay *scope_difference_paint_finish (GAsyncResult *result, GError **error);
