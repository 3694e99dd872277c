/* numpy-reshape.c — _np_reshape, _npx_reshape and _np_atleast_1d …: the same elements under another
 * shape.
 *
 * All of them are views of their inputs.  _npx_reshape has codes of its own, which are translated to
 * those of Reshape (array/reshape-codes.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/dimensions.h"
#include "engine/ops/array/reshape-codes.h"
#include "engine/ops/array/reshape-family.h"

typedef struct
{
  HybShape newshape;
  gboolean reverse;
  char    *order;
} ReshapeParams;

#define SHAPE_PARAM(text)                                                   \
  {                                                                         \
    HYB_FIELD (ReshapeParams, newshape), HYB_PARAM_SHAPE, NULL, .doc = text \
  }
#define ORDER_PARAM                                          \
  {                                                          \
    HYB_FIELD (ReshapeParams, order), HYB_PARAM_STRING, "C", \
        .doc = "order of the elements; not used"             \
  }

static const HybParam reshape_params[] = {
  SHAPE_PARAM ("sizes; one may be -1, which is inferred"),
  ORDER_PARAM,
  { 0 },
};

static const HybParam codes_params[] = {
  SHAPE_PARAM (
      "sizes; -1 infers, -2 copies, -3 drops a 1, -4 copies the rest, -5 merges two, -6 splits"),
  { HYB_FIELD (ReshapeParams, reverse), HYB_PARAM_BOOL, "False",
    .doc = "read the codes from right to left" },
  ORDER_PARAM,
  { 0 },
};

#undef SHAPE_PARAM
#undef ORDER_PARAM

/* The result has as many elements as the input. */
static gboolean
infer_as (HybCall *call, HybShape *out, GError **error)
{
  HybShape *data = &call->input[0].shape;

  return hyb_dims_same_size (data, out, error) &&
         hyb_shape_assign (&call->output[0].shape, out, error) &&
         hyb_dims_same_size (data, &call->output[0].shape, error);
}

static gboolean
reshape_check (gconstpointer values, GError **error)
{
  const ReshapeParams *params = values;
  int                  n_inferred = 0;

  for (int i = 0; i < params->newshape.rank; i++)
    {
      if (params->newshape.dim[i] < -1)
        return hyb_refuse_attribute (error, "Give a size, or -1 to infer one",
                                     "newshape has the size %" G_GINT64_FORMAT,
                                     params->newshape.dim[i]);
      n_inferred += params->newshape.dim[i] == -1;
    }
  return n_inferred <= 1 ||
         hyb_refuse_attribute (error, NULL, "only one dimension of newshape can be -1");
}

static gboolean
reshape_infer_shape (HybCall *call, GError **error)
{
  HybShape out = ((const ReshapeParams *) call->params)->newshape;

  return infer_as (call, &out, error);
}

/* The code of Reshape for one of _npx_reshape; FALSE if there is none. */
static gboolean
translate_code (gint64 code, gint64 *translated)
{
  static const gint64 codes[] = {
    [1] = HYB_RESHAPE_INFER,     [2] = HYB_RESHAPE_COPY,  [3] = HYB_RESHAPE_DROP,
    [4] = HYB_RESHAPE_COPY_REST, [5] = HYB_RESHAPE_MERGE, [6] = HYB_RESHAPE_SPLIT,
  };

  if (code < -6)
    return FALSE;
  *translated = code > 0 ? code : code == 0 ? HYB_RESHAPE_EMPTY : codes[-code];
  return TRUE;
}

static gboolean
codes_check (gconstpointer values, GError **error)
{
  const ReshapeParams *params = values;

  for (int i = 0; i < params->newshape.rank; i++)
    if (params->newshape.dim[i] < -6)
      return hyb_refuse_attribute (error, "Use the codes -1 to -6",
                                   "newshape has an unknown code %" G_GINT64_FORMAT,
                                   params->newshape.dim[i]);
  return TRUE;
}

static gboolean
codes_infer_shape (HybCall *call, GError **error)
{
  const ReshapeParams *params = call->params;
  const HybShape      *data = &call->input[0].shape;
  HybShape             codes = params->newshape, out;
  int                  split_at = -1;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  for (int i = 0; i < codes.rank; i++)
    {
      int at = params->reverse ? codes.rank - 1 - i : i;

      /* The two sizes after a split keep their meaning; −1 is inferred there too. */
      if (split_at >= 0 && i - split_at <= 2)
        continue;
      split_at = codes.dim[at] == -6 ? i : -1;
      translate_code (codes.dim[at], &codes.dim[at]);
    }
  return hyb_reshape_by_codes (&codes, params->reverse, data, &out, error) &&
         infer_as (call, &out, error);
}

/* --- _np_atleast_1d …: axes of size 1 are added until there are enough --- */

typedef struct
{
  gint64 num_args;
} AtLeastParams;

static const HybParam at_least_params[] = {
  { HYB_FIELD (AtLeastParams, num_args), HYB_PARAM_INT, .low = 1, .high = 65536,
    .doc = "number of inputs" },
  { 0 },
};

static void
at_least_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = *n_outputs = (guint) ((const AtLeastParams *) values)->num_args;
}

/* Vectors get an axis in front, and matrices one behind. */
static gboolean
at_least_infer (HybCall *call, int rank, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybShape out = call->input[i].shape;

      if (out.rank == HYB_UNKNOWN)
        continue;
      while (out.rank < rank)
        out = hyb_dims_with (&out, out.rank == 2 ? 2 : 0, 1);
      if (!hyb_dims_same_size (&call->input[i].shape, &out, error) ||
          !hyb_shape_assign (&call->output[i].shape, &out, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
at_least_1_infer_shape (HybCall *call, GError **error)
{
  return at_least_infer (call, 1, error);
}

static gboolean
at_least_2_infer_shape (HybCall *call, GError **error)
{
  return at_least_infer (call, 2, error);
}

static gboolean
at_least_3_infer_shape (HybCall *call, GError **error)
{
  return at_least_infer (call, 3, error);
}

static gboolean
each_infer_dtype (HybCall *call, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_dtype_unify (&call->input[i].dtype, &call->output[i].dtype, error))
      return FALSE;
  return TRUE;
}

static void
at_least_forward (const HybCall *call, const HybRun *run)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (run->output[i] != run->input[i])
      memcpy (run->output[i], run->input[i], hyb_type_bytes (&call->output[i]));
}

static gboolean
at_least_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  *input = output;
  *offset = 0;
  return TRUE;
}

static void
at_least_gradient (HybGrad *grad)
{
  for (guint i = 0; i < hyb_grad_n_inputs (grad); i++)
    if (hyb_grad_needs_input (grad, i) && hyb_grad_has_incoming (grad, i))
      hyb_grad_set_input (grad, i,
                          hyb_grad_emit (grad, "reshape_like", hyb_grad_incoming (grad, i),
                                         hyb_grad_input (grad, i), HYB_NO_ID));
}

static const char *const one_input[] = { "a", NULL };
static const char *const many_inputs[] = { "arys", NULL };
static const char *const reshape_aliases[] = { "_npi_reshape", NULL };

#define COMMON .category = HYB_CATEGORY_MOVEMENT, .dtypes = HYB_DTYPES_ALL, .cost = reshape_cost
#define RESHAPE(table, stem)                                                                     \
  COMMON, .flags = HYB_OP_IN_PLACE, .inputs = one_input, .params = table,                        \
          .params_size = sizeof (ReshapeParams), .check = stem##_check,                          \
          .infer_shape = stem##_infer_shape, .forward = reshape_copy, .view = hyb_rule_view_all, \
          .gradient = reshape_gradient
#define AT_LEAST(rank)                                                                       \
  {                                                                                          \
    .name = "_np_atleast_" #rank "d",                                                        \
    .doc = "Adds axes of size 1 to each array until it has " #rank ".", COMMON,              \
    .inputs = many_inputs, .params = at_least_params, .params_size = sizeof (AtLeastParams), \
    .arity = at_least_arity, .infer_shape = at_least_##rank##_infer_shape,                   \
    .infer_dtype = each_infer_dtype, .forward = at_least_forward, .view = at_least_view,     \
    .gradient = at_least_gradient,                                                           \
  }

const HybOp hyb_ops_numpy_reshape[] = {
  {
      .name = "_np_reshape",
      .aliases = reshape_aliases,
      .doc = "Gives the same elements another shape.",
      RESHAPE (reshape_params, reshape),
  },
  {
      .name = "_npx_reshape",
      .doc = "Gives the same elements another shape, which codes describe.",
      RESHAPE (codes_params, codes),
  },
  AT_LEAST (1),
  AT_LEAST (2),
  AT_LEAST (3),
  { 0 },
};

#undef AT_LEAST
#undef RESHAPE
#undef COMMON
