/* document-values.c — ValueInfoProto and TypeProto: names, element types and declared shapes of values.
 *
 * TypeProto is one of six messages, some of which have a TypeProto inside.  Each becomes a HybOnnxValueInfo with
 * the element type and shape of its innermost tensor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

/* --- Shapes --- */

static const HybProtobufMember dim_members[] = {
  HYB_PROTOBUF_FIELD (HybOnnxDim, 1, INT64, value),
  HYB_PROTOBUF_FIELD (HybOnnxDim, 2, STRING, name),
};

/* The last field of a message that has one of these numbers; 0: none.  The message was read before, so nothing
 * fails. */
static guint
find_last (HybProtobuf *file, const HybProtobufSpan *span, guint64 numbers)
{
  HybProtobufCursor cursor = hyb_protobuf_cursor (span);
  HybProtobufField  field;
  guint             last = 0;

  while (hyb_protobuf_next (file, &cursor, &field, NULL))
    if (field.number < 64 && (numbers >> field.number & 1))
      last = field.number;
  return last;
}

/* A dimension is a number or a name: the one that comes last. */
static gboolean
read_dim (HybProtobuf              *file,
          const HybProtobufMessage *message,
          const HybProtobufSpan    *span,
          gpointer                  item,
          GError                  **error)
{
  HybOnnxDim *dim = item;
  guint       last;

  if (!hyb_protobuf_read_members (file, message, span, dim, error))
    return FALSE;
  last = find_last (file, span, 1 << 1 | 1 << 2);
  if (last != 1 || dim->value < 0)
    dim->value = -1;
  if (last != 2)
    dim->name = NULL;
  return TRUE;
}

static const HybProtobufMessage dim_message = {
  .name = "TensorShapeProto.Dimension",
  .size = sizeof (HybOnnxDim),
  .n_members = G_N_ELEMENTS (dim_members),
  .members = dim_members,
  .read = read_dim,
};

typedef struct
{
  guint       n_dims;
  HybOnnxDim *dims;
} Shape;

static const HybProtobufMember shape_members[] = {
  HYB_PROTOBUF_MESSAGES (Shape, 1, &dim_message, dims, n_dims),
};

static const HybProtobufMessage shape_message = {
  .name = "TensorShapeProto",
  .size = sizeof (Shape),
  .n_members = G_N_ELEMENTS (shape_members),
  .members = shape_members,
};

/* --- Types --- */

/* Any of the messages of TypeProto. */
typedef struct
{
  HybOnnxDType      dtype; /* of tensors */
  Shape            *shape;
  HybOnnxValueInfo *element; /* of sequences and optionals; the values of maps */
} AnyType;

/* The messages by the numbers of their fields in TypeProto. */
typedef struct
{
  AnyType *tensor, *sequence, *map, *opaque, *sparse, *optional;
} Types;

static const HybProtobufMember tensor_members[] = {
  HYB_PROTOBUF_FIELD (AnyType, 1, INT32, dtype),
  HYB_PROTOBUF_ONE_MESSAGE (AnyType, 2, &shape_message, shape),
};

static const HybProtobufMember element_members[] = {
  HYB_PROTOBUF_ONE_MESSAGE (AnyType, 1, &hyb_onnx_type_message, element),
};

static const HybProtobufMember map_members[] = {
  HYB_PROTOBUF_ONE_MESSAGE (AnyType, 2, &hyb_onnx_type_message, element),
};

#define TYPE_MESSAGE(name_, members_)                                                \
  {                                                                                  \
    .name = (name_), .size = sizeof (AnyType), .n_members = G_N_ELEMENTS (members_), \
    .members = (members_),                                                           \
  }

static const HybProtobufMessage tensor_message = TYPE_MESSAGE ("TypeProto.Tensor", tensor_members);
static const HybProtobufMessage sparse_message =
    TYPE_MESSAGE ("TypeProto.SparseTensor", tensor_members);
static const HybProtobufMessage sequence_message =
    TYPE_MESSAGE ("TypeProto.Sequence", element_members);
static const HybProtobufMessage optional_message =
    TYPE_MESSAGE ("TypeProto.Optional", element_members);
static const HybProtobufMessage map_message = TYPE_MESSAGE ("TypeProto.Map", map_members);
static const HybProtobufMessage opaque_message = { .name = "TypeProto.Opaque",
                                                   .size = sizeof (AnyType) };

static const HybProtobufMember type_members[] = {
  HYB_PROTOBUF_ONE_MESSAGE (Types, 1, &tensor_message, tensor),
  HYB_PROTOBUF_ONE_MESSAGE (Types, 4, &sequence_message, sequence),
  HYB_PROTOBUF_ONE_MESSAGE (Types, 5, &map_message, map),
  HYB_PROTOBUF_ONE_MESSAGE (Types, 7, &opaque_message, opaque),
  HYB_PROTOBUF_ONE_MESSAGE (Types, 8, &sparse_message, sparse),
  HYB_PROTOBUF_ONE_MESSAGE (Types, 9, &optional_message, optional),
};

/* The kind of each of them. */
static const HybOnnxTypeKind kinds[] = {
  HYB_ONNX_TYPE_TENSOR, HYB_ONNX_TYPE_SEQUENCE, HYB_ONNX_TYPE_MAP,
  HYB_ONNX_TYPE_OPAQUE, HYB_ONNX_TYPE_SPARSE,   HYB_ONNX_TYPE_OPTIONAL,
};

/* Element type and shape: the type's own, or its element's. */
static void
take_type (HybOnnxValueInfo *value, const AnyType *type)
{
  value->dtype = type->dtype;
  if (type->shape)
    {
      value->has_shape = TRUE;
      value->n_dims = type->shape->n_dims;
      value->dims = type->shape->dims;
    }
  if (type->element)
    {
      value->dtype = type->element->dtype;
      value->has_shape = type->element->has_shape;
      value->n_dims = type->element->n_dims;
      value->dims = type->element->dims;
    }
}

static gboolean
read_type (HybProtobuf              *file,
           const HybProtobufMessage *message,
           const HybProtobufSpan    *span,
           gpointer                  item,
           GError                  **error)
{
  HybOnnxValueInfo *value = item;
  Types             types = { 0 };
  guint64           numbers = 0;
  guint             last;

  if (!hyb_protobuf_read_members (file, message, span, &types, error))
    return FALSE;
  value->name = "";
  value->bytes = span->bytes;
  for (guint i = 0; i < message->n_members; i++)
    numbers |= (guint64) 1 << message->members[i].number;
  last = find_last (file, span, numbers);
  for (guint i = 0; i < message->n_members; i++)
    if (message->members[i].number == last)
      {
        value->kind = kinds[i];
        take_type (value, G_STRUCT_MEMBER (AnyType *, &types, message->members[i].offset));
      }
  return TRUE;
}

const HybProtobufMessage hyb_onnx_type_message = {
  .name = "TypeProto",
  .size = sizeof (HybOnnxValueInfo),
  .n_members = G_N_ELEMENTS (type_members),
  .members = type_members,
  .read = read_type,
};

/* --- Values --- */

typedef struct
{
  const char       *name;
  HybOnnxValueInfo *type;
  guint             n_metadata;
  HybOnnxEntry     *metadata;
} Value;

static const HybProtobufMember value_members[] = {
  HYB_PROTOBUF_FIELD (Value, 1, STRING, name),
  HYB_PROTOBUF_ONE_MESSAGE (Value, 2, &hyb_onnx_type_message, type),
  HYB_PROTOBUF_MESSAGES (Value, 4, &hyb_onnx_entry_message, metadata, n_metadata),
};

static gboolean
read_value (HybProtobuf              *file,
            const HybProtobufMessage *message,
            const HybProtobufSpan    *span,
            gpointer                  item,
            GError                  **error)
{
  HybOnnxValueInfo *value = item;
  Value             read = { 0 };

  if (!hyb_protobuf_read_members (file, message, span, &read, error))
    return FALSE;
  if (read.type)
    *value = *read.type;
  value->name = read.name;
  value->n_metadata = read.n_metadata;
  value->metadata = read.metadata;
  value->bytes = span->bytes;
  return TRUE;
}

const HybProtobufMessage hyb_onnx_value_message = {
  .name = "ValueInfoProto",
  .size = sizeof (HybOnnxValueInfo),
  .n_members = G_N_ELEMENTS (value_members),
  .members = value_members,
  .read = read_value,
};
