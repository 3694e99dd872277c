/* test-bit-shift.c — tests of _bit_shift: samples and refusals for op-check.h, and every count of bits of every type.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <string.h>

static const OpSample samples[] = {
  { "_bit_shift", "to the left", NULL, { "u8[2,3]", "u8[3] = 0,1,7" } },
  { "_bit_shift", "to the right", "right=True", { "u32[2,1] = 9,8", "u32[1,3] = 0,1,31" } },
  { "_bit_shift", "no element", NULL, { "u8[0,2]", "u8[2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_bit_shift", "two types", NULL, { "u8[2]", "u32[2]" }, "uint8" },
  { 0 },
};

/* The same bit by bit: bit i comes from bit `from`, or is 0, or the sign. */
static guint64
shifted (guint64 x, gint64 count, guint n_bits, gboolean is_right, gboolean is_signed)
{
  guint64 result = 0, sign = is_signed ? x >> (n_bits - 1) & 1 : 0;

  for (gint64 i = 0; i < n_bits; i++)
    {
      gint64  from = count < 0 ? -1 : is_right ? i + count : i - count;
      guint64 bit = from >= 0 && from < n_bits ? x >> from & 1 : is_right ? sign : 0;

      result |= bit << i;
    }
  return result;
}

/* The bits of an element, above them zeros. */
static guint64
bits_of (HybTensor *tensor, gint64 i)
{
  gsize   size = hyb_dtype_size (hyb_tensor_get_dtype (tensor));
  guint64 bits = 0;

  memcpy (&bits, (const char *) hyb_tensor_get_data (tensor) + (gsize) i * size, size);
  return bits;
}

/* Three elements are moved by each count, which is repeated or stands there as often. */
static void
check_type (HybDType dtype, gboolean is_signed, gboolean is_right, gboolean is_repeated)
{
  guint   n_bits = 8 * (guint) hyb_dtype_size (dtype), width = is_repeated ? 1 : 3;
  HybType type = { hyb_shape_2d (n_bits + 4, 3), dtype };
  HybType counts = { hyb_shape_2d (n_bits + 4, width), dtype };
  g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) count = hyb_tensor_new (&counts, NULL);
  g_autoptr (HybTensor) y = NULL;

  for (gsize i = 0; i < 3 * n_bits + 12; i++)
    {
      guint64 bits = (i + 1) * 0x9e3779b97f4a7c15ull;

      memcpy ((char *) hyb_tensor_get_data (x) + i * n_bits / 8, &bits, n_bits / 8);
    }
  for (gsize i = 0; i < width * (n_bits + 4); i++) /* the last one is negative, or large */
    hyb_dtype_set_double (hyb_tensor_get_data (count), dtype, i,
                          i / width < n_bits + 3 ? (double) (i / width)
                          : is_signed            ? -1
                                                 : 200);
  y = op_run ("_bit_shift", is_right ? "right=True" : NULL, hyb_tensor_ref (x),
              hyb_tensor_ref (count), NULL);
  for (gint64 i = 0; i < 3 * n_bits + 12; i++)
    g_assert_cmphex (bits_of (y, i), ==,
                     shifted (bits_of (x, i), i / 3 < n_bits + 3 ? i / 3 : -1, n_bits, is_right,
                              is_signed));
}

static void
test_every_count_of_every_type (void)
{
  static const HybDType is_unsigned[] = { HYB_U8, HYB_U16, HYB_U32, HYB_U64 };
  static const HybDType is_signed[] = { HYB_I8, HYB_I16, HYB_I32, HYB_I64 };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint i = 0; i < G_N_ELEMENTS (is_signed); i++)
      {
        hyb_simd_cap ((HybSimdLevel) level);
        for (guint form = 0; form < 4; form++)
          {
            check_type (is_unsigned[i], FALSE, form & 1, form >> 1);
            check_type (is_signed[i], TRUE, form & 1, form >> 1);
          }
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_bit_shift)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("bit-shift", hyb_ops_bit_shift, samples, refusals);
  g_test_add_func ("/engine/ops/bit-shift/every-count-of-every-type",
                   test_every_count_of_every_type);

  return g_test_run ();
}
