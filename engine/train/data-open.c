/* data-open.c — opens any file of training data.
 *
 * npz archives and idx files are recognised by their first bytes, all others are read as texts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/formats/file.h"
#include "engine/train/data.h"

#include <string.h>

HybData *
hyb_data_new_file (const char *file, const HybFeed *feed, HybModelSpec *spec, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (file, 0, error);
  gsize         size;
  const guint8 *start = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  if (!bytes)
    return NULL;
  if (size > 4 && memcmp (start, "PK\3\4", 4) == 0)
    return hyb_data_new_npz (file, error);
  if (size > 4 && memcmp (start, "\0\0\x8\3", 4) == 0)
    return hyb_data_new_idx (file, feed, error);
  return hyb_data_new_text (file, feed, spec, error);
}
