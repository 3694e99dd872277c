/* topk.c — elements in order: topk, sort, argsort.
 *
 * Lines along the axis are ranked by value with their indices; of equal elements
 * the one with the lower index comes first, in either direction, and NaN comes
 * last.  Values are then copied by index, so that any dtype stays exact.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/autograd/gradient.h"
#include "engine/base/parallel.h"
#include "engine/exec/run.h"
#include "engine/ops/dims.h"
#include "engine/ops/rules.h"

#include <string.h>

/* Room in the workspace for so many lines at a time. */
#define SLOTS 16
/* So few are kept in order while reading; more are found by sorting all. */
#define FEW 32

/* A value, negated if the largest come first, and where it is. */
typedef struct
{
  double key;
  gint64 index;
} Entry;

typedef struct
{
  HybAxisView   view;
  gint64        k;
  gboolean      is_ascend;
  HybDType      dtype;
  gconstpointer data;
  gpointer      values;  /* k of each line; NULL: not wanted */
  gpointer      indices; /* likewise */
  HybDType      index_dtype;
  gpointer      mask; /* as data, cleared: 1 for the k first */
  Entry        *room; /* SLOTS × 2 × length */
} Ranking;

static inline gboolean
comes_before (const Entry *a, const Entry *b)
{
  return a->key < b->key || (b->key != b->key && a->key == a->key);
}

static void
read_line (const Ranking *ranking, gint64 base, Entry *line)
{
  double sign = ranking->is_ascend ? 1 : -1;

  for (gint64 i = 0; i < ranking->view.length; i++)
    {
      gint64 at = base + i * ranking->view.inner;
      double value = ranking->dtype == HYB_F32
                         ? (double) ((const float *) ranking->data)[at]
                         : hyb_dtype_get_double (ranking->data, ranking->dtype, (gsize) at);

      line[i] = (Entry){ sign * value, i };
    }
}

/* Moves the k first to the front, in order, looking at each entry once. */
static void
keep_first (Entry *line, gint64 n, gint64 k)
{
  gint64 kept = 0;

  for (gint64 i = 0; i < n; i++)
    {
      Entry  entry = line[i];
      gint64 at = kept;

      if (kept == k && !comes_before (&entry, &line[k - 1]))
        continue;
      if (kept == k)
        at = k - 1;
      else
        kept++;
      for (; at > 0 && comes_before (&entry, &line[at - 1]); at--)
        line[at] = line[at - 1];
      line[at] = entry;
    }
}

static void
merge_runs (const Entry *from, gint64 middle, gint64 end, Entry *to)
{
  gint64 a = 0, b = middle;

  for (gint64 i = 0; i < end; i++)
    if (b >= end || (a < middle && !comes_before (&from[b], &from[a])))
      to[i] = from[a++];
    else
      to[i] = from[b++];
}

/* A stable merge sort; returns which of the two arrays holds the result. */
static Entry *
sort_line (Entry *line, Entry *spare, gint64 n)
{
  for (gint64 at = 0; at < n; at += FEW)
    keep_first (line + at, MIN (FEW, n - at), MIN (FEW, n - at));

  for (gint64 width = FEW; width < n; width *= 2)
    {
      Entry *swap = line;

      for (gint64 at = 0; at < n; at += 2 * width)
        merge_runs (line + at, MIN (width, n - at), MIN (2 * width, n - at), spare + at);
      line = spare;
      spare = swap;
    }
  return line;
}

static void
write_line (const Ranking *ranking, gint64 n, gint64 base, const Entry *line)
{
  gint64 inner = ranking->view.inner;
  gint64 out = n / inner * ranking->k * inner + n % inner;
  gsize  item = hyb_dtype_size (ranking->dtype);

  for (gint64 i = 0; i < ranking->k; i++)
    {
      gsize at = (gsize) (base + line[i].index * inner);
      gsize to = (gsize) (out + i * inner);

      if (ranking->values != NULL)
        memcpy ((char *) ranking->values + to * item,
                (const char *) ranking->data + at * item,
                item);
      if (ranking->indices != NULL)
        hyb_dtype_set_double (ranking->indices, ranking->index_dtype, to, (double) line[i].index);
      if (ranking->mask != NULL)
        hyb_dtype_set_double (ranking->mask, ranking->dtype, at, 1);
    }
}

/* Slot number s ranks lines s, s + SLOTS, s + 2 SLOTS … */
static void
rank_slots (gint64 begin, gint64 end, gpointer data)
{
  const Ranking *ranking = data;
  gint64         lines = ranking->view.outer * ranking->view.inner;
  gint64         length = ranking->view.length;

  for (gint64 slot = begin; slot < end; slot++)
    for (gint64 n = slot; n < lines; n += SLOTS)
      {
        Entry *line = ranking->room + slot * 2 * length;
        gint64 base =
            n / ranking->view.inner * length * ranking->view.inner + n % ranking->view.inner;

        read_line (ranking, base, line);
        if (ranking->k <= FEW)
          keep_first (line, length, ranking->k);
        else
          line = sort_line (line, line + length, length);
        write_line (ranking, n, base, line);
      }
}

static gsize
ranking_workspace (const HybShape *data, gint64 axis)
{
  HybAxisView view = hyb_axis_view_optional (data, axis);
  gint64      slots = MIN (SLOTS, view.outer * view.inner);

  return (gsize) (slots * 2 * view.length) * sizeof (Entry);
}

static void
run_ranking (const HybCall *call, const HybRun *run, gint64 axis, gint64 k, Ranking *ranking)
{
  gint64 lines, grain;

  ranking->view = hyb_axis_view_optional (&call->input[0].shape, axis);
  ranking->k = k < 1 ? ranking->view.length : k;
  ranking->dtype = call->input[0].dtype;
  ranking->data = run->input[0];
  ranking->room = run->workspace;

  lines = ranking->view.outer * ranking->view.inner;
  if (lines == 0 || ranking->view.length == 0)
    return;
  grain = lines * ranking->view.length < 4096 ? SLOTS : 1;
  hyb_parallel_for (MIN (SLOTS, lines), grain, rank_slots, ranking);
}

/* The largest index that a dtype holds exactly. */
static gboolean
check_index_dtype (const HybShape *data, gint64 axis, HybDType dtype, GError **error)
{
  static const double limits[HYB_N_DTYPES] = {
    [HYB_F32] = 1 << 24,
    [HYB_F64] = 9007199254740992.0,
    [HYB_F16] = 2048,
    [HYB_BF16] = 256,
    [HYB_U8] = 255,
    [HYB_I8] = 127,
    [HYB_I16] = 32767,
    [HYB_U16] = 65535,
    [HYB_I32] = 2147483647.0,
    [HYB_U32] = 4294967295.0,
    [HYB_I64] = 9007199254740992.0,
    [HYB_U64] = 9007199254740992.0,
    [HYB_BOOL] = 1,
  };
  gint64 length = axis == HYB_NONE ? hyb_dims_product (data, 0, data->rank)
                                   : data->dim[hyb_shape_axis (data, axis, NULL)];

  return dtype == HYB_DTYPE_UNKNOWN || (double) length - 1 <= limits[dtype] ||
         hyb_refuse_types (error,
                           "Choose a wider dtype for indices.",
                           "%s cannot hold indices up to %" G_GINT64_FORMAT,
                           hyb_dtype_name (dtype),
                           length - 1);
}

/* The shape of what is ranked: k along the axis, k < 1 meaning all. */
static gboolean
ranked_shape (const HybShape *data, gint64 wanted_axis, gint64 k, HybShape *out, GError **error)
{
  int    axis = 0;
  gint64 length;

  *out = *data;
  if (wanted_axis == HYB_NONE)
    *out = hyb_shape_1d (hyb_dims_product (data, 0, data->rank));
  else
    axis = hyb_shape_axis (data, wanted_axis, error);
  if (axis < 0)
    return FALSE;

  length = out->dim[axis];
  if (length != HYB_UNKNOWN && k > length)
    return hyb_refuse_types (error,
                             NULL,
                             "k is %" G_GINT64_FORMAT " but there are only %" G_GINT64_FORMAT
                             " elements",
                             k,
                             length);
  if (k >= 1)
    out->dim[axis] = k;
  return TRUE;
}

/* topk */

enum
{
  RETURN_VALUE,
  RETURN_INDICES,
  RETURN_MASK,
  RETURN_BOTH,
};

typedef struct
{
  gint64   axis;
  gint64   k;
  int      ret_typ;
  gboolean is_ascend;
  HybDType dtype;
} TopkParams;

static const char *const return_choices[] = { "value", "indices", "mask", "both", NULL };

static const HybParam topk_params[] = {
  { HYB_FIELD (TopkParams, axis),
    HYB_PARAM_OPTIONAL_INT,
    "-1",
    .doc = "axis that is ranked; None: the flattened array" },
  { HYB_FIELD (TopkParams, k), HYB_PARAM_INT, "1", .doc = "how many; below 1: all" },
  { HYB_FIELD (TopkParams, ret_typ),
    HYB_PARAM_ENUM,
    "indices",
    .choices = return_choices,
    .doc = "what is returned of them" },
  { HYB_FIELD (TopkParams, is_ascend), HYB_PARAM_BOOL, "False", .doc = "the smallest instead" },
  { HYB_FIELD (TopkParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "dtype of indices" },
  { 0 },
};

static gboolean
has_values (const TopkParams *params)
{
  return params->ret_typ == RETURN_VALUE || params->ret_typ == RETURN_BOTH;
}

static void
topk_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = 1;
  *n_outputs = has_values (values) ? 2 : 1;
}

static guint
topk_visible (gconstpointer values)
{
  return ((const TopkParams *) values)->ret_typ == RETURN_BOTH ? 2 : 1;
}

static gboolean
topk_infer_shape (HybCall *call, GError **error)
{
  const TopkParams *params = call->params;
  const HybShape   *data = &call->input[0].shape;
  HybShape          out;

  if (params->ret_typ == RETURN_MASK && !hyb_rule_unary (call, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (!ranked_shape (data, params->axis, params->k, &out, error) ||
      !check_index_dtype (data, params->axis, params->dtype, error))
    return FALSE;

  for (guint i = 0; params->ret_typ != RETURN_MASK && i < call->n_outputs; i++)
    if (!hyb_shape_assign (&call->output[i].shape, &out, error))
      return FALSE;
  return TRUE;
}

static gboolean
topk_infer_dtype (HybCall *call, GError **error)
{
  const TopkParams *params = call->params;

  if (params->ret_typ == RETURN_INDICES)
    return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);

  return hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error) &&
         (call->n_outputs < 2 || hyb_dtype_assign (&call->output[1].dtype, params->dtype, error));
}

static void
topk_forward (const HybCall *call, const HybRun *run)
{
  const TopkParams *params = call->params;
  Ranking           ranking = { .is_ascend = params->is_ascend, .index_dtype = params->dtype };

  if (has_values (params))
    {
      ranking.values = run->output[0];
      ranking.indices = run->output[1];
    }
  else if (params->ret_typ == RETURN_INDICES)
    ranking.indices = run->output[0];
  else
    {
      ranking.mask = run->output[0];
      memset (ranking.mask, 0, hyb_type_bytes (&call->output[0]));
    }
  run_ranking (call, run, params->axis, params->k, &ranking);
}

static gsize
topk_workspace (const HybCall *call)
{
  return ranking_workspace (&call->input[0].shape, ((const TopkParams *) call->params)->axis);
}

/* Indices and masks are constant almost everywhere: only values pass a gradient on. */
static void
emit_backward (HybGrad *grad, const char *op)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0),
                          hyb_grad_output (grad, 1),
                          hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, op, 3, inputs));
}

static void
topk_gradient (HybGrad *grad)
{
  if (has_values (hyb_grad_params (grad)))
    emit_backward (grad, "_backward_topk");
}

/* Inputs: gradient, indices, data. */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->output[0].shape, &call->input[2].shape, error);
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

static void
put_back (const HybCall *call, const HybRun *run, gint64 axis)
{
  HybAxisView view = hyb_axis_view_optional (&call->output[0].shape, axis);
  gint64      n = hyb_shape_size (&call->input[0].shape);
  gsize       item = hyb_dtype_size (call->output[0].dtype);
  gint64      k;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (n == 0)
    return;

  k = n / (view.outer * view.inner);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 outer = i / (k * view.inner);
      gint64 index = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) i);
      gint64 to = (outer * view.length + index) * view.inner + i % view.inner;

      if (index >= 0 && index < view.length)
        memcpy ((char *) run->output[0] + (gsize) to * item,
                (const char *) run->input[0] + (gsize) i * item,
                item);
    }
}

static void
topk_backward (const HybCall *call, const HybRun *run)
{
  put_back (call, run, ((const TopkParams *) call->params)->axis);
}

/* sort and argsort: all of an axis. */

typedef struct
{
  gint64   axis;
  gboolean is_ascend;
  HybDType dtype;
} SortParams;

#define SORT_FIELDS                                                                        \
  { HYB_FIELD (SortParams, axis),                                                          \
    HYB_PARAM_OPTIONAL_INT,                                                                \
    "-1",                                                                                  \
    .doc = "axis that is sorted; None: the flattened array" },                             \
  {                                                                                        \
    HYB_FIELD (SortParams, is_ascend), HYB_PARAM_BOOL, "True", .doc = "the smallest first" \
  }

static const HybParam sort_params[] = {
  SORT_FIELDS,
  { 0 },
};

static const HybParam argsort_params[] = {
  SORT_FIELDS,
  { HYB_FIELD (SortParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "dtype of indices" },
  { 0 },
};

#undef SORT_FIELDS

static gboolean
infer_sorted (HybCall *call, HybDType index_dtype, GError **error)
{
  const SortParams *params = call->params;
  const HybShape   *data = &call->input[0].shape;
  HybShape          out;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (!ranked_shape (data, params->axis, 0, &out, error) ||
      !check_index_dtype (data, params->axis, index_dtype, error))
    return FALSE;

  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_assign (&call->output[i].shape, &out, error))
      return FALSE;
  return TRUE;
}

static gboolean
sort_infer_shape (HybCall *call, GError **error)
{
  return infer_sorted (call, HYB_I32, error);
}

static gboolean
sort_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error) &&
         hyb_dtype_assign (&call->output[1].dtype, HYB_I32, error);
}

static void
sort_forward (const HybCall *call, const HybRun *run)
{
  const SortParams *params = call->params;
  Ranking           ranking = {
              .is_ascend = params->is_ascend,
              .values = run->output[0],
              .indices = run->output[1],
              .index_dtype = HYB_I32,
  };

  run_ranking (call, run, params->axis, 0, &ranking);
}

static gsize
sort_workspace (const HybCall *call)
{
  return ranking_workspace (&call->input[0].shape, ((const SortParams *) call->params)->axis);
}

static void
sort_gradient (HybGrad *grad)
{
  emit_backward (grad, "_backward_sort");
}

static void
sort_backward (const HybCall *call, const HybRun *run)
{
  put_back (call, run, ((const SortParams *) call->params)->axis);
}

static gboolean
argsort_infer_shape (HybCall *call, GError **error)
{
  return infer_sorted (call, ((const SortParams *) call->params)->dtype, error);
}

static gboolean
argsort_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype,
                           ((const SortParams *) call->params)->dtype,
                           error);
}

static void
argsort_forward (const HybCall *call, const HybRun *run)
{
  const SortParams *params = call->params;
  Ranking           ranking = {
              .is_ascend = params->is_ascend,
              .indices = run->output[0],
              .index_dtype = params->dtype,
  };

  run_ranking (call, run, params->axis, 0, &ranking);
}

/* About log₂ n comparisons for each element. */
static void
ranking_cost (const HybCall *call, HybCost *cost)
{
  gint64 n = hyb_shape_size (&call->input[0].shape);

  cost->flops = (double) n * (double) g_bit_storage ((gulong) MAX (0, n));
  hyb_rule_cost_bytes (call, cost);
}

static const char *const data_input[] = { "data", NULL };
static const char *const sort_outputs[] = { "output", "_indices", NULL };
static const char *const backward_inputs[] = { "gradient", "indices", "data", NULL };

const HybOp hyb_ops_topk[] = {
  {
      .name = "topk",
      .doc = "The largest or smallest elements along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = data_input,
      .params = topk_params,
      .params_size = sizeof (TopkParams),
      .arity = topk_arity,
      .visible = topk_visible,
      .infer_shape = topk_infer_shape,
      .infer_dtype = topk_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = topk_forward,
      .workspace = topk_workspace,
      .gradient = topk_gradient,
      .cost = ranking_cost,
  },
  {
      .name = "_backward_topk",
      .doc = "Gradient of topk: back to where the values came from.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      .params = topk_params,
      .params_size = sizeof (TopkParams),
      .infer_shape = backward_infer_shape,
      .infer_dtype = backward_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = topk_backward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "sort",
      .doc = "Elements in order along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = data_input,
      .outputs = sort_outputs,
      .params = sort_params,
      .params_size = sizeof (SortParams),
      .infer_shape = sort_infer_shape,
      .infer_dtype = sort_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = sort_forward,
      .workspace = sort_workspace,
      .gradient = sort_gradient,
      .cost = ranking_cost,
  },
  {
      .name = "_backward_sort",
      .doc = "Gradient of sort: back to where the values came from.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      .params = sort_params,
      .params_size = sizeof (SortParams),
      .infer_shape = backward_infer_shape,
      .infer_dtype = backward_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = sort_backward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "argsort",
      .doc = "Indices that would put an axis in order.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      .params = argsort_params,
      .params_size = sizeof (SortParams),
      .infer_shape = argsort_infer_shape,
      .infer_dtype = argsort_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = argsort_forward,
      .workspace = sort_workspace,
      .cost = ranking_cost,
  },
  { 0 },
};
