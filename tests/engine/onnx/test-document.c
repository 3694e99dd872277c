/* test-document.c — ONNX files of a few messages, written field by field: what the document says of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/onnx/document.h"
#include "tests/program.h"

#include <string.h>

/* --- Writing --- */

typedef GByteArray Message;

static void
put_varint (Message *message, guint64 value)
{
  for (; value >= 0x80; value >>= 7)
    g_byte_array_append (message, (const guint8[]){ (guint8) (value | 0x80) }, 1);
  g_byte_array_append (message, (const guint8[]){ (guint8) value }, 1);
}

static void
put_int (Message *message, guint number, gint64 value)
{
  put_varint (message, number << 3);
  put_varint (message, (guint64) value);
}

static void
put_bytes (Message *message, guint number, gconstpointer data, gsize n)
{
  put_varint (message, number << 3 | 2);
  put_varint (message, n);
  g_byte_array_append (message, data, (guint) n);
}

static void
put_string (Message *message, guint number, const char *text)
{
  put_bytes (message, number, text, strlen (text));
}

static void
put_float (Message *message, guint number, float value)
{
  put_varint (message, number << 3 | 5);
  g_byte_array_append (message, (const guint8 *) &value, sizeof value);
}

/* Takes part. */
static void
put_message (Message *message, guint number, Message *part)
{
  put_bytes (message, number, part->data, part->len);
  g_byte_array_unref (part);
}

/* A model of one graph.  Takes graph. */
static Message *
make_model (Message *graph)
{
  Message *model = g_byte_array_new ();

  put_int (model, 1, 8);
  put_message (model, 7, graph);
  return model;
}

static Message *
make_entry (const char *key, const char *value)
{
  Message *entry = g_byte_array_new ();

  put_string (entry, 1, key);
  put_string (entry, 2, value);
  return entry;
}

/* --- Reading --- */

/* Reads a model from memory of exactly its length.  Takes model. */
static HybOnnxDocument *
read_model (Message *model, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (model->data, model->len);

  g_byte_array_unref (model);
  return hyb_onnx_document_read (bytes, "a.onnx", error);
}

/* Reads a graph that is valid.  Takes graph. */
static HybOnnxDocument *
read_graph (Message *graph)
{
  g_autoptr (GError) error = NULL;
  HybOnnxDocument *document = read_model (make_model (graph), &error);

  g_assert_no_error (error);
  return document;
}

/* Takes model. */
static void
check_refused (Message *model, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybOnnxDocument) document = read_model (model, &error);

  g_assert_null (document);
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED);
  if (!strstr (error->message, words))
    g_error ("“%s” does not have “%s”", error->message, words);
}

/* --- Models --- */

static Message *
make_small_graph (void)
{
  Message *graph = g_byte_array_new (), *node = g_byte_array_new (), *value = g_byte_array_new ();
  Message *type = g_byte_array_new (), *tensor = g_byte_array_new (), *shape = g_byte_array_new ();
  Message *dims[3] = { g_byte_array_new (), g_byte_array_new (), g_byte_array_new () };

  put_string (node, 1, "x");
  put_string (node, 1, "");
  put_string (node, 2, "y");
  put_string (node, 3, "first");
  put_string (node, 4, "Relu");
  put_string (node, 7, "ai.onnx");
  put_string (node, 8, "over");
  put_message (node, 9, make_entry ("namespace", "a/b"));
  put_int (node, 200, 1);
  put_message (graph, 1, node);
  put_string (graph, 2, "net");
  put_int (dims[0], 1, 4);
  put_string (dims[1], 1, "");
  dims[1]->data[0] = 2 << 3 | 2;
  put_string (dims[2], 2, "batch");
  for (guint i = 0; i < 3; i++)
    put_message (shape, 1, dims[i]);
  put_message (shape, 1, g_byte_array_new ());
  put_int (tensor, 1, HYB_ONNX_FLOAT16);
  put_message (tensor, 2, shape);
  put_message (type, 1, tensor);
  put_string (value, 1, "x");
  put_message (value, 2, type);
  put_message (value, 4, make_entry ("k", "v"));
  put_message (graph, 11, value);
  put_message (graph, 16, make_entry ("g", "h"));
  return graph;
}

static void
test_graph (void)
{
  g_autoptr (HybOnnxDocument) document = read_graph (make_small_graph ());
  const HybOnnxGraph     *graph = document->graph;
  const HybOnnxNode      *node = graph->nodes;
  const HybOnnxValueInfo *input = graph->inputs;

  g_assert_cmpint (document->ir_version, ==, 8);
  g_assert_cmpstr (document->producer_name, ==, "");
  g_assert_cmpuint (graph->n_nodes, ==, 1);
  g_assert_cmpuint (node->n_inputs, ==, 2);
  g_assert_cmpstr (node->inputs[1], ==, "");
  g_assert_cmpstr (node->outputs[0], ==, "y");
  g_assert_cmpstr (node->domain, ==, "");
  g_assert_cmpstr (node->overload, ==, "over");
  g_assert_cmpstr (node->doc, ==, "");
  g_assert_cmpstr (node->metadata[0].value, ==, "a/b");
  g_assert_true (node->bytes.data ==
                 (const guint8 *) g_bytes_get_data (document->file, NULL) + node->offset);
  g_assert_cmpuint (node->bytes.data[node->bytes.length - 1], ==, 1); /* the unknown field */
  g_assert_cmpint (input->kind, ==, HYB_ONNX_TYPE_TENSOR);
  g_assert_cmpint (input->dtype, ==, HYB_ONNX_FLOAT16);
  g_assert_true (input->has_shape);
  g_assert_cmpuint (input->n_dims, ==, 4);
  g_assert_cmpint (input->dims[0].value, ==, 4);
  g_assert_null (input->dims[0].name);
  g_assert_cmpint (input->dims[1].value, ==, -1);
  g_assert_cmpstr (input->dims[1].name, ==, "");
  g_assert_cmpstr (input->dims[2].name, ==, "batch");
  g_assert_cmpint (input->dims[3].value, ==, -1);
  g_assert_null (input->dims[3].name);
  g_assert_cmpstr (input->metadata[0].key, ==, "k");
  g_assert_cmpstr (graph->metadata[0].value, ==, "h");
}

/* A value of a type that nests: sequence of optional of tensor, and a map, whose last field counts. */
static void
test_types (void)
{
  Message *graph = g_byte_array_new (), *value = g_byte_array_new (), *outer = g_byte_array_new ();
  Message *tensor = g_byte_array_new (), *inner = g_byte_array_new (), *type = g_byte_array_new ();
  Message *sequence = g_byte_array_new (), *optional = g_byte_array_new ();
  g_autoptr (HybOnnxDocument) document = NULL;

  put_int (tensor, 1, HYB_ONNX_INT64);
  put_message (tensor, 2, g_byte_array_new ());
  put_message (type, 1, tensor);
  put_message (optional, 1, type);
  put_message (inner, 9, optional);
  put_message (sequence, 1, inner);
  put_message (outer, 5, g_byte_array_new ());
  put_message (outer, 4, sequence);
  put_message (value, 2, outer);
  put_message (graph, 12, value);
  put_message (graph, 12, g_byte_array_new ());
  document = read_graph (graph);
  g_assert_cmpint (document->graph->outputs[0].kind, ==, HYB_ONNX_TYPE_SEQUENCE);
  g_assert_cmpint (document->graph->outputs[0].dtype, ==, HYB_ONNX_INT64);
  g_assert_true (document->graph->outputs[0].has_shape);
  g_assert_cmpuint (document->graph->outputs[0].n_dims, ==, 0);
  g_assert_cmpint (document->graph->outputs[1].kind, ==, HYB_ONNX_TYPE_NONE);
  g_assert_cmpstr (document->graph->outputs[1].name, ==, "");
}

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
      g_assert_cmpint (read->typed == NULL, ==, cases[i].n == 0);
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

/* --- Functions --- */

static void
test_functions (void)
{
  Message *function = g_byte_array_new (), *opset = g_byte_array_new (),
          *node = g_byte_array_new ();
  Message *attribute = g_byte_array_new (), *other = g_byte_array_new ();
  Message *model = make_model (g_byte_array_new ());
  g_autoptr (GError) error = NULL;
  g_autoptr (HybOnnxDocument) document = NULL;
  const HybOnnxFunction *read;

  put_string (attribute, 1, "alpha");
  put_string (attribute, 21, "outer");
  put_int (attribute, 20, HYB_ONNX_ATTRIBUTE_FLOAT);
  put_message (node, 5, attribute);
  put_string (function, 1, "F");
  put_string (function, 4, "x");
  put_string (function, 5, "y");
  put_string (function, 6, "outer");
  put_message (function, 7, node);
  put_string (opset, 1, "ai.onnx");
  put_int (opset, 2, 17);
  put_message (function, 9, opset);
  put_string (function, 10, "mine");
  put_string (other, 1, "beta");
  put_float (other, 2, 2);
  put_message (function, 11, other);
  put_message (function, 12, g_byte_array_new ());
  put_string (function, 13, "f32");
  put_message (model, 25, function);
  document = read_model (model, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (document->n_functions, ==, 1);
  read = document->functions;
  g_assert_cmpstr (read->name, ==, "F");
  g_assert_cmpstr (read->domain, ==, "mine");
  g_assert_cmpstr (read->overload, ==, "f32");
  g_assert_cmpstr (read->inputs[0], ==, "x");
  g_assert_cmpstr (read->outputs[0], ==, "y");
  g_assert_cmpstr (read->attributes[0], ==, "outer");
  g_assert_cmpstr (read->nodes[0].attributes[0].reference, ==, "outer");
  g_assert_cmpstr (read->opsets[0].domain, ==, "");
  g_assert_cmpint (read->opsets[0].version, ==, 17);
  g_assert_cmpfloat (read->defaults[0].f, ==, 2);
  g_assert_cmpuint (read->n_values, ==, 1);
}

/* --- Whole files --- */

static void
test_joined_graph (void)
{
  Message *model = make_model (make_small_graph ()), *more = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybOnnxDocument) document = NULL;

  put_message (more, 1, g_byte_array_new ());
  put_string (more, 2, "other");
  put_message (model, 7, more);
  document = read_model (model, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (document->graph->n_nodes, ==, 2);
  g_assert_cmpstr (document->graph->nodes[0].name, ==, "first");
  g_assert_cmpstr (document->graph->name, ==, "other");
}

static void
test_no_graph (void)
{
  Message *model = g_byte_array_new ();

  check_refused (g_byte_array_new (), "this file has none");
  put_int (model, 1, 8);
  check_refused (model, "this file has none");
}

static void
test_groups (void)
{
  Message *graph = g_byte_array_new ();

  put_varint (graph, 99 << 3 | 3);
  put_varint (graph, 99 << 3 | 4);
  check_refused (make_model (graph), "at byte 4, field 99 is a group");
}

/* Loops in loops: three messages each. */
static void
test_nesting (void)
{
  for (guint depth = 42; depth <= 43; depth++)
    {
      Message *graph = g_byte_array_new ();

      for (guint i = 0; i < depth; i++)
        {
          Message *attribute = g_byte_array_new (), *node = g_byte_array_new ();
          Message *outer = g_byte_array_new ();

          put_message (attribute, 6, graph);
          put_message (node, 5, attribute);
          put_message (outer, 1, node);
          graph = outer;
        }
      if (depth == 42)
        hyb_onnx_document_free (read_graph (graph));
      else
        check_refused (make_model (graph), "nested more than 128 deep");
    }
}

static void
test_cuts (void)
{
  g_autoptr (GByteArray) model = make_model (make_small_graph ());

  for (gsize n = 0; n < model->len; n++)
    {
      Message *cut = g_byte_array_new ();

      g_byte_array_append (cut, model->data, (guint) n);
      check_refused (cut, n == 0 || n == 2 ? "this file has none" : "ends behind its message");
    }
}

/* A length one more or less than the truth is an error or another document, at every byte. */
static void
test_lies (void)
{
  g_autoptr (GByteArray) model = make_model (make_small_graph ());

  for (guint at = 0; at < model->len; at++)
    for (int change = -1; change <= 1; change += 2)
      {
        Message *lie = g_byte_array_new ();
        g_autoptr (GError) error = NULL;
        g_autoptr (HybOnnxDocument) document = NULL;

        g_byte_array_append (lie, model->data, model->len);
        lie->data[at] = (guint8) (lie->data[at] + change);
        document = read_model (lie, &error);
        g_assert_cmpint (document == NULL, ==, error != NULL);
      }
}

static void
test_dtypes (void)
{
  g_assert_cmpstr (hyb_onnx_dtype_name (HYB_ONNX_FLOAT8E4M3FN), ==, "float8e4m3fn");
  g_assert_cmpstr (hyb_onnx_dtype_name (HYB_ONNX_UNDEFINED), ==, "undefined");
  g_assert_null (hyb_onnx_dtype_name ((HybOnnxDType) (HYB_ONNX_INT2 + 1)));
  g_assert_null (hyb_onnx_dtype_name ((HybOnnxDType) -1));
  g_assert_cmpuint (hyb_onnx_dtype_bits (HYB_ONNX_INT2), ==, 2);
  g_assert_cmpuint (hyb_onnx_dtype_bits (HYB_ONNX_STRING), ==, 0);
  g_assert_cmpuint (hyb_onnx_dtype_bits ((HybOnnxDType) 77), ==, 0);
  g_assert_cmpint (hyb_onnx_dtype_to_engine (HYB_ONNX_BFLOAT16), ==, HYB_BF16);
  g_assert_cmpint (hyb_onnx_dtype_to_engine (HYB_ONNX_COMPLEX64), ==, HYB_DTYPE_UNKNOWN);
  g_assert_cmpint (hyb_onnx_dtype_to_engine ((HybOnnxDType) -5), ==, HYB_DTYPE_UNKNOWN);
  for (int i = 1; i <= HYB_ONNX_INT2; i++)
    {
      HybDType engine = hyb_onnx_dtype_to_engine ((HybOnnxDType) i);

      if (engine != HYB_DTYPE_UNKNOWN)
        g_assert_cmpuint (hyb_dtype_size (engine) * 8, ==, hyb_onnx_dtype_bits ((HybOnnxDType) i));
    }
}

TEST_PROGRAM (test_document)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/document/a-graph-says-what-the-file-says", test_graph);
  g_test_add_func ("/document/types-may-nest", test_types);
  g_test_add_func ("/document/typed-fields-become-raw-bytes", test_typed);
  g_test_add_func ("/document/one-field-holds-the-elements", test_tensor);
  g_test_add_func ("/document/sparse-tensors-have-two-parts", test_sparse);
  g_test_add_func ("/document/negative-dimensions-are-refused", test_negative_dimensions);
  g_test_add_func ("/document/attributes-have-the-kind-of-their-field", test_attributes);
  g_test_add_func ("/document/functions-are-read", test_functions);
  g_test_add_func ("/document/parts-of-a-graph-are-joined", test_joined_graph);
  g_test_add_func ("/document/a-model-has-a-graph", test_no_graph);
  g_test_add_func ("/document/groups-are-refused", test_groups);
  g_test_add_func ("/document/nesting-has-a-limit", test_nesting);
  g_test_add_func ("/document/every-cut-is-refused", test_cuts);
  g_test_add_func ("/document/every-lie-ends-well", test_lies);
  g_test_add_func ("/document/element-types-have-names", test_dtypes);
  return g_test_run ();
}
