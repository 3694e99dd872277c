/* loop-operator.h — shared parts of the files of loop operators (foreach.c, while-loop.c): the
 * functions of HybOp, which describe the loop and call loop.h, and the rows of the table.
 *
 * A template, included once by such a file, which defines before: LOOP_DESCRIBE       a function
 * (gconstpointer params, HybLoop *loop) that fills *loop in LoopGradientParams  attributes of the
 * gradient: the loop's as the member `forward`, then a HybLoopGradientParams as `backward` LOOP_OP,
 * RECORDING_LOOP_OP and BACKWARD_LOOP_OP make the rows of the loop, its recording form and its
 * gradient; their arguments are the members that differ between operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

static gboolean
loop_infer (HybCall *call, GError **error)
{
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (call->params, &loop);
  return hyb_loop_infer (&loop, call, error);
}

static gboolean
loop_prepare (HybCall *call, GError **error)
{
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (call->params, &loop);
  return hyb_loop_prepare (&loop, call, error);
}

static gboolean
recording_prepare (HybCall *call, GError **error)
{
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (call->params, &loop);
  loop.records = TRUE;
  return hyb_loop_prepare (&loop, call, error);
}

static gboolean
loop_compute (HybCall          *call,
              const HybRun     *run,
              HybTensor *const *inputs,
              HybTensor       **outputs,
              GError          **error)
{
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (call->params, &loop);
  return hyb_loop_compute (&loop, &(HybComputeArgs){ call, run, inputs, outputs }, error);
}

static gboolean
recording_compute (HybCall          *call,
                   const HybRun     *run,
                   HybTensor *const *inputs,
                   HybTensor       **outputs,
                   GError          **error)
{
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (call->params, &loop);
  loop.records = TRUE;
  return hyb_loop_compute (&loop, &(HybComputeArgs){ call, run, inputs, outputs }, error);
}

static void
loop_cost (const HybCall *call, HybCost *cost)
{
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (call->params, &loop);
  hyb_loop_cost (&loop, call, cost);
}

/* --- The backward pass --- */

static void
gradient_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const LoopGradientParams *params = values;
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (&params->forward, &loop);
  hyb_loop_gradient_arity (&loop, &params->backward, n_inputs, n_outputs);
}

/* No input feeds the body directly: it runs on copies of the arrays that it writes. */
static guint
gradient_body_variable (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  return G_MAXUINT;
}

static gboolean
gradient_infer (HybCall *call, GError **error)
{
  const LoopGradientParams *params = call->params;
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (&params->forward, &loop);
  return hyb_loop_gradient_infer (&loop, &params->backward, call, error);
}

static gboolean
gradient_prepare (HybCall *call, GError **error)
{
  const LoopGradientParams *params = call->params;
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (&params->forward, &loop);
  return hyb_loop_gradient_prepare (&loop, &params->backward, call, error);
}

static gboolean
gradient_compute (HybCall          *call,
                  const HybRun     *run,
                  HybTensor *const *inputs,
                  HybTensor       **outputs,
                  GError          **error)
{
  const LoopGradientParams *params = call->params;
  HybComputeArgs            args = { call, run, inputs, outputs };
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (&params->forward, &loop);
  return hyb_loop_gradient_compute (&loop, &params->backward, &args, error);
}

static void
gradient_cost (const HybCall *call, HybCost *cost)
{
  const LoopGradientParams *params = call->params;
  g_auto (HybLoop) loop = { 0 };

  LOOP_DESCRIBE (&params->forward, &loop);
  hyb_loop_gradient_cost (&loop, &params->backward, call, cost);
}

/* --- Rows of the table: the arguments are further members --- */

#define LOOP_FLAGS (HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_DEVICE_BODIES)

#define LOOP_COMMON \
  .category = HYB_CATEGORY_CONTROL, .infer_dtype = hyb_rule_dtype_free, .dtypes = HYB_DTYPES_ALL

#define LOOP_FORWARD_COMMON                                            \
  LOOP_COMMON, .infer_shape = loop_infer, .forward = hyb_loop_forward, \
               .workspace = hyb_loop_workspace, .release = hyb_loop_release, .cost = loop_cost

#define LOOP_OP(...)                                                                            \
  {                                                                                             \
    LOOP_FORWARD_COMMON, .flags = LOOP_FLAGS, .prepare = loop_prepare, .compute = loop_compute, \
                         __VA_ARGS__                                                            \
  }

#define RECORDING_LOOP_OP(...)                                                                \
  {                                                                                           \
    LOOP_FORWARD_COMMON, .flags = LOOP_FLAGS | HYB_OP_INTERNAL, .prepare = recording_prepare, \
                         .compute = recording_compute, __VA_ARGS__                            \
  }

#define BACKWARD_LOOP_OP(...)                                                                     \
  {                                                                                               \
    LOOP_COMMON,                                                                                  \
        .flags = LOOP_FLAGS | HYB_OP_INTERNAL, .params_size = sizeof (LoopGradientParams),        \
        .arity = gradient_arity, .n_bodies = 1, .body_variable = gradient_body_variable,          \
        .infer_shape = gradient_infer, .forward = hyb_loop_gradient_forward,                      \
        .workspace = hyb_loop_gradient_workspace, .prepare = gradient_prepare,                    \
        .release = hyb_loop_gradient_release, .compute = gradient_compute, .cost = gradient_cost, \
        __VA_ARGS__                                                                               \
  }
