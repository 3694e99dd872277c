/* by-formula.h — gradients that an operator states as formulas.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"

/* Initialises gradient and formula of a HybOp. */
#define HYB_GRADIENT(text) .gradient = hyb_gradient_by_formula, .formula = text

/* For HybOp.gradient: adds the nodes of HybOp.formula. */
void hyb_gradient_by_formula (HybGrad *grad);

/* Adds the nodes of one expression of the language of HybOp.formula; returns its value. */
HybValueId hyb_gradient_emit_formula (HybGrad *grad, const char *expression);
