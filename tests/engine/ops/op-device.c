/* op-device.c — compares samples of operators on a device with the processor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-device.h"

#include "engine/device/gpu.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"

#include <stdlib.h>
#include <string.h>

static HybGpu *gpu;

gboolean
op_device_is_wanted (void)
{
  return g_getenv ("HYB_TEST_DEVICE") != NULL;
}

static void
close_device (void)
{
  g_clear_pointer (&gpu, hyb_gpu_unref);
}

/* FALSE and a skipped test where NVRTC is not installed; everything else is a failure. */
static gboolean
open_device (void)
{
  g_autoptr (GError) error = NULL;

  if (gpu)
    return TRUE;
  gpu = hyb_gpu_open (g_getenv ("HYB_TEST_DEVICE"), &error);
  if (gpu)
    {
      atexit (close_device);
      return TRUE;
    }
  if (!strstr (error->message, "libnvrtc"))
    g_error ("%s", error->message);
  g_test_skip (error->message);
  return FALSE;
}

/* The host may compute a step that a twin refuses, but not one whose kernel does not compile. */
static void
check_places (const HybPlan *plan)
{
  g_autofree char *text = hyb_plan_print (plan);

  if (g_test_verbose ())
    g_test_message ("%s", text);
  if (strstr (text, "does not compile"))
    g_error ("%s", text);
}

static HybExecutor *
run_on_device (HybGraph *graph, GPtrArray *inputs, gboolean training)
{
  HybExecutorOptions options = {
    .mode = HYB_MODE_STATIC, .training = training, .seed = OP_CASE_SEED, .gpu = gpu
  };
  HybExecutor *executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      hyb_executor_bind (executor, hyb_graph_get_node (graph, variables[i])->name, inputs->pdata[i],
                         &error);
      g_assert_no_error (error);
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  if (hyb_executor_get_plan (executor))
    check_places (hyb_executor_get_plan (executor));
  return executor;
}

/* Values of few bits differ by what they are rounded to, whatever type the sample is tried in. */
static void
assert_same (HybTensor *a, HybTensor *b, double tolerance)
{
  HybDType dtype = hyb_tensor_get_dtype (b);

  op_assert_same (a, b, MAX (tolerance, dtype == HYB_F16 ? 4e-3 : dtype == HYB_F32 ? 2e-5 : 0));
}

/* The processor writes a copy of the inputs that the graph writes, and the executor has copies of its own. */
static void
compare (HybGraph *graph, GPtrArray *inputs, gboolean training, double tolerance)
{
  g_autoptr (GPtrArray) written = op_copy_tensors (inputs, HYB_F32, HYB_F32);
  g_autoptr (GPtrArray) outputs = op_run_graph (graph, written, training, NULL);
  g_autoptr (HybExecutor) executor = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  if (!outputs) /* an attribute requires another dtype */
    return;
  executor = run_on_device (graph, inputs, training);
  for (guint i = 0; i < outputs->len; i++)
    assert_same (hyb_executor_get_output (executor, i), outputs->pdata[i], tolerance);
  for (guint i = 0; i < n; i++)
    assert_same (hyb_executor_get_bound (executor, hyb_graph_get_node (graph, variables[i])->name),
                 written->pdata[i], tolerance);
}

/* The graph of the sample with the gradients of its float inputs; NULL if it has none.  Gradients of
 * the outputs are appended to inputs. */
static HybGraph *
with_gradients (const OpCase *this, OpCaseGraph *sample, GPtrArray *inputs, gboolean training)
{
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GPtrArray) heads = NULL, copies = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (sample->graph, &n);

  if (!this->op->gradient || this->op->flags & HYB_OP_NO_GRADIENT ||
      (this->flags & OP_TRAINING_ONLY && !training))
    return NULL;
  for (guint i = 0; i < n; i++)
    if (hyb_dtype_is_float (hyb_tensor_get_dtype (inputs->pdata[i])) &&
        !(i < 32 && (this->op->constant_inputs | this->op->mutates) >> i & 1))
      g_array_append_val (wrt, variables[i]);
  copies = op_copy_tensors (inputs, HYB_F32, HYB_F32);
  heads = wrt->len > 0 ? op_run_graph (sample->graph, copies, training, NULL) : NULL;
  if (!heads)
    return NULL;
  for (guint i = 0; i < heads->len; i++)
    {
      HybTensor *head = hyb_tensor_copy (heads->pdata[i]);

      for (gint64 k = 0; k < hyb_tensor_get_size (head); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (head), hyb_tensor_get_dtype (head), (gsize) k,
                              1 + 0.25 * (double) (k % 3));
      g_ptr_array_add (inputs, head);
    }
  return hyb_graph_with_gradients (sample->graph, wrt->len, (const HybNodeId *) wrt->data, NULL);
}

/* The operator reads what “negative” computed, so that its output may be where input 0 is.  Pointwise
 * operators would be fused with it. */
static void
check_in_place (const OpCase *this, gboolean training, GPtrArray *inputs, double tolerance)
{
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  if (!(this->op->flags & HYB_OP_IN_PLACE) || this->op->flags & HYB_OP_POINTWISE ||
      inputs->len == 0 || !hyb_dtype_is_float (hyb_tensor_get_dtype (inputs->pdata[0])))
    return;
  graph = op_case_new_graph (this, inputs->len, 1, TRUE, &error);
  g_assert_no_error (error);
  compare (graph, inputs, training, tolerance);
}

static void
check_dtype (const OpCase *this, gboolean training, HybDType dtype, double tolerance)
{
  g_autoptr (OpCaseGraph) sample = op_case_new_sample (this, TRUE);
  g_autoptr (GPtrArray) inputs = op_copy_tensors (sample->inputs, HYB_F32, dtype);
  g_autoptr (HybGraph) graph = NULL;

  compare (sample->graph, inputs, training, tolerance);
  check_in_place (this, training, inputs, tolerance);
  graph = with_gradients (this, sample, inputs, training);
  if (graph)
    compare (graph, inputs, training, tolerance);
}

void
op_device_check (const OpCase *this, gboolean training)
{
  if (!open_device ())
    return;
  check_dtype (this, training, HYB_F32, 2e-5);
  check_dtype (this, training, HYB_F64, 1e-9);
  check_dtype (this, training, HYB_F16, 4e-3);
}
