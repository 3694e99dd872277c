/* node-view-origins.c — where a node of the model is computed, and the sources of a node that ran.
 *
 * Passes fuse, merge and move nodes, so that the two are not the same.  Start reading with
 * scope_node_view_show_origins() and scope_node_view_show_rows().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "profiler/base/format.h"

#include <glib/gi18n.h>

/* Rows and nodes beyond this are only counted. */
#define MAX_LISTED 40

static const char *
text_of (const ProfCapture *capture, ProfText text)
{
  return prof_capture_get_string (capture, text);
}

static void
add_more (ScopeSheet *sheet, guint n)
{
  if (n > MAX_LISTED)
    {
      g_autofree char *more = g_strdup_printf (_ ("… and %u more"), n - MAX_LISTED);

      scope_sheet_add_text (sheet, more, "dim-label");
    }
}

/* --- Where a node is computed --- */

/* “t0, with 7 others” */
static char *
describe_place (const ProfCapture *capture, const ProfOrigins *origins, guint32 row)
{
  const ProfNode  *node = prof_capture_get_node (capture, row);
  guint            n, n_computed = prof_origins_n_computed (origins, row);
  g_autofree char *step = node->step != PROF_NONE ? g_strdup_printf ("t%u", node->step) : NULL;
  g_autofree char *with = NULL;

  prof_origins_of (origins, row, &n);
  n = (n_computed > 0 ? n_computed : n) - 1;
  if (n > 0)
    with = g_strdup_printf (g_dngettext (NULL, "with %u other", "with %u others", n), n);
  if (step && with)
    return g_strconcat (step, ", ", with, NULL);
  if (step || with)
    return step ? g_steal_pointer (&step) : g_steal_pointer (&with);
  return g_strdup (text_of (capture, node->name));
}

void
scope_node_view_show_origins (ScopeNodeView *self, ScopeMeasurement *measurement, guint32 box)
{
  static const char *const headings[PROF_N_ROLES] = { N_ ("Computed In"), N_ ("Prepared By"),
                                                      N_ ("Gradient Computed In") };
  const ProfOrigins *origins = measurement ? scope_measurement_get_origins (measurement) : NULL;
  guint              n = 0, n_of;
  const ProfOrigin  *rows = measurement ? scope_measurement_find_rows (measurement, box, &n) : NULL;

  if (n == 0)
    return;
  prof_origins_of (origins, rows[0].row, &n_of);
  if (n == 1 && n_of == 1 && rows[0].row == rows[0].of) /* it ran as it is in the model */
    return;
  for (guint i = 0; i < MIN (n, MAX_LISTED); i++)
    {
      const ProfCapture *capture = scope_measurement_get_capture (measurement);
      const ProfNode    *node = prof_capture_get_node (capture, rows[i].row);
      g_autofree char   *place = describe_place (capture, origins, rows[i].row);

      if (i == 0 || rows[i - 1].role != rows[i].role)
        scope_sheet_add_heading (self->sheet, _ (headings[rows[i].role]));
      scope_sheet_add_row (self->sheet, text_of (capture, node->type), place,
                           text_of (capture, node->name), SCOPE_LINK_ROW | rows[i].row);
    }
  add_more (self->sheet, n);
}

/* --- Nodes that ran --- */

/* The cost of several rows together. */
static void
add_costs (ScopeNodeView *self, ScopeMeasurement *measurement, const GArray *rows)
{
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  double             self_time = 0, count = 0;
  g_autofree char   *time = NULL, *share = NULL, *times = NULL;

  for (guint i = 0; i < rows->len; i++)
    {
      guint32 index = summary->by_row[g_array_index (rows, guint32, i)];

      if (index == PROF_NONE)
        continue;
      self_time += g_array_index (summary->node, ProfNodeSum, index).self;
      count += g_array_index (summary->node, ProfNodeSum, index).count;
    }
  time = prof_format_seconds (self_time);
  share = g_strdup_printf ("%.1f %%", 100 * self_time / summary->traced);
  times = g_strdup_printf ("%.6g", count);
  scope_sheet_add_heading (self->sheet, _ ("Cost"));
  scope_sheet_add_row (self->sheet, _ ("Share of a run"), share, NULL, 0);
  scope_sheet_add_row (self->sheet, _ ("Self time"), time, NULL, 0);
  scope_sheet_add_row (self->sheet, _ ("Executions"), times, NULL, 0);
}

/* The nodes of the model for which the rows have a role. */
static void
add_nodes_of (ScopeNodeView    *self,
              ScopeMeasurement *measurement,
              const GArray     *rows,
              ProfRole          role,
              const char       *heading)
{
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  const ProfOrigins *origins = scope_measurement_get_origins (measurement);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < rows->len; i++)
    {
      guint             n;
      const ProfOrigin *of = prof_origins_of (origins, g_array_index (rows, guint32, i), &n);

      for (guint k = 0; k < n; k++)
        {
          const ProfNode *node = prof_capture_get_node (capture, of[k].of);

          if (of[k].role != role || !g_hash_table_add (seen, GUINT_TO_POINTER (of[k].of + 1)))
            continue;
          if (g_hash_table_size (seen) == 1)
            scope_sheet_add_heading (self->sheet, heading);
          if (g_hash_table_size (seen) <= MAX_LISTED)
            scope_sheet_add_row (self->sheet, text_of (capture, node->type),
                                 text_of (capture, node->name), NULL,
                                 scope_measurement_get_box (measurement, of[k].of));
        }
    }
  add_more (self->sheet, g_hash_table_size (seen));
}

gboolean
scope_node_view_has_rows (ScopeMeasurement *measurement, const GArray *rows)
{
  const ProfOrigins *origins = measurement ? scope_measurement_get_origins (measurement) : NULL;
  guint              n;
  const ProfOrigin  *of;

  if (!measurement || rows->len == 0)
    return FALSE;
  if (rows->len > 1)
    return TRUE;
  of = prof_origins_of (origins, g_array_index (rows, guint32, 0), &n);
  return n != 1 || of[0].of != of[0].row;
}

void
scope_node_view_show_rows (ScopeNodeView *self, ScopeMeasurement *measurement, const GArray *rows)
{
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  const ProfNode    *node = prof_capture_get_node (capture, g_array_index (rows, guint32, 0));
  g_autofree char   *subtitle = rows->len == 1 ? g_strdup (text_of (capture, node->name))
                                               : g_strdup_printf (_ ("%u nodes that ran"), rows->len);

  scope_sheet_add_title (self->sheet, text_of (capture, node->type), subtitle);
  add_costs (self, measurement, rows);
  add_nodes_of (self, measurement, rows, PROF_COMPUTES, _ ("Stands For"));
  add_nodes_of (self, measurement, rows, PROF_HELPS, _ ("Prepares"));
  add_nodes_of (self, measurement, rows, PROF_DIFFERENTIATES, _ ("Gradient Of"));
}
