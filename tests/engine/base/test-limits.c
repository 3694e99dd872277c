/* test-limits.c — the limits themselves, and readers that refuse files which would exceed them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/limits.h"

#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/formats/file.h"
#include "engine/formats/json-reader.h"
#include "engine/formats/mxnet-params.h"
#include "engine/formats/npz.h"
#include "engine/formats/zip.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

#define MIB ((guint64) 1 << 20)

static void
test_defaults (void)
{
  hyb_limits_set (0, 0);
  g_assert_cmpuint (hyb_limits_get_memory (0), ==, 256 * MIB);
  g_assert_cmpuint (hyb_limits_get_memory (MIB), ==, 262 * MIB);
  g_assert_cmpuint (hyb_limits_get_memory (G_MAXUINT64 / 6), ==, G_MAXUINT64);
  g_assert_cmpuint (hyb_limits_get_memory (G_MAXUINT64), ==, G_MAXUINT64);
  g_assert_cmpuint (hyb_limits_get_work (), >, 0);
}

static void
test_edge (void)
{
  g_autoptr (GError) error = NULL;

  hyb_limits_set (1000, 0);
  g_assert_true (hyb_limits_check_memory (1000, 5, "a file", &error));
  g_assert_no_error (error);
  g_assert_false (hyb_limits_check_memory (1001, 5, "a file", &error));
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_MEMORY);
  hyb_limits_set (0, 0);
}

static GBytes *
deflate (gsize n)
{
  g_autoptr (GZlibCompressor) packer = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW, 9);
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (out, G_CONVERTER (packer));
  g_autofree guint8 *zeros = g_malloc0 (n);

  g_assert_true (g_output_stream_write_all (stream, zeros, n, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

static void
append_numbers (GByteArray *to, const char *sizes, const guint64 *numbers)
{
  for (; *sizes; sizes++, numbers++)
    g_byte_array_append (to, (const guint8 *) numbers, (guint) (*sizes - '0'));
}

/* An archive with n members of the same size; with is_shared they have one and the same data. */
static GBytes *
make_archive (guint n, gsize size, gboolean is_shared)
{
  g_autoptr (GBytes) packed = deflate (size);
  g_autofree guint8 *zeros = g_malloc0 (size);
  guint32            crc = hyb_crc32 (0, zeros, size);
  GByteArray        *file = g_byte_array_new ();
  g_autoptr (GByteArray) directory = g_byte_array_new ();
  guint64 length = g_bytes_get_size (packed), start = 0, at = 0;

  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || !is_shared)
        {
          at = file->len;
          append_numbers (file, "42222244422",
                          (guint64[]){ 0x04034b50, 20, 0, 8, 0, 0, crc, length, size, 1, 0 });
          g_byte_array_append (file, (const guint8 *) "a", 1);
          g_byte_array_append (file, g_bytes_get_data (packed, NULL), (guint) length);
        }
      append_numbers (directory,
                      "4222222444222224"
                      "4",
                      (guint64[]){ 0x02014b50, 20, 20, 0, 8, 0, 0, crc, length, size, 1, 0, 0, 0, 0,
                                   0, at });
      g_byte_array_append (directory, (const guint8 *) "a", 1);
    }
  start = file->len;
  g_byte_array_append (file, directory->data, directory->len);
  append_numbers (file, "42222442",
                  (guint64[]){ 0x06054b50, 0, 0, n, n, directory->len, start, 0 });
  return g_byte_array_free_to_bytes (file);
}

static void
test_archive_at_the_limit (void)
{
  g_autoptr (GBytes) bytes = make_archive (3, 100000, FALSE);
  g_autoptr (HybZip) zip = NULL;
  g_autoptr (HybZip) refused = NULL;
  g_autoptr (GBytes) member = NULL;
  g_autoptr (GError) error = NULL;

  hyb_limits_set (300000, 0);
  zip = hyb_zip_open (bytes, "archive", &error);
  g_assert_no_error (error);
  member = hyb_zip_read (zip, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (member), ==, 100000);

  hyb_limits_set (299999, 0);
  refused = hyb_zip_open (bytes, "archive", &error);
  hyb_limits_set (0, 0);
  g_assert_null (refused);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_MEMORY);
}

static void
test_shared_data (void)
{
  g_autoptr (GBytes) bytes = make_archive (2, 1000, TRUE);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybZip) zip = hyb_zip_open (bytes, "archive", &error);

  g_assert_null (zip);
  g_assert_nonnull (strstr (error->message, "shares bytes"));
}

static void
test_gzip (void)
{
  g_autoptr (GZlibCompressor) packer = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9);
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (out, G_CONVERTER (packer));
  g_autofree guint8 *zeros = g_malloc0 (100000);
  g_autofree char   *path = g_build_filename (g_get_tmp_dir (), "limits-test.gz", NULL);
  g_autoptr (GBytes) all = NULL;
  g_autoptr (GBytes) cut = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_output_stream_write_all (stream, zeros, 100000, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  g_assert_true (
      hyb_file_replace_contents (path,
                                 g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (out)),
                                 g_memory_output_stream_get_data_size (
                                     G_MEMORY_OUTPUT_STREAM (out)),
                                 NULL));
  hyb_limits_set (100000, 0);
  all = hyb_file_read (path, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (all), ==, 100000);
  hyb_limits_set (99999, 0);
  cut = hyb_file_read (path, 0, &error);
  hyb_limits_set (0, 0);
  g_remove (path);
  g_assert_null (cut);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_MEMORY);
}

static void
test_values_of_json (void)
{
  g_autoptr (GBytes) text = g_bytes_new_static ("[0,0,0,0,0,0,0,0,0]", 19);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybJson) all = NULL;
  g_autoptr (HybJson) cut = NULL;

  /* Ten values: the list and nine numbers, each of which may take 64 bytes. */
  hyb_limits_set (640, 0);
  all = hyb_json_parse (text, NULL, "text", NULL, &error);
  g_assert_no_error (error);
  hyb_limits_set (639, 0);
  cut = hyb_json_parse (text, NULL, "text", NULL, &error);
  hyb_limits_set (0, 0);
  g_assert_null (cut);
  g_assert_nonnull (strstr (error->message, "more than 9 values"));
}

/* A list of two row-sparse arrays with this number of rows of one float32; only the last row is stored. */
static GBytes *
make_sparse (gint64 rows)
{
  GByteArray *file = g_byte_array_new ();

  append_numbers (file, "888", (guint64[]){ 0x112, 0, 2 });
  for (guint i = 0; i < 2; i++)
    {
      append_numbers (file, "444", (guint64[]){ 0xf993fac9, 1, 1 });
      append_numbers (file, "848", (guint64[]){ 1, 1, (guint64) rows });
      append_numbers (file, "444", (guint64[]){ 1, 0, 0 });
      append_numbers (file, "448", (guint64[]){ 6, 1, 1 });
      append_numbers (file, "48", (guint64[]){ 0, (guint64) rows - 1 });
    }
  append_numbers (file, "8", (guint64[]){ 0 });
  return g_byte_array_free_to_bytes (file);
}

static void
test_sparse_arrays_count_together (void)
{
  g_autoptr (GBytes) file = make_sparse (1000);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (HybTensorList) cut = NULL;

  hyb_limits_set (2 * 4000, 0);
  list = hyb_ndarrays_read (file, "test", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_tensor_list_n (list), ==, 2);
  hyb_limits_set (2 * 4000 - 1, 0);
  cut = hyb_ndarrays_read (file, "test", NULL, &error);
  hyb_limits_set (0, 0);
  g_assert_null (cut);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_MEMORY);
}

static void
test_memory_of_a_run (void)
{
  guint64 machine;

  hyb_limits_set (0, 0);
  machine = hyb_limits_get_run_memory ();
  g_assert_cmpuint (machine, >, MIB);
  hyb_limits_set (MIB, 0);
  g_assert_cmpuint (hyb_limits_get_run_memory (), ==, MIB);
  hyb_limits_set (G_MAXUINT64, 0);
  g_assert_cmpuint (hyb_limits_get_run_memory (), ==, machine);
  hyb_limits_set (0, 0);
}

static gpointer
read_limits (gpointer unused)
{
  for (guint i = 0; i < 1000; i++)
    {
      g_assert_cmpuint (hyb_limits_get_memory (0), >=, MIB);
      g_assert_cmpuint (hyb_limits_get_run_memory (), >=, MIB);
      g_assert_cmpuint (hyb_limits_get_work (), >=, 1000);
    }
  return unused;
}

/* The button of a file that exceeds them does so while thumbnails are drawn.  ThreadSanitizer watches. */
static void
test_raised_while_files_are_opened (void)
{
  GThread *reader;

  hyb_limits_set (MIB, 1000);
  reader = g_thread_new ("reader", read_limits, NULL);
  for (guint i = 0; i < 1000; i++)
    hyb_limits_set (MIB + i, 1000 + i);
  g_thread_join (reader);
  hyb_limits_set (0, 0);
}

TEST_PROGRAM (test_limits)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/base/limits/defaults-grow-with-the-file", test_defaults);
  g_test_add_func ("/engine/base/limits/the-limit-itself-is-allowed", test_edge);
  g_test_add_func ("/engine/base/limits/archives-are-refused-as-a-whole",
                   test_archive_at_the_limit);
  g_test_add_func ("/engine/base/limits/members-may-not-share-data", test_shared_data);
  g_test_add_func ("/engine/base/limits/gzip", test_gzip);
  g_test_add_func ("/engine/base/limits/values-of-json", test_values_of_json);
  g_test_add_func ("/engine/base/limits/sparse-arrays-of-a-file-count-together",
                   test_sparse_arrays_count_together);
  g_test_add_func ("/engine/base/limits/a-run-may-have-what-the-machine-has", test_memory_of_a_run);
  g_test_add_func ("/engine/base/limits/may-be-raised-while-files-are-opened",
                   test_raised_while_files_are_opened);
  return g_test_run ();
}
