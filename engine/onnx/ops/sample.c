/* sample.c — GridSample and AffineGrid: images at the positions of a grid, in any number of dimensions.
 *
 * Each axis has a few neighbours of every position, with weights; the result is the sum over all combinations.  Positions
 * are numbers in −1 … 1 from one end of an axis to the other, the last axis first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

#define MAX_AXES       3
#define MAX_POINTS     16777216 /* of a grid that is laid out while planning */
#define MAX_NEIGHBOURS 4

/* One axis of the image. */
typedef struct
{
  gint64     size;
  double     low, high; /* its ends, in elements */
  guint      n;
  HybValueId index[MAX_NEIGHBOURS];     /* inside of the axis */
  HybValueId weight[MAX_NEIGHBOURS];    /* HYB_NO_ID: 1 */
  HybValueId is_inside[MAX_NEIGHBOURS]; /* HYB_NO_ID: all are */
} Axis;

typedef struct
{
  HybType     x, grid;
  int         n_axes;
  gint64      n_points; /* of each image of the result */
  const char *padding;
  guint       n_neighbours;
  Axis        axis[MAX_AXES];
} Sampler;

/* --- Positions --- */

/* x reflected at both ends of the axis as often as it takes. */
static HybValueId
reflect (HybLowering *lowering, HybValueId x, const Axis *axis)
{
  double     range = axis->high - axis->low;
  HybValueId y = onnx_shift (lowering, x, -axis->low);

  y = hyb_onnx_with_scalar (lowering, "_mod_scalar", y, 2 * range);
  y = hyb_onnx_unary (lowering, "abs", onnx_shift (lowering, y, -range));
  return hyb_onnx_with_scalar (lowering, "_rminus_scalar", y, axis->low + range);
}

/* Positions outside of the image are moved into it, unless zeros lie there.  Of cubic neighbours each is moved alone
 * (set_neighbour()), so that the weights stay. */
static HybValueId
pull_inside (HybLowering *lowering, const Sampler *sampler, const Axis *axis, HybValueId x)
{
  HybValueId moved, is_outside;

  if (strcmp (sampler->padding, "zeros") == 0 || sampler->n_neighbours == 4)
    return x;
  moved = strcmp (sampler->padding, "border") == 0
              ? onnx_clamp (lowering, x, 0, (double) axis->size - 1)
              : reflect (lowering, x, axis);
  is_outside =
      hyb_onnx_binary (lowering, "broadcast_logical_or",
                       hyb_onnx_with_scalar (lowering, "_npi_less_scalar", x, axis->low),
                       hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", x, axis->high));
  return onnx_where (lowering, is_outside, moved, x);
}

/* The same for a whole position, and whether it was inside. */
static void
set_neighbour (HybLowering *lowering, const Sampler *sampler, Axis *axis, guint i, HybValueId x)
{
  axis->is_inside[i] = HYB_NO_ID;
  if (strcmp (sampler->padding, "zeros") == 0)
    axis->is_inside[i] =
        onnx_and (lowering, hyb_onnx_with_scalar (lowering, "_npi_greater_equal_scalar", x, 0),
                  hyb_onnx_with_scalar (lowering, "_npi_less_equal_scalar", x,
                                        (double) axis->size - 1));
  else if (strcmp (sampler->padding, "reflection") == 0)
    x = hyb_onnx_unary (lowering, "trunc", reflect (lowering, x, axis));
  x = onnx_clamp (lowering, x, 0, (double) axis->size - 1);
  axis->index[i] = hyb_onnx_cast (lowering, x, HYB_I64);
}

/* The polynomial of degree 3 with these coefficients, the highest first. */
static HybValueId
polynomial (HybLowering *lowering, HybValueId x, const double *coefficients)
{
  HybValueId y = onnx_scale (lowering, x, coefficients[0]);

  for (guint i = 1; i < 4; i++)
    {
      y = onnx_shift (lowering, y, coefficients[i]);
      if (i < 3)
        y = onnx_multiply (lowering, y, x);
    }
  return y;
}

/* Weights of the neighbours of a position, which is t behind the first of two, or the second of four.  Cubic ones are Keys'
 * with a = −0.75. */
static void
set_weights (HybLowering *lowering, Axis *axis, HybValueId t)
{
  static const double outer[] = { -0.75, 5 * 0.75, 8 * -0.75, 4 * 0.75 };
  static const double inner[] = { -0.75 + 2, -(-0.75 + 3), 0, 1 };
  HybValueId          rest = hyb_onnx_with_scalar (lowering, "_rminus_scalar", t, 1);

  if (axis->n == 1)
    axis->weight[0] = HYB_NO_ID;
  else if (axis->n == 2)
    {
      axis->weight[0] = rest;
      axis->weight[1] = t;
    }
  else
    {
      axis->weight[0] = polynomial (lowering, onnx_shift (lowering, t, 1), outer);
      axis->weight[1] = polynomial (lowering, t, inner);
      axis->weight[2] = polynomial (lowering, rest, inner);
      axis->weight[3] = polynomial (lowering, onnx_shift (lowering, rest, 1), outer);
    }
}

/* The coordinate of the grid for an axis, in elements, [images, points]. */
static HybValueId
read_position (HybLowering *lowering, const Sampler *sampler, int number)
{
  const Axis *axis = &sampler->axis[number];
  gboolean    has_corners = hyb_onnx_int (lowering, "align_corners", 0) != 0;
  int         last = sampler->grid.shape.rank - 1;
  double      size = (double) axis->size;
  HybValueId  x = hyb_onnx_slice (lowering, hyb_onnx_input (lowering, 1), last,
                                  sampler->n_axes - 1 - number, sampler->n_axes - number);

  x = hyb_onnx_reshape (lowering, x, 2, (gint64[]){ sampler->x.shape.dim[0], sampler->n_points });
  x = onnx_shift (lowering, x, 1);
  if (has_corners)
    return onnx_scale (lowering, x, (size - 1) / 2);
  return onnx_scale (lowering, onnx_shift (lowering, onnx_scale (lowering, x, size), -1), 0.5);
}

static void
read_axis (HybLowering *lowering, Sampler *sampler, int number)
{
  Axis      *axis = &sampler->axis[number];
  gboolean   has_corners = hyb_onnx_int (lowering, "align_corners", 0) != 0;
  HybValueId x, first;

  axis->size = sampler->x.shape.dim[number + 2];
  axis->low = has_corners ? 0 : -0.5;
  axis->high = (double) axis->size - (has_corners ? 1 : 0.5);
  axis->n = sampler->n_neighbours;
  x = read_position (lowering, sampler, number);
  if (axis->n == 1)
    x = hyb_onnx_unary (lowering, "_npi_around", x);
  x = pull_inside (lowering, sampler, axis, x);
  if (axis->n == 1)
    x = hyb_onnx_unary (lowering, "trunc", x);
  first = hyb_onnx_unary (lowering, "floor", x);
  set_weights (lowering, axis, onnx_subtract (lowering, x, first));
  for (guint i = 0; i < axis->n; i++)
    set_neighbour (lowering, sampler, axis, i,
                   onnx_shift (lowering, first, (double) i - (axis->n == 4 ? 1 : 0)));
}

/* --- Values --- */

/* The elements of all channels at one neighbour along each axis, [images, points, channels], with its weight. */
static HybValueId
sample (HybLowering *lowering, const Sampler *sampler, HybValueId rows, const guint *which)
{
  HybValueId position = onnx_count (lowering, sampler->x.shape.dim[0], 0, 2);
  HybValueId weight = HYB_NO_ID, is_inside = HYB_NO_ID, y;
  gint64     dims[] = { sampler->x.shape.dim[0], sampler->n_points, 1 };

  for (int a = 0; a < sampler->n_axes; a++)
    {
      const Axis *axis = &sampler->axis[a];
      HybValueId  own = axis->weight[which[a]];

      position = onnx_add (lowering, onnx_scale (lowering, position, (double) axis->size),
                           axis->index[which[a]]);
      is_inside = onnx_and (lowering, is_inside, axis->is_inside[which[a]]);
      if (own != HYB_NO_ID)
        weight = weight == HYB_NO_ID ? own : onnx_multiply (lowering, weight, own);
    }
  y = onnx_take (lowering, rows, position, 0);
  if (weight != HYB_NO_ID)
    y = onnx_multiply (lowering, y,
                       hyb_onnx_cast (lowering, hyb_onnx_reshape (lowering, weight, 3, dims),
                                      sampler->x.dtype));
  if (is_inside != HYB_NO_ID)
    y = onnx_where (lowering, hyb_onnx_reshape (lowering, is_inside, 3, dims), y,
                    hyb_onnx_scalar (lowering, 0, sampler->x.dtype));
  return y;
}

static HybValueId
sample_all (HybLowering *lowering, const Sampler *sampler, HybValueId rows)
{
  guint      which[MAX_AXES] = { 0 };
  HybValueId sum = HYB_NO_ID;
  int        a;

  do
    {
      HybValueId one = sample (lowering, sampler, rows, which);

      sum = sum == HYB_NO_ID ? one : onnx_add (lowering, sum, one);
      for (a = sampler->n_axes - 1; a >= 0 && ++which[a] == sampler->n_neighbours; a--)
        which[a] = 0;
    }
  while (a >= 0 && !hyb_lowering_has_failed (lowering));
  return sum;
}

/* FALSE if only types are known, or after a failure. */
static gboolean
read_sampler (HybLowering *lowering, Sampler *sampler)
{
  const char *mode = hyb_onnx_string (lowering, "mode", "linear");

  sampler->x = *hyb_onnx_type (lowering, 0);
  sampler->grid = *hyb_onnx_type (lowering, 1);
  sampler->padding = hyb_onnx_string (lowering, "padding_mode", "zeros");
  sampler->n_neighbours = strcmp (mode, "nearest") == 0                                  ? 1
                          : strcmp (mode, "cubic") == 0 || strcmp (mode, "bicubic") == 0 ? 4
                                                                                         : 2;
  if (!hyb_type_is_known (&sampler->x) || !hyb_type_is_known (&sampler->grid))
    {
      hyb_onnx_set_rank (lowering, 0, sampler->x.dtype, sampler->x.shape.rank);
      return FALSE;
    }
  sampler->n_axes = sampler->x.shape.rank - 2;
  if (sampler->n_axes < 1 || sampler->n_axes > MAX_AXES ||
      sampler->grid.shape.rank != sampler->x.shape.rank ||
      sampler->grid.shape.dim[sampler->n_axes + 1] != sampler->n_axes ||
      sampler->grid.shape.dim[0] != sampler->x.shape.dim[0])
    {
      hyb_lowering_fail (lowering, NULL, "the shape of its grid does not fit its image");
      return FALSE;
    }
  sampler->n_points = hyb_shape_count (&sampler->grid.shape, 1, sampler->n_axes + 1);
  return TRUE;
}

static void
lower_grid_sample (HybLowering *lowering)
{
  static const gint64 channels_first[] = { 0, 2, 1 };
  Sampler             sampler;
  HybShape            result;
  HybValueId          y;
  gint64              n_channels;

  if (!read_sampler (lowering, &sampler))
    return;
  n_channels = sampler.x.shape.dim[1];
  result = sampler.grid.shape;
  for (int i = sampler.n_axes + 1; i > 1; i--)
    result.dim[i] = sampler.grid.shape.dim[i - 1];
  result.dim[1] = n_channels;
  for (int a = 0; a < sampler.n_axes; a++)
    read_axis (lowering, &sampler, a);
  y = hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 0), 3,
                        (gint64[]){ sampler.x.shape.dim[0], n_channels, -1 });
  y = hyb_onnx_reshape (lowering, hyb_onnx_transpose (lowering, y, 3, channels_first), 2,
                        (gint64[]){ -1, n_channels });
  y = hyb_onnx_transpose (lowering, sample_all (lowering, &sampler, y), 3, channels_first);
  hyb_lowering_set_output (lowering, 0, onnx_reshape_to (lowering, y, &result));
}

/* --- AffineGrid --- */

/* The coordinate of each element of an axis, from −1 to 1. */
static double
coordinate (gint64 i, gint64 size, gboolean has_corners)
{
  if (has_corners)
    return size > 1 ? -1 + 2.0 * (double) i / (double) (size - 1) : 0;
  return -1 + (2 * (double) i + 1) / (double) size;
}

/* All positions of an image, [axes + 1, points]: the last axis first, and ones. */
static HybTensor *
new_positions (const gint64 *sizes, int n_axes, gboolean has_corners)
{
  gint64     n = 1, at[MAX_AXES] = { 0 };
  HybType    type = { .dtype = HYB_F32 };
  HybTensor *tensor;

  for (int a = 0; a < n_axes; a++)
    n *= sizes[a];
  type.shape = hyb_shape_2d (n_axes + 1, n);
  tensor = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; tensor && i < n; i++)
    {
      float *column = (float *) hyb_tensor_get_data (tensor) + i;

      for (int a = 0; a < n_axes; a++)
        column[(n_axes - 1 - a) * n] = (float) coordinate (at[a], sizes[a], has_corners);
      column[n_axes * n] = 1;
      for (int a = n_axes - 1; a >= 0 && ++at[a] == sizes[a]; a--)
        at[a] = 0;
    }
  return tensor;
}

static void
lower_affine_grid (HybLowering *lowering)
{
  static const gint64 swapped[] = { 0, 2, 1 };
  HybDType            dtype = hyb_onnx_type (lowering, 0)->dtype;
  gint64              dims[HYB_MAX_RANK], n_points = 1;
  guint               n;
  HybValueId          positions, y;

  if (!hyb_onnx_contents (lowering, 1) || !hyb_onnx_input_ints (lowering, 1, &n, dims))
    {
      hyb_onnx_set_rank (lowering, 0, dtype,
                         hyb_onnx_type (lowering, 1)->shape.rank == 1
                             ? (int) MIN (hyb_onnx_type (lowering, 1)->shape.dim[0], HYB_MAX_RANK)
                             : HYB_UNKNOWN);
      return;
    }
  if (n < 4 || n > MAX_AXES + 2)
    {
      hyb_lowering_fail (lowering, NULL, "its size has %u numbers instead of 4 or 5", n);
      return;
    }
  for (guint i = 2; i < n; i++)
    if (dims[i] < 1 || dims[i] > MAX_POINTS || (n_points *= dims[i]) > MAX_POINTS)
      {
        hyb_lowering_fail (lowering, NULL, "its size cannot be computed with");
        return;
      }
  positions =
      hyb_lowering_constant (lowering,
                             new_positions (dims + 2, (int) n - 2,
                                            hyb_onnx_int (lowering, "align_corners", 0) != 0));
  y = onnx_matmul (lowering, hyb_onnx_input (lowering, 0),
                   hyb_onnx_cast (lowering, positions, dtype));
  memmove (dims + 1, dims + 2, (n - 2) * sizeof *dims);
  dims[n - 1] = (gint64) n - 2;
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_reshape (lowering, hyb_onnx_transpose (lowering, y, 3, swapped),
                                             n, dims));
}

static const char *const sample_inputs[] = { "X", "grid", NULL };
static const char *const affine_inputs[] = { "theta", "size", NULL };
static const char *const sample_outputs[] = { "Y", NULL };
static const char *const affine_outputs[] = { "grid", NULL };

const HybOnnxOp hyb_onnx_ops_sample[] = {
  { .op = { HYB_ONNX_ROW, .name = "GridSample", .doc = "Samples images at the positions of a grid.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = sample_inputs, .outputs = sample_outputs,
            .lower = lower_grid_sample },
    .since = 16 },
  { .op = { HYB_ONNX_ROW, .name = "AffineGrid",
            .doc = "The positions of an image that is turned, scaled and moved.",
            .category = HYB_CATEGORY_LINEAR, .inputs = affine_inputs, .outputs = affine_outputs,
            .lower = lower_affine_grid },
    .since = 20 },
  { .since = 0 },
};
