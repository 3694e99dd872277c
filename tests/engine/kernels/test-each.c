/* test-each.c — broadcast iteration visits every element once, with the right element of each
 * operand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/each.h"

#include "engine/base/parallel.h"
#include "tests/program.h"

/* For each element of out: the number of visits, and the elements of both operands. */
typedef struct
{
  int    *met;
  gint64 *a, *b;
} Record;

static void
record_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  Record *record = data;

  for (gint64 i = 0; i < length; i++)
    {
      gint64 at = offset[0] + i * stride[0];

      record->met[at]++;
      record->a[at] = offset[1] + i * stride[1];
      record->b[at] = offset[2] + i * stride[2];
    }
}

/* The element of a contiguous operand that is broadcast to element `at` of out. */
static gint64
place_of (const HybShape *shape, const HybShape *out, gint64 at)
{
  gint64 place = 0, step = 1;

  for (int i = 1; i <= out->rank; i++)
    {
      gint64 coordinate = at % out->dim[out->rank - i];

      at /= out->dim[out->rank - i];
      if (i > shape->rank)
        continue;
      if (shape->dim[shape->rank - i] != 1)
        place += coordinate * step;
      step *= shape->dim[shape->rank - i];
    }
  return place;
}

static void
check (const HybShape *out, const HybShape *a, const HybShape *b, gboolean parallel)
{
  const HybShape    *shapes[] = { out, a, b };
  gint64             n = hyb_shape_size (out);
  g_autofree int    *met = g_new0 (int, n);
  g_autofree gint64 *at_a = g_new0 (gint64, n);
  g_autofree gint64 *at_b = g_new0 (gint64, n);
  Record             record = { met, at_a, at_b };
  HybEach            each;

  hyb_each_init (&each, out, 3, shapes);
  if (parallel)
    hyb_each_rows_parallel (&each, 4, record_row, &record);
  else
    hyb_each_rows (&each, record_row, &record);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (met[i], ==, 1);
      g_assert_cmpint (at_a[i], ==, place_of (a, out, i));
      g_assert_cmpint (at_b[i], ==, place_of (b, out, i));
    }
}

/* Random shapes of up to five short axes; operands have size 1 in some of them and lack leading
 * ones. */
static void
test_random_shapes (void)
{
  for (int round = 0; round < 500; round++)
    {
      HybShape out = { .rank = g_test_rand_int_range (0, 6) };
      HybShape operand[2];

      for (int i = 0; i < out.rank; i++)
        out.dim[i] = g_test_rand_int_range (0, 30) == 0 ? 0 : g_test_rand_int_range (1, 5);
      for (int k = 0; k < 2; k++)
        {
          operand[k].rank = g_test_rand_int_range (0, out.rank + 1);
          for (int i = 0; i < operand[k].rank; i++)
            operand[k].dim[i] = g_test_rand_bit () ? out.dim[out.rank - operand[k].rank + i] : 1;
        }
      check (&out, &operand[0], &operand[1], round & 1);
    }
}

static void
test_axes_are_merged (void)
{
  HybShape out = hyb_shape_4d (2, 3, 1, 5), row = hyb_shape_2d (3, 1);
  HybEach  each;

  row = hyb_shape_3d (3, 1, 5);
  hyb_each_init (&each, &out, 2, (const HybShape *[]){ &out, &out });
  g_assert_cmpint (each.rank, ==, 1);
  g_assert_cmpint (each.dim[0], ==, 30);
  hyb_each_init (&each, &out, 2, (const HybShape *[]){ &out, &row });
  g_assert_cmpint (each.rank, ==, 2);
  g_assert_cmpint (each.dim[1], ==, 15);
  g_assert_cmpint (each.stride[1][0], ==, 0);
}

static void
test_long_rows_are_cut (void)
{
  HybShape out = hyb_shape_2d (3, 10007), column = hyb_shape_2d (3, 1);

  check (&out, &column, &out, TRUE);
}

TEST_PROGRAM (test_each)
{
  g_test_init (&argc, &argv, NULL);
  hyb_parallel_set_threads (4);

  g_test_add_func ("/engine/kernels/each/random-shapes", test_random_shapes);
  g_test_add_func ("/engine/kernels/each/axes-are-merged", test_axes_are_merged);
  g_test_add_func ("/engine/kernels/each/long-rows-are-cut", test_long_rows_are_cut);

  return g_test_run ();
}
