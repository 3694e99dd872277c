/* document-tensor.c — TensorProto and SparseTensorProto: their fields, and elements of typed fields.
 *
 * Elements in raw_data stay in the file.  Elements of typed fields, one number each, are laid out like
 * raw_data.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

#include <string.h>

#define EXTERNAL 1 /* TensorProto.DataLocation */

static const HybProtobufMember entry_members[] = {
  HYB_PROTOBUF_FIELD (HybOnnxEntry, 1, STRING, key),
  HYB_PROTOBUF_FIELD (HybOnnxEntry, 2, STRING, value),
};

const HybProtobufMessage hyb_onnx_entry_message = {
  .name = "StringStringEntryProto",
  .size = sizeof (HybOnnxEntry),
  .n_members = G_N_ELEMENTS (entry_members),
  .members = entry_members,
};

const char *
hyb_onnx_entry_find (const HybOnnxEntry *entries, guint n, const char *key)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (entries[i].key, key) == 0)
      return entries[i].value;
  return NULL;
}

static const HybProtobufMember tensor_members[] = {
  HYB_PROTOBUF_LIST (HybOnnxTensor, 1, INT64, dims, n_dims),
  HYB_PROTOBUF_FIELD (HybOnnxTensor, 2, INT32, dtype),
  HYB_PROTOBUF_LIST (HybOnnxTensor, 6, BYTES, strings, n_strings),
  HYB_PROTOBUF_FIELD (HybOnnxTensor, 8, STRING, name),
  HYB_PROTOBUF_FIELD (HybOnnxTensor, 9, BYTES, raw),
  HYB_PROTOBUF_FIELD (HybOnnxTensor, 12, STRING, doc),
  HYB_PROTOBUF_MESSAGES (HybOnnxTensor, 13, &hyb_onnx_entry_message, external, n_external),
  HYB_PROTOBUF_FIELD (HybOnnxTensor, 14, INT32, is_external),
};

/* Elements of the typed field that the element type has, if nothing else holds them. */
static gboolean
read_typed (HybProtobuf *file, const HybProtobufSpan *span, HybOnnxTensor *tensor, GError **error)
{
  HybProtobufKind  kind;
  HybProtobufBytes typed = { 0 };
  guint            number = hyb_onnx_dtype_field (tensor->dtype, &kind);

  if (number == 0 || tensor->raw.data || tensor->is_external || tensor->n_strings > 0)
    return TRUE;
  if (!hyb_protobuf_read_numbers (file, span,
                                  &(HybProtobufMember){ .number = number, .kind = kind }, &typed,
                                  error))
    return FALSE;
  tensor->typed = typed.data;
  tensor->typed_bytes = typed.length;
  return TRUE;
}

static gboolean
check_dims (const HybProtobuf     *file,
            const HybProtobufSpan *span,
            const gint64          *dims,
            guint                  n,
            GError               **error)
{
  for (guint i = 0; i < n; i++)
    if (dims[i] < 0)
      return hyb_protobuf_fail (file, error, span->offset,
                                "a tensor has the negative dimension %" G_GINT64_FORMAT, dims[i]);
  return TRUE;
}

static gboolean
read_tensor (HybProtobuf              *file,
             const HybProtobufMessage *message,
             const HybProtobufSpan    *span,
             gpointer                  item,
             GError                  **error)
{
  HybOnnxTensor *tensor = item;

  if (!hyb_protobuf_read_members (file, message, span, tensor, error) ||
      !check_dims (file, span, tensor->dims, tensor->n_dims, error))
    return FALSE;
  tensor->is_external = tensor->is_external == EXTERNAL;
  tensor->bytes = span->bytes;
  return read_typed (file, span, tensor, error);
}

const HybProtobufMessage hyb_onnx_tensor_message = {
  .name = "TensorProto",
  .size = sizeof (HybOnnxTensor),
  .n_members = G_N_ELEMENTS (tensor_members),
  .members = tensor_members,
  .read = read_tensor,
};

static const HybProtobufMember sparse_members[] = {
  HYB_PROTOBUF_ONE_MESSAGE (HybOnnxSparse, 1, &hyb_onnx_tensor_message, values),
  HYB_PROTOBUF_ONE_MESSAGE (HybOnnxSparse, 2, &hyb_onnx_tensor_message, indices),
  HYB_PROTOBUF_LIST (HybOnnxSparse, 3, INT64, dims, n_dims),
};

static gboolean
read_sparse (HybProtobuf              *file,
             const HybProtobufMessage *message,
             const HybProtobufSpan    *span,
             gpointer                  item,
             GError                  **error)
{
  HybOnnxSparse *sparse = item;

  if (!hyb_protobuf_read_members (file, message, span, sparse, error))
    return FALSE;
  if (!sparse->values || !sparse->indices)
    return hyb_protobuf_fail (file, error, span->offset,
                              "a sparse tensor has no values or no indices");
  return check_dims (file, span, sparse->dims, sparse->n_dims, error);
}

const HybProtobufMessage hyb_onnx_sparse_message = {
  .name = "SparseTensorProto",
  .size = sizeof (HybOnnxSparse),
  .n_members = G_N_ELEMENTS (sparse_members),
  .members = sparse_members,
  .read = read_sparse,
};
