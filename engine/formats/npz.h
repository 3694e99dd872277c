/* npz.h — archives of NumPy arrays (npz), as NumPy and MXNet 2 write them.
 *
 * MXNet 2 stores a sparse array as a folder of arrays in the archive; it is converted to a dense one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

#include <gio/gio.h>

/* Reads all arrays.  where: name of the file in messages.  (transfer full) */
HybTensorList *hyb_npz_read (GBytes *bytes, const char *where, GError **error);
/* Reads all arrays of a file.  (transfer full) */
HybTensorList *hyb_npz_read_file (const char *path, GError **error);

/* Writes all arrays, uncompressed.  bfloat16, which NumPy does not have, becomes float32; entries
 * without contents are left out. */
gboolean hyb_npz_write (HybTensorList *list, GOutputStream *out, GError **error);
/* Replaces a file by such an archive. */
gboolean hyb_npz_write_file (HybTensorList *list, const char *path, GError **error);
