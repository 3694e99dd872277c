/* origins.h — which nodes of a model a node that ran stands for, and the other way round.
 *
 * Passes merge and replace nodes; a table of what ran and a picture of the model meet here.  Captures of
 * older versions name one origin a node.
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

/* The *n nodes of the model that a row which ran stands for, owned by origins, or NULL: those that it computes
 * first, then those that it helps or differentiates, each by ascending row.  A part of an operator stands for what the
 * operator stands for. */
const ProfOrigin *prof_origins_of (const ProfOrigins *origins, guint32 row, guint *n);
/* How many of them it computes. */
guint prof_origins_n_computed (const ProfOrigins *origins, guint32 row);
/* The *n rows that ran and stand for a node of the model, owned by origins, or NULL: those that compute it first,
 * then those that help, then those that differentiate, each by descending self time. */
const ProfOrigin *prof_origins_computing (const ProfOrigins *origins, guint32 of, guint *n);
