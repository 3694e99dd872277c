/* check-gradient.h — for the authors of operators: whether a gradient is right.
 *   gboolean is_right = hyb_check_gradient ("swish", HYB_STRINGS ("beta", "1.5"), 1, &x, &error);
 * Threads: any thread; the check has a graph of its own, and only reads the inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

/* Compares the gradients of an operator, at these inputs, with difference quotients, in float64 if all operators of the
 * gradient can compute with it.  op: the name of an operator of the library, or of one that hyb_operators_load() or
 * hyb_op_register() added.  attributes: key, value, …, NULL; or NULL.  Inputs of integers are not differentiated.  FALSE and an
 * error that names the first input and element that differ, or says that the operator has no gradient. */
HYB_API gboolean hyb_check_gradient (const char        *op,
                                     const char *const *attributes,
                                     guint              n_inputs,
                                     HybTensor *const  *inputs,
                                     GError           **error);

G_END_DECLS
