/* crc32.c — the checksum CRC-32 of zip and gzip, computed eight bytes at a time with eight tables
 * (slicing-by-8).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/zip.h"

#include <string.h>

#define POLYNOMIAL 0xedb88320u

/* table[k][b]: the checksum of byte b followed by k zero bytes, without the final inversion. */
static guint32 table[8][256];

static void
fill_table (void)
{
  for (guint32 b = 0; b < 256; b++)
    {
      guint32 crc = b;

      for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
      table[0][b] = crc;
    }

  for (int k = 1; k < 8; k++)
    for (guint32 b = 0; b < 256; b++)
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

guint32
hyb_crc32 (guint32 crc, gconstpointer data, gsize length)
{
  static gsize  once;
  const guint8 *bytes = data;

  if (g_once_init_enter (&once))
    {
      fill_table ();
      g_once_init_leave (&once, 1);
    }

  crc = ~crc;
  for (; length >= 8; bytes += 8, length -= 8)
    {
      guint64 word;

      memcpy (&word, bytes, 8);
      word = GUINT64_FROM_LE (word) ^ crc;
      crc = 0;
      for (int k = 0; k < 8; k++)
        crc ^= table[7 - k][word >> (8 * k) & 0xff];
    }
  for (; length > 0; bytes++, length--)
    crc = crc >> 8 ^ table[0][(crc ^ *bytes) & 0xff];

  return ~crc;
}
