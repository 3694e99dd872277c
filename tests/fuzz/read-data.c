/* read-data.c — training data: idx images with labels, texts, archives of batches.
 *
 * These readers take names of files, so that the input is written to a folder in memory (/dev/shm).  An input
 * that begins with “L” and two bytes of length holds labels of that length before the images.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/touch.h"

#include "engine/train/data.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct
{
  char *folder, *images, *labels;
} files;

static void
remove_files (void)
{
  g_unlink (files.images);
  g_unlink (files.labels);
  g_rmdir (files.folder);
}

static void
prepare_files (void)
{
  gboolean has_memory = g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR);

  files.folder =
      g_build_filename (has_memory ? "/dev/shm" : g_get_tmp_dir (), "fuzz-data-XXXXXX", NULL);
  g_assert_nonnull (g_mkdtemp (files.folder));
  files.images = g_build_filename (files.folder, "images", NULL);
  files.labels = g_build_filename (files.folder, "labels", NULL);
  atexit (remove_files);
}

static void
write_file (const char *path, const guint8 *data, gsize size)
{
  int file = g_open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  g_assert_true (file >= 0 && write (file, data, size) == (gssize) size);
  close (file);
}

static void
read_batches (HybData *data)
{
  for (guint held_out = 0; held_out < 2; held_out++)
    for (guint64 i = 0; i < MIN (hyb_data_n_batches (data, held_out == 1), 3); i++)
      {
        g_autoptr (GHashTable) batch = hyb_data_get_batch (data, i, held_out == 1, NULL);
        GHashTableIter at;
        gpointer       tensor;

        if (!batch)
          continue;
        g_hash_table_iter_init (&at, batch);
        while (g_hash_table_iter_next (&at, NULL, &tensor))
          fuzz_touch_tensor (tensor);
      }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const char *const names[] = { "data" };
  HybType type = { .shape = size % 2 ? hyb_shape_2d (3, 2) : hyb_shape_4d (2, 1, 2, 2) };
  HybFeed feed = { .n_inputs = 1, .names = names, .types = &type, .label = HYB_TYPE_UNKNOWN };
  gsize   n_labels = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybData) opened = NULL;

  fuzz_begin ();
  type.dtype = HYB_F32;
  if (!files.folder)
    prepare_files ();
  if (size >= 3 && data[0] == 'L')
    {
      n_labels = MIN ((gsize) (data[1] | data[2] << 8), size - 3);
      write_file (files.labels, data + 3, n_labels);
      n_labels += 3;
    }
  write_file (files.images, data + n_labels, size - n_labels);
  opened = hyb_data_new_file (files.images, &feed, NULL, &error);
  g_assert_true ((!opened) == (error != NULL));
  if (opened)
    {
      fuzz_reached (FUZZ_READ);
      read_batches (opened);
    }
  return 0;
}
