/* make-ptx.h — PTX of a CUDA file of this folder, made by NVRTC or clang while the test runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* PTX of tests/engine/cuda/ptx/kernels/NAME.cu, compiled with -DDEFINE (or NULL).  NULL where
 * neither compiler is here: the test is marked as skipped then. */
char *make_ptx (const char *name, const char *define);
/* What a message of the machine says of the place in the source: NVRTC writes lines, clang does
 * not without -g. */
gboolean make_ptx_has_lines (const char *ptx);
