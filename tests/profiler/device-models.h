/* device-models.h — small models that tests trace on the pretend GPU.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.  A test begins with start(), and returns if that is FALSE.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/device-trace.h"
#include "profiler/record/subject.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"

/* The sum of the times that the pretend CUPTI has put into records since the last call. */
G_GNUC_UNUSED static guint64 (*recorded_nanoseconds) (void);

/* FALSE and a skipped test where NVRTC is not installed.  CUPTI is opened before the GPU, as in programs. */
G_GNUC_UNUSED static gboolean
start (const char *settings)
{
  g_autofree char *path = g_build_filename (g_getenv ("HYB_GPU_PATH"), "libcupti.so.13", NULL);
  void            *library = dlopen (path, RTLD_NOW);

  g_assert_nonnull (library);
  *(void **) &recorded_nanoseconds = dlsym (library, "pretend_recorded_nanoseconds");
  g_assert_nonnull (recorded_nanoseconds);
  prof_device_trace_prepare ();
  return set_up (settings);
}

/* --- Models --- */

/* y = tanh (x w), and the logistic function of its square. */
G_GNUC_UNUSED static HybGraph *
new_layers (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  y = op_node (b, "dot", NULL, op_variable (b, "x"), op_variable (b, "w"), HYB_NO_ID);

  y = op_node (b, "tanh", NULL, y, HYB_NO_ID);
  y = op_node (b, "dot", NULL, y, y, HYB_NO_ID);
  return op_finish (b, op_node (b, "sigmoid", NULL, y, HYB_NO_ID), HYB_NO_ID);
}

/* The same with a running sum in between, which the host computes. */
G_GNUC_UNUSED static HybGraph *
new_layers_with_host (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  y = op_node (b, "dot", NULL, op_variable (b, "x"), op_variable (b, "w"), HYB_NO_ID);

  y = op_node (b, "tanh", NULL, y, HYB_NO_ID);
  y = op_node (b, "cumsum", "axis=1", y, HYB_NO_ID);
  return op_finish (b, op_node (b, "sigmoid", NULL, y, HYB_NO_ID), HYB_NO_ID);
}

/* state = tanh (state + row) over the rows of its first input. */
G_GNUC_UNUSED static HybGraph *
new_inner_body (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  y = op_node (b, "elemwise_add", NULL, row, op_variable (b, "state"), HYB_NO_ID);

  y = op_node (b, "tanh", NULL, y, HYB_NO_ID);
  return op_finish (b, y, y, HYB_NO_ID);
}

#define LOOP \
  "num_args=3 num_outputs=2 num_out_data=1 in_data_locs=(0,) in_state_locs=(1,) remain_locs=()"

/* In every step the state runs through a loop over the rows of w, then the row is subtracted. */
G_GNUC_UNUSED static HybGraph *
new_nested_loops (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "outer_row"), state = op_variable (b, "outer_state");
  HybValueId  w = op_variable (b, "outer_w"), y;
  HybGraph   *body = new_inner_body ();

  y = op_node_with_bodies (b, "_foreach", LOOP,
                           &(OpOperands){ 2, (HybValueId[]){ w, state }, 1, &body });
  y = op_node (b, "elemwise_sub", NULL, y + 1, row, HYB_NO_ID);
  body = op_finish (b, y, y, HYB_NO_ID);

  b = hyb_builder_new ();
  row = op_variable (b, "x");
  state = op_node (b, "slice_axis", "axis=0 begin=0 end=1", row, HYB_NO_ID);
  state = op_node (b, "Reshape", "shape=(-1,)", state, HYB_NO_ID);
  y = op_node_with_bodies (b, "_foreach",
                           "num_args=4 num_outputs=2 num_out_data=1 in_data_locs=(0,) "
                           "in_state_locs=(1,) remain_locs=(2,)",
                           &(OpOperands){ 3, (HybValueId[]){ row, state, op_variable (b, "w") }, 1,
                                          &body });
  return op_finish (b, y, HYB_NO_ID);
}

G_GNUC_UNUSED static ProfSubject *
new_subject (HybGraph *graph, HybMode mode, HybGpu *gpu)
{
  ProfSubjectOptions options = { .mode = mode, .no_passes = TRUE, .gpu = gpu };
  g_autoptr (HybTensor) x = new_tensor (6, 6, 0.3);
  g_autoptr (HybTensor) w = new_tensor (6, 6, 0.7);
  HybTensor *values[] = { x, w };
  g_autoptr (GError) error = NULL;
  guint        n;
  ProfSubject *subject;

  hyb_graph_get_variables (graph, &n);
  g_assert_cmpuint (n, ==, 2);
  subject = prof_subject_new (graph, values, &options, &error);
  g_assert_no_error (error);
  return subject;
}
