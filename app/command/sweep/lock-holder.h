/* lock-holder.h — which process holds the lock on a file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* "process 1234", the holder of a lock by flock() on an open file, or "another process" if the kernel of this machine does
 * not list it.  (transfer full) */
char *scope_lock_dup_holder (int file);
