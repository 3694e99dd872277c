/* document-attribute.c — AttributeProto: the member of its kind becomes the value.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

/* All that the message may hold. */
typedef struct
{
  const char       *name;
  const char       *reference;
  guint32           kind;
  float             f;
  gint64            i;
  HybOnnxBytes      s;
  HybOnnxTensor    *tensor;
  HybOnnxGraph     *graph;
  HybOnnxSparse    *sparse;
  HybOnnxValueInfo *type;
  guint             n_floats, n_ints, n_strings, n_tensors, n_graphs, n_sparses, n_types;
  float            *floats;
  gint64           *ints;
  HybOnnxBytes     *strings;
  HybOnnxTensor    *tensors;
  HybOnnxGraph     *graphs;
  HybOnnxSparse    *sparses;
  HybOnnxValueInfo *types;
} Attribute;

static const HybProtobufMember members[] = {
  HYB_PROTOBUF_FIELD (Attribute, 1, STRING, name),
  HYB_PROTOBUF_FIELD (Attribute, 2, FLOAT, f),
  HYB_PROTOBUF_FIELD (Attribute, 3, INT64, i),
  HYB_PROTOBUF_FIELD (Attribute, 4, BYTES, s),
  HYB_PROTOBUF_ONE_MESSAGE (Attribute, 5, &hyb_onnx_tensor_message, tensor),
  HYB_PROTOBUF_ONE_MESSAGE (Attribute, 6, &hyb_onnx_graph_message, graph),
  HYB_PROTOBUF_LIST (Attribute, 7, FLOAT, floats, n_floats),
  HYB_PROTOBUF_LIST (Attribute, 8, INT64, ints, n_ints),
  HYB_PROTOBUF_LIST (Attribute, 9, BYTES, strings, n_strings),
  HYB_PROTOBUF_MESSAGES (Attribute, 10, &hyb_onnx_tensor_message, tensors, n_tensors),
  HYB_PROTOBUF_MESSAGES (Attribute, 11, &hyb_onnx_graph_message, graphs, n_graphs),
  HYB_PROTOBUF_ONE_MESSAGE (Attribute, 14, &hyb_onnx_type_message, type),
  HYB_PROTOBUF_MESSAGES (Attribute, 15, &hyb_onnx_type_message, types, n_types),
  HYB_PROTOBUF_FIELD (Attribute, 20, INT32, kind),
  HYB_PROTOBUF_FIELD (Attribute, 21, STRING, reference),
  HYB_PROTOBUF_ONE_MESSAGE (Attribute, 22, &hyb_onnx_sparse_message, sparse),
  HYB_PROTOBUF_MESSAGES (Attribute, 23, &hyb_onnx_sparse_message, sparses, n_sparses),
};

/* A field with a value: its kind, and the source and destination of its pointer. */
typedef struct
{
  guint                number;
  HybOnnxAttributeKind kind;
  gsize                from, count; /* in Attribute; HYB_PROTOBUF_ONE: it is not a list */
  gsize                to;          /* in HybOnnxAttribute; 0: the value is not a pointer */
} Kind;

#define ONE(number, name, member, to)                                                         \
  {                                                                                           \
    number, HYB_ONNX_ATTRIBUTE_##name, G_STRUCT_OFFSET (Attribute, member), HYB_PROTOBUF_ONE, \
        G_STRUCT_OFFSET (HybOnnxAttribute, to)                                                \
  }
#define LIST(number, name, member, to)                                                  \
  {                                                                                     \
    number, HYB_ONNX_ATTRIBUTE_##name, G_STRUCT_OFFSET (Attribute, member),             \
        G_STRUCT_OFFSET (Attribute, n_##member), G_STRUCT_OFFSET (HybOnnxAttribute, to) \
  }

static const Kind kinds[] = {
  { .number = 2, .kind = HYB_ONNX_ATTRIBUTE_FLOAT },
  { .number = 3, .kind = HYB_ONNX_ATTRIBUTE_INT },
  { .number = 4, .kind = HYB_ONNX_ATTRIBUTE_STRING },
  ONE (5, TENSOR, tensor, tensor),
  ONE (6, GRAPH, graph, graphs),
  LIST (7, FLOATS, floats, floats),
  LIST (8, INTS, ints, ints),
  LIST (9, STRINGS, strings, strings),
  LIST (10, TENSORS, tensors, tensor),
  LIST (11, GRAPHS, graphs, graphs),
  ONE (14, TYPE_PROTO, type, type),
  LIST (15, TYPE_PROTOS, types, type),
  ONE (22, SPARSE_TENSOR, sparse, sparse),
  LIST (23, SPARSE_TENSORS, sparses, sparse),
};

/* The kind of the last field with a value, for attributes that give none, as before IR 3. */
static HybOnnxAttributeKind
guess_kind (HybProtobuf *file, const HybProtobufSpan *span)
{
  HybProtobufCursor    cursor = hyb_protobuf_cursor (span);
  HybProtobufField     field;
  HybOnnxAttributeKind kind = HYB_ONNX_ATTRIBUTE_NONE;

  while (hyb_protobuf_next (file, &cursor, &field, NULL))
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
      if (kinds[i].number == field.number)
        kind = kinds[i].kind;
  return kind;
}

/* n doubles from floats. */
static gboolean
take_floats (HybProtobuf *file, HybOnnxAttribute *attribute, const float *floats, GError **error)
{
  attribute->floats = hyb_protobuf_alloc (file, attribute->n, sizeof *attribute->floats, error);
  if (!attribute->floats)
    return FALSE;
  for (guint i = 0; i < attribute->n; i++)
    attribute->floats[i] = (double) floats[i];
  return TRUE;
}

/* One pointer for each of n graphs. */
static gboolean
take_graphs (HybProtobuf *file, HybOnnxAttribute *attribute, HybOnnxGraph *graphs, GError **error)
{
  attribute->graphs = hyb_protobuf_alloc (file, attribute->n, sizeof *attribute->graphs, error);
  if (!attribute->graphs)
    return FALSE;
  for (guint i = 0; i < attribute->n; i++)
    attribute->graphs[i] = &graphs[i];
  return TRUE;
}

/* The list of the attribute's kind; one message is a list of one. */
static gboolean
take_value (HybProtobuf *file, HybOnnxAttribute *attribute, const Attribute *read, GError **error)
{
  const Kind *kind = kinds;
  gpointer    list;

  while (kind < kinds + G_N_ELEMENTS (kinds) && kind->kind != attribute->kind)
    kind++;
  if (kind == kinds + G_N_ELEMENTS (kinds) || kind->to == 0)
    return TRUE;

  list = G_STRUCT_MEMBER (gpointer, read, kind->from);
  if (kind->count == HYB_PROTOBUF_ONE)
    attribute->n = list != NULL;
  else
    attribute->n = G_STRUCT_MEMBER (guint, read, kind->count);
  /* An attribute declared as a message without one has no value. */
  if (attribute->n == 0 && kind->count == HYB_PROTOBUF_ONE)
    attribute->kind = HYB_ONNX_ATTRIBUTE_NONE;
  if (attribute->n == 0)
    return TRUE;
  if (kind->kind == HYB_ONNX_ATTRIBUTE_FLOATS)
    return take_floats (file, attribute, list, error);
  if (kind->to == G_STRUCT_OFFSET (HybOnnxAttribute, graphs))
    return take_graphs (file, attribute, list, error);
  G_STRUCT_MEMBER (gpointer, attribute, kind->to) = list;
  return TRUE;
}

/* f, i and s are kept whatever the kind is: files of IR 1 and 2 leave it out, and some say a wrong one. */
static gboolean
read_attribute (HybProtobuf              *file,
                const HybProtobufMessage *message,
                const HybProtobufSpan    *span,
                gpointer                  item,
                GError                  **error)
{
  HybOnnxAttribute *attribute = item;
  Attribute         read = { 0 };

  if (!hyb_protobuf_read_members (file, message, span, &read, error))
    return FALSE;
  attribute->name = read.name;
  attribute->reference = read.reference[0] != '\0' ? read.reference : NULL;
  attribute->kind = (HybOnnxAttributeKind) read.kind;
  attribute->f = (double) read.f;
  attribute->i = read.i;
  attribute->s = read.s;
  attribute->bytes = span->bytes;
  if (attribute->kind == HYB_ONNX_ATTRIBUTE_NONE)
    attribute->kind = guess_kind (file, span);
  return take_value (file, attribute, &read, error);
}

const HybProtobufMessage hyb_onnx_attribute_message = {
  .name = "AttributeProto",
  .size = sizeof (HybOnnxAttribute),
  .n_members = G_N_ELEMENTS (members),
  .members = members,
  .read = read_attribute,
};
