/* fill-element.c — operators that replace some elements or rows of an array: fill_element_0index,
 * _scatter_set_nd, and _sparse_retain, which keeps the rows that are named and sets others to 0.
 *
 * An index outside of the array is reported, and nothing is written for it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* Element number i of an operand that holds indices of an axis of the output; reports it and returns -1
 * if it is outside. */
static gint64
read_index (const HybCall *call, const HybRun *run, guint operand, gsize i, int axis)
{
  gint64 index = hyb_dtype_get_int (run->input[operand], call->input[operand].dtype, i);
  gint64 size = call->output[0].shape.dim[axis];

  if (index >= 0 && index < size)
    return index;
  hyb_run_report_index (run, axis, (double) index, size);
  return -1;
}

/* --- fill_element_0index: out[i, rhs[i]] = mhs[i] --- */

static gboolean
fill_infer_shape (HybCall *call, GError **error)
{
  HybShape *lhs = &call->input[0].shape;
  HybShape  rows = hyb_shape_1d (HYB_UNKNOWN);

  if (!hyb_shape_unify (lhs, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (lhs, "lhs", 2, 2, error))
    return FALSE;
  if (lhs->rank == HYB_UNKNOWN)
    *lhs = hyb_shape_make (2, NULL);
  if (!hyb_shape_unify (&rows, &call->input[1].shape, error) ||
      !hyb_shape_unify (&rows, &call->input[2].shape, error) ||
      !hyb_dim_unify (&rows.dim[0], &lhs->dim[0], "the numbers of rows", error))
    return FALSE;
  call->input[1].shape = call->input[2].shape = rows;
  return TRUE;
}

static gboolean
except_third_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 2, error);
}

static void
fill_forward (const HybCall *call, const HybRun *run)
{
  const HybType *lhs = &call->input[0];
  gsize          item = hyb_dtype_size (lhs->dtype);
  gsize          columns = (gsize) lhs->shape.dim[1];

  memcpy (run->output[0], run->input[0], hyb_type_bytes (lhs));
  for (gsize i = 0; i < (gsize) lhs->shape.dim[0]; i++)
    {
      gint64 column = read_index (call, run, 2, i, 1);

      if (column >= 0)
        memcpy ((char *) run->output[0] + (i * columns + (gsize) column) * item,
                (const char *) run->input[1] + i * item, item);
    }
}

/* --- _scatter_set_nd: indices (M, rest …), rhs (rest …, axes after M) --- */

typedef struct
{
  HybShape shape;
} SetParams;

static const HybParam set_params[] = {
  { HYB_FIELD (SetParams, shape), HYB_PARAM_SHAPE, .doc = "shape of lhs and of the result" },
  { 0 },
};

static gboolean
set_infer_shape (HybCall *call, GError **error)
{
  HybShape *lhs = &call->input[0].shape;
  HybShape *indices = &call->input[2].shape;
  HybShape  rows = { .rank = 0 };
  HybShape  out = ((const SetParams *) call->params)->shape;

  for (int i = 0; i < out.rank; i++)
    if (out.dim[i] < 0)
      return hyb_refuse_attribute (error, NULL, "a size in shape cannot be negative");
  if (!hyb_shape_unify (&out, lhs, error) ||
      !hyb_shape_assign (&call->output[0].shape, &out, error) ||
      !hyb_layer_expect_rank (indices, "indices", 1, HYB_MAX_RANK, error))
    return FALSE;
  if (out.rank == HYB_UNKNOWN || indices->rank == HYB_UNKNOWN || indices->dim[0] == HYB_UNKNOWN)
    return TRUE;
  if (indices->dim[0] > out.rank || indices->rank - 1 + out.rank - indices->dim[0] > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL,
                             "%" G_GINT64_FORMAT
                             " coordinates cannot select from an array of %d dimensions",
                             indices->dim[0], out.rank);

  for (int i = 1; i < indices->rank; i++)
    rows.dim[rows.rank++] = indices->dim[i];
  for (int i = (int) indices->dim[0]; i < out.rank; i++)
    rows.dim[rows.rank++] = out.dim[i];
  return hyb_shape_assign (&call->input[1].shape, &rows, error);
}

/* Copies n elements of a size that is constant at compile time to the places that int64 indices of the first axis name.
 * Returns how many were set before the first index out of range. */
#define SET_ELEMENTS(T)                                                                          \
  static gsize set_##T (gpointer to, gconstpointer from, const gint64 *at, gsize n, gint64 size) \
  {                                                                                              \
    gsize i = 0;                                                                                 \
                                                                                                 \
    for (; i < n && (guint64) at[i] < (guint64) size; i++)                                       \
      ((T *) to)[at[i]] = ((const T *) from)[i];                                                 \
    return i;                                                                                    \
  }

SET_ELEMENTS (guint32)
SET_ELEMENTS (guint64)

#undef SET_ELEMENTS

/* The first rows that can be set quickly: elements of 4 or 8 bytes with one int64 index each. */
static gsize
set_elements (const HybCall *call, const HybRun *run, int depth, gsize bytes, gsize n)
{
  gint64 size = call->output[0].shape.dim[0];

  if (depth != 1 || call->input[2].dtype != HYB_I64)
    return 0;
  if (bytes == sizeof (guint32))
    return set_guint32 (run->output[0], run->input[1], run->input[2], n, size);
  return bytes == sizeof (guint64)
             ? set_guint64 (run->output[0], run->input[1], run->input[2], n, size)
             : 0;
}

static void
set_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->output[0].shape;
  const HybShape *indices = &call->input[2].shape;
  int             depth = (int) indices->dim[0];
  gsize           columns = (gsize) hyb_shape_count (indices, 1, indices->rank);
  gsize           bytes =
      (gsize) hyb_shape_count (shape, depth, shape->rank) * hyb_dtype_size (call->output[0].dtype);

  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  for (gsize j = set_elements (call, run, depth, bytes, columns); j < columns; j++)
    {
      gint64 row = 0;

      for (int i = 0; i < depth && row >= 0; i++)
        {
          gint64 index = read_index (call, run, 2, (gsize) i * columns + j, i);

          row = index < 0 ? -1 : row * shape->dim[i] + index;
        }
      if (row >= 0)
        memcpy ((char *) run->output[0] + (gsize) row * bytes,
                (const char *) run->input[1] + j * bytes, bytes);
    }
}

/* --- _sparse_retain --- */

static gboolean
retain_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;

  if (data->rank == 0)
    return hyb_refuse_types (error, NULL, "data is a scalar and has no rows");
  return hyb_layer_expect_rank (&call->input[1].shape, "indices", 1, 1, error) &&
         hyb_shape_unify (data, &call->output[0].shape, error);
}

static gboolean
except_second_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

static void
retain_forward (const HybCall *call, const HybRun *run)
{
  const HybType *data = &call->input[0];
  gsize          bytes =
      (gsize) hyb_shape_count (&data->shape, 1, data->shape.rank) * hyb_dtype_size (data->dtype);

  memset (run->output[0], 0, hyb_type_bytes (data));
  for (gsize i = 0; i < (gsize) call->input[1].shape.dim[0]; i++)
    {
      gint64 row = read_index (call, run, 1, i, 0);

      if (row >= 0)
        memcpy ((char *) run->output[0] + (gsize) row * bytes,
                (const char *) run->input[0] + (gsize) row * bytes, bytes);
    }
}

static const char *const fill_inputs[] = { "lhs", "mhs", "rhs", NULL };
static const char *const set_inputs[] = { "lhs", "rhs", "indices", NULL };
static const char *const retain_inputs[] = { "data", "indices", NULL };

const HybOp hyb_ops_fill_element[] = {
  {
      .name = "fill_element_0index",
      .doc = "Replaces one element in each row.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = fill_inputs,
      .constant_inputs = 1 << 2,
      .infer_shape = fill_infer_shape,
      .infer_dtype = except_third_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = fill_forward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_scatter_set_nd",
      .doc = "A copy of an array in which elements or rows at given coordinates are replaced.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = set_inputs,
      .constant_inputs = 1 << 2,
      HYB_PARAMS (set_params, SetParams),
      .infer_shape = set_infer_shape,
      .infer_dtype = except_third_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = set_forward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_sparse_retain",
      .doc = "Keeps the rows that indices name, and sets the others to 0.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = retain_inputs,
      .constant_inputs = 1 << 1,
      .infer_shape = retain_infer_shape,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = retain_forward,
      HYB_GRADIENT ("_sparse_retain (g0, i1) > i0"),
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
