/* document.c — ModelProto, and the document that is made of it.
 *
 * Each message has a table in one of the document-*.c files; protobuf.h reads by them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

#include "engine/base/error.h"

static const HybProtobufMember members[] = {
  HYB_PROTOBUF_FIELD (HybOnnxDocument, 1, INT64, ir_version),
  HYB_PROTOBUF_FIELD (HybOnnxDocument, 2, STRING, producer_name),
  HYB_PROTOBUF_FIELD (HybOnnxDocument, 3, STRING, producer_version),
  HYB_PROTOBUF_FIELD (HybOnnxDocument, 4, STRING, domain),
  HYB_PROTOBUF_FIELD (HybOnnxDocument, 5, INT64, model_version),
  HYB_PROTOBUF_FIELD (HybOnnxDocument, 6, STRING, doc),
  HYB_PROTOBUF_ONE_MESSAGE (HybOnnxDocument, 7, &hyb_onnx_graph_message, graph),
  HYB_PROTOBUF_MESSAGES (HybOnnxDocument, 8, &hyb_onnx_opset_message, opsets, n_opsets),
  HYB_PROTOBUF_MESSAGES (HybOnnxDocument, 14, &hyb_onnx_entry_message, metadata, n_metadata),
  HYB_PROTOBUF_MESSAGES (HybOnnxDocument, 25, &hyb_onnx_function_message, functions, n_functions),
};

static const HybProtobufMessage model_message = {
  .name = "ModelProto",
  .size = sizeof (HybOnnxDocument),
  .n_members = G_N_ELEMENTS (members),
  .members = members,
};

HybOnnxDocument *
hyb_onnx_document_read (GBytes *bytes, const char *where, GError **error)
{
  g_autoptr (HybOnnxDocument) document = g_new0 (HybOnnxDocument, 1);
  HybProtobuf     file;
  HybProtobufSpan span;

  document->arena = hyb_arena_new ();
  document->file = g_bytes_ref (bytes);
  span = hyb_protobuf_begin (&file, bytes, where, document->arena);
  if (!hyb_protobuf_read (&file, &model_message, &span, document, error))
    return NULL;
  if (!document->graph)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, where, NULL,
                    "an ONNX model has a graph, and this file has none");
      return NULL;
    }
  return g_steal_pointer (&document);
}

void
hyb_onnx_document_free (HybOnnxDocument *document)
{
  if (!document)
    return;

  hyb_arena_unref (document->arena);
  g_bytes_unref (document->file);
  g_free (document);
}
