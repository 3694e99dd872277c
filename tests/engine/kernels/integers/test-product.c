/* test-product.c — tests of products of 8-bit integers: engine/kernels/integers.
 *
 * Expected values are sums of 64-bit integers in plain loops, taken modulo 2³².  Every set of kernels that the processor
 * can run is tested.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/product.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/simd.h"

#include <math.h>
#include <string.h>

#include "tests/engine/kernels/integers/guarded-memory.h"
#include "tests/program.h"

typedef struct
{
  gint64   m, n, k;
  HybDType a_type, b_type;
  gboolean extreme;                         /* all numbers are at an end of their type */
  gboolean zeros, zero_by_row, zero_by_col; /* zero points */
  gboolean is_turned;                       /* columns of B are contiguous */
} Case;

typedef struct
{
  guint8 *a, *b;
  gint32 *a_zero, *b_zero, *sums, *sum_bias;
  float  *scale, *bias;
} Data;

static guint32
draw (guint32 *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

static gint64
number (HybDType dtype, guint8 byte)
{
  return dtype == HYB_I8 ? (gint8) byte : byte;
}

static guint8
draw_byte (guint32 *seed, HybDType dtype, gboolean extreme)
{
  guint8 low = dtype == HYB_I8 ? 0x80 : 0, high = dtype == HYB_I8 ? 0x7f : 0xff;

  return extreme ? (draw (seed) % 8 ? high : low) : (guint8) draw (seed);
}

static gint32 *
draw_zeros (guint32 *seed, gint64 n, HybDType dtype, const Case *test)
{
  gint32 *zeros = g_new0 (gint32, MAX (n, 1));

  for (gint64 i = 0; test->zeros && i < n; i++)
    zeros[i] = (gint32) number (dtype, draw_byte (seed, dtype, test->extreme));
  return zeros;
}

static gint64
b_at (const Case *test, gint64 l, gint64 j)
{
  return test->is_turned ? j * test->k + l : l * test->n + j;
}

static Data
make_data (const Case *test, guint32 seed)
{
  gint64 m = test->m, n = test->n, k = test->k;
  Data   data = { .a = g_malloc ((gsize) (m * k) + 1),
                  .b = g_malloc ((gsize) (n * k) + 1),
                  .sums = g_new (gint32, m * n),
                  .sum_bias = g_new (gint32, n),
                  .scale = g_new (float, n),
                  .bias = g_new (float, n) };

  for (gint64 i = 0; i < m * k; i++)
    data.a[i] = draw_byte (&seed, test->a_type, test->extreme);
  for (gint64 i = 0; i < n * k; i++)
    data.b[i] = draw_byte (&seed, test->b_type, test->extreme);
  data.a_zero = draw_zeros (&seed, m, test->a_type, test);
  data.b_zero = draw_zeros (&seed, n, test->b_type, test);
  for (gint64 j = 0; j < n; j++)
    {
      data.sum_bias[j] = (gint32) (draw (&seed) % 20001) - 10000;
      data.scale[j] = 0.25f / (float) (1 + draw (&seed) % 4096);
      data.bias[j] = (float) (draw (&seed) % 201) - 100;
    }
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n; j++)
      {
        gint64 sum = 0, za = data.a_zero[test->zero_by_row ? i : 0];
        gint64 zb = data.b_zero[test->zero_by_col ? j : 0];

        for (gint64 l = 0; l < k; l++)
          sum += (number (test->a_type, data.a[i * k + l]) - za) *
                 (number (test->b_type, data.b[b_at (test, l, j)]) - zb);
        data.sums[i * n + j] = (gint32) (guint32) (guint64) sum;
      }
  return data;
}

static void
clear_data (Data *data)
{
  g_free (data->a);
  g_free (data->b);
  g_free (data->a_zero);
  g_free (data->b_zero);
  g_free (data->sums);
  g_free (data->sum_bias);
  g_free (data->scale);
  g_free (data->bias);
}

/* Element (i, j) of a result that is as product.h defines it. */
static void
expect (const HybIntegerResult *result, gint64 j, gint32 sum, gconstpointer y)
{
  float  scale = result->scale ? result->scale[j * result->scale_stride] : 1;
  float  value;
  gint32 biased = (gint32) ((guint32) sum + (guint32) (result->sum_bias ? result->sum_bias[j] : 0));
  HybDType dtype = result->dtype;

  if (dtype == HYB_I32)
    {
      g_assert_cmpint (*(const gint32 *) y, ==, biased);
      return;
    }
  value = (float) biased * scale;
  if (result->bias)
    value += result->bias[j];
  if (dtype == HYB_F32)
    g_assert_cmpfloat (*(const float *) y, ==, value);
  else
    {
      double low = dtype == HYB_I8 ? -128 : 0, high = dtype == HYB_I8 ? 127 : 255;

      g_assert_cmpint (number (dtype, *(const guint8 *) y), ==,
                       (gint64) CLAMP (rint ((double) value) + result->zero, low, high));
    }
}

static void
check_result (const Case             *test,
              const Data             *data,
              const HybIntegerPanels *panels,
              HybIntegerResult        result)
{
  gsize              size = hyb_dtype_size (result.dtype);
  gint64             m = test->m, n = test->n;
  gsize              bytes = (gsize) (m * result.ldy) * size;
  g_autofree guint8 *y = g_malloc (bytes + 2 * MARGIN);
  gsize              n_workspace = hyb_integer_workspace (panels, m);
  guint8            *workspace = allocate_guarded (n_workspace);
  HybIntegerRows     rows = {
        .matrix = { test->a_type, data->a, test->k, 1 },
        .m = m,
        .a_zero = test->zeros ? data->a_zero : NULL,
        .b_zero = test->zeros ? data->b_zero : NULL,
        .a_zero_stride = test->zero_by_row,
        .b_zero_stride = test->zero_by_col,
  };

  memset (y, SENTINEL, bytes + 2 * MARGIN);
  result.y = y + MARGIN;
  hyb_integer_multiply (&rows, panels, &result, workspace);
  for (gsize i = 0; i < MARGIN; i++)
    g_assert_true (y[i] == SENTINEL && y[MARGIN + bytes + i] == SENTINEL);
  for (gint64 i = 0; i < m; i++)
    {
      const guint8 *row = y + MARGIN + (gsize) (i * result.ldy) * size;

      for (gint64 j = 0; j < n; j++)
        expect (&result, j, data->sums[i * n + j], row + (gsize) j * size);
      for (gsize at = (gsize) n * size; at < (gsize) result.ldy * size; at++)
        g_assert_cmpint (row[at], ==, SENTINEL);
    }
  free_guarded (workspace, n_workspace);
}

static void
check_case (const Case *test, guint32 seed)
{
  Data             data = make_data (test, seed);
  HybIntegerPanels panels = hyb_integer_panels (test->b_type, test->n, test->k, test->m);

  for (guint index = 0; hyb_integer_panels_use (&panels, index); index++)
    {
      HybIntegerMatrix b = { test->b_type, data.b, test->is_turned ? 1 : test->n,
                             test->is_turned ? test->k : 1 };

      panels.bytes = allocate_guarded (hyb_integer_panels_size (&panels));
      hyb_integer_panels_pack (&panels, &b);
      check_result (test, &data, &panels, (HybIntegerResult){ .dtype = HYB_I32, .ldy = test->n });
      check_result (test, &data, &panels,
                    (HybIntegerResult){
                        .dtype = HYB_I32, .ldy = test->n + 3, .sum_bias = data.sum_bias });
      check_result (test, &data, &panels,
                    (HybIntegerResult){ .dtype = HYB_F32, .ldy = test->n, .scale = data.scale });
      check_result (test, &data, &panels,
                    (HybIntegerResult){ .dtype = HYB_F32,
                                        .ldy = test->n + 1,
                                        .scale = data.scale,
                                        .scale_stride = 1,
                                        .bias = data.bias,
                                        .sum_bias = data.sum_bias });
      check_result (test, &data, &panels,
                    (HybIntegerResult){ .dtype = HYB_U8,
                                        .ldy = test->n,
                                        .scale = data.scale,
                                        .scale_stride = 1,
                                        .zero = 131 });
      check_result (test, &data, &panels,
                    (HybIntegerResult){ .dtype = HYB_I8,
                                        .ldy = test->n + 5,
                                        .scale = data.scale,
                                        .sum_bias = data.sum_bias,
                                        .zero = -128 });
      check_result (test, &data, &panels,
                    (HybIntegerResult){ .dtype = HYB_I8,
                                        .ldy = test->n,
                                        .scale = data.scale,
                                        .scale_stride = 1,
                                        .bias = data.bias,
                                        .zero = 3 });
      free_guarded (panels.bytes, hyb_integer_panels_size (&panels));
    }
  clear_data (&data);
}

/* Every pair of types, with and without zero points, of one shape. */
static void
check_shape (gint64 m, gint64 n, gint64 k)
{
  for (guint bits = 0; bits < 128; bits++)
    check_case (&(Case){ .m = m,
                         .n = n,
                         .k = k,
                         .a_type = bits & 1 ? HYB_I8 : HYB_U8,
                         .b_type = bits & 2 ? HYB_I8 : HYB_U8,
                         .zeros = (bits & 4) != 0,
                         .zero_by_row = (bits & 8) != 0,
                         .zero_by_col = (bits & 16) != 0,
                         .extreme = (bits & 32) != 0,
                         .is_turned = (bits & 64) != 0 },
                (guint32) (m * 7919 + n * 104729 + k * 31 + bits));
}

static void
test_all_types_and_zero_points (void)
{
  check_shape (1, 1, 1);
  check_shape (5, 67, 35);
  check_shape (13, 16, 64);
}

/* One less and one more than groups, vectors, panels and rows of kernels. */
static void
test_edges (void)
{
  static const gint64 ms[] = { 1, 4, 6, 7, 12, 13, 49 };
  static const gint64 ns[] = { 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 129 };
  static const gint64 ks[] = { 0, 1, 2, 3, 4, 16, 17, 31 };

  for (guint i = 0; i < G_N_ELEMENTS (ms); i++)
    for (guint j = 0; j < G_N_ELEMENTS (ns); j++)
      for (guint l = 0; l < G_N_ELEMENTS (ks); l++)
        {
          guint bits = i + j + l;

          check_case (&(Case){ .m = ms[i],
                               .n = ns[j],
                               .k = ks[l],
                               .a_type = bits & 1 ? HYB_I8 : HYB_U8,
                               .b_type = bits & 2 ? HYB_I8 : HYB_U8,
                               .zeros = TRUE,
                               .is_turned = (bits & 4) != 0 },
                      bits);
        }
}

/* 2³¹ / 255² is 33,025 numbers: sums wrap, and rows as far apart as sets of a cache are copied. */
static void
test_long_sums_wrap (void)
{
  static const gint64 ks[] = { 33025, 33026, 40960, 80000 };

  for (guint i = 0; i < G_N_ELEMENTS (ks); i++)
    for (guint bits = 0; bits < 8; bits++)
      check_case (&(Case){ .m = 3,
                           .n = 18,
                           .k = ks[i],
                           .a_type = bits & 1 ? HYB_I8 : HYB_U8,
                           .b_type = bits & 2 ? HYB_I8 : HYB_U8,
                           .extreme = TRUE,
                           .zeros = (bits & 4) != 0 },
                  bits);
}

static void
test_any_number_of_threads (void)
{
  for (guint threads = 1; threads <= 3; threads++)
    {
      hyb_parallel_set_threads (threads);
      check_case (&(Case){ .m = 120,
                           .n = 200,
                           .k = 600,
                           .a_type = HYB_U8,
                           .b_type = HYB_I8,
                           .zeros = TRUE,
                           .zero_by_col = TRUE },
                  7);
    }
  hyb_parallel_set_threads (0);
}

/* What HYB_CPU=avx2 does on a processor with AVX-512, which may have AVX-VNNI, too. */
static void
test_avx2_has_no_vnni (void)
{
  if (hyb_simd_processor_level () > HYB_SIMD_AVX2)
    {
      hyb_simd_cap (HYB_SIMD_AVX2);
      g_assert_null (strstr (hyb_integer_note (), "VPDPBUSD"));
      hyb_simd_cap (HYB_SIMD_AVX512);
    }
}

TEST_PROGRAM (test_product)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/kernels/integers/all-types-and-zero-points-agree-with-sums",
                   test_all_types_and_zero_points);
  g_test_add_func ("/engine/kernels/integers/edges-of-vectors-agree-with-sums", test_edges);
  g_test_add_func ("/engine/kernels/integers/long-sums-wrap", test_long_sums_wrap);
  g_test_add_func ("/engine/kernels/integers/any-number-of-threads-gives-the-same",
                   test_any_number_of_threads);
  g_test_add_func ("/engine/kernels/integers/avx2-has-no-vnni", test_avx2_has_no_vnni);
  return g_test_run ();
}
