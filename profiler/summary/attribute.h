/* attribute.h — from what the recorder saw to rows of the model's own graph.
 *
 * Passes copy and rewrite graphs and bodies of loops; every node that ran is led back
 * to the node of the model it came from, or gets a row of its own that says so.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture-builder.h"
#include "profiler/record/recorder.h"
#include "profiler/record/subject.h"

typedef struct _ProfAttribution ProfAttribution;

/* Adds rows for the whole model, subgraphs included, and for what ran.  recorder may
 * be NULL. */
ProfAttribution *prof_attribution_new (ProfBuilder        *builder,
                                       const ProfSubject  *subject,
                                       const ProfRecorder *recorder);
/* The same for a model that nobody runs here.  types may be NULL. */
ProfAttribution      *
prof_attribution_new_model (ProfBuilder *builder, HybGraph *graph, const HybType *types);
void prof_attribution_free (ProfAttribution *attribution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfAttribution, prof_attribution_free)

/* PROF_NONE: not known (a graph beyond those that could be kept). */
guint32 prof_attribution_get_row (const ProfAttribution *attribution, guint slot, HybNodeId node);
guint32 prof_attribution_get_graph (const ProfAttribution *attribution, guint slot);
/* Of a node of the model, or of one of its bodies. */
guint32 prof_attribution_get_model_row (const ProfAttribution *attribution,
                                        HybGraph              *graph,
                                        HybNodeId              node);
/* Of a node of the plan that the subject runs. */
guint32 prof_attribution_get_planned_row (const ProfAttribution *attribution, HybNodeId node);
