/* test-tar-stream.c — files of a target as a ustar stream: what was announced arrives, and nothing else.
 *
 * Wrong streams are in test-hostile-target.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/remote-names.h"
#include "app/command/targets/run-folder.h"
#include "app/command/targets/tar-stream.h"

#include "engine/base/error.h"
#include "tests/program.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define N_FILES 4

/* Sizes at the borders of blocks. */
static const gsize sizes[N_FILES] = { 0, 511, 512, 70000 };

typedef struct
{
  ScopeRunFolder *here, *there;
  GPtrArray      *files; /* sent from here */
  char           *stream;
  gsize           n;
} Tar;

static char *
dup_contents (gsize size)
{
  char *text = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    text[i] = (char) ('a' + i % 23);
  text[size] = '\0';
  return text;
}

static void
write_stream (Tar *tar)
{
  g_autofree char *path = g_build_filename (tar->here->path, "stream.tar", NULL);
  int              file = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

  g_assert_cmpint (file, >=, 0);
  g_assert_true (scope_tar_write (file, tar->files, "", NULL));
  close (file);
  g_assert_true (g_file_get_contents (path, &tar->stream, &tar->n, NULL));
}

static void
set_up (Tar *tar, gconstpointer unused G_GNUC_UNUSED)
{
  tar->here = scope_run_folder_new (NULL, NULL);
  tar->there = scope_run_folder_new (NULL, NULL);
  tar->files = scope_remote_files_new ();
  for (guint i = 0; i < N_FILES; i++)
    {
      g_autofree char *name = g_strdup_printf (SCOPE_FILE_FOLDER "%u/f%u", i / 2, i);
      g_autofree char *path = g_strdup_printf ("%s/f%u", tar->here->path, i);
      g_autofree char *text = dup_contents (sizes[i]);

      g_assert_true (g_file_set_contents (path, text, (gssize) sizes[i], NULL));
      scope_remote_files_add (tar->files, name, path)->size = sizes[i];
    }
  write_stream (tar);
}

static void
tear_down (Tar *tar, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *here = g_strdup (tar->here->path), *there = g_strdup (tar->there->path);

  scope_run_folder_free (tar->here);
  scope_run_folder_free (tar->there);
  g_assert_false (g_file_test (here, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (there, G_FILE_TEST_EXISTS));
  g_ptr_array_unref (tar->files);
  g_free (tar->stream);
}

static void
assert_all_there (const Tar *tar)
{
  for (guint i = 0; i < N_FILES; i++)
    {
      const ScopeRemoteFile *file = tar->files->pdata[i];
      g_autofree char       *path = g_build_filename (tar->there->path, file->name, NULL);
      g_autofree char       *text = NULL, *wanted = dup_contents (sizes[i]);
      gsize                  n;

      g_assert_true (g_file_get_contents (path, &text, &n, NULL));
      g_assert_cmpmem (text, n, wanted, sizes[i]);
    }
}

/* Pieces of a pipe have any size. */
static void
test_files_arrive (Tar *tar, gconstpointer data)
{
  gsize          step = GPOINTER_TO_SIZE (data);
  ScopeTarReader reader;

  scope_tar_reader_init (&reader, tar->files, tar->there->fd);
  for (gsize at = 0; at < tar->n; at += step)
    {
      g_assert_false (reader.is_complete);
      g_assert_true (scope_tar_reader_take (&reader, (guint8 *) tar->stream + at,
                                            MIN (step, tar->n - at), NULL));
    }
  g_assert_true (reader.is_complete);
  scope_tar_reader_clear (&reader);
  assert_all_there (tar);
}

static void
test_tar_reads_the_stream (Tar *tar, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *line = g_strdup_printf ("tar -tvf '%s/stream.tar'", tar->here->path);
  g_autofree char *out = NULL;
  int              status;

  g_assert_true (g_spawn_command_line_sync (line, &out, NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
  g_assert_nonnull (strstr (out, " 70000 "));
  g_assert_true (g_str_has_suffix (out, " 3\n"));
}

/* From 8 GiB on, the size is binary; nothing of that size is written here. */
static void
test_large_sizes_are_announced (Tar *tar, gconstpointer unused G_GNUC_UNUSED)
{
  ScopeRemoteFile *file = tar->files->pdata[0];
  g_autofree char *path = g_build_filename (tar->here->path, "large.tar", NULL);
  g_autofree char *text = NULL;
  int              to = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  gsize            n;
  ScopeTarReader   reader;
  g_autoptr (GError) error = NULL;

  file->size = (guint64) 9 << 30;
  g_assert_false (scope_tar_write (to, tar->files, "", &error));
  g_assert_nonnull (strstr (error->message, "became shorter"));
  close (to);
  g_assert_true (g_file_get_contents (path, &text, &n, NULL));
  g_assert_cmpuint (n, ==, 512);
  scope_tar_reader_init (&reader, tar->files, tar->there->fd);
  g_assert_true (scope_tar_reader_take (&reader, (guint8 *) text, n, NULL));
  g_assert_cmpuint (reader.left, ==, file->size);
  scope_tar_reader_clear (&reader);
}

static void
test_a_file_that_is_there_is_not_replaced (Tar *tar, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *folder = g_build_filename (tar->there->path, SCOPE_FILE_FOLDER "0", NULL);
  g_autofree char *path = g_build_filename (folder, "f0", NULL);
  ScopeTarReader   reader;
  g_autoptr (GError) error = NULL;

  g_mkdir (folder, 0700);
  g_assert_cmpint (symlink ("/etc/passwd", path), ==, 0);
  scope_tar_reader_init (&reader, tar->files, tar->there->fd);
  g_assert_false (scope_tar_reader_take (&reader, (guint8 *) tar->stream, tar->n, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST);
  scope_tar_reader_clear (&reader);
}

/* --- Names --- */

static void
test_names_that_lead_elsewhere_are_not_safe (void)
{
  static const char *const names[] = {
    "/etc/passwd",
    "../a",
    "",
    "./hscope-file-0/a",
    "hscope-file-0",
    "hscope-file-0/",
    "hscope-file-0/.",
    "hscope-file-0/..",
    "hscope-file-0//a",
    "hscope-file-/a",
    "hscope-file-0/b/../../c",
    "hscope-file-99999/a",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_false (scope_remote_name_is_safe (names[i]));
  g_assert_true (scope_remote_name_is_safe ("hscope-file-0/a"));
}

static void
assert_place (const ScopeRemoteNames *names, const char *name, const char *place)
{
  g_autofree char *found = scope_remote_names_resolve (names, name);

  g_assert_cmpstr (found, ==, place);
}

static void
test_only_what_was_asked_for_has_a_place (void)
{
  g_autoptr (ScopeRemoteNames) names = scope_remote_names_new ();

  g_assert_cmpstr (scope_remote_names_add_file (names, "models/net-symbol.json"), ==,
                   "hscope-file-0/net-symbol.json");
  g_assert_cmpstr (scope_remote_names_add_output (names, "/out/c.hscope", FALSE), ==,
                   "hscope-file-1/c.hscope");
  g_assert_cmpstr (scope_remote_names_add_output (names, "net", TRUE), ==, "hscope-file-2/net");
  assert_place (names, "hscope-file-1/c.hscope", "/out/c.hscope");
  assert_place (names, "hscope-file-2/net-0001.params", "net-0001.params");
  assert_place (names, "hscope-file-2/net-interrupted.states", "net-interrupted.states");
  assert_place (names, "hscope-file-0/net-symbol.json", NULL);
  assert_place (names, "hscope-file-1/d.hscope", NULL);
  assert_place (names, "hscope-file-1/c.hscope-symbol.json", NULL);
  assert_place (names, "hscope-file-2/net-evil.sh", NULL);
  assert_place (names, "hscope-file-2/network.params", NULL);
  assert_place (names, "hscope-file-2/.profile", NULL);
  assert_place (names, "hscope-file-2/../net", NULL);
  assert_place (names, "hscope-file-3/net", NULL);
}

/* Lines of JSON have valid texts only; the file here keeps its name. */
static void
test_a_name_in_another_encoding_comes_back (void)
{
  g_autoptr (ScopeRemoteNames) names = scope_remote_names_new ();
  const char *name = scope_remote_names_add_output (names, "a/\xe9t\xe9.npz", FALSE);

  g_assert_true (g_utf8_validate (name, -1, NULL));
  assert_place (names, name, "a/\xe9t\xe9.npz");
}

static void
test_texts_have_the_names_of_this_machine (void)
{
  g_autoptr (ScopeRemoteNames) names = scope_remote_names_new ();
  g_autofree char *text = NULL, *json = NULL;

  scope_remote_names_add_file (names, "a");
  scope_remote_names_add_file (names, "/x/\"y\"/a");
  text = scope_remote_names_restore (names, "hscope-file-0/a, hscope-file-1/a", FALSE);
  g_assert_cmpstr (text, ==, "a, /x/\"y\"/a");
  json = scope_remote_names_restore (names, "\"hscope-file-1/a\"", TRUE);
  g_assert_cmpstr (json, ==, "\"/x/\\\"y\\\"/a\"");
}

TEST_PROGRAM (test_tar_stream)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, data, test) \
  g_test_add ("/tar-stream/" path, Tar, GSIZE_TO_POINTER (data), set_up, test, tear_down)
  ADD ("files-arrive-byte-by-byte", 1, test_files_arrive);
  ADD ("files-arrive-in-uneven-pieces", 777, test_files_arrive);
  ADD ("files-arrive-at-once", 1 << 20, test_files_arrive);
  ADD ("tar-reads-the-stream", 0, test_tar_reads_the_stream);
  ADD ("large-sizes-are-announced", 0, test_large_sizes_are_announced);
  ADD ("a-file-that-is-there-is-not-replaced", 0, test_a_file_that_is_there_is_not_replaced);
#undef ADD
  g_test_add_func ("/tar-stream/names-that-lead-elsewhere-are-not-safe",
                   test_names_that_lead_elsewhere_are_not_safe);
  g_test_add_func ("/tar-stream/only-what-was-asked-for-has-a-place",
                   test_only_what_was_asked_for_has_a_place);
  g_test_add_func ("/tar-stream/a-name-in-another-encoding-comes-back",
                   test_a_name_in_another_encoding_comes_back);
  g_test_add_func ("/tar-stream/texts-have-the-names-of-this-machine",
                   test_texts_have_the_names_of_this_machine);
  return g_test_run ();
}
