/* passes.h — the changes of every pass of the engine to a model, one step per pass.
 *
 * scope_passes_run_async() lists the steps; scope_passes_show_async() draws the graph after one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"
#include "engine/passes/pipeline.h"

/* The effect of one pass on the model's graph, or on the body of a loop in the optimised graph. */
typedef struct
{
  const HybPass *pass;
  char          *body_of; /* name of the node whose body it is; NULL: the model's graph */
  guint          nodes_before, nodes_after;
  guint          folded;  /* values replaced by constants */
  char          *changes; /* "+1 batch_dot, −35 FullyConnected"; "" if nothing changed */
  HybGraph      *graph;   /* after it */
  HybType       *types;
  GPtrArray     *new_nodes; /* names of nodes that the pass added, owned by graph */
} ScopePassStep;

/* Runs all passes in a worker. */
void scope_passes_run_async (ScopeDocument      *document,
                             GCancellable       *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer            user_data);
/* (transfer full) Array of ScopePassStep; NULL and an error: a pass failed, or cancelled. */
GPtrArray *scope_passes_run_finish (GAsyncResult *result, GError **error);

/* One step that is to be shown. */
typedef struct
{
  ScopeDocument *document; /* of the model */
  GPtrArray     *steps;    /* as returned by scope_passes_run_finish() */
  guint          index;    /* into steps */
} ScopePassChoice;

/* Builds a document of the graph after a step in a worker, which references document and steps. */
void scope_passes_show_async (const ScopePassChoice *choice,
                              GCancellable          *cancellable,
                              GAsyncReadyCallback    callback,
                              gpointer               user_data);
/* (transfer full) NULL and an error: cancelled. */
ScopeDocument *scope_passes_show_finish (GAsyncResult *result, GError **error);
