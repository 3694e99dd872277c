/* compare-matrix.c — the table of times of a comparison: forms down, sizes across.
 *
 * Activating a row chooses it and gives up the row that was chosen first, so that two clicks choose a
 * pair.  Start reading with scope_compare_matrix_new() and on_row().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-matrix.h"

#include "app/compare/compare-cells.h"
#include "app/process/json-fields.h"
#include "app/widgets/label.h"
#include "app/widgets/tooltip.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

#define CELL_WIDTH 110

struct _ScopeCompareMatrix
{
  AdwBin       parent_instance;
  const cJSON *result;    /* borrowed */
  char        *chosen[2]; /* names of rows, the older choice first; NULL: fewer are chosen */
  GtkListBox  *list;      /* borrowed: child */
};

G_DEFINE_FINAL_TYPE (ScopeCompareMatrix, scope_compare_matrix, ADW_TYPE_BIN)

static guint chosen_signal;

/* --- Choosing --- */

static gboolean
is_chosen (ScopeCompareMatrix *self, const char *name)
{
  return g_strcmp0 (self->chosen[0], name) == 0 || g_strcmp0 (self->chosen[1], name) == 0;
}

static void
update_rows (ScopeCompareMatrix *self)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list)); row;
       row = gtk_widget_get_next_sibling (row))
    {
      gboolean   is_on = is_chosen (self, gtk_widget_get_name (row));
      GtkWidget *mark = g_object_get_data (G_OBJECT (row), "mark");

      if (!mark)
        continue;
      gtk_widget_set_opacity (mark, is_on ? 1 : 0);
      if (is_on)
        gtk_widget_add_css_class (row, "chosen");
      else
        gtk_widget_remove_css_class (row, "chosen");
      gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_SELECTED, is_on, -1);
    }
}

/* The row takes the place of the older choice; a row that is the older choice becomes the newer one. */
static void
on_row (GtkListBox *list G_GNUC_UNUSED, GtkListBoxRow *row, gpointer data)
{
  ScopeCompareMatrix *self = data;
  const char         *name = gtk_widget_get_name (GTK_WIDGET (row));

  if (g_strcmp0 (self->chosen[1], name) == 0)
    return;
  g_free (self->chosen[0]);
  self->chosen[0] = self->chosen[1];
  self->chosen[1] = g_strdup (name);
  update_rows (self);
  g_signal_emit (self, chosen_signal, 0);
}

gboolean
scope_compare_matrix_get_pair (ScopeCompareMatrix *self,
                               const cJSON        *like,
                               const cJSON       **a,
                               const cJSON       **b)
{
  *a = *b = NULL;
  if (!self->chosen[0] || !self->chosen[1])
    return FALSE;
  *a = scope_cells_find (self->result, self->chosen[0], like);
  *b = scope_cells_find (self->result, self->chosen[1], like);
  return *a && *b;
}

/* --- Rows --- */

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

/* A form may be refused at a size, and time may have run out before its first run. */
static gboolean
is_measured (const cJSON *cell /* (nullable) */)
{
  return isfinite (scope_json_get_number (cell, "median"));
}

/* One time with a bar relative to the slowest form of that size. */
static GtkWidget *
new_cell (ScopeCompareMatrix *self, const cJSON *cell)
{
  GtkWidget       *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget       *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget       *meter = gtk_progress_bar_new ();
  double           median = scope_json_get_number (cell, "median");
  g_autofree char *time = prof_format_seconds (median);
  g_autofree char *hint = dup_hint (cell);
  g_autofree char *times = NULL;
  const cJSON     *slow, *fast;

  scope_cells_find_extremes (self->result, cell, &slow, &fast);
  times = g_strdup_printf ("%.2f ×", median / scope_json_get_number (fast, "median"));
  gtk_box_append (GTK_BOX (line), scope_label_new (time, cell == fast ? "heading" : NULL));
  gtk_widget_add_css_class (gtk_widget_get_first_child (line), "numeric");
  gtk_widget_set_hexpand (gtk_widget_get_first_child (line), TRUE);
  gtk_box_append (GTK_BOX (line), scope_label_new (times, "dim-label"));
  gtk_widget_add_css_class (gtk_widget_get_last_child (line), "numeric");
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (meter),
                                 median / scope_json_get_number (slow, "median"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (meter), GTK_ACCESSIBLE_PROPERTY_LABEL, time, -1);
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), meter);
  scope_tooltip_set (box, hint);
  return box;
}

typedef struct
{
  GPtrArray *sizes;  /* of const cJSON, one for each column */
  GPtrArray *groups; /* of GtkSizeGroup: the titles, then each column */
} Columns;

static void
append_column (GtkWidget *line, GtkWidget *widget, const Columns *columns, guint index)
{
  gtk_size_group_add_widget (columns->groups->pdata[index], widget);
  if (index > 0)
    {
      gtk_widget_set_size_request (widget, CELL_WIDTH, -1);
      gtk_widget_set_hexpand (widget, TRUE);
    }
  gtk_box_append (GTK_BOX (line), widget);
}

static GtkWidget *
new_line (GtkWidget *mark)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  gtk_widget_add_css_class (line, "matrix-row");
  gtk_box_append (GTK_BOX (line), mark);
  return line;
}

/* FALSE: there is one column, without a size, as for recordings. */
static gboolean
has_titles (const Columns *columns)
{
  g_autofree char *title =
      columns->sizes->len == 1 ? scope_cell_dup_size (columns->sizes->pdata[0]) : NULL;

  return !title || *title != '\0';
}

static void
add_titles (ScopeCompareMatrix *self, const Columns *columns)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *mark = gtk_image_new_from_icon_name ("object-select-symbolic");
  GtkWidget *line = new_line (mark);

  gtk_widget_set_opacity (mark, 0);
  append_column (line, scope_label_new (NULL, NULL), columns, 0);
  for (guint i = 0; i < columns->sizes->len; i++)
    {
      g_autofree char *title = scope_cell_dup_varying_size (columns->sizes->pdata[i], self->result);

      append_column (line, scope_label_new (title, "dim-label"), columns, i + 1);
    }
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), line);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_widget_set_focusable (row, FALSE);
  gtk_list_box_append (self->list, row);
}

static void
add_row (ScopeCompareMatrix *self, const cJSON *first, const Columns *columns)
{
  GtkWidget       *row = gtk_list_box_row_new ();
  GtkWidget       *mark = gtk_image_new_from_icon_name ("object-select-symbolic");
  GtkWidget       *line = new_line (mark), *label;
  g_autofree char *name = scope_cell_dup_name (first, self->result);
  g_autofree char *title = scope_cell_dup_title (first, self->result);

  label = scope_label_new (title, NULL);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (label), (int) MIN (g_utf8_strlen (title, -1), 16));
  gtk_label_set_max_width_chars (GTK_LABEL (label), 28);
  append_column (line, label, columns, 0);
  for (guint i = 0; i < columns->sizes->len; i++)
    {
      const cJSON *cell = scope_cells_find (self->result, name, columns->sizes->pdata[i]);

      append_column (line,
                     is_measured (cell) ? new_cell (self, cell)
                                        : scope_label_new ("–", "dim-label"),
                     columns, i + 1);
    }
  gtk_widget_set_name (row, name);
  g_object_set_data (G_OBJECT (row), "mark", mark);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), line);
  gtk_list_box_append (self->list, row);
}

static void
fill (ScopeCompareMatrix *self)
{
  g_autoptr (GPtrArray) rows = scope_cells_list_rows (self->result);
  g_autoptr (GPtrArray) sizes = scope_cells_list_sizes (self->result);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_object_unref);
  const Columns columns = { sizes, groups };
  const cJSON  *slow, *fast;

  for (guint i = 0; i <= sizes->len; i++)
    g_ptr_array_add (groups, gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL));
  if (has_titles (&columns))
    add_titles (self, &columns);
  for (guint i = 0; i < rows->len; i++)
    add_row (self, rows->pdata[i], &columns);
  if (sizes->len > 0)
    {
      scope_cells_find_extremes (self->result, sizes->pdata[0], &slow, &fast);
      if (slow && slow != fast)
        {
          self->chosen[0] = scope_cell_dup_name (slow, self->result);
          self->chosen[1] = scope_cell_dup_name (fast, self->result);
        }
    }
  update_rows (self);
}

/* --- Object --- */

static void
scope_compare_matrix_finalize (GObject *object)
{
  ScopeCompareMatrix *self = SCOPE_COMPARE_MATRIX (object);

  g_free (self->chosen[0]);
  g_free (self->chosen[1]);
  G_OBJECT_CLASS (scope_compare_matrix_parent_class)->finalize (object);
}

static void
scope_compare_matrix_class_init (ScopeCompareMatrixClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_compare_matrix_finalize;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
scope_compare_matrix_init (ScopeCompareMatrix *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_set_name (GTK_WIDGET (self->list), "compare-matrix");
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "compare-matrix");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Time of a run of each form"), -1);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row), self);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  adw_bin_set_child (ADW_BIN (self), scroller);
}

GtkWidget *
scope_compare_matrix_new (const cJSON *result)
{
  ScopeCompareMatrix *self = g_object_new (SCOPE_TYPE_COMPARE_MATRIX, NULL);

  self->result = result;
  fill (self);
  return GTK_WIDGET (self);
}
