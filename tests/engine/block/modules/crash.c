/* crash.c — a plug-in that crashes the process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <signal.h>

static HybBlock *
build (gconstpointer options)
{
  raise (SIGSEGV);
  return NULL;
}

HYB_MODEL (.name = "crash", .doc = "Crashes", .inputs = "float32(1)", .build = build);
