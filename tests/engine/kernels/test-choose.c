/* test-choose.c — elements are chosen byte by byte as by a plain loop at every level of vector instructions, for every
 * size of an element, length, stride and place of the result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/choose.h"

#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <string.h>

#define MOST 200

static guint8 condition[MOST], a[8 * MOST], b[8 * MOST];

/* Writes what is wanted, of all MOST elements of `got`, to want. */
static void
choose_plainly (const HybChoice *choice, const guint8 *got, guint8 *want)
{
  memcpy (want, got, 8 * MOST);
  for (gint64 i = 0; i < choice->n; i++)
    memcpy (want + i * (gint64) choice->item,
            condition[i] ? a + i * choice->stride_a * (gint64) choice->item
                         : b + i * choice->stride_b * (gint64) choice->item,
            choice->item);
}

static void
check (gsize item, gint64 n, guint strides)
{
  guint8    want[8 * MOST], got[8 * MOST];
  HybChoice choice = { .item = item,
                       .n = n,
                       .condition = condition,
                       .a = a,
                       .b = b,
                       .stride_a = strides & 1,
                       .stride_b = strides >> 1,
                       .y = got };

  memset (got, 7, sizeof got);
  choose_plainly (&choice, got, want);
  hyb_choose (&choice);
  g_assert_cmpmem (got, sizeof got, want, sizeof want);
  if (strides & 1)
    {
      memcpy (got, a, sizeof got);
      choice.a = got;
      choose_plainly (&choice, got, want);
      hyb_choose (&choice);
      g_assert_cmpmem (got, sizeof got, want, sizeof want);
      choice.a = a;
    }
  if (strides >> 1)
    {
      memcpy (got, b, sizeof got);
      choice.b = got;
      choose_plainly (&choice, got, want);
      hyb_choose (&choice);
      g_assert_cmpmem (got, sizeof got, want, sizeof want);
    }
}

static void
test_elements_are_those_of_plain_loops (void)
{
  for (guint i = 0; i < 8 * MOST; i++)
    {
      a[i] = (guint8) (256 * hyb_random_uniform (3, i));
      b[i] = (guint8) (256 * hyb_random_uniform (4, i));
      if (i < MOST) /* every number but 0 is true */
        condition[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : (guint8) (i % 255 + 1);
    }
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (gsize item = 1; item <= 8; item *= 2)
        for (gint64 n = 0; n <= MOST; n++)
          for (guint strides = 0; strides < 4; strides++)
            check (item, n, strides);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_choose)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/choose/elements-are-those-of-plain-loops",
                   test_elements_are_those_of_plain_loops);

  return g_test_run ();
}
