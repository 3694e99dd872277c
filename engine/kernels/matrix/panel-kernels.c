/* panel-kernels.c — the inner loops of panels.c for each instruction set, from panels-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/panels-private.h"
#include "engine/kernels/matrix/panels.h"

#define SIMD_KERNEL "engine/kernels/matrix/panels-kernel.h"
#include "engine/kernels/simd/each-simd.h"

const HybPanelKernelSet *
hyb_panel_kernels (void)
{
  return HYB_SIMD_CHOOSE (&kernels);
}
