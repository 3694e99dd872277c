/* csv-text.c — quotes texts and prints numbers for CSV files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/csv-text.h"

#include "engine/formats/json-text.h"

#include <math.h>
#include <string.h>

void
prof_csv_append_text (GString *to, const char *text)
{
  const char *mark = *text && strchr ("=+-@\t\r", *text) ? "'" : "";

  if (!strpbrk (text, ",\"\r\n"))
    {
      g_string_append_printf (to, "%s%s", mark, text);
      return;
    }
  g_string_append_printf (to, "\"%s", mark);
  for (const char *at = text; *at; at++)
    {
      if (*at == '"')
        g_string_append_c (to, '"');
      g_string_append_c (to, *at);
    }
  g_string_append_c (to, '"');
}

void
prof_csv_append_number (GString *to, double value)
{
  g_string_append_c (to, ',');
  if (isfinite (value))
    hyb_json_append_double (to, value);
}
