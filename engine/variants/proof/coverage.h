/* coverage.h — the coverage of a model's runs: bounds of clips, branches, ends of loops, rows of tables.
 *
 * A point that no run reaches may hide a difference between two models.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"
#include "engine/op/probe.h"

#include <gio/gio.h>

typedef struct _HybCoverage HybCoverage;

/* The points of graph, which a run of it is to reach; the parameters are those of model.  (transfer full) */
HybCoverage *hyb_coverage_new (HybGraph *graph, HybModel *model);
/* Frees coverage; NULL is allowed. */
void hyb_coverage_free (HybCoverage *coverage);
/* Cancels the run that is watched when its loops have made many steps: with other numbers than a model was made for, a loop
 * may have no end.  Sets the count back; NULL: no limit. */
void hyb_coverage_limit_steps (HybCoverage *coverage, GCancellable *cancellable);
/* The probe that counts steps only, owned by coverage. */
const HybProbe *hyb_coverage_get_counter (HybCoverage *coverage);
/* The probe for runs that go operator by operator, owned by coverage. */
const HybProbe *hyb_coverage_get_probe (HybCoverage *coverage);
/* Records which rows the inputs of a run name. */
void hyb_coverage_add_inputs (HybCoverage *coverage, HybTensorList *inputs);
/* The largest bound of a clip, or number that is added or compared with; 0 if there is none. */
double hyb_coverage_largest_bound (const HybCoverage *coverage);
/* Whether a point was not reached. */
gboolean hyb_coverage_has_gaps (const HybCoverage *coverage);
/* The coverage so far.  (transfer full) */
GBytes *hyb_coverage_save (const HybCoverage *coverage);
/* Drops the coverage since then. */
void hyb_coverage_restore (HybCoverage *coverage, GBytes *saved);
/* Appends a sentence (char *) for every point that was not reached, unless its node of the graph is in matched (by node
 * id; TRUE: the other model computes it in the same way), or the table is also a parameter of other. */
void hyb_coverage_list_gaps (const HybCoverage *coverage,
                             const guint8      *matched,
                             HybModel          *other,
                             GPtrArray         *gaps);
