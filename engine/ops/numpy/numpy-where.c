/* numpy-where.c — _npi_where, _npi_where_lscalar, _npi_where_rscalar and _npi_where_scalar2: chooses between
 * tensors or numbers by a condition; all are broadcast to each other.
 *
 * A number is an operand of one element.  Start with where_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/kernels/choose.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  double scalar, x, y;
} WhereParams;

static const HybParam scalar_params[] = {
  { HYB_FIELD (WhereParams, scalar), HYB_PARAM_FLOAT, "0.0", .doc = "the number" },
  { 0 },
};

static const HybParam scalars_params[] = {
  { HYB_FIELD (WhereParams, x), HYB_PARAM_FLOAT, "0.0", .doc = "where the condition is true" },
  { HYB_FIELD (WhereParams, y), HYB_PARAM_FLOAT, "0.0", .doc = "where it is false" },
  { 0 },
};

static gboolean
where_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 0, error);
}

/* Two numbers give float32. */
static gboolean
scalars_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

typedef struct
{
  const char *condition, *x, *y;
  HybDType    condition_dtype;
  gsize       item;
  char       *to;
} Where;

/* n times the element at `from`, or n elements that begin there. */
static void
copy_row (gpointer to, gconstpointer from, gboolean is_one, gint64 n, gsize item)
{
  gsize bytes = (gsize) n * item;

  memcpy (to, from, is_one ? item : bytes);
  for (gsize done = item; is_one && done < bytes; done *= 2)
    memcpy ((char *) to + done, to, MIN (done, bytes - done));
}

/* A row whose condition has one byte for each element or for all of them; FALSE otherwise. */
static gboolean
choose_row (const Where *where, const gint64 *offset, const gint64 *stride, gint64 n)
{
  const guint8 *condition = (const guint8 *) where->condition + offset[1];
  gsize         item = where->item;
  HybChoice     choice = {
        .item = item,
        .n = n,
        .condition = condition,
        .a = where->x + (gsize) offset[2] * item,
        .b = where->y + (gsize) offset[3] * item,
        .stride_a = stride[2],
        .stride_b = stride[3],
        .y = where->to + (gsize) offset[0] * item,
  };

  if (hyb_dtype_size (where->condition_dtype) != 1 || n == 0)
    return FALSE;
  if (stride[1] == 1)
    hyb_choose (&choice);
  else if (*condition)
    copy_row (choice.y, choice.a, stride[2] == 0, n, item);
  else
    copy_row (choice.y, choice.b, stride[3] == 0, n, item);
  return TRUE;
}

/* One row of a HybEach walk with the operands result, condition, x and y. */
static void
where_row (const gint64 *offset, const gint64 *stride, gint64 n, gpointer data)
{
  const Where *where = data;

  if (choose_row (where, offset, stride, n))
    return;
  for (gint64 i = 0; i < n; i++)
    {
      gsize    at = (gsize) (offset[1] + i * stride[1]);
      gboolean is_true = hyb_dtype_get_double (where->condition, where->condition_dtype, at) != 0;
      gint64   from = is_true ? offset[2] + i * stride[2] : offset[3] + i * stride[3];

      memcpy (where->to + (gsize) (offset[0] + i) * where->item,
              (is_true ? where->x : where->y) + (gsize) from * where->item, where->item);
    }
}

/* An operand: its memory and its shape. */
typedef struct
{
  gconstpointer data;
  HybShape      shape;
} Operand;

static void
where_forward (const HybCall *call, const HybRun *run, const Operand *x, const Operand *y)
{
  const HybType *result = &call->output[0];
  Where          where = {
             .condition = run->input[0],
             .condition_dtype = call->input[0].dtype,
             .x = x->data,
             .y = y->data,
             .item = hyb_dtype_size (result->dtype),
             .to = run->output[0],
  };
  HybEach each;

  hyb_each_init (&each, &result->shape, 4,
                 (const HybShape *[]){ &result->shape, &call->input[0].shape, &x->shape,
                                       &y->shape });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN / 4, where_row, &where);
}

static Operand
input_operand (const HybCall *call, const HybRun *run, guint index)
{
  return (Operand){ run->input[index], call->input[index].shape };
}

/* A number in the type of the result, kept in *room. */
static Operand
number_operand (const HybCall *call, double value, gint64 *room)
{
  hyb_dtype_set_double (room, call->output[0].dtype, 0, value);
  return (Operand){ room, { .rank = 0 } };
}

static void
tensors_forward (const HybCall *call, const HybRun *run)
{
  Operand x = input_operand (call, run, 1), y = input_operand (call, run, 2);

  where_forward (call, run, &x, &y);
}

static void
lscalar_forward (const HybCall *call, const HybRun *run)
{
  gint64  number;
  Operand x = number_operand (call, ((const WhereParams *) call->params)->scalar, &number);
  Operand y = input_operand (call, run, 1);

  where_forward (call, run, &x, &y);
}

static void
rscalar_forward (const HybCall *call, const HybRun *run)
{
  gint64  number;
  Operand x = input_operand (call, run, 1);
  Operand y = number_operand (call, ((const WhereParams *) call->params)->scalar, &number);

  where_forward (call, run, &x, &y);
}

static void
scalars_forward (const HybCall *call, const HybRun *run)
{
  const WhereParams *params = call->params;
  gint64             numbers[2];
  Operand            x = number_operand (call, params->x, &numbers[0]);
  Operand            y = number_operand (call, params->y, &numbers[1]);

  where_forward (call, run, &x, &y);
}

static const char *const tensors_inputs[] = { "condition", "x", "y", NULL };
static const char *const lscalar_inputs[] = { "condition", "y", NULL };
static const char *const rscalar_inputs[] = { "condition", "x", NULL };
static const char *const scalars_inputs[] = { "condition", NULL };

#define COMMON(stem)                                                                        \
  .category = HYB_CATEGORY_ELEMENTWISE, .inputs = stem##_inputs, .constant_inputs = 1 << 0, \
  .infer_shape = hyb_rule_broadcast, .dtypes = HYB_DTYPES_ALL, .forward = stem##_forward,   \
  .cost = hyb_rule_cost_move

const HybOp hyb_ops_numpy_where[] = {
  {
      .name = "_npi_where",
      .doc = "x where the condition is not zero, else y.",
      COMMON (tensors),
      .infer_dtype = where_infer_dtype,
      HYB_GRADIENT ("_reduce_like (_npi_where_rscalar [scalar=0.0] (i0, g0), i1) > i1; "
                    "_reduce_like (_npi_where_lscalar [scalar=0.0] (i0, g0), i2) > i2"),
  },
  {
      .name = "_npi_where_lscalar",
      .doc = "A number where the condition is not zero, else y.",
      COMMON (lscalar),
      HYB_PARAMS (scalar_params, WhereParams),
      .infer_dtype = where_infer_dtype,
      HYB_GRADIENT ("_reduce_like (_npi_where_lscalar [scalar=0.0] (i0, g0), i1) > i1"),
  },
  {
      .name = "_npi_where_rscalar",
      .doc = "x where the condition is not zero, else a number.",
      COMMON (rscalar),
      HYB_PARAMS (scalar_params, WhereParams),
      .infer_dtype = where_infer_dtype,
      HYB_GRADIENT ("_reduce_like (_npi_where_rscalar [scalar=0.0] (i0, g0), i1) > i1"),
  },
  {
      .name = "_npi_where_scalar2",
      .doc = "One number where the condition is not zero, else another.",
      COMMON (scalars),
      .flags = HYB_OP_NO_GRADIENT,
      HYB_PARAMS (scalars_params, WhereParams),
      .infer_dtype = scalars_infer_dtype,
  },
  { 0 },
};

#undef COMMON
