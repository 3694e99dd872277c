/* rewrite.h — builds a graph from another, node by node.
 *
 * A pass walks the nodes in order with hyb_rewrite_graph(), and copies, replaces or leaves out each.  The first failure is
 * kept: after it nothing is added, values are HYB_NO_ID, and hyb_rewrite_finish() returns the error.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

typedef struct
{
  HybGraph   *from;
  HybBuilder *builder;
  GArray     *map;      /* of HybValueId, by value of from; HYB_NO_ID: no replacement yet */
  HybValueId *inputs;   /* space for the inputs of one node */
  guint       n_copied; /* nodes */
  GError     *error;    /* the first failure, or NULL */
} HybRewrite;

/* Copies, replaces or leaves out node id of rewrite->from. */
typedef void (*HybRewriteFunc) (HybRewrite *rewrite, HybNodeId id, gpointer data);

/* Rewrites a graph: visit is called for each node in order.  map: an empty array.  (transfer full): from itself if all
 * nodes were copied; NULL and an error if a node could not be added. */
HybGraph *hyb_rewrite_graph (HybGraph      *from,
                             HybRewriteFunc visit,
                             gpointer       data,
                             GArray        *map,
                             GError       **error);

/* Starts a rewrite of from.  map: an empty array, borrowed. */
void hyb_rewrite_init (HybRewrite *rewrite, HybGraph *from, GArray *map);
/* Adds the heads, freezes the new graph and ends the rewrite.  (transfer full); NULL and an error if a node could not be
 * added. */
HybGraph *hyb_rewrite_finish (HybRewrite *rewrite, GError **error);

/* The value that replaces an old one. */
HybValueId hyb_rewrite_value (const HybRewrite *rewrite, HybValueId old);
/* States which value replaces an old one. */
void hyb_rewrite_set_value (HybRewrite *rewrite, HybValueId old, HybValueId value);
/* The values that replace the inputs of a node.  Valid until the next call. */
const HybValueId *hyb_rewrite_inputs (HybRewrite *rewrite, HybNodeId id);
/* Copies a node, reading the values that replace its inputs.  Returns its first value. */
HybValueId hyb_rewrite_copy (HybRewrite *rewrite, HybNodeId id);
/* Adds a node with the origin and line of the old node id, and with its name if spec has none.  Returns its first
 * value. */
HybValueId hyb_rewrite_add (HybRewrite *rewrite, HybNodeId id, const HybNodeSpec *spec);
/* The same in place of the old node: it has its key too, and its outputs replace those of the old node. */
void hyb_rewrite_replace (HybRewrite *rewrite, HybNodeId id, const HybNodeSpec *spec);
