/* report-origins.c — tables of the nodes that ran and their sources, summed up by folded name.
 *
 * Start reading at prof_report_origins().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/report-origins.h"

#include "engine/base/one-line.h"
#include "profiler/base/format.h"
#include "profiler/summary/origins.h"

#include <string.h>

#define MAX_ROWS  20
#define MAX_NAMES 12 /* in a line */

/* All nodes with one folded name and type, and the names of their related nodes. */
typedef struct
{
  char       *label;
  guint       n;       /* nodes */
  double      self;    /* seconds of the rows that ran, each once */
  GHashTable *rows;    /* that ran */
  GPtrArray  *related; /* of char *, in order */
  GHashTable *counts;  /* the same texts → how often */
} Group;

typedef struct
{
  const ProfCapture *capture;
  const ProfSummary *summary;
  GPtrArray         *groups; /* of Group */
  GHashTable        *by_label;
} Table;

static void
group_free (gpointer data)
{
  Group *group = data;

  g_hash_table_unref (group->rows);
  g_hash_table_unref (group->counts);
  g_ptr_array_unref (group->related);
  g_free (group->label);
  g_free (group);
}

static void
table_init (Table *table, const ProfCapture *capture, const ProfSummary *summary)
{
  *table = (Table){ .capture = capture,
                    .summary = summary,
                    .groups = g_ptr_array_new_with_free_func (group_free),
                    .by_label = g_hash_table_new (g_str_hash, g_str_equal) };
}

static void
table_clear (Table *table)
{
  g_hash_table_unref (table->by_label);
  g_ptr_array_unref (table->groups);
}

/* "lstm_t*_out (_lstm_gates)".  (transfer full) */
static char *
label_of (const ProfCapture *capture, guint32 row)
{
  const ProfNode *node = prof_capture_get_node (capture, row);
  const char     *folded = prof_capture_get_string (capture, node->folded);
  const char     *name = *folded ? folded : prof_capture_get_string (capture, node->name);

  return g_strdup_printf ("%s (%s)", hyb_one_line (name),
                          hyb_one_line (prof_capture_get_string (capture, node->type)));
}

static Group *
find_group (Table *table, guint32 row)
{
  char  *label = label_of (table->capture, row);
  Group *group = g_hash_table_lookup (table->by_label, label);

  if (group)
    {
      g_free (label);
      return group;
    }
  group = g_new0 (Group, 1);
  group->label = label;
  group->rows = g_hash_table_new (NULL, NULL);
  group->related = g_ptr_array_new_with_free_func (g_free);
  group->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_ptr_array_add (table->groups, group);
  g_hash_table_insert (table->by_label, group->label, group);
  return group;
}

static void
add_related (Group *group, char *text /* (transfer full) */)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (group->counts, text));

  if (n == 0)
    g_ptr_array_add (group->related, g_strdup (text));
  g_hash_table_replace (group->counts, text, GUINT_TO_POINTER (n + 1));
}

/* Counts the time of a row that ran, once. */
static void
add_time (const Table *table, Group *group, guint32 row)
{
  if (g_hash_table_add (group->rows, GUINT_TO_POINTER (row)))
    group->self +=
        g_array_index (table->summary->node, ProfNodeSum, table->summary->by_row[row]).self;
}

/* --- Printing --- */

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const Group *x = *(Group *const *) a, *y = *(Group *const *) b;

  if (x->self != y->self)
    return x->self < y->self ? 1 : -1;
  return strcmp (x->label, y->label);
}

static void
append_related (GString *to, const Group *group)
{
  for (guint i = 0; i < MIN (group->related->len, MAX_NAMES); i++)
    {
      const char *text = group->related->pdata[i];
      guint       n = GPOINTER_TO_UINT (g_hash_table_lookup (group->counts, text));

      g_string_append_printf (to, "%s%s", i > 0 ? ", " : "", text);
      if (n != group->n)
        g_string_append_printf (to, " ×%u", n);
    }
  if (group->related->len > MAX_NAMES)
    g_string_append_printf (to, ", … and %u more", group->related->len - MAX_NAMES);
}

static void
append_table (GString *to, const Table *table, const char *title, const char *of)
{
  if (table->groups->len == 0)
    return;
  g_ptr_array_sort (table->groups, compare_groups);
  g_string_append_printf (to, "\n%-48s  nodes       self  %s\n", title, of);
  for (guint i = 0; i < MIN (table->groups->len, MAX_ROWS); i++)
    {
      const Group     *group = table->groups->pdata[i];
      g_autofree char *time = prof_format_seconds (group->self);
      glong            width = g_utf8_strlen (group->label, -1);

      g_string_append_printf (to, "%s%*s", group->label, (int) MAX (48 - width, 0), "");
      width = g_utf8_strlen (time, -1);
      g_string_append_printf (to, "%7u%*s%s  ", group->n, (int) MAX (11 - width, 1), "", time);
      append_related (to, group);
      g_string_append_c (to, '\n');
    }
  if (table->groups->len > MAX_ROWS)
    g_string_append_printf (to, "… and %u more\n", table->groups->len - MAX_ROWS);
}

/* --- Both directions --- */

static const char *const role_prefix[PROF_N_ROLES] = {
  [PROF_COMPUTES] = "",
  [PROF_HELPS] = "for ",
  [PROF_DIFFERENTIATES] = "gradient of ",
};

/* Nodes that ran and have other sources than themselves. */
static void
append_made (GString *to, const ProfOrigins *origins, const Table *head)
{
  Table table;

  table_init (&table, head->capture, head->summary);
  for (guint i = 0; i < table.summary->node->len; i++)
    {
      guint32           row = g_array_index (table.summary->node, ProfNodeSum, i).row;
      guint             n;
      const ProfOrigin *all = prof_origins_of (origins, row, &n);
      Group            *group;

      if (n == 0 || (n == 1 && all[0].of == row) || all[0].row != row)
        continue;
      group = find_group (&table, row);
      group->n++;
      add_time (&table, group, row);
      for (guint k = 0; k < n; k++)
        {
          g_autofree char *label = label_of (table.capture, all[k].of);

          add_related (group, g_strconcat (role_prefix[all[k].role], label, NULL));
        }
    }
  append_table (to, &table, "made for the run", "stands for");
  table_clear (&table);
}

/* Nodes of the model that did not run, but are computed by others. */
static void
append_elsewhere (GString *to, const ProfOrigins *origins, const Table *head)
{
  Table table;

  table_init (&table, head->capture, head->summary);
  for (guint32 of = 0; of < prof_capture_n_nodes (table.capture); of++)
    {
      guint             n;
      const ProfOrigin *rows = prof_origins_computing (origins, of, &n);
      Group            *group;

      if (n == 0 || table.summary->by_row[of] != PROF_NONE || rows[0].role == PROF_DIFFERENTIATES)
        continue;
      group = find_group (&table, of);
      group->n++;
      for (guint k = 0; k < n && (k == 0 || rows[k].role == PROF_COMPUTES); k++)
        {
          guint            n_with = MAX (prof_origins_n_computed (origins, rows[k].row), 1) - 1;
          g_autofree char *label = label_of (table.capture, rows[k].row);

          add_time (&table, group, rows[k].row);
          add_related (group, n_with > 0 ? g_strdup_printf ("%s with %u other%s", label, n_with,
                                                            n_with == 1 ? "" : "s")
                                         : g_steal_pointer (&label));
        }
    }
  append_table (to, &table, "not run as in the model", "computed in");
  table_clear (&table);
}

void
prof_report_origins (GString *to, const ProfCapture *capture, const ProfSummary *summary)
{
  g_autoptr (ProfOrigins) origins = prof_origins_new (capture, summary);
  Table head = { .capture = capture, .summary = summary };

  append_made (to, origins, &head);
  append_elsewhere (to, origins, &head);
}
