/* test-transpose.c — compares transposed matrices of all small shapes with the definition, at each level; nothing
 * outside of the rows of y is written, and nothing behind the last element of x is read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/transpose.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <string.h>

#define UNTOUCHED 0xdeadbeef

static void
check (gint64 height, gint64 width, gint64 gap)
{
  HybTranspose        shape = { height, width, height + gap, width + gap };
  gsize               n_x = (gsize) ((width - 1) * shape.x_stride + height);
  gsize               n_y = (gsize) (height * shape.y_stride + 4);
  g_autofree guint32 *x = g_new (guint32, n_x); /* sanitizers and valgrind see its end */
  g_autofree guint32 *y = g_new (guint32, n_y);

  for (gsize i = 0; i < n_x; i++)
    x[i] = (guint32) i;
  for (gsize i = 0; i < n_y; i++)
    y[i] = UNTOUCHED;
  hyb_transpose_32 (&shape, x, y);
  for (gint64 i = 0; i < height; i++)
    for (gint64 j = 0; j < shape.y_stride; j++)
      g_assert_cmpuint (y[i * shape.y_stride + j], ==,
                        j < width ? (guint32) (j * shape.x_stride + i) : UNTOUCHED);
  for (gsize i = (gsize) (height * shape.y_stride); i < n_y; i++)
    g_assert_cmpuint (y[i], ==, UNTOUCHED);
}

static void
test_shapes (void)
{
  for (int level = HYB_SIMD_PLAIN; level <= (int) hyb_simd_processor_level (); level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (gint64 gap = 0; gap < 4; gap += 3)
        for (gint64 height = 1; height < 40; height++)
          for (gint64 width = 1; width < 40; width++)
            check (height, width, gap);
      for (gint64 small = 1; small < 20; small++)
        {
          check (150, small, 0);
          check (small, 150, 0);
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_transpose)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/kernels/transpose/all-small-shapes-are-transposed", test_shapes);
  return g_test_run ();
}
