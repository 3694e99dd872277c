/* read-trace.c — see read-trace.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/recordings/read-trace.h"

#include "app/adapt/file-kind.h"
#include "engine/formats/file.h"
#include "profiler/exchange/nsys.h"

static ProfTrace *
read_json (const char *file, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (file, HYB_FILE_TEXT_LIMIT, error);
  gsize       length;
  const char *text = bytes ? g_bytes_get_data (bytes, &length) : NULL;

  return bytes ? prof_trace_read (text ? text : "", length, file, error) : NULL;
}

static gboolean
is_database (const char *file)
{
  char head[16];

  return prof_nsys_sniff (head, scope_read_head (file, head, sizeof head));
}

ProfTrace *
scope_read_trace (const char *file, GError **error)
{
  return is_database (file) ? prof_nsys_read (file, error) : read_json (file, error);
}
