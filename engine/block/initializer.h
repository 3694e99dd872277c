/* initializer.h — first values of parameters, by name, as MXNet's initialisers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* own: the parameter's initialiser, used as it is; NULL: fallback, but a name that
 * ends in bias, beta, mean gets zeros, and gamma, var ones.  Texts: "zeros", "ones",
 * "uniform" (±0.07), "uniform:0.1", "normal" (0.01), "xavier", "msraprelu", "orthogonal",
 * "bilinear", "lstmbias" (forget 1), "fusedrnn", "constant:2", or MXNet's JSON form ["uniform", {"scale": 0.1}]. */
gboolean hyb_initializer_fill (HybTensor  *tensor,
                               const char *name,
                               const char *own,
                               const char *fallback,
                               guint64     seed,
                               GError    **error);
