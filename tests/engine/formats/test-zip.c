/* test-zip.c — the directory of a zip archive lies about sizes, offsets and counts, at the exact bounds.
 *
 * Archives are put together here byte by byte, as PKWARE's APPNOTE describes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/zip.h"
#include "tests/program.h"

#include <string.h>

typedef struct
{
  const char *name;
  guint16     method;
  const void *contents; /* as stored */
  gsize       n_contents;
  guint32     crc;
  guint32     size;         /* 0: as stored */
  guint32     offset_delta; /* added to the true offset in the directory */
  guint32     packed_delta; /* added to the true length */
} Member;

static void
put (GByteArray *bytes, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    g_byte_array_append (bytes, &(guint8){ (guint8) (i < 8 ? value >> (8 * i) : 0) }, 1);
}

static void
put_entry (GByteArray *bytes, const Member *member, guint32 offset)
{
  put (bytes, 0x02014b50, 4);
  put (bytes, 20, 2); /* made by */
  put (bytes, 20, 2); /* needed */
  put (bytes, 0, 2);  /* flags */
  put (bytes, member->method, 2);
  put (bytes, 0, 4); /* time and date */
  put (bytes, member->crc, 4);
  put (bytes, member->n_contents + member->packed_delta, 4);
  put (bytes, member->size ? member->size : member->n_contents + member->packed_delta, 4);
  put (bytes, strlen (member->name), 2);
  put (bytes, 0, 2); /* extra fields */
  put (bytes, 0, 2); /* comment */
  put (bytes, 0, 8); /* disk, attributes */
  put (bytes, offset + member->offset_delta, 4);
  g_byte_array_append (bytes, (const guint8 *) member->name, (guint) strlen (member->name));
}

/* n_announced: members in the end record; the entries that are missing would lie behind it. */
static GBytes *
make_archive (const Member *members, guint n, guint n_announced)
{
  GByteArray         *bytes = g_byte_array_new ();
  g_autofree guint32 *offsets = g_new (guint32, n);
  guint32             directory;

  for (guint i = 0; i < n; i++)
    {
      offsets[i] = bytes->len;
      put (bytes, 0x04034b50, 4);
      put (bytes, 0, 22);
      put (bytes, strlen (members[i].name), 2);
      put (bytes, 0, 2);
      g_byte_array_append (bytes, (const guint8 *) members[i].name,
                           (guint) strlen (members[i].name));
      g_byte_array_append (bytes, members[i].contents, (guint) members[i].n_contents);
    }
  directory = bytes->len;
  for (guint i = 0; i < n; i++)
    put_entry (bytes, &members[i], offsets[i]);
  put (bytes, 0x06054b50, 4);
  put (bytes, 0, 6);
  put (bytes, n_announced, 2);
  put (bytes, 0, 4);
  put (bytes, directory, 4);
  put (bytes, 0, 2);
  return g_byte_array_free_to_bytes (bytes);
}

/* Opens an archive and reads its first member. */
static GBytes *
read_first (GBytes *archive, GError **error)
{
  g_autoptr (HybZip) zip = hyb_zip_open (archive, "a.zip", error);

  return zip ? hyb_zip_read (zip, 0, error) : NULL;
}

static void
assert_refused (GBytes *archive, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) contents = read_first (archive, &error);

  g_assert_null (contents);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_stored (void)
{
  Member members[] = { { .name = "a", .contents = "abc", .n_contents = 3 },
                       { .name = "bb", .contents = "de", .n_contents = 2 } };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) archive = NULL;
  g_autoptr (GBytes) contents = NULL;

  members[0].crc = hyb_crc32 (0, "abc", 3);
  archive = make_archive (members, 2, 2);
  contents = read_first (archive, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (contents, NULL), g_bytes_get_size (contents), "abc", 3);
}

/* A stored member has one size: the rest of it would be taken from elsewhere. */
static void
test_stored_with_two_sizes (void)
{
  for (guint32 size = 2; size <= 4; size += 2)
    {
      Member member = { .name = "a", .contents = "abc", .n_contents = 3, .size = size };
      g_autoptr (GBytes) archive = NULL;

      member.crc = hyb_crc32 (0, "abc", 3);
      archive = make_archive (&member, 1, 1);
      assert_refused (archive, "its offset or size is wrong");
    }
}

/* The contents of the last member may reach up to the end of the file, where the directory is, and no further. */
static void
test_member_up_to_the_end (void)
{
  Member member = { .name = "a", .contents = "abc", .n_contents = 3 };
  g_autoptr (GBytes) plain = make_archive (&member, 1, 1);
  g_autoptr (GBytes) whole = NULL;
  g_autoptr (GBytes) more = NULL;

  member.packed_delta =
      (guint32) g_bytes_get_size (plain) - 30 - 1 - 3; /* local header, name, contents */
  whole = make_archive (&member, 1, 1);
  member.packed_delta++;
  more = make_archive (&member, 1, 1);
  assert_refused (whole, "its contents are broken (wrong checksum)");
  assert_refused (more, "its offset or size is wrong");
}

/* No deflated byte makes more than 1032: a size beyond that is refused before anything is allocated. */
static void
test_expansion (void)
{
  static const guint8 packed[] = { 0x03, 0x00 }; /* an empty deflate stream */
  Member              member = { .name = "a", .method = 8, .contents = packed, .n_contents = 2 };
  g_autoptr (GBytes) possible = NULL;
  g_autoptr (GBytes) impossible = NULL;

  member.size = 3 * 1032 - 1;
  possible = make_archive (&member, 1, 1);
  member.size = 3 * 1032;
  impossible = make_archive (&member, 1, 1);
  assert_refused (possible, "its contents are broken");
  assert_refused (impossible, "its offset or size is wrong");
}

static void
test_overlap (void)
{
  Member members[] = { { .name = "aaaa", .contents = "abc", .n_contents = 3 },
                       { .name = "bb", .contents = "de", .n_contents = 2 } };
  g_autoptr (GBytes) archive = NULL;

  members[0].crc = hyb_crc32 (0, "abc", 3);
  for (int delta = 1; delta <= 20; delta++)
    {
      members[1].offset_delta = (guint32) -delta;
      g_clear_pointer (&archive, g_bytes_unref);
      archive = make_archive (members, 2, 2);
      assert_refused (archive, "it shares bytes of the file");
    }
  members[1].offset_delta = 0;
  members[0].packed_delta = 1;
  g_clear_pointer (&archive, g_bytes_unref);
  archive = make_archive (members, 2, 2);
  assert_refused (archive, "it shares bytes of the file");
}

/* An entry takes 46 bytes.  From the directory to the end of the file there are 46 + 1 and the 22 of the end
 * record, so one entry fits, and two do not. */
static void
test_more_entries_than_fit (void)
{
  Member member = { .name = "a", .contents = "abc", .n_contents = 3 };
  g_autoptr (GBytes) one = NULL;
  g_autoptr (GBytes) two = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) contents = NULL;

  member.crc = hyb_crc32 (0, "abc", 3);
  one = make_archive (&member, 1, 1);
  two = make_archive (&member, 1, 2);
  contents = read_first (one, &error);
  g_assert_no_error (error);
  assert_refused (two, "directory is outside the file");
}

/* The number of members has 16 bits in the end record, and 64 bits in the record of zip64 before it, whose own
 * length counts neither its signature nor the length itself (APPNOTE 4.3.14). */
static void
test_many_members (void)
{
  static const guint8 start[] = { 'P', 'K', 6, 6, 44, 0, 0, 0, 0, 0, 0, 0 };
  const guint         n = G_MAXUINT16 + 1;
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (HybZipWriter) writer = hyb_zip_writer_new (out);
  g_autoptr (GBytes) nothing = g_bytes_new_static ("", 0);
  g_autoptr (GBytes) archive = NULL;
  g_autoptr (HybZip) zip = NULL;
  g_autoptr (GError) error = NULL;
  gsize         length;
  const guint8 *data;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      g_assert_true (hyb_zip_writer_add (writer, name, nothing, nothing, NULL));
    }
  g_assert_true (hyb_zip_writer_finish (writer, NULL));
  g_output_stream_close (out, NULL, NULL);
  archive = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
  data = g_bytes_get_data (archive, &length);
  g_assert_cmpmem (data + length - 22 - 20 - 56, sizeof start, start, sizeof start);
  zip = hyb_zip_open (archive, "a.zip", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_zip_n_members (zip), ==, n);
  g_assert_cmpstr (hyb_zip_get_name (zip, n - 1), ==, "65535");
}

TEST_PROGRAM (test_zip)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/formats/zip/stored-members-are-read", test_stored);
  g_test_add_func ("/engine/formats/zip/stored-members-have-one-size", test_stored_with_two_sizes);
  g_test_add_func ("/engine/formats/zip/a-member-ends-where-the-file-ends",
                   test_member_up_to_the_end);
  g_test_add_func ("/engine/formats/zip/impossible-expansion-is-refused", test_expansion);
  g_test_add_func ("/engine/formats/zip/members-share-no-byte", test_overlap);
  g_test_add_func ("/engine/formats/zip/no-more-entries-than-fit", test_more_entries_than_fit);
  g_test_add_func ("/engine/formats/zip/more-than-65535-members", test_many_members);
  return g_test_run ();
}
