/* pipeline.h — runs all passes over one graph, in the order of pass-list.h.
 *
 * The planner calls it; the window calls it to show the graph after each pass.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/pass.h"
#include "engine/op/probe.h"

typedef struct
{
  gboolean           optimise;   /* run the optimising passes */
  const char *const *without;    /* names of passes left out; NULL: none */
  const char        *dump_after; /* print the graph to stderr after this pass; NULL: none */
  const HybProbe    *probe;      /* receives every pass; NULL: no probe */
  gboolean           for_device; /* leave out passes that lay memory out for the processor */
  gboolean for_body; /* of a device: leave out passes that make constants, which it does not send */
} HybPipelineOptions;

/* The report of one pass. */
typedef struct
{
  const HybPass *pass;
  guint          nodes_before, nodes_after;
  guint          folded; /* values whose contents became known */
} HybPassReport;

/* Runs the passes and returns the final graph (transfer full).  facts: of graph, carried over to the
 * result.  reports: a GArray of HybPassReport to append to, or NULL. */
HybGraph *hyb_pipeline_run (HybGraph                 *graph,
                            HybFacts                 *facts,
                            const HybPipelineOptions *options,
                            GArray                   *reports,
                            GError                  **error);
