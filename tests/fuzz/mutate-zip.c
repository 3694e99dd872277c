/* mutate-zip.c — changes an archive of arrays member by member, and the header of single arrays.
 *
 * Members are renamed, copied, removed, or their arrays described otherwise; then the archive is written anew:
 * stored or deflated, sometimes with sizes, offsets or checksums that local headers and directory tell
 * differently.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "engine/formats/zip.h"

#include <string.h>

#define MAX_MEMBERS 40

typedef struct
{
  char   *name;
  GBytes *contents;
} Member;

typedef struct
{
  GByteArray *out;
  FuzzRandom *random;
  guint       one_lie_in; /* numbers; 0: none is replaced */
} Writer;

static void
member_clear (gpointer data)
{
  Member *member = data;

  g_free (member->name);
  g_bytes_unref (member->contents);
}

/* --- Arrays --- */

/* An npy file with another header in front of the same elements.  (transfer full) */
static GBytes *
describe_otherwise (GBytes *contents, FuzzRandom *random)
{
  static const char *const types[] = { "<f4", ">f4", "<f8", "|b1", "<i8", ">i8", "<i4", "|u1",
                                       "|i1", "<f2", "<u8", "<U3", "|O",  "<c8", "=f4", "f4" };
  gsize                    size;
  const guint8            *data = g_bytes_get_data (contents, &size);
  gsize                    header = size > 10 ? 10 + (gsize) (data[8] | data[9] << 8) : size;
  guint                    version = fuzz_once_in (random, 3) ? 1 + fuzz_below (random, 3) : 1;
  g_autoptr (GString) text = g_string_new ("{'descr': '");
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint32 length;

  if (header > size)
    header = size;
  g_string_append (text, types[fuzz_below (random, G_N_ELEMENTS (types))]);
  g_string_append_printf (text, "', 'fortran_order': %s, 'shape': (",
                          fuzz_once_in (random, 3) ? "True" : "False");
  for (guint i = fuzz_below (random, 5); i > 0; i--)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT ", ",
                            fuzz_once_in (random, 10) ? fuzz_number (random)
                                                      : fuzz_below (random, 5));
  g_string_append (text, "), }\n");
  length = (guint32) text->len;
  g_byte_array_append (out, (const guint8 *) "\x93NUMPY", 6);
  g_byte_array_append (out, (const guint8[]){ (guint8) version, 0 }, 2);
  g_byte_array_append (out, (const guint8[]){ (guint8) length, (guint8) (length >> 8), 0, 0 },
                       version == 1 ? 2 : 4);
  g_byte_array_append (out, (const guint8 *) text->str, length);
  g_byte_array_append (out, data + header, (guint) (size - header));
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

/* --- Writing --- */

static guint64
perhaps_lie (Writer *writer, guint64 value)
{
  return writer->one_lie_in > 0 && fuzz_once_in (writer->random, writer->one_lie_in)
             ? fuzz_number (writer->random)
             : value;
}

static void
put (Writer *writer, guint64 value, guint n)
{
  guint64 little = GUINT64_TO_LE (perhaps_lie (writer, value));

  g_byte_array_append (writer->out, (const guint8 *) &little, n);
}

/* The bytes as a raw deflate stream.  (transfer full) */
static GBytes *
deflate_bytes (GBytes *bytes)
{
  g_autoptr (GConverter) packer =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW, 1));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (memory, packer);
  gsize         size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  g_output_stream_write_all (stream, data, size, NULL, NULL, NULL);
  g_output_stream_close (stream, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}

/* What local header and directory have in common: version to checksum and sizes, and the lengths of the name
 * and of the extra field. */
static void
put_facts (Writer *writer, const Member *member, gsize packed, gboolean is_deflated, guint extra)
{
  gsize size = g_bytes_get_size (member->contents);

  put (writer, 20, 2);
  put (writer, 0, 2);
  put (writer, is_deflated ? 8 : 0, 2);
  put (writer, 0, 4);
  put (writer, hyb_crc32 (0, g_bytes_get_data (member->contents, NULL), size), 4);
  put (writer, extra > 0 ? G_MAXUINT32 : packed, 4);
  put (writer, extra > 0 ? G_MAXUINT32 : size, 4);
  put (writer, strlen (member->name), 2);
  put (writer, extra, 2);
}

/* The sizes again in 64 bits. */
static void
put_extra (Writer *writer, const Member *member, gsize packed)
{
  put (writer, 1, 2);
  put (writer, 16, 2);
  put (writer, g_bytes_get_size (member->contents), 8);
  put (writer, packed, 8);
}

static void
put_archive (Writer *writer, GArray *members)
{
  Writer directory = { .out = g_byte_array_new (),
                       .random = writer->random,
                       .one_lie_in = writer->one_lie_in };
  guint  start;

  for (guint i = 0; i < members->len; i++)
    {
      const Member *member = &g_array_index (members, Member, i);
      gboolean      is_deflated = fuzz_once_in (writer->random, 2);
      guint         extra = fuzz_once_in (writer->random, 5) ? 20 : 0;
      g_autoptr (GBytes) packed =
          is_deflated ? deflate_bytes (member->contents) : g_bytes_ref (member->contents);
      gsize         size;
      gconstpointer data = g_bytes_get_data (packed, &size);
      guint         at = writer->out->len;

      put (writer, 0x04034b50, 4);
      put_facts (writer, member, size, is_deflated, extra);
      g_byte_array_append (writer->out, (const guint8 *) member->name,
                           (guint) strlen (member->name));
      if (extra > 0)
        put_extra (writer, member, size);
      g_byte_array_append (writer->out, data, (guint) size);

      put (&directory, 0x02014b50, 4);
      put (&directory, 20, 2);
      put_facts (&directory, member, size, is_deflated, extra);
      put (&directory, 0, 2);
      put (&directory, 0, 2);
      put (&directory, 0, 2);
      put (&directory, 0, 4);
      put (&directory, at, 4);
      g_byte_array_append (directory.out, (const guint8 *) member->name,
                           (guint) strlen (member->name));
      if (extra > 0)
        put_extra (&directory, member, size);
    }
  start = writer->out->len;
  g_byte_array_append (writer->out, directory.out->data, directory.out->len);
  put (writer, 0x06054b50, 4);
  put (writer, 0, 4);
  put (writer, members->len, 2);
  put (writer, members->len, 2);
  put (writer, directory.out->len, 4);
  put (writer, start, 4);
  put (writer, 0, 2);
  g_byte_array_unref (directory.out);
}

/* --- Changes --- */

static GArray *
read_members (GBytes *bytes)
{
  GArray *members = g_array_new (FALSE, FALSE, sizeof (Member));
  g_autoptr (HybZip) zip = hyb_zip_open (bytes, "change", NULL);

  g_array_set_clear_func (members, member_clear);
  for (guint i = 0; zip && i < hyb_zip_n_members (zip) && i < MAX_MEMBERS; i++)
    {
      Member member = { .contents = hyb_zip_read (zip, i, NULL) };

      if (!member.contents)
        continue;
      member.name = g_strdup (hyb_zip_get_name (zip, i));
      g_array_append_val (members, member);
    }
  return members;
}

static void
change_member (GArray *members, FuzzRandom *random)
{
  static const char *const names[] = { "a.npy",        "w/data.npy",
                                       "w/format.npy", "w/indices.npy",
                                       "w/indptr.npy", "w/shape.npy",
                                       "arg:x",        "" };
  guint                    index = fuzz_below (random, members->len);
  Member                  *member = &g_array_index (members, Member, index);
  Member                   copy;
  GBytes                  *other;

  switch (fuzz_below (random, 6))
    {
    case 0:
      g_array_remove_index (members, index);
      return;
    case 1:
      copy = (Member){ g_strdup (member->name), g_bytes_ref (member->contents) };
      g_array_append_val (members, copy);
      return;
    case 2:
      g_free (member->name);
      member->name = g_strdup (names[fuzz_below (random, G_N_ELEMENTS (names))]);
      return;
    default:
      other = describe_otherwise (member->contents, random);
      g_bytes_unref (member->contents);
      member->contents = other;
    }
}

gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned seed)
{
  FuzzRandom random = seed;
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GArray) members = NULL;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  Writer writer = { .out = out, .random = &random };

  if (fuzz_once_in (&random, 4))
    return LLVMFuzzerMutate (data, size, max_size);
  if (size > 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    {
      g_autoptr (GBytes) other = describe_otherwise (bytes, &random);

      g_byte_array_append (out, g_bytes_get_data (other, NULL), (guint) g_bytes_get_size (other));
    }
  else
    {
      members = read_members (bytes);
      if (members->len == 0)
        return LLVMFuzzerMutate (data, size, max_size);
      change_member (members, &random);
      if (fuzz_once_in (&random, 3))
        writer.one_lie_in = 10 + 20 * members->len;
      put_archive (&writer, members);
    }
  if (out->len > max_size)
    return LLVMFuzzerMutate (data, size, max_size);
  memcpy (data, out->data, out->len);
  return out->len;
}
