/* document-graph.c — GraphProto, FunctionProto and OperatorSetIdProto.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

const char *
hyb_onnx_domain (const char *domain)
{
  return g_str_equal (domain, "ai.onnx") ? "" : domain;
}

/* --- OperatorSetIdProto --- */

static const HybProtobufMember opset_members[] = {
  HYB_PROTOBUF_FIELD (HybOnnxOpset, 1, STRING, domain),
  HYB_PROTOBUF_FIELD (HybOnnxOpset, 2, INT64, version),
};

static gboolean
read_opset (HybProtobuf              *file,
            const HybProtobufMessage *message,
            const HybProtobufSpan    *span,
            gpointer                  item,
            GError                  **error)
{
  HybOnnxOpset *opset = item;

  if (!hyb_protobuf_read_members (file, message, span, opset, error))
    return FALSE;
  opset->domain = hyb_onnx_domain (opset->domain);
  return TRUE;
}

const HybProtobufMessage hyb_onnx_opset_message = {
  .name = "OperatorSetIdProto",
  .size = sizeof (HybOnnxOpset),
  .n_members = G_N_ELEMENTS (opset_members),
  .members = opset_members,
  .read = read_opset,
};

/* --- GraphProto --- */

static const HybProtobufMember graph_members[] = {
  HYB_PROTOBUF_MESSAGES (HybOnnxGraph, 1, &hyb_onnx_node_message, nodes, n_nodes),
  HYB_PROTOBUF_FIELD (HybOnnxGraph, 2, STRING, name),
  HYB_PROTOBUF_MESSAGES (HybOnnxGraph, 5, &hyb_onnx_tensor_message, initializers, n_initializers),
  HYB_PROTOBUF_FIELD (HybOnnxGraph, 10, STRING, doc),
  HYB_PROTOBUF_MESSAGES (HybOnnxGraph, 11, &hyb_onnx_value_message, inputs, n_inputs),
  HYB_PROTOBUF_MESSAGES (HybOnnxGraph, 12, &hyb_onnx_value_message, outputs, n_outputs),
  HYB_PROTOBUF_MESSAGES (HybOnnxGraph, 13, &hyb_onnx_value_message, values, n_values),
  HYB_PROTOBUF_MESSAGES (HybOnnxGraph, 15, &hyb_onnx_sparse_message, sparse, n_sparse),
  HYB_PROTOBUF_MESSAGES (HybOnnxGraph, 16, &hyb_onnx_entry_message, metadata, n_metadata),
};

static gboolean
read_graph (HybProtobuf              *file,
            const HybProtobufMessage *message,
            const HybProtobufSpan    *span,
            gpointer                  item,
            GError                  **error)
{
  HybOnnxGraph *graph = item;

  graph->bytes = span->bytes;
  return hyb_protobuf_read_members (file, message, span, graph, error);
}

const HybProtobufMessage hyb_onnx_graph_message = {
  .name = "GraphProto",
  .size = sizeof (HybOnnxGraph),
  .n_members = G_N_ELEMENTS (graph_members),
  .members = graph_members,
  .read = read_graph,
};

/* --- FunctionProto --- */

static const HybProtobufMember function_members[] = {
  HYB_PROTOBUF_FIELD (HybOnnxFunction, 1, STRING, name),
  HYB_PROTOBUF_LIST (HybOnnxFunction, 4, STRING, inputs, n_inputs),
  HYB_PROTOBUF_LIST (HybOnnxFunction, 5, STRING, outputs, n_outputs),
  HYB_PROTOBUF_LIST (HybOnnxFunction, 6, STRING, attributes, n_attributes),
  HYB_PROTOBUF_MESSAGES (HybOnnxFunction, 7, &hyb_onnx_node_message, nodes, n_nodes),
  HYB_PROTOBUF_FIELD (HybOnnxFunction, 8, STRING, doc),
  HYB_PROTOBUF_MESSAGES (HybOnnxFunction, 9, &hyb_onnx_opset_message, opsets, n_opsets),
  HYB_PROTOBUF_FIELD (HybOnnxFunction, 10, STRING, domain),
  HYB_PROTOBUF_MESSAGES (HybOnnxFunction, 11, &hyb_onnx_attribute_message, defaults, n_defaults),
  HYB_PROTOBUF_MESSAGES (HybOnnxFunction, 12, &hyb_onnx_value_message, values, n_values),
  HYB_PROTOBUF_FIELD (HybOnnxFunction, 13, STRING, overload),
};

static gboolean
read_function (HybProtobuf              *file,
               const HybProtobufMessage *message,
               const HybProtobufSpan    *span,
               gpointer                  item,
               GError                  **error)
{
  HybOnnxFunction *function = item;

  if (!hyb_protobuf_read_members (file, message, span, function, error))
    return FALSE;
  function->domain = hyb_onnx_domain (function->domain);
  function->bytes = span->bytes;
  return TRUE;
}

const HybProtobufMessage hyb_onnx_function_message = {
  .name = "FunctionProto",
  .size = sizeof (HybOnnxFunction),
  .n_members = G_N_ELEMENTS (function_members),
  .members = function_members,
  .read = read_function,
};
