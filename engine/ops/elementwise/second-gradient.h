/* second-gradient.h — gradients of the element-wise “_backward_…” operators, as ordinary
 * operators, so that a gradient can be differentiated again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"

/* Of an operator (g, v) ↦ g · d (v), linear in g, where d is the derivative of the function
 * (v is its data or its output, as its row says).  Refused for a function without a row. */
void hyb_second_gradient_unary (HybGrad *grad, const char *function, const char *backward);
/* The same with the attributes of the node and a function that those choose. */
void hyb_second_gradient_named (HybGrad    *grad,
                                const char *function,
                                const char *backward,
                                gboolean    same_attributes);
/* Of an operator (g, …) that is linear in g and constant almost everywhere in the rest:
 * the same operator on the new gradient, with the node's attributes. */
void hyb_second_gradient_linear (HybGrad *grad, const char *backward);
