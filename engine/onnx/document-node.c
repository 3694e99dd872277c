/* document-node.c — NodeProto.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

static const HybProtobufMember members[] = {
  HYB_PROTOBUF_LIST (HybOnnxNode, 1, STRING, inputs, n_inputs),
  HYB_PROTOBUF_LIST (HybOnnxNode, 2, STRING, outputs, n_outputs),
  HYB_PROTOBUF_FIELD (HybOnnxNode, 3, STRING, name),
  HYB_PROTOBUF_FIELD (HybOnnxNode, 4, STRING, op_type),
  HYB_PROTOBUF_MESSAGES (HybOnnxNode, 5, &hyb_onnx_attribute_message, attributes, n_attributes),
  HYB_PROTOBUF_FIELD (HybOnnxNode, 6, STRING, doc),
  HYB_PROTOBUF_FIELD (HybOnnxNode, 7, STRING, domain),
  HYB_PROTOBUF_FIELD (HybOnnxNode, 8, STRING, overload),
  HYB_PROTOBUF_MESSAGES (HybOnnxNode, 9, &hyb_onnx_entry_message, metadata, n_metadata),
};

static gboolean
read_node (HybProtobuf              *file,
           const HybProtobufMessage *message,
           const HybProtobufSpan    *span,
           gpointer                  item,
           GError                  **error)
{
  HybOnnxNode *node = item;

  if (!hyb_protobuf_read_members (file, message, span, node, error))
    return FALSE;
  node->domain = hyb_onnx_domain (node->domain);
  node->offset = span->offset;
  node->bytes = span->bytes;
  return TRUE;
}

const HybProtobufMessage hyb_onnx_node_message = {
  .name = "NodeProto",
  .size = sizeof (HybOnnxNode),
  .n_members = G_N_ELEMENTS (members),
  .members = members,
  .read = read_node,
};
