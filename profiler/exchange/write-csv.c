/* write-csv.c — writes the table of nodes for spreadsheets.
 *
 * RFC 4180, with a decimal point in every locale.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/write-trace.h"

#include "engine/formats/file.h"
#include "profiler/exchange/csv-text.h"

#include <string.h>

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
          prof_csv_append_text (text, prof_capture_get_string (capture, words[k]));
          g_string_append_c (text, ',');
        }
      g_string_append (text, prof_category_name (node->category));
      g_string_append_c (text, ',');
      prof_csv_append_text (text, prof_capture_get_string (capture, node->scope));
      g_string_append_c (text, ',');
      if (node->step != PROF_NONE)
        g_string_append_printf (text, "%u", node->step);
      g_string_append_c (text, ',');
      prof_csv_append_text (text, prof_capture_get_string (capture, node->shape));
      prof_csv_append_number (text, sum->count);
      prof_csv_append_number (text, sum->self);
      prof_csv_append_number (text, sum->low);
      prof_csv_append_number (text, sum->high);
      prof_csv_append_number (text, sum->inclusive);
      prof_csv_append_number (text, sum->self / summary->traced);
      prof_csv_append_number (text, sum->flops);
      prof_csv_append_number (text, sum->bytes);
      g_string_append_c (text, ',');
      prof_csv_append_text (text, sum->inputs);
      prof_csv_append_number (text, sum->allocated);
      g_string_append_c (text, '\n');
    }
  /* Times that no node takes, so that the shares of all rows add up to 1. */
  for (guint i = 0; i < n_rest; i++)
    {
      prof_csv_append_text (text, rest[i].name);
      g_string_append (text, ",,,,,,");
      prof_csv_append_number (text, rest[i].self);
      g_string_append (text, ",,");
      prof_csv_append_number (text, rest[i].inclusive);
      prof_csv_append_number (text, rest[i].share);
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
