/* compile.h — turns the text of a kernel into a function of the GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"

/* The kernel of this name in a text, to which kernels/prelude.cuh and kernels/arguments.h are added.
 * It is compiled by NVRTC for the chip at first use and kept below the user's cache folder.  NULL and
 * an error with NVRTC's first message if it does not compile. */
CUfunction hyb_cuda_compile (HybDevice *device, const char *text, const char *name, GError **error);
/* The text of a file of kernels/ that is built into the module ("move.cu"); NULL if there is none. */
const char *hyb_cuda_kernel_text (const char *file);
