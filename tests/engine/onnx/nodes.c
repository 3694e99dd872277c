/* nodes.c — graphs of ONNX nodes as text, for tests.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/onnx/nodes.h"

#include "engine/formats/format.h"

#include <string.h>

/* --- Types --- */

static HybOnnxDType
find_dtype (const char *name)
{
  for (int i = 0; i <= HYB_ONNX_INT2; i++)
    if (g_strcmp0 (hyb_onnx_dtype_name ((HybOnnxDType) i), name) == 0)
      return (HybOnnxDType) i;
  g_error ("no type is called %s", name);
}

/* “float[batch,3]” */
static HybOnnxDType
split_type (const char *text, char ***dims)
{
  g_auto (GStrv) parts = g_strsplit_set (text, "[]", 3);
  HybOnnxDType dtype = find_dtype (g_strstrip (parts[0]));

  *dims = parts[1] && parts[1][0] ? g_strsplit (parts[1], ",", -1) : g_new0 (char *, 1);
  return dtype;
}

static Message *
make_value (const char *name, const char *type)
{
  Message *value = g_byte_array_new (), *kind = g_byte_array_new ();
  Message *tensor = g_byte_array_new (), *shape = g_byte_array_new ();
  g_auto (GStrv) dims = NULL;

  put_int (tensor, 1, split_type (type, &dims));
  for (guint i = 0; dims[i]; i++)
    {
      Message *dim = g_byte_array_new ();

      if (g_ascii_isdigit (dims[i][0]))
        put_int (dim, 1, g_ascii_strtoll (dims[i], NULL, 10));
      else if (dims[i][0] != '?')
        put_string (dim, 2, dims[i]);
      put_message (shape, 1, dim);
    }
  put_message (tensor, 2, shape);
  put_message (kind, 1, tensor);
  put_string (value, 1, name);
  put_message (value, 2, kind);
  return value;
}

static void
put_element (Message *raw, HybDType dtype, const char *text)
{
  guint8 element[8] = { 0 };

  if (dtype == HYB_I64)
    {
      gint64 value = g_ascii_strtoll (text, NULL, 10);

      memcpy (element, &value, sizeof value);
    }
  else
    hyb_dtype_set_double (element, dtype, 0, g_ascii_strtod (text, NULL));
  g_byte_array_append (raw, element, (guint) hyb_dtype_size (dtype));
}

/* “int64[2] 3 4” */
static Message *
make_tensor (const char *name, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  g_auto (GStrv) dims = NULL;
  HybOnnxDType dtype = split_type (words[0], &dims);
  Message     *tensor = g_byte_array_new ();
  g_autoptr (GByteArray) raw = g_byte_array_new ();

  for (guint i = 0; dims[i]; i++)
    put_int (tensor, 1, g_ascii_strtoll (dims[i], NULL, 10));
  put_int (tensor, 2, dtype);
  put_string (tensor, 8, name);
  for (guint i = 1; words[i]; i++)
    put_element (raw, hyb_onnx_dtype_to_engine (dtype), words[i]);
  put_bytes (tensor, 9, raw->data, raw->len);
  return tensor;
}

/* --- Nodes --- */

static void
put_value (Message *attribute, const char *text)
{
  g_auto (GStrv) items = NULL;

  if (text[0] == '[')
    {
      items = g_strsplit_set (text + 1, ",]", -1);
      for (guint i = 0; items[i]; i++)
        if (items[i][0])
          put_int (attribute, 8, g_ascii_strtoll (items[i], NULL, 10));
      put_int (attribute, 20, HYB_ONNX_ATTRIBUTE_INTS);
    }
  else if (g_ascii_isdigit (text[0]) || text[0] == '-')
    {
      gboolean is_float = strchr (text, '.') != NULL;

      if (is_float)
        put_float (attribute, 2, (float) g_ascii_strtod (text, NULL));
      else
        put_int (attribute, 3, g_ascii_strtoll (text, NULL, 10));
      put_int (attribute, 20, is_float ? HYB_ONNX_ATTRIBUTE_FLOAT : HYB_ONNX_ATTRIBUTE_INT);
    }
  else
    {
      put_string (attribute, 4, text);
      put_int (attribute, 20, HYB_ONNX_ATTRIBUTE_STRING);
    }
}

static void
put_names (Message *node, guint number, const char *text)
{
  g_auto (GStrv) names = g_strsplit (text, ",", -1);

  for (guint i = 0; names[i]; i++)
    {
      const char *name = g_strstrip (names[i]);

      if (name[0])
        put_string (node, number, strcmp (name, "_") == 0 ? "" : name);
    }
}

/* “Split x, w | axis=0” */
static Message *
make_node (const char *outputs, const char *text)
{
  g_auto (GStrv) halves = g_strsplit (text, "|", 2);
  g_auto (GStrv) words = g_strsplit (g_strstrip (halves[0]), " ", 2);
  g_auto (GStrv) attributes = halves[1] ? g_strsplit (g_strstrip (halves[1]), " ", -1) : NULL;
  g_auto (GStrv) type = g_strsplit (words[0], "::", 2);
  Message *node = g_byte_array_new ();

  if (words[1])
    put_names (node, 1, words[1]);
  put_names (node, 2, outputs);
  put_string (node, 4, type[1] ? type[1] : type[0]);
  for (guint i = 0; attributes && attributes[i]; i++)
    {
      g_auto (GStrv) pair = g_strsplit (attributes[i], "=", 2);
      Message *attribute = g_byte_array_new ();

      put_string (attribute, 1, pair[0]);
      put_value (attribute, pair[1]);
      put_message (node, 5, attribute);
    }
  if (type[1])
    put_string (node, 7, type[0]);
  return node;
}

static void
put_line (Message *graph, const char *line)
{
  g_auto (GStrv) parts = NULL;

  if (g_str_has_prefix (line, "-> "))
    {
      Message *output = g_byte_array_new ();

      put_string (output, 1, line + 3);
      put_message (graph, 12, output);
      return;
    }
  if (strstr (line, ": "))
    {
      parts = g_strsplit (line, ": ", 2);
      put_message (graph, 11, make_value (parts[0], parts[1]));
      return;
    }
  parts = g_strsplit (line, " = ", 2);
  if (g_ascii_islower (parts[1][0]) && strchr (parts[1], '['))
    put_message (graph, 5, make_tensor (parts[0], parts[1]));
  else
    put_message (graph, 1, make_node (parts[0], parts[1]));
}

Message *
nodes_graph (const char *lines)
{
  g_auto (GStrv) list = g_strsplit (lines, "\n", -1);
  Message *graph = g_byte_array_new ();

  for (guint i = 0; list[i]; i++)
    if (g_strstrip (list[i])[0])
      put_line (graph, list[i]);
  return graph;
}

Message *
nodes_file (Message *graph, gint64 opset)
{
  Message *file = g_byte_array_new (), *set = g_byte_array_new ();

  put_int (file, 1, 8);
  put_message (file, 7, graph);
  put_int (set, 2, opset);
  put_message (file, 8, set);
  return file;
}

HybModel *
nodes_read (Message *file, GError **error)
{
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (file);
  g_autoptr (HybModel) model = hyb_model_new ();
  const HybFormat *format = hyb_format_of_bytes (bytes);

  g_assert_nonnull (format);
  g_assert_cmpstr (format->id, ==, "onnx");
  return format->read_graph (model, bytes, "test.onnx", error) ? g_steal_pointer (&model) : NULL;
}

HybModel *
nodes_model (const char *lines, gint64 opset)
{
  g_autoptr (GError) error = NULL;
  HybModel *model = nodes_read (nodes_file (nodes_graph (lines), opset), &error);

  g_assert_no_error (error);
  return model;
}
