/* reader.h — shared parts of the files that turn an ONNX document into a graph.
 *
 * A scope is where names of values are valid: the graph of the model, a body of a loop or condition, or the inside of a
 * function that is called.  A body has a builder of its own and captures outside values as variables; the inside of a
 * function is written into the graph that calls it.  Start with read_graph() in read-model.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"
#include "engine/graph/model.h"
#include "engine/onnx/document.h"
#include "engine/onnx/onnx-op.h"

typedef struct _OnnxScope OnnxScope;

/* Reading of one file. */
typedef struct
{
  HybModel        *model;
  HybOnnxDocument *document;
  const char      *where;      /* the file's path */
  GHashTable      *functions;  /* “domain::name:overload” → HybOnnxFunction */
  GHashTable      *parameters; /* names of parameters of the model that are taken */
  GHashTable      *external;   /* location → GBytes, or NULL for one that cannot be read */
  GHashTable      *reported;   /* texts that were reported and are not repeated */
  GHashTable      *dangling;   /* of HybBuilder: graphs with names that nothing defines */
  GHashTable      *repeated;   /* code → finding about several nodes (report.c) */
  GHashTable      *rows;       /* type of a node without bodies → OnnxRow, in the arena */
  OnnxScope       *root;
  guint            n_nodes; /* written so far, calls of functions expanded */
  GError          *error;   /* a limit that ends reading */
} OnnxReader;

struct _OnnxScope
{
  OnnxReader *reader;
  HybBuilder *builder;
  OnnxScope  *outer;    /* from which a body captures; NULL otherwise */
  GHashTable *names;    /* name → value + 1 */
  GHashTable *contents; /* name → HybTensor, as far as the file fixes them */
  GHashTable *declared; /* name → HybOnnxValueInfo */
  GHashTable *renamed; /* outputs of a function → names that the call gives them; NULL elsewhere */
  GPtrArray  *captures; /* of a body: names that it reads from outside, in order */
  guint       n_opsets;
  const HybOnnxOpset    *opsets;
  const HybOnnxFunction *function; /* NULL outside of functions */
  const HybOnnxNode     *call;     /* with attributes in place of references */
  const char            *prefix;   /* of names of nodes and values: “” or “call/” */
  const char            *path;     /* for findings: “graph” or “graph.node[3].body” */
  guint                  depth;
};

/* The value of a name, captured if it is defined outside; HYB_NO_ID if nothing defines it. */
HybValueId hyb_onnx_scope_find (OnnxScope *scope, const char *name);
/* The contents of a name in the file, or NULL. */
HybTensor *hyb_onnx_scope_get_contents (OnnxScope *scope, const char *name);
/* Defines a name. */
void hyb_onnx_scope_define (OnnxScope *scope, const char *name, HybValueId value);
/* An empty scope; members are set by the caller.  Keeps pointers to its arguments. */
void hyb_onnx_scope_init (OnnxScope *scope, OnnxReader *reader, HybBuilder *builder);
/* Frees what hyb_onnx_scope_init() allocated, not the builder. */
void hyb_onnx_scope_clear (OnnxScope *scope);

/* Writes inputs (unless this is a body, whose formal inputs are then variables too), initialisers and nodes of a graph
 * into the scope, and its heads.  FALSE: reader->error. */
gboolean hyb_onnx_read_graph (OnnxScope *scope, const HybOnnxGraph *graph);
/* Writes the variables alone. */
void hyb_onnx_read_variables (OnnxScope *scope, const HybOnnxGraph *graph);
/* Sets path to the path of a node of the scope: “graph.node[3]”. */
void hyb_onnx_write_path (GString *path, const OnnxScope *scope, guint index);
/* Writes one node.  path: of the node. */
gboolean hyb_onnx_read_node (OnnxScope *scope, const HybOnnxNode *node, const char *path);
/* The function that a node calls, or NULL. */
const HybOnnxFunction *hyb_onnx_find_function (const OnnxReader *reader, const HybOnnxNode *node);
/* Writes one node; see hyb_onnx_read_node(). */
typedef gboolean (*OnnxReadNode) (OnnxScope *scope, const HybOnnxNode *node, const char *path);
/* Writes the inside of a function in place of a node that calls it.  read_node: hyb_onnx_read_node(). */
gboolean hyb_onnx_read_call (OnnxScope             *scope,
                             const HybOnnxNode     *node,
                             const HybOnnxFunction *function,
                             const char            *path,
                             OnnxReadNode           read_node);
/* A node whose references to attributes of the surrounding function are resolved; the node itself if it has none. */
const HybOnnxNode *hyb_onnx_bind_attributes (const OnnxScope *scope, const HybOnnxNode *node);

/* An order of nodes in which each comes after its inputs, as indices.  *is_sorted: the file's order is one.  *has_cycle:
 * there is none, and the file's order is returned.  (transfer full) */
guint *hyb_onnx_order_nodes (const HybOnnxNode *nodes,
                             guint              n_nodes,
                             gboolean          *is_sorted,
                             gboolean          *has_cycle);

/* The elements of a tensor.  NULL and an error if they are missing, too few, external and not readable, or of a type that
 * the engine lacks.  (transfer full) */
HybTensor *hyb_onnx_load_tensor (OnnxReader *reader, const HybOnnxTensor *tensor, GError **error);
/* The dense array of a sparse tensor, likewise. */
HybTensor *hyb_onnx_load_sparse (OnnxReader *reader, const HybOnnxSparse *sparse, GError **error);
/* The bytes of a file of external data beside the model, mapped; reports why not and returns NULL.  Owned by reader. */
GBytes *hyb_onnx_open_external (OnnxReader *reader, const HybOnnxTensor *tensor);
/* A declared shape as text for the attribute __shape__; NULL if none is declared.  (transfer full) */
char *hyb_onnx_declared_shape (const HybOnnxValueInfo *info);
/* The name of the declared dtype, or NULL.  (transfer full) */
char *hyb_onnx_declared_dtype (const HybOnnxValueInfo *info);
/* The declared type as far as the engine can express it. */
HybType hyb_onnx_declared_type (const HybOnnxValueInfo *info);
/* key, value, …, NULL: attributes as text for display, sorted, in the arena. */
const char *const *hyb_onnx_attribute_texts (HybArena *arena, const HybOnnxNode *node);

/* The file's information about the program that a node comes from; its texts are in the arena. */
void hyb_onnx_read_origin (HybArena *arena, const HybOnnxNode *node, HybOrigin *origin);

/* The array of a node with HYB_OP_LITERAL; NULL after a finding if it cannot be read.  (transfer full) */
HybTensor *hyb_onnx_literal (OnnxReader *reader, const HybOnnxNode *node);
/* The name of a node, or of its first output if it has none. */
const char *hyb_onnx_node_name (const HybOnnxNode *node);
/* The dialect of graphs of ONNX operators. */
extern const HybDialect hyb_onnx_dialect;

/* Reports, once for each operator, an unknown domain, an unknown operator, a version that differs from the file's, or a
 * form that its schema does not allow.  FALSE if the form is invalid. */
gboolean hyb_onnx_check_operator (OnnxScope *scope, const HybOnnxUse *use, const char *path);
/* Reports known faults of exporters in this node. */
void hyb_onnx_check_producer (OnnxScope *scope, const HybOnnxUse *use, const char *path);
/* Adds a finding with the place path of the file. */
HybFinding *
hyb_onnx_report (OnnxReader *reader, HybFinding *finding, const char *node, const char *path);
/* For OnnxReader.repeated.  (transfer full) */
GHashTable *hyb_onnx_repeated_new (void);
/* The same for a fault that many nodes may have: there is one finding, which lists the nodes. */
void
hyb_onnx_report_node (OnnxReader *reader, HybFinding *finding, const char *node, const char *path);
/* TRUE the first time that it is called for a text. */
gboolean hyb_onnx_report_once (OnnxReader *reader, const char *text);
/* The way out for a value that nothing in the file produces, from its name.  (transfer full) */
char *hyb_onnx_dup_missing_hint (const char *name);
