/* test-npy.c — NumPy arrays at the exact bounds of their file and of the number of dimensions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npy.h"
#include "tests/program.h"

#include <string.h>

/* A file of version 1 whose header is the given text, followed by n zero bytes in memory of exactly that
 * length, so that a sanitizer sees a byte that is read beyond it. */
static GBytes *
make_file (const char *header, gsize n)
{
  gsize   n_header = strlen (header);
  guint8 *data = g_malloc0 (10 + n_header + n);

  memcpy (data, "\x93NUMPY\1\0", 8);
  data[8] = (guint8) n_header;
  data[9] = (guint8) (n_header >> 8);
  memcpy (data + 10, header, n_header);
  return g_bytes_new_take (data, 10 + n_header + n);
}

/* Three elements of 8 bytes each: 24 bytes are read, 16 to 23 refused, in every order of bytes and axes. */
static void
test_length (void)
{
  static const char *const headers[] = {
    "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '>f8', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1)}",
  };

  for (guint h = 0; h < G_N_ELEMENTS (headers); h++)
    for (gsize n = 16; n <= 25; n++)
      {
        g_autoptr (GBytes) file = make_file (headers[h], n);
        g_autoptr (GError) error = NULL;
        g_autoptr (HybTensor) tensor = hyb_npy_read (file, "a.npy", &error);

        if (n >= 24)
          {
            g_assert_no_error (error);
            g_assert_cmpint (hyb_tensor_get_size (tensor), ==, 3);
            continue;
          }
        g_assert_null (tensor);
        g_assert_nonnull (strstr (error->message, "the array should have 24 bytes"));
      }
}

static void
test_cut_header (void)
{
  g_autoptr (GBytes) file =
      make_file ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 0);

  for (gsize n = 0; n < g_bytes_get_size (file); n++)
    {
      g_autoptr (GBytes) cut = g_bytes_new (g_bytes_get_data (file, NULL), n);
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_npy_read (cut, "a.npy", &error));
      g_assert_nonnull (strstr (error->message, "this is not a NumPy array, or it was cut off"));
    }
}

static void
test_dimensions (void)
{
  for (int rank = HYB_MAX_RANK; rank <= HYB_MAX_RANK + 1; rank++)
    {
      g_autoptr (GString) header =
          g_string_new ("{'descr': '<f4', 'fortran_order': False, 'shape': (");
      g_autoptr (GBytes) file = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) tensor = NULL;

      for (int i = 0; i < rank; i++)
        g_string_append (header, "1, ");
      g_string_append (header, ")}");
      file = make_file (header->str, 4);
      tensor = hyb_npy_read (file, "a.npy", &error);
      if (rank == HYB_MAX_RANK)
        {
          g_assert_no_error (error);
          g_assert_cmpint (hyb_tensor_get_shape (tensor)->rank, ==, rank);
          continue;
        }
      g_assert_null (tensor);
      g_assert_nonnull (strstr (error->message, "more than"));
    }
}

TEST_PROGRAM (test_npy)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/formats/npy/all-bytes-are-there", test_length);
  g_test_add_func ("/engine/formats/npy/a-cut-header-is-refused", test_cut_header);
  g_test_add_func ("/engine/formats/npy/dimensions-are-counted", test_dimensions);
  return g_test_run ();
}
