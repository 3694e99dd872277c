/* gradient.h — what an operator's gradient function works with.
 *
 * A gradient is written as nodes of the same graph, without knowing any shape:
 * _reduce_like and reshape_like take shapes from values.  Values are ids in the
 * graph being built.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

/* The operator's own operands.  With HybOp.recording, outputs include the hidden ones. */
guint         hyb_grad_n_inputs (HybGrad *grad);
guint         hyb_grad_n_outputs (HybGrad *grad);
gconstpointer hyb_grad_params (HybGrad *grad);
HybValueId    hyb_grad_input (HybGrad *grad, guint index);
HybValueId    hyb_grad_output (HybGrad *grad, guint index);

/* The gradient that flows into output index; zeros if none does. */
HybValueId hyb_grad_incoming (HybGrad *grad, guint index);
gboolean   hyb_grad_has_incoming (HybGrad *grad, guint index);
/* Whether anybody wants the gradient of this input. */
gboolean hyb_grad_wants (HybGrad *grad, guint index);

/* New nodes.  Returns the first output; output k is that + k.  The list of inputs
 * ends with HYB_NO_ID. */
HybValueId hyb_grad_emit (HybGrad *grad, const char *op, ...);
/* With attributes key, value, …, NULL. */
HybValueId hyb_grad_emit_with (HybGrad           *grad,
                               const char        *op,
                               const char *const *attributes,
                               guint              n_inputs,
                               const HybValueId  *inputs);
/* With the differentiated node's own attributes (the new operator has the same
 * params table) and bodies. */
HybValueId
hyb_grad_emit_same (HybGrad *grad, const char *op, guint n_inputs, const HybValueId *inputs);
/* As emit_same with other bodies. */
HybValueId hyb_grad_emit_bodies (HybGrad           *grad,
                                 const char        *op,
                                 const char *const *attributes,
                                 guint              n_inputs,
                                 const HybValueId  *inputs,
                                 guint              n_bodies,
                                 HybGraph *const   *bodies);
HybValueId hyb_grad_emit_scalar (HybGrad *grad, const char *op, HybValueId x, double scalar);
/* Body i of the differentiated node. */
HybGraph *hyb_grad_body (HybGrad *grad, guint index);

/* The answer: the gradient of input index.  Not called: it is zero. */
void hyb_grad_set_input (HybGrad *grad, guint index, HybValueId value);
/* Cannot be differentiated after all, for a reason that planning reports. */
void hyb_grad_refuse (HybGrad *grad, const char *format, ...) G_GNUC_PRINTF (2, 3);
