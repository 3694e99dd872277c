/* write-csv.c — writes the table of nodes for spreadsheets.
 *
 * RFC 4180, with a decimal point in every locale.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/write-trace.h"

#include "engine/formats/file.h"
#include "engine/formats/json-text.h"

#include <math.h>
#include <string.h>

/* Appends a field in quotes if it needs them; quotes inside are doubled.  A spreadsheet takes what begins with one of
 * “=+-@” for a formula, and names come from strangers: an apostrophe before it makes it text. */
static void
append_field (GString *to, const char *text)
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

/* Appends a comma and a number; nothing for values that are not finite. */
static void
append_number (GString *to, double value)
{
  g_string_append_c (to, ',');
  if (isfinite (value))
    hyb_json_append_double (to, value);
}

char *
prof_print_csv (const ProfCapture *capture, const ProfSummary *summary)
{
  GString *text =
      g_string_new ("name,operator,category,scope,step,shape,count,self_seconds,low,high,"
                    "inclusive_seconds,share,flops,bytes,input_types,allocated_bytes\n");

  ProfGroupSum rest[PROF_MAX_REST];
  guint        n_rest = prof_summary_rest (summary, rest);

  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);
      const ProfText     words[] = { node->name, node->type };

      for (guint k = 0; k < G_N_ELEMENTS (words); k++)
        {
          append_field (text, prof_capture_get_string (capture, words[k]));
          g_string_append_c (text, ',');
        }
      g_string_append (text, prof_category_name (node->category));
      g_string_append_c (text, ',');
      append_field (text, prof_capture_get_string (capture, node->scope));
      g_string_append_c (text, ',');
      if (node->step != PROF_NONE)
        g_string_append_printf (text, "%u", node->step);
      g_string_append_c (text, ',');
      append_field (text, prof_capture_get_string (capture, node->shape));
      append_number (text, sum->count);
      append_number (text, sum->self);
      append_number (text, sum->low);
      append_number (text, sum->high);
      append_number (text, sum->inclusive);
      append_number (text, sum->self / summary->traced);
      append_number (text, sum->flops);
      append_number (text, sum->bytes);
      g_string_append_c (text, ',');
      append_field (text, sum->inputs);
      append_number (text, sum->allocated);
      g_string_append_c (text, '\n');
    }
  /* Times that no node takes, so that the shares of all rows add up to 1. */
  for (guint i = 0; i < n_rest; i++)
    {
      append_field (text, rest[i].name);
      g_string_append (text, ",,,,,,");
      append_number (text, rest[i].self);
      g_string_append (text, ",,");
      append_number (text, rest[i].inclusive);
      append_number (text, rest[i].share);
      g_string_append (text, ",,,,\n");
    }
  return g_string_free (text, FALSE);
}

gboolean
prof_write_csv (const ProfCapture *capture, const char *path, GError **error)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autofree char *text = prof_print_csv (capture, summary);

  return hyb_file_replace_contents (path, text, strlen (text), error);
}
