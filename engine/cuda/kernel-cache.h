/* kernel-cache.h — compiled kernels in files.
 *
 * Those of this machine are kept in the user's cache folder.  HYB_GPU_KERNELS names a folder with kernels that were
 * compiled elsewhere, also for other chips.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The folder of this machine.  (transfer full) */
char *hyb_kernel_cache_dup_folder (void);
/* The folder of HYB_GPU_KERNELS; NULL if it is not set. */
const char *hyb_kernel_cache_get_shared (void);
/* The file that was kept under this key; NULL if it is missing or damaged, or another user could have written it. */
GBytes *hyb_kernel_cache_read (const char *folder, const char *key);
/* TRUE if something usable is kept under this key. */
gboolean hyb_kernel_cache_has (const char *folder, const char *key);
/* Keeps it, in a folder for the user alone, which is made.  A cache that cannot be written only costs time. */
void hyb_kernel_cache_write (const char *folder, const char *key, GBytes *image);
