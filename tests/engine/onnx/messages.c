/* messages.c — writes ONNX files field by field, and reads them as documents.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/onnx/messages.h"

#include "engine/base/error.h"

#include <string.h>

/* --- Writing --- */

void
put_varint (Message *message, guint64 value)
{
  for (; value >= 0x80; value >>= 7)
    g_byte_array_append (message, (const guint8[]){ (guint8) (value | 0x80) }, 1);
  g_byte_array_append (message, (const guint8[]){ (guint8) value }, 1);
}

void
put_int (Message *message, guint number, gint64 value)
{
  put_varint (message, number << 3);
  put_varint (message, (guint64) value);
}

void
put_bytes (Message *message, guint number, gconstpointer data, gsize n)
{
  put_varint (message, number << 3 | 2);
  put_varint (message, n);
  g_byte_array_append (message, data, (guint) n);
}

void
put_string (Message *message, guint number, const char *text)
{
  put_bytes (message, number, text, strlen (text));
}

void
put_float (Message *message, guint number, float value)
{
  put_varint (message, number << 3 | 5);
  g_byte_array_append (message, (const guint8 *) &value, sizeof value);
}

/* Takes part. */
void
put_message (Message *message, guint number, Message *part)
{
  put_bytes (message, number, part->data, part->len);
  g_byte_array_unref (part);
}

/* A model of one graph.  Takes graph. */
Message *
make_model (Message *graph)
{
  Message *model = g_byte_array_new ();

  put_int (model, 1, 8);
  put_message (model, 7, graph);
  return model;
}

Message *
make_entry (const char *key, const char *value)
{
  Message *entry = g_byte_array_new ();

  put_string (entry, 1, key);
  put_string (entry, 2, value);
  return entry;
}

/* --- Reading --- */

/* Reads a model from memory of exactly its length.  Takes model. */
HybOnnxDocument *
read_model (Message *model, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (model->data, model->len);

  g_byte_array_unref (model);
  return hyb_onnx_document_read (bytes, "a.onnx", error);
}

/* Reads a graph that is valid.  Takes graph. */
HybOnnxDocument *
read_graph (Message *graph)
{
  g_autoptr (GError) error = NULL;
  HybOnnxDocument *document = read_model (make_model (graph), &error);

  g_assert_no_error (error);
  return document;
}

/* Takes model. */
void
check_refused (Message *model, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybOnnxDocument) document = read_model (model, &error);

  g_assert_null (document);
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED);
  if (!strstr (error->message, words))
    g_error ("“%s” does not have “%s”", error->message, words);
}
