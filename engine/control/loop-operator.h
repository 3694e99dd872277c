/* loop-operator.h — the functions of an operator that is a loop, and of its gradient: each
 * has it described and hands it to loop.h.  Included by foreach.c and while-loop.c, after
 * describe(), with LoopGradientParams naming the parameters of the gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

static gboolean
loop_infer (HybCall *call, GError **error)
{
  g_auto (HybLoop) loop = { 0 };

  describe (call->params, &loop);
  return hyb_loop_infer (&loop, call, error);
}

static gboolean
loop_prepare (HybCall *call, GError **error)
{
  g_auto (HybLoop) loop = { 0 };

  describe (call->params, &loop);
  return hyb_loop_prepare (&loop, call, error);
}

static gboolean
recording_prepare (HybCall *call, GError **error)
{
  g_auto (HybLoop) loop = { 0 };

  describe (call->params, &loop);
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

  describe (call->params, &loop);
  return hyb_loop_compute (&loop, call, run, inputs, outputs, error);
}

static gboolean
recording_compute (HybCall          *call,
                   const HybRun     *run,
                   HybTensor *const *inputs,
                   HybTensor       **outputs,
                   GError          **error)
{
  g_auto (HybLoop) loop = { 0 };

  describe (call->params, &loop);
  loop.records = TRUE;
  return hyb_loop_compute (&loop, call, run, inputs, outputs, error);
}

/* As if every step ran, also where a condition may end the loop earlier. */
static void
loop_cost (const HybCall *call, HybCost *cost)
{
  g_auto (HybLoop) loop = { 0 };

  describe (call->params, &loop);
  hyb_loop_cost (&loop, call, cost);
}

/* --- The way back --- */

static void
gradient_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const LoopGradientParams *params = values;
  g_auto (HybLoop) loop = { 0 };

  describe (&params->forward, &loop);
  hyb_loop_gradient_arity (&loop, &params->way_back, n_inputs, n_outputs);
}

static guint
gradient_body_variable (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  return G_MAXUINT; /* what the body writes is a copy of its own */
}

static gboolean
gradient_infer (HybCall *call, GError **error)
{
  const LoopGradientParams *params = call->params;
  g_auto (HybLoop) loop = { 0 };

  describe (&params->forward, &loop);
  return hyb_loop_gradient_infer (&loop, &params->way_back, call, error);
}

static gboolean
gradient_prepare (HybCall *call, GError **error)
{
  const LoopGradientParams *params = call->params;
  g_auto (HybLoop) loop = { 0 };

  describe (&params->forward, &loop);
  return hyb_loop_gradient_prepare (&loop, &params->way_back, call, error);
}

static gboolean
gradient_compute (HybCall          *call,
                  const HybRun     *run,
                  HybTensor *const *inputs,
                  HybTensor       **outputs,
                  GError          **error)
{
  const LoopGradientParams *params = call->params;
  g_auto (HybLoop) loop = { 0 };

  describe (&params->forward, &loop);
  return hyb_loop_gradient_compute (&loop, &params->way_back, call, run, inputs, outputs, error);
}

static void
gradient_cost (const HybCall *call, HybCost *cost)
{
  const LoopGradientParams *params = call->params;
  g_auto (HybLoop) loop = { 0 };

  describe (&params->forward, &loop);
  hyb_loop_gradient_cost (&loop, &params->way_back, call, cost);
}
