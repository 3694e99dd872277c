/* compute.c — runs a node whose types are known only while running, by lowering it alone.
 *
 * Everything about its inputs is known then, so that whatever can be lowered at all can be lowered here.  It is done anew for
 * each call.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/compute.h"
#include "engine/base/error.h"
#include "engine/imperative/imperative.h"
#include "engine/onnx/reader.h"

/* The node of the call as a graph, which returns all its outputs. */
static HybGraph *
make_graph (const HybCall *call, GError **error)
{
  HybBuilder            *builder = hyb_builder_new ();
  g_autofree HybValueId *inputs = g_new (HybValueId, MAX (call->n_inputs, 1));
  HybNodeSpec            spec = { .op = call->op,
                                  .name = "",
                                  .params = hyb_params_ref ((gpointer) call->params),
                                  .n_inputs = call->n_inputs,
                                  .inputs = inputs,
                                  .n_bodies = call->n_bodies,
                                  .bodies = call->body };
  HybNodeId              id;

  hyb_builder_set_legacy_shapes (builder, FALSE);
  for (guint i = 0; i < call->n_inputs; i++)
    inputs[i] = hyb_builder_add_variable (builder, "", NULL);
  id = hyb_builder_add (builder, &spec, error);
  if (id == HYB_NO_ID)
    {
      hyb_builder_free (builder);
      return NULL;
    }
  for (guint i = 0; i < call->n_outputs; i++)
    hyb_builder_add_head (builder, hyb_builder_output (builder, id, i));
  return hyb_builder_freeze (builder);
}

static HybLowered *
lower_alone (HybGraph *graph, const HybRun *run, HybTensor *const *inputs, GError **error)
{
  guint                  n_values = hyb_graph_n_values (graph), n;
  const HybNodeId       *variables = hyb_graph_get_variables (graph, &n);
  g_autofree HybType    *types = g_new (HybType, MAX (n_values, 1));
  g_autofree HybTensor **contents = g_new0 (HybTensor *, MAX (n_values, 1));

  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      HybValueId value = hyb_graph_get_node (graph, variables[i])->first_output;

      types[value] = *hyb_tensor_get_type (inputs[i]);
      contents[value] = inputs[i];
    }
  return hyb_lower (graph,
                    &(HybLowerOptions){ .types = types,
                                        .contents = contents,
                                        .training = run->training,
                                        .for_run = TRUE,
                                        .may_lack_heads = TRUE },
                    error);
}

HybTensor *
hyb_onnx_no_rows (const HybCall *call, guint output, GError **error)
{
  const HybOnnxUse *use = call->params;
  HybType           declared = HYB_TYPE_UNKNOWN, type = { hyb_shape_1d (0), HYB_F32 };

  if (use->declared[output])
    declared = hyb_onnx_declared_type (use->declared[output]);
  if (declared.dtype != HYB_DTYPE_UNKNOWN)
    type.dtype = declared.dtype;
  if (declared.shape.rank > 0)
    type.shape = declared.shape;
  for (int i = 1; i < type.shape.rank; i++)
    type.shape.dim[i] = MAX (type.shape.dim[i], 0);
  type.shape.dim[0] = 0;
  return hyb_tensor_new (&type, error);
}

/* An output that the lowered node lacks: an array without elements if nothing reads it. */
static HybTensor *
replace_missing (const HybCall *call, guint output, GError **error)
{
  const HybOnnxUse *use = call->params;

  if (g_str_equal (use->output_names[output], "(unused)"))
    return hyb_onnx_no_rows (call, output, error);
  hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL,
                "hscope info, check and render show the model all the same",
                "this program does not compute output %u, “%s”", output, use->output_names[output]);
  return NULL;
}

/* Moves the heads that there are to their places. */
static gboolean
place_outputs (const HybCall    *call,
               const HybLowered *lowered,
               HybTensor       **heads,
               HybTensor       **outputs,
               GError          **error)
{
  gboolean is_complete = TRUE;
  guint    next = 0;

  for (guint i = 0; i < call->n_outputs; i++)
    {
      gboolean is_there = g_array_index (lowered->map, HybValueId, call->n_inputs + i) != HYB_NO_ID;

      outputs[i] = NULL;
      if (is_there)
        outputs[i] = heads[next++];
      else if (is_complete)
        outputs[i] = replace_missing (call, i, error);
      is_complete &= outputs[i] != NULL;
    }
  return is_complete;
}

gboolean
hyb_onnx_compute (HybCall          *call,
                  const HybRun     *run,
                  HybTensor *const *inputs,
                  HybTensor       **outputs,
                  GError          **error)
{
  g_autoptr (HybGraph) graph = make_graph (call, error);
  g_autoptr (HybLowered) lowered = graph ? lower_alone (graph, run, inputs, error) : NULL;
  g_autofree HybTensor **heads = g_new0 (HybTensor *, MAX (call->n_outputs, 1));
  HybRun                 inner = *run;

  inner.probe = NULL;
  return lowered && hyb_imperative_run (lowered->graph, inputs, heads, &inner, error) &&
         place_outputs (call, lowered, heads, outputs, error);
}
