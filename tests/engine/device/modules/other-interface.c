/* other-interface.c — a GPU module of another interface number.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/device.h"

#include <gmodule.h>

G_MODULE_EXPORT const HybBackend *
hyb_backend (void)
{
  static const HybBackend backend = { .abi = HYB_BACKEND_ABI + 7, .name = "other" };

  return &backend;
}
