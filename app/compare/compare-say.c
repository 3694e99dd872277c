/* compare-say.c — see compare-say.h.
 *
 * The blocks that hscope says, too, are made by adapt/said-comparison.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-say.h"

#include "app/adapt/said-comparison.h"
#include "app/compare/compare-cells.h"
#include "app/compare/compare-numbers.h"
#include "app/process/json-fields.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_SENTENCES 100
#define MAX_TIMES     4000 /* in the table of times */

static const cJSON *
get_member (const cJSON *json, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive (json, key);
}

/* --- Times --- */

static char *
dup_hint (const cJSON *cell)
{
  g_autofree char *low = prof_format_seconds (scope_json_get_number (cell, "low"));
  g_autofree char *high = prof_format_seconds (scope_json_get_number (cell, "high"));
  g_autofree char *bytes = prof_format_bytes (scope_json_get_number (cell, "peak_bytes"));
  double           n = scope_json_get_number (cell, "samples");

  if (isnan (scope_json_get_number (cell, "low")))
    return g_strdup_printf (
        _ ("Median of %.0f runs, too few for a confidence interval. Peak memory %s."), n, bytes);
  return g_strdup_printf (_ ("Median of %.0f runs, 95 %% confidence interval %s to %s. Peak memory "
                             "%s."),
                          n, low, high, bytes);
}

/* The cells of one size. */
typedef struct
{
  const cJSON *slow, *fast; /* NULL: none has a time */
  GHashTable  *cells;       /* of const cJSON, by name */
} Size;

static void
read_size (Size *size, const cJSON *result, const cJSON *like)
{
  const cJSON *cell;

  scope_cells_find_extremes (result, like, &size->slow, &size->fast);
  size->cells = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  cJSON_ArrayForEach (cell, get_member (result, "cells"))
  {
    char *name;

    if (!scope_cells_are_alike (cell, like))
      continue;
    name = scope_cell_dup_name (cell, result);
    if (!g_hash_table_contains (size->cells, name))
      g_hash_table_insert (size->cells, g_steal_pointer (&name), (gpointer) cell);
    g_free (name);
  }
}

static void
size_clear (gpointer data)
{
  g_hash_table_unref (((Size *) data)->cells);
}

/* One time beside the slowest and the fastest of its size.  A form may be refused at a size, and time may have run out
 * before its first run. */
static void
add_time (ScopeTable *table, const Size *size, const char *name)
{
  const cJSON     *cell = g_hash_table_lookup (size->cells, name);
  double           median = scope_json_get_number (cell, "median");
  g_autofree char *time = prof_format_seconds (median);

  if (!isfinite (median))
    {
      scope_table_add (table, g_strdup ("–"), FALSE);
      return;
    }
  scope_table_add_cell (table,
                        &(ScopeCell){
                            .text = g_strdup_printf ("%s\n%.2f ×", time,
                                                     median / scope_json_get_number (size->fast,
                                                                                     "median")),
                            .is_best = cell == size->fast,
                            .share = median / scope_json_get_number (size->slow, "median"),
                            .hint = dup_hint (cell),
                        });
}

/* An empty table with a column for each size; a single column without a size, as for recordings, has no title. */
static ScopeTable *
new_times (const cJSON *result, const GPtrArray *sizes)
{
  g_autofree ScopeTableColumn *columns = g_new0 (ScopeTableColumn, sizes->len + 1);
  g_auto (GStrv) titles = g_new0 (char *, sizes->len + 1);

  for (guint i = 0; i < sizes->len; i++)
    {
      titles[i] = scope_cell_dup_varying_size (sizes->pdata[i], result);
      columns[i + 1].title = sizes->len > 1 || *titles[i] != '\0' ? titles[i] : NULL;
      columns[i + 1].is_number = TRUE;
    }
  return scope_table_new (columns, sizes->len + 1);
}

ScopeTable *
scope_result_dup_times (const cJSON *result)
{
  g_autoptr (GPtrArray) rows = scope_cells_list_rows (result);
  g_autoptr (GPtrArray) columns = scope_cells_list_sizes (result);
  g_autoptr (GArray) sizes = g_array_new (FALSE, TRUE, sizeof (Size));
  ScopeTable *table = new_times (result, columns);

  g_array_set_size (sizes, columns->len);
  g_array_set_clear_func (sizes, size_clear);
  for (guint i = 0; i < sizes->len; i++)
    read_size (&g_array_index (sizes, Size, i), result, columns->pdata[i]);
  for (guint i = 0; i < MIN (rows->len, MAX_TIMES / MAX (sizes->len, 1)); i++)
    {
      char *name = scope_cell_dup_name (rows->pdata[i], result);

      scope_table_add_cell (table,
                            &(ScopeCell){ .text = scope_cell_dup_title (rows->pdata[i], result),
                                          .name = name });
      for (guint k = 0; k < sizes->len; k++)
        add_time (table, &g_array_index (sizes, Size, k), name);
    }
  return table;
}

/* --- Verdicts --- */

/* The title of the cell that a pair names.  (transfer full) */
static char *
dup_title_of_name (const cJSON *result, const char *name)
{
  const cJSON *cell;

  cJSON_ArrayForEach (cell, get_member (result, "cells"))
  {
    g_autofree char *own = scope_cell_dup_name (cell, result);

    if (g_str_equal (own, name))
      return scope_cell_dup_title (cell, result);
  }
  return g_strdup (name);
}

static char *
describe_pair (const cJSON *result, const cJSON *pair, const ProfPairing *pairing)
{
  g_autofree char *a = dup_title_of_name (result, scope_json_get_text (pair, "a"));
  g_autofree char *b = dup_title_of_name (result, scope_json_get_text (pair, "b"));
  g_autofree char *sentence = scope_say_pair (a, b, pairing);
  /* Recordings have no sizes that were requested. */
  g_autofree char *size =
      scope_cells_are_recordings (result) ? NULL : scope_cell_dup_varying_size (pair, result);

  return size && *size != '\0' ? g_strdup_printf ("%s · %s", sentence, size)
                               : g_steal_pointer (&sentence);
}

void
scope_result_say_verdicts (ScopeSaid *said, const cJSON *result, const cJSON *like)
{
  gboolean     are_recordings = scope_cells_are_recordings (result), has_too_few = FALSE;
  const cJSON *pair;
  guint        n = 0;

  cJSON_ArrayForEach (pair, get_member (result, "pairs"))
  {
    ProfPairing pairing;

    if ((!are_recordings && !scope_cells_are_alike (pair, like)) || n++ >= MAX_SENTENCES)
      continue;
    scope_pairing_read (pair, &pairing);
    scope_said_sentence (said, SCOPE_SAID_PLAIN, describe_pair (result, pair, &pairing));
    has_too_few |= !prof_interval_is_known (&pairing.strict);
  }
  if (has_too_few && !are_recordings)
    scope_said_longer (said);
  cJSON_ArrayForEach (pair, get_member (result, "speeds"))
  {
    if (scope_cells_are_alike (pair, like) && n++ < MAX_SENTENCES)
      scope_said_sentence (said, SCOPE_SAID_WARNING,
                           scope_say_speed (scope_json_get_number (pair, "fastest"),
                                            scope_json_get_number (pair, "slowest")));
  }
  if (n > MAX_SENTENCES)
    scope_said_sentence (said, SCOPE_SAID_FAINT,
                         g_strdup_printf (_ ("and %u more"), n - MAX_SENTENCES));
}

void
scope_result_say_proof (ScopeSaid *said, const cJSON *result)
{
  const cJSON *equal = get_member (result, "equal");
  const cJSON *is_equal = get_member (equal, "ok");
  double       worst = scope_json_get_number (equal, "max_abs");

  if (cJSON_GetArraySize (get_member (result, "cells")) == 1)
    return;
  if (cJSON_IsTrue (is_equal))
    scope_said_sentence (said, SCOPE_SAID_FAINT,
                         worst > 0 ? g_strdup_printf (_ ("✓ The outputs agree to %.2g"), worst)
                                   : g_strdup (_ ("✓ The outputs are equal")));
  else if (cJSON_IsFalse (is_equal))
    scope_said_sentence (said, SCOPE_SAID_WARNING,
                         g_strdup (_ ("The outputs differ, so the times cannot be compared")));
}

/* --- Why --- */

/* How two recordings were not made alike, such as on different devices. */
static void
say_differences_of_work (ScopeSaid *said, const cJSON *result, const cJSON *a, const cJSON *b)
{
  const cJSON *comparison, *caution;

  cJSON_ArrayForEach (comparison, get_member (result, "comparisons"))
  {
    const char *file = scope_json_get_text (comparison, "file");

    if (!g_str_equal (file, scope_json_get_text (a, "capture")) &&
        !g_str_equal (file, scope_json_get_text (b, "capture")))
      continue;
    cJSON_ArrayForEach (caution, get_member (comparison, "cautions"))
    {
      if (g_str_equal (scope_json_get_text (caution, "kind"), "work"))
        scope_said_sentence (said, SCOPE_SAID_PLAIN,
                             g_strdup (scope_json_get_text (caution, "text")));
    }
  }
}

void
scope_result_say_why (ScopeSaid *said, const cJSON *result, const cJSON *a, const cJSON *b)
{
  double           of_a = scope_json_get_number (a, "median");
  double           of_b = scope_json_get_number (b, "median");
  g_autofree char *name_a = scope_cell_dup_title (a, result);
  g_autofree char *name_b = scope_cell_dup_title (b, result);
  ScopeLevel       slow = { name_a, of_a }, fast = { name_b, of_b };
  g_autoptr (GPtrArray) rungs = scope_rungs_read (get_member (result, "ladder"));
  ProfExplanation explanation;

  if (!scope_explanation_read (scope_pair_find_explanation (result, a, b), &explanation))
    scope_said_sentence (said, SCOPE_SAID_FAINT,
                         g_strdup (_ ("Nothing was run for this comparison, so no cause of a "
                                      "difference was measured.")));
  else
    scope_said_explanation (said, of_a < of_b ? fast : slow, of_a < of_b ? slow : fast,
                            &explanation);
  if (!prof_explanation_has_cause (&explanation))
    say_differences_of_work (said, result, a, b);
  scope_said_ladder (said, rungs);
  prof_explanation_clear (&explanation);
}
