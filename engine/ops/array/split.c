/* split.c — SliceChannel (split) and _split_v2: split an array along an axis.
 *
 * The two differ in the range of each part (slice_channel_range(), split_v2_range()); the rest is
 * shared.  Parts of the slowest axis are views, others are one strided copy each.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/gradient.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#define MAX_PARTS 65536

/* Sets [*begin, *end) to the range of part number `part` on an axis of `size` elements. */
typedef void (
    *SplitRange) (gconstpointer params, gint64 size, guint part, gint64 *begin, gint64 *end);

/* The attributes that both operators have, and the range function of one of them. */
typedef struct
{
  gint64     axis;
  gboolean   squeeze_axis;
  SplitRange range;
} Split;

/* The shape of one part, without the axis if it is squeezed.  The rank of the input is known. */
static gboolean
part_shape (const Split *split, const HybCall *call, guint part, HybShape *shape, GError **error)
{
  const HybShape *data = &call->input[0].shape;
  int             axis = hyb_shape_axis (data, split->axis, NULL);
  gint64          begin = 0, end = HYB_UNKNOWN;

  *shape = *data;
  if (data->dim[axis] == HYB_UNKNOWN)
    shape->dim[axis] = HYB_UNKNOWN;
  else
    {
      split->range (call->params, data->dim[axis], part, &begin, &end);
      shape->dim[axis] = end - begin;
    }
  if (!split->squeeze_axis)
    return TRUE;

  if (shape->dim[axis] != 1 && shape->dim[axis] != HYB_UNKNOWN)
    return hyb_refuse_types (error, "Leave squeeze_axis out, or make one part for each element",
                             "squeeze_axis cannot remove the axis of a part of %" G_GINT64_FORMAT
                             " elements",
                             shape->dim[axis]);
  *shape = hyb_dims_without (shape, axis);
  return TRUE;
}

static gboolean
split_infer_shape (const Split *split, HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  int       axis;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  axis = hyb_shape_axis (data, split->axis, error);
  if (axis < 0)
    return FALSE;

  for (guint i = 0; i < call->n_outputs; i++)
    {
      HybShape shape;

      if (!part_shape (split, call, i, &shape, error) ||
          !hyb_shape_unify (&call->output[i].shape, &shape, error))
        return FALSE;
      for (int k = 0; k < data->rank; k++)
        if (k != axis)
          data->dim[k] = shape.dim[split->squeeze_axis && k > axis ? k - 1 : k];
    }
  return TRUE;
}

static void
split_forward (const Split *split, const HybCall *call, const HybRun *run)
{
  const HybShape *data = &call->input[0].shape;
  HybAxisView     view = hyb_axis_view (data, hyb_shape_axis (data, split->axis, NULL));
  gint64          item = (gint64) hyb_dtype_size (call->input[0].dtype);

  for (guint i = 0; i < call->n_outputs; i++)
    {
      HybMove move = { .item = (gsize) item };
      gint64  begin, end;

      split->range (call->params, view.length, i, &begin, &end);
      hyb_move_axis (&move, view.outer, view.length * view.inner, (end - begin) * view.inner);
      hyb_move_axis (&move, (end - begin) * view.inner, 1, 1);
      hyb_move (&move, (const char *) run->input[0] + begin * view.inner * item, run->output[i]);
    }
}

static gboolean
split_view (const Split *split, const HybCall *call, guint output, guint *input, gsize *offset)
{
  const HybShape *data = &call->input[0].shape;
  HybAxisView     view = hyb_axis_view (data, hyb_shape_axis (data, split->axis, NULL));
  gint64          begin, end;

  if (view.outer != 1)
    return FALSE;

  split->range (call->params, view.length, output, &begin, &end);
  *input = 0;
  *offset = (gsize) (begin * view.inner) * hyb_dtype_size (call->input[0].dtype);
  return TRUE;
}

/* The gradient joins the gradients of the parts. */
static void
split_gradient (const Split *split, HybGrad *grad)
{
  guint                  n = hyb_grad_n_outputs (grad);
  g_autofree HybValueId *parts = g_new (HybValueId, n);
  g_autofree char       *count = g_strdup_printf ("%u", n);
  g_autofree char       *axis = g_strdup_printf ("%" G_GINT64_FORMAT, split->axis);
  const char *const attributes[] = { "num_args", count, split->squeeze_axis ? "axis" : "dim", axis,
                                     NULL };

  for (guint i = 0; i < n; i++)
    parts[i] = hyb_grad_incoming (grad, i);
  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit_with (grad, split->squeeze_axis ? "stack" : "Concat",
                                          attributes, n, parts));
}

/* --- SliceChannel: parts of equal size --- */

typedef struct
{
  gint64   num_outputs;
  gint64   axis;
  gboolean squeeze_axis;
} SliceChannelParams;

static const HybParam slice_channel_params[] = {
  { HYB_FIELD (SliceChannelParams, num_outputs), HYB_PARAM_INT, .low = 1, .high = MAX_PARTS,
    .doc = "number of parts" },
  { HYB_FIELD (SliceChannelParams, axis), HYB_PARAM_INT, "1", .doc = "axis that is split" },
  { HYB_FIELD (SliceChannelParams, squeeze_axis), HYB_PARAM_BOOL, "False",
    .doc = "remove the axis, which has size 1 then" },
  { 0 },
};

static void
slice_channel_range (gconstpointer values, gint64 size, guint part, gint64 *begin, gint64 *end)
{
  const SliceChannelParams *params = values;
  gint64                    length = size / params->num_outputs;

  *begin = part * length;
  *end = *begin + length;
}

static Split
slice_channel_split (gconstpointer values)
{
  const SliceChannelParams *params = values;

  return (Split){ params->axis, params->squeeze_axis, slice_channel_range };
}

static void
slice_channel_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = 1;
  *n_outputs = (guint) ((const SliceChannelParams *) values)->num_outputs;
}

/* Infers the rank of the input and the size of its axis from the parts. */
static gboolean
infer_from_parts (const SliceChannelParams *params, HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  int       axis;

  for (guint i = 0; data->rank == HYB_UNKNOWN && i < call->n_outputs; i++)
    if (call->output[i].shape.rank != HYB_UNKNOWN)
      {
        int rank = call->output[i].shape.rank + (params->squeeze_axis ? 1 : 0);

        if (rank > HYB_MAX_RANK)
          return hyb_refuse_types (error, NULL, "at most %d dimensions are supported",
                                   HYB_MAX_RANK);
        *data = hyb_shape_make (rank, NULL);
      }
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  axis = hyb_shape_axis (data, params->axis, error);
  if (axis < 0)
    return FALSE;
  for (guint i = 0; data->dim[axis] == HYB_UNKNOWN && i < call->n_outputs; i++)
    if (params->squeeze_axis)
      data->dim[axis] = params->num_outputs;
    else if (call->output[i].shape.rank == data->rank)
      data->dim[axis] = hyb_dim_multiply (call->output[i].shape.dim[axis], params->num_outputs);
  return TRUE;
}

static gboolean
slice_channel_infer_shape (HybCall *call, GError **error)
{
  const SliceChannelParams *params = call->params;
  const HybShape           *data = &call->input[0].shape;
  Split                     split = slice_channel_split (params);
  int                       axis;

  if (!infer_from_parts (params, call, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  axis = hyb_shape_axis (data, params->axis, error);
  if (data->dim[axis] != HYB_UNKNOWN && data->dim[axis] % params->num_outputs != 0)
    return hyb_refuse_types (error, NULL,
                             "axis %d of %" G_GINT64_FORMAT
                             " elements does not divide into %" G_GINT64_FORMAT " parts",
                             axis, data->dim[axis], params->num_outputs);
  return split_infer_shape (&split, call, error);
}

/* --- _split_v2: parts that are as equal as possible, or that begin at given indices --- */

typedef struct
{
  HybInts  indices;
  gint64   axis;
  gboolean squeeze_axis;
  gint64   sections;
} SplitV2Params;

static const HybParam split_v2_params[] = {
  { HYB_FIELD (SplitV2Params, indices), HYB_PARAM_INTS, "()",
    .doc = "where each part begins, the first (0) included" },
  { HYB_FIELD (SplitV2Params, axis), HYB_PARAM_INT, "1", .doc = "axis that is split" },
  { HYB_FIELD (SplitV2Params, squeeze_axis), HYB_PARAM_BOOL, "False",
    .doc = "remove the axis, which has size 1 then" },
  { HYB_FIELD (SplitV2Params, sections), HYB_PARAM_INT, "0", .low = 0, .high = MAX_PARTS,
    .doc = "number of parts, as equal as possible; 0: use indices" },
  { 0 },
};

static gboolean
split_v2_check (gconstpointer values, GError **error)
{
  const SplitV2Params *params = values;

  if (params->sections == 0 && params->indices.n <= 0)
    return hyb_refuse_attribute (error, NULL, "neither sections nor indices say where to split");
  if (params->sections == 0 && params->indices.value[0] != 0)
    return hyb_refuse_attribute (error, NULL, "the first of indices must be 0");
  for (int i = 1; params->sections == 0 && i < params->indices.n; i++)
    if (params->indices.value[i] < params->indices.value[i - 1])
      return hyb_refuse_attribute (error, NULL, "indices must be in ascending order");

  return TRUE;
}

static void
split_v2_range (gconstpointer values, gint64 size, guint part, gint64 *begin, gint64 *end)
{
  const SplitV2Params *params = values;

  if (params->sections > 0)
    {
      gint64 length = size / params->sections;
      gint64 longer =
          size % params->sections; /* this many parts, the first ones, are longer by 1 */

      *begin = part * length + MIN ((gint64) part, longer);
      *end = *begin + length + ((gint64) part < longer ? 1 : 0);
    }
  else
    {
      *begin = MIN (params->indices.value[part], size);
      *end =
          (int) part + 1 < params->indices.n ? MIN (params->indices.value[part + 1], size) : size;
    }
}

static Split
split_v2_split (gconstpointer values)
{
  const SplitV2Params *params = values;

  return (Split){ params->axis, params->squeeze_axis, split_v2_range };
}

static void
split_v2_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const SplitV2Params *params = values;

  *n_inputs = 1;
  *n_outputs = (guint) (params->sections > 0 ? params->sections : MAX (1, params->indices.n));
}

static gboolean
split_v2_infer_shape (HybCall *call, GError **error)
{
  const SplitV2Params *params = call->params;
  const HybShape      *data = &call->input[0].shape;
  Split                split = split_v2_split (params);
  int                  axis = 0;

  if (data->rank != HYB_UNKNOWN && (axis = hyb_shape_axis (data, params->axis, error)) < 0)
    return FALSE;
  for (int i = 0; data->rank > 0 && params->sections == 0 && i < params->indices.n; i++)
    if (data->dim[axis] != HYB_UNKNOWN && params->indices.value[i] > data->dim[axis])
      return hyb_refuse_types (error, "Use indices inside the axis",
                               "indices has %" G_GINT64_FORMAT
                               " but the axis has only %" G_GINT64_FORMAT " elements",
                               params->indices.value[i], data->dim[axis]);
  return split_infer_shape (&split, call, error);
}

/* --- _npi_hsplit and _npi_dsplit: the same along an axis that the rank or the name gives --- */

/* A vector is split along its only axis, other arrays along the second.  Attribute axis is ignored. */
static gint64
hsplit_axis (int rank)
{
  return rank == 1 ? 0 : 1;
}

static gint64
dsplit_axis (int rank)
{
  return 2;
}

static gboolean
infer_named_split (HybCall *call, gint64 axis, int least_rank, GError **error)
{
  const HybShape *data = &call->input[0].shape;
  SplitV2Params   params = *(const SplitV2Params *) call->params;
  HybCall         along = *call;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->rank < least_rank)
    return hyb_refuse_types (error, NULL, "the input has %d dimensions, but at least %d are needed",
                             data->rank, least_rank);
  params.axis = axis;
  if (params.sections > 0 && data->dim[axis] > 0 && data->dim[axis] % params.sections != 0)
    return hyb_refuse_types (error, NULL,
                             "%" G_GINT64_FORMAT " elements do not divide into %" G_GINT64_FORMAT
                             " equal parts",
                             data->dim[axis], params.sections);
  along.params = &params;
  return split_v2_infer_shape (&along, error);
}

#define NAMED_SPLIT(stem, least_rank)                                                            \
  static gboolean stem##_infer_shape (HybCall *call, GError **error)                             \
  {                                                                                              \
    return infer_named_split (call, stem##_axis (call->input[0].shape.rank), least_rank, error); \
  }                                                                                              \
  static void stem##_forward (const HybCall *call, const HybRun *run)                            \
  {                                                                                              \
    Split split = split_v2_split (call->params);                                                 \
                                                                                                 \
    split.axis = stem##_axis (call->input[0].shape.rank);                                        \
    split_forward (&split, call, run);                                                           \
  }
NAMED_SPLIT (hsplit, 1)
NAMED_SPLIT (dsplit, 3)
#undef NAMED_SPLIT

/* _npi_hstack joins along the axis that _npi_hsplit splits. */
static void
hsplit_gradient (HybGrad *grad)
{
  guint                  n = hyb_grad_n_outputs (grad);
  g_autofree HybValueId *parts = g_new (HybValueId, n);
  g_autofree char       *count = g_strdup_printf ("%u", n);
  const char *const      attributes[] = { "num_args", count, NULL };

  for (guint i = 0; i < n; i++)
    parts[i] = hyb_grad_incoming (grad, i);
  hyb_grad_set_input (grad, 0, hyb_grad_emit_with (grad, "_npi_hstack", attributes, n, parts));
}

static void
dsplit_gradient (HybGrad *grad)
{
  Split split = { .axis = dsplit_axis (3) };

  split_gradient (&split, grad);
}

/* The attributes of _split_v2, except that the axis is not removed. */
static gboolean
named_split_check (gconstpointer values, GError **error)
{
  const SplitV2Params *params = values;

  if (params->squeeze_axis)
    return hyb_refuse_attribute (error, NULL, "this split cannot remove its axis");
  return split_v2_check (values, error);
}

#define SPLIT_FUNCTIONS(stem)                                                                  \
  static void stem##_forward (const HybCall *call, const HybRun *run)                          \
  {                                                                                            \
    Split split = stem##_split (call->params);                                                 \
                                                                                               \
    split_forward (&split, call, run);                                                         \
  }                                                                                            \
                                                                                               \
  static gboolean stem##_view (const HybCall *call, guint output, guint *input, gsize *offset) \
  {                                                                                            \
    Split split = stem##_split (call->params);                                                 \
                                                                                               \
    return split_view (&split, call, output, input, offset);                                   \
  }                                                                                            \
                                                                                               \
  static void stem##_gradient (HybGrad *grad)                                                  \
  {                                                                                            \
    Split split = stem##_split (hyb_grad_params (grad));                                       \
                                                                                               \
    split_gradient (&split, grad);                                                             \
  }

SPLIT_FUNCTIONS (slice_channel)
SPLIT_FUNCTIONS (split_v2)

#undef SPLIT_FUNCTIONS

static const char *const data_input[] = { "data", NULL };
static const char *const slice_channel_aliases[] = { "split", NULL };

static const char *const slice_channel_outputs[] = { "output0", NULL };

const HybOp hyb_ops_split[] = {
  {
      .name = "SliceChannel",
      .aliases = slice_channel_aliases,
      .doc = "Splits an array along one axis into equal parts.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      .outputs = slice_channel_outputs,
      HYB_PARAMS (slice_channel_params, SliceChannelParams),
      .arity = slice_channel_arity,
      .infer_shape = slice_channel_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = slice_channel_forward,
      .view = slice_channel_view,
      .gradient = slice_channel_gradient,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_split_v2",
      .doc = "Splits an array along one axis into equal parts or at given indices.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      HYB_PARAMS (split_v2_params, SplitV2Params),
      .arity = split_v2_arity,
      .check = split_v2_check,
      .infer_shape = split_v2_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = split_v2_forward,
      .view = split_v2_view,
      .gradient = split_v2_gradient,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_npi_hsplit",
      .doc = "Splits an array along the second axis, or the only one of a vector, into equal parts "
             "or at given indices.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      HYB_PARAMS (split_v2_params, SplitV2Params),
      .arity = split_v2_arity,
      .check = named_split_check,
      .infer_shape = hsplit_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = hsplit_forward,
      .gradient = hsplit_gradient,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_npi_dsplit",
      .doc = "Splits an array along the third axis into equal parts or at given indices.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      HYB_PARAMS (split_v2_params, SplitV2Params),
      .arity = split_v2_arity,
      .check = named_split_check,
      .infer_shape = dsplit_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = dsplit_forward,
      .gradient = dsplit_gradient,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
