/* test-document.c — ONNX files of a few messages, written field by field: what the document says of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/onnx/messages.h"
#include "tests/program.h"

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
        g_assert_cmpint (!document, ==, error != NULL);
      }
}

static void
test_dtypes (void)
{
  g_assert_cmpstr (hyb_onnx_dtype_name (HYB_ONNX_FLOAT8E4M3FN), ==, "float8e4m3fn");
  g_assert_cmpstr (hyb_onnx_dtype_name (HYB_ONNX_UNDEFINED), ==, "undefined");
  g_assert_null (hyb_onnx_dtype_name ((HybOnnxDType) (HYB_ONNX_INT2 + 1)));
  g_assert_null (hyb_onnx_dtype_name ((HybOnnxDType) -1));
  g_assert_cmpint (hyb_onnx_dtype_to_engine (HYB_ONNX_BFLOAT16), ==, HYB_BF16);
  g_assert_cmpint (hyb_onnx_dtype_to_engine (HYB_ONNX_COMPLEX64), ==, HYB_DTYPE_UNKNOWN);
  g_assert_cmpint (hyb_onnx_dtype_to_engine ((HybOnnxDType) -5), ==, HYB_DTYPE_UNKNOWN);
}

TEST_PROGRAM (test_document)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/document/a-graph-says-what-the-file-says", test_graph);
  g_test_add_func ("/document/types-may-nest", test_types);
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
