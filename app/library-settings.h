/* library-settings.h — which kernels and how many threads OpenBLAS uses.
 *
 * OpenBLAS reads variables of the environment when it is loaded (engine/kernels/matrix/blas.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sets the variables, unless the user has set them.  Call it first in main() of a program that computes. */
void scope_choose_library_settings (void);
