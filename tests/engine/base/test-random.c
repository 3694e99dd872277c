/* test-random.c — the generator against its authors' test vectors, and the numbers drawn from it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/random.h"
#include "tests/program.h"

#include <math.h>

/* kat_vectors of the Random123 library, philox4x32 with 10 rounds. */
static const struct
{
  guint32 counter[4], key[2], words[4];
} vectors[] = {
  { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
  { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
    { 0xffffffff, 0xffffffff },
    { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
  { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
    { 0xa4093822, 0x299f31d0 },
    { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
};

static void
test_published_vectors (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (vectors); i++)
    {
      guint32 words[4];

      hyb_random_philox (vectors[i].counter, vectors[i].key, words);
      g_assert_cmpmem (words, sizeof words, vectors[i].words, sizeof words);
    }
}

static void
test_single_draws_are_parts_of_blocks (void)
{
  guint32 words[4];

  hyb_random_block (42, 7, words);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (hyb_random_word (42, 28 + i), ==, words[i]);
  g_assert_cmpfloat (hyb_random_uniform (42, 14), <, 1.0);
  g_assert_cmpuint ((guint32) (hyb_random_uniform (42, 15) * 4294967296.0), ==, words[2]);
}

static void
test_filling_equals_single_draws (void)
{
  float row[100];

  for (guint64 first = 0; first < 5; first++)
    {
      hyb_random_uniform_fill (9, first, row, G_N_ELEMENTS (row));
      for (guint i = 0; i < G_N_ELEMENTS (row); i++)
        {
          double exact = hyb_random_uniform (9, first + i);

          g_assert_true (row[i] == (float) (floor (exact * 0x1p24) * 0x1p-24));
          g_assert_true (row[i] < 1.f);
        }
    }
}

static void
test_filling_with_normals_equals_single_draws (void)
{
  double row[100];

  for (gsize count = 0; count < G_N_ELEMENTS (row); count++)
    {
      guint64 first = (G_GUINT64_CONSTANT (1) << 32) - 50; /* the index is wider than a word */

      row[count] = 77;
      hyb_random_normal_fill (9, first, row, count);
      for (gsize i = 0; i < count; i++)
        g_assert_true (row[i] == hyb_random_normal (9, first + i));
      g_assert_true (row[count] == 77);
    }
}

static void
test_moments (void)
{
  const guint n = 200000;
  double      uniform = 0, normal = 0, square = 0;

  for (guint i = 0; i < n; i++)
    {
      double x = hyb_random_normal (1, i);

      uniform += hyb_random_uniform (1, i);
      normal += x;
      square += x * x;
    }
  /* Within five standard errors. */
  g_assert_cmpfloat_with_epsilon (uniform / n, 0.5, 5 * sqrt (1. / 12 / n));
  g_assert_cmpfloat_with_epsilon (normal / n, 0, 5 / sqrt (n));
  g_assert_cmpfloat_with_epsilon (square / n, 1, 5 * sqrt (2. / n));
}

static void
test_mixing_separates_neighbours (void)
{
  g_assert_true (hyb_random_mix (1, 2) != hyb_random_mix (2, 1));
  g_assert_true (hyb_random_mix (0, 0) != hyb_random_mix (0, 1));
  g_assert_true (hyb_random_mix (0, 0) != 0);
}

TEST_PROGRAM (test_random)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/base/random/published-vectors", test_published_vectors);
  g_test_add_func ("/engine/base/random/single-draws-are-parts-of-blocks",
                   test_single_draws_are_parts_of_blocks);
  g_test_add_func ("/engine/base/random/filling-equals-single-draws",
                   test_filling_equals_single_draws);
  g_test_add_func ("/engine/base/random/filling-with-normals-equals-single-draws",
                   test_filling_with_normals_equals_single_draws);
  g_test_add_func ("/engine/base/random/moments", test_moments);
  g_test_add_func ("/engine/base/random/mixing-separates-neighbours",
                   test_mixing_separates_neighbours);

  return g_test_run ();
}
