/* cast.c — Cast, amp_cast, amp_multicast and _cast_like: conversions between element types.
 *
 * All convert as hyb_dtype_convert() does; a conversion to the same type is a view.  Start with cast_operand().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/gradient/by-formula.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/each.h"
#include "engine/kernels/simd/vector-integers.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  HybDType dtype;
} CastParams;

static const HybParam cast_params[] = {
  { HYB_FIELD (CastParams, dtype), HYB_PARAM_DTYPE, NULL, .doc = "type of the result" },
  { 0 },
};

typedef struct
{
  const char *from;
  char       *to;
  HybDType    from_dtype, to_dtype;
} CastOperands;

static void
cast_slice (gint64 begin, gint64 end, gpointer data)
{
  const CastOperands *operands = data;
  HybDType            to_dtype = operands->to_dtype, from_dtype = operands->from_dtype;
  gpointer            to = operands->to + begin * (gint64) hyb_dtype_size (to_dtype);
  gconstpointer       from = operands->from + begin * (gint64) hyb_dtype_size (from_dtype);

  if (!hyb_vector_convert (to, to_dtype, from, from_dtype, (gsize) (end - begin)))
    hyb_dtype_convert (to, to_dtype, from, from_dtype, (gsize) (end - begin));
}

/* Converts input number `index` to output number `index`. */
static void
cast_operand (const HybCall *call, const HybRun *run, guint index)
{
  CastOperands operands = {
    run->input[index],
    run->output[index],
    call->input[index].dtype,
    call->output[index].dtype,
  };

  hyb_parallel_for (hyb_shape_size (&call->input[index].shape), HYB_EACH_GRAIN, cast_slice,
                    &operands);
}

static void
cast_forward (const HybCall *call, const HybRun *run)
{
  cast_operand (call, run, 0);
}

static gboolean
cast_infer_dtype (HybCall *call, GError **error)
{
  const CastParams *params = call->params;

  return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);
}

/* Mixed precision leaves integers alone. */
static gboolean
amp_cast_infer_dtype (HybCall *call, GError **error)
{
  const CastParams *params = call->params;
  HybDType          dtype = call->input[0].dtype;

  if (dtype == HYB_DTYPE_UNKNOWN)
    return TRUE;
  return hyb_dtype_assign (&call->output[0].dtype,
                           hyb_dtype_is_float (dtype) ? params->dtype : dtype, error);
}

static gboolean
cast_like_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[1].dtype, &call->output[0].dtype, error);
}

/* A view if the type stays the same. */
static gboolean
cast_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  *input = output;
  *offset = 0;
  return call->input[output].dtype == call->output[output].dtype;
}

/* Gradients are converted to the type of the data, which is not known here; _cast_like takes it from
 * the data. */
static void
cast_gradient (HybGrad *grad)
{
  for (guint i = 0; i < hyb_grad_n_inputs (grad); i++)
    if (hyb_grad_needs_input (grad, i) && hyb_grad_has_incoming (grad, i))
      hyb_grad_set_input (grad, i,
                          hyb_grad_emit (grad, "_cast_like", hyb_grad_incoming (grad, i),
                                         hyb_grad_input (grad, i), HYB_NO_ID));
}

typedef struct
{
  gint64   num_outputs;
  gboolean cast_narrow;
} MulticastParams;

static const HybParam multicast_params[] = {
  { HYB_FIELD (MulticastParams, num_outputs), HYB_PARAM_INT, NULL, .low = 1, .high = 100000,
    .doc = "number of inputs and outputs" },
  { HYB_FIELD (MulticastParams, cast_narrow), HYB_PARAM_BOOL, "False",
    .doc = "convert to the narrowest type, not to the widest" },
  { 0 },
};

static void
multicast_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const MulticastParams *params = values;

  *n_inputs = *n_outputs = (guint) params->num_outputs;
}

/* Each output has the shape of its input. */
static gboolean
multicast_infer_shape (HybCall *call, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_unify (&call->input[i].shape, &call->output[i].shape, error))
      {
        g_prefix_error (error, "input %u: ", i);
        return FALSE;
      }
  return TRUE;
}

/* All floats become the widest (or narrowest) float type of the inputs; integers stay. */
static gboolean
multicast_infer_dtype (HybCall *call, GError **error)
{
  const MulticastParams *params = call->params;
  HybDType               best = HYB_DTYPE_UNKNOWN;

  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybDType dtype = call->input[i].dtype;
      gboolean is_wider = hyb_dtype_size (dtype) > hyb_dtype_size (best);

      if (dtype == HYB_DTYPE_UNKNOWN)
        return TRUE;
      if (hyb_dtype_is_float (dtype) &&
          (best == HYB_DTYPE_UNKNOWN || (dtype != best && is_wider != params->cast_narrow)))
        best = dtype;
    }
  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_dtype_assign (&call->output[i].dtype,
                           hyb_dtype_is_float (call->input[i].dtype) ? best : call->input[i].dtype,
                           error))
      return FALSE;
  return TRUE;
}

static void
multicast_forward (const HybCall *call, const HybRun *run)
{
  for (guint i = 0; i < call->n_inputs; i++)
    cast_operand (call, run, i);
}

static const char *const inputs[] = { "data", NULL };
static const char *const like_inputs[] = { "data", "like", NULL };

#define COMMON                                                                    \
  .category = HYB_CATEGORY_MOVEMENT, .dtypes = HYB_DTYPES_ALL, .view = cast_view, \
  .cost = hyb_rule_cost_move

const HybOp hyb_ops_cast[] = {
  {
      .name = "Cast",
      .aliases = (const char *const[]){ "cast", NULL },
      .doc = "Converts to another element type; floats lose their fraction in integers.",
      COMMON,
      .inputs = inputs,
      HYB_PARAMS (cast_params, CastParams),
      .infer_shape = hyb_rule_unary,
      .infer_dtype = cast_infer_dtype,
      .forward = cast_forward,
      .gradient = cast_gradient,
  },
  {
      .name = "amp_cast",
      .doc = "Converts floats to another float type and keeps integers.",
      COMMON,
      .inputs = inputs,
      HYB_PARAMS (cast_params, CastParams),
      .infer_shape = hyb_rule_unary,
      .infer_dtype = amp_cast_infer_dtype,
      .forward = cast_forward,
      .gradient = cast_gradient,
  },
  {
      .name = "amp_multicast",
      .doc = "Converts floats to the widest float type among them.",
      COMMON,
      .inputs = inputs,
      HYB_PARAMS (multicast_params, MulticastParams),
      .arity = multicast_arity,
      .infer_shape = multicast_infer_shape,
      .infer_dtype = multicast_infer_dtype,
      .forward = multicast_forward,
      .gradient = cast_gradient,
  },
  {
      .name = "_cast_like",
      .doc = "Converts to the element type of another tensor.",
      COMMON,
      .flags = HYB_OP_INTERNAL,
      .inputs = like_inputs,
      .constant_inputs = 1 << 1,
      .infer_shape = hyb_rule_unary,
      .infer_dtype = cast_like_infer_dtype,
      .forward = cast_forward,
      HYB_GRADIENT ("_cast_like (g0, i0) > i0"),
  },
  { 0 },
};

#undef COMMON
