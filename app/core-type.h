/* core-type.h — makes OpenBLAS use kernels that fit the processor.
 *
 * Call it first in main() of every program that computes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Starts the program again with OPENBLAS_CORETYPE set if OpenBLAS chose kernels that are too slow for
 * this processor, or that use more than HYB_CPU allows; then it does not return.  argv: of main(). */
void scope_ensure_core_type (char **argv);
