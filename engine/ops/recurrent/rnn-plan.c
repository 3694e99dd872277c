/* rnn-plan.c — how RNN and its relatives are planned and run: whether weights are packed, and the call of the kernel.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/recurrent/rnn-plan.h"

#include "engine/base/error.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/op/plan-options.h"
#include "engine/op/rules.h"

/* The decisions of hyb_rnn_prepare().  Panels: float weights in the layout of kernels/matrix/panels.h. */
typedef struct
{
  gboolean     in_panels; /* the kernel multiplies with panels */
  HybTensor   *panels;    /* the panels, if the parameters are constant; else NULL */
  char        *note;      /* how the recurrent weights are multiplied; NULL without panels */
  HybCellForm *form;      /* of _rnn_form; else NULL */
} RnnPlan;

HybRecurrent
hyb_rnn_planned (const HybCall *call)
{
  const RnnPlan *plan = call->prepared;
  HybRecurrent   net = hyb_rnn_describe (call);

  net.in_panels = plan && plan->in_panels;
  net.keeps_panels = plan && plan->panels;
  net.form = plan ? plan->form : NULL;
  return net;
}

static gboolean
refuse (GError **error, const char *what)
{
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL, "%s", what);
}

/* Packs the parameters into panels now if no run changes them, whatever the size of the network, unless
 * results must not be rounded differently then.
 * FALSE only if memory runs out. */
static gboolean
pack_constant_parameters (HybCall *call, HybRecurrent *net, RnnPlan *plan, GError **error)
{
  HybType type = { hyb_shape_1d (0), HYB_F32 };

  if (!call->constants || !call->constants[1] || net->batch < 1 || call->plan_options->same_bytes ||
      !hyb_plan_options_enable_pass (call->plan_options, "keep-panels"))
    return TRUE;
  net->in_panels = net->keeps_panels = TRUE;
  type.shape.dim[0] = hyb_recurrent_panels (net);
  plan->panels = hyb_tensor_new (&type, error);
  if (!plan->panels)
    return FALSE;
  hyb_recurrent_pack (net, hyb_tensor_get_data (call->constants[1]),
                      hyb_tensor_get_data (plan->panels));
  plan->in_panels = TRUE;
  return TRUE;
}

void
hyb_rnn_release (HybCall *call)
{
  RnnPlan *plan = call->prepared;

  if (!plan)
    return;
  g_clear_pointer (&plan->panels, hyb_tensor_unref);
  g_clear_pointer (&plan->note, g_free);
  g_clear_pointer (&plan->form, g_free);
  g_clear_pointer (&call->prepared, g_free);
}

const char *
hyb_rnn_note (const HybCall *call)
{
  const RnnPlan *plan = call->prepared;

  return plan ? plan->note : NULL;
}

/* Describes which weights are packed and how weights of the states are multiplied in every step. */
static char *
make_note (const HybRecurrent *net)
{
  const char *kept = net->keeps_panels ? ", kept" : "";
  gint64      rows = hyb_recurrent_n_gates (net->cell) * net->hidden;

  if (!net->in_panels)
    return NULL;
  if (net->batch == 1 && !net->keeps_panels)
    return g_strdup ("weights of inputs in panels");
  g_autofree char *how = hyb_panels_describe (net->batch, rows, hyb_recurrent_state_size (net));

  return g_strdup_printf ("weights in panels%s, %s", kept, how);
}

static gboolean
check_sizes (const HybRecurrent *net, GError **error)
{
  if (net->dropout >= 1)
    return refuse (error, "p is 1, which would drop all values between layers; it must be below 1");
  if (hyb_recurrent_forward_workspace (net, FALSE) < 0 || hyb_recurrent_reserve (net) < 0 ||
      hyb_recurrent_backward_workspace (net) < 0)
    return refuse (error, "the gates of all steps exceed the memory");
  if ((double) net->n_steps * (double) net->batch > G_MAXINT32 ||
      hyb_recurrent_n_gates (net->cell) * net->hidden > G_MAXINT32)
    return refuse (error, "steps × batch and gates × units must each stay below 2³¹");
  return TRUE;
}

static gboolean
decide (HybCall *call, RnnPlan *plan, gboolean may_keep_panels, GError **error)
{
  HybRecurrent net = hyb_rnn_planned (call);

  if (!check_sizes (&net, error))
    return FALSE;
  if (!hyb_plan_options_enable_pass (call->plan_options, "pack-weights") ||
      call->input[0].dtype != HYB_F32)
    return TRUE;
  plan->in_panels = hyb_recurrent_should_use_panels (&net);
  if (may_keep_panels && !pack_constant_parameters (call, &net, plan, error))
    return FALSE;
  net = hyb_rnn_planned (call);
  plan->note = make_note (&net);
  return TRUE;
}

gboolean
hyb_rnn_prepare (HybCall *call, HybCellForm *form, gboolean may_keep_panels, GError **error)
{
  RnnPlan *plan = call->prepared = g_new0 (RnnPlan, 1);

  plan->form = form;
  if (decide (call, plan, may_keep_panels, error))
    return TRUE;
  hyb_rnn_release (call);
  return FALSE;
}

gsize
hyb_rnn_element_size (const HybCall *call)
{
  return hyb_dtype_size (call->input[0].dtype == HYB_F64 ? HYB_F64 : HYB_F32);
}

gsize
hyb_rnn_workspace (const HybCall *call)
{
  HybRecurrent net = hyb_rnn_planned (call);

  return hyb_rnn_lengths_bytes (&net) +
         (gsize) hyb_recurrent_forward_workspace (&net, FALSE) * hyb_rnn_element_size (call);
}

void
hyb_rnn_run (const HybCall *call, const HybRun *run, gpointer reserve, const float *peepholes)
{
  const RnnPlan *plan = call->prepared;
  RnnOperands    operands = hyb_rnn_operands (call->params);
  HybRecurrent   net = hyb_rnn_planned (call);

  hyb_recurrent_forward (&net, call->input[0].dtype,
                         &(HybRecurrentForward){
                             .x = run->input[0],
                             .parameters = run->input[1],
                             .state = run->input[2],
                             .cell = operands.cell == G_MAXUINT ? NULL : run->input[operands.cell],
                             .lengths = hyb_rnn_read_lengths (call, run, &net, operands.lengths),
                             .peepholes = peepholes,
                             .y = run->output[0],
                             .state_out = hyb_rnn_output (run, operands.state_out),
                             .cell_out = hyb_rnn_output (run, operands.cell_out),
                             .reserve = reserve,
                             .panels = net.keeps_panels ? hyb_tensor_get_data (plan->panels) : NULL,
                             .workspace = (char *) run->workspace + hyb_rnn_lengths_bytes (&net),
                             .seed = hyb_run_random_seed (run),
                             .run = run,
                         });
}

void
hyb_rnn_cost (const HybCall *call, HybCost *cost)
{
  HybRecurrent net = hyb_rnn_planned (call);

  hyb_rule_cost_bytes (call, cost);
  cost->flops = hyb_recurrent_flops (&net);
}
