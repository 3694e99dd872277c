/* npz.h — archives of NumPy arrays, as NumPy and MXNet 2 write them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

#include <gio/gio.h>

HybTensorList *hyb_npz_read (GBytes *bytes, const char *where, GError **error);
HybTensorList *hyb_npz_read_file (const char *path, GError **error);

/* Stored, each array on a multiple of 64 bytes.  bfloat16, which NumPy does not
 * know, is written as float32; entries without contents are left out. */
gboolean hyb_npz_write (HybTensorList *list, GOutputStream *out, GError **error);
gboolean hyb_npz_write_file (HybTensorList *list, const char *path, GError **error);
