/* error.c — registers the error domain; see error.h for the codes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/error.h"

G_DEFINE_QUARK (viz - error - quark, viz_error)
