/* convert.c — runs a kernel on dtypes that it does not compute in.
 *
 * Operands are converted to a wider dtype in the workspace, the kernel runs on the copies, and
 * outputs are converted back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/convert.h"

static gsize
align_up (gsize bytes)
{
  return (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
}

/* Half floats become float32, which represents them exactly; integers become float64, which
 * represents 53 bits; anything else becomes the widest dtype that the kernel has. */
static HybDType
computed_dtype (const HybOp *op, HybDType dtype)
{
  guint32  computes = op->dtypes != 0 ? op->dtypes : HYB_DTYPES_F32;
  HybDType preferred = dtype == HYB_F16 || dtype == HYB_BF16 ? HYB_F32 : HYB_F64;
  HybDType second = preferred == HYB_F32 ? HYB_F64 : HYB_F32;

  if (computes & HYB_DTYPE_BIT (dtype))
    return dtype;
  if (computes & HYB_DTYPE_BIT (preferred))
    return preferred;
  if (computes & HYB_DTYPE_BIT (second))
    return second;
  return (HybDType) g_bit_nth_lsf (computes, -1);
}

gboolean
hyb_convert_is_needed (const HybCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (computed_dtype (call->op, call->input[i].dtype) != call->input[i].dtype)
      return TRUE;
  for (guint i = 0; i < call->n_outputs; i++)
    if (computed_dtype (call->op, call->output[i].dtype) != call->output[i].dtype)
      return TRUE;
  return FALSE;
}

gboolean
hyb_convert_init (HybCall *inner, const HybCall *outer, HybType *room, gsize *bytes)
{
  guint n = outer->n_inputs + outer->n_outputs;

  *inner = *outer;
  inner->input = room;
  inner->output = room + outer->n_inputs;
  *bytes = align_up (n * sizeof (gpointer));

  for (guint i = 0; i < n; i++)
    {
      const HybType *type =
          i < outer->n_inputs ? &outer->input[i] : &outer->output[i - outer->n_inputs];
      gsize size;

      room[i] = (HybType){ type->shape, computed_dtype (outer->op, type->dtype) };
      if (room[i].dtype == type->dtype)
        continue;
      if (!hyb_shape_bytes (&room[i].shape, room[i].dtype, &size, NULL) ||
          !g_size_checked_add (bytes, *bytes, align_up (size)))
        return FALSE;
    }
  return TRUE;
}

/* The next buffer for an operand, or the caller's memory if it needs no conversion. */
static gpointer
take_buffer (char **room, const HybType *outer, const HybType *inner, gpointer given)
{
  gpointer buffer = *room;

  if (outer->dtype == inner->dtype)
    return given;
  *room += align_up (hyb_type_bytes (inner));
  return buffer;
}

static void
convert (gpointer to, const HybType *to_type, gconstpointer from, const HybType *from_type)
{
  if (to_type->dtype != from_type->dtype)
    hyb_dtype_convert (to, to_type->dtype, from, from_type->dtype,
                       (gsize) hyb_shape_size (&to_type->shape));
}

void
hyb_convert_forward (const HybCall *outer, const HybCall *inner, const HybRun *run)
{
  gpointer *input = run->workspace;
  gpointer *output = input + outer->n_inputs;
  char     *room =
      (char *) run->workspace + align_up ((outer->n_inputs + outer->n_outputs) * sizeof (gpointer));
  HybRun own = *run;

  for (guint i = 0; i < outer->n_inputs; i++)
    {
      input[i] = take_buffer (&room, &outer->input[i], &inner->input[i], (gpointer) run->input[i]);
      convert (input[i], &inner->input[i], run->input[i], &outer->input[i]);
    }
  for (guint i = 0; i < outer->n_outputs; i++)
    output[i] = take_buffer (&room, &outer->output[i], &inner->output[i], run->output[i]);

  own.input = (gconstpointer *) input;
  own.output = output;
  own.workspace = room;
  inner->op->forward (inner, &own);

  for (guint i = 0; i < outer->n_inputs; i++)
    if (hyb_op_writes_input (outer->op, i))
      convert ((gpointer) run->input[i], &outer->input[i], input[i], &inner->input[i]);
  for (guint i = 0; i < outer->n_outputs; i++)
    convert (run->output[i], &outer->output[i], output[i], &inner->output[i]);
}
