/* mxnet-symbol-private.h — what the parts of the reader share.
 *
 * JSON becomes records (mxnet-symbol-nodes.c), old records are brought up to date
 * (mxnet-symbol-upgrade.c), sorted (mxnet-symbol-order.c) and built into a graph
 * (mxnet-symbol-build.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/json-reader.h"
#include "engine/formats/mxnet-symbol.h"

#define HYB_SYMBOL_VERSION         10901 /* the MXNet whose behaviour we follow: 1.9.1 */
#define HYB_SYMBOL_VERSION_UNKNOWN 800

typedef struct
{
  HybJson      *json;
  HybModel     *model;
  const char   *where;
  GError      **error;
  gint64        version;
  gboolean      legacy_shapes;
  guint         depth;   /* of subgraphs */
  guint         n_said;  /* findings so far */
  GStringChunk *strings; /* names and values made while upgrading */
  GHashTable   *unknown; /* "operator key" to its HybFinding */
} SymbolReader;

typedef struct
{
  guint32 node, output;
} SymbolEntry;

typedef struct
{
  const char  *type, *name;
  const HybOp *op; /* NULL: an operator we do not have */
  guint32      first_entry, n_entries;
  guint32      first_attribute, n_attributes; /* strings: twice the pairs */
  guint32      first_body, n_bodies;
  guint32      line;
  guint32      n_used; /* outputs that others refer to */
} SymbolNode;

typedef struct
{
  GArray    *nodes;      /* of SymbolNode */
  GArray    *entries;    /* of SymbolEntry */
  GPtrArray *attributes; /* of const char *: key, value */
  GArray    *heads;      /* of SymbolEntry */
  GPtrArray *bodies;     /* of HybGraph */
  guint32   *order;      /* NULL: as in the file */
  char      *path;       /* "$" or "$.nodes[4].subgraphs[0]" */
  HybJsonRef ref;
} SymbolGraph;

/* Where something is: a node of a graph, or any JSON value. */
typedef struct
{
  const SymbolGraph *graph;
  guint              node; /* HYB_NO_ID: ref says it */
  HybJsonRef         ref;
} SymbolPlace;

#define SYMBOL_AT_NODE(graph_, node_) (&(SymbolPlace){ .graph = (graph_), .node = (node_) })
#define SYMBOL_AT_REF(graph_, ref_) \
  (&(SymbolPlace){ .graph = (graph_), .node = HYB_NO_ID, .ref = (ref_) })

/* A finding of the model; lent.  NULL once there are too many. */
HybFinding *hyb_symbol_say (SymbolReader      *reader,
                            HybSeverity        severity,
                            const char        *code,
                            const SymbolPlace *place,
                            const char        *hint,
                            const char        *format,
                            ...) G_GNUC_PRINTF (6, 7);
/* As say, but there is no going on: sets the error, returns FALSE. */
gboolean hyb_symbol_refuse (SymbolReader      *reader,
                            const char        *code,
                            const SymbolPlace *place,
                            const char        *hint,
                            const char        *format,
                            ...) G_GNUC_PRINTF (5, 6);

SymbolGraph *hyb_symbol_graph_new (HybJsonRef ref, const char *path);
void         hyb_symbol_graph_free (SymbolGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolGraph, hyb_symbol_graph_free)

SymbolNode *hyb_symbol_node (const SymbolGraph *graph, guint index);
gboolean    hyb_symbol_is_variable (const SymbolNode *node);
const char *
hyb_symbol_get_attribute (const SymbolGraph *graph, const SymbolNode *node, const char *key);
/* The node's own copy of its list, at the end of the pool. */
void hyb_symbol_copy_attributes (SymbolGraph *graph, SymbolNode *node);
void hyb_symbol_set_attribute (SymbolGraph *graph, guint node, const char *key, const char *value);
void hyb_symbol_remove_attribute (SymbolGraph *graph, guint node, const char *key);

/* One graph of the file with its subgraphs; NULL and an error. */
HybGraph *hyb_symbol_read_graph (SymbolReader *reader, HybJsonRef ref, const char *path);

gboolean hyb_symbol_read_nodes (SymbolReader *reader, SymbolGraph *graph);
void     hyb_symbol_upgrade (SymbolReader *reader, SymbolGraph *graph);
/* Whether attribute key is one that old files keep beside an operator's own. */
gboolean  hyb_symbol_is_hidden_key (const char *key);
gboolean  hyb_symbol_sort (SymbolReader *reader, SymbolGraph *graph);
HybGraph *hyb_symbol_build (SymbolReader *reader, SymbolGraph *graph);
