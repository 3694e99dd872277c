/* byte-reader.h — reading numbers from memory that a stranger filled.
 *
 * Every call checks what is left before it touches anything, and leaves the
 * position alone when it fails.  Numbers are little-endian, as all our formats are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  const guint8 *data;
  gsize         length;
  gsize         at;
} HybByteReader;

HybByteReader hyb_byte_reader_make (gconstpointer data, gsize length);

gsize    hyb_byte_reader_left (const HybByteReader *reader);
gboolean hyb_byte_reader_seek (HybByteReader *reader, gsize at);
gboolean hyb_byte_reader_skip (HybByteReader *reader, guint64 n);

gboolean hyb_byte_reader_u8 (HybByteReader *reader, guint8 *value);
gboolean hyb_byte_reader_u16 (HybByteReader *reader, guint16 *value);
gboolean hyb_byte_reader_u32 (HybByteReader *reader, guint32 *value);
gboolean hyb_byte_reader_u64 (HybByteReader *reader, guint64 *value);
gboolean hyb_byte_reader_i32 (HybByteReader *reader, gint32 *value);
gboolean hyb_byte_reader_i64 (HybByteReader *reader, gint64 *value);

/* The next n bytes, lent; FALSE if there are fewer. */
gboolean hyb_byte_reader_take (HybByteReader *reader, guint64 n, const guint8 **data);
/* A name of n bytes as valid UTF-8; bytes that are none become “?”.  (transfer full) */
char *hyb_byte_reader_take_name (HybByteReader *reader, guint64 n);
