/* phase-rows.h — rows of a capture for the parts of operators.
 *
 * A part, such as the products of a fused layer, has a row of its own, with the row of its node as
 * its origin.  Its events lie inside the node's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/attribute.h"

typedef struct _ProfPhaseRows ProfPhaseRows;

/* No rows yet.  All arguments must outlive the result.  (transfer full) */
ProfPhaseRows *prof_phase_rows_new (ProfBuilder           *builder,
                                    const ProfAttribution *attribution,
                                    const ProfRecorder    *recorder);
/* Completes the rows with their work and frees rows; NULL is allowed. */
void prof_phase_rows_finish (ProfPhaseRows *rows);
/* Counts an event of a part and returns its row; PROF_NONE if the row of its node is unknown. */
guint32 prof_phase_rows_add_event (ProfPhaseRows *rows, guint phase);
