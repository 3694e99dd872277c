/* export-private.h — the parts of a graph that is being written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/export/export.h"
#include "engine/onnx/export/messages.h"

/* A body of a new node. */
typedef struct
{
  const char *name;
  OnnxExport *graph;
} OnnxBody;

/* A new node. */
typedef struct
{
  const char        *op;
  const char        *name;
  GArray            *inputs; /* of OnnxValue */
  OnnxValue          first_output;
  guint              n_outputs;
  HybProtobufWriter *attributes; /* the fields that hold them, bodies left out */
  GArray            *bodies;     /* of OnnxBody */
} OnnxNode;

/* An array that is stored in the file. */
typedef struct
{
  OnnxValue  value;
  HybTensor *tensor;
} OnnxInitializer;

/* Data shared by all graphs of a file. */
typedef struct
{
  gatomicrefcount references;
  GPtrArray      *names;      /* by value */
  GHashTable     *is_taken;   /* names of values, owned */
  GHashTable     *node_names; /* likewise of nodes */
  GHashTable     *missing;    /* names of operators without a rule, static */
  GHashTable     *outputs;    /* of OnnxValue: values that are outputs of the graph */
  GHashTable     *no_values;  /* OnnxValue → name of a parameter without values, static */
  GError         *error;
} OnnxShared;

struct _OnnxExport
{
  OnnxShared        *shared;
  OnnxExport        *outer; /* of a body: the graph around it */
  HybModel          *model;
  HybGraph          *graph;
  const HybType     *types[2]; /* by value, with two choices of sizes; the second may be NULL */
  HybGraph          *other;    /* with the same nodes, for the second types; NULL: graph itself */
  HybType           *own[2];   /* types of a body, which it owns */
  gint64             opset;
  OnnxValue         *values;           /* by value of graph; ONNX_NONE: not written yet */
  GPtrArray         *nodes;            /* of OnnxNode */
  GArray            *initializers;     /* of OnnxInitializer */
  HybProtobufWriter *inputs, *outputs; /* fields of GraphProto */
  HybNodeId          current;
  const HybOnnxRule *rule; /* of the current node */
};

/* A new value.  name: its name if the name is free. */
OnnxValue onnx_value_new (OnnxExport *export, const char *name);
/* An empty graph; outer: the one around it, or NULL. */
OnnxExport *onnx_export_new_in (OnnxExport *outer, HybGraph *graph);
/* The type of a value of the engine's graph, as far as both choices of sizes agree. */
HybType onnx_type_of (const OnnxExport *export, HybValueId value);
