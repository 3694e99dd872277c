/* file-kind.c — finds the kind of a file by its first bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/file-kind.h"

#include "engine/formats/file.h"
#include "engine/formats/format.h"

#include <stdio.h>

gsize
scope_read_head (const char *file, gpointer head, gsize room)
{
  FILE *stream = g_file_test (file, G_FILE_TEST_IS_REGULAR) ? fopen (file, "rbe") : NULL;
  gsize n = stream ? fread (head, 1, room, stream) : 0;

  if (stream)
    fclose (stream);
  return n;
}

gboolean
scope_is_weights_file (const char *file)
{
  /* A pipe can be read only once, so it is assumed to hold a graph. */
  g_autoptr (GBytes) bytes =
      g_file_test (file, G_FILE_TEST_IS_REGULAR) ? hyb_file_read (file, 0, NULL) : NULL;
  const HybFormat *format = bytes ? hyb_format_of_bytes (bytes) : NULL;

  return format && format->read_weights && !format->read_graph;
}
