/* loader.h — opens the module of a back end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/device.h"

/* The back end for NVIDIA GPUs, opened at the first call and never closed.  NULL and an error if it
 * is not installed or does not fit. */
const HybBackend *hyb_backend_load (GError **error);
/* The path of the module that a back end of hyb_backend_load() came from; empty for others.  (transfer full) */
char *hyb_backend_dup_path (const HybBackend *backend);
/* The back end in the module at this path, for hyb_backend_load() and tests. */
const HybBackend *hyb_backend_open (const char *path, GError **error);
