/* test-file.c — reads and writes whole files: compressed ones, and writes that fail.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define SILENCE 4000000 /* µs, more than hyb_file_read() waits for a writer */

typedef struct
{
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("file-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "x", NULL);
}

static guint
count_files (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  return n;
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_remove (fixture->path);
  g_assert_cmpuint (count_files (fixture), ==, 0);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
}

static void
write_gzip (const char *path, gsize n)
{
  g_autofree char *zeros = g_malloc0 (n);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GOutputStream) plain =
      G_OUTPUT_STREAM (g_file_replace (file, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL));
  g_autoptr (GZlibCompressor) packer = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9);
  g_autoptr (GOutputStream) out = g_converter_output_stream_new (plain, G_CONVERTER (packer));

  g_assert_true (g_output_stream_write_all (out, zeros, n, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (out, NULL, NULL));
}

static void
test_gzip_is_unpacked_up_to_a_limit (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) whole = NULL;

  write_gzip (fixture->path, 10000000);
  whole = hyb_file_read (fixture->path, 10000000, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (whole), ==, 10000000);
  g_assert_null (hyb_file_read (fixture->path, 9999999, &error));
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT);
  g_assert_cmpint (hyb_error_get_remedy (error), ==,
                   HYB_REMEDY_NONE); /* more memory would not help */
}

/* A device or a pipe may never end. */
static void
test_streams_are_read_up_to_the_limit_of_memory (Fixture *fixture     G_GNUC_UNUSED,
                                                 gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  hyb_limits_set (1000000, 0);
  g_assert_null (hyb_file_read ("/dev/zero", 0, &error));
  hyb_limits_set (0, 0);
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "more than 1000000 bytes"));
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_MEMORY);
}

static void
test_cut_gzip_is_refused (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *contents = NULL;
  gsize            length;
  g_autoptr (GError) error = NULL;

  write_gzip (fixture->path, 100000);
  g_assert_true (g_file_get_contents (fixture->path, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (fixture->path, contents, (gssize) length / 2, NULL));
  g_assert_null (hyb_file_read (fixture->path, 0, &error));
  g_assert_nonnull (strstr (error->message, "gzip"));
}

static void
test_folders_are_refused (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_file_read (fixture->folder, 0, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
}

/* A pipe in a stranger's folder, that no program writes, is no reason to wait without end. */
static void
test_pipe_without_writer (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (mkfifo (fixture->path, 0600));
  g_assert_null (hyb_file_read (fixture->path, 0, &error));
  g_assert_nonnull (strstr (error->message, "no program writes into the pipe"));
}

/* Writes after some time, in µs, in which the pipe is open but silent. */
static gpointer
write_late (gpointer path)
{
  FILE *pipe;

  g_usleep (300000);
  pipe = fopen (path, "we");
  g_assert_nonnull (pipe);
  g_usleep (SILENCE);
  fputs ("new", pipe);
  fclose (pipe);
  return NULL;
}

static void
test_pipe_with_late_writer (Fixture *fixture, gconstpointer unused)
{
  GThread *writer;
  g_autoptr (GBytes) bytes = NULL;

  g_assert_no_errno (mkfifo (fixture->path, 0600));
  writer = g_thread_new ("writer", write_late, fixture->path);
  bytes = hyb_file_read (fixture->path, 0, NULL);
  g_thread_join (writer);
  g_assert_nonnull (bytes);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "new", 3);
}

#define ADD(path, function) \
  g_test_add ("/engine/formats/file/" path, Fixture, NULL, set_up, function, tear_down)

TEST_PROGRAM (test_file)
{
  g_test_init (&argc, &argv, NULL);

  ADD ("gzip-is-unpacked-up-to-a-limit", test_gzip_is_unpacked_up_to_a_limit);
  ADD ("streams-are-read-up-to-the-limit-of-memory",
       test_streams_are_read_up_to_the_limit_of_memory);
  ADD ("cut-gzip-is-refused", test_cut_gzip_is_refused);
  ADD ("folders-are-refused", test_folders_are_refused);
  ADD ("a-pipe-without-a-writer-is-an-error", test_pipe_without_writer);
  ADD ("a-pipe-with-a-late-and-silent-writer-is-read", test_pipe_with_late_writer);

  return g_test_run ();
}
