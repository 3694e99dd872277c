/* test-transpose-blocks.c — compares transposed matrices of all small shapes with the definition, at each level and for each size
 * of elements; nothing outside of the rows of y is written, and nothing behind the last element of x is read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/moving/transpose-blocks.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <string.h>

#define UNTOUCHED 0xab

static void
check (gsize item, gint64 height, gint64 width, gint64 gap)
{
  HybTranspose       shape = { height, width, height + gap, width + gap };
  gsize              n_x = (gsize) ((width - 1) * shape.x_stride + height) * item;
  gsize              n_y = (gsize) (height * shape.y_stride) * item + 8;
  g_autofree guint8 *x = g_malloc (n_x); /* sanitizers and valgrind see its end */
  g_autofree guint8 *y = g_malloc (n_y);

  for (gsize i = 0; i < n_x; i++)
    x[i] = (guint8) (i * 37 + i / 256);
  memset (y, UNTOUCHED, n_y);
  hyb_transpose_blocks (item, &shape, x, y);
  for (gint64 i = 0; i < height; i++)
    for (gint64 j = 0; j < shape.y_stride; j++)
      for (gsize k = 0; k < item; k++)
        g_assert_cmpuint (y[(gsize) (i * shape.y_stride + j) * item + k], ==,
                          j < width ? x[(gsize) (j * shape.x_stride + i) * item + k] : UNTOUCHED);
  for (gsize i = n_y - 8; i < n_y; i++)
    g_assert_cmpuint (y[i], ==, UNTOUCHED);
}

static void
test_shapes (gconstpointer item)
{
  for (int level = HYB_SIMD_PLAIN; level <= (int) hyb_simd_processor_level (); level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (gint64 gap = 0; gap < 4; gap += 3)
        for (gint64 height = 1; height < 40; height++)
          for (gint64 width = 1; width < 40; width++)
            check (GPOINTER_TO_SIZE (item), height, width, gap);
      check (GPOINTER_TO_SIZE (item), 64, 64, 0);
      check (GPOINTER_TO_SIZE (item), 150, 3, 0);
      check (GPOINTER_TO_SIZE (item), 3, 150, 0);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_transpose_blocks)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/kernels/transpose-blocks/bytes", GSIZE_TO_POINTER (1),
                        test_shapes);
  g_test_add_data_func ("/engine/kernels/transpose-blocks/pairs-of-bytes", GSIZE_TO_POINTER (2),
                        test_shapes);
  g_test_add_data_func ("/engine/kernels/transpose-blocks/eight-bytes", GSIZE_TO_POINTER (8),
                        test_shapes);
  return g_test_run ();
}
