/* filter.h — the filter of system calls (seccomp).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* From now on no thread of the process can make a system call that is not in system-calls.h; others fail with
 * EPERM.  starts_programs: programs may be started; they inherit the filter.  controls_devices: ioctl() with any
 * request.  FALSE: it cannot be installed,
 * with the reason (transfer full).  The process must have given up new privileges. */
gboolean scope_filter_install (gboolean starts_programs, gboolean controls_devices, char **reason);
