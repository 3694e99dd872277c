/* old-abi.c — a plug-in that was compiled for another version of the interface.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

static const HybModelClass *const models[] = { NULL };

extern HYB_EXPORT const HybPlugin hyb_plugin;
const HybPlugin                   hyb_plugin = { HYB_PLUGIN_ABI + 1, models };
