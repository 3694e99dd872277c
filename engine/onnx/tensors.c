/* tensors.c — the elements of tensors of an ONNX file: in place, from typed fields, or from external data.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/tensor-list.h"
#include "engine/onnx/reader.h"

#include <string.h>

static gboolean
refuse (GError **error, const HybOnnxTensor *tensor, const char *what)
{
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL, NULL,
                       "the tensor “%s” %s", tensor->name, what);
}

/* The type of a tensor. */
static gboolean
read_type (const HybOnnxTensor *tensor, HybType *type, GError **error)
{
  const char *name = hyb_onnx_dtype_name (tensor->dtype);

  type->dtype = hyb_onnx_dtype_to_engine (tensor->dtype);
  if (type->dtype == HYB_DTYPE_UNKNOWN)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_VERSION, NULL, NULL,
                         "elements of the tensor “%s” have the type %s, which this program does "
                         "not support",
                         tensor->name, name ? name : "without a name");
  if (tensor->n_dims > HYB_MAX_RANK)
    return refuse (error, tensor, "has more dimensions than can be used");
  type->shape = hyb_shape_make ((int) tensor->n_dims, tensor->dims);
  return TRUE;
}

/* FALSE and an error if a tensor has fewer or more bytes than its type needs. */
static gboolean
check_bytes (const HybOnnxTensor *tensor, gsize n_given, const HybType *type, GError **error)
{
  gsize n_bytes = hyb_type_bytes (type);

  return n_given == n_bytes ||
         hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL, NULL,
                       "the tensor “%s” has %" G_GSIZE_FORMAT
                       " bytes of elements, but its shape needs "
                       "%" G_GSIZE_FORMAT,
                       tensor->name, n_given, n_bytes);
}

/* A tensor with a copy of the bytes, whose number matches the type. */
static HybTensor *
copy_bytes (gconstpointer bytes, const HybType *type, GError **error)
{
  HybTensor *copy = hyb_tensor_new (type, error);
  gsize      n_bytes = hyb_type_bytes (type);

  if (copy && n_bytes > 0)
    memcpy (hyb_tensor_get_data (copy), bytes, n_bytes);
  return copy;
}

static HybTensor *
copy_typed (const HybOnnxTensor *tensor, const HybType *type, GError **error)
{
  return check_bytes (tensor, tensor->typed_bytes, type, error)
             ? copy_bytes (tensor->typed, type, error)
             : NULL;
}

/* The part of a file of external data that a tensor uses. */
static HybTensor *
load_external (OnnxReader          *reader,
               const HybOnnxTensor *tensor,
               const HybType       *type,
               gsize                n_bytes,
               GError             **error)
{
  GBytes *bytes = hyb_onnx_open_external (reader, tensor);
  guint64 offset = 0, length = n_bytes;

  for (guint i = 0; i < tensor->n_external; i++)
    {
      const HybOnnxEntry *entry = &tensor->external[i];
      gboolean            is_offset = strcmp (entry->key, "offset") == 0;

      if ((is_offset || strcmp (entry->key, "length") == 0) &&
          !g_ascii_string_to_unsigned (entry->value, 10, 0, G_MAXINT64,
                                       is_offset ? &offset : &length, NULL))
        {
          refuse (error, tensor, "has external data at a place that is not a number");
          return NULL;
        }
    }
  if (!bytes)
    {
      refuse (error, tensor, "has external data that cannot be read");
      return NULL;
    }
  if (length < n_bytes || offset > g_bytes_get_size (bytes) ||
      n_bytes > g_bytes_get_size (bytes) - offset)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL, NULL,
                    "the tensor “%s” needs %" G_GSIZE_FORMAT " bytes of external data from byte "
                    "%" G_GUINT64_FORMAT " on, but the file has %" G_GSIZE_FORMAT,
                    tensor->name, n_bytes, offset, g_bytes_get_size (bytes));
      return NULL;
    }
  return hyb_tensor_from_bytes (bytes, (gsize) offset, type, error);
}

/* FALSE if there are no bytes, or if they come from a message in several pieces, which were
 * joined in memory. */
static gboolean
is_in_file (const OnnxReader *reader, const HybOnnxBytes *bytes)
{
  gsize         length;
  const guint8 *file = g_bytes_get_data (reader->document->file, &length);

  return bytes->length > 0 && bytes->data >= file && bytes->data < file + length;
}

static HybTensor *
load_raw (OnnxReader *reader, const HybOnnxTensor *tensor, const HybType *type, GError **error)
{
  const guint8 *file = g_bytes_get_data (reader->document->file, NULL);

  if (!check_bytes (tensor, tensor->raw.length, type, error))
    return NULL;
  if (!is_in_file (reader, &tensor->raw))
    return copy_bytes (tensor->raw.data, type, error);
  return hyb_tensor_from_bytes (reader->document->file, (gsize) (tensor->raw.data - file), type,
                                error);
}

HybTensor *
hyb_onnx_load_tensor (OnnxReader *reader, const HybOnnxTensor *tensor, GError **error)
{
  HybType type;
  gsize   n_bytes;

  if (!read_type (tensor, &type, error) ||
      !hyb_shape_bytes (&type.shape, type.dtype, &n_bytes, error))
    return NULL;
  if (tensor->is_external)
    return load_external (reader, tensor, &type, n_bytes, error);
  if (tensor->raw.data && tensor->raw.length > 0)
    return load_raw (reader, tensor, &type, error);
  return copy_typed (tensor, &type, error);
}

/* Puts value number `i` of a sparse tensor into its place. */
static gboolean
scatter (HybTensor *dense, const HybTensor *values, const HybTensor *indices, gint64 i)
{
  const HybShape *shape = hyb_tensor_get_shape (dense);
  gint64          rank = hyb_tensor_get_shape (indices)->rank;
  gint64          n = rank == 2 ? hyb_tensor_get_shape (indices)->dim[1] : 1;
  gint64          at = 0;
  const gint64   *index = (const gint64 *) hyb_tensor_get_data (indices) + i * n;
  gsize           size = hyb_dtype_size (hyb_tensor_get_dtype (dense));

  if (rank == 2 && n != shape->rank)
    return FALSE;
  for (gint64 k = 0; k < n; k++)
    {
      gint64 limit = rank == 2 ? shape->dim[k] : hyb_tensor_get_size (dense);

      if (index[k] < 0 || index[k] >= limit)
        return FALSE;
      at = at * limit + index[k];
    }
  memcpy ((guint8 *) hyb_tensor_get_data (dense) + (gsize) at * size,
          (const guint8 *) hyb_tensor_get_data (values) + (gsize) i * size, size);
  return TRUE;
}

HybTensor *
hyb_onnx_load_sparse (OnnxReader *reader, const HybOnnxSparse *sparse, GError **error)
{
  g_autoptr (HybTensor) values =
      sparse->values ? hyb_onnx_load_tensor (reader, sparse->values, error) : NULL;
  g_autoptr (HybTensor) indices =
      values && sparse->indices ? hyb_onnx_load_tensor (reader, sparse->indices, error) : NULL;
  g_autoptr (HybTensor) dense = NULL;
  HybType type;
  gsize   n_bytes;

  if (!indices)
    {
      if (error && !*error)
        hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL, NULL,
                      "a sparse tensor has no values or no indices");
      return NULL;
    }
  type = (HybType){ hyb_shape_make ((int) MIN (sparse->n_dims, HYB_MAX_RANK), sparse->dims),
                    hyb_tensor_get_dtype (values) };
  if (!hyb_shape_bytes (&type.shape, type.dtype, &n_bytes, error) ||
      !hyb_limits_check_memory (n_bytes, g_bytes_get_size (reader->document->file), reader->where,
                                error))
    return NULL;
  dense = hyb_tensor_new_zeros (&type, error);
  if (!dense)
    return NULL;
  if (hyb_tensor_get_dtype (indices) != HYB_I64 || hyb_tensor_get_shape (indices)->rank < 1 ||
      hyb_tensor_get_shape (indices)->dim[0] != hyb_tensor_get_size (values))
    {
      refuse (error, sparse->values, "is sparse and has indices that do not fit its values");
      return NULL;
    }
  for (gint64 i = 0; i < hyb_tensor_get_size (values); i++)
    if (!scatter (dense, values, indices, i))
      {
        refuse (error, sparse->values, "is sparse and has an index outside of its shape");
        return NULL;
      }
  return g_steal_pointer (&dense);
}
