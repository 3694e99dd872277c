/* sweep-table.c — rows and columns of the table of cells.
 *
 * There is a column for each axis with more than one value.  scope_sweep_table_update() replaces only the rows that have
 * changed, so that the table keeps its place while the sweep goes on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-table.h"

#include "app/sweep/sweep-item.h"
#include "app/widgets/columns.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define N_FIXED     6 /* columns besides the axes */
#define MAX_SPLICES 64
#define PART        500 /* rows that are added at a time */

struct _ScopeSweepTable
{
  AdwBin parent_instance;

  /* Borrowed: children */
  GtkColumnView *view;

  ScopeSweepData *data;   /* the newest */
  GListStore     *rows;   /* of the first cells */
  guint           source; /* adds the other rows */
  GtkFilter      *filter;
  ScopeCellState  state; /* that is shown; SCOPE_CELL_N_STATES: all */
};

G_DEFINE_FINAL_TYPE (ScopeSweepTable, scope_sweep_table, ADW_TYPE_BIN)

static guint opened_signal;

static const ScopeCellResult *
result_of (gconstpointer item)
{
  return scope_sweep_item_get_result (SCOPE_SWEEP_ITEM ((gpointer) item));
}

/* --- Columns of axes --- */

static guint
position_of (gconstpointer item, guint axis)
{
  ScopeSweepItem *row = SCOPE_SWEEP_ITEM ((gpointer) item);

  return scope_sweep_data_get_position (row->data, row->cell, axis);
}

static char *
text_axis (gpointer item, guint axis)
{
  return scope_axis_dup_value (&SCOPE_SWEEP_ITEM (item)->data->axes[axis],
                               position_of (item, axis));
}

static int
compare_axis (gconstpointer a, gconstpointer b, guint axis)
{
  guint x = position_of (a, axis), y = position_of (b, axis);

  return (x > y) - (x < y);
}

/* A column has no user data, so each axis has its own functions. */
#define AXIS(n)                                                                            \
  static char *text_axis_##n (gpointer item)                                               \
  {                                                                                        \
    return text_axis (item, n);                                                            \
  }                                                                                        \
  static int compare_axis_##n (gconstpointer a, gconstpointer b, gpointer d G_GNUC_UNUSED) \
  {                                                                                        \
    return compare_axis (a, b, n);                                                         \
  }
AXIS (0)
AXIS (1)
AXIS (2)
AXIS (3)
AXIS (4)
AXIS (5)
AXIS (6)
AXIS (7)
AXIS (8)
AXIS (9)
AXIS (10)
AXIS (11)

#define AXIS_FUNCTIONS(n)           \
  {                                 \
    text_axis_##n, compare_axis_##n \
  }
static const struct
{
  char *(*text) (gpointer item);
  GCompareDataFunc compare;
} axis_functions[SCOPE_SWEEP_MAX_AXES] = {
  AXIS_FUNCTIONS (0), AXIS_FUNCTIONS (1), AXIS_FUNCTIONS (2),  AXIS_FUNCTIONS (3),
  AXIS_FUNCTIONS (4), AXIS_FUNCTIONS (5), AXIS_FUNCTIONS (6),  AXIS_FUNCTIONS (7),
  AXIS_FUNCTIONS (8), AXIS_FUNCTIONS (9), AXIS_FUNCTIONS (10), AXIS_FUNCTIONS (11),
};

/* --- Other columns --- */

static char *
text_cell (gpointer item)
{
  return g_strdup_printf ("%u", SCOPE_SWEEP_ITEM (item)->cell);
}

static char *
text_state (gpointer item)
{
  static const char *const names[] = { N_ ("waiting"), N_ ("done"), N_ ("failed"), N_ ("running") };

  return g_strdup (_ (names[result_of (item)->state]));
}

static char *
text_value (gpointer item)
{
  return scope_sweep_data_format (SCOPE_SWEEP_ITEM (item)->data, result_of (item)->value);
}

static char *
text_range (gpointer item)
{
  const ScopeSweepData  *data = SCOPE_SWEEP_ITEM (item)->data;
  const ScopeCellResult *result = result_of (item);
  g_autofree char       *low = scope_sweep_data_format (data, result->low);
  g_autofree char       *high = scope_sweep_data_format (data, result->high);

  return isnan (result->low) ? g_strdup ("–") : g_strdup_printf ("%s – %s", low, high);
}

static char *
text_host (gpointer item)
{
  return g_strdup (result_of (item)->host);
}

/* Why it failed, or why its time is too long. */
static char *
text_note (gpointer item)
{
  const ScopeCellResult *result = result_of (item);

  if (result->is_crowded)
    return g_strdup (_ ("measured while another cell ran on the machine"));
  return g_strdup (result->reason);
}

static int
compare_cell (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  guint x = SCOPE_SWEEP_ITEM ((gpointer) a)->cell, y = SCOPE_SWEEP_ITEM ((gpointer) b)->cell;

  return (x > y) - (x < y);
}

static int
compare_state (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return (int) result_of (a)->state - (int) result_of (b)->state;
}

/* Cells without a value come first. */
static int
compare_value (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  double x = result_of (a)->value, y = result_of (b)->value;

  if (isnan (x) || isnan (y))
    return isnan (y) - isnan (x);
  return (x > y) - (x < y);
}

static int
compare_host (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return strcmp (result_of (a)->host, result_of (b)->host);
}

static int
compare_note (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return strcmp (result_of (a)->reason, result_of (b)->reason);
}

/* The columns for a plan; *n of them.  (transfer full) */
static ScopeColumn *
new_columns (const ScopeSweepData *data, guint *n)
{
  ScopeColumn *columns = g_new0 (ScopeColumn, SCOPE_SWEEP_MAX_AXES + N_FIXED);

  *n = 0;
  columns[(*n)++] = (ScopeColumn){ _ ("Cell"), text_cell, compare_cell, TRUE, FALSE, NULL };
  for (guint i = 0; i < data->n_axes; i++)
    if (data->axes[i].n_values > 1)
      columns[(*n)++] = (ScopeColumn){ scope_axis_title (data->axes[i].name),
                                       axis_functions[i].text,
                                       axis_functions[i].compare,
                                       data->axes[i].is_number,
                                       FALSE,
                                       NULL };
  columns[(*n)++] = (ScopeColumn){ _ ("State"), text_state, compare_state, FALSE, FALSE, NULL };
  columns[(*n)++] = (ScopeColumn){
    data->is_timing ? _ ("Median") : _ ("Difference"), text_value, compare_value, TRUE, FALSE, NULL
  };
  if (data->is_timing)
    columns[(*n)++] = (ScopeColumn){ _ ("Interval"), text_range, NULL, FALSE, FALSE, NULL };
  columns[(*n)++] = (ScopeColumn){ _ ("Machine"), text_host, compare_host, FALSE, FALSE, NULL };
  columns[(*n)++] = (ScopeColumn){ _ ("Note"), text_note, compare_note, FALSE, TRUE, NULL };
  return columns;
}

/* --- Rows --- */

static gboolean
is_shown (gpointer item, gpointer data)
{
  ScopeSweepTable *self = data;

  return self->state == SCOPE_CELL_N_STATES || result_of (item)->state == self->state;
}

void
scope_sweep_table_filter (ScopeSweepTable *self, ScopeCellState state)
{
  self->state = state;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

guint
scope_sweep_table_n_shown (ScopeSweepTable *self)
{
  return g_list_model_get_n_items (
      scope_gradual_list_get_source (scope_columns_get_rows (self->view)));
}

/* Whether the row of a cell would show the same. */
static gboolean
is_same (const ScopeCellResult *a, const ScopeCellResult *b)
{
  return a->state == b->state && a->is_crowded == b->is_crowded &&
         (a->value == b->value || (isnan (a->value) && isnan (b->value))) &&
         (a->low == b->low || (isnan (a->low) && isnan (b->low))) &&
         strcmp (a->host, b->host) == 0 && strcmp (a->reason, b->reason) == 0;
}

static void
replace (ScopeSweepTable *self, ScopeSweepData *data, guint first, guint n)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (items, scope_sweep_item_new (data, first + i));
  g_list_store_splice (self->rows, first, MIN (n, n_before - first), items->pdata, n);
}

/* The row keeps its place and gets the newest results, so that earlier ones can be freed.  Returns whether it has changed. */
static gboolean
renew (ScopeSweepTable *self, ScopeSweepData *data, guint cell)
{
  g_autoptr (ScopeSweepItem) item = g_list_model_get_item (G_LIST_MODEL (self->rows), cell);
  gboolean is_changed = !is_same (&item->data->cells[cell], &data->cells[cell]);

  scope_sweep_data_unref (item->data);
  item->data = scope_sweep_data_ref (data);
  return is_changed;
}

/* Adds the rows of some more cells, so that the main loop is not blocked by many. */
static gboolean
on_idle (gpointer pointer)
{
  ScopeSweepTable *self = pointer;
  guint            n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  replace (self, self->data, n, MIN (self->data->n_cells - n, PART));
  if (g_list_model_get_n_items (G_LIST_MODEL (self->rows)) < self->data->n_cells)
    return G_SOURCE_CONTINUE;
  self->source = 0;
  return G_SOURCE_REMOVE;
}

void
scope_sweep_table_update (ScopeSweepTable *self, ScopeSweepData *data)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));
  g_autoptr (GArray) changed = g_array_new (FALSE, FALSE, sizeof (guint));

  scope_sweep_data_ref (data);
  scope_sweep_data_unref (self->data);
  self->data = data;
  for (guint cell = 0; cell < n; cell++)
    if (renew (self, data, cell))
      g_array_append_val (changed, cell);
  if (changed->len > MAX_SPLICES)
    {
      guint first = g_array_index (changed, guint, 0);

      replace (self, data, first, g_array_index (changed, guint, changed->len - 1) - first + 1);
      return;
    }
  for (guint i = 0; i < changed->len; i++)
    replace (self, data, g_array_index (changed, guint, i), 1);
}

/* --- Object --- */

static void
on_activate (GtkColumnView *view, guint position, gpointer self)
{
  g_autoptr (ScopeSweepItem) item =
      g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (view)), position);

  if (item)
    g_signal_emit (self, opened_signal, 0, item->cell);
}

static void
scope_sweep_table_dispose (GObject *object)
{
  g_clear_handle_id (&SCOPE_SWEEP_TABLE (object)->source, g_source_remove);
  G_OBJECT_CLASS (scope_sweep_table_parent_class)->dispose (object);
}

static void
scope_sweep_table_finalize (GObject *object)
{
  ScopeSweepTable *self = SCOPE_SWEEP_TABLE (object);

  g_clear_pointer (&self->data, scope_sweep_data_unref);
  g_object_unref (self->rows);
  g_object_unref (self->filter);
  G_OBJECT_CLASS (scope_sweep_table_parent_class)->finalize (object);
}

static void
scope_sweep_table_class_init (ScopeSweepTableClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_sweep_table_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_sweep_table_finalize;
  opened_signal = g_signal_new ("opened", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
scope_sweep_table_init (ScopeSweepTable *self)
{
  self->rows = g_list_store_new (SCOPE_TYPE_SWEEP_ITEM);
  self->state = SCOPE_CELL_N_STATES;
  self->filter = GTK_FILTER (gtk_custom_filter_new (is_shown, self, NULL));
}

GtkWidget *
scope_sweep_table_new (ScopeSweepData *data)
{
  ScopeSweepTable *self = g_object_new (SCOPE_TYPE_SWEEP_TABLE, NULL);
  GtkWidget       *scroller = gtk_scrolled_window_new (), *view;
  guint            n_columns;
  ScopeColumn     *columns = new_columns (data, &n_columns);

  view = scope_columns_new (G_LIST_MODEL (self->rows), columns, n_columns,
                            g_object_ref (self->filter));
  g_object_set_data_full (G_OBJECT (self), "columns", columns, g_free); /* outlives the view */
  self->view = GTK_COLUMN_VIEW (view);
  gtk_widget_set_name (view, "sweep-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Cells of the sweep"), -1);
  g_signal_connect (view, "activate", G_CALLBACK (on_activate), self);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), view);
  adw_bin_set_child (ADW_BIN (self), scroller);
  self->data = scope_sweep_data_ref (data);
  self->source = g_idle_add (on_idle, self);
  return GTK_WIDGET (self);
}
