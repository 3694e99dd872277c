/* take.c — take selects slices along an axis by index; pick and batch_take select one element for each
 * position.
 *
 * Indices may have any dtype; floats are truncated toward zero.  Start with take_forward() and
 * pick_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/gradient/by-formula.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* Elements below which a second thread costs more than it saves. */
#define GRAIN 16384

/* Any index as one in [0, size): modulo size with wrap, else clamped. */
static gint64
resolve_index (gboolean wrap, gint64 index, gint64 size)
{
  gint64 rest;

  if (!wrap)
    return CLAMP (index, 0, size - 1);

  rest = index % size;
  return rest < 0 ? rest + size : rest;
}

/* --- take: the output has the shape a.shape[:axis] + indices.shape + a.shape[axis + 1:] --- */

enum
{
  TAKE_RAISE,
  TAKE_WRAP,
  TAKE_CLIP,
};

typedef struct
{
  gint64 axis;
  int    mode;
} TakeParams;

static const char *const take_modes[] = { "raise", "wrap", "clip", NULL };

static const HybParam take_params[] = {
  { HYB_FIELD (TakeParams, axis), HYB_PARAM_INT, "0", .doc = "axis that the indices select on" },
  { HYB_FIELD (TakeParams, mode), HYB_PARAM_ENUM, "clip", .choices = take_modes,
    .doc = "how an index outside of the axis is handled" },
  { 0 },
};

/* Indices (input 1) may have any dtype; all other operands have the same one. */
static gboolean
except_second_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

/* FALSE if indices select from an empty axis. */
static gboolean
refuse_empty (const HybShape *data, int axis, const HybShape *indices, GError **error)
{
  if (data->dim[axis] != 0 || !hyb_shape_is_known (indices) || hyb_shape_size (indices) == 0)
    return TRUE;

  return hyb_refuse_types (error, NULL, "nothing can be taken from axis %d, which is empty", axis);
}

static gboolean
take_shape (const TakeParams *params,
            const HybShape   *a,
            const HybShape   *indices,
            HybShape         *out,
            GError          **error)
{
  int axis = hyb_shape_axis (a, params->axis, error);

  if (axis < 0 || !refuse_empty (a, axis, indices, error))
    return FALSE;
  if (a->rank - 1 + indices->rank > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);

  out->rank = 0;
  for (int i = 0; i < axis; i++)
    out->dim[out->rank++] = a->dim[i];
  for (int i = 0; i < indices->rank; i++)
    out->dim[out->rank++] = indices->dim[i];
  for (int i = axis + 1; i < a->rank; i++)
    out->dim[out->rank++] = a->dim[i];
  return TRUE;
}

static gboolean
take_infer_shape (HybCall *call, GError **error)
{
  const TakeParams *params = call->params;
  HybShape         *a = &call->input[0].shape;
  HybShape         *indices = &call->input[1].shape;
  HybShape          out;

  if (a->rank == HYB_UNKNOWN || indices->rank == HYB_UNKNOWN)
    return TRUE;
  return take_shape (params, a, indices, &out, error) &&
         hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* Data of the parallel loops of take and its gradient; `from` and `to` are those of the loop. */
typedef struct
{
  HybAxisView   view; /* of the array a along the axis */
  gint64        n_indices;
  gconstpointer indices;
  HybDType      index_dtype;
  gboolean      wrap;
  HybDType      dtype;
  gsize         row; /* bytes of view.inner elements */
  const char   *from;
  char         *to;
} TakeJob;

static gint64
job_place (const TakeJob *job, gint64 i)
{
  gint64 index = hyb_dtype_get_int (job->indices, job->index_dtype, (gsize) i);

  return resolve_index (job->wrap, index, job->view.length);
}

/* Indices that are resolved before rows are copied. */
#define CHUNK 256

/* Resolves the n indices from `first` on; int64 has a loop of its own because it is the usual type. */
static void
resolve_places (const TakeJob *job, gint64 first, gint64 n, gint64 *places)
{
  const gint64 *indices = (const gint64 *) job->indices + first;
  gint64        last = job->view.length - 1;

  if (job->index_dtype == HYB_I64 && !job->wrap)
    for (gint64 i = 0; i < n; i++)
      places[i] = CLAMP (indices[i], 0, last);
  else
    for (gint64 i = 0; i < n; i++)
      places[i] = job_place (job, first + i);
}

/* Copies n rows of a size that is constant at compile time, or any. */
static void
copy_rows (const char *from, const gint64 *places, gint64 n, gsize row, char *to)
{
  if (row == 4)
    for (gint64 i = 0; i < n; i++)
      memcpy (to + 4 * i, from + 4 * places[i], 4);
  else if (row == 8)
    for (gint64 i = 0; i < n; i++)
      memcpy (to + 8 * i, from + 8 * places[i], 8);
  else
    for (gint64 i = 0; i < n; i++)
      memcpy (to + (gsize) i * row, from + (gsize) places[i] * row, row);
}

static void
take_rows (gint64 begin, gint64 end, gpointer data)
{
  const TakeJob *job = data;
  gint64         places[CHUNK], resolved = -1; /* index of the first place; -1: none yet */

  for (gint64 at = begin, n; at < end; at += n)
    {
      gint64 outer = at / job->n_indices, index = at % job->n_indices;
      gint64 whole = MIN (job->n_indices - index, CHUNK);

      n = MIN (whole, end - at);
      if (index != resolved)
        resolve_places (job, index, whole, places);
      resolved = index;
      copy_rows (job->from + (gsize) (outer * job->view.length) * job->row, places, n, job->row,
                 job->to + (gsize) at * job->row);
    }
}

static TakeJob
take_job (const HybCall *call, const HybRun *run, const HybType *a, const HybType *indices)
{
  const TakeParams *params = call->params;
  TakeJob           job = {
              .view = hyb_axis_view (&a->shape, hyb_shape_axis (&a->shape, params->axis, NULL)),
              .n_indices = hyb_shape_size (&indices->shape),
              .indices = run->input[1],
              .index_dtype = indices->dtype,
              .wrap = params->mode == TAKE_WRAP,
              .dtype = a->dtype,
              .from = run->input[0],
              .to = run->output[0],
  };

  job.row = (gsize) job.view.inner * hyb_dtype_size (a->dtype);
  return job;
}

/* mode=raise: reports an index outside of the axis.  The rows are those of mode=clip. */
static void
check_indices (const TakeJob *job, int axis, const HybRun *run)
{
  for (gint64 i = 0; i < job->n_indices; i++)
    {
      gint64 index = hyb_dtype_get_int (job->indices, job->index_dtype, (gsize) i);

      if (index < 0 || index >= job->view.length)
        {
          hyb_run_report_index (run, axis, (double) index, job->view.length);
          return;
        }
    }
}

static void
take_forward (const HybCall *call, const HybRun *run)
{
  const TakeParams *params = call->params;
  TakeJob           job = take_job (call, run, &call->input[0], &call->input[1]);

  if (params->mode == TAKE_RAISE)
    check_indices (&job, hyb_shape_axis (&call->input[0].shape, params->axis, NULL), run);
  hyb_parallel_for (job.view.outer * job.n_indices, MAX (1, GRAIN / MAX (1, job.view.inner)),
                    take_rows, &job);
}

/* One thread's range of the outer axis; two ranges never add to the same row. */
static void
take_add_rows (gint64 begin, gint64 end, gpointer data)
{
  const TakeJob *job = data;

  for (gint64 outer = begin; outer < end; outer++)
    for (gint64 i = 0; i < job->n_indices; i++)
      hyb_move_add_run (job->dtype, job->view.inner,
                        job->from + (gsize) (outer * job->n_indices + i) * job->row,
                        job->to +
                            (gsize) (outer * job->view.length + job_place (job, i)) * job->row);
}

/* If the outer axis has size 1, a thread's range of columns; two ranges never meet. */
static void
take_add_columns (gint64 begin, gint64 end, gpointer data)
{
  const TakeJob *job = data;
  gsize          start = (gsize) begin * hyb_dtype_size (job->dtype);

  for (gint64 i = 0; i < job->n_indices; i++)
    hyb_move_add_run (job->dtype, end - begin, job->from + (gsize) i * job->row + start,
                      job->to + (gsize) job_place (job, i) * job->row + start);
}

static void
take_backward (const HybCall *call, const HybRun *run)
{
  TakeJob job = take_job (call, run, &call->input[2], &call->input[1]);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (job.view.outer == 1)
    hyb_parallel_for (job.view.inner, MAX (64, GRAIN / MAX (1, job.n_indices)), take_add_columns,
                      &job);
  else
    hyb_parallel_for (job.view.outer, MAX (1, GRAIN / MAX (1, job.n_indices * job.view.inner)),
                      take_add_rows, &job);
}

/* --- pick: one element along the axis for each position in the other axes --- */

enum
{
  PICK_WRAP,
  PICK_CLIP,
};

typedef struct
{
  gint64   axis;
  gboolean keepdims;
  int      mode;
} PickParams;

static const char *const pick_modes[] = { "wrap", "clip", NULL };

static const HybParam pick_params[] = {
  { HYB_FIELD (PickParams, axis), HYB_PARAM_OPTIONAL_INT, "-1",
    .doc = "axis along which an element is picked" },
  { HYB_FIELD (PickParams, keepdims), HYB_PARAM_BOOL, "False", .doc = "keep the axis, of size 1" },
  { HYB_FIELD (PickParams, mode), HYB_PARAM_ENUM, "clip", .choices = pick_modes,
    .doc = "how an index outside of the axis is handled" },
  { 0 },
};

static gboolean
pick_check (gconstpointer values, GError **error)
{
  return ((const PickParams *) values)->axis != HYB_NONE ||
         hyb_refuse_attribute (error, "Name one axis", "axis is None, but pick needs an axis");
}

/* For pick, and for batch_take, which is pick along axis 1 without attributes. */
static gboolean
infer_pick (HybCall *call, gint64 wanted_axis, gboolean keepdims, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *index = &call->input[1].shape;
  HybShape  less, kept;
  int       axis;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  axis = hyb_shape_axis (data, wanted_axis, error);
  if (axis < 0)
    return FALSE;

  less = hyb_dims_without (data, axis);
  if (data->rank == 1)
    less = hyb_shape_1d (1);
  kept = *data;
  kept.dim[axis] = 1;

  if (!hyb_shape_unify (index, index->rank == data->rank && data->rank > 1 ? &kept : &less, error))
    {
      g_prefix_error (error, "the index: ");
      return FALSE;
    }
  return refuse_empty (data, axis, index, error) &&
         hyb_shape_assign (&call->output[0].shape, keepdims ? &kept : &less, error);
}

static gboolean
pick_infer_shape (HybCall *call, GError **error)
{
  const PickParams *params = call->params;

  return infer_pick (call, params->axis, params->keepdims, error);
}

typedef struct
{
  HybAxisView   view;
  gconstpointer indices;
  HybDType      index_dtype;
  gboolean      wrap;
  HybDType      dtype;
  const char   *from;
  char         *to;
} PickJob;

static PickJob
pick_job (const HybCall *call, const HybRun *run, const HybShape *data, gint64 axis, gboolean wrap)
{
  return (PickJob){
    .view = hyb_axis_view (data, hyb_shape_axis (data, axis, NULL)),
    .indices = run->input[1],
    .index_dtype = call->input[1].dtype,
    .wrap = wrap,
    .dtype = call->input[0].dtype,
    .from = run->input[0],
    .to = run->output[0],
  };
}

/* The index in data of the element that position n selects. */
static gint64
pick_place (const PickJob *job, gint64 n)
{
  gint64 index = hyb_dtype_get_int (job->indices, job->index_dtype, (gsize) n);
  gint64 place = resolve_index (job->wrap, index, job->view.length);

  return (n / job->view.inner * job->view.length + place) * job->view.inner + n % job->view.inner;
}

static void
pick_elements (gint64 begin, gint64 end, gpointer data)
{
  const PickJob *job = data;
  gsize          item = hyb_dtype_size (job->dtype);

  for (gint64 n = begin; n < end; n++)
    memcpy (job->to + (gsize) n * item, job->from + (gsize) pick_place (job, n) * item, item);
}

/* Backward: no two positions select the same element, so it copies instead of adding. */
static void
put_elements (gint64 begin, gint64 end, gpointer data)
{
  const PickJob *job = data;
  gsize          item = hyb_dtype_size (job->dtype);

  for (gint64 n = begin; n < end; n++)
    memcpy (job->to + (gsize) pick_place (job, n) * item, job->from + (gsize) n * item, item);
}

static void
pick_forward (const HybCall *call, const HybRun *run)
{
  const PickParams *params = call->params;
  PickJob           job =
      pick_job (call, run, &call->input[0].shape, params->axis, params->mode == PICK_WRAP);

  hyb_parallel_for (job.view.outer * job.view.inner, GRAIN, pick_elements, &job);
}

/* Inputs: gradient, index, data. */
static void
pick_backward (const HybCall *call, const HybRun *run)
{
  const PickParams *params = call->params;
  PickJob           job =
      pick_job (call, run, &call->input[2].shape, params->axis, params->mode == PICK_WRAP);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_parallel_for (job.view.outer * job.view.inner, GRAIN, put_elements, &job);
}

static gboolean
batch_take_infer_shape (HybCall *call, GError **error)
{
  HybShape ranked = hyb_shape_make (2, NULL);

  return hyb_shape_assign (&call->input[0].shape, &ranked, error) &&
         infer_pick (call, 1, FALSE, error);
}

static void
batch_take_forward (const HybCall *call, const HybRun *run)
{
  PickJob job = pick_job (call, run, &call->input[0].shape, 1, FALSE);

  hyb_parallel_for (job.view.outer * job.view.inner, GRAIN, pick_elements, &job);
}

/* Of the data only the selected elements are read. */
static void
taking_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_move (call, cost);
  cost->bytes_read = cost->bytes_written + (double) hyb_type_bytes (&call->input[1]);
}

static const char *const take_inputs[] = { "a", "indices", NULL };
static const char *const pick_inputs[] = { "data", "index", NULL };
static const char *const backward_inputs[] = { "gradient", "indices", "data", NULL };
static const char *const pick_aliases[] = { "choose_element_0index", NULL };

const HybOp hyb_ops_take[] = {
  {
      .name = "take",
      .doc = "Selects slices along an axis by index.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = take_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (take_params, TakeParams),
      .infer_shape = take_infer_shape,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = take_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = taking_cost,
  },
  {
      .name = "_backward_take",
      .doc = "Gradient of take: the sum for each slice over all its uses.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "take",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (take_params, TakeParams),
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = take_backward,
      .flops_per_input = 1,
  },
  {
      .name = "pick",
      .aliases = pick_aliases,
      .doc = "Selects one element along an axis for each position, by index.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = pick_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (pick_params, PickParams),
      .check = pick_check,
      .infer_shape = pick_infer_shape,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = pick_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = taking_cost,
  },
  {
      .name = "_backward_pick",
      .doc = "Gradient of pick: zero except for the selected elements.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "pick",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (pick_params, PickParams),
      .check = pick_check,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = pick_backward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "batch_take",
      .doc = "Selects one element of each row by index.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = take_inputs,
      .constant_inputs = 1 << 1,
      .infer_shape = batch_take_infer_shape,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = batch_take_forward,
      HYB_GRADIENT ("_backward_pick [axis=1] (g0, i1, i0) > i0"),
      .cost = taking_cost,
  },
  { 0 },
};
