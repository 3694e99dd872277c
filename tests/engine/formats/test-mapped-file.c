/* test-mapped-file.c — files that become shorter while they are in use: small ones, mapped ones, and many at once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mapped-file.h"

#include "engine/formats/file.h"
#include "engine/formats/tensor-list.h"
#include "tests/program.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES ((gsize) 8 << 20)
#define SMALL_BYTES ((gsize) 1 << 20)

typedef struct
{
  char *folder, *path;
} Fixture;

static struct sigaction former;

/* What a program does. */
static void
on_bus_error (int number, siginfo_t *info, void *context G_GNUC_UNUSED)
{
  if (!hyb_mapped_file_fill (info->si_addr))
    signal (number, SIG_DFL);
}

static void
set_up (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

  sigemptyset (&action.sa_mask);
  sigaction (SIGBUS, &action, &former);
  fixture->folder = g_dir_make_tmp ("mapped-file-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "x", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  sigaction (SIGBUS, &former, NULL);
  g_remove (fixture->path);
  g_rmdir (fixture->folder);
  g_free (fixture->path);
  g_free (fixture->folder);
}

/* The file then holds n times the byte 7, and is open.  (transfer full) */
static GBytes *
open_file (Fixture *fixture, gsize n)
{
  g_autofree char *contents = g_malloc (n);
  g_autoptr (GError) error = NULL;
  GBytes *bytes;

  memset (contents, 7, n);
  g_assert_true (g_file_set_contents (fixture->path, contents, (gssize) n, NULL));
  bytes = hyb_mapped_file_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, n);
  return bytes;
}

static void
assert_cut (gconstpointer data, const char *path)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_mapped_file_check (data, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_IO);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, HYB_MAPPED_FILE_CUT));
}

static void
test_small_file_keeps_its_contents (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GBytes) bytes = open_file (fixture, SMALL_BYTES);
  const guint8 *data = g_bytes_get_data (bytes, NULL);

  g_assert_cmpint (truncate (fixture->path, 0), ==, 0);
  for (gsize i = 0; i < SMALL_BYTES; i++)
    g_assert_cmpint (data[i], ==, 7);
  g_assert_true (hyb_mapped_file_check (data, NULL));
  g_assert_false (hyb_mapped_file_fill (data));
}

static void
test_large_file_ends_in_zeros (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  gsize kept = LARGE_BYTES / 2; /* a multiple of the size of a page */
  g_autoptr (GBytes) bytes = open_file (fixture, LARGE_BYTES);
  const volatile guint8 *data = g_bytes_get_data (bytes, NULL);

  g_assert_cmpint (truncate (fixture->path, (off_t) kept), ==, 0);
  g_assert_cmpint (data[0], ==, 7);
  g_assert_cmpint (data[kept - 1], ==, 7);
  g_assert_true (hyb_mapped_file_check ((gconstpointer) data, NULL));
  g_assert_cmpint (data[kept], ==, 0);
  g_assert_cmpint (data[LARGE_BYTES - 1], ==, 0);
  assert_cut ((gconstpointer) data, fixture->path);
  assert_cut ((const guint8 *) data + LARGE_BYTES - 1, fixture->path);
}

/* Opened again, the file is what it is now, although the old contents are still in use. */
static void
test_next_opening_is_not_concerned (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GBytes) bytes = open_file (fixture, LARGE_BYTES);
  g_autoptr (GBytes) again = NULL;

  g_assert_cmpint (truncate (fixture->path, 0), ==, 0);
  hyb_mapped_file_touch (g_bytes_get_data (bytes, NULL), LARGE_BYTES);
  assert_cut (g_bytes_get_data (bytes, NULL), fixture->path);
  again = open_file (fixture, LARGE_BYTES);
  hyb_mapped_file_touch (g_bytes_get_data (again, NULL), LARGE_BYTES);
  g_assert_true (hyb_mapped_file_check (g_bytes_get_data (again, NULL), NULL));
  assert_cut (g_bytes_get_data (bytes, NULL), fixture->path);
}

/* The kernel reports a bad address. */
static void
test_writing_names_the_file (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GBytes) bytes = open_file (fixture, LARGE_BYTES);
  g_autofree char *other = g_build_filename (fixture->folder, "y", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (truncate (fixture->path, 0), ==, 0);
  g_assert_false (
      hyb_file_replace_contents (other, g_bytes_get_data (bytes, NULL), LARGE_BYTES, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_IO);
  g_assert_nonnull (strstr (error->message, fixture->path));
  g_assert_false (g_file_test (other, G_FILE_TEST_EXISTS));
}

static gpointer
map_and_unmap (gpointer path)
{
  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (GBytes) bytes = hyb_mapped_file_open (path, NULL);

      hyb_mapped_file_touch (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    }
  return NULL;
}

static gpointer
count_zeros (gpointer data)
{
  const volatile guint8 *bytes = data;
  gsize                  n = 0;

  for (gsize i = 0; i < LARGE_BYTES; i++)
    n += bytes[i] == 0;
  return GSIZE_TO_POINTER (n);
}

static void
test_threads_share_a_file (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GBytes) bytes = open_file (fixture, LARGE_BYTES);
  g_autofree char *other = g_build_filename (fixture->folder, "y", NULL);
  GThread         *readers[8], *mapper;

  g_assert_true (g_file_set_contents (other, "", 0, NULL));
  g_assert_cmpint (truncate (other, (off_t) LARGE_BYTES), ==, 0);
  g_assert_cmpint (truncate (fixture->path, 0), ==, 0);
  mapper = g_thread_new ("mapper", map_and_unmap, other);
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    readers[i] = g_thread_new ("reader", count_zeros, (gpointer) g_bytes_get_data (bytes, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (readers[i])), ==, LARGE_BYTES);
  g_thread_join (mapper);
  g_remove (other);
  assert_cut (g_bytes_get_data (bytes, NULL), fixture->path);
}

static void
test_what_is_no_file_is_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_mapped_file_open (fixture->path, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_clear_error (&error);
  g_assert_null (hyb_mapped_file_open ("/dev/zero", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
}

#define ADD(path, function) \
  g_test_add ("/engine/formats/mapped-file/" path, Fixture, NULL, set_up, function, tear_down)

/* Kernels load whole vectors, and so read a little beyond an array. */
static void
test_the_last_array_of_a_file_is_not_copied (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const gsize sizes[] = { LARGE_BYTES, SMALL_BYTES };

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autoptr (GBytes) bytes = open_file (fixture, sizes[k]);
      const guint8 *data = g_bytes_get_data (bytes, NULL);
      HybType       type = { .shape = hyb_shape_1d (1024), .dtype = HYB_F32 };
      g_autoptr (HybTensor) tensor = hyb_tensor_from_bytes (bytes, sizes[k] - 4096, &type, NULL);

      g_assert_true (hyb_tensor_get_data (tensor) == data + sizes[k] - 4096);
      for (guint i = 0; i < HYB_ALIGNMENT; i++)
        g_assert_cmpint (data[sizes[k] + i], ==, 0);
    }
}

TEST_PROGRAM (test_mapped_file)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("a-small-file-keeps-its-contents", test_small_file_keeps_its_contents);
  ADD ("a-large-file-ends-in-zeros", test_large_file_ends_in_zeros);
  ADD ("the-next-opening-is-not-concerned", test_next_opening_is_not_concerned);
  ADD ("writing-names-the-file", test_writing_names_the_file);
  ADD ("the-last-array-of-a-file-is-not-copied", test_the_last_array_of_a_file_is_not_copied);
  ADD ("threads-share-a-file", test_threads_share_a_file);
  ADD ("what-is-no-file-is-refused", test_what_is_no_file_is_refused);
  return g_test_run ();
}
