/* graph.h — a frozen graph: nodes, the values they make, the edges between.
 *
 * Nodes stand in topological order with dense ids; the values (outputs) of node n
 * are first_output … first_output + n_outputs - 1, dense over the graph.  Nothing
 * here changes after hyb_builder_freeze(): what a pass learns lives in arrays
 * beside the graph, indexed by these ids.  Making one: builder.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

G_BEGIN_DECLS

typedef guint32 HybNodeId;
typedef guint32 HybValueId;

#define HYB_NO_ID G_MAXUINT32

typedef struct
{
  const HybOp       *op;         /* &hyb_op_variable for variables; never NULL */
  gconstpointer      params;     /* parsed attributes; NULL if the operator has none */
  const char        *name;       /* never NULL, perhaps "" and perhaps not unique */
  const char        *type;       /* the operator's name as in the file (opaque nodes: theirs) */
  const char *const *attributes; /* key, value, …, NULL, as in the file, sorted; may be NULL */
  guint32            first_input;
  guint32            n_inputs;
  guint32            first_output;
  guint32            n_outputs;
  guint32            first_body;
  guint32            n_bodies;
  guint32            key;    /* random stream; survives rewriting */
  guint32            origin; /* node id in the graph as it was read or traced; HYB_NO_ID: new */
  guint32            line;   /* in the file; 0: unknown */
} HybNode;

HybGraph *hyb_graph_ref (HybGraph *graph);
void      hyb_graph_unref (HybGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybGraph, hyb_graph_unref)

guint32        hyb_graph_get_id (const HybGraph *graph); /* unique in this process */
guint          hyb_graph_n_nodes (const HybGraph *graph);
guint          hyb_graph_n_values (const HybGraph *graph);
const HybNode *hyb_graph_get_node (const HybGraph *graph, HybNodeId id);

/* Inputs of a node as value ids; where a value comes from. */
const HybValueId *hyb_graph_get_inputs (const HybGraph *graph, HybNodeId id);
HybNodeId         hyb_graph_get_producer (const HybGraph *graph, HybValueId value);
guint             hyb_graph_get_output_index (const HybGraph *graph, HybValueId value);

const HybValueId *hyb_graph_get_heads (const HybGraph *graph, guint *n_heads);

/* Variables in node order; arguments and auxiliary states are their two parts. */
const HybNodeId *hyb_graph_get_variables (const HybGraph *graph, guint *n);
const HybNodeId *hyb_graph_get_arguments (const HybGraph *graph, guint *n);
const HybNodeId *hyb_graph_get_auxiliary (const HybGraph *graph, guint *n);
gboolean         hyb_graph_is_auxiliary (const HybGraph *graph, HybNodeId id);
HybNodeId        hyb_graph_find_variable (const HybGraph *graph, const char *name);
gboolean         hyb_node_is_variable (const HybNode *node);

/* Users of a value: the nodes that read it (a node twice if it does so twice). */
const HybNodeId *hyb_graph_get_users (HybGraph *graph, HybValueId value, guint *n);

/* Subgraphs of a node, (transfer none). */
HybGraph *const *hyb_graph_get_bodies (const HybGraph *graph, HybNodeId id);

/* An attribute as written in the file; NULL if absent. */
const char *hyb_node_get_attribute (const HybNode *node, const char *key);

/* “name” or “name_outputname” as MXNet's list_outputs; (transfer full). */
char *hyb_graph_dup_value_name (const HybGraph *graph, HybValueId value);
/* One per head; a name that comes again gets #1, #2.  (transfer full), NULL-terminated */
char **hyb_graph_dup_output_names (const HybGraph *graph);

gboolean hyb_graph_has_legacy_shapes (const HybGraph *graph);
gboolean hyb_graph_has_opaque (const HybGraph *graph); /* subgraphs included */
/* A call for node id; types point into the given array indexed by value: the call
 * gets its own contiguous copy in input and output, see infer-types.c. */

/* Every invariant: FALSE and the first that is broken. */
gboolean hyb_graph_verify (const HybGraph *graph, GError **error);
/* Text form, for tests and bug reports.  types: NULL or one per value. */
char *hyb_graph_print (const HybGraph *graph, const HybType *types);

G_END_DECLS
