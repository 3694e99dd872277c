/* passes.h — what every pass of the engine makes of a model, kept step by step.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"
#include "engine/passes/pipeline.h"

/* One pass over the model's graph, or over the body of a loop of what came of it. */
typedef struct
{
  const HybPass *pass;
  char          *where; /* the node whose body it is; NULL: the model itself */
  guint          nodes_before, nodes_after;
  guint          folded;  /* values whose contents became known */
  char          *changes; /* "+1 batch_dot, −35 FullyConnected"; "": none */
  HybGraph      *graph;   /* after it */
  HybType       *types;
  GPtrArray     *made; /* names of nodes that were not there before it; (borrowed) from graph */
} ScopePassStep;

/* In a worker; of ScopePassStep. */
void       scope_passes_run_async (ScopeDocument      *document,
                                   GCancellable       *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer            user_data);
GPtrArray *scope_passes_run_finish (GAsyncResult *result, GError **error);

/* The graph after a pass as a document, in a worker.  steps: kept until it is done. */
void           scope_passes_show_async (ScopeDocument      *document,
                                        GPtrArray          *steps,
                                        guint               index,
                                        GCancellable       *cancellable,
                                        GAsyncReadyCallback callback,
                                        gpointer            user_data);
ScopeDocument *scope_passes_show_finish (GAsyncResult *result, GError **error);
