/* value-check.c — checks indices, and runs the forward function of an operator that checks its values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/value-check.h"

#include "engine/base/error.h"

gboolean
hyb_checks_always (gconstpointer params)
{
  (void) params;
  return TRUE;
}

gboolean
hyb_check_indices (const HybType *type,
                   gconstpointer  data,
                   gint64         size,
                   const char    *operand,
                   GError       **error)
{
  gint64 n = hyb_shape_size (&type->shape);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 index = hyb_dtype_get_int (data, type->dtype, (gsize) i);

      if (index < 0 || index >= size)
        return hyb_error_at (error,
                             HYB_GRAPH_ERROR,
                             HYB_GRAPH_ERROR_TYPES,
                             NULL,
                             "Correct the values of this input.",
                             "element %" G_GINT64_FORMAT " of %s is %" G_GINT64_FORMAT
                             ", outside an axis of %" G_GINT64_FORMAT,
                             i,
                             operand,
                             index,
                             size);
    }
  return TRUE;
}

gboolean
hyb_compute_forward (HybCall          *call,
                     const HybRun     *run,
                     HybTensor *const *inputs,
                     HybTensor       **outputs,
                     GError          **error)
{
  g_autofree gconstpointer *from = g_new (gconstpointer, MAX (call->n_inputs, 1));
  g_autofree gpointer      *to = g_new (gpointer, call->n_outputs);
  HybRun                    kernel = *run;

  for (guint i = 0; i < call->n_inputs; i++)
    from[i] = hyb_tensor_get_data (inputs[i]);
  for (guint i = 0; i < call->n_outputs; i++)
    {
      outputs[i] = hyb_tensor_new (&call->output[i], error);
      if (!outputs[i])
        {
          for (guint k = 0; k < i; k++)
            g_clear_pointer (&outputs[k], hyb_tensor_unref);
          return FALSE;
        }
      to[i] = hyb_tensor_get_data (outputs[i]);
    }

  kernel.input = from;
  kernel.output = to;
  call->op->forward (call, &kernel);
  return TRUE;
}
