/* tensor-file.c — see tensor-file.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/tensor-file.h"

#include "engine/base/error.h"
#include "engine/formats/file.h"
#include "engine/onnx/document-private.h"
#include "engine/onnx/reader.h"

static gboolean
check_tensor (const HybOnnxTensor *tensor, const char *path, GError **error)
{
  if (tensor->is_external)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, path,
                         "Store it in this file", "the elements of the tensor are in another file");
  if (tensor->dtype == 0)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, path, NULL,
                         "this is not a tensor: it has no element type. Sequences and optional "
                         "values "
                         "are not read");
  return TRUE;
}

HybTensor *
hyb_onnx_tensor_read (GBytes *bytes, const char *where, char **name, GError **error)
{
  g_autoptr (HybArena) arena = hyb_arena_new ();
  HybOnnxDocument document = { .arena = arena, .file = bytes };
  OnnxReader      reader = { .document = &document, .where = where };
  HybOnnxTensor   tensor = { 0 };
  HybProtobuf     file;
  HybProtobufSpan span = hyb_protobuf_begin (&file, bytes, where, arena);
  HybTensor      *read;

  *name = NULL;
  if (!hyb_protobuf_read (&file, &hyb_onnx_tensor_message, &span, &tensor, error) ||
      !check_tensor (&tensor, where, error))
    return NULL;
  read = hyb_onnx_load_tensor (&reader, &tensor, error);
  if (read)
    *name = g_strdup (tensor.name ? tensor.name : "");
  else
    g_prefix_error (error, "%s: ", where);
  return read;
}

HybTensor *
hyb_onnx_tensor_file_read (const char *path, char **name, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (path, 0, error);

  *name = NULL;
  return bytes ? hyb_onnx_tensor_read (bytes, path, name, error) : NULL;
}
