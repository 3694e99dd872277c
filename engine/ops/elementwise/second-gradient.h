/* second-gradient.h — gradients of the element-wise operators “_backward_…”, so that gradients can be
 * differentiated again.
 *
 * Both functions are for HybOp.gradient of a gradient operator and emit ordinary nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"

/* For the operator `backward`, which computes (g, v) ↦ g d(v): d is the derivative of `function`, and
 * v is its input or its output.  Refuses to differentiate if second-gradient.c has no row for
 * function. */
void hyb_second_gradient_unary (HybGrad *grad, const char *function, const char *backward);
/* For the operator `backward`, which is linear in input 0 and constant almost everywhere in its other
 * inputs: emits it again with the new gradient as input 0. */
void hyb_second_gradient_linear (HybGrad *grad, const char *backward);
