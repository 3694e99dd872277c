/* array-file.h — files of named arrays: NumPy's .npz and .npy, and MXNet's .params; .safetensors and .csv are only written.
 *   HybTensorList *inputs = hyb_arrays_read ("in.npz", &error);
 *   hyb_arrays_write (inputs, "out.npz", &error);
 * Threads: any thread; a list that is being written must not change meanwhile.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/formats/tensor-list.h"

G_BEGIN_DECLS

/* Reads a file, which is recognised by its bytes.  (transfer full) */
HYB_API HybTensorList *hyb_arrays_read (const char *path, GError **error);
/* Writes the format that the name ends in: .npz, .params or .safetensors, or of a single array .npy or, up to two dimensions,
 * .csv.  A file of this name is replaced only when the new one is complete. */
HYB_API gboolean hyb_arrays_write (HybTensorList *list, const char *path, GError **error);

G_END_DECLS
