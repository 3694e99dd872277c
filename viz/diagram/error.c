/* error.c — registers the error domain of this module.
 *
 * In the lowest folder, so that all others can report errors; error.h lists the codes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/error.h"

/* clang-format off */
G_DEFINE_QUARK (viz-error-quark, viz_error)
/* clang-format on */
