/* attribute.h — maps the nodes that ran to rows of the capture.
 *
 * Passes copy and rewrite graphs and loop bodies.  Every node that ran is mapped to the node of the
 * model that it came from, or gets a row of its own that names its origin.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture-builder.h"
#include "profiler/record/recorder.h"
#include "profiler/record/subject.h"

typedef struct _ProfAttribution ProfAttribution;

/* Adds rows for the whole model, with its bodies, and for nodes that ran, to builder, which must
 * outlive the result. recorder may be NULL.  (transfer full) */
ProfAttribution *prof_attribution_new (ProfBuilder        *builder,
                                       const ProfSubject  *subject,
                                       const ProfRecorder *recorder);
/* The same for a model that is not run here.  types: by value of graph; may be NULL.  (transfer
 * full) */
ProfAttribution *
prof_attribution_new_model (ProfBuilder *builder, HybGraph *graph, const HybType *types);
/* Frees attribution; NULL is allowed. */
void prof_attribution_free (ProfAttribution *attribution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfAttribution, prof_attribution_free)

/* The row of a node in a slot of the recorder; PROF_NONE if it is not known, as in a graph beyond
 * the recorder's limit. */
guint32 prof_attribution_get_row (const ProfAttribution *attribution, guint slot, HybNodeId node);
/* The index in the capture of the graph in a slot; 0 if it is not known. */
guint32 prof_attribution_get_graph (const ProfAttribution *attribution, guint slot);
/* The row of a node of the model or of one of its bodies; PROF_NONE for other graphs. */
guint32 prof_attribution_get_model_row (const ProfAttribution *attribution,
                                        HybGraph              *graph,
                                        HybNodeId              node);
/* The row of a node of the plan that the subject runs; PROF_NONE if it has no static plan. */
guint32 prof_attribution_get_planned_row (const ProfAttribution *attribution, HybNodeId node);
