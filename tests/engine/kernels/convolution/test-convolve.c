/* test-convolve.c — compares every method of convolution with six plain loops, on many geometries.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/convolution/convolve.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "tests/program.h"

#include <math.h>

/* Calls visit for every weight, with each map cell and image cell that it connects. */
typedef void (*Visit) (double *image, double *weight, double *map);

static void
walk (const HybConvolve *c, double *image, double *weight, double *map, Visit visit)
{
  gint64 filters = c->map_channels / c->groups, channels = c->image_channels / c->groups;
  gint64 taps = c->kernel[0] * c->kernel[1] * c->kernel[2];
  gint64 cells = c->map[0] * c->map[1] * c->map[2];

  for (gint64 n = 0; n < c->batch; n++)
    for (gint64 f = 0; f < c->map_channels; f++)
      for (gint64 cell = 0; cell < cells; cell++)
        for (gint64 channel = 0; channel < channels; channel++)
          for (gint64 tap = 0; tap < taps; tap++)
            {
              gint64 place[3] = { cell / c->map[2] / c->map[1], cell / c->map[2] % c->map[1],
                                  cell % c->map[2] };
              gint64 at[3] = { tap / c->kernel[2] / c->kernel[1], tap / c->kernel[2] % c->kernel[1],
                               tap % c->kernel[2] };
              gint64 index = n * c->image_channels + f / filters * channels + channel;
              gboolean inside = TRUE;

              for (int axis = 0; axis < 3; axis++)
                {
                  gint64 x =
                      place[axis] * c->stride[axis] + at[axis] * c->dilate[axis] - c->pad[axis];

                  inside = inside && x >= 0 && x < c->image[axis];
                  index = index * c->image[axis] + x;
                }
              if (inside)
                visit (image + index, weight + (f * channels + channel) * taps + tap,
                       map + (n * c->map_channels + f) * cells + cell);
            }
}

static void
to_map (double *image, double *weight, double *map)
{
  *map += *image * *weight;
}

static void
to_image (double *image, double *weight, double *map)
{
  *image += *map * *weight;
}

static void
to_weight (double *image, double *weight, double *map)
{
  *weight += *map * *image;
}

static gint64
draw (guint64 seed, guint64 *index, gint64 low, gint64 high)
{
  return low + (gint64) (hyb_random_uniform (seed, (*index)++) * (double) (high - low + 1));
}

/* A small random geometry; every third is depthwise, every fifth has a kernel of one cell, and every
 * fourth has up to 20 samples.  The windows of every seventh tile the image. */
static HybConvolve
draw_geometry (guint64 seed)
{
  guint64     index = 0;
  HybConvolve c = { .batch = seed % 4 == 0 ? draw (seed, &index, 3, 20) : draw (seed, &index, 1, 2),
                    .groups = draw (seed, &index, 1, 3) };

  c.image_channels = c.groups * (seed % 3 == 0 ? 1 : draw (seed, &index, 1, 3));
  c.map_channels = c.groups * draw (seed, &index, 1, 3);
  for (int axis = 0; axis < 3; axis++)
    {
      gint64 room;

      c.kernel[axis] = seed % 5 == 0 ? 1 : draw (seed, &index, 1, 3);
      c.stride[axis] = seed % 10 == 0 ? 1 : draw (seed, &index, 1, 3);
      c.dilate[axis] = draw (seed, &index, 1, 2);
      c.pad[axis] = seed % 10 == 0 ? 0 : draw (seed, &index, 0, 3);
      c.image[axis] = (c.kernel[axis] - 1) * c.dilate[axis] + draw (seed, &index, 1, 4);
      room = c.image[axis] + 2 * c.pad[axis] - (c.kernel[axis] - 1) * c.dilate[axis] - 1;
      c.map[axis] = room / c.stride[axis] + 1;
      if (seed % 7 == 0)
        {
          c.stride[axis] = c.kernel[axis];
          c.dilate[axis] = 1;
          c.pad[axis] = 0;
          c.map[axis] = draw (seed, &index, 1, 9);
          c.image[axis] = c.map[axis] * c.stride[axis];
        }
    }

  return c;
}

typedef struct
{
  gsize   n;
  double *expected, *f64;
  float  *f32;
} Operand;

static Operand
operand_new (guint64 seed, gint64 n)
{
  Operand operand = { .n = (gsize) n,
                      .expected = g_new0 (double, n),
                      .f64 = g_new (double, n),
                      .f32 = g_new (float, n) };

  for (gint64 i = 0; i < n; i++)
    {
      operand.f32[i] = (float) (2.0 * hyb_random_uniform (seed, (guint64) i) - 1.0);
      operand.expected[i] = operand.f64[i] = (double) operand.f32[i];
    }
  return operand;
}

static void
operand_clear (Operand *operand)
{
  g_free (operand->expected);
  g_free (operand->f64);
  g_free (operand->f32);
}

static void
operand_check (const Operand *operand)
{
  for (gsize i = 0; i < operand->n; i++)
    {
      g_assert_cmpfloat (fabs (operand->f64[i] - operand->expected[i]), <, 1e-10);
      g_assert_cmpfloat (fabs ((double) operand->f32[i] - operand->expected[i]), <, 1e-4);
    }
}

static gint64
volume (const gint64 size[3])
{
  return size[0] * size[1] * size[2];
}

/* The operands in one element type. */
typedef struct
{
  HybDType dtype;
  gpointer image, map, weight, workspace;
} Arrays;

/* Computes one of the arrays from the other two.  target: 0 is the map, 1 the image, 2 the
 * weight. */
static void
run_target (const HybConvolve *c, int target, const Arrays *arrays)
{
  if (target == 2)
    hyb_convolve_weight (c, &(HybConvolveWeightOperands){ .dtype = arrays->dtype,
                                                          .image = arrays->image,
                                                          .map = arrays->map,
                                                          .weight = arrays->weight,
                                                          .workspace = arrays->workspace });
  else
    (target == 0
         ? hyb_convolve
         : hyb_convolve_transposed) (c, &(HybConvolveOperands){
                                            .dtype = arrays->dtype,
                                            .data = target == 0 ? arrays->image : arrays->map,
                                            .weight = arrays->weight,
                                            .result = target == 0 ? arrays->map : arrays->image,
                                            .workspace = arrays->workspace });
}

/* The bytes of workspace that a target needs. */
static gsize
room_for (const HybConvolve *c, int target, gsize element_size)
{
  return target == 2 ? hyb_convolve_weight_workspace (c, element_size)
                     : hyb_convolve_workspace (c, element_size);
}

/* target: as in run_target(). */
static void
check_geometry (const HybConvolve *c, guint64 seed, int target)
{
  gint64           depth = c->image_channels / c->groups * volume (c->kernel);
  Operand          image = operand_new (seed, c->batch * c->image_channels * volume (c->image));
  Operand          map = operand_new (seed + 1, c->batch * c->map_channels * volume (c->map));
  Operand          weight = operand_new (seed + 2, c->map_channels * depth);
  g_autofree char *room = g_malloc (room_for (c, target, sizeof (double)) + 1);
  Operand         *written[] = { &map, &image, &weight };
  Visit            visits[] = { to_map, to_image, to_weight };

  for (gsize i = 0; i < written[target]->n; i++)
    written[target]->expected[i] = 0;
  walk (c, image.expected, weight.expected, map.expected, visits[target]);

  run_target (c, target, &(Arrays){ HYB_F64, image.f64, map.f64, weight.f64, room });
  run_target (c, target, &(Arrays){ HYB_F32, image.f32, map.f32, weight.f32, room });

  operand_check (written[target]);
  operand_clear (&image);
  operand_clear (&map);
  operand_clear (&weight);
}

static void
test_all_methods_agree_with_plain_loops (void)
{
  for (guint64 seed = 0; seed < 60; seed++)
    {
      HybConvolve c = draw_geometry (seed);

      for (int target = 0; target < 3; target++)
        check_geometry (&c, seed, target);
    }
}

/* A batch that threads share out evenly, and one that they do not. */
static void
test_threads_change_no_byte (void)
{
  for (gint64 batch = 16; batch <= 17; batch++)
    for (int target = 0; target < 3; target++)
      {
        HybConvolve      c = { .batch = batch,
                               .groups = 2,
                               .image_channels = 12,
                               .map_channels = 20,
                               .image = { 1, 20, 20 },
                               .map = { 1, 18, 18 },
                               .kernel = { 1, 3, 3 },
                               .stride = { 1, 1, 1 },
                               .dilate = { 1, 1, 1 } };
        Operand          image = operand_new (1, c.batch * c.image_channels * volume (c.image));
        Operand          map = operand_new (2, c.batch * c.map_channels * volume (c.map));
        Operand          weight = operand_new (3, c.map_channels * 6 * volume (c.kernel));
        Operand         *written[] = { &map, &image, &weight };
        gsize            bytes = sizeof (float) * written[target]->n;
        g_autofree char *room = g_malloc (room_for (&c, target, sizeof (float)));
        g_autofree char *first = NULL;

        for (guint threads = 1; threads <= 3; threads++)
          {
            hyb_parallel_set_threads (threads);
            run_target (&c, target, &(Arrays){ HYB_F32, image.f32, map.f32, weight.f32, room });
            if (!first)
              first = g_memdup2 (written[target]->f32, bytes);
            g_assert_cmpmem (written[target]->f32, bytes, first, bytes);
          }
        hyb_parallel_set_threads (0);
        operand_clear (&image);
        operand_clear (&map);
        operand_clear (&weight);
      }
}

static void
test_a_workspace_beyond_all_numbers_is_said_so (void)
{
  gint64      huge = G_GINT64_CONSTANT (1) << 30;
  HybConvolve c = { .batch = 1,
                    .groups = 1,
                    .image_channels = huge,
                    .map_channels = 1,
                    .image = { huge, huge, huge },
                    .map = { huge, huge, huge },
                    .kernel = { 3, 3, 3 },
                    .stride = { 1, 1, 1 },
                    .dilate = { 1, 1, 1 },
                    .pad = { 1, 1, 1 } };

  g_assert_cmpuint (hyb_convolve_workspace (&c, 4), ==, G_MAXSIZE);
  g_assert_cmpuint (hyb_convolve_weight_workspace (&c, 4), ==, G_MAXSIZE);
  g_assert_true (isfinite (hyb_convolve_flops (&c)));
}

/* A convolution without channels or samples writes what there is: nothing, or zeros. */
static void
test_nothing_to_add_is_zero (void)
{
  HybConvolve      c = { .batch = 9,
                         .groups = 1,
                         .image_channels = 0,
                         .map_channels = 2,
                         .image = { 1, 4, 4 },
                         .map = { 1, 2, 2 },
                         .kernel = { 1, 3, 3 },
                         .stride = { 1, 1, 1 },
                         .dilate = { 1, 1, 1 } };
  float            map[72] = { 1 }, image[1] = { 7 }, weight[1] = { 7 };
  g_autofree char *room = NULL;

  for (int target = 0; target < 3; target++)
    {
      g_free (room);
      room = g_malloc0 (room_for (&c, target, sizeof (float)) + 1);
      run_target (&c, target, &(Arrays){ HYB_F32, image, map, weight, room });
    }
  for (guint i = 0; i < G_N_ELEMENTS (map); i++)
    g_assert_cmpfloat (map[i], ==, 0);
  g_assert_cmpfloat (image[0], ==, 7);
  g_assert_cmpfloat (weight[0], ==, 7);
  c.map_channels = 0;
  g_assert_cmpuint (hyb_convolve_weight_workspace (&c, 4), <, 1024);
}

TEST_PROGRAM (test_convolve)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/convolve/all-methods-agree-with-plain-loops",
                   test_all_methods_agree_with_plain_loops);
  g_test_add_func ("/engine/kernels/convolve/threads-change-no-byte", test_threads_change_no_byte);
  g_test_add_func ("/engine/kernels/convolve/nothing-to-add-is-zero", test_nothing_to_add_is_zero);
  g_test_add_func ("/engine/kernels/convolve/a-workspace-beyond-all-numbers-is-said-so",
                   test_a_workspace_beyond_all_numbers_is_said_so);

  return g_test_run ();
}
