/* zip-writer.c — writes zip archives of uncompressed members.
 *
 * The contents of each member start at a multiple of 64 bytes (padding is an extra field), so that arrays in
 * them can be mapped.  Equal contents give equal bytes: dates are constant.  Members are not compressed, so a
 * library would only write the headers, which the alignment changes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/zip.h"

#include "engine/formats/file.h"

#include <string.h>

#define ALIGNMENT  64
#define PADDING_ID 0xd935 /* extra field for padding, as in Android's archives */
#define DOS_DATE   0x21   /* 1 January 1980 */
#define FLAG_UTF8  0x0800

struct _HybZipWriter
{
  GOutputStream *out;
  GByteArray    *directory; /* entries of the members so far */
  guint64        at;        /* bytes written */
  guint64        n_members;
};

HybZipWriter *
hyb_zip_writer_new (GOutputStream *out)
{
  HybZipWriter *writer = g_new0 (HybZipWriter, 1);

  writer->out = g_object_ref (out);
  writer->directory = g_byte_array_new ();
  return writer;
}

void
hyb_zip_writer_free (HybZipWriter *writer)
{
  g_object_unref (writer->out);
  g_byte_array_unref (writer->directory);
  g_free (writer);
}

static void
put_number (GByteArray *to, guint64 value, guint size)
{
  guint64 little = GUINT64_TO_LE (value);

  g_byte_array_append (to, (const guint8 *) &little, size);
}

static gboolean
write_bytes (HybZipWriter *writer, gconstpointer data, gsize length, GError **error)
{
  writer->at += length;
  return length == 0 || hyb_file_write (writer->out, data, length, error);
}

typedef struct
{
  const char *name;
  guint32     crc;
  guint64     size, offset;
  gboolean    is_large;
} Entry;

/* The fields that a local header and a directory entry have in common. */
static void
put_common (GByteArray *to, const Entry *entry, guint n_extra)
{
  guint32 size = entry->is_large ? G_MAXUINT32 : (guint32) entry->size;

  put_number (to, entry->is_large ? 45 : 20, 2);
  put_number (to, g_str_is_ascii (entry->name) ? 0 : FLAG_UTF8, 2);
  put_number (to, 0, 2); /* stored */
  put_number (to, 0, 2);
  put_number (to, DOS_DATE, 2);
  put_number (to, entry->crc, 4);
  put_number (to, size, 4);
  put_number (to, size, 4);
  put_number (to, strlen (entry->name), 2);
  put_number (to, n_extra, 2);
}

static void
put_name (GByteArray *to, const Entry *entry)
{
  g_byte_array_append (to, (const guint8 *) entry->name, (guint) strlen (entry->name));
}

/* The extra field of zip64 with the 64-bit sizes. */
static void
put_large (GByteArray *to, const Entry *entry, gboolean with_offset)
{
  put_number (to, 1, 2);
  put_number (to, with_offset ? 24 : 16, 2);
  put_number (to, entry->size, 8);
  put_number (to, entry->size, 8);
  if (with_offset)
    put_number (to, entry->offset, 8);
}

static gboolean
write_local (HybZipWriter *writer, const Entry *entry, GError **error)
{
  g_autoptr (GByteArray) header = g_byte_array_new ();
  guint   n_large = entry->is_large ? 20 : 0;
  guint64 begin = writer->at + 30 + strlen (entry->name) + n_large + 4;
  guint   n_padding = (guint) (-begin & (ALIGNMENT - 1));

  put_number (header, 0x04034b50, 4);
  put_common (header, entry, n_large + 4 + n_padding);
  put_name (header, entry);
  if (entry->is_large)
    put_large (header, entry, FALSE);
  put_number (header, PADDING_ID, 2);
  put_number (header, n_padding, 2);
  for (guint i = 0; i < n_padding; i++)
    put_number (header, 0, 1);

  return write_bytes (writer, header->data, header->len, error);
}

static void
add_directory_entry (HybZipWriter *writer, const Entry *entry)
{
  GByteArray *to = writer->directory;

  put_number (to, 0x02014b50, 4);
  put_number (to, 0x031e, 2); /* made on Unix */
  put_common (to, entry, entry->is_large ? 28 : 0);
  put_number (to, 0, 2); /* comment */
  put_number (to, 0, 2); /* disk */
  put_number (to, 0, 2);
  put_number (to, (guint64) 0100644 << 16, 4);
  put_number (to, entry->is_large ? G_MAXUINT32 : entry->offset, 4);
  put_name (to, entry);
  if (entry->is_large)
    put_large (to, entry, TRUE);
  writer->n_members++;
}

gboolean
hyb_zip_writer_add (HybZipWriter *writer,
                    const char   *name,
                    GBytes       *head,
                    GBytes       *data,
                    GError      **error)
{
  gsize         n_head, n_data;
  gconstpointer first = g_bytes_get_data (head, &n_head);
  gconstpointer second = g_bytes_get_data (data, &n_data);
  Entry         entry = {
            .name = name,
            .crc = hyb_crc32 (hyb_crc32 (0, first, n_head), second, n_data),
            .size = n_head + n_data,
            .offset = writer->at,
  };

  g_return_val_if_fail (strlen (name) < G_MAXUINT16, FALSE);

  entry.is_large = entry.size >= G_MAXUINT32 || entry.offset >= G_MAXUINT32;
  add_directory_entry (writer, &entry);
  return write_local (writer, &entry, error) && write_bytes (writer, first, n_head, error) &&
         write_bytes (writer, second, n_data, error);
}

/* The record at the end of zip64, and its locator.  at, size: of the directory. */
static void
put_end64 (GByteArray *to, HybZipWriter *writer, guint64 at, guint64 size)
{
  put_number (to, 0x06064b50, 4);
  put_number (to, 44, 8);
  put_number (to, 0x031e, 2);
  put_number (to, 45, 2);
  put_number (to, 0, 8); /* disks */
  put_number (to, writer->n_members, 8);
  put_number (to, writer->n_members, 8);
  put_number (to, size, 8);
  put_number (to, at, 8);
  put_number (to, 0x07064b50, 4); /* the locator, with the position of that record */
  put_number (to, 0, 4);
  put_number (to, at + size, 8);
  put_number (to, 1, 4);
}

gboolean
hyb_zip_writer_finish (HybZipWriter *writer, GError **error)
{
  g_autoptr (GByteArray) end = g_byte_array_new ();
  guint64 at = writer->at, size = writer->directory->len;

  if (!write_bytes (writer, writer->directory->data, size, error))
    return FALSE;

  if (writer->n_members >= G_MAXUINT16 || at + size >= G_MAXUINT32)
    put_end64 (end, writer, at, size);
  put_number (end, 0x06054b50, 4);
  put_number (end, 0, 4);
  put_number (end, MIN (writer->n_members, G_MAXUINT16), 2);
  put_number (end, MIN (writer->n_members, G_MAXUINT16), 2);
  put_number (end, MIN (size, G_MAXUINT32), 4);
  put_number (end, MIN (at, G_MAXUINT32), 4);
  put_number (end, 0, 2);

  return write_bytes (writer, end->data, end->len, error);
}
