/* ending.h — ends a process whose threads may still compute.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Flushes streams and ends the process without the handlers of atexit().  exit() calls handlers of
 * libraries while workers still use the memory that they free: HarfBuzz frees its languages there,
 * for example. */
void scope_end_process (int status) G_GNUC_NORETURN;
