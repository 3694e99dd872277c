/* run-plan.h — planning for given tensors, and running a plan once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan-private.h"

#include <stdlib.h>
#include <string.h>

static inline gpointer
aligned_room (gsize bytes)
{
  gpointer room = NULL;

  g_assert_cmpint (posix_memalign (&room, HYB_ALIGNMENT, MAX (bytes, 1)), ==, 0);
  memset (room, 0xff, bytes); /* NaN: what is read unwritten shows */
  return room;
}

static inline HybPlan *
plan_for (HybGraph *graph, HybTensor *const *inputs, const HybPlanOptions *options)
{
  g_autoptr (GError) error = NULL;
  guint               n;
  HybPlan            *plan;
  g_autofree HybType *types = NULL;

  hyb_graph_get_variables (graph, &n);
  types = g_new (HybType, n + 1);
  for (guint i = 0; i < n; i++)
    types[i] = *hyb_tensor_get_type (inputs[i]);
  plan = hyb_plan_new (graph, types, options, &error);
  g_assert_no_error (error);
  return plan;
}

static inline GPtrArray *
run_plan (const HybPlan *plan, HybTensor *const *inputs)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  gpointer   room = aligned_room (hyb_frame_size (plan));
  gpointer   memory = aligned_room (hyb_plan_get_memory (plan));
  HybFrame  *frame = hyb_frame_init (room, plan, memory);
  HybRun     context = { .seed = 3 };

  for (guint i = 0; i < hyb_plan_n_variables (plan); i++)
    hyb_frame_bind_variable (frame, i, hyb_tensor_get_data (inputs[i]));
  for (guint i = 0; i < hyb_plan_n_heads (plan); i++)
    {
      g_ptr_array_add (outputs, hyb_tensor_new (hyb_plan_get_head_type (plan, i), NULL));
      if (plan->binds_outputs)
        hyb_frame_bind_head (frame, i, hyb_tensor_get_data (outputs->pdata[i]));
    }
  g_assert_true (hyb_frame_run (frame, &context));
  for (guint i = 0; i < hyb_plan_n_heads (plan); i++)
    memmove (hyb_tensor_get_data (outputs->pdata[i]), hyb_frame_get_head (frame, i),
             hyb_tensor_get_bytes (outputs->pdata[i]));
  free (memory);
  free (room);
  return outputs;
}
