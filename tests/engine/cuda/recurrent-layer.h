/* recurrent-layer.h — an LSTM with its gradients, for tests on the pretend GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "tests/engine/cuda/on-pretend-gpu.h"

enum
{
  STEPS = 5,
  BATCH = 3,
  INPUTS = 4,
  HIDDEN = 6,
  WEIGHTS = 4 * HIDDEN * (INPUTS + HIDDEN + 2)
};

/* An LSTM with the gradients of its inputs. */
G_GNUC_UNUSED static HybGraph *
new_layer (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  inputs[] = { hyb_builder_add_variable (builder, "x", NULL),
                           hyb_builder_add_variable (builder, "w", NULL),
                           hyb_builder_add_variable (builder, "h", NULL),
                           hyb_builder_add_variable (builder, "c", NULL) };
  const char *attributes[] = { "mode", "lstm", "num_layers", "1", "state_size", "6", NULL };
  HybNodeSpec spec = { .op = hyb_op_find ("RNN"),
                       .name = "layer",
                       .inputs = inputs,
                       .n_inputs = G_N_ELEMENTS (inputs),
                       .attributes = attributes };
  HybNodeId   wrt[] = { 0, 1, 2, 3 };
  HybGraph   *graph;
  g_autoptr (HybGraph) forward = NULL;
  g_autoptr (GError) error = NULL;
  HybNodeId layer = hyb_builder_add (builder, &spec, &error);

  g_assert_no_error (error);
  hyb_builder_add_head (builder, hyb_builder_output (builder, layer, 0));
  forward = hyb_builder_freeze (builder);
  graph = hyb_graph_with_gradients (forward, G_N_ELEMENTS (wrt), wrt, &error);
  g_assert_no_error (error);
  return graph;
}

G_GNUC_UNUSED static HybTensor *
new_states (gint64 first, gint64 last)
{
  HybType    type = { hyb_shape_3d (first, BATCH, last), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) i, sin ((double) i));
  return tensor;
}

/* All variables are bound. */
G_GNUC_UNUSED static HybExecutor *
new_layer_executor (HybGraph *graph, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .training = TRUE, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  bind (executor, "x", new_states (STEPS, INPUTS));
  bind (executor, "w", new_tensor (WEIGHTS, 0, 0.1));
  bind (executor, "h", new_states (1, HIDDEN));
  bind (executor, "c", new_states (1, HIDDEN));
  g_assert_cmpuint (n, ==, 5); /* the last one is the gradient of the output */
  bind (executor, hyb_graph_get_node (graph, variables[4])->name, new_states (STEPS, HIDDEN));
  return executor;
}
