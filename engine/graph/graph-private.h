/* graph-private.h — the members of a graph, for builder.c and the files that read it.
 *
 * Arrays by node or value have n_nodes or n_values entries.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/arena.h"
#include "engine/graph/graph.h"

struct _HybGraph
{
  gatomicrefcount   references;
  guint32           id;
  gboolean          legacy_shapes;
  gboolean          has_opaque;
  const HybDialect *dialect;  /* NULL: operators of the engine */
  GHashTable       *contents; /* variable → HybTensor; NULL: none */
  GPtrArray     *arenas; /* of HybArena: strings, attributes and params of the nodes live there */
  HybNode       *nodes;
  guint          n_nodes;
  HybValueId    *inputs;
  HybNodeId     *producers; /* by value */
  guint          n_values;
  HybGraph     **bodies;
  guint          n_bodies;
  HybValueId    *heads;
  guint          n_heads;
  HybNodeId     *variables; /* in node order */
  guint          n_variables;
  HybNodeId     *arguments;
  guint          n_arguments;
  HybNodeId     *auxiliary;
  guint          n_auxiliary;
  guint8        *is_auxiliary; /* by node */
  GHashTable    *by_name;      /* variables: name → id + 1 */
  gpointer       memo;         /* memo.h */
  GDestroyNotify clear_memo;
  gsize          users_ready;
  guint         *user_start; /* by value, n_values + 1 */
  HybNodeId     *users;
};
