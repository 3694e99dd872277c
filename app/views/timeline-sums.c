/* timeline-sums.c — sums over the measured range of a timeline.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/timeline-sums.h"

#include "profiler/base/format.h"

#include <glib/gi18n.h>

#define MAX_ROWS 30

static int
compare_sums (gconstpointer a, gconstpointer b)
{
  const ScopeTimelineSum *one = a, *other = b;

  return one->seconds > other->seconds   ? -1
         : one->seconds < other->seconds ? 1
                                         : g_strcmp0 (one->name, other->name);
}

/* Sums of the spans with a user number, by name, the longest first.  spans: of ScopeSpan.  (transfer full) of ScopeTimelineSum */
static GArray *
sum_spans (const GArray *spans, double begin, double end)
{
  GArray *sums = g_array_new (FALSE, FALSE, sizeof (ScopeTimelineSum));
  g_autoptr (GHashTable) rows = g_hash_table_new (g_str_hash, g_str_equal); /* name → row + 1 */

  for (guint i = 0; spans && i < spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (spans, ScopeSpan, i);
      double           inside = MIN (span->end, end) - MAX (span->begin, begin);
      const char      *name = span->group ? span->group : span->label;
      guint            row;

      if (span->user == 0 || !name || !(inside > 0))
        continue;
      row = GPOINTER_TO_UINT (g_hash_table_lookup (rows, name));
      if (row == 0)
        {
          g_array_append_val (sums, ((ScopeTimelineSum){ .name = name }));
          row = sums->len;
          g_hash_table_insert (rows, (gpointer) name, GUINT_TO_POINTER (row));
        }
      g_array_index (sums, ScopeTimelineSum, row - 1).seconds += inside;
      g_array_index (sums, ScopeTimelineSum, row - 1).n++;
    }
  g_array_sort (sums, compare_sums);
  return sums;
}

/* From the first span to the end of the last one. */
static double
measure_run (const GArray *spans)
{
  double begin = G_MAXDOUBLE, end = -G_MAXDOUBLE;

  for (guint i = 0; i < spans->len; i++)
    {
      begin = MIN (begin, g_array_index (spans, ScopeSpan, i).begin);
      end = MAX (end, g_array_index (spans, ScopeSpan, i).end);
    }
  return MAX (end - begin, 0);
}

/* "12.3 % of the run · 45 operators" */
static char *
describe (const GArray *sums, double seconds, double run)
{
  guint            n = 0;
  g_autofree char *count = NULL;

  for (guint i = 0; i < sums->len; i++)
    n += g_array_index (sums, ScopeTimelineSum, i).n;
  count = g_strdup_printf (g_dngettext (NULL, "%u operator", "%u operators", n), n);
  return g_strdup_printf (_ ("%.1f %% of the run · %s"), run > 0 ? 100 * seconds / run : 0, count);
}

void
scope_timeline_sums_show (ScopeSheet *sheet, const GArray *spans, ScopeLaneChart *chart)
{
  double begin, end;
  g_autoptr (GArray) sums = NULL;
  g_autofree char *length = NULL, *share = NULL;

  scope_sheet_clear (sheet);
  if (!scope_lane_chart_get_measured (chart, &begin, &end))
    return;
  sums = sum_spans (spans, begin, end);
  length = prof_format_seconds (end - begin);
  share = describe (sums, end - begin, measure_run (spans));
  scope_sheet_add_title (sheet, length, share);
  for (guint i = 0; i < MIN (sums->len, MAX_ROWS); i++)
    {
      const ScopeTimelineSum *sum = &g_array_index (sums, ScopeTimelineSum, i);
      g_autofree char        *time = prof_format_seconds (sum->seconds);
      g_autofree char        *value =
          sum->n > 1 ? g_strdup_printf ("%u × · %s", sum->n, time) : g_strdup (time);
      g_autofree char *part =
          g_strdup_printf (_ ("%.1f %% of the range"), 100 * sum->seconds / (end - begin));

      scope_sheet_add_row (sheet, sum->name, value, part, 0);
    }
  if (sums->len > MAX_ROWS)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), sums->len - MAX_ROWS);

      scope_sheet_add_text (sheet, more, "dim-label");
    }
}
