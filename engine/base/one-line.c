/* one-line.c — names from files as one line and one column of a printed table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/one-line.h"

#include <string.h>

const char *
hyb_one_line (const char *text)
{
  static const struct
  {
    const char *plain, *escaped;
  } breaks[] = { { "\n", "\\n" }, { "\t", "\\t" }, { "\r", "\\r" } };
  g_autoptr (GString) line = NULL;

  if (!text || !strpbrk (text, "\n\t\r"))
    return text;
  line = g_string_new (text);
  for (guint i = 0; i < G_N_ELEMENTS (breaks); i++)
    g_string_replace (line, breaks[i].plain, breaks[i].escaped, 0);
  return g_intern_string (line->str);
}

int
hyb_prefix_length (const char *text, int max)
{
  int n = (int) strnlen (text, (gsize) max);

  /* Bytes of a character after its first one begin with the bits 10. */
  if (n == max)
    while (n > 0 && ((guchar) text[n] & 0xc0) == 0x80)
      n--;
  return n;
}
