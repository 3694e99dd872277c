/* shape.c — the shape of an array, and the same elements under another shape.
 *
 * Shapes are known while planning, so Shape and Size are constants.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

#include <string.h>

/* --- Shape, Size --- */

static void
lower_shape (HybLowering *lowering)
{
  const HybShape *x = &hyb_onnx_type (lowering, 0)->shape;
  gint64          start = hyb_onnx_int (lowering, "start", 0);
  gint64          end = hyb_onnx_int (lowering, "end", G_MAXINT64);

  if (x->rank < 0)
    {
      hyb_onnx_set_rank (lowering, 0, HYB_I64, 1);
      return;
    }
  start = CLAMP (start < 0 ? start + x->rank : start, 0, x->rank);
  end = CLAMP (end < 0 ? end + x->rank : end, start, x->rank);
  for (gint64 i = start; i < end; i++)
    if (x->dim[i] < 0)
      {
        HybType type = { hyb_shape_1d (end - start), HYB_I64 };

        hyb_lowering_set_type (lowering, 0, &type);
        return;
      }
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_int64s (lowering, (guint) (end - start), x->dim + start));
}

static void
lower_size (HybLowering *lowering)
{
  gint64     size = hyb_shape_size (&hyb_onnx_type (lowering, 0)->shape);
  HybType    type = { .shape.rank = 0, .dtype = HYB_I64 };
  HybTensor *tensor;

  hyb_lowering_set_type (lowering, 0, &type);
  if (size < 0)
    return;
  tensor = hyb_tensor_new (&type, NULL);
  if (tensor)
    *(gint64 *) hyb_tensor_get_data (tensor) = size;
  hyb_lowering_set_output (lowering, 0, hyb_lowering_constant (lowering, tensor));
}

/* --- Reshape --- */

/* 0 copies a dimension unless allowzero is set; one −1 follows from the others. */
static void
reshape (HybLowering *lowering, guint n, gint64 *dims)
{
  HybType  type = *hyb_onnx_type (lowering, 0);
  gboolean keeps_zero = hyb_onnx_int (lowering, "allowzero", 0) != 0;
  gboolean is_open = FALSE;

  for (guint i = 0; i < n; i++)
    {
      if (dims[i] == 0 && !keeps_zero)
        {
          if (type.shape.rank >= 0 && i >= (guint) type.shape.rank)
            {
              hyb_lowering_fail (lowering, NULL,
                                 "dimension %u of its target is 0, which copies one of its input, "
                                 "but "
                                 "the input has %d",
                                 i, type.shape.rank);
              return;
            }
          dims[i] = type.shape.rank >= 0 ? type.shape.dim[i] : HYB_UNKNOWN;
          is_open |= dims[i] < 0;
        }
      if (dims[i] < -1)
        {
          hyb_lowering_fail (lowering, NULL, "dimension %u of its target is %" G_GINT64_FORMAT, i,
                             dims[i]);
          return;
        }
    }
  if (is_open || !hyb_shape_is_known (&type.shape))
    {
      type.shape = hyb_shape_make ((int) n, dims);
      hyb_lowering_set_type (lowering, 0, &type);
      return;
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 0), n, dims));
}

static void
lower_reshape (HybLowering *lowering)
{
  const HybShape *target = &hyb_onnx_type (lowering, 1)->shape;
  gint64          dims[HYB_MAX_RANK];
  guint           n;

  if (hyb_onnx_contents (lowering, 1) && hyb_onnx_input_ints (lowering, 1, &n, dims))
    reshape (lowering, n, dims);
  else
    hyb_onnx_set_rank (lowering, 0, hyb_onnx_type (lowering, 0)->dtype,
                       target->rank == 1 && target->dim[0] <= HYB_MAX_RANK ? (int) target->dim[0]
                                                                           : HYB_UNKNOWN);
}

static void
lower_old_reshape (HybLowering *lowering)
{
  gint64        dims[HYB_MAX_RANK];
  guint         n;
  const gint64 *given;

  hyb_onnx_ints (lowering, "shape", &n, &given);
  n = MIN (n, HYB_MAX_RANK);
  for (guint i = 0; i < n; i++)
    dims[i] = given[i];
  reshape (lowering, n, dims);
}

static void
lower_flatten (HybLowering *lowering)
{
  HybType type = *hyb_onnx_type (lowering, 0);
  gint64  given = hyb_onnx_int (lowering, "axis", 1), dims[2] = { 1, 1 };
  int     axis =
      given == type.shape.rank ? type.shape.rank : hyb_onnx_axis (lowering, given, type.shape.rank);

  if (axis < 0)
    return;
  if (!hyb_shape_is_known (&type.shape))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, 2);
      return;
    }
  for (int i = 0; i < type.shape.rank; i++)
    dims[i >= axis] *= type.shape.dim[i];
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 0), 2, dims));
}

/* --- Squeeze, Unsqueeze --- */

/* Axes from the attribute or input 1.  FALSE: none are given, or a failure. */
static gboolean
read_axes (HybLowering *lowering, guint *n, gint64 *values)
{
  const gint64 *given;

  if (hyb_onnx_has_input (lowering, 1))
    return hyb_onnx_input_ints (lowering, 1, n, values);
  if (!hyb_onnx_ints (lowering, "axes", n, &given))
    return FALSE;
  *n = MIN (*n, HYB_MAX_RANK);
  memcpy (values, given, *n * sizeof *values);
  return TRUE;
}

static void
lower_squeeze (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);
  gint64     axes[HYB_MAX_RANK];
  guint      n = 0;
  gboolean   has_axes = read_axes (lowering, &n, axes);

  if (hyb_lowering_has_failed (lowering))
    return;
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_np_squeeze", 1, &x, "axis",
                                              has_axes && n > 0
                                                  ? hyb_lowering_text_ints (lowering, n, axes)
                                                  : "None",
                                              NULL));
}

static void
lower_unsqueeze (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  gint64     axes[HYB_MAX_RANK];
  guint      n = 0;
  gboolean   is_new[HYB_MAX_RANK] = { FALSE };

  if (!read_axes (lowering, &n, axes))
    return;
  if (rank < 0 || rank + (int) n > HYB_MAX_RANK)
    {
      hyb_onnx_set_rank (lowering, 0, hyb_onnx_type (lowering, 0)->dtype, HYB_UNKNOWN);
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      int axis = hyb_onnx_axis (lowering, axes[i], rank + (int) n);

      if (axis < 0)
        return;
      if (is_new[axis])
        {
          hyb_lowering_fail (lowering, NULL, "axis %d is inserted twice", axis);
          return;
        }
      is_new[axis] = TRUE;
    }
  for (int axis = 0; axis < rank + (int) n; axis++)
    if (is_new[axis])
      x = hyb_lowering_emit (lowering, "expand_dims", 1, &x, "axis",
                             hyb_lowering_text (lowering, "%d", axis), NULL);
  if (n == 0)
    x = hyb_onnx_unary (lowering, "_copy", x);
  hyb_lowering_set_output (lowering, 0, x);
}

/* --- Transpose, DepthToSpace, SpaceToDepth --- */

static void
lower_transpose (HybLowering *lowering)
{
  int           rank = hyb_onnx_type (lowering, 0)->shape.rank;
  gint64        axes[HYB_MAX_RANK];
  guint         n;
  const gint64 *given;

  if (hyb_onnx_ints (lowering, "perm", &n, &given))
    {
      hyb_lowering_set_output (lowering, 0,
                               hyb_onnx_transpose (lowering, hyb_onnx_input (lowering, 0),
                                                   MIN (n, HYB_MAX_RANK), given));
      return;
    }
  if (rank < 0)
    {
      hyb_onnx_set_rank (lowering, 0, hyb_onnx_type (lowering, 0)->dtype, HYB_UNKNOWN);
      return;
    }
  for (int i = 0; i < rank; i++)
    axes[i] = rank - 1 - i;
  hyb_lowering_set_output (lowering, 0,
                           rank == 0
                               ? hyb_onnx_unary (lowering, "_copy", hyb_onnx_input (lowering, 0))
                               : hyb_onnx_transpose (lowering, hyb_onnx_input (lowering, 0),
                                                     (guint) rank, axes));
}

static void
lower_blocks (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);
  HybType    type = *hyb_onnx_type (lowering, 0);
  gint64     size = hyb_onnx_int (lowering, "blocksize", 1);
  gboolean   is_crd = strcmp (hyb_onnx_string (lowering, "mode", "DCR"), "CRD") == 0;

  if (is_crd && size > 0 && size < 65536 && type.shape.rank == 4 &&
      hyb_shape_is_known (&type.shape))
    {
      static const gint64 order[] = { 0, 1, 4, 2, 5, 3 };
      const gint64       *d = type.shape.dim;
      gint64              channels = d[1] / (size * size);

      x = hyb_onnx_reshape (lowering, x, 6, (gint64[]){ d[0], channels, size, size, d[2], d[3] });
      x = hyb_onnx_transpose (lowering, x, 6, order);
      x = hyb_onnx_reshape (lowering, x, 4, (gint64[]){ d[0], channels, d[2] * size, d[3] * size });
      hyb_lowering_set_output (lowering, 0, x);
      return;
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, hyb_onnx_engine (lowering), 1, &x,
                                              "block_size",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 size),
                                              NULL));
}

/* The attribute mode, which files give before the specification does: CRD keeps the pixels of a channel together. */
static void
lower_space_to_depth (HybLowering *lowering)
{
  static const gint64 order[] = { 0, 1, 3, 5, 2, 4 };
  HybType             type = *hyb_onnx_type (lowering, 0);
  const gint64       *d = type.shape.dim;
  gint64              size = hyb_onnx_int (lowering, "blocksize", 1);
  HybValueId          x = hyb_onnx_input (lowering, 0);

  if (strcmp (hyb_onnx_string (lowering, "mode", "DCR"), "CRD") != 0)
    {
      lower_blocks (lowering);
      return;
    }
  if (size < 1 || size > 65535 || type.shape.rank != 4 || !hyb_shape_is_known (&type.shape) ||
      d[2] % size != 0 || d[3] % size != 0)
    {
      hyb_lowering_fail (lowering, NULL,
                         "its input is not an image of whole blocks of %" G_GINT64_FORMAT " pixels",
                         size);
      return;
    }
  x = hyb_onnx_reshape (lowering, x, 6,
                        (gint64[]){ d[0], d[1], d[2] / size, size, d[3] / size, size });
  x = hyb_onnx_transpose (lowering, x, 6, order);
  x = hyb_onnx_reshape (lowering, x, 4,
                        (gint64[]){ d[0], d[1] * size * size, d[2] / size, d[3] / size });
  hyb_lowering_set_output (lowering, 0, x);
}

/* --- Expand, Tile --- */

static void
lower_expand (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0);
  gint64     dims[HYB_MAX_RANK];
  guint      n;
  int        rank;

  if (!hyb_onnx_contents (lowering, 1) || type.shape.rank < 0)
    {
      const HybShape *target = &hyb_onnx_type (lowering, 1)->shape;

      hyb_onnx_set_rank (lowering, 0, type.dtype,
                         target->rank == 1 && target->dim[0] >= 0 && type.shape.rank >= 0
                             ? (int) MAX (MIN (target->dim[0], HYB_MAX_RANK), type.shape.rank)
                             : HYB_UNKNOWN);
      return;
    }
  if (!hyb_onnx_input_ints (lowering, 1, &n, dims))
    return;
  /* A dimension of 1 in the target keeps the dimension of the input. */
  rank = MAX ((int) n, type.shape.rank);
  memmove (dims + (rank - (int) n), dims, n * sizeof *dims);
  for (int i = 0; i < rank; i++)
    {
      int    from = i - (rank - type.shape.rank);
      gint64 own = from >= 0 ? type.shape.dim[from] : 1;

      /* Exporters also write −1 for a dimension that stays. */
      if (i < rank - (int) n || dims[i] == 1 || dims[i] == -1)
        dims[i] = own;
    }
  for (int i = 0; i < rank; i++)
    if (dims[i] < 0)
      {
        type.shape = hyb_shape_make (rank, dims);
        hyb_lowering_set_type (lowering, 0, &type);
        return;
      }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_npi_broadcast_to", 1, &x, "shape",
                                              hyb_lowering_text_ints (lowering, (guint) rank, dims),
                                              NULL));
}

static void
lower_tile (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);
  gint64     repeats[HYB_MAX_RANK];
  guint      n;

  if (!hyb_onnx_contents (lowering, 1))
    hyb_onnx_set_rank (lowering, 0, hyb_onnx_type (lowering, 0)->dtype,
                       hyb_onnx_type (lowering, 0)->shape.rank);
  else if (hyb_onnx_input_ints (lowering, 1, &n, repeats))
    hyb_lowering_set_output (lowering, 0,
                             hyb_lowering_emit (lowering, "tile", 1, &x, "reps",
                                                hyb_lowering_text_ints (lowering, n, repeats),
                                                NULL));
}

/* Version 1 repeats one axis. */
static void
lower_old_tile (HybLowering *lowering)
{
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  int        axis = hyb_onnx_axis (lowering, (gint64) hyb_onnx_input_double (lowering, 2, 0), rank);
  HybValueId x = hyb_onnx_input (lowering, 0);
  gint64     repeats[HYB_MAX_RANK];

  if (axis < 0)
    return;
  for (int i = 0; i < rank; i++)
    repeats[i] = i == axis ? (gint64) hyb_onnx_input_double (lowering, 1, 1) : 1;
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "tile", 1, &x, "reps",
                                              hyb_lowering_text_ints (lowering, (guint) rank,
                                                                      repeats),
                                              NULL));
}

static const char *const one[] = { "data", NULL };
static const char *const two[] = { "data", "shape", NULL };
static const char *const axes[] = { "data", "axes", NULL };
static const char *const tile[] = { "input", "repeats", "axis", NULL };
static const char *const outputs[] = { "output", NULL };

#define ROW(NAME, SINCE, INPUTS, LOWER, ENGINE, DOC)                                                \
  {                                                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_MOVEMENT, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                                 \
    .since = SINCE, .engine = ENGINE                                                                \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_shape[] = {
  ROW ("Shape", 1, one, lower_shape, NULL, "The shape of an array."),
  ROW ("Size", 1, one, lower_size, NULL, "The number of elements."),
  ROW ("Reshape", 1, two, lower_old_reshape, NULL, "The same elements under another shape."),
  ROW ("Reshape", 5, two, lower_reshape, NULL, "The same elements under another shape."),
  ROW ("Flatten", 1, one, lower_flatten, NULL, "The same elements as a matrix."),
  ROW ("Squeeze", 1, axes, lower_squeeze, NULL, "Removes axes of size 1."),
  ROW ("Unsqueeze", 1, axes, lower_unsqueeze, NULL, "Inserts axes of size 1."),
  ROW ("Transpose", 1, one, lower_transpose, NULL, "Permutes the axes."),
  ROW ("DepthToSpace", 1, one, lower_blocks, "depth_to_space", "Channels become blocks of pixels."),
  ROW ("SpaceToDepth", 1, one, lower_space_to_depth, "space_to_depth", "Blocks of pixels become channels."),
  ROW ("Expand", 8, two, lower_expand, NULL, "Repeats axes of size 1."),
  ROW ("Tile", 1, tile, lower_old_tile, NULL, "Repeats an axis."),
  ROW ("Tile", 6, tile, lower_tile, NULL, "Repeats the array along its axes."),
  { .since = 0 },
};
/* clang-format on */
