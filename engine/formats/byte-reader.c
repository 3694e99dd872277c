/* byte-reader.c — reads little-endian numbers and names with bounds checks.
 *
 * All reads go through hyb_byte_reader_take().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/byte-reader.h"

#include <string.h>

HybByteReader
hyb_byte_reader_make (gconstpointer data, gsize length)
{
  return (HybByteReader){ .data = data, .length = length };
}

gsize
hyb_byte_reader_left (const HybByteReader *reader)
{
  return reader->length - reader->at;
}

gboolean
hyb_byte_reader_seek (HybByteReader *reader, gsize at)
{
  if (at > reader->length)
    return FALSE;

  reader->at = at;
  return TRUE;
}

gboolean
hyb_byte_reader_skip (HybByteReader *reader, guint64 n)
{
  const guint8 *ignored;

  return hyb_byte_reader_take (reader, n, &ignored);
}

gboolean
hyb_byte_reader_take (HybByteReader *reader, guint64 n, const guint8 **data)
{
  if (n > reader->length - reader->at)
    return FALSE;

  *data = reader->data + reader->at;
  reader->at += n;
  return TRUE;
}

/* Copies the bytes, because the position need not be aligned. */
static gboolean
read_number (HybByteReader *reader, gpointer value, gsize size)
{
  const guint8 *data;

  if (!hyb_byte_reader_take (reader, size, &data))
    return FALSE;

  memcpy (value, data, size);
  return TRUE;
}

gboolean
hyb_byte_reader_u8 (HybByteReader *reader, guint8 *value)
{
  return read_number (reader, value, sizeof *value);
}

gboolean
hyb_byte_reader_u16 (HybByteReader *reader, guint16 *value)
{
  if (!read_number (reader, value, sizeof *value))
    return FALSE;

  *value = GUINT16_FROM_LE (*value);
  return TRUE;
}

gboolean
hyb_byte_reader_u32 (HybByteReader *reader, guint32 *value)
{
  if (!read_number (reader, value, sizeof *value))
    return FALSE;

  *value = GUINT32_FROM_LE (*value);
  return TRUE;
}

gboolean
hyb_byte_reader_u64 (HybByteReader *reader, guint64 *value)
{
  if (!read_number (reader, value, sizeof *value))
    return FALSE;

  *value = GUINT64_FROM_LE (*value);
  return TRUE;
}

gboolean
hyb_byte_reader_i32 (HybByteReader *reader, gint32 *value)
{
  return hyb_byte_reader_u32 (reader, (guint32 *) value);
}

gboolean
hyb_byte_reader_i64 (HybByteReader *reader, gint64 *value)
{
  return hyb_byte_reader_u64 (reader, (guint64 *) value);
}

void
hyb_byte_reader_mend_name (char *name, gsize n)
{
  const char *from = name, *bad;

  /* Goes on behind each bad byte, so that the time does not grow with the square of their number. */
  while (!g_utf8_validate_len (from, n - (gsize) (from - name), &bad))
    {
      *(char *) bad = '?';
      from = bad + 1;
    }
}

char *
hyb_byte_reader_take_name (HybByteReader *reader, guint64 n)
{
  const guint8 *data;
  char         *name;

  if (!hyb_byte_reader_take (reader, n, &data))
    return NULL;

  name = g_strndup ((const char *) data, n);
  hyb_byte_reader_mend_name (name, strlen (name));
  return name;
}
