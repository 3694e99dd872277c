/* memory-peak.c — reads the peak of resident memory from /proc.
 *
 * Linux keeps it as VmHWM, and resets it when "5" is written to clear_refs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/memory-peak.h"

#include <stdio.h>
#include <string.h>

gsize
prof_memory_peak_read (void)
{
  g_autofree char *text = NULL;
  const char      *at;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  at = strstr (text, "VmHWM:");
  return at ? (gsize) g_ascii_strtoull (at + 6 + strspn (at + 6, " \t"), NULL, 10) * 1024 : 0;
}

void
prof_memory_peak_reset (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "we");

  if (!file)
    return;
  fputs ("5", file);
  fclose (file);
}
