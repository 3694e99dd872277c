/* protobuf-writer.c — writes messages in protobuf's wire format.
 *
 * A message is a list of pieces.  Small fields are collected in the last piece until a large one is appended.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/protobuf/protobuf-writer.h"

#include "engine/formats/protobuf/protobuf.h"

#include <string.h>

/* Bytes up to this length are copied into the collected piece. */
#define SMALL 256

struct _HybProtobufWriter
{
  GPtrArray  *pieces; /* of GBytes */
  GByteArray *last;   /* fields that are not in pieces yet */
  gsize       length; /* of everything */
};

HybProtobufWriter *
hyb_protobuf_writer_new (void)
{
  HybProtobufWriter *writer = g_new0 (HybProtobufWriter, 1);

  writer->pieces = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  writer->last = g_byte_array_new ();
  return writer;
}

void
hyb_protobuf_writer_free (HybProtobufWriter *writer)
{
  if (!writer)
    return;
  g_ptr_array_unref (writer->pieces);
  g_byte_array_unref (writer->last);
  g_free (writer);
}

/* --- Pieces --- */

static void
append (HybProtobufWriter *writer, gconstpointer data, gsize n)
{
  g_byte_array_append (writer->last, data, (guint) n);
  writer->length += n;
}

static void
append_varint (HybProtobufWriter *writer, guint64 value)
{
  guint8 bytes[10];
  guint  n = 0;

  do
    {
      bytes[n] = (guint8) (value & 0x7f);
      value >>= 7;
      if (value > 0)
        bytes[n] |= 0x80;
      n++;
    }
  while (value > 0);
  append (writer, bytes, n);
}

static void
append_key (HybProtobufWriter *writer, guint32 field, HybWire wire)
{
  append_varint (writer, (guint64) field << 3 | (guint64) wire);
}

/* Begins a new piece. */
static void
close_piece (HybProtobufWriter *writer)
{
  if (writer->last->len == 0)
    return;
  g_ptr_array_add (writer->pieces, g_byte_array_free_to_bytes (writer->last));
  writer->last = g_byte_array_new ();
}

static void
append_bytes (HybProtobufWriter *writer, GBytes *bytes)
{
  gsize         n;
  gconstpointer data = g_bytes_get_data (bytes, &n);

  if (n <= SMALL)
    {
      append (writer, data, n);
      return;
    }
  close_piece (writer);
  g_ptr_array_add (writer->pieces, g_bytes_ref (bytes));
  writer->length += n;
}

/* --- Fields --- */

void
hyb_protobuf_write_int (HybProtobufWriter *writer, guint32 field, guint64 value)
{
  append_key (writer, field, HYB_WIRE_VARINT);
  append_varint (writer, value);
}

void
hyb_protobuf_write_float (HybProtobufWriter *writer, guint32 field, float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  append_key (writer, field, HYB_WIRE_FIXED32);
  append (writer, &bits, sizeof bits);
}

void
hyb_protobuf_write_string (HybProtobufWriter *writer, guint32 field, const char *text)
{
  gsize n = strlen (text);

  append_key (writer, field, HYB_WIRE_BYTES);
  append_varint (writer, n);
  append (writer, text, n);
}

void
hyb_protobuf_write_bytes (HybProtobufWriter *writer, guint32 field, GBytes *bytes)
{
  append_key (writer, field, HYB_WIRE_BYTES);
  append_varint (writer, g_bytes_get_size (bytes));
  append_bytes (writer, bytes);
}

void
hyb_protobuf_write_fields (HybProtobufWriter *writer, GBytes *fields)
{
  append_bytes (writer, fields);
}

void
hyb_protobuf_write_all (HybProtobufWriter *writer, HybProtobufWriter *fields)
{
  for (guint i = 0; i < fields->pieces->len; i++)
    append_bytes (writer, fields->pieces->pdata[i]);
  append (writer, fields->last->data, fields->last->len);
  hyb_protobuf_writer_free (fields);
}

void
hyb_protobuf_write_message (HybProtobufWriter *writer, guint32 field, HybProtobufWriter *message)
{
  append_key (writer, field, HYB_WIRE_BYTES);
  append_varint (writer, message->length);
  hyb_protobuf_write_all (writer, message);
}

/* --- The whole --- */

GPtrArray *
hyb_protobuf_writer_take_pieces (HybProtobufWriter *writer)
{
  GPtrArray *pieces;

  close_piece (writer);
  pieces = g_ptr_array_ref (writer->pieces);
  hyb_protobuf_writer_free (writer);
  return pieces;
}

GBytes *
hyb_protobuf_writer_get_bytes (HybProtobufWriter *writer)
{
  GByteArray *all = g_byte_array_sized_new ((guint) MIN (writer->length, G_MAXUINT));

  close_piece (writer);
  for (guint i = 0; i < writer->pieces->len; i++)
    {
      gsize         n;
      gconstpointer data = g_bytes_get_data (writer->pieces->pdata[i], &n);

      g_byte_array_append (all, data, (guint) n);
    }
  return g_byte_array_free_to_bytes (all);
}
