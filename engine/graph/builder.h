/* builder.h — makes a graph node by node, then freezes it.
 *
 * A node's inputs must exist when it is added, so the order of adding is a topological order.
 * The builder copies names and attributes, takes over parsed attributes (params), and takes
 * references to bodies.  Start with hyb_builder_call().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/arena.h"
#include "engine/graph/graph.h"

typedef struct _HybBuilder HybBuilder;

/* A node to add.  Members left 0 or NULL take the default that is given here. */
typedef struct _HybNodeSpec
{
  const HybOp       *op;         /* NULL with type set: an opaque node of that type */
  const char        *type;       /* NULL: op->name */
  const char        *name;       /* NULL: "" */
  const char *const *attributes; /* key, value, …, NULL */
  gpointer           params;     /* (transfer full) already parsed; NULL: parse attributes */
  guint              n_inputs;
  const HybValueId  *inputs;
  guint              n_bodies;
  HybGraph *const   *bodies;
  guint              n_outputs;       /* for opaque nodes only: how many outputs are read */
  guint32            key;             /* 0: derived from name and position */
  guint32            origin_plus_one; /* 0: this node's own id */
  guint32            line;
  GPtrArray         *unknown; /* collects unknown attribute keys; may be NULL */
} HybNodeSpec;

/* An empty builder.  Free it with hyb_builder_free() or consume it with hyb_builder_freeze(). */
HybBuilder *hyb_builder_new (void);
/* Frees a builder that was not frozen. */
void hyb_builder_free (HybBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybBuilder, hyb_builder_free)

/* Adds a node and returns its id.  HYB_NO_ID and an error if the attributes do not parse. */
HybNodeId hyb_builder_add (HybBuilder *builder, const HybNodeSpec *spec, GError **error);
/* Adds a variable and returns its value.  attributes: key, value, …, NULL, or NULL. */
HybValueId
hyb_builder_add_variable (HybBuilder *builder, const char *name, const char *const *attributes);
/* Adds a node by the name of its operator and returns its first value; the others follow it.
 * spec: everything but the operator.  HYB_NO_ID and an error if the operator is unknown or the
 * attributes do not parse. */
HybValueId
hyb_builder_call (HybBuilder *builder, const char *op, const HybNodeSpec *spec, GError **error);
/* Adds a copy of a node of another graph that reads these inputs, and returns its first
 * value. */
HybValueId hyb_builder_copy (HybBuilder       *builder,
                             const HybGraph   *from,
                             HybNodeId         id,
                             const HybValueId *inputs);

/* The value that is output index of a node. */
HybValueId hyb_builder_output (HybBuilder *builder, HybNodeId node, guint index);
/* The node that produces a value. */
HybNodeId hyb_builder_get_producer (HybBuilder *builder, HybValueId value);
/* A node added before.  The pointer is valid until the next node is added. */
const HybNode *hyb_builder_get_node (HybBuilder *builder, HybNodeId node);
/* The values that a node reads.  The pointer is valid until the next node is added. */
const HybValueId *hyb_builder_get_inputs (HybBuilder *builder, HybNodeId node);
/* The number of nodes added so far. */
guint hyb_builder_n_nodes (HybBuilder *builder);

/* Sets the data shared by the operators of a graph of another format; see hyb_graph_get_dialect(). */
void hyb_builder_set_dialect (HybBuilder *builder, const HybDialect *dialect);
/* Records the contents that the file gives a variable (hyb_graph_get_contents()).  Takes a
 * reference. */
void hyb_builder_set_contents (HybBuilder *builder, HybValueId variable, HybTensor *contents);
/* Keeps an arena until the graph is freed, because attributes of nodes point into it.  Takes a
 * reference. */
void hyb_builder_keep_arena (HybBuilder *builder, HybArena *arena);
/* Sets whether the graph follows MXNet's legacy shape rules; see
 * hyb_graph_has_legacy_shapes(). */
void hyb_builder_set_legacy_shapes (HybBuilder *builder, gboolean legacy);
/* Appends a value to the outputs of the graph. */
void hyb_builder_add_head (HybBuilder *builder, HybValueId value);
/* Turns the builder into a graph and frees the builder.  (transfer full) */
HybGraph *hyb_builder_freeze (HybBuilder *builder);
