/* zip-reader.c — reads the central directory of a zip archive, and its members.
 *
 * Sizes are taken from the central directory, because local headers may lack them.  zlib inflates;
 * headers are read here, because stored members are used where they lie in the mapped file.  Start at hyb_zip_open() and
 * hyb_zip_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/zip.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/byte-reader.h"

#include <string.h>

#define LOCAL_SIGNATURE   0x04034b50u
#define CENTRAL_SIGNATURE 0x02014b50u
#define END64_SIGNATURE   0x06064b50u
#define LOCATOR_SIGNATURE 0x07064b50u

#define END_BYTES      22
#define LOCATOR_BYTES  20
#define CENTRAL_BYTES  46
#define LOCAL_BYTES    30   /* of a local header without its name */
#define DEFLATE_FACTOR 1032 /* deflate cannot compress more than this */

typedef struct
{
  char   *name;
  guint16 flags, method;
  guint32 crc;
  guint64 packed, size, offset;
} Member;

struct _HybZip
{
  GBytes *bytes;
  char   *where;
  GArray *members;
};

static gboolean
refuse (const char *where, const char *member, GError **error, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

static gboolean
refuse (const char *where, const char *member, GError **error, const char *format, ...)
{
  g_autofree char *place = member ? g_strdup_printf ("%s: member “%s”", where, member) : NULL;
  g_autofree char *what = NULL;
  va_list          list;

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, place ? place : where,
                       "Write or download the file again", "%s", what);
}

static void
clear_member (gpointer data)
{
  g_free (((Member *) data)->name);
}

/* Fields that do not fit into 32 bits are 0xffffffff; their values are in extra field 1. */
static gboolean
read_zip64 (Member *member, HybByteReader extra)
{
  guint64 *fields[] = { &member->size, &member->packed, &member->offset };
  guint16  id, length;

  while (hyb_byte_reader_u16 (&extra, &id) && hyb_byte_reader_u16 (&extra, &length))
    {
      const guint8 *data;
      HybByteReader field;

      if (!hyb_byte_reader_take (&extra, length, &data))
        return FALSE;
      if (id != 1)
        continue;

      field = hyb_byte_reader_make (data, length);
      for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
        if (*fields[i] == G_MAXUINT32 && !hyb_byte_reader_u64 (&field, fields[i]))
          return FALSE;
      return TRUE;
    }

  return TRUE;
}

/* Reads one entry of the central directory. */
static gboolean
read_central (HybByteReader *reader, Member *member)
{
  guint32       signature, packed, size, offset;
  guint16       n_name, n_extra, n_comment;
  const guint8 *extra;

  if (!hyb_byte_reader_u32 (reader, &signature) || signature != CENTRAL_SIGNATURE ||
      !hyb_byte_reader_skip (reader, 4) || !hyb_byte_reader_u16 (reader, &member->flags) ||
      !hyb_byte_reader_u16 (reader, &member->method) || !hyb_byte_reader_skip (reader, 4) ||
      !hyb_byte_reader_u32 (reader, &member->crc) || !hyb_byte_reader_u32 (reader, &packed) ||
      !hyb_byte_reader_u32 (reader, &size) || !hyb_byte_reader_u16 (reader, &n_name) ||
      !hyb_byte_reader_u16 (reader, &n_extra) || !hyb_byte_reader_u16 (reader, &n_comment) ||
      !hyb_byte_reader_skip (reader, 8) || !hyb_byte_reader_u32 (reader, &offset) ||
      !(member->name = hyb_byte_reader_take_name (reader, n_name)))
    return FALSE;

  member->packed = packed;
  member->size = size;
  member->offset = offset;
  return hyb_byte_reader_take (reader, n_extra, &extra) &&
         hyb_byte_reader_skip (reader, n_comment) &&
         read_zip64 (member, hyb_byte_reader_make (extra, n_extra));
}

/* The position of the record at the end of the archive, which a comment may follow. */
static gboolean
find_end (const guint8 *data, gsize length, gsize *at)
{
  static const guint8 signature[] = { 'P', 'K', 5, 6 };

  if (length < END_BYTES)
    return FALSE;

  for (gsize back = END_BYTES; back <= MIN (length, END_BYTES + 65535); back++)
    if (memcmp (data + length - back, signature, 4) == 0)
      {
        *at = length - back;
        return TRUE;
      }

  return FALSE;
}

typedef struct
{
  guint64 n, offset;
} Directory;

/* Reads the number of members and the place of the directory from the record at the end, or from
 * the zip64 record. */
static gboolean
read_end (HybByteReader reader, Directory *directory)
{
  guint16 n;
  guint32 offset, signature;
  guint64 at64;
  gsize   end;

  if (!find_end (reader.data, reader.length, &end) || !hyb_byte_reader_seek (&reader, end + 10) ||
      !hyb_byte_reader_u16 (&reader, &n) || !hyb_byte_reader_skip (&reader, 4) ||
      !hyb_byte_reader_u32 (&reader, &offset))
    return FALSE;

  *directory = (Directory){ n, offset };
  if (n != G_MAXUINT16 && offset != G_MAXUINT32)
    return TRUE;
  if (end < LOCATOR_BYTES || !hyb_byte_reader_seek (&reader, end - LOCATOR_BYTES) ||
      !hyb_byte_reader_u32 (&reader, &signature) || signature != LOCATOR_SIGNATURE)
    return TRUE;

  return hyb_byte_reader_skip (&reader, 4) && hyb_byte_reader_u64 (&reader, &at64) &&
         at64 < G_MAXSIZE && hyb_byte_reader_seek (&reader, at64) &&
         hyb_byte_reader_u32 (&reader, &signature) && signature == END64_SIGNATURE &&
         hyb_byte_reader_skip (&reader, 28) && hyb_byte_reader_u64 (&reader, &directory->n) &&
         hyb_byte_reader_skip (&reader, 8) && hyb_byte_reader_u64 (&reader, &directory->offset);
}

static int
compare_offsets (gconstpointer a, gconstpointer b)
{
  const Member *x = *(const Member *const *) a, *y = *(const Member *const *) b;

  return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Refuses members that share bytes of the file, so that many of them cannot be made from the same data. */
static gboolean
check_overlaps (const HybZip *zip, GError **error)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  for (guint i = 0; i < zip->members->len; i++)
    g_ptr_array_add (sorted, &g_array_index (zip->members, Member, i));
  g_ptr_array_sort (sorted, compare_offsets);
  for (guint i = 1; i < sorted->len; i++)
    {
      const Member *before = sorted->pdata[i - 1], *member = sorted->pdata[i];

      if (member->offset - before->offset < LOCAL_BYTES + strlen (before->name) ||
          member->offset - before->offset - LOCAL_BYTES - strlen (before->name) < before->packed)
        return refuse (zip->where, member->name, error,
                       "it shares bytes of the file with member “%s”", before->name);
    }
  return TRUE;
}

/* Checks the memory that unpacking all members would take.  Stored members are read in place and take none. */
static gboolean
check_total (const HybZip *zip, GError **error)
{
  guint64 total = 0;

  for (guint i = 0; i < zip->members->len; i++)
    {
      const Member *member = &g_array_index (zip->members, Member, i);

      if (member->method != 0 && !g_uint64_checked_add (&total, total, member->size))
        total = G_MAXUINT64;
    }
  return hyb_limits_check_memory (total, g_bytes_get_size (zip->bytes), zip->where, error);
}

HybZip *
hyb_zip_open (GBytes *bytes, const char *where, GError **error)
{
  g_autoptr (HybZip) zip = g_new0 (HybZip, 1);
  gsize         length;
  gconstpointer data = g_bytes_get_data (bytes, &length);
  HybByteReader reader = hyb_byte_reader_make (data, length);
  Directory     directory;

  zip->bytes = g_bytes_ref (bytes);
  zip->where = g_strdup (where);
  zip->members = g_array_new (FALSE, TRUE, sizeof (Member));
  g_array_set_clear_func (zip->members, clear_member);

  if (!read_end (reader, &directory))
    {
      refuse (where, NULL, error, "the archive has no directory at its end: it was cut off");
      return NULL;
    }
  if (directory.offset > length || directory.n > (length - directory.offset) / CENTRAL_BYTES)
    {
      refuse (where, NULL, error, "the archive’s directory is outside the file");
      return NULL;
    }

  hyb_byte_reader_seek (&reader, directory.offset);
  for (guint64 i = 0; i < directory.n; i++)
    {
      Member   member = { 0 };
      gboolean is_read = read_central (&reader, &member);

      g_array_append_val (zip->members, member);
      if (!is_read)
        {
          refuse (where, NULL, error, "entry %" G_GUINT64_FORMAT " of its directory is broken", i);
          return NULL;
        }
    }

  if (!check_overlaps (zip, error) || !check_total (zip, error))
    return NULL;
  return g_steal_pointer (&zip);
}

void
hyb_zip_free (HybZip *zip)
{
  g_bytes_unref (zip->bytes);
  g_free (zip->where);
  g_array_unref (zip->members);
  g_free (zip);
}

guint
hyb_zip_n_members (const HybZip *zip)
{
  return zip->members->len;
}

const char *
hyb_zip_get_name (const HybZip *zip, guint index)
{
  return g_array_index (zip->members, Member, index).name;
}

static GBytes *
inflate (GBytes *packed, gsize size)
{
  g_autoptr (GInputStream) source = g_memory_input_stream_new_from_bytes (packed);
  g_autoptr (GZlibDecompressor) unpacker = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW);
  g_autoptr (GInputStream) stream = g_converter_input_stream_new (source, G_CONVERTER (unpacker));
  g_autofree guint8 *data = g_try_malloc (MAX (size, 1));
  gsize              n;

  if (!data || !g_input_stream_read_all (stream, data, size, &n, NULL, NULL) || n != size)
    return NULL;

  return g_bytes_new_take (g_steal_pointer (&data), size);
}

/* The bytes of a member, compressed or not; NULL if they are not inside the file. */
static GBytes *
take_packed (const HybZip *zip, const Member *member)
{
  gsize         length;
  gconstpointer data = g_bytes_get_data (zip->bytes, &length);
  HybByteReader reader = hyb_byte_reader_make (data, length);
  guint32       signature;
  guint16       n_name, n_extra;

  if (member->offset > length || !hyb_byte_reader_seek (&reader, member->offset) ||
      !hyb_byte_reader_u32 (&reader, &signature) || signature != LOCAL_SIGNATURE ||
      !hyb_byte_reader_skip (&reader, 22) || !hyb_byte_reader_u16 (&reader, &n_name) ||
      !hyb_byte_reader_u16 (&reader, &n_extra) ||
      !hyb_byte_reader_skip (&reader, (guint64) n_name + n_extra) ||
      member->packed > hyb_byte_reader_left (&reader))
    return NULL;

  return g_bytes_new_from_bytes (zip->bytes, reader.at, member->packed);
}

GBytes *
hyb_zip_read (const HybZip *zip, guint index, GError **error)
{
  const Member *member = &g_array_index (zip->members, Member, index);
  g_autoptr (GBytes) packed = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (member->flags & 1)
    {
      refuse (zip->where, member->name, error, "it is encrypted");
      return NULL;
    }
  if (member->method != 0 && member->method != 8)
    {
      refuse (zip->where, member->name, error, "compression %u is not known", member->method);
      return NULL;
    }

  packed = take_packed (zip, member);
  if (!packed || (member->method == 0 && member->size != member->packed) ||
      member->size / DEFLATE_FACTOR > member->packed)
    {
      refuse (zip->where, member->name, error, "its offset or size is wrong");
      return NULL;
    }

  bytes = member->method == 0 ? g_bytes_ref (packed) : inflate (packed, member->size);
  if (!bytes ||
      hyb_crc32 (0, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) != member->crc)
    {
      refuse (zip->where, member->name, error, "its contents are broken (wrong checksum)");
      return NULL;
    }

  return g_steal_pointer (&bytes);
}
