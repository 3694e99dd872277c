/* numpy-pad.c — _npi_pad: adds elements before and after axes.
 *
 * Most modes are copies by tables (table-copy.h).  Pads by the largest or smallest element are filled axis
 * by axis instead (fill_extremes()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-operands.h"
#include "engine/gradient/gradient.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/numpy/table-copy.h"

#include <string.h>

enum
{
  MODE_CONSTANT,
  MODE_EDGE,
  MODE_MAXIMUM,
  MODE_MINIMUM,
  MODE_REFLECT,
  MODE_SYMMETRIC,
};

typedef struct
{
  char  *pad_width;
  int    mode;
  double constant_value;
  char  *reflect_type;
} PadParams;

static const char *const modes[] = { "constant", "edge",      "maximum", "minimum",
                                     "reflect",  "symmetric", NULL };

static const HybParam pad_params[] = {
  { HYB_FIELD (PadParams, pad_width), HYB_PARAM_STRING, NULL,
    .doc = "for each axis how many elements are added before and after it" },
  { HYB_FIELD (PadParams, mode), HYB_PARAM_ENUM, "constant", .choices = modes,
    .doc = "what is added" },
  { HYB_FIELD (PadParams, constant_value), HYB_PARAM_FLOAT, "0",
    .doc = "the number that mode constant adds" },
  { HYB_FIELD (PadParams, reflect_type), HYB_PARAM_STRING, "even",
    .doc = "not used: MXNet reflects evenly in any case" },
  { 0 },
};

#define LARGEST_WIDTH (G_GINT64_CONSTANT (1) << 40)

/* Reads widths such as “((1, 2), (0, 0))”.  Returns their number; -1 if the text is something else. */
static int
read_widths (const char *text, gint64 *width)
{
  int n = 0;

  while (*text)
    {
      char *end;

      if (strchr ("()[], ", *text))
        {
          text++;
          continue;
        }
      if (n == 2 * HYB_MAX_RANK || (*text != '-' && !g_ascii_isdigit (*text)))
        return -1;
      width[n] = g_ascii_strtoll (text, &end, 10);
      if (end == text || width[n] < -LARGEST_WIDTH || width[n] > LARGEST_WIDTH)
        return -1;
      n++;
      text = end;
    }
  return n;
}

static gboolean
pad_check (gconstpointer values, GError **error)
{
  const PadParams *params = values;
  gint64           width[2 * HYB_MAX_RANK];
  int              n = read_widths (params->pad_width, width);

  if (n < 0 || n % 2 == 1)
    return hyb_refuse_attribute (error, "Write two numbers for each axis, such as ((0, 0), (1, 2))",
                                 "pad_width is “%s”", params->pad_width);
  for (int i = 0; i < n && params->mode != MODE_CONSTANT; i++)
    if (width[i] < 0)
      return hyb_refuse_attribute (error, "Remove elements with slice",
                                   "pad_width is “%s”, but only mode constant takes negative "
                                   "widths",
                                   params->pad_width);
  return TRUE;
}

static gboolean
pad_infer_shape (HybCall *call, GError **error)
{
  const PadParams *params = call->params;
  const HybShape  *in = &call->input[0].shape;
  HybShape         out = *in;
  gint64           width[2 * HYB_MAX_RANK];
  int              n = read_widths (params->pad_width, width);

  if (in->rank == HYB_UNKNOWN)
    return TRUE;
  if (n != 2 * in->rank)
    return hyb_refuse_types (error, "Give two widths for each axis",
                             "there are %d widths for %d dimensions", n, in->rank);
  for (int i = 0; i < in->rank; i++)
    {
      gint64 added = width[2 * i] + width[2 * i + 1];

      if (in->dim[i] == HYB_UNKNOWN)
        continue;
      if (in->dim[i] == 0 && added > 0 && params->mode != MODE_CONSTANT)
        return hyb_refuse_types (error, NULL, "axis %d is empty and has nothing to repeat", i);
      if (__builtin_add_overflow (in->dim[i], added, &out.dim[i]) || out.dim[i] < 0)
        return hyb_refuse_types (error, NULL, "axis %d cannot be padded by these widths", i);
    }
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* An index beside an axis of n elements, folded back; `edge`: 1 if the elements at the ends are
 * repeated, else 0. */
static gint64
fold (gint64 i, gint64 n, int edge)
{
  gint64 period = 2 * n - 2 + 2 * edge;

  if (n == 1)
    return 0;
  i = (i % period + period) % period;
  return i < n ? i : period - i - edge;
}

/* The attributes with the widths read. */
typedef struct
{
  const PadParams *params;
  gint64           width[2 * HYB_MAX_RANK];
} Pad;

static gint64
pad_index (gconstpointer values, const HybShape *in, int axis, gint64 i)
{
  const Pad *pad = values;
  gint64     n = in->dim[axis];

  i -= pad->width[2 * axis];
  if (i >= 0 && i < n)
    return i;
  switch (pad->params->mode)
    {
    case MODE_EDGE:
      return i < 0 ? 0 : n - 1;
    case MODE_REFLECT:
      return fold (i, n, 0);
    case MODE_SYMMETRIC:
      return fold (i, n, 1);
    default:
      return -1;
    }
}

static HybTableCopy
pad_tables (const HybCall *call, const HybRun *run, const HybType *in, const HybType *out)
{
  Pad          pad = { .params = call->params };
  HybTableCopy copy = {
    .in = in->shape,
    .out = out->shape,
    .item = hyb_dtype_size (in->dtype),
    .dtype = in->dtype,
  };

  read_widths (pad.params->pad_width, pad.width);
  hyb_dtype_set_double (copy.constant, in->dtype, 0, pad.params->constant_value);
  hyb_table_copy_fill (&copy, run->workspace, &pad, pad_index);
  return copy;
}

/* Fills the pads of one axis of the result with the largest or smallest element between them: one
 * line, which starts at `first` and has this stride. */
static void
fill_line (const HybCall *call, const HybRun *run, const gint64 *width, gint64 first, gint64 *line)
{
  HybDType dtype = call->output[0].dtype;
  gsize    item = hyb_dtype_size (dtype);
  gboolean largest = ((const PadParams *) call->params)->mode == MODE_MAXIMUM;
  gint64   length = line[0], stride = line[1], best = first + width[0] * stride;
  char    *data = run->output[0];

  for (gint64 i = width[0] + 1; i < length - width[1]; i++)
    {
      double new = hyb_dtype_get_double (data, dtype, (gsize) (first + i * stride));
      double old = hyb_dtype_get_double (data, dtype, (gsize) best);

      if (largest ? new > old : new < old)
        best = first + i * stride;
    }
  for (gint64 i = 0; i < length; i++)
    if (i < width[0] || i >= length - width[1])
      memcpy (data + (gsize) (first + i * stride) * item, data + (gsize) best * item, item);
}

/* Axis by axis, so that corners hold the extremes of the pads beside them. */
static void
fill_extremes (const HybCall *call, const HybRun *run)
{
  const HybShape *out = &call->output[0].shape;
  gint64          width[2 * HYB_MAX_RANK], stride[HYB_MAX_RANK], n = hyb_shape_size (out);

  read_widths (((const PadParams *) call->params)->pad_width, width);
  hyb_dims_strides (out, stride);
  for (int axis = 0; axis < out->rank && n > 0; axis++)
    for (gint64 first = 0; first < n; first++)
      {
        gboolean is_start = first / stride[axis] % out->dim[axis] == 0;

        /* Lines outside of the data along a later axis are filled with that axis. */
        for (int k = axis + 1; k < out->rank && is_start; k++)
          {
            gint64 i = first / stride[k] % out->dim[k];

            is_start = i >= width[2 * k] && i < out->dim[k] - width[2 * k + 1];
          }
        if (is_start)
          fill_line (call, run, &width[2 * axis], first,
                     (gint64[]){ out->dim[axis], stride[axis] });
      }
}

static gsize
pad_workspace (const HybCall *call)
{
  return hyb_table_copy_bytes (&call->output[0].shape);
}

static void
pad_forward (const HybCall *call, const HybRun *run)
{
  int          mode = ((const PadParams *) call->params)->mode;
  HybTableCopy copy = pad_tables (call, run, &call->input[0], &call->output[0]);

  hyb_table_copy_run (&copy, run->input[0], run->output[0]);
  if (mode == MODE_MAXIMUM || mode == MODE_MINIMUM)
    fill_extremes (call, run);
}

static gsize
pad_backward_workspace (const HybCall *call)
{
  return hyb_table_copy_bytes (&call->input[0].shape);
}

/* Inputs: gradient, data (for its shape). */
static void
pad_backward (const HybCall *call, const HybRun *run)
{
  HybTableCopy copy = pad_tables (call, run, &call->output[0], &call->input[0]);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_table_copy_add_back (&copy, run->input[0], run->output[0]);
}

static void
pad_gradient (HybGrad *grad)
{
  int mode = ((const PadParams *) hyb_grad_params (grad))->mode;

  if (mode == MODE_MAXIMUM || mode == MODE_MINIMUM)
    hyb_grad_refuse (grad, "pad has no gradient in mode %s, neither here nor in MXNet",
                     modes[mode]);
  else
    hyb_gradient_by_operands (grad);
}

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

#define COMMON                                                                                \
  .category = HYB_CATEGORY_MOVEMENT, .params = pad_params, .params_size = sizeof (PadParams), \
  .cost = hyb_rule_cost_move

const HybOp hyb_ops_numpy_pad[] = {
  {
      .name = "_npi_pad",
      .doc = "Adds elements before and after axes.",
      COMMON,
      .inputs = inputs,
      .check = pad_check,
      .infer_shape = pad_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .workspace = pad_workspace,
      .forward = pad_forward,
      .gradient = pad_gradient,
  },
  {
      .name = "_backward_np_pad",
      .doc = "Gradient of _npi_pad.",
      COMMON,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .gradient_of = "_npi_pad",
      .operands = "g0 i0 > i0",
      .dtypes = HYB_DTYPES_FLOAT,
      .workspace = pad_backward_workspace,
      .forward = pad_backward,
  },
  { 0 },
};

#undef COMMON
