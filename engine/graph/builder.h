/* builder.h — making a graph node by node, then freezing it.
 *
 * Inputs must already be there, so the order of adding is a topological order.
 * The builder copies names and attributes, takes over params, and refs bodies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef struct _HybBuilder HybBuilder;

/* A node to add; what is left 0 or NULL takes its natural value. */
typedef struct
{
  const HybOp       *op;         /* NULL with type set: an opaque node of that type */
  const char        *type;       /* NULL: op->name */
  const char        *name;       /* NULL: "" */
  const char *const *attributes; /* key, value, …, NULL */
  gpointer           params;     /* (transfer full) parsed already; NULL: parse attributes */
  guint              n_inputs;
  const HybValueId  *inputs;
  guint              n_bodies;
  HybGraph *const   *bodies;
  guint              n_outputs;       /* opaque nodes only: how many outputs users refer to */
  guint32            key;             /* 0: a new one from name and position */
  guint32            origin_plus_one; /* 0: this node's own id */
  guint32            line;
  GPtrArray         *unknown; /* collects unknown attribute keys; may be NULL */
} HybNodeSpec;

HybBuilder *hyb_builder_new (void);
void        hyb_builder_free (HybBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybBuilder, hyb_builder_free)

/* HYB_NO_ID and an error when attributes do not parse. */
HybNodeId hyb_builder_add (HybBuilder *builder, const HybNodeSpec *spec, GError **error);
/* A variable; returns its value. */
HybValueId
hyb_builder_add_variable (HybBuilder *builder, const char *name, const char *const *attributes);
/* A node by operator name with attributes key, value, …, NULL; returns its first
 * value (the others follow), HYB_NO_ID and an error if that cannot be. */
HybValueId hyb_builder_call (HybBuilder        *builder,
                             const char        *op,
                             const char        *name,
                             guint              n_inputs,
                             const HybValueId  *inputs,
                             const char *const *attributes,
                             GError           **error);
/* The same node of another graph, reading these inputs instead.  Returns its first value. */
HybValueId hyb_builder_copy (HybBuilder       *builder,
                             const HybGraph   *from,
                             HybNodeId         id,
                             const HybValueId *inputs);

HybValueId     hyb_builder_output (HybBuilder *builder, HybNodeId node, guint index);
HybNodeId      hyb_builder_get_producer (HybBuilder *builder, HybValueId value);
const HybNode *hyb_builder_get_node (HybBuilder *builder, HybNodeId node); /* until the next add */
const HybValueId *hyb_builder_get_inputs (HybBuilder *builder, HybNodeId node); /* likewise */
guint             hyb_builder_n_nodes (HybBuilder *builder);

void hyb_builder_set_legacy_shapes (HybBuilder *builder, gboolean legacy);
void hyb_builder_add_head (HybBuilder *builder, HybValueId value);
/* Swallows the builder. */
HybGraph *hyb_builder_freeze (HybBuilder *builder);
