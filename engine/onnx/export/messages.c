/* messages.c — single messages of ONNX for new parts of a file.
 *
 * Numbers of fields are those of onnx.proto.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/messages.h"

/* Arrays from this number of bytes on are stored outside, on multiples of ALIGNMENT so that they can be mapped. */
#define LARGE     1024
#define ALIGNMENT 4096

HybOnnxDType
onnx_dtype (HybDType dtype)
{
  for (HybOnnxDType other = HYB_ONNX_FLOAT; other <= HYB_ONNX_BFLOAT16; other++)
    if (hyb_onnx_dtype_to_engine (other) == dtype)
      return other;
  return HYB_ONNX_UNDEFINED;
}

/* --- TensorProto --- */

static void
write_entry (HybProtobufWriter *tensor, const char *key, const char *value)
{
  HybProtobufWriter *entry = hyb_protobuf_writer_new ();

  hyb_protobuf_write_string (entry, 1, key);
  hyb_protobuf_write_string (entry, 2, value);
  hyb_protobuf_write_message (tensor, 13, entry);
}

static void
write_external (HybProtobufWriter *message, GBytes *bytes, OnnxExternal *external)
{
  gsize            length = g_bytes_get_size (bytes);
  guint64          padding = -external->length % ALIGNMENT;
  g_autofree char *offset = NULL, *size = g_strdup_printf ("%" G_GSIZE_FORMAT, length);

  if (padding > 0)
    g_ptr_array_add (external->pieces, g_bytes_new_take (g_malloc0 (padding), padding));
  external->length += padding;
  offset = g_strdup_printf ("%" G_GUINT64_FORMAT, external->length);
  g_ptr_array_add (external->pieces, g_bytes_ref (bytes));
  external->length += length;
  write_entry (message, "location", external->location);
  write_entry (message, "offset", offset);
  write_entry (message, "length", size);
  hyb_protobuf_write_int (message, 14, 1); /* data_location: EXTERNAL */
}

HybProtobufWriter *
onnx_tensor_message (const char *name, HybTensor *tensor, OnnxExternal *external)
{
  HybProtobufWriter *message = hyb_protobuf_writer_new ();
  const HybType     *type = hyb_tensor_get_type (tensor);
  g_autoptr (GBytes) bytes =
      g_bytes_new_with_free_func (hyb_tensor_get_data (tensor), hyb_tensor_get_bytes (tensor),
                                  (GDestroyNotify) hyb_tensor_unref, hyb_tensor_ref (tensor));

  for (int i = 0; i < type->shape.rank; i++)
    hyb_protobuf_write_int (message, 1, (guint64) type->shape.dim[i]);
  hyb_protobuf_write_int (message, 2, onnx_dtype (type->dtype));
  hyb_protobuf_write_string (message, 8, name);
  if (external && g_bytes_get_size (bytes) >= LARGE)
    write_external (message, bytes, external);
  else
    hyb_protobuf_write_bytes (message, 9, bytes);
  return message;
}

/* --- ValueInfoProto --- */

static HybProtobufWriter *
shape_message (const HybShape *shape, const char *const *dims)
{
  HybProtobufWriter *message = hyb_protobuf_writer_new ();

  for (int i = 0; i < shape->rank; i++)
    {
      HybProtobufWriter *dim = hyb_protobuf_writer_new ();

      if (shape->dim[i] >= 0)
        hyb_protobuf_write_int (dim, 1, (guint64) shape->dim[i]);
      else if (dims && dims[i])
        hyb_protobuf_write_string (dim, 2, dims[i]);
      hyb_protobuf_write_message (message, 1, dim);
    }
  return message;
}

HybProtobufWriter *
onnx_value_message (const char *name, const HybType *type, const char *const *dims)
{
  HybProtobufWriter *message = hyb_protobuf_writer_new ();
  HybProtobufWriter *any = hyb_protobuf_writer_new ();
  HybProtobufWriter *tensor = hyb_protobuf_writer_new ();

  hyb_protobuf_write_int (tensor, 1, onnx_dtype (type->dtype));
  if (type->shape.rank >= 0)
    hyb_protobuf_write_message (tensor, 2, shape_message (&type->shape, dims));
  hyb_protobuf_write_message (any, 1, tensor);
  hyb_protobuf_write_string (message, 1, name);
  hyb_protobuf_write_message (message, 2, any);
  return message;
}

HybProtobufWriter *
onnx_opset_message (const char *domain, gint64 version)
{
  HybProtobufWriter *message = hyb_protobuf_writer_new ();

  hyb_protobuf_write_string (message, 1, domain);
  hyb_protobuf_write_int (message, 2, (guint64) version);
  return message;
}
