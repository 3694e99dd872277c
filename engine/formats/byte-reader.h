/* byte-reader.h — reads little-endian numbers and names from untrusted memory.
 *
 * Every call checks the bounds first; a call that fails returns FALSE and does not move the
 * position.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  const guint8 *data;
  gsize         length;
  gsize         at;
} HybByteReader;

/* A reader at the start of data, which must outlive it. */
HybByteReader hyb_byte_reader_make (gconstpointer data, gsize length);

/* The number of bytes after the position. */
gsize hyb_byte_reader_left (const HybByteReader *reader);
/* Moves to an absolute position. */
gboolean hyb_byte_reader_seek (HybByteReader *reader, gsize at);
/* Moves forward by n bytes. */
gboolean hyb_byte_reader_skip (HybByteReader *reader, guint64 n);

/* Read a number of 8 to 64 bits, unsigned (u) or signed (i). */
gboolean hyb_byte_reader_u8 (HybByteReader *reader, guint8 *value);
/* Reads a little-endian number of 16 bits. */
gboolean hyb_byte_reader_u16 (HybByteReader *reader, guint16 *value);
/* Reads a little-endian number of 32 bits. */
gboolean hyb_byte_reader_u32 (HybByteReader *reader, guint32 *value);
/* Reads a little-endian number of 64 bits. */
gboolean hyb_byte_reader_u64 (HybByteReader *reader, guint64 *value);
/* Reads a little-endian signed number of 32 bits. */
gboolean hyb_byte_reader_i32 (HybByteReader *reader, gint32 *value);
/* Reads a little-endian signed number of 64 bits. */
gboolean hyb_byte_reader_i64 (HybByteReader *reader, gint64 *value);

/* The next n bytes, which belong to the memory being read. */
gboolean hyb_byte_reader_take (HybByteReader *reader, guint64 n, const guint8 **data);
/* A name of n bytes; bytes that are not UTF-8 become “?”.  NULL if fewer bytes are left.
 * (transfer full) */
char *hyb_byte_reader_take_name (HybByteReader *reader, guint64 n);
/* Makes n bytes valid UTF-8 in place: zeros and bytes that are not UTF-8 become “?”. */
void hyb_byte_reader_mend_name (char *name, gsize n);
