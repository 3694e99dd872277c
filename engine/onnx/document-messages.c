/* document-messages.c — the fields of each message of ONNX, and what is completed behind the last of them.
 *
 * Numbers are those of onnx.proto.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

#include "engine/base/error.h"

#include <string.h>

#define AT(Struct, name)         .offset = G_STRUCT_OFFSET (Struct, name)
#define LIST(Struct, count, name) \
  .offset = G_STRUCT_OFFSET (Struct, count), .list = G_STRUCT_OFFSET (Struct, name)
#define BYTES(Struct) .size = sizeof (Struct), .bytes = G_STRUCT_OFFSET (Struct, bytes)

/* --- Entries and operator sets --- */

static const OnnxField entry_fields[] = {
  { 1, ONNX_STRING, AT (HybOnnxEntry, key) },
  { 2, ONNX_STRING, AT (HybOnnxEntry, value) },
  { 0 },
};
const OnnxMessage hyb_onnx_message_entry = { sizeof (HybOnnxEntry), entry_fields };

/* The default domain has two spellings. */
static const char *
plain_domain (const char *domain)
{
  return strcmp (domain, "ai.onnx") == 0 ? "" : domain;
}

static gboolean
finish_opset (OnnxParser *parser, gpointer object, gsize offset, GError **error)
{
  HybOnnxOpset *opset = object;

  opset->domain = plain_domain (opset->domain);
  return TRUE;
}

static const OnnxField opset_fields[] = {
  { 1, ONNX_STRING, AT (HybOnnxOpset, domain) },
  { 2, ONNX_INT, AT (HybOnnxOpset, version) },
  { 0 },
};
static const OnnxMessage opset_message = { sizeof (HybOnnxOpset),
                                           opset_fields,
                                           .finish = finish_opset };

/* --- Tensors --- */

/* Low bytes of the numbers of typed fields, one element after the other. */
static gboolean
convert_typed (OnnxParser *parser, HybOnnxTensor *tensor, GError **error)
{
  guint   n = parser->numbers->len;
  guint   bits = hyb_onnx_dtype_bits (tensor->dtype);
  gsize   width = bits < 8 ? 1 : bits / 8;
  guint8 *to;

  /* Complex elements are two numbers. */
  if (tensor->dtype == HYB_ONNX_COMPLEX64 || tensor->dtype == HYB_ONNX_COMPLEX128)
    width /= 2;
  if (n == 0 || bits == 0)
    return TRUE;
  to = hyb_onnx_parser_alloc (parser, n, width, error);
  if (!to)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      guint64 value = g_array_index (parser->numbers, guint64, i);

      for (gsize b = 0; b < width; b++)
        to[i * width + b] = (guint8) (value >> (8 * b));
    }
  tensor->typed = to;
  tensor->typed_bytes = n * width;
  return TRUE;
}

static gboolean
finish_tensor (OnnxParser *parser, gpointer object, gsize offset, GError **error)
{
  HybOnnxTensor *tensor = object;
  gboolean       is_done = convert_typed (parser, tensor, error);

  g_array_set_size (parser->numbers, 0);
  tensor->is_external = tensor->location == 1;
  for (guint i = 0; is_done && i < tensor->n_dims; i++)
    if (tensor->dims[i] < 0)
      return hyb_error_at (error,
                           HYB_FORMAT_ERROR,
                           HYB_FORMAT_ERROR_MALFORMED,
                           NULL,
                           NULL,
                           "byte %" G_GSIZE_FORMAT ": the tensor “%s” has a dimension of "
                           "%" G_GINT64_FORMAT,
                           offset,
                           tensor->name,
                           tensor->dims[i]);
  return is_done;
}

static const OnnxField tensor_fields[] = {
  { 1, ONNX_INTS, LIST (HybOnnxTensor, n_dims, dims) },
  { 2, ONNX_ENUM, AT (HybOnnxTensor, dtype) },
  { 4, ONNX_DATA, .wire = HYB_WIRE_FIXED32 },
  { 5, ONNX_DATA, .wire = HYB_WIRE_VARINT },
  { 6, ONNX_BYTES_LIST, LIST (HybOnnxTensor, n_strings, strings) },
  { 7, ONNX_DATA, .wire = HYB_WIRE_VARINT },
  { 8, ONNX_STRING, AT (HybOnnxTensor, name) },
  { 9, ONNX_BYTES, AT (HybOnnxTensor, raw) },
  { 10, ONNX_DATA, .wire = HYB_WIRE_FIXED64 },
  { 11, ONNX_DATA, .wire = HYB_WIRE_VARINT },
  { 12, ONNX_STRING, AT (HybOnnxTensor, doc) },
  { 13, ONNX_MESSAGES, LIST (HybOnnxTensor, n_external, external), &hyb_onnx_message_entry },
  { 14, ONNX_ENUM, AT (HybOnnxTensor, location) },
  { 0 },
};
const OnnxMessage hyb_onnx_message_tensor = { BYTES (HybOnnxTensor),
                                              .fields = tensor_fields,
                                              .finish = finish_tensor };

static gboolean
finish_sparse (OnnxParser *parser, gpointer object, gsize offset, GError **error)
{
  HybOnnxSparse *sparse = object;

  for (guint i = 0; i < sparse->n_dims; i++)
    if (sparse->dims[i] < 0)
      return hyb_error_at (error,
                           HYB_FORMAT_ERROR,
                           HYB_FORMAT_ERROR_MALFORMED,
                           NULL,
                           NULL,
                           "byte %" G_GSIZE_FORMAT ": a sparse tensor has a negative dimension",
                           offset);
  return TRUE;
}

static const OnnxField sparse_fields[] = {
  { 1, ONNX_MESSAGE, AT (HybOnnxSparse, values), .message = &hyb_onnx_message_tensor },
  { 2, ONNX_MESSAGE, AT (HybOnnxSparse, indices), .message = &hyb_onnx_message_tensor },
  { 3, ONNX_INTS, LIST (HybOnnxSparse, n_dims, dims) },
  { 0 },
};
const OnnxMessage hyb_onnx_message_sparse = { sizeof (HybOnnxSparse),
                                              sparse_fields,
                                              .finish = finish_sparse };

/* --- Types --- */

/* The messages of a type fill the HybOnnxValueInfo that has it. */
static void
begin_dim (gpointer object)
{
  ((HybOnnxDim *) object)->value = -1;
}

static gboolean
finish_dim (OnnxParser *parser, gpointer object, gsize offset, GError **error)
{
  HybOnnxDim *dim = object;

  dim->value = MAX (dim->value, -1);
  return TRUE;
}

static const OnnxField dim_fields[] = {
  { 1, ONNX_INT, AT (HybOnnxDim, value) },
  { 2, ONNX_STRING, AT (HybOnnxDim, name), .tag = -1 },
  { 0 },
};
static const OnnxMessage dim_message = { sizeof (HybOnnxDim),
                                         dim_fields,
                                         .begin = begin_dim,
                                         .finish = finish_dim };

static const OnnxField shape_fields[] = {
  { 1, ONNX_MESSAGES, LIST (HybOnnxValueInfo, n_dims, dims), &dim_message },
  { 0 },
};
static const OnnxMessage shape_message = { sizeof (HybOnnxValueInfo), shape_fields };

static const OnnxField tensor_type_fields[] = {
  { 1, ONNX_ENUM, AT (HybOnnxValueInfo, dtype) },
  { 2,
    ONNX_INLINE,
    .list = G_STRUCT_OFFSET (HybOnnxValueInfo, has_shape),
    .tag = TRUE,
    .message = &shape_message },
  { 0 },
};
static const OnnxMessage tensor_type_message = { sizeof (HybOnnxValueInfo), tensor_type_fields };

#define KIND(value) .list = G_STRUCT_OFFSET (HybOnnxValueInfo, kind), .tag = (value)

/* The element of a sequence or optional: what it is does not change the kind of the whole. */
extern const OnnxMessage onnx_element_message;

static const OnnxField holder_fields[] = {
  { 1, ONNX_INLINE, .tag = -1, .message = &onnx_element_message },
  { 0 },
};
static const OnnxMessage holder_message = { sizeof (HybOnnxValueInfo), holder_fields };

static const OnnxField map_fields[] = {
  { 2, ONNX_INLINE, .tag = -1, .message = &onnx_element_message },
  { 0 },
};
static const OnnxMessage map_message = { sizeof (HybOnnxValueInfo), map_fields };

static const OnnxField nothing_fields[] = { { 0 } };
static const OnnxMessage nothing_message = { sizeof (HybOnnxValueInfo), nothing_fields };

static const OnnxField element_fields[] = {
  { 1, ONNX_INLINE, .tag = -1, .message = &tensor_type_message },
  { 4, ONNX_INLINE, .tag = -1, .message = &holder_message },
  { 5, ONNX_INLINE, .tag = -1, .message = &map_message },
  { 8, ONNX_INLINE, .tag = -1, .message = &tensor_type_message },
  { 9, ONNX_INLINE, .tag = -1, .message = &holder_message },
  { 0 },
};
const OnnxMessage onnx_element_message = { sizeof (HybOnnxValueInfo), element_fields };

static const OnnxField type_fields[] = {
  { 1, ONNX_INLINE, KIND (HYB_ONNX_TYPE_TENSOR), .message = &tensor_type_message },
  { 4, ONNX_INLINE, KIND (HYB_ONNX_TYPE_SEQUENCE), .message = &holder_message },
  { 5, ONNX_INLINE, KIND (HYB_ONNX_TYPE_MAP), .message = &map_message },
  { 7, ONNX_INLINE, KIND (HYB_ONNX_TYPE_OPAQUE), .message = &nothing_message },
  { 8, ONNX_INLINE, KIND (HYB_ONNX_TYPE_SPARSE), .message = &tensor_type_message },
  { 9, ONNX_INLINE, KIND (HYB_ONNX_TYPE_OPTIONAL), .message = &holder_message },
  { 0 },
};
const OnnxMessage hyb_onnx_message_type = { sizeof (HybOnnxValueInfo), type_fields };

static const OnnxField value_fields[] = {
  { 1, ONNX_STRING, AT (HybOnnxValueInfo, name) },
  { 2, ONNX_INLINE, .tag = -1, .message = &hyb_onnx_message_type },
  { 4, ONNX_MESSAGES, LIST (HybOnnxValueInfo, n_metadata, metadata), &hyb_onnx_message_entry },
  { 0 },
};
const OnnxMessage hyb_onnx_message_value = { BYTES (HybOnnxValueInfo), .fields = value_fields };

/* --- Nodes --- */

/* The kind of an attribute that does not state it. */
static HybOnnxAttributeKind
guess_kind (const HybOnnxAttribute *attribute)
{
  static const struct
  {
    guint                field;
    HybOnnxAttributeKind kind;
  } kinds[] = {
    { 2, HYB_ONNX_ATTRIBUTE_FLOAT },          { 3, HYB_ONNX_ATTRIBUTE_INT },
    { 4, HYB_ONNX_ATTRIBUTE_STRING },         { 5, HYB_ONNX_ATTRIBUTE_TENSOR },
    { 6, HYB_ONNX_ATTRIBUTE_GRAPH },          { 7, HYB_ONNX_ATTRIBUTE_FLOATS },
    { 8, HYB_ONNX_ATTRIBUTE_INTS },           { 9, HYB_ONNX_ATTRIBUTE_STRINGS },
    { 10, HYB_ONNX_ATTRIBUTE_TENSORS },       { 11, HYB_ONNX_ATTRIBUTE_GRAPHS },
    { 14, HYB_ONNX_ATTRIBUTE_TYPE_PROTO },    { 22, HYB_ONNX_ATTRIBUTE_SPARSE_TENSOR },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (attribute->seen >> kinds[i].field & 1)
      return kinds[i].kind;
  return HYB_ONNX_ATTRIBUTE_NONE;
}

/* TRUE if the member of its kind is there. */
static gboolean
has_value (const HybOnnxAttribute *attribute)
{
  switch (attribute->kind)
    {
    case HYB_ONNX_ATTRIBUTE_TENSOR:
      return attribute->tensor != NULL;
    case HYB_ONNX_ATTRIBUTE_GRAPH:
      return attribute->n_graphs > 0;
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSOR:
      return attribute->sparse != NULL;
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTO:
      return attribute->type != NULL;
    case HYB_ONNX_ATTRIBUTE_NONE:
    case HYB_ONNX_ATTRIBUTE_FLOAT:
    case HYB_ONNX_ATTRIBUTE_INT:
    case HYB_ONNX_ATTRIBUTE_STRING:
    case HYB_ONNX_ATTRIBUTE_FLOATS:
    case HYB_ONNX_ATTRIBUTE_INTS:
    case HYB_ONNX_ATTRIBUTE_STRINGS:
    case HYB_ONNX_ATTRIBUTE_TENSORS:
    case HYB_ONNX_ATTRIBUTE_GRAPHS:
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSORS:
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTOS:
      return TRUE;
    }
  return FALSE;
}

static gboolean
finish_attribute (OnnxParser *parser, gpointer object, gsize offset, GError **error)
{
  HybOnnxAttribute *attribute = object;
  const guint       counts[] = {
          [HYB_ONNX_ATTRIBUTE_FLOATS] = attribute->n_floats,
          [HYB_ONNX_ATTRIBUTE_INTS] = attribute->n_ints,
          [HYB_ONNX_ATTRIBUTE_STRINGS] = attribute->n_strings,
          [HYB_ONNX_ATTRIBUTE_TENSORS] = attribute->n_tensors,
          [HYB_ONNX_ATTRIBUTE_GRAPHS] = attribute->n_graphs,
  };

  if (attribute->reference && attribute->reference[0] == '\0')
    attribute->reference = NULL;
  if (attribute->kind == HYB_ONNX_ATTRIBUTE_NONE)
    attribute->kind = guess_kind (attribute);
  if (!has_value (attribute))
    attribute->kind = HYB_ONNX_ATTRIBUTE_NONE;
  attribute->n = attribute->kind < G_N_ELEMENTS (counts) ? counts[attribute->kind] : 0;
  return TRUE;
}

static const OnnxField attribute_fields[] = {
  { 1, ONNX_STRING, AT (HybOnnxAttribute, name) },
  { 2, ONNX_FLOAT, AT (HybOnnxAttribute, f) },
  { 3, ONNX_INT, AT (HybOnnxAttribute, i) },
  { 4, ONNX_BYTES, AT (HybOnnxAttribute, s) },
  { 5, ONNX_MESSAGE, AT (HybOnnxAttribute, tensor), .message = &hyb_onnx_message_tensor },
  { 6, ONNX_POINTERS, LIST (HybOnnxAttribute, n_graphs, graphs), &hyb_onnx_message_graph },
  { 7, ONNX_FLOATS, LIST (HybOnnxAttribute, n_floats, floats) },
  { 8, ONNX_INTS, LIST (HybOnnxAttribute, n_ints, ints) },
  { 9, ONNX_BYTES_LIST, LIST (HybOnnxAttribute, n_strings, strings) },
  { 10, ONNX_MESSAGES, LIST (HybOnnxAttribute, n_tensors, tensors), &hyb_onnx_message_tensor },
  { 11, ONNX_POINTERS, LIST (HybOnnxAttribute, n_graphs, graphs), &hyb_onnx_message_graph },
  { 14, ONNX_MESSAGE, AT (HybOnnxAttribute, type), .message = &hyb_onnx_message_type },
  { 20, ONNX_ENUM, AT (HybOnnxAttribute, kind) },
  { 21, ONNX_STRING, AT (HybOnnxAttribute, reference), .tag = -1 },
  { 22, ONNX_MESSAGE, AT (HybOnnxAttribute, sparse), .message = &hyb_onnx_message_sparse },
  { 0 },
};
static const OnnxMessage attribute_message = { BYTES (HybOnnxAttribute),
                                               .fields = attribute_fields,
                                               .seen =
                                                   G_STRUCT_OFFSET (HybOnnxAttribute, seen),
                                               .finish = finish_attribute };

static gboolean
finish_node (OnnxParser *parser, gpointer object, gsize offset, GError **error)
{
  HybOnnxNode *node = object;

  node->domain = plain_domain (node->domain);
  return TRUE;
}

static const OnnxField node_fields[] = {
  { 1, ONNX_STRINGS, LIST (HybOnnxNode, n_inputs, inputs) },
  { 2, ONNX_STRINGS, LIST (HybOnnxNode, n_outputs, outputs) },
  { 3, ONNX_STRING, AT (HybOnnxNode, name) },
  { 4, ONNX_STRING, AT (HybOnnxNode, op_type) },
  { 5, ONNX_MESSAGES, LIST (HybOnnxNode, n_attributes, attributes), &attribute_message },
  { 6, ONNX_STRING, AT (HybOnnxNode, doc) },
  { 7, ONNX_STRING, AT (HybOnnxNode, domain) },
  { 8, ONNX_STRING, AT (HybOnnxNode, overload) },
  { 9, ONNX_MESSAGES, LIST (HybOnnxNode, n_metadata, metadata), &hyb_onnx_message_entry },
  { 0 },
};
const OnnxMessage hyb_onnx_message_node = { BYTES (HybOnnxNode),
                                            .fields = node_fields,
                                            .place = G_STRUCT_OFFSET (HybOnnxNode, offset),
                                            .finish = finish_node };

/* --- Graphs, functions, models --- */

static const OnnxField graph_fields[] = {
  { 1, ONNX_MESSAGES, LIST (HybOnnxGraph, n_nodes, nodes), &hyb_onnx_message_node },
  { 2, ONNX_STRING, AT (HybOnnxGraph, name) },
  { 5, ONNX_MESSAGES, LIST (HybOnnxGraph, n_initializers, initializers), &hyb_onnx_message_tensor },
  { 10, ONNX_STRING, AT (HybOnnxGraph, doc) },
  { 11, ONNX_MESSAGES, LIST (HybOnnxGraph, n_inputs, inputs), &hyb_onnx_message_value },
  { 12, ONNX_MESSAGES, LIST (HybOnnxGraph, n_outputs, outputs), &hyb_onnx_message_value },
  { 13, ONNX_MESSAGES, LIST (HybOnnxGraph, n_values, values), &hyb_onnx_message_value },
  { 15, ONNX_MESSAGES, LIST (HybOnnxGraph, n_sparse, sparse), &hyb_onnx_message_sparse },
  { 16, ONNX_MESSAGES, LIST (HybOnnxGraph, n_metadata, metadata), &hyb_onnx_message_entry },
  { 0 },
};
const OnnxMessage hyb_onnx_message_graph = { BYTES (HybOnnxGraph), .fields = graph_fields };

static gboolean
finish_function (OnnxParser *parser, gpointer object, gsize offset, GError **error)
{
  HybOnnxFunction *function = object;

  function->domain = plain_domain (function->domain);
  return TRUE;
}

static const OnnxField function_fields[] = {
  { 1, ONNX_STRING, AT (HybOnnxFunction, name) },
  { 4, ONNX_STRINGS, LIST (HybOnnxFunction, n_inputs, inputs) },
  { 5, ONNX_STRINGS, LIST (HybOnnxFunction, n_outputs, outputs) },
  { 6, ONNX_STRINGS, LIST (HybOnnxFunction, n_attributes, attributes) },
  { 7, ONNX_MESSAGES, LIST (HybOnnxFunction, n_nodes, nodes), &hyb_onnx_message_node },
  { 8, ONNX_STRING, AT (HybOnnxFunction, doc) },
  { 9, ONNX_MESSAGES, LIST (HybOnnxFunction, n_opsets, opsets), &opset_message },
  { 10, ONNX_STRING, AT (HybOnnxFunction, domain) },
  { 11, ONNX_MESSAGES, LIST (HybOnnxFunction, n_defaults, defaults), &attribute_message },
  { 12, ONNX_MESSAGES, LIST (HybOnnxFunction, n_values, values), &hyb_onnx_message_value },
  { 13, ONNX_STRING, AT (HybOnnxFunction, overload) },
  { 0 },
};
static const OnnxMessage function_message = { BYTES (HybOnnxFunction),
                                              .fields = function_fields,
                                              .finish = finish_function };

static const OnnxField model_fields[] = {
  { 1, ONNX_INT, AT (HybOnnxDocument, ir_version) },
  { 2, ONNX_STRING, AT (HybOnnxDocument, producer_name) },
  { 3, ONNX_STRING, AT (HybOnnxDocument, producer_version) },
  { 4, ONNX_STRING, AT (HybOnnxDocument, domain) },
  { 5, ONNX_INT, AT (HybOnnxDocument, model_version) },
  { 6, ONNX_STRING, AT (HybOnnxDocument, doc) },
  { 7, ONNX_MESSAGE, AT (HybOnnxDocument, graph), .message = &hyb_onnx_message_graph },
  { 8, ONNX_MESSAGES, LIST (HybOnnxDocument, n_opsets, opsets), &opset_message },
  { 14, ONNX_MESSAGES, LIST (HybOnnxDocument, n_metadata, metadata), &hyb_onnx_message_entry },
  { 25, ONNX_MESSAGES, LIST (HybOnnxDocument, n_functions, functions), &function_message },
  { 0 },
};
const OnnxMessage hyb_onnx_message_model = { sizeof (HybOnnxDocument), model_fields };
