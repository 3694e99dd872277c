/* crc32.c — the checksum CRC-32 of zip and gzip, computed by zlib.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/zip.h"

#include <zlib.h>

guint32
hyb_crc32 (guint32 crc, gconstpointer data, gsize length)
{
  /* zlib takes a missing pointer, which an empty GBytes has, as a request for the initial value. */
  return length == 0 ? crc : (guint32) crc32_z (crc, data, length);
}
