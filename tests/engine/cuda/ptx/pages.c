/* pages.c — host memory behind an allocation of the pretend device.
 *
 * A GPU's workspaces are large and mostly stay untouched, and tests open a GPU thousands of times.  Large
 * blocks are therefore mapped: a page costs nothing before it is touched.  Pages of 0xff are private copies
 * of one file in memory.  Small blocks come from the heap, where a sanitizer knows their end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/memory-private.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SMALL  ((gsize) 64 << 10)
#define FILLED ((gsize) 4 << 20) /* bytes of the file */

static gpointer
make_file (gpointer data)
{
  int              file = memfd_create ("0xff", MFD_CLOEXEC);
  g_autofree char *bytes = g_malloc (FILLED);

  memset (bytes, 0xff, FILLED);
  if (file < 0 || write (file, bytes, FILLED) != (gssize) FILLED)
    g_error ("the pretend device cannot make a file in memory");
  return GINT_TO_POINTER (file);
}

static guint8 *
map (gpointer at, gsize bytes, int flags, int file)
{
  void *p = mmap (at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | flags, file, 0);

  if (p == MAP_FAILED)
    g_error ("the pretend device cannot map %" G_GSIZE_FORMAT " bytes", bytes);
  return p;
}

gpointer
ptx_pages_zero (gsize bytes)
{
  return bytes < SMALL ? g_malloc0 (MAX (bytes, 1)) : map (NULL, bytes, MAP_ANONYMOUS, -1);
}

gpointer
ptx_pages_filled (gsize bytes)
{
  static GOnce once = G_ONCE_INIT;
  guint8      *pages;
  int          file;

  if (bytes < SMALL)
    return memset (g_malloc (MAX (bytes, 1)), 0xff, bytes);
  file = GPOINTER_TO_INT (g_once (&once, make_file, NULL));
  pages = map (NULL, bytes, MAP_ANONYMOUS, -1);
  for (gsize at = 0; at < bytes; at += FILLED)
    map (pages + at, MIN (FILLED, bytes - at), MAP_FIXED, file);
  return pages;
}

void
ptx_pages_free (gpointer pages, gsize bytes)
{
  if (bytes < SMALL)
    g_free (pages);
  else if (pages)
    munmap (pages, bytes);
}
