/* compare-matrix.c — the table of all groups: one row per group, one column per candidate.
 *
 * A row is a cell, batch, length and pass; the first column is the baseline.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-matrix.h"

#include "app/adapt/statements.h"
#include "app/command/compare/compare-group.h"
#include "engine/base/one-line.h"
#include "profiler/base/format.h"

#include <stdio.h>

#define TITLE_WIDTH  36
#define COLUMN_WIDTH 13

/* The group with the most candidates, which are the columns: a GPU may have left out some of others. */
static const ScopeGroup *
find_widest (const GPtrArray *groups)
{
  const ScopeGroup *widest = groups->pdata[0];

  for (guint i = 1; i < groups->len; i++)
    if (((ScopeGroup *) groups->pdata[i])->candidates->len > widest->candidates->len)
      widest = groups->pdata[i];
  return widest;
}

/* The group's candidate in this column; NULL if it was left out. */
static const ScopeCandidate *
find_candidate (const ScopeGroup *group, const ScopeCandidate *column)
{
  for (guint i = 0; i < group->candidates->len; i++)
    if (scope_candidate_is_like (group->candidates->pdata[i], column))
      return group->candidates->pdata[i];
  return NULL;
}

/* The baseline's time, or the speed-up over it.  (transfer full) */
static char *
dup_cell (const ScopeGroup *group, const ScopeCandidate *candidate)
{
  const ScopeCandidate *first = group->candidates->pdata[0];
  ProfPairing           pairing;

  if (!candidate)
    return g_strdup ("–");
  if (candidate == first)
    return prof_format_seconds (first->clean.median.median);
  scope_group_pair (group, candidate, first, &pairing);
  return scope_say_speed_up (&pairing, 0);
}

/* FALSE if the difference from the baseline may be noise. */
static gboolean
is_decided (const ScopeGroup *group, const ScopeCandidate *candidate)
{
  ProfPairing pairing;

  if (!candidate || candidate == group->candidates->pdata[0])
    return TRUE;
  scope_group_pair (group, candidate, group->candidates->pdata[0], &pairing);
  return pairing.verdict != PROF_UNDECIDED || !prof_interval_is_known (&pairing.ratio);
}

static const char *
column_variant (const ScopeCandidate *candidate)
{
  return candidate->variant;
}

static const char *
column_mode (const ScopeCandidate *candidate)
{
  return candidate->no_passes ? "no passes" : scope_mode_name (candidate->mode);
}

static const char *
column_device (const ScopeCandidate *candidate)
{
  return candidate->device ? candidate->device : "cpu";
}

/* One line of column titles. */
static void
print_column_titles (const ScopeGroup *group,
                     const char *(*title) (const ScopeCandidate *candidate))
{
  printf ("%*s", TITLE_WIDTH, "");
  for (guint i = 0; i < group->candidates->len; i++)
    printf (" %*s", COLUMN_WIDTH, title (group->candidates->pdata[i]));
  printf ("\n");
}

static gboolean
has_devices (const ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    if (((ScopeCandidate *) group->candidates->pdata[i])->device)
      return TRUE;
  return FALSE;
}

void
scope_matrix_print (const GPtrArray *groups)
{
  const ScopeGroup *columns;

  if (groups->len < 2)
    return;
  columns = find_widest (groups);
  printf ("\nspeed-up over the first column (~: undecided, –: too few runs)\n");
  print_column_titles (columns, column_variant);
  print_column_titles (columns, column_mode);
  if (has_devices (columns))
    print_column_titles (columns, column_device);
  for (guint g = 0; g < groups->len; g++)
    {
      const ScopeGroup *group = groups->pdata[g];
      g_autofree char  *place = scope_group_dup_title (group);

      if (!scope_group_is_measured (group))
        continue;
      printf ("%-*s", TITLE_WIDTH, hyb_one_line (place));
      for (guint i = 0; i < columns->candidates->len; i++)
        {
          const ScopeCandidate *candidate = find_candidate (group, columns->candidates->pdata[i]);
          g_autofree char      *cell = dup_cell (group, candidate);
          g_autofree char      *text =
              g_strconcat (is_decided (group, candidate) ? "" : "~ ", cell, NULL);

          printf (" %*s%s", MAX (COLUMN_WIDTH - (int) g_utf8_strlen (text, -1), 0), "", text);
        }
      printf ("\n");
    }
}

static void
append_text (GString *html, const char *tag, gboolean is_decided, const char *text)
{
  g_string_append_printf (html, "<%s%s>", tag, is_decided ? "" : " class=\"unsure\"");
  scope_html_append (html, text);
  g_string_append_printf (html, "</%s>", tag);
}

void
scope_report_page_add_matrix (ScopeReportPage *page, const GPtrArray *groups)
{
  GString          *html;
  const ScopeGroup *first = groups->len > 1 ? find_widest (groups) : NULL;

  if (!first)
    return;
  html = g_string_new ("<table><tr><th></th>");
  for (guint i = 0; i < first->candidates->len; i++)
    {
      g_autofree char *name = scope_candidate_dup_name (first->candidates->pdata[i]);

      append_text (html, "th", TRUE, name);
    }
  g_string_append (html, "</tr>\n");
  for (guint g = 0; g < groups->len; g++)
    {
      const ScopeGroup *group = groups->pdata[g];
      g_autofree char  *place = scope_group_dup_title (group);

      if (!scope_group_is_measured (group))
        continue;
      g_string_append (html, "<tr>");
      append_text (html, "td", TRUE, place);
      for (guint i = 0; i < first->candidates->len; i++)
        {
          const ScopeCandidate *candidate = find_candidate (group, first->candidates->pdata[i]);
          g_autofree char      *cell = dup_cell (group, candidate);

          append_text (html, "td", is_decided (group, candidate), cell);
        }
      g_string_append (html, "</tr>\n");
    }
  g_string_append (html, "</table>\n<p>The first column is a time, the others show the speed-up "
                         "over it; grey is undecided, and – stands for too few runs.</p>\n");
  scope_report_page_add_html (page, "Overview", html);
}
