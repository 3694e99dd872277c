/* origins.h — maps nodes that ran to their sources in the model, and back.
 *
 * Passes merge and replace nodes; this connects a table of nodes that ran with a picture of the model.
 * Captures of older versions name one origin a node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

typedef struct _ProfOrigins ProfOrigins;

/* Reads the origins of the nodes of summary, which is of capture; both must outlive the result.
 * (transfer full) */
ProfOrigins *prof_origins_new (const ProfCapture *capture, const ProfSummary *summary);
/* Frees origins; NULL is allowed. */
void prof_origins_free (ProfOrigins *origins);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfOrigins, prof_origins_free)

/* The *n source nodes of a row that ran, owned by origins, or NULL: first the nodes that it computes, then the ones
 * that it helps or differentiates, each by ascending row.  A part of an operator has the operator's sources. */
const ProfOrigin *prof_origins_of (const ProfOrigins *origins, guint32 row, guint *n);
/* How many of them it computes. */
guint prof_origins_n_computed (const ProfOrigins *origins, guint32 row);
/* The *n rows that ran with this node of the model as a source, owned by origins, or NULL: first the rows that
 * compute it, then helpers, then rows that differentiate, each by descending self time. */
const ProfOrigin *prof_origins_computing (const ProfOrigins *origins, guint32 of, guint *n);
