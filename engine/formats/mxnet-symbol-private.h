/* mxnet-symbol-private.h — data and functions shared by the parts of the symbol reader.
 *
 * mxnet-symbol.c runs the steps: JSON becomes records (-nodes.c), records of old files are brought
 * up to date (-upgrade.c), sorted so that inputs come first (-order.c), and built into a graph
 * (-build.c).  All steps use the records (-records.c) and report through -findings.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/json-reader.h"
#include "engine/graph/model.h"

#define HYB_SYMBOL_VERSION         10901 /* MXNet 1.9.1, whose behaviour the reader follows */
#define HYB_SYMBOL_VERSION_UNKNOWN 800   /* assumed for files that do not name their version */

typedef struct _SymbolReader SymbolReader;

struct _SymbolReader
{
  HybJson      *json;
  HybModel     *model;
  const char   *where; /* name of the file, for messages */
  GError      **error;
  gint64        version;       /* of the MXNet that wrote the file: 10901 for 1.9.1 */
  gboolean      legacy_shapes; /* 0 in a shape means “unknown” */
  guint         depth;         /* of nested subgraphs */
  guint         n_findings;
  GStringChunk *strings; /* names and values that upgrading creates */
  GHashTable   *unknown; /* "operator key" → finding about an unknown attribute, or NULL */
  /* Reads a subgraph; the file that reads nodes calls back the one that runs the steps. */
  HybGraph *(*read_body) (SymbolReader *reader, HybJsonRef ref, const char *path);
};

/* An output of a node. */
typedef struct
{
  guint32 node, output;
} SymbolEntry;

typedef struct
{
  const char  *type, *name;
  const HybOp *op;                            /* NULL if the operator is unknown */
  guint32      first_entry, n_entries;        /* inputs */
  guint32      first_attribute, n_attributes; /* strings: two for each attribute */
  guint32      first_body, n_bodies;
  guint32      line;
  guint32      n_used; /* outputs that other nodes and heads refer to: the highest, plus one */
} SymbolNode;

typedef struct
{
  GArray    *nodes;      /* of SymbolNode */
  GArray    *entries;    /* of SymbolEntry: the inputs of all nodes */
  GPtrArray *attributes; /* of const char *: key, value, …, of all nodes */
  GArray    *heads;      /* of SymbolEntry */
  GPtrArray *bodies;     /* of HybGraph */
  guint32   *order;      /* nodes with inputs first; NULL: they are in that order already */
  char      *path;       /* JSON path: "$" or "$.nodes[4].subgraphs[0]" */
  HybJsonRef ref;        /* of the graph's object */
} SymbolGraph;

/* --- Reports (mxnet-symbol-findings.c) --- */

/* A place in the file: a node of a graph, or a JSON value. */
typedef struct
{
  const SymbolGraph *graph;
  guint              node; /* HYB_NO_ID: the place is ref */
  HybJsonRef         ref;
} SymbolPlace;

#define SYMBOL_AT_NODE(graph_, node_) (&(SymbolPlace){ .graph = (graph_), .node = (node_) })
#define SYMBOL_AT_REF(graph_, ref_) \
  (&(SymbolPlace){ .graph = (graph_), .node = HYB_NO_ID, .ref = (ref_) })

/* The parts of a finding besides its message. */
typedef struct
{
  const char        *code;
  const SymbolPlace *place;
  const char        *hint;     /* may be NULL */
  HybSeverity        severity; /* not used by hyb_symbol_refuse() */
} SymbolIssue;

/* Adds a finding to the model, which owns it.  NULL once there are too many. */
HybFinding *
hyb_symbol_report (SymbolReader *reader, const SymbolIssue *issue, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* Adds an error finding, sets the error, and returns FALSE. */
gboolean hyb_symbol_refuse (SymbolReader *reader, const SymbolIssue *issue, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* --- Records (mxnet-symbol-records.c) --- */

/* Empty records for the graph at ref.  (transfer full) */
SymbolGraph *hyb_symbol_graph_new (HybJsonRef ref, const char *path);
/* Frees the records and the bodies. */
void hyb_symbol_graph_free (SymbolGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolGraph, hyb_symbol_graph_free)

/* A node; the pointer is valid until a node is added. */
SymbolNode *hyb_symbol_node (const SymbolGraph *graph, guint index);
/* TRUE for nodes of type "null". */
gboolean hyb_symbol_is_variable (const SymbolNode *node);
/* The value of an attribute, or NULL. */
const char *
hyb_symbol_get_attribute (const SymbolGraph *graph, const SymbolNode *node, const char *key);
/* Adds an attribute to the last range of the array, which starts at first.  A key that exists
 * keeps its value. */
void
hyb_symbol_insert_attribute (SymbolGraph *graph, guint first, const char *key, const char *value);
/* Gives the node a copy of its attributes, at the end of the array. */
void hyb_symbol_copy_attributes (SymbolGraph *graph, SymbolNode *node);
/* Sets an attribute of a node; key and value must outlive the records. */
void hyb_symbol_set_attribute (SymbolGraph *graph, guint node, const char *key, const char *value);
/* Removes an attribute, if the node has it. */
void hyb_symbol_remove_attribute (SymbolGraph *graph, guint node, const char *key);

/* --- Steps --- */

/* Fills the records of a graph from its JSON, and checks that all references meet a node. */
gboolean hyb_symbol_read_nodes (SymbolReader *reader, SymbolGraph *graph);
/* Changes records of older files as MXNet 1.9.1 does when it loads them. */
void hyb_symbol_upgrade (SymbolReader *reader, SymbolGraph *graph);
/* TRUE if key is one that old files keep beside the attributes of an operator (lr_mult …). */
gboolean hyb_symbol_is_hidden_key (const char *key);
/* Sets the order of the records; fails if nodes depend on each other in a cycle. */
gboolean hyb_symbol_sort (SymbolReader *reader, SymbolGraph *graph);
/* Builds the graph.  (transfer full) */
HybGraph *hyb_symbol_build (SymbolReader *reader, SymbolGraph *graph);
