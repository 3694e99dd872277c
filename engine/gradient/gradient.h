/* gradient.h — the interface of an operator's gradient function: reading values, adding nodes.
 *
 * A gradient function adds nodes to the graph without knowing any shapes: operators such as _reduce_like and reshape_like
 * take shapes from other values.  Value ids are those of the graph being built.  For an example see ops/nn/softmax.c.
 * Threads: a HybGrad belongs to the thread that calls the gradient function; several threads may call that function at once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

G_BEGIN_DECLS

/* A node to add; see engine/graph/builder.h, which plug-ins do not need. */
typedef struct _HybNodeSpec HybNodeSpec;

/* The number of inputs of the node being differentiated. */
HYB_API guint hyb_grad_n_inputs (HybGrad *grad);
/* The number of outputs; with HybOp.recording these include the hidden ones. */
HYB_API guint hyb_grad_n_outputs (HybGrad *grad);
/* The parsed attributes of the node. */
HYB_API gconstpointer hyb_grad_params (HybGrad *grad);
/* The value of input index in the forward computation. */
HYB_API HybValueId hyb_grad_input (HybGrad *grad, guint index);
/* The value of output index in the forward computation. */
HYB_API HybValueId hyb_grad_output (HybGrad *grad, guint index);

/* The gradient of output index; zeros if none arrived. */
HYB_API HybValueId hyb_grad_incoming (HybGrad *grad, guint index);
/* TRUE if a gradient of output index arrived. */
HYB_API gboolean hyb_grad_has_incoming (HybGrad *grad, guint index);
/* TRUE if the gradient of this input is needed. */
HYB_API gboolean hyb_grad_needs_input (HybGrad *grad, guint index);

/* Adds a node without attributes.  The list of inputs ends with HYB_NO_ID.  Returns its first
 * output; output k is that value plus k. */
HYB_API HybValueId hyb_grad_emit (HybGrad *grad, const char *op, ...);
/* Adds a node with attributes key, value, …, NULL. */
HYB_API HybValueId hyb_grad_emit_with (HybGrad           *grad,
                                       const char        *op,
                                       const char *const *attributes,
                                       guint              n_inputs,
                                       const HybValueId  *inputs);
/* Adds a node with the attributes and bodies of the node being differentiated; op must have the same
 * table of attributes. */
HYB_API HybValueId hyb_grad_emit_same (HybGrad          *grad,
                                       const char       *op,
                                       guint             n_inputs,
                                       const HybValueId *inputs);
/* Adds a node with the inputs, attributes and bodies of spec; name, origin and line are taken from
 * the node being differentiated. */
HYB_API HybValueId hyb_grad_emit_bodies (HybGrad *grad, const char *op, const HybNodeSpec *spec);
/* Adds a node of an operator with the attribute `scalar`, such as _mul_scalar. */
HYB_API HybValueId hyb_grad_emit_scalar (HybGrad    *grad,
                                         const char *op,
                                         HybValueId  x,
                                         double      scalar);
/* Body number index of the node being differentiated, owned by its graph. */
HYB_API HybGraph *hyb_grad_body (HybGrad *grad, guint index);

/* Sets the gradient of input index.  Without this call it is zero. */
HYB_API void hyb_grad_set_input (HybGrad *grad, guint index, HybValueId value);
/* Reports that the node cannot be differentiated, for this reason. */
HYB_API void hyb_grad_refuse (HybGrad *grad, const char *format, ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
