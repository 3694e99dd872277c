/* graph.h — a frozen graph: nodes, the values they produce, and the edges between them.
 *
 * Nodes are in topological order and have dense ids.  The outputs of node n are the values first_output …
 * first_output + n_outputs - 1, dense over the graph.  Nothing changes after hyb_builder_freeze(): passes
 * keep their results in arrays beside the graph, indexed by these ids.  To make a graph, see builder.h.
 * Threads: any number of threads may read a graph; references are counted atomically.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/op/op.h"

G_BEGIN_DECLS

typedef guint32 HybNodeId;  /* index of a node */
typedef guint32 HybValueId; /* index of an output of a node */
/* Stands for no node or no value. */
#define HYB_NO_ID G_MAXUINT32

/* A family of operators with HYB_OP_FOREIGN.  Their types follow from their lowered form. */
typedef struct
{
  const char *name; /* as users write it: "ONNX" */
  /* As hyb_infer_types() (analysis/infer-types.h). */
  gboolean (*infer_types) (HybGraph *graph,
                           HybType  *types,
                           guint32  *fixed_by,
                           gboolean  training,
                           GError  **error);
} HybDialect;

/* A node of a frozen graph. */
typedef struct
{
  const HybOp       *op;         /* &hyb_op_variable for variables; never NULL */
  gconstpointer      params;     /* parsed attributes; NULL if the operator has none */
  const char        *name;       /* never NULL; may be "" or a duplicate */
  const char        *type;       /* the operator's name in the file, also for opaque nodes */
  const char *const *attributes; /* key, value, …, NULL, as in the file, sorted; may be NULL */
  guint32            first_input;
  guint32            n_inputs;
  guint32            first_output;
  guint32            n_outputs;
  guint32            first_body;
  guint32            n_bodies;
  guint32            key;    /* selects the random stream; kept when a graph is rewritten */
  guint32            origin; /* node id in the graph as read or traced; HYB_NO_ID: added since */
  guint32            line;   /* line in the file; 0: unknown */
} HybNode;

/* Takes a reference and returns graph. */
HYB_API HybGraph *hyb_graph_ref (HybGraph *graph);
/* Drops a reference; the last one frees the graph. */
HYB_API void hyb_graph_unref (HybGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybGraph, hyb_graph_unref)

/* A number that no other graph of this process has. */
HYB_API guint32 hyb_graph_get_id (const HybGraph *graph);
/* The number of nodes; their ids are 0 … n - 1. */
HYB_API guint hyb_graph_n_nodes (const HybGraph *graph);
/* The number of values; their ids are 0 … n - 1. */
HYB_API guint hyb_graph_n_values (const HybGraph *graph);
/* The node with this id, owned by the graph. */
HYB_API const HybNode *hyb_graph_get_node (const HybGraph *graph, HybNodeId id);

/* The values that a node reads: node->n_inputs of them, owned by the graph. */
HYB_API const HybValueId *hyb_graph_get_inputs (const HybGraph *graph, HybNodeId id);
/* The node that produces a value. */
HYB_API HybNodeId hyb_graph_get_producer (const HybGraph *graph, HybValueId value);
/* Which output of its producer a value is, from 0. */
HYB_API guint hyb_graph_get_output_index (const HybGraph *graph, HybValueId value);

/* The values that the graph returns, owned by the graph; the same value may occur twice. */
HYB_API const HybValueId *hyb_graph_get_heads (const HybGraph *graph, guint *n_heads);

/* All variables in node order, owned by the graph: arguments and auxiliary states. */
HYB_API const HybNodeId *hyb_graph_get_variables (const HybGraph *graph, guint *n);
/* The variables that no operator writes, in MXNet's order, owned by the graph: depth first from
 * the heads, then the unused ones. */
HYB_API const HybNodeId *hyb_graph_get_arguments (const HybGraph *graph, guint *n);
/* The variables that an operator writes, such as running means, in that order, owned by the graph. */
HYB_API const HybNodeId *hyb_graph_get_auxiliary (const HybGraph *graph, guint *n);
/* TRUE if the node is a variable that an operator writes. */
HYB_API gboolean hyb_graph_is_auxiliary (const HybGraph *graph, HybNodeId id);
/* The first variable of this name, or HYB_NO_ID. */
HYB_API HybNodeId hyb_graph_find_variable (const HybGraph *graph, const char *name);
/* TRUE if the node is a variable, not an operator. */
HYB_API gboolean hyb_node_is_variable (const HybNode *node);

/* The name of one of its inputs, as messages and panes call it.  (transfer full) */
HYB_API char *hyb_node_dup_input_name (const HybNode *node, guint index);

/* The *n nodes that read a value, owned by the graph.  A node that reads it twice is listed
 * twice. */
HYB_API const HybNodeId *hyb_graph_get_users (HybGraph *graph, HybValueId value, guint *n);

/* The node->n_bodies subgraphs of a loop or condition, owned by the graph. */
HYB_API HybGraph *const *hyb_graph_get_bodies (const HybGraph *graph, HybNodeId id);

/* An attribute as written in the file, or NULL.  Owned by the node. */
HYB_API const char *hyb_node_get_attribute (const HybNode *node, const char *key);

/* The name of a value as MXNet's list_outputs() gives it: "name" for a variable, else
 * "name_output".  (transfer full) */
HYB_API char *hyb_graph_dup_value_name (const HybGraph *graph, HybValueId value);
/* One name for each head; a repeated name gets the suffix #1, #2, ….  NULL-terminated,
 * (transfer full). */
HYB_API char **hyb_graph_dup_output_names (const HybGraph *graph);

/* TRUE if the graph was written under MXNet's legacy shape rules, in which a dimension of 0
 * means "unknown" and scalars have the shape (1,). */
HYB_API gboolean hyb_graph_has_legacy_shapes (const HybGraph *graph);
/* TRUE if the graph or one of its bodies has a node whose operator is unknown. */
HYB_API gboolean hyb_graph_has_opaque (const HybGraph *graph);

/* Data shared by the operators of another format, which lower() replaces before a run; NULL if
 * the graph has the engine's own operators. */
HYB_API const HybDialect *hyb_graph_get_dialect (const HybGraph *graph);
/* The contents that the file gives a variable, owned by the graph; NULL if there are none.  Types may
 * depend on them (the target of a reshape). */
HYB_API HybTensor *hyb_graph_get_contents (const HybGraph *graph, HybNodeId variable);

/* Checks every invariant of the graph and its bodies.  FALSE, with the first one that is
 * violated, means that the code which built the graph has a bug. */
HYB_API gboolean hyb_graph_verify (const HybGraph *graph, GError **error);
/* The graph as text, one line a node, for tests and bug reports.  types: one for each value, or
 * NULL.  (transfer full) */
HYB_API char *hyb_graph_print (const HybGraph *graph, const HybType *types);

G_END_DECLS
