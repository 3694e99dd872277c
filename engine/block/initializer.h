/* initializer.h — initial values of parameters: MXNet's initialisers, chosen by name.
 *
 * An initialiser is written as "zeros", "ones", "uniform" (±0.07), "uniform:0.1", "normal"
 * (standard deviation 0.01), "xavier", "msraprelu", "orthogonal", "bilinear", "lstmbias" (forget
 * gate 1), "fusedrnn", "constant:2", or in MXNet's JSON form: ["uniform", {"scale": 0.1}].
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* The initialiser of a parameter for which none is set: by the end of its name "zeros" (bias,
 * beta, mean) or "ones" (gamma, var), otherwise fallback, or "uniform" if that is NULL. */
const char *hyb_initializer_for_name (const char *name, const char *fallback);
/* Fills the tensor of the parameter called name.  Fails if there is no such initialiser. */
gboolean hyb_initializer_fill (HybTensor  *tensor,
                               const char *name,
                               const char *initializer,
                               guint64     seed,
                               GError    **error);
