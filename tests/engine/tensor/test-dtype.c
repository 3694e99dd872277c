/* test-dtype.c — element types: names, element access, conversion, half and bfloat16.
 *
 * Halves are checked against a decoder written from their definition, (−1)^s 2^(e−15) (1 + f /
 * 1024), and rounding against a search for the nearest of two neighbours.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/dtype.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* The value of a finite half by its definition. */
static double
decode_half (guint16 half)
{
  int    exponent = (half >> 10) & 31, fraction = half & 1023;
  double size = exponent == 0 ? ldexp (fraction, -24) : ldexp (1024 + fraction, exponent - 25);

  return half >> 15 ? -size : size;
}

static gboolean
is_finite_half (guint16 half)
{
  return ((half >> 10) & 31) != 31;
}

static void
test_names_and_sizes_agree_with_each_other (void)
{
  static const gsize sizes[HYB_N_DTYPES] = { 4, 8, 2, 1, 4, 1, 8, 1, 2, 2, 4, 8, 2 };

  for (int i = 0; i < HYB_N_DTYPES; i++)
    {
      HybDType dtype = (HybDType) i;

      g_assert_true (hyb_dtype_is_valid_code (i));
      g_assert_true (hyb_dtype_from_name (hyb_dtype_name (dtype)) == dtype);
      g_assert_cmpuint (hyb_dtype_size (dtype), ==, sizes[i]);
    }
  g_assert_cmpstr (hyb_dtype_name (HYB_F32), ==, "float32");
  g_assert_cmpstr (hyb_dtype_name (HYB_BF16), ==, "bfloat16");
  g_assert_true (hyb_dtype_is_float (HYB_F16) && hyb_dtype_is_float (HYB_BF16));
  g_assert_false (hyb_dtype_is_float (HYB_I64));
}

static void
test_codes_and_names_out_of_range_are_unknown (void)
{
  g_assert_false (hyb_dtype_is_valid_code (-1));
  g_assert_false (hyb_dtype_is_valid_code (HYB_N_DTYPES));
  g_assert_false (hyb_dtype_is_valid_code (G_MAXINT64));
  g_assert_false (hyb_dtype_is_valid_code (G_GINT64_CONSTANT (1) << 32)); /* 0 in 32 bits */
  g_assert_cmpuint (hyb_dtype_size (HYB_DTYPE_UNKNOWN), ==, 0);
  g_assert_cmpuint (hyb_dtype_size (HYB_N_DTYPES), ==, 0);
  g_assert_cmpstr (hyb_dtype_name (HYB_DTYPE_UNKNOWN), ==, "unknown");
  g_assert_false (hyb_dtype_is_float (HYB_DTYPE_UNKNOWN));
  g_assert_true (hyb_dtype_from_name ("float33") == HYB_DTYPE_UNKNOWN);
  g_assert_true (hyb_dtype_from_name ("") == HYB_DTYPE_UNKNOWN);
  g_assert_true (hyb_dtype_from_name ("unknown") == HYB_DTYPE_UNKNOWN);
}

static void
test_every_half_becomes_the_float_it_stands_for_and_comes_back (void)
{
  for (guint bits = 0; bits <= G_MAXUINT16; bits++)
    {
      guint16 half = (guint16) bits;
      float   value = hyb_half_to_float (half);

      if (is_finite_half (half))
        {
          g_assert_true ((double) value == decode_half (half));
          g_assert_true (!signbit (value) == !(half >> 15)); /* also of zeros */
          g_assert_cmphex (hyb_float_to_half (value), ==, half);
        }
      else if ((half & 1023) == 0)
        {
          g_assert_true (value == (half >> 15 ? -INFINITY : INFINITY));
          g_assert_cmphex (hyb_float_to_half (value), ==, half);
        }
      else
        {
          guint16 back = hyb_float_to_half (value);

          g_assert_true (isnan (value));
          g_assert_true (!is_finite_half (back) && (back & 1023) != 0);
          g_assert_true (back >> 15 == half >> 15);
        }
    }
}

/* Between neighbouring halves: a quarter of the way, the middle and the floats beside it. */
static void
test_floats_become_the_nearest_half_and_ties_the_even_one (void)
{
  for (guint16 low = 0; low < 0x7bff; low++)
    {
      guint16 high = low + 1, even = low & 1 ? high : low;
      double  a = decode_half (low), b = decode_half (high);
      float   middle = (float) ((a + b) / 2);

      g_assert_true ((double) middle == (a + b) / 2); /* exact in float */
      g_assert_cmphex (hyb_float_to_half ((float) (a + (b - a) / 4)), ==, low);
      g_assert_cmphex (hyb_float_to_half (nextafterf (middle, 0)), ==, low);
      g_assert_cmphex (hyb_float_to_half (middle), ==, even);
      g_assert_cmphex (hyb_float_to_half (nextafterf (middle, INFINITY)), ==, high);
      g_assert_cmphex (hyb_float_to_half (-middle), ==, even | 0x8000);
    }
}

static void
test_floats_beyond_the_range_of_halves_become_infinity_or_zero (void)
{
  g_assert_cmphex (hyb_float_to_half (65504.f), ==, 0x7bff);
  g_assert_cmphex (hyb_float_to_half (nextafterf (65520.f, 0)), ==, 0x7bff);
  g_assert_cmphex (hyb_float_to_half (65520.f), ==, 0x7c00);
  g_assert_cmphex (hyb_float_to_half (-1e30f), ==, 0xfc00);
  g_assert_cmphex (hyb_float_to_half (0x1p-24f), ==, 0x0001);
  g_assert_cmphex (hyb_float_to_half (0x1p-25f), ==, 0x0000); /* a tie: zero is even */
  g_assert_cmphex (hyb_float_to_half (nextafterf (0x1p-25f, 1)), ==, 0x0001);
  g_assert_cmphex (hyb_float_to_half (-1e-30f), ==, 0x8000);
}

/* Arrays are converted eight at a time: every half as a part of an array that starts at any place in a group, so that
 * NaNs stand at every place of one. */
static void
test_arrays_of_halves_have_the_bytes_of_single_ones (void)
{
  enum
  {
    N = 65536
  };
  g_autofree guint16 *halves = g_new (guint16, N), *back = g_new (guint16, N);
  g_autofree float   *floats = g_new (float, N);

  for (guint first = 0; first < 9; first++)
    {
      gsize n = N - first;

      for (guint i = 0; i < n; i++)
        halves[i] = (guint16) ((i + first) * 0x9e37 +
                               first); /* every bit pattern, NaNs apart from each other */
      hyb_dtype_convert (floats, HYB_F32, halves, HYB_F16, n);
      hyb_dtype_convert (back, HYB_F16, floats, HYB_F32, n);
      for (gsize i = 0; i < n; i++)
        {
          float value = hyb_half_to_float (halves[i]);

          g_assert_cmpmem (&value, sizeof value, &floats[i], sizeof value);
          g_assert_cmphex (back[i], ==, hyb_float_to_half (value));
        }
    }
}

static void
test_short_arrays_of_halves_are_written_to_their_end_only (void)
{
  for (gsize n = 0; n <= 17; n++)
    {
      guint16 halves[18], back[18];
      float   floats[18];

      for (gsize i = 0; i < 18; i++)
        {
          halves[i] = (guint16) (0x3c00 + i);
          back[i] = 7;
          floats[i] = 7;
        }
      hyb_dtype_convert (floats, HYB_F32, halves, HYB_F16, n);
      hyb_dtype_convert (back, HYB_F16, floats, HYB_F32, n);
      for (gsize i = 0; i < 18; i++)
        {
          g_assert_cmphex (back[i], ==, i < n ? halves[i] : 7);
          g_assert_true (floats[i] == (i < n ? hyb_half_to_float (halves[i]) : 7.f));
        }
    }
}

/* Floats between halves, ties and floats beyond the range. */
static void
test_arrays_of_floats_are_rounded_as_single_ones (void)
{
  enum
  {
    N = 4096
  };
  g_autofree float   *floats = g_new (float, N);
  g_autofree guint16 *halves = g_new (guint16, N);

  for (guint32 i = 0; i < N; i++)
    {
      guint32 bits = (i << 20) + (i & 1 ? 0x1000 : i * 2654435761u >> 12);

      memcpy (&floats[i], &bits, sizeof bits);
    }
  hyb_dtype_convert (halves, HYB_F16, floats, HYB_F32, N);
  for (guint i = 0; i < N; i++)
    g_assert_cmphex (halves[i], ==, hyb_float_to_half (floats[i]));
}

static guint16
to_bfloat (float value)
{
  guint16 bfloat = 0;

  hyb_dtype_convert (&bfloat, HYB_BF16, &value, HYB_F32, 1);
  return bfloat;
}

/* A bfloat16 is the upper half of a float, so that its value needs no decoder. */
static float
decode_bfloat (guint16 bfloat)
{
  guint32 bits = (guint32) bfloat << 16;
  float   value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static void
test_every_bfloat_comes_back (void)
{
  for (guint bits = 0; bits <= G_MAXUINT16; bits++)
    {
      guint16 bfloat = (guint16) bits;
      float   want = decode_bfloat (bfloat), value = 0;

      hyb_dtype_convert (&value, HYB_F32, &bfloat, HYB_BF16, 1);
      if (isnan (want))
        g_assert_true (isnan (value) && isnan (decode_bfloat (to_bfloat (value))));
      else
        {
          g_assert_cmpmem (&value, sizeof value, &want, sizeof want);
          g_assert_cmphex (to_bfloat (value), ==, bfloat);
        }
    }
}

static void
test_floats_become_the_nearest_bfloat_and_ties_the_even_one (void)
{
  for (guint16 low = 0; low < 0x7f7f; low++)
    {
      guint16 high = low + 1, even = low & 1 ? high : low;
      float   middle = (float) (((double) decode_bfloat (low) + (double) decode_bfloat (high)) / 2);

      g_assert_cmphex (to_bfloat (nextafterf (middle, 0)), ==, low);
      g_assert_cmphex (to_bfloat (middle), ==, even);
      g_assert_cmphex (to_bfloat (nextafterf (middle, INFINITY)), ==, high);
    }
  g_assert_cmphex (to_bfloat (G_MAXFLOAT), ==, 0x7f80); /* rounds up to infinity */
}

static void
test_floats_become_integers_by_truncation (void)
{
  const double values[] = { 1.9, -1.9, 300, -1, NAN, 0.5, 1e30, -1e30 };
  gint64       wide[G_N_ELEMENTS (values)];
  guint8       narrow[G_N_ELEMENTS (values)], truth[G_N_ELEMENTS (values)];
  guint64      large[2];

  hyb_dtype_convert (wide, HYB_I64, values, HYB_F64, G_N_ELEMENTS (values));
  hyb_dtype_convert (narrow, HYB_U8, values, HYB_F64, G_N_ELEMENTS (values));
  hyb_dtype_convert (truth, HYB_BOOL, values, HYB_F64, G_N_ELEMENTS (values));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      static const gint64 wanted[] = { 1, -1, 300, -1, 0, 0, G_MAXINT64, G_MININT64 };

      g_assert_cmpint (wide[i], ==, wanted[i]);
      g_assert_cmpuint (narrow[i], ==, (guint8) wanted[i]);
      g_assert_cmpuint (truth[i], ==, 1); /* 0.5 and NaN are not 0 */
    }

  hyb_dtype_set_double (large, HYB_U64, 0, 0x1p63);
  hyb_dtype_set_double (large, HYB_U64, 1, 1e30);
  g_assert_cmpuint (large[0], ==, G_GUINT64_CONSTANT (1) << 63);
  g_assert_cmpuint (large[1], ==, G_MAXUINT64);
}

static void
test_integers_keep_all_64_bits (void)
{
  const gint64 values[] = { G_MAXINT64, G_MININT64, (G_GINT64_CONSTANT (1) << 53) + 1, -1 };
  guint64      unsigned_[G_N_ELEMENTS (values)];
  gint64       back[G_N_ELEMENTS (values)];
  gint32       low[G_N_ELEMENTS (values)];

  hyb_dtype_convert (unsigned_, HYB_U64, values, HYB_I64, G_N_ELEMENTS (values));
  hyb_dtype_convert (back, HYB_I64, unsigned_, HYB_U64, G_N_ELEMENTS (values));
  g_assert_cmpmem (back, sizeof back, values, sizeof values);
  hyb_dtype_convert (low, HYB_I32, values, HYB_I64, G_N_ELEMENTS (values));
  g_assert_cmpint (low[0], ==, -1);
  g_assert_cmpint (low[1], ==, 0);
  g_assert_cmpint (low[2], ==, 1);
  g_assert_cmpint (hyb_dtype_get_int (values, HYB_I64, 2), ==, values[2]);
}

/* Small integers are exact in every type, whichever loop converts them. */
static void
test_small_integers_survive_every_pair_of_types (void)
{
  enum
  {
    N = 19
  };
  double values[N];

  for (guint i = 0; i < N; i++)
    values[i] = i;
  for (int a = 0; a < HYB_N_DTYPES; a++)
    for (int b = 0; b < HYB_N_DTYPES; b++)
      {
        guint64  from[N], to[N];
        HybDType from_dtype = (HybDType) a, to_dtype = (HybDType) b;
        gboolean is_bool = from_dtype == HYB_BOOL || to_dtype == HYB_BOOL;
        double   got[N];

        hyb_dtype_convert (from, from_dtype, values, HYB_F64, N);
        hyb_dtype_convert (to, to_dtype, from, from_dtype, N);
        hyb_dtype_get_doubles (to, to_dtype, 0, N, got);
        for (guint i = 0; i < N; i++)
          {
            g_assert_true (got[i] == (is_bool ? i != 0 : i));
            g_assert_true (hyb_dtype_get_double (to, to_dtype, i) == got[i]);
            g_assert_cmpint (hyb_dtype_get_int (to, to_dtype, i), ==, (gint64) got[i]);
          }
      }
}

/* The loops for arrays give what the access to one element does: ends of ranges, fractions, NaN and infinities. */
static void
test_arrays_become_what_their_elements_do (void)
{
  static const double values[] = {
    0.5,      -0.5,   -0.,    1.9,         -1.9,   127.5,    -129,      255,    256,
    65536,    -32769, 0x1p31, -0x1p31 - 1, 0x1p32, 0x1p53,   0x1p62,    0x1p63, -0x1p63,
    0x1.8p63, 0x1p64, 1e30,   -1e30,       NAN,    INFINITY, -INFINITY, -1,
  };
  guint64 loop[G_N_ELEMENTS (values)], one[G_N_ELEMENTS (values)];
  double  back[G_N_ELEMENTS (values)];

  for (int code = 0; code < HYB_N_DTYPES; code++)
    {
      HybDType dtype = (HybDType) code;

      hyb_dtype_convert (loop, dtype, values, HYB_F64, G_N_ELEMENTS (values));
      hyb_dtype_convert (back, HYB_F64, loop, dtype, G_N_ELEMENTS (values));
      for (guint i = 0; i < G_N_ELEMENTS (values); i++)
        {
          double alone = hyb_dtype_get_double (loop, dtype, i);

          hyb_dtype_set_double (one, dtype, i, values[i]);
          g_assert_true (back[i] == alone || (isnan (back[i]) && isnan (alone)));
        }
      if (!hyb_dtype_is_float (dtype))
        g_assert_cmpmem (loop, G_N_ELEMENTS (values) * hyb_dtype_size (dtype), one,
                         G_N_ELEMENTS (values) * hyb_dtype_size (dtype));
    }
}

static void
test_ranges_of_elements_start_anywhere (void)
{
  const float   floats[] = { 1, 2, 3, 4 };
  const guint16 halves[] = { 0x3c00, 0x4000, 0x4200, 0x4400 }; /* 1, 2, 3, 4 */
  double        got[3] = { 0, 0, -7 };

  hyb_dtype_get_doubles (floats, HYB_F32, 2, 2, got);
  g_assert_true (got[0] == 3 && got[1] == 4 && got[2] == -7);
  hyb_dtype_get_doubles (halves, HYB_F16, 1, 2, got);
  g_assert_true (got[0] == 2 && got[1] == 3 && got[2] == -7);
  hyb_dtype_get_doubles (halves, HYB_F16, 4, 0, got);
  g_assert_true (got[0] == 2 && got[1] == 3);
}

TEST_PROGRAM (test_dtype)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/tensor/dtype/" name, function)
  TEST ("names-and-sizes-agree-with-each-other", test_names_and_sizes_agree_with_each_other);
  TEST ("codes-and-names-out-of-range-are-unknown", test_codes_and_names_out_of_range_are_unknown);
  TEST ("every-half-becomes-the-float-it-stands-for-and-comes-back",
        test_every_half_becomes_the_float_it_stands_for_and_comes_back);
  TEST ("floats-become-the-nearest-half-and-ties-the-even-one",
        test_floats_become_the_nearest_half_and_ties_the_even_one);
  TEST ("floats-beyond-the-range-of-halves-become-infinity-or-zero",
        test_floats_beyond_the_range_of_halves_become_infinity_or_zero);
  TEST ("arrays-of-halves-have-the-bytes-of-single-ones",
        test_arrays_of_halves_have_the_bytes_of_single_ones);
  TEST ("short-arrays-of-halves-are-written-to-their-end-only",
        test_short_arrays_of_halves_are_written_to_their_end_only);
  TEST ("arrays-of-floats-are-rounded-as-single-ones",
        test_arrays_of_floats_are_rounded_as_single_ones);
  TEST ("every-bfloat-comes-back", test_every_bfloat_comes_back);
  TEST ("floats-become-the-nearest-bfloat-and-ties-the-even-one",
        test_floats_become_the_nearest_bfloat_and_ties_the_even_one);
  TEST ("floats-become-integers-by-truncation", test_floats_become_integers_by_truncation);
  TEST ("integers-keep-all-64-bits", test_integers_keep_all_64_bits);
  TEST ("small-integers-survive-every-pair-of-types",
        test_small_integers_survive_every_pair_of_types);
  TEST ("ranges-of-elements-start-anywhere", test_ranges_of_elements_start_anywhere);
  TEST ("arrays-become-what-their-elements-do", test_arrays_become_what_their_elements_do);
#undef TEST

  return g_test_run ();
}
