/* positions.c — _element_positions and _tuple_positions: where indices lie in the flattened array that they index; and
 * _take_elements, which reads these elements.
 *
 * ONNX's GatherElements and ScatterElements name elements along one axis, GatherND and ScatterND by tuples of indices.
 * GatherElements uses _take_elements; the other three pass positions to take or _scatter_set_nd.  Negative indices count
 * from the end of an axis.  Start with element_forward(), tuple_forward() and take_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* Positions below which a second thread costs more than it saves. */
#define GRAIN 16384

typedef struct
{
  HybShape shape; /* of the array: of _tuple_positions, as many axes as are indexed */
  gint64   axis;  /* of _element_positions */
  gint64   batch; /* of _tuple_positions: leading axes of shape that the indices have in common */
} PositionParams;

#define SHAPE_PARAM                                                                         \
  {                                                                                         \
    HYB_FIELD (PositionParams, shape), HYB_PARAM_SHAPE, .doc = "shape of the indexed array" \
  }

#define AXIS_PARAM                                                                      \
  {                                                                                     \
    HYB_FIELD (PositionParams, axis), HYB_PARAM_INT, "0",                               \
        .low = 0, .high = HYB_MAX_RANK - 1, .doc = "axis along which the indices count" \
  }

static const HybParam element_params[] = {
  SHAPE_PARAM,
  AXIS_PARAM,
  { 0 },
};

static const HybParam take_params[] = {
  AXIS_PARAM,
  { 0 },
};

static const HybParam tuple_params[] = {
  SHAPE_PARAM,
  { HYB_FIELD (PositionParams, batch), HYB_PARAM_INT, "0", .low = 0, .high = HYB_MAX_RANK,
    .doc = "leading axes that the array and the indices have in common" },
  { 0 },
};

#undef SHAPE_PARAM
#undef AXIS_PARAM

/* The number of all elements must fit 64 bits, so that positions cannot overflow. */
static gboolean
position_check (gconstpointer values, GError **error)
{
  const PositionParams *params = values;
  gint64                n = 1;

  if (params->shape.rank < 1 || params->axis >= params->shape.rank ||
      params->batch > params->shape.rank)
    return hyb_refuse_attribute (error, NULL, "shape has %d axes", MAX (params->shape.rank, 0));
  for (int i = 0; i < params->shape.rank; i++)
    if (params->shape.dim[i] < 0 || __builtin_mul_overflow (n, MAX (1, params->shape.dim[i]), &n) ||
        n > G_MAXINT64 / 2)
      return hyb_refuse_attribute (error, NULL, "the sizes in shape are out of range");
  return TRUE;
}

static gboolean
refuse_indices (HybDType dtype, GError **error)
{
  return hyb_refuse_types (error, NULL, "its indices are %s, but must be int32 or int64",
                           hyb_dtype_name (dtype));
}

static gboolean
position_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  if (dtype != HYB_DTYPE_UNKNOWN && dtype != HYB_I32 && dtype != HYB_I64)
    return refuse_indices (dtype, error);
  return hyb_dtype_assign (&call->output[0].dtype, HYB_I64, error);
}

static gboolean
refuse_larger (int axis, gint64 n_indices, gint64 size, GError **error)
{
  return hyb_refuse_types (error, NULL,
                           "axis %d of the indices has %" G_GINT64_FORMAT
                           " elements, that of the array %" G_GINT64_FORMAT,
                           axis, n_indices, size);
}

/* Indices for elements along an axis, of an array of this shape. */
static gboolean
check_elements (const HybShape *indices, const HybShape *array, gint64 axis, GError **error)
{
  if (indices->rank != array->rank)
    return hyb_refuse_types (error, NULL, "its indices have %d axes, but the array has %d",
                             indices->rank, array->rank);
  for (int i = 0; i < indices->rank; i++)
    if (i != axis && indices->dim[i] > array->dim[i])
      return refuse_larger (i, indices->dim[i], array->dim[i], error);
  return TRUE;
}

static gboolean
element_infer_shape (HybCall *call, GError **error)
{
  const PositionParams *params = call->params;
  HybShape             *indices = &call->input[0].shape;

  return (indices->rank == HYB_UNKNOWN ||
          check_elements (indices, &params->shape, params->axis, error)) &&
         hyb_shape_unify (indices, &call->output[0].shape, error);
}

static gboolean
take_infer_shape (HybCall *call, GError **error)
{
  const PositionParams *params = call->params;
  const HybShape       *data = &call->input[0].shape;
  HybShape             *indices = &call->input[1].shape;

  if (data->rank != HYB_UNKNOWN && params->axis >= data->rank)
    return hyb_refuse_types (error, NULL, "axis %d is outside of %d dimensions", (int) params->axis,
                             data->rank);
  if (hyb_shape_is_known (data) && hyb_shape_is_known (indices))
    {
      if (!check_elements (indices, data, params->axis, error))
        return FALSE;
      if (data->dim[params->axis] == 0 && hyb_shape_size (indices) > 0)
        return hyb_refuse_types (error, NULL, "nothing can be taken from axis %d, which is empty",
                                 (int) params->axis);
    }
  return hyb_shape_unify (indices, &call->output[0].shape, error);
}

static gboolean
take_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = call->input[1].dtype;

  return (dtype == HYB_DTYPE_UNKNOWN || dtype == HYB_I32 || dtype == HYB_I64 ||
          refuse_indices (dtype, error)) &&
         hyb_rule_dtype_except (call, 1 << 1, error);
}

/* indices (batch …, rest …, n): n indices for the axes after the batch. */
static gboolean
tuple_infer_shape (HybCall *call, GError **error)
{
  const PositionParams *params = call->params;
  const HybShape       *indices = &call->input[0].shape;
  HybShape              out;

  if (!hyb_shape_is_known (indices))
    return TRUE;
  if (indices->rank <= params->batch)
    return hyb_refuse_types (error, NULL,
                             "its indices need more than %d axes, which are those of the batch, "
                             "but "
                             "have %d",
                             (int) params->batch, indices->rank);
  if (indices->dim[indices->rank - 1] != params->shape.rank - params->batch)
    return hyb_refuse_types (error, NULL,
                             "its tuples have %" G_GINT64_FORMAT
                             " indices, but %d axes are indexed",
                             indices->dim[indices->rank - 1],
                             params->shape.rank - (int) params->batch);
  for (int i = 0; i < params->batch; i++)
    if (indices->dim[i] > params->shape.dim[i])
      return refuse_larger (i, indices->dim[i], params->shape.dim[i], error);
  out = hyb_dims_without (indices, indices->rank - 1);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* --- Computing --- */

typedef struct
{
  const HybShape *indices; /* its shape */
  gconstpointer   data;
  HybDType        dtype;
  const HybShape *array;
  int             axis, n_batch;
  gint64          stride[HYB_MAX_RANK]; /* of the array */
  gsize           item; /* bytes of an element of the array; 0: positions are the result */
  gconstpointer   from;
  gpointer        to;
  gint            is_outside; /* atomic: an index is outside of its axis */
} Positions;

/* A run of positions: base + i step + index[i] stride. */
typedef struct
{
  gint64 n, base, step, stride, size;
} Run;

/* Calls `USE (i, position)` for a run; an index outside of the axis counts as 0.  FALSE if there is one. */
#define EACH_POSITION(T, USE)                                       \
  do                                                                \
    {                                                               \
      const T *at = (const T *) indices;                            \
                                                                    \
      for (gint64 i = 0; i < run->n; i++)                           \
        {                                                           \
          gint64 index = at[i];                                     \
                                                                    \
          if (G_UNLIKELY ((guint64) index >= (guint64) run->size))  \
            {                                                       \
              index += index < 0 ? run->size : 0;                   \
              if ((guint64) index >= (guint64) run->size)           \
                {                                                   \
                  n_outside++;                                      \
                  index = 0;                                        \
                }                                                   \
            }                                                       \
          USE (i, run->base + i * run->step + index * run->stride); \
        }                                                           \
    }                                                               \
  while (0)

/* Defines a function that goes through a run of int32 or int64 indices; E is the type of what it writes. */
#define DEFINE_RUN(name, E, USE)                                               \
  static gboolean name (const Run *run, HybDType dtype, gconstpointer indices, \
                        gconstpointer elements, gpointer result)               \
  {                                                                            \
    const E *from G_GNUC_UNUSED = elements;                                    \
    E            *to = result;                                                 \
    guint64       n_outside = 0;                                               \
                                                                               \
    if (dtype == HYB_I32)                                                      \
      EACH_POSITION (gint32, USE);                                             \
    else                                                                       \
      EACH_POSITION (gint64, USE);                                             \
    return n_outside == 0;                                                     \
  }

#define WRITE_POSITION(i, position) to[i] = (position)
#define READ_ELEMENT(i, position)   to[i] = from[position]
#define ADD_ELEMENT(i, position)    to[position] += from[i]

DEFINE_RUN (write_positions, gint64, WRITE_POSITION)
DEFINE_RUN (read_8, guint8, READ_ELEMENT)
DEFINE_RUN (read_16, guint16, READ_ELEMENT)
DEFINE_RUN (read_32, guint32, READ_ELEMENT)
DEFINE_RUN (read_64, guint64, READ_ELEMENT)
DEFINE_RUN (add_f32, float, ADD_ELEMENT)
DEFINE_RUN (add_f64, double, ADD_ELEMENT)

#undef WRITE_POSITION
#undef READ_ELEMENT
#undef ADD_ELEMENT
#undef DEFINE_RUN
#undef EACH_POSITION

/* The first position and the size of row number `row` of the indices. */
static Run
find_run (const Positions *self, gint64 row)
{
  int last = self->indices->rank - 1;
  Run run = { .n = self->indices->dim[last],
              .step = self->axis == last ? 0 : 1,
              .stride = self->stride[self->axis],
              .size = self->array->dim[self->axis] };

  for (int i = last - 1; i >= 0; i--)
    {
      run.base += i == self->axis ? 0 : row % self->indices->dim[i] * self->stride[i];
      row /= self->indices->dim[i];
    }
  return run;
}

/* Rows [begin, end) of the indices: reads elements, or writes positions. */
static void
element_rows (gint64 begin, gint64 end, gpointer data)
{
  Positions *self = data;
  gsize      index_size = hyb_dtype_size (self->dtype), item = MAX (self->item, 1);

  for (gint64 row = begin; row < end; row++)
    {
      Run         run = find_run (self, row);
      gsize       first = (gsize) (row * run.n);
      const char *indices = (const char *) self->data + first * index_size;
      char       *to = (char *) self->to + first * (self->item == 0 ? sizeof (gint64) : item);
      gboolean is_inside = self->item == 0 ? write_positions (&run, self->dtype, indices, NULL, to)
                           : item == 1     ? read_8 (&run, self->dtype, indices, self->from, to)
                           : item == 2     ? read_16 (&run, self->dtype, indices, self->from, to)
                           : item == 4     ? read_32 (&run, self->dtype, indices, self->from, to)
                                           : read_64 (&run, self->dtype, indices, self->from, to);

      if (!is_inside)
        g_atomic_int_set (&self->is_outside, TRUE);
    }
}

/* Tuples [begin, end). */
static void
tuple_slice (gint64 begin, gint64 end, gpointer data)
{
  Positions *self = data;
  int        n = self->array->rank - self->n_batch;
  gint64     inner = hyb_shape_count (self->indices, self->n_batch, self->indices->rank - 1);
  gboolean   is_outside = FALSE;

  for (gint64 at = begin; at < end; at++)
    {
      gint64  rest = self->n_batch > 0 ? at / inner : 0;
      guint64 position = 0;

      for (int i = self->n_batch - 1; i >= 0; i--)
        {
          position += (guint64) (rest % self->indices->dim[i] * self->stride[i]);
          rest /= self->indices->dim[i];
        }
      for (int i = 0; i < n; i++)
        {
          gint64 size = self->array->dim[self->n_batch + i];
          gint64 index = self->dtype == HYB_I32 ? ((const gint32 *) self->data)[at * n + i]
                                                : ((const gint64 *) self->data)[at * n + i];

          index += index < 0 ? size : 0;
          is_outside |= (guint64) index >= (guint64) size;
          position += (guint64) index * (guint64) self->stride[self->n_batch + i];
        }
      ((gint64 *) self->to)[at] = (gint64) position;
    }
  if (is_outside)
    g_atomic_int_set (&self->is_outside, TRUE);
}

/* Reports the first index outside of its axis; of tuples, index i is that of axis i mod n_axes. */
static void
report_outside (const Positions *self, const HybRun *run, int first_axis, int n_axes)
{
  for (gint64 i = 0; i < hyb_shape_size (self->indices); i++)
    {
      int    axis = first_axis + (int) (i % n_axes);
      gint64 index = hyb_dtype_get_int (self->data, self->dtype, (gsize) i);
      gint64 size = self->array->dim[axis];

      if (index < -size || index >= size)
        {
          hyb_run_report_index (run, axis, (double) index, size);
          return;
        }
    }
}

static Positions
positions_of (const HybCall *call, const HybRun *run)
{
  const PositionParams *params = call->params;
  Positions             self = {
                .indices = &call->input[0].shape,
                .data = run->input[0],
                .dtype = call->input[0].dtype,
                .array = &params->shape,
                .axis = (int) params->axis,
                .n_batch = (int) params->batch,
                .to = run->output[0],
  };

  hyb_dims_strides (&params->shape, self.stride);
  return self;
}

static void
run_rows (Positions *self, const HybRun *run)
{
  gint64 n = self->indices->dim[self->indices->rank - 1];

  if (hyb_shape_size (self->indices) == 0)
    return;
  hyb_parallel_for (hyb_shape_size (self->indices) / n, MAX (1, GRAIN / n), element_rows, self);
  if (self->is_outside)
    report_outside (self, run, self->axis, 1);
}

static void
element_forward (const HybCall *call, const HybRun *run)
{
  Positions self = positions_of (call, run);

  run_rows (&self, run);
}

/* Positions in an operand of this type, by indices that are operand 1. */
static Positions
elements_of (const HybCall *call, const HybRun *run, const HybType *array)
{
  Positions self = {
    .indices = &call->input[1].shape,
    .data = run->input[1],
    .dtype = call->input[1].dtype,
    .array = &array->shape,
    .axis = (int) ((const PositionParams *) call->params)->axis,
    .item = hyb_dtype_size (array->dtype),
    .from = run->input[0],
    .to = run->output[0],
  };

  hyb_dims_strides (&array->shape, self.stride);
  return self;
}

static void
take_forward (const HybCall *call, const HybRun *run)
{
  Positions self = elements_of (call, run, &call->input[0]);

  run_rows (&self, run);
}

/* Adds the gradients of one run of elements. */
static void
add_run (const Positions *self, Run *run, HybDType dtype, const char *indices, const char *from)
{
  gint64 place, n = run->n;

  if (dtype == HYB_F32)
    add_f32 (run, self->dtype, indices, from, self->to);
  else if (dtype == HYB_F64)
    add_f64 (run, self->dtype, indices, from, self->to);
  else
    for (run->n = 1; n > 0; n--, run->base += run->step, from += self->item)
      {
        write_positions (run, self->dtype, indices, NULL, &place);
        hyb_move_add_run (dtype, 1, from, (char *) self->to + (gsize) place * self->item);
        indices += hyb_dtype_size (self->dtype);
      }
}

/* Inputs: gradient, indices, data.  One thread, since an element may be taken several times. */
static void
take_backward (const HybCall *call, const HybRun *run)
{
  Positions self = elements_of (call, run, &call->output[0]);
  gint64    size = hyb_shape_size (self.indices);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 row = 0, at = 0; at < size; row++)
    {
      Run         one = find_run (&self, row);
      const char *indices = (const char *) self.data + (gsize) at * hyb_dtype_size (self.dtype);
      const char *from = (const char *) self.from + (gsize) at * self.item;

      at += one.n;
      add_run (&self, &one, call->output[0].dtype, indices, from);
    }
}

static void
tuple_forward (const HybCall *call, const HybRun *run)
{
  Positions self = positions_of (call, run);

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), GRAIN, tuple_slice, &self);
  if (self.is_outside)
    report_outside (&self, run, self.n_batch, self.array->rank - self.n_batch);
}

static const char *const inputs[] = { "indices", NULL };
static const char *const take_inputs[] = { "data", "indices", NULL };
static const char *const backward_inputs[] = { "gradient", "indices", "data", NULL };

const HybOp hyb_ops_positions[] = {
  {
      .name = "_element_positions",
      .doc = "Positions in the flattened array of elements that indices name along one axis.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
      .inputs = inputs,
      HYB_PARAMS (element_params, PositionParams),
      .check = position_check,
      .infer_shape = element_infer_shape,
      .infer_dtype = position_infer_dtype,
      .dtypes = HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64),
      .forward = element_forward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_tuple_positions",
      .doc = "Positions in the flattened array of elements or rows that tuples of indices name.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
      .inputs = inputs,
      HYB_PARAMS (tuple_params, PositionParams),
      .check = position_check,
      .infer_shape = tuple_infer_shape,
      .infer_dtype = position_infer_dtype,
      .dtypes = HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64),
      .forward = tuple_forward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_take_elements",
      .doc = "Elements that indices name along one axis.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = take_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (take_params, PositionParams),
      .infer_shape = take_infer_shape,
      .infer_dtype = take_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = take_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_take_elements",
      .doc =
          "Gradient of _take_elements: the sum for each element over all times that it was taken.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_take_elements",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (take_params, PositionParams),
      .infer_dtype = take_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = take_backward,
      .flops_per_input = 1,
  },
  { 0 },
};
