/* operators-view.c — the table of costs, grouped by operator, node or scope.
 *
 * Start reading with fill(); the columns are in the table above it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/operators-view.h"

#include "app/models/cost-item.h"
#include "app/widgets/columns.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

typedef enum
{
  BY_OPERATOR,
  BY_NODE,
  BY_SCOPE,
} Grouping;

#define COLUMN_TYPE   1
#define COLUMN_INPUTS 8

struct _ScopeOperatorsView
{
  ScopeView parent_instance;

  /* Borrowed: children */
  GtkStack       *stack;
  GtkDropDown    *grouping;
  GtkSearchEntry *search;
  GtkColumnView  *table;

  GListStore *rows;
  GtkFilter  *filter;
  char       *filter_text;
  gboolean    is_following;
};

G_DEFINE_FINAL_TYPE (ScopeOperatorsView, scope_operators_view, SCOPE_TYPE_VIEW)

/* --- Columns --- */

static char *
text_name (gpointer item)
{
  return g_strdup (SCOPE_COST_ITEM (item)->name);
}

static char *
text_type (gpointer item)
{
  return g_strdup (SCOPE_COST_ITEM (item)->type);
}

static char *
text_count (gpointer item)
{
  double count = SCOPE_COST_ITEM (item)->count;

  if (isnan (count))
    return g_strdup ("–");
  return g_strdup_printf (count == floor (count) ? "%.0f" : "%.2f", count);
}

static char *
text_self (gpointer item)
{
  return prof_format_seconds (SCOPE_COST_ITEM (item)->self);
}

static char *
text_share (gpointer item)
{
  return g_strdup_printf ("%.1f %%", SCOPE_COST_ITEM (item)->share * 100);
}

static double
rate_of (ScopeCostItem *item)
{
  /* The operations of a loop are done inside it, in its inclusive time. */
  double seconds = MAX (item->self, item->inclusive);

  return seconds > 0 && item->flops > 0 ? item->flops / seconds : NAN;
}

static char *
text_rate (gpointer item)
{
  double rate = rate_of (item);

  return isfinite (rate) ? g_strdup_printf ("%.2f", rate / 1e9) : g_strdup ("–");
}

static char *
text_bytes (gpointer item)
{
  double bytes = SCOPE_COST_ITEM (item)->bytes;

  return isfinite (bytes) ? prof_format_bytes (bytes) : g_strdup ("–");
}

static char *
text_allocated (gpointer item)
{
  double bytes = SCOPE_COST_ITEM (item)->allocated;

  return isfinite (bytes) && bytes > 0 ? prof_format_bytes (bytes) : g_strdup ("–");
}

static char *
text_inputs (gpointer item)
{
  return g_strdup (SCOPE_COST_ITEM (item)->inputs);
}

/* The part of the cell that its share fills. */
static double
part_share (gpointer item)
{
  return SCOPE_COST_ITEM (item)->share;
}

static int
compare_doubles (double a, double b)
{
  if (isnan (a) || isnan (b))
    return isnan (a) ? (isnan (b) ? 0 : -1) : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

static int
compare_name (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return g_utf8_collate (((const ScopeCostItem *) a)->name, ((const ScopeCostItem *) b)->name);
}

static int
compare_type (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return g_utf8_collate (((const ScopeCostItem *) a)->type, ((const ScopeCostItem *) b)->type);
}

static int
compare_count (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return compare_doubles (((const ScopeCostItem *) a)->count, ((const ScopeCostItem *) b)->count);
}

static int
compare_self (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return compare_doubles (((const ScopeCostItem *) a)->self, ((const ScopeCostItem *) b)->self);
}

static int
compare_rate (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return compare_doubles (rate_of ((ScopeCostItem *) a), rate_of ((ScopeCostItem *) b));
}

static int
compare_bytes (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return compare_doubles (((const ScopeCostItem *) a)->bytes, ((const ScopeCostItem *) b)->bytes);
}

static int
compare_allocated (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return compare_doubles (((const ScopeCostItem *) a)->allocated,
                          ((const ScopeCostItem *) b)->allocated);
}

static int
compare_inputs (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return g_utf8_collate (((const ScopeCostItem *) a)->inputs, ((const ScopeCostItem *) b)->inputs);
}

static ScopeColumn columns[] = {
  { N_ ("Name"), text_name, compare_name, FALSE, TRUE },
  { N_ ("Operator"), text_type, compare_type, FALSE, FALSE },
  { N_ ("Count"), text_count, compare_count, TRUE, FALSE },
  { N_ ("Self"), text_self, compare_self, TRUE, FALSE },
  { N_ ("Share"), text_share, compare_self, TRUE, FALSE, part_share },
  { N_ ("GFLOP/s"), text_rate, compare_rate, TRUE, FALSE },
  { N_ ("Bytes"), text_bytes, compare_bytes, TRUE, FALSE },
  { N_ ("Allocated"), text_allocated, compare_allocated, TRUE, FALSE },
  { N_ ("Inputs"), text_inputs, compare_inputs, FALSE, TRUE },
};

static void
translate_columns (void)
{
  static gboolean is_done;

  for (guint i = 0; !is_done && i < G_N_ELEMENTS (columns); i++)
    columns[i].title = _ (columns[i].title);
  is_done = TRUE;
}

char *
scope_operators_view_to_text (ScopeOperatorsView *self)
{
  return scope_columns_to_text (self->table, columns, G_N_ELEMENTS (columns));
}

/* --- Rows --- */

/* Groups by operator have no separate operator column. */
static void
show_column (ScopeOperatorsView *self, guint index, gboolean is_visible)
{
  g_autoptr (GtkColumnViewColumn) column =
      g_list_model_get_item (gtk_column_view_get_columns (self->table), index);

  gtk_column_view_column_set_visible (column, is_visible);
}

/* The names of prof_summary_rest(), for translators. */
G_GNUC_UNUSED static const char *const rest_names[] = {
  N_ ("(between operators)"),
  N_ ("(passes and copies)"),
  N_ ("(GPU idle)"),
  N_ ("(GPU, no operator)"),
};

static void
fill (ScopeOperatorsView *self)
{
  ScopeWorkspace   *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeMeasurement *measurement = workspace ? scope_workspace_get_measurement (workspace) : NULL;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  const ProfSummary *summary;
  ProfGroupSum       rest[PROF_MAX_REST];
  guint              n_rest;
  Grouping           grouping = (Grouping) gtk_drop_down_get_selected (self->grouping);

  gtk_stack_set_visible_child_name (self->stack, measurement ? "table" : "empty");
  if (!measurement)
    {
      g_list_store_remove_all (self->rows);
      return;
    }
  summary = scope_measurement_get_summary (measurement);
  show_column (self, COLUMN_TYPE, grouping == BY_NODE);
  show_column (self, COLUMN_INPUTS, grouping == BY_NODE);
  if (grouping == BY_NODE)
    for (guint i = 0; i < summary->node->len; i++)
      g_ptr_array_add (items, scope_cost_item_new_node (measurement, i));
  else
    {
      GArray *groups = grouping == BY_SCOPE ? summary->scope : summary->operators;

      for (guint i = 0; i < groups->len; i++)
        g_ptr_array_add (items,
                         scope_cost_item_new_group (measurement,
                                                    &g_array_index (groups, ProfGroupSum, i)));
    }
  /* With these the shares add up to the whole run. */
  n_rest = prof_summary_rest (summary, rest);
  for (guint i = 0; i < n_rest; i++)
    g_ptr_array_add (items, scope_cost_item_new_rest (measurement, &rest[i], _ (rest[i].name)));
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       items->pdata, items->len);
}

static gboolean
matches_filter (gpointer item, gpointer data)
{
  ScopeOperatorsView *self = data;
  ScopeCostItem      *row = item;
  g_autofree char    *name = NULL;
  g_autofree char    *type = NULL;

  if (!self->filter_text || *self->filter_text == '\0')
    return TRUE;
  name = g_utf8_casefold (row->name, -1);
  type = g_utf8_casefold (row->type, -1);
  return strstr (name, self->filter_text) || strstr (type, self->filter_text);
}

static void
on_search (GtkSearchEntry *entry, gpointer data)
{
  ScopeOperatorsView *self = data;

  g_free (self->filter_text);
  self->filter_text = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (entry)), -1);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

/* The rows of all nodes of an operator, or in a scope.  (transfer full) array of guint32 */
static GArray *
find_rows (ScopeMeasurement *measurement, const char *name, Grouping grouping)
{
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  GArray            *rows = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < summary->node->len; i++)
    {
      guint32         row = g_array_index (summary->node, ProfNodeSum, i).row;
      const ProfNode *node = prof_capture_get_node (capture, row);

      if (strcmp (prof_capture_get_string (capture,
                                           grouping == BY_SCOPE ? node->scope : node->type),
                  name) == 0)
        g_array_append_val (rows, row);
    }
  return rows;
}

static void
on_row (GtkSingleSelection *selection, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  ScopeOperatorsView *self = data;
  ScopeCostItem      *item = gtk_single_selection_get_selected_item (selection);
  ScopeWorkspace     *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

  Grouping grouping = (Grouping) gtk_drop_down_get_selected (self->grouping);

  if (!item || !workspace || self->is_following || isnan (item->count))
    return;
  if (grouping == BY_NODE)
    scope_workspace_focus (workspace, &item->row, 1, TRUE);
  else
    {
      g_autoptr (GArray) rows = find_rows (item->measurement, item->name, grouping);

      scope_workspace_focus (workspace, (const guint32 *) (gpointer) rows->data, rows->len, FALSE);
    }
}

static gboolean
is_row (gpointer item, gpointer data)
{
  return SCOPE_COST_ITEM (item)->row == *(guint32 *) data;
}

static void
scope_operators_view_selection_changed (ScopeView *view)
{
  ScopeOperatorsView *self = SCOPE_OPERATORS_VIEW (view);
  const GArray       *rows = scope_workspace_get_focus (scope_view_get_workspace (view));
  guint32             row = rows->len == 1 ? g_array_index (rows, guint32, 0) : PROF_NONE - 1;

  if (gtk_drop_down_get_selected (self->grouping) != BY_NODE ||
      !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->is_following = TRUE;
  scope_columns_select (self->table, is_row, &row);
  self->is_following = FALSE;
}

static void
follow_selection (ScopeView *view)
{
  if (scope_view_get_workspace (view))
    scope_operators_view_selection_changed (view);
}

static void
scope_operators_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (workspace)
    g_signal_connect_swapped (workspace, "focus-changed", G_CALLBACK (follow_selection), view);
}

static void
act_copy (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  g_autofree char *text = scope_operators_view_to_text (SCOPE_OPERATORS_VIEW (widget));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
scope_operators_view_capture_changed (ScopeView *view)
{
  fill (SCOPE_OPERATORS_VIEW (view));
}

static void
scope_operators_view_finalize (GObject *object)
{
  ScopeOperatorsView *self = SCOPE_OPERATORS_VIEW (object);

  g_clear_object (&self->rows);
  g_clear_object (&self->filter);
  g_free (self->filter_text);
  G_OBJECT_CLASS (scope_operators_view_parent_class)->finalize (object);
}

static void
scope_operators_view_class_init (ScopeOperatorsViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = scope_operators_view_finalize;
  SCOPE_VIEW_CLASS (class)->defers_until_mapped = TRUE;
  SCOPE_VIEW_CLASS (class)->workspace_changed = scope_operators_view_workspace_changed;
  SCOPE_VIEW_CLASS (class)->document_changed = scope_operators_view_capture_changed;
  SCOPE_VIEW_CLASS (class)->capture_changed = scope_operators_view_capture_changed;
  SCOPE_VIEW_CLASS (class)->selection_changed = scope_operators_view_selection_changed;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/operators-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeOperatorsView, stack);
  gtk_widget_class_bind_template_child (widget_class, ScopeOperatorsView, grouping);
  gtk_widget_class_bind_template_child (widget_class, ScopeOperatorsView, search);
  gtk_widget_class_bind_template_child_full (widget_class, "table_scroller", TRUE, 0);
  gtk_widget_class_bind_template_callback (widget_class, on_search);
  gtk_widget_class_install_action (widget_class, "operators.copy", NULL, act_copy);
}

static void
scope_operators_view_init (ScopeOperatorsView *self)
{
  GtkWidget *table;

  translate_columns ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_list_store_new (SCOPE_TYPE_COST_ITEM);
  self->filter = GTK_FILTER (gtk_custom_filter_new (matches_filter, self, NULL));
  table = scope_columns_new (G_LIST_MODEL (self->rows), columns, G_N_ELEMENTS (columns),
                             g_object_ref (self->filter));
  gtk_widget_set_name (table, "operators-table");
  self->table = GTK_COLUMN_VIEW (table);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (
                                     gtk_widget_get_template_child (GTK_WIDGET (self),
                                                                    SCOPE_TYPE_OPERATORS_VIEW,
                                                                    "table_scroller")),
                                 table);
  g_signal_connect (gtk_column_view_get_model (self->table), "notify::selected-item",
                    G_CALLBACK (on_row), self);
  g_signal_connect_swapped (self->grouping, "notify::selected", G_CALLBACK (fill), self);
  g_signal_connect_object (scope_columns_get_rows (self->table), "completed",
                           G_CALLBACK (follow_selection), self, G_CONNECT_SWAPPED);
}
