/* wide-call.c — runs a float operator on integers held in float64.  Start at hyb_wide_call_init().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/quantised/wide-call.h"

#include "engine/op/dimensions.h"

/* Infers the shapes of the outputs with the operator's own rule. */
static gboolean
infer_outputs (HybWideCall *wide, GError **error)
{
  HybCall *call = &wide->call;

  if (call->op->infer_shape && !call->op->infer_shape (call, error))
    return FALSE;
  for (gsize i = 0; i < wide->n_operands; i++)
    {
      wide->types[i].dtype = HYB_F64;
      if (!hyb_shape_is_known (&wide->types[i].shape))
        return hyb_refuse_types (error, "Give the shapes of all inputs",
                                 "the shape of operand %u of %s is not known", (guint) i,
                                 call->op->name);
    }
  return TRUE;
}

static gboolean
take_memory (HybWideCall *wide, gsize *workspace, GError **error)
{
  wide->pointers = hyb_workspace_take (workspace, wide->n_operands * sizeof (gpointer));
  for (gsize i = 0; i < wide->n_operands; i++)
    {
      gsize bytes;

      if (!hyb_shape_bytes (&wide->types[i].shape, HYB_F64, &bytes, error))
        return FALSE;
      wide->operand[i] = hyb_workspace_take (workspace, bytes);
    }
  if (wide->call.op->workspace)
    wide->scratch = hyb_workspace_take (workspace, wide->call.op->workspace (&wide->call));
  return TRUE;
}

gboolean
hyb_wide_call_init (HybWideCall *wide, const HybWideSpec *spec, gsize *workspace, GError **error)
{
  guint n_inputs, n_outputs;

  hyb_op_arity (spec->op, spec->params, &n_inputs, &n_outputs);
  *wide = (HybWideCall){ .n_operands = (gsize) n_inputs + n_outputs };
  if (n_inputs != spec->n_inputs || !(spec->op->dtypes & HYB_DTYPE_BIT (HYB_F64)))
    return hyb_refuse_types (error, NULL, "%s does not compute this on integers", spec->op->name);
  wide->types = g_new (HybType, wide->n_operands);
  wide->operand = g_new0 (gsize, wide->n_operands);
  for (gsize i = 0; i < wide->n_operands; i++)
    wide->types[i] = i < n_inputs ? (HybType){ spec->inputs[i].shape, HYB_F64 } : HYB_TYPE_UNKNOWN;
  wide->call = (HybCall){ .op = spec->op,
                          .params = spec->params,
                          .n_inputs = n_inputs,
                          .n_outputs = n_outputs,
                          .input = wide->types,
                          .output = wide->types + n_inputs };
  return infer_outputs (wide, error) &&
         (!spec->op->prepare || spec->op->prepare (&wide->call, error)) &&
         take_memory (wide, workspace, error);
}

void
hyb_wide_call_clear (HybWideCall *wide)
{
  if (wide->call.op && wide->call.op->release)
    wide->call.op->release (&wide->call);
  g_clear_pointer (&wide->types, g_free);
  g_clear_pointer (&wide->operand, g_free);
}

double *
hyb_wide_call_input (const HybWideCall *wide, const HybRun *run, guint input)
{
  return (gpointer) ((char *) run->workspace + wide->operand[input]);
}

double *
hyb_wide_call_output (const HybWideCall *wide, const HybRun *run)
{
  return hyb_wide_call_input (wide, run, wide->call.n_inputs);
}

gint64
hyb_wide_call_input_size (const HybWideCall *wide, guint input)
{
  return hyb_shape_size (&wide->call.input[input].shape);
}

gint64
hyb_wide_call_output_size (const HybWideCall *wide)
{
  return hyb_shape_size (&wide->call.output[0].shape);
}

void
hyb_wide_call_load (const HybWideCall *wide,
                    const HybRun      *run,
                    guint              input,
                    gconstpointer      from,
                    HybDType           dtype)
{
  hyb_dtype_convert (hyb_wide_call_input (wide, run, input), HYB_F64, from, dtype,
                     (gsize) hyb_wide_call_input_size (wide, input));
}

void
hyb_wide_call_run (const HybWideCall *wide, const HybRun *run)
{
  gpointer *pointers = (gpointer) ((char *) run->workspace + wide->pointers);
  HybRun    inner = *run;

  for (gsize i = 0; i < wide->n_operands; i++)
    pointers[i] = (char *) run->workspace + wide->operand[i];
  inner.input = (gconstpointer *) pointers;
  inner.output = pointers + wide->call.n_inputs;
  inner.workspace = (char *) run->workspace + wide->scratch;
  wide->call.op->forward (&wide->call, &inner);
}
