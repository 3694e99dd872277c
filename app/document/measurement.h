/* measurement.h — a capture that was matched to a document: costs per box.
 *
 * Built in a worker, immutable afterwards, and reference-counted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/capture-to-heat.h"
#include "app/document/document.h"
#include "profiler/summary/origins.h"

typedef struct _ScopeMeasurement ScopeMeasurement;

/* NULL and an error: the capture cannot be read. */
ScopeMeasurement *
scope_measurement_open (const char *path, ScopeDocument *document, GError **error);
/* The same capture with the costs of one traced run alone; number: of the run in events, -1: the mean of the
 * typical runs, as when it was opened.  NULL: there is no such run.  (transfer full) */
ScopeMeasurement *scope_measurement_pick_run (ScopeMeasurement *measurement, int number);
/* Takes a reference and returns measurement. */
ScopeMeasurement *scope_measurement_ref (ScopeMeasurement *measurement);
/* Drops a reference; the last one frees the measurement. */
void scope_measurement_unref (ScopeMeasurement *measurement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeMeasurement, scope_measurement_unref)

/* The capture, owned by the measurement. */
const ProfCapture *scope_measurement_get_capture (const ScopeMeasurement *measurement);
/* FALSE and an error that names the capture: it became shorter since it was opened. */
gboolean scope_measurement_check_file (const ScopeMeasurement *measurement, GError **error);
/* The summary of the capture, owned by the measurement. */
const ProfSummary *scope_measurement_get_summary (const ScopeMeasurement *measurement);
/* How many samples a run computed; 0: not known. */
gint64 scope_measurement_get_batch (const ScopeMeasurement *measurement);
/* The box of a row of the capture; VIZ_ROOT: no node of the document has its name. */
guint32 scope_measurement_get_box (const ScopeMeasurement *measurement, guint32 row);
/* Costs of a box that is one node; NULL: it did not run.  rank: (out) (optional) by self time, from 1. */
const ProfNodeSum *
scope_measurement_get_node (const ScopeMeasurement *measurement, guint32 box, guint *rank);
/* The number of the traced run that was picked; -1: none. */
int scope_measurement_get_run (const ScopeMeasurement *measurement);
/* The traced runs of the capture, of ProfTracedRun; owned by the measurement. */
const GArray *scope_measurement_get_runs (const ScopeMeasurement *measurement);
/* The mean seconds of one execution of a row in typical runs, with its inner nodes; NaN if it did
 * not run. */
double scope_measurement_get_usual (const ScopeMeasurement *measurement, guint32 row);

/* The sources of nodes that ran, owned by the measurement. */
const ProfOrigins *scope_measurement_get_origins (const ScopeMeasurement *measurement);
/* The *n rows that compute the node in a box, as prof_origins_computing() lists them. */
const ProfOrigin *
scope_measurement_find_rows (const ScopeMeasurement *measurement, guint32 box, guint *n);
/* The boxes of a row's sources, without the ones that it differentiates.  (transfer full) array of
 * guint32 */
GArray *scope_measurement_find_boxes (const ScopeMeasurement *measurement, guint32 row);

typedef void (*ScopeShareFunc) (const ProfOrigin *share, double seconds, gpointer data);
/* Calls func with the seconds of each row of the summary in equal shares for the nodes of the model that it computes, or else
 * for its sources, or for itself.  All shares and the rest outside of nodes add up to a traced run. */
void scope_measurement_share_out (const ScopeMeasurement *measurement,
                                  ScopeShareFunc          func,
                                  gpointer                data);

/* Why the host computed the node in a box in runs on a GPU, as half a sentence; NULL if it did not. */
const char *scope_measurement_get_host_reason (const ScopeMeasurement *measurement, guint32 box);

/* Share of the capture's rows that have a box, 0 to 1. */
double scope_measurement_get_matched (const ScopeMeasurement *measurement);

/* Which costs are painted, and how they become colours. */
typedef struct
{
  ScopeHeat heat;
  VizScale  scale;
} ScopeHeatStyle;

/* Computes an overlay with the costs of all nodes in a worker. */
void scope_measurement_paint_async (ScopeMeasurement   *measurement,
                                    ScopeHeatStyle      style,
                                    GCancellable       *cancellable,
                                    GAsyncReadyCallback callback,
                                    gpointer            user_data);
/* (transfer full) NULL and an error: cancelled. */
VizOverlay *scope_measurement_paint_finish (GAsyncResult *result, GError **error);
