/* image-resize.c — image_resize: scales images (height, width, channels), alone or in batches.
 *
 * The methods are those of OpenCV's resize(), which MXNet calls: every output cell is a weighted sum
 * of taps, cells along each axis.  Bytes are computed in fixed point with OpenCV's precision.  No
 * gradient.  Start at fill_taps() and resize_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum
{
  METHOD_NEAREST,
  METHOD_LINEAR,
  METHOD_CUBIC,
  METHOD_AREA,
  METHOD_LANCZOS,
} Method;

typedef struct
{
  HybInts  size;
  gboolean keep_ratio;
  gint64   interp;
} ResizeParams;

static const HybParam resize_params[] = {
  { HYB_FIELD (ResizeParams, size), HYB_PARAM_INTS, "()",
    .doc = "width and height, or one number for both" },
  { HYB_FIELD (ResizeParams, keep_ratio), HYB_PARAM_BOOL, "False",
    .doc = "one number is the shorter edge" },
  { HYB_FIELD (ResizeParams, interp), HYB_PARAM_INT, "1", .low = METHOD_NEAREST,
    .high = METHOD_LANCZOS, .doc = "0: nearest, 1: linear, 2: cubic, 3: area, 4: Lanczos" },
  { 0 },
};

#define MAX_EDGE (1 << 24)

static gboolean
resize_check (gconstpointer values, GError **error)
{
  const ResizeParams *params = values;

  if (params->size.n != 1 && params->size.n != 2)
    return hyb_refuse_attribute (error, NULL, "size has %d numbers but must have 1 or 2",
                                 MAX (params->size.n, 0));
  for (int i = 0; i < params->size.n; i++)
    if (params->size.value[i] < 1 || params->size.value[i] > MAX_EDGE)
      return hyb_refuse_attribute (error, NULL,
                                   "size has an edge of %" G_GINT64_FORMAT ", outside 1 to %d",
                                   params->size.value[i], MAX_EDGE);
  return TRUE;
}

/* The size of the output for an image of known size. */
static void
find_size (const ResizeParams *params,
           gint64              height,
           gint64              width,
           gint64             *new_height,
           gint64             *new_width)
{
  *new_width = params->size.value[0];
  *new_height = params->size.value[params->size.n - 1];
  if (params->size.n == 2 || !params->keep_ratio || height < 1 || width < 1)
    return;

  if (height > width)
    *new_height = height * *new_width / width;
  else
    *new_width = width * *new_height / height;
}

/* data (…, H, W, channels), output (…, height, width, channels). */
static gboolean
resize_infer_shape (HybCall *call, GError **error)
{
  const ResizeParams *params = call->params;
  HybShape           *data = &call->input[0].shape;
  HybShape            want;
  int                 row;

  if (!hyb_layer_expect_rank (data, "data", 3, 4, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  row = data->rank - 3;
  want = *data;
  want.dim[row] = want.dim[row + 1] = HYB_UNKNOWN;
  if ((data->dim[row] != HYB_UNKNOWN && data->dim[row + 1] != HYB_UNKNOWN) || !params->keep_ratio ||
      params->size.n == 2)
    find_size (params, data->dim[row], data->dim[row + 1], &want.dim[row], &want.dim[row + 1]);
  for (int i = row; i < row + 2; i++)
    if (data->dim[i] == 0 || data->dim[i] > MAX_EDGE || want.dim[i] == 0 || want.dim[i] > MAX_EDGE)
      return hyb_refuse_types (error, NULL,
                               "an edge of %" G_GINT64_FORMAT
                               " cells cannot be scaled to %" G_GINT64_FORMAT,
                               data->dim[i], want.dim[i]);
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* MXNet scales bytes and floats; other integers only by the nearest cell. */
static gboolean
resize_infer_dtype (HybCall *call, GError **error)
{
  const ResizeParams *params = call->params;
  HybDType            dtype;

  if (!hyb_rule_same_dtype (call, error))
    return FALSE;

  dtype = call->input[0].dtype;
  return dtype == HYB_DTYPE_UNKNOWN || dtype == HYB_U8 || dtype == HYB_F32 || dtype == HYB_F64 ||
         (dtype == HYB_I32 && params->interp == METHOD_NEAREST) ||
         hyb_refuse_types (error, "Cast the image to float32 before", "%s images cannot be scaled",
                           hyb_dtype_name (dtype));
}

/* How one axis is scaled: each of `to` cells is a sum of n taps, cells of the image with weights.
 * Where taps lie outside, linear scaling gives the cell at the edge all of the weight along columns,
 * and both weights along rows; for bytes that rounds differently. */
typedef struct
{
  gboolean is_rows;
  gint64   from, to, n;
  gint64  *cell;
  double  *weight;
} Axis;

/* Weights of the four cells around a position, for Catmull-Rom like splines with slope −0.75. */
static void
cubic_weights (float x, double weight[4])
{
  const float a = -0.75f;
  float       w[3] = { ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a,
                       ((a + 2) * x - (a + 3)) * x * x + 1,
                       ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1 };

  for (int i = 0; i < 3; i++)
    weight[i] = w[i];
  weight[3] = 1.f - w[0] - w[1] - w[2];
}

/* Weights of the eight cells around a position: windowed sines, scaled to sum to 1. */
static void
lanczos_weights (float x, double weight[8])
{
  float sum = 0, w[8];

  for (int i = 0; i < 8; i++)
    {
      double at = (double) x + 3 - i, angle = G_PI * at;

      w[i] = (float) (fabs (at) < 1e-7 ? 1 : sin (angle) * sin (angle / 4) * 4 / (angle * angle));
      sum += w[i];
    }
  for (int i = 0; i < 8; i++)
    weight[i] = x < FLT_EPSILON ? i == 3 : (double) (w[i] / sum);
}

/* The taps of a cell whose size is `scale` cells of the image: all under it, by how much of them is. */
static void
area_taps (const Axis *axis, gint64 at, double scale)
{
  double  first = (double) at * scale, last = first + scale;
  gint64 *cell = axis->cell + at * axis->n;
  double *weight = axis->weight + at * axis->n;
  double  width = MIN (scale, (double) axis->from - first);

  for (gint64 i = 0; i < axis->n; i++)
    {
      gint64 from = (gint64) floor (first) + i;
      double low = MAX (first, (double) from), high = MIN (last, (double) from + 1);

      cell[i] = MIN (from, axis->from - 1);
      weight[i] = high - low > 1e-3 ? (float) ((high - low) / width) : 0;
    }
}

/* The position of an output cell between cells of the image, for linear, cubic and Lanczos. */
static gint64
find_position (const Axis *axis, gint64 at, gboolean is_area, float *fraction)
{
  double inverse = (double) axis->to / (double) axis->from, scale = 1 / inverse;
  float  position = (float) (((double) at + 0.5) * scale - 0.5);
  gint64 cell = (gint64) floorf (position);

  *fraction = position - (float) cell;
  if (is_area)
    {
      cell = (gint64) floor ((double) at * scale);
      *fraction = (float) ((double) (at + 1) - (double) (cell + 1) * inverse);
      *fraction = *fraction <= 0 ? 0 : *fraction - floorf (*fraction);
    }
  return cell;
}

/* Fills the taps of one axis. */
static void
fill_taps (Axis *axis, Method method, gboolean shrinks)
{
  double scale = 1 / ((double) axis->to / (double) axis->from);

  for (gint64 at = 0; at < axis->to; at++)
    {
      gint64 *cells = axis->cell + at * axis->n, cell;
      double *weight = axis->weight + at * axis->n;
      float   fraction;

      if (method == METHOD_AREA && shrinks)
        {
          area_taps (axis, at, scale);
          continue;
        }

      cell = find_position (axis, at, method == METHOD_AREA, &fraction);
      if (method == METHOD_NEAREST)
        cell = (gint64) floor ((double) at * scale);
      if (method == METHOD_LINEAR || method == METHOD_AREA)
        {
          gboolean is_outside = cell < 0 || cell >= axis->from - 1;

          fraction = is_outside && !axis->is_rows ? 0 : fraction;
          weight[0] = 1.f - fraction;
          weight[1] = fraction;
        }
      else if (method == METHOD_CUBIC)
        cubic_weights (fraction, weight);
      else if (method == METHOD_LANCZOS)
        lanczos_weights (fraction, weight);
      else
        weight[0] = 1;
      for (gint64 i = 0; i < axis->n; i++)
        cells[i] = CLAMP (cell - (axis->n - 1) / 2 + i, 0, axis->from - 1);
    }
}

/* A call: both axes and the treatment of bytes. */
typedef struct
{
  Method   method;
  gboolean shrinks;  /* neither edge grows */
  gboolean is_whole; /* both edges shrink by whole factors */
  Axis     rows, columns;
  gint64   images, channels;
} Resize;

/* The number of taps of one axis. */
static gint64
count_taps (const Resize *resize, const Axis *axis)
{
  static const gint64 taps[] = { 1, 2, 4, 2, 8 };

  if (resize->method == METHOD_AREA && resize->shrinks)
    return axis->from / axis->to + 2;
  return taps[resize->method];
}

/* Describes a call, without the taps. */
static Resize
describe (const HybCall *call)
{
  const ResizeParams *params = call->params;
  const HybShape     *data = &call->input[0].shape;
  const HybShape     *output = &call->output[0].shape;
  int                 row = data->rank - 3;
  Resize              resize = {
                 .method = (Method) params->interp,
                 .rows = { .is_rows = TRUE, .from = data->dim[row], .to = output->dim[row] },
                 .columns = { .from = data->dim[row + 1], .to = output->dim[row + 1] },
                 .images = row == 1 ? data->dim[0] : 1,
                 .channels = data->dim[row + 2],
  };
  Axis *rows = &resize.rows, *columns = &resize.columns;

  resize.shrinks = rows->to <= rows->from && columns->to <= columns->from;
  resize.is_whole =
      resize.shrinks && rows->from % rows->to == 0 && columns->from % columns->to == 0;
  /* OpenCV averages where linear scaling would take every second pair of cells. */
  if (resize.method == METHOD_LINEAR && rows->from == 2 * rows->to &&
      columns->from == 2 * columns->to)
    resize.method = METHOD_AREA;
  rows->n = count_taps (&resize, rows);
  columns->n = count_taps (&resize, columns);
  return resize;
}

/* The workspace: its bytes, and the parts if memory is given. */
static gsize
divide_workspace (Resize *resize, char *memory)
{
  Axis *axes[] = { &resize->rows, &resize->columns };
  gsize bytes = 0;

  for (guint i = 0; i < G_N_ELEMENTS (axes); i++)
    {
      gsize taps = (gsize) axes[i]->to * (gsize) axes[i]->n;
      gsize cells = hyb_workspace_take (&bytes, taps * sizeof (gint64));
      gsize weights = hyb_workspace_take (&bytes, taps * sizeof (double));

      if (memory)
        {
          axes[i]->cell = (gpointer) (memory + cells);
          axes[i]->weight = (gpointer) (memory + weights);
        }
    }
  return bytes;
}

static gsize
resize_workspace (const HybCall *call)
{
  Resize resize = describe (call);

  return divide_workspace (&resize, NULL);
}

/* One weight in OpenCV's fixed point with 11 bits. */
static gint64
fixed (double weight)
{
  return CLAMP (lrint (weight * 2048), G_MININT16, G_MAXINT16);
}

/* The sum of the taps of a row for one channel, in floating point, or in fixed point with 11 bits. */
static double
sum_row (const Resize  *resize,
         const HybCall *call,
         gconstpointer  row,
         gint64         column,
         gboolean       is_fixed)
{
  const Axis *axis = &resize->columns;
  double      sum = 0;

  for (gint64 i = 0; i < axis->n; i++)
    {
      gint64 tap = column / resize->channels * axis->n + i;
      gint64 cell = axis->cell[tap] * resize->channels + column % resize->channels;
      double value = hyb_dtype_get_double (row, call->input[0].dtype, (gsize) cell);

      sum += value * (is_fixed ? (double) fixed (axis->weight[tap]) : axis->weight[tap]);
    }
  return sum;
}

/* A byte from the sums of its rows in fixed point; linear scaling drops bits in between. */
static double
round_fixed (const Resize *resize, const double *sums, const double *weight)
{
  gint64 sum = 0;

  if (resize->rows.n == 2)
    {
      sum = ((fixed (weight[0]) * ((gint64) sums[0] >> 4)) >> 16) +
            ((fixed (weight[1]) * ((gint64) sums[1] >> 4)) >> 16);
      return (double) ((sum + 2) >> 2);
    }
  for (gint64 i = 0; i < resize->rows.n; i++)
    sum += (gint64) sums[i] * fixed (weight[i]);
  return (double) CLAMP ((sum + (1 << 21)) >> 22, 0, 255);
}

/* One element of the output: row number `row`, and column and channel `column`. */
static double
compute_element (const Resize  *resize,
                 const HybCall *call,
                 const char    *image,
                 gint64         row,
                 gint64         column)
{
  const Axis *axis = &resize->rows;
  HybDType    dtype = call->input[0].dtype;
  gsize       stride = (gsize) (resize->columns.from * resize->channels) * hyb_dtype_size (dtype);
  gboolean    is_area = resize->method == METHOD_AREA && resize->shrinks;
  gboolean    is_fixed = dtype == HYB_U8 && !is_area && resize->method != METHOD_NEAREST;
  double      sum = 0, sums[8];

  for (gint64 i = 0; i < axis->n; i++)
    {
      const char *from = image + (gsize) axis->cell[row * axis->n + i] * stride;
      double      value = axis->weight[row * axis->n + i] != 0 || is_fixed
                              ? sum_row (resize, call, from, column, is_fixed)
                              : 0;

      if (is_fixed)
        sums[i] = value;
      else
        sum += value * axis->weight[row * axis->n + i];
    }
  if (is_fixed)
    return round_fixed (resize, sums, axis->weight + row * axis->n);
  if (dtype != HYB_U8)
    return sum;

  /* Averages of bytes: of four cells halves go up, else to the even number. */
  if (resize->is_whole && axis->from == 2 * axis->to &&
      resize->columns.from == 2 * resize->columns.to)
    return floor (sum + 0.5);
  return CLAMP (rint ((float) sum), 0, 255);
}

static void
resize_forward (const HybCall *call, const HybRun *run)
{
  Resize resize = describe (call);
  gint64 width = resize.columns.to * resize.channels;
  gsize  image_bytes = (gsize) (resize.rows.from * resize.columns.from * resize.channels) *
                      hyb_dtype_size (call->input[0].dtype);

  divide_workspace (&resize, run->workspace);
  fill_taps (&resize.rows, resize.method, resize.shrinks);
  fill_taps (&resize.columns, resize.method, resize.shrinks);

  for (gint64 image = 0, at = 0; image < resize.images; image++)
    for (gint64 row = 0; row < resize.rows.to; row++)
      for (gint64 column = 0; column < width; column++, at++)
        hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) at,
                              compute_element (&resize, call,
                                               (const char *) run->input[0] +
                                                   (gsize) image * image_bytes,
                                               row, column));
}

static const char *const resize_aliases[] = { "_npx__image_resize", NULL };
static const char *const resize_inputs[] = { "data", NULL };

const HybOp hyb_ops_image_resize[] = {
  {
      .name = "_image_resize",
      .aliases = resize_aliases,
      .doc = "Images scaled to another size.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = resize_inputs,
      HYB_PARAMS (resize_params, ResizeParams),
      .check = resize_check,
      .infer_shape = resize_infer_shape,
      .infer_dtype = resize_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = resize_forward,
      .workspace = resize_workspace,
  },
  { 0 },
};
