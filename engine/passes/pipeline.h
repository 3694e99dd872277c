/* pipeline.h — all passes over one graph, in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/pass.h"
#include "engine/op/probe.h"

typedef struct
{
  gboolean           optimise;   /* run the optimising passes */
  const char *const *without;    /* names of passes left out; NULL: none */
  const char        *dump_after; /* print the graph to stderr after this pass; NULL: none */
  const HybProbe    *probe;      /* told of every pass; NULL: nobody watches */
} HybPipelineOptions;

/* What one pass did. */
typedef struct
{
  const HybPass *pass;
  guint          nodes_before, nodes_after;
  guint          folded; /* values whose contents became known */
} HybPassReport;

/* (transfer full): the graph to go on with.  facts must have room for graph and
 * follow it.  reports: a GArray of HybPassReport, or NULL. */
HybGraph *hyb_pipeline_run (HybGraph                 *graph,
                            HybFacts                 *facts,
                            const HybPipelineOptions *options,
                            GArray                   *reports,
                            GError                  **error);
