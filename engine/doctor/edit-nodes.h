/* edit-nodes.h — copies a graph with other operators or attributes of its nodes.
 *
 * The lowest step of repairs that change a graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A node that is copied; the function may change it. */
typedef struct
{
  HybGraph      *graph; /* the main graph, or a body */
  HybNodeId      id;
  const HybNode *node;
  const HybOp   *op;         /* NULL for an opaque node */
  GPtrArray     *attributes; /* of char *: key, value, …; owns them */
  GPtrArray     *changes;    /* of HybChange */
} HybNodeEdit;

/* Changes edit->op and edit->attributes, if the node needs it, and says so in edit->changes. */
typedef void (*HybNodeEditFunc) (HybNodeEdit *edit, gpointer data);

/* A copy of the graph and its bodies whose nodes went through the function; nodes keep their ids.
 * The graph itself if it cannot be copied.  An opaque node whose new operator refuses it stays
 * opaque. changes: of HybChange; the changes are appended.  (transfer full) */
HybGraph *hyb_edit_nodes (HybGraph *graph, HybNodeEditFunc edit, gpointer data, GPtrArray *changes);

/* The value of an attribute in edit->attributes, or NULL. */
const char *hyb_node_edit_get (const HybNodeEdit *edit, const char *key);
/* Replaces the value of an attribute that edit->attributes has. */
void hyb_node_edit_set (HybNodeEdit *edit, const char *key, const char *value);
