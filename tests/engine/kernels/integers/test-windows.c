/* test-windows.c — tests of convolutions of 8-bit integers: engine/kernels/integers/windows.h.
 *
 * Expected values are sums of 64-bit integers in plain loops.  Every set of kernels that the processor can run is tested.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/windows.h"

#include "engine/base/parallel.h"

#include <math.h>
#include <string.h>

#include "tests/engine/kernels/integers/guarded-memory.h"
#include "tests/program.h"

typedef struct
{
  HybConvolve shape;
  HybDType    x_type, w_type;
  gint32      x_zero;
  gint32     *w_zero; /* by filter */
  gint64      w_zero_stride;
  guint8     *x, *w;
  gint32     *sums, *sum_bias;
  float      *scale, *bias;
} Case;

static gint64
volume (const gint64 *size)
{
  return size[0] * size[1] * size[2];
}

static gint64
number (HybDType dtype, guint8 byte)
{
  return dtype == HYB_I8 ? (gint8) byte : byte;
}

static guint8 *
draw_bytes (gint64 n, gboolean extreme)
{
  guint8 *bytes = g_malloc ((gsize) MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    bytes[i] = extreme ? (guint8[]){ 0, 127, 128, 255 }[g_test_rand_int_range (0, 4)]
                       : (guint8) g_test_rand_int_range (0, 256);
  return bytes;
}

/* The number at a position of the image, less its zero point; 0 outside of it. */
static gint64
image_at (const Case *test, gint64 n, gint64 c, const gint64 *at)
{
  const HybConvolve *shape = &test->shape;

  for (int i = 0; i < 3; i++)
    if (at[i] < 0 || at[i] >= shape->image[i])
      return 0;
  return number (test->x_type,
                 test->x[(((n * shape->image_channels + c) * shape->image[0] + at[0]) *
                              shape->image[1] +
                          at[1]) *
                             shape->image[2] +
                         at[2]]) -
         test->x_zero;
}

static gint32
expected_sum (const Case *test, gint64 n, gint64 f, gint64 position)
{
  const HybConvolve *shape = &test->shape;
  gint64             depth = shape->image_channels / shape->groups,
         filters = shape->map_channels / shape->groups;
  gint64 taps = volume (shape->kernel), sum = 0;
  gint64 p[3] = { position / shape->map[2] / shape->map[1],
                  position / shape->map[2] % shape->map[1], position % shape->map[2] };

  for (gint64 c = 0; c < depth; c++)
    for (gint64 t = 0; t < taps; t++)
      {
        gint64 tap[3] = { t / shape->kernel[2] / shape->kernel[1],
                          t / shape->kernel[2] % shape->kernel[1], t % shape->kernel[2] };
        gint64 at[3];

        for (int i = 0; i < 3; i++)
          at[i] = p[i] * shape->stride[i] + tap[i] * shape->dilate[i] - shape->pad[i];
        sum += image_at (test, n, f / filters * depth + c, at) *
               (number (test->w_type, test->w[(f * depth + c) * taps + t]) -
                test->w_zero[f * test->w_zero_stride]);
      }
  return (gint32) (guint32) (guint64) sum;
}

static void
make_case (Case *test, gboolean extreme, gboolean has_zeros)
{
  const HybConvolve *shape = &test->shape;
  gint64             map = volume (shape->map), n_filters = shape->map_channels;

  test->x = draw_bytes (shape->batch * shape->image_channels * volume (shape->image), extreme);
  test->w = draw_bytes (n_filters * shape->image_channels / shape->groups * volume (shape->kernel),
                        extreme);
  test->x_zero = (gint32) number (test->x_type, (guint8) g_test_rand_int_range (0, 256));
  test->w_zero = g_new0 (gint32, n_filters);
  test->sum_bias = g_new (gint32, n_filters);
  test->scale = g_new (float, n_filters);
  test->bias = g_new (float, n_filters);
  test->sums = g_new (gint32, shape->batch * n_filters * map);
  for (gint64 f = 0; f < n_filters; f++)
    {
      if (has_zeros)
        test->w_zero[f] = (gint32) number (test->w_type, (guint8) g_test_rand_int_range (0, 256));
      test->sum_bias[f] = g_test_rand_int_range (-5000, 5000);
      test->scale[f] = (float) g_test_rand_double_range (1e-4, 1e-2);
      test->bias[f] = (float) g_test_rand_double_range (-1, 1);
    }
  for (gint64 i = 0; i < shape->batch * n_filters * map; i++)
    test->sums[i] = expected_sum (test, i / map / n_filters, i / map % n_filters, i % map);
}

static void
clear_case (Case *test)
{
  g_free (test->x);
  g_free (test->w);
  g_free (test->w_zero);
  g_free (test->sum_bias);
  g_free (test->scale);
  g_free (test->bias);
  g_free (test->sums);
}

static void
check_result (const Case *test, const HybIntegerFilters *filters, HybIntegerResult result)
{
  const HybConvolve *shape = &test->shape;
  gint64             map = volume (shape->map), n = shape->batch * shape->map_channels * map;
  gsize              size = hyb_dtype_size (result.dtype), bytes = (gsize) n * size;
  g_autofree guint8 *y = g_malloc (bytes + 2 * MARGIN);
  gsize              n_workspace = hyb_integer_convolve_workspace (filters);
  guint8            *workspace = allocate_guarded (n_workspace);

  memset (y, SENTINEL, bytes + 2 * MARGIN);
  result.y = y + MARGIN;
  hyb_integer_convolve (filters, &(HybIntegerImage){ test->x_type, test->x, test->x_zero }, &result,
                        workspace);
  for (gsize i = 0; i < MARGIN; i++)
    g_assert_true (y[i] == SENTINEL && y[MARGIN + bytes + i] == SENTINEL);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 f = i / map % shape->map_channels;
      gint32 sum =
          (gint32) ((guint32) test->sums[i] + (guint32) (result.sum_bias ? result.sum_bias[f] : 0));
      float         scaled = result.scale ? (float) sum * result.scale[f * result.scale_stride] : 0;
      float         biased = result.bias ? scaled + result.bias[f] : scaled;
      const guint8 *at = y + MARGIN + (gsize) i * size;

      if (result.dtype == HYB_I32)
        g_assert_cmpint (*(const gint32 *) (gconstpointer) at, ==, sum);
      else if (result.dtype == HYB_F32)
        g_assert_cmpfloat (*(const float *) (gconstpointer) at, ==, biased);
      else
        g_assert_cmpint (number (result.dtype, *at), ==,
                         (gint64) (result.dtype == HYB_I8
                                       ? CLAMP (rint ((double) biased) + result.zero, -128, 127)
                                       : CLAMP (rint ((double) biased) + result.zero, 0, 255)));
    }
  free_guarded (workspace, n_workspace);
}

static void
check_case (const Case *test)
{
  HybIntegerFilters filters = hyb_integer_filters (&test->shape, test->w_type);

  for (guint index = 0; hyb_integer_filters_use (&filters, index); index++)
    {
      filters.memory = allocate_guarded (hyb_integer_filters_size (&filters));
      hyb_integer_filters_pack (&filters, test->w, test->w_zero, test->w_zero_stride);
      check_result (test, &filters, (HybIntegerResult){ .dtype = HYB_I32 });
      check_result (test, &filters,
                    (HybIntegerResult){
                        .dtype = HYB_F32, .scale = test->scale, .bias = test->bias });
      check_result (test, &filters,
                    (HybIntegerResult){ .dtype = HYB_U8,
                                        .scale = test->scale,
                                        .scale_stride = 1,
                                        .sum_bias = test->sum_bias,
                                        .zero = 117 });
      check_result (test, &filters,
                    (HybIntegerResult){ .dtype = HYB_I8, .scale = test->scale, .zero = -5 });
      check_result (test, &filters,
                    (HybIntegerResult){ .dtype = HYB_U8,
                                        .scale = test->scale,
                                        .scale_stride = 1,
                                        .bias = test->bias,
                                        .zero = 9 });
      free_guarded (filters.memory, hyb_integer_filters_size (&filters));
    }
}

static gint64
draw (gint64 low, gint64 high)
{
  return g_test_rand_int_range ((gint32) low, (gint32) high + 1);
}

/* A shape with that many axes; absent ones have size 1. */
static HybConvolve
draw_shape (int n_axes, gint64 most)
{
  HybConvolve shape = { .batch = draw (1, 2), .groups = draw (1, 3) };

  shape.image_channels = shape.groups * draw (1, 9);
  shape.map_channels = shape.groups * draw (1, 15);
  if (draw (0, 3) == 0)
    shape.groups = shape.image_channels = shape.map_channels;
  for (int i = 0; i < 3; i++)
    {
      gboolean is_there = i >= 3 - n_axes;
      gint64   span;

      shape.kernel[i] = is_there ? draw (1, 4) : 1;
      shape.stride[i] = is_there ? draw (1, 3) : 1;
      shape.dilate[i] = is_there ? draw (1, 2) : 1;
      shape.pad[i] = is_there ? draw (0, 2) : 0;
      span = (shape.kernel[i] - 1) * shape.dilate[i] + 1;
      shape.image[i] = is_there ? draw (1, most) : 1;
      shape.image[i] = MAX (shape.image[i], span - 2 * shape.pad[i]);
      shape.map[i] = (shape.image[i] + 2 * shape.pad[i] - span) / shape.stride[i] + 1;
    }
  return shape;
}

static void
test_random_shapes (void)
{
  for (guint round = 0; round < 160; round++)
    {
      Case test = { .shape = draw_shape (1 + (int) round % 3, round % 3 == 2 ? 6 : 70),
                    .x_type = round & 1 ? HYB_I8 : HYB_U8,
                    .w_type = round & 2 ? HYB_I8 : HYB_U8,
                    .w_zero_stride = (round & 4) != 0 };

      make_case (&test, (round & 16) != 0, (round & 8) != 0);
      check_case (&test);
      clear_case (&test);
    }
}

/* Maps of one window, rows of windows, and blocks of exactly as many positions as a panel has columns. */
static void
test_edges (void)
{
  static const gint64 sides[] = { 1, 2, 7, 8, 15, 16, 17, 32, 63, 64, 65, 128 };

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    for (gint64 kernel = 1; kernel <= 3; kernel += 2)
      {
        Case test = { .shape = { .batch = 1,
                                 .groups = 1,
                                 .image_channels = 5,
                                 .map_channels = 13,
                                 .image = { 1, i % 2 ? 1 : 3, sides[i] },
                                 .map = { 1, i % 2 ? 1 : 3, sides[i] },
                                 .kernel = { 1, kernel, kernel },
                                 .stride = { 1, 1, 1 },
                                 .dilate = { 1, 1, 1 },
                                 .pad = { 0, kernel / 2, kernel / 2 } },
                      .x_type = HYB_U8,
                      .w_type = HYB_I8 };

        make_case (&test, TRUE, FALSE);
        check_case (&test);
        clear_case (&test);
      }
}

/* 2³¹ / 255² is 33,025 numbers. */
static void
test_long_sums_wrap (void)
{
  Case test = { .shape = { .batch = 1,
                           .groups = 1,
                           .image_channels = 3700,
                           .map_channels = 2,
                           .image = { 1, 3, 5 },
                           .map = { 1, 1, 3 },
                           .kernel = { 1, 3, 3 },
                           .stride = { 1, 1, 1 },
                           .dilate = { 1, 1, 1 } },
                .x_type = HYB_U8,
                .w_type = HYB_U8 };

  make_case (&test, FALSE, FALSE);
  memset (test.x, 255, 3700 * 15);
  memset (test.w, 255, 2 * 3700 * 9);
  test.x_zero = 0;
  for (gint64 i = 0; i < 2 * 3; i++)
    {
      test.sums[i] = expected_sum (&test, 0, i / 3, i % 3);
      g_assert_cmpint (test.sums[i], <, 0);
    }
  check_case (&test);
  clear_case (&test);
}

static void
test_any_number_of_threads (void)
{
  Case test = { .shape = { .batch = 1,
                           .groups = 1,
                           .image_channels = 64,
                           .map_channels = 100,
                           .image = { 1, 14, 14 },
                           .map = { 1, 14, 14 },
                           .kernel = { 1, 3, 3 },
                           .stride = { 1, 1, 1 },
                           .dilate = { 1, 1, 1 },
                           .pad = { 0, 1, 1 } },
                .x_type = HYB_U8,
                .w_type = HYB_I8 };

  make_case (&test, FALSE, FALSE);
  for (guint threads = 1; threads <= 3; threads++)
    {
      hyb_parallel_set_threads (threads);
      check_case (&test);
    }
  hyb_parallel_set_threads (0);
  clear_case (&test);
}

TEST_PROGRAM (test_windows)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/kernels/windows/random-shapes-agree-with-sums", test_random_shapes);
  g_test_add_func ("/engine/kernels/windows/edges-of-panels-agree-with-sums", test_edges);
  g_test_add_func ("/engine/kernels/windows/long-sums-wrap", test_long_sums_wrap);
  g_test_add_func ("/engine/kernels/windows/any-number-of-threads-gives-the-same",
                   test_any_number_of_threads);
  return g_test_run ();
}
