/* patch.h — an ONNX file with some nodes and arrays in place of others.
 *
 * Everything else is copied as it was read, unknown fields included.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/protobuf/protobuf-writer.h"
#include "engine/graph/model.h"
#include "engine/onnx/document.h"
#include "engine/onnx/export/messages.h"

/* Numbers of fields in GraphProto. */
enum
{
  ONNX_GRAPH_NODE = 1,
  ONNX_GRAPH_INITIALIZER = 5,
  ONNX_GRAPH_INPUT = 11,
  ONNX_GRAPH_OUTPUT = 12,
  ONNX_GRAPH_VALUE = 13,
};

typedef struct
{
  HybModel     *model; /* that was read from the document: has the contents of external arrays */
  const guint8 *is_removed;    /* by node of the main graph; NULL: none */
  GHashTable   *removed;       /* of names of arrays that nothing reads any more; NULL: none */
  GHashTable   *dropped_types; /* of names of values whose type need not be declared; NULL: none */
  GHashTable
      *types; /* name → GBytes: ValueInfoProto of inputs and outputs that changed; NULL: none */
  HybProtobufWriter *
      ports; /* fields with new inputs, and with all outputs in place of the file's; NULL: they stay
              * (transfer full) */
  HybProtobufWriter *nodes; /* fields of GraphProto with new nodes; NULL: none (transfer full) */
  HybProtobufWriter *initializers; /* fields with new arrays; NULL: none (transfer full) */
  OnnxExternal *
      external; /* gets the contents of arrays that were external; NULL: they stay where they are */
} OnnxPatch;

/* The changed file.  NULL and an error if its nodes cannot be brought into an order.  (transfer full) */
HybProtobufWriter *
onnx_patch_apply (const HybOnnxDocument *document, OnnxPatch *patch, GError **error);
/* hyb_onnx_document_read(); the bytes live as long as the arena of the document. */
HybOnnxDocument *onnx_document_read_kept (GBytes *bytes, const char *where, GError **error);
/* TRUE if an array of the document is in another file. */
gboolean onnx_has_external (const HybOnnxDocument *document);
/* TRUE if one inside of a body or a function is. */
gboolean onnx_has_inner_external (const HybOnnxDocument *document);
