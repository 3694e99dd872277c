/* measurement.h — a capture on a document: sums, and which box each row is.
 *
 * Made in a worker, never changed afterwards.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/capture-to-heat.h"
#include "app/document/document.h"

typedef struct _ScopeMeasurement ScopeMeasurement;

ScopeMeasurement *
scope_measurement_open (const char *path, ScopeDocument *document, GError **error);
ScopeMeasurement *scope_measurement_ref (ScopeMeasurement *measurement);
void              scope_measurement_unref (ScopeMeasurement *measurement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeMeasurement, scope_measurement_unref)

const ProfCapture *scope_measurement_get_capture (const ScopeMeasurement *measurement);
const ProfSummary *scope_measurement_get_summary (const ScopeMeasurement *measurement);
/* VIZ_ROOT: none. */
guint32 scope_measurement_get_box (const ScopeMeasurement *measurement, guint32 row);
/* The sum of a box that is one node; NULL: it did not run.  rank: (out) (optional) from 1. */
const ProfNodeSum *
scope_measurement_get_node (const ScopeMeasurement *measurement, guint32 box, guint *rank);
/* Share of the rows that found a box. */
double scope_measurement_get_matched (const ScopeMeasurement *measurement);

/* The costs of all nodes as colours, made in a worker. */
void        scope_measurement_paint_async (ScopeMeasurement   *measurement,
                                           ScopeHeat           heat,
                                           VizScale            scale,
                                           GCancellable       *cancellable,
                                           GAsyncReadyCallback callback,
                                           gpointer            user_data);
VizOverlay *scope_measurement_paint_finish (GAsyncResult *result, GError **error);
