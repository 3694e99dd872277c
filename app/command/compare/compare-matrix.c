/* compare-matrix.c — the table of all groups: one row per group, one column per candidate.
 *
 * A row is a cell, batch, length and pass; the first column is the baseline.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-matrix.h"

#include "app/adapt/statements.h"
#include "app/command/compare/compare-group.h"
#include "profiler/base/format.h"

#define TITLE_WIDTH  36
#define COLUMN_WIDTH 14

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

static gboolean
has_devices (const ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    if (((ScopeCandidate *) group->candidates->pdata[i])->device)
      return TRUE;
  return FALSE;
}

/* "foreach", "static" and, if there are several, the device: one below the other.  (transfer full) */
static char *
dup_lines (const ScopeCandidate *candidate, gboolean with_device)
{
  const char *mode = candidate->no_passes ? "no passes" : scope_mode_name (candidate->mode);
  const char *device = candidate->device ? candidate->device : "cpu";

  return g_strjoin ("\n", candidate->variant, mode, with_device ? device : NULL, NULL);
}

/* An empty table with a column for each candidate. */
static ScopeTable *
add_table (ScopeSaid *said, const ScopeGroup *widest)
{
  guint                        n = widest->candidates->len;
  g_autofree ScopeTableColumn *columns = g_new0 (ScopeTableColumn, n + 1);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  columns[0] = (ScopeTableColumn){ .title = "", .width = TITLE_WIDTH };
  for (guint i = 0; i < n; i++)
    {
      const ScopeCandidate *candidate = widest->candidates->pdata[i];

      columns[i + 1] = (ScopeTableColumn){ .title = scope_candidate_dup_name (candidate),
                                           .lines = dup_lines (candidate, has_devices (widest)),
                                           .is_number = TRUE,
                                           .width = COLUMN_WIDTH };
      g_ptr_array_add (texts, (char *) columns[i + 1].title);
      g_ptr_array_add (texts, (char *) columns[i + 1].lines);
    }
  return scope_said_table (said, columns, n + 1);
}

void
scope_matrix_say (ScopeSaid *said, const GPtrArray *groups)
{
  const ScopeGroup *widest = groups->len > 1 ? find_widest (groups) : NULL;
  ScopeTable       *table;

  if (!widest)
    return;
  scope_said_heading (said, "Overview",
                      "speed-up over the first column (~: undecided, –: too few runs)");
  table = add_table (said, widest);
  for (guint g = 0; g < groups->len; g++)
    {
      const ScopeGroup *group = groups->pdata[g];

      if (!scope_group_is_measured (group))
        continue;
      scope_table_add (table, scope_group_dup_title (group), FALSE);
      for (guint i = 0; i < widest->candidates->len; i++)
        {
          const ScopeCandidate *candidate = find_candidate (group, widest->candidates->pdata[i]);

          scope_table_add (table, dup_cell (group, candidate), !is_decided (group, candidate));
        }
    }
  scope_said_sentence (said, SCOPE_SAID_ON_PAGES,
                       g_strdup ("The first column is a time, the others show the speed-up over "
                                 "it; grey is undecided, and – stands for too few runs."));
}
