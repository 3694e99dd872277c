/* test-document-values.c — tensors and attributes of an ONNX file: typed fields, raw data, every kind.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/onnx/messages.h"
#include "tests/program.h"

/* --- Tensors --- */

/* A tensor whose field of this number holds 1 and −1, and what its bytes are. */
typedef struct
{
  HybOnnxDType dtype;
  guint        field;
  gsize        n;
  guint8       bytes[16];
} Typed;

static void
put_one_and_minus_one (Message *tensor, guint field)
{
  static const float  floats[] = { 1, -1 };
  static const double doubles[] = { 1, -1 };
  Message            *packed = g_byte_array_new ();

  put_varint (packed, 1);
  put_varint (packed, G_MAXUINT64);
  if (field == 4)
    put_bytes (tensor, field, floats, sizeof floats);
  else if (field == 10)
    put_bytes (tensor, field, doubles, sizeof doubles);
  else
    put_bytes (tensor, field, packed->data, packed->len);
  g_byte_array_unref (packed);
}

static void
test_typed (void)
{
  static const Typed cases[] = {
    { HYB_ONNX_FLOAT, 4, 8, { 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf } },
    { HYB_ONNX_COMPLEX64, 4, 8, { 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf } },
    { HYB_ONNX_INT32, 5, 8, { 1, 0, 0, 0, 255, 255, 255, 255 } },
    { HYB_ONNX_INT16, 5, 4, { 1, 0, 255, 255 } },
    { HYB_ONNX_UINT16, 5, 4, { 1, 0, 255, 255 } },
    { HYB_ONNX_FLOAT16, 5, 4, { 1, 0, 255, 255 } },
    { HYB_ONNX_BFLOAT16, 5, 4, { 1, 0, 255, 255 } },
    { HYB_ONNX_INT8, 5, 2, { 1, 255 } },
    { HYB_ONNX_UINT8, 5, 2, { 1, 255 } },
    { HYB_ONNX_BOOL, 5, 2, { 1, 255 } },
    { HYB_ONNX_FLOAT8E4M3FN, 5, 2, { 1, 255 } },
    { HYB_ONNX_FLOAT8E4M3FNUZ, 5, 2, { 1, 255 } },
    { HYB_ONNX_FLOAT8E5M2, 5, 2, { 1, 255 } },
    { HYB_ONNX_FLOAT8E5M2FNUZ, 5, 2, { 1, 255 } },
    { HYB_ONNX_FLOAT8E8M0, 5, 2, { 1, 255 } },
    { HYB_ONNX_UINT4, 5, 2, { 1, 255 } },
    { HYB_ONNX_INT4, 5, 2, { 1, 255 } },
    { HYB_ONNX_FLOAT4E2M1, 5, 2, { 1, 255 } },
    { HYB_ONNX_UINT2, 5, 2, { 1, 255 } },
    { HYB_ONNX_INT2, 5, 2, { 1, 255 } },
    { HYB_ONNX_INT64, 7, 16, { 1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255 } },
    { HYB_ONNX_DOUBLE, 10, 16, { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf0, 0xbf } },
    { HYB_ONNX_COMPLEX128, 10, 16, { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf0, 0xbf } },
    { HYB_ONNX_UINT32, 11, 8, { 1, 0, 0, 0, 255, 255, 255, 255 } },
    { HYB_ONNX_UINT64, 11, 16, { 1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255 } },
    { HYB_ONNX_STRING, 5, 0, { 0 } },
    { HYB_ONNX_UNDEFINED, 5, 0, { 0 } },
    { (HybOnnxDType) 77, 5, 0, { 0 } },
    { (HybOnnxDType) -1, 5, 0, { 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Message *graph = g_byte_array_new (), *tensor = g_byte_array_new ();
      g_autoptr (HybOnnxDocument) document = NULL;
      const HybOnnxTensor *read;

      put_int (tensor, 2, cases[i].dtype);
      put_one_and_minus_one (tensor, cases[i].field);
      put_message (graph, 5, tensor);
      document = read_graph (graph);
      read = document->graph->initializers;
      g_assert_cmpint (read->dtype, ==, cases[i].dtype);
      g_assert_cmpmem (read->typed, read->typed_bytes, cases[i].bytes, cases[i].n);
      g_assert_cmpint (!read->typed, ==, cases[i].n == 0);
    }
}

static void
test_tensor (void)
{
  Message *graph = g_byte_array_new (), *tensor = g_byte_array_new ();
  Message *outside = g_byte_array_new (), *strings = g_byte_array_new ();
  g_autoptr (HybOnnxDocument) document = NULL;
  const HybOnnxTensor *read;

  put_int (tensor, 1, 2);
  put_int (tensor, 1, 0);
  put_int (tensor, 2, HYB_ONNX_FLOAT);
  put_float (tensor, 4, 3);
  put_string (tensor, 8, "w");
  put_bytes (tensor, 9, "", 0);
  put_message (graph, 5, tensor);
  put_int (outside, 2, HYB_ONNX_FLOAT);
  put_float (outside, 4, 3);
  put_message (outside, 13, make_entry ("location", "w.bin"));
  put_int (outside, 14, 1);
  put_message (graph, 5, outside);
  put_int (strings, 2, HYB_ONNX_STRING);
  put_bytes (strings, 6, "a\0\xff", 3);
  put_string (strings, 6, "");
  put_message (graph, 5, strings);
  document = read_graph (graph);
  read = document->graph->initializers;
  g_assert_cmpuint (document->graph->n_initializers, ==, 3);
  g_assert_cmpuint (read[0].n_dims, ==, 2);
  g_assert_cmpint (read[0].dims[1], ==, 0);
  g_assert_nonnull (read[0].raw.data); /* given, and empty: it wins over the typed field */
  g_assert_null (read[0].typed);
  g_assert_false (read[0].is_external);
  g_assert_true (read[1].is_external);
  g_assert_null (read[1].typed);
  g_assert_cmpstr (read[1].external[0].value, ==, "w.bin");
  g_assert_cmpuint (read[2].n_strings, ==, 2);
  g_assert_cmpmem (read[2].strings[0].data, read[2].strings[0].length, "a\0\xff", 3);
  g_assert_cmpuint (read[2].strings[1].length, ==, 0);
}

static void
test_sparse (void)
{
  Message *graph = g_byte_array_new (), *sparse = g_byte_array_new (),
          *values = g_byte_array_new ();
  g_autoptr (HybOnnxDocument) document = NULL;

  put_string (values, 8, "s");
  put_message (sparse, 1, values);
  put_message (sparse, 2, g_byte_array_new ());
  put_int (sparse, 3, 7);
  put_message (graph, 15, sparse);
  document = read_graph (graph);
  g_assert_cmpstr (document->graph->sparse[0].values->name, ==, "s");
  g_assert_cmpint (document->graph->sparse[0].dims[0], ==, 7);

  graph = g_byte_array_new ();
  put_message (graph, 15, g_byte_array_new ());
  check_refused (make_model (graph), "has no values or no indices");
}

static void
test_negative_dimensions (void)
{
  Message *graph = g_byte_array_new (), *tensor = g_byte_array_new ();

  put_int (tensor, 1, G_MININT64);
  put_message (graph, 5, tensor);
  check_refused (make_model (graph), "the negative dimension -9223372036854775808");
}

/* --- Attributes --- */

/* Puts the field of a value into an attribute. */
static void
put_value (Message *attribute, guint field)
{
  switch (field)
    {
    case 2:
    case 7:
      put_float (attribute, field, 0.5f);
      return;
    case 3:
    case 8:
      put_int (attribute, field, G_MAXINT64);
      return;
    case 4:
    case 9:
      put_string (attribute, field, "text");
      return;
    case 22:
    case 23:
      {
        Message *sparse = g_byte_array_new ();

        put_message (sparse, 1, g_byte_array_new ());
        put_message (sparse, 2, g_byte_array_new ());
        put_message (attribute, field, sparse);
        return;
      }
    default:
      put_message (attribute, field, g_byte_array_new ());
    }
}

static void
check_value (const HybOnnxAttribute *attribute)
{
  switch ((int) attribute->kind)
    {
    case HYB_ONNX_ATTRIBUTE_FLOAT:
      g_assert_cmpfloat (attribute->f, ==, 0.5);
      return;
    case HYB_ONNX_ATTRIBUTE_INT:
      g_assert_cmpint (attribute->i, ==, G_MAXINT64);
      return;
    case HYB_ONNX_ATTRIBUTE_STRING:
      g_assert_cmpmem (attribute->s.data, attribute->s.length, "text", 4);
      return;
    case HYB_ONNX_ATTRIBUTE_FLOATS:
      g_assert_cmpfloat (attribute->floats[0], ==, 0.5);
      break;
    case HYB_ONNX_ATTRIBUTE_INTS:
      g_assert_cmpint (attribute->ints[0], ==, G_MAXINT64);
      break;
    case HYB_ONNX_ATTRIBUTE_STRINGS:
      g_assert_cmpmem (attribute->strings[0].data, attribute->strings[0].length, "text", 4);
      break;
    case HYB_ONNX_ATTRIBUTE_GRAPH:
    case HYB_ONNX_ATTRIBUTE_GRAPHS:
      g_assert_cmpuint (attribute->graphs[0]->n_nodes, ==, 0);
      break;
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSOR:
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSORS:
      g_assert_nonnull (attribute->sparse->values);
      break;
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTO:
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTOS:
      g_assert_cmpstr (attribute->type->name, ==, "");
      break;
    default:
      g_assert_cmpstr (attribute->tensor->name, ==, "");
    }
  g_assert_cmpuint (attribute->n, ==, 1);
}

/* Each kind, given and left out. */
static void
test_attributes (void)
{
  static const guint fields[] = { 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 23, 14, 15 };

  for (guint kind = 1; kind < G_N_ELEMENTS (fields); kind++)
    for (guint is_given = 0; is_given < 2; is_given++)
      {
        Message *graph = g_byte_array_new (), *node = g_byte_array_new ();
        Message *attribute = g_byte_array_new ();
        g_autoptr (HybOnnxDocument) document = NULL;
        const HybOnnxAttribute *read;

        put_string (attribute, 1, "a");
        put_value (attribute, fields[kind]);
        if (is_given)
          put_int (attribute, 20, kind);
        put_message (node, 5, attribute);
        put_message (graph, 1, node);
        document = read_graph (graph);
        read = document->graph->nodes[0].attributes;
        g_assert_cmpint (read->kind, ==, kind);
        g_assert_null (read->reference);
        check_value (read);
      }
}

TEST_PROGRAM (test_document_values)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/document-values/typed-fields-become-raw-bytes", test_typed);
  g_test_add_func ("/document-values/one-field-holds-the-elements", test_tensor);
  g_test_add_func ("/document-values/sparse-tensors-have-two-parts", test_sparse);
  g_test_add_func ("/document-values/negative-dimensions-are-refused", test_negative_dimensions);
  g_test_add_func ("/document-values/attributes-have-the-kind-of-their-field", test_attributes);
  return g_test_run ();
}
