/* sweep-chooser.c — drop-down lists of the axes of a sweep.
 *
 * Every axis has a list of its values, which is hidden while the axis is one of the two.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-chooser.h"

#include "app/widgets/label.h"

#include <glib/gi18n.h>

struct _ScopeSweepChooser
{
  AdwBin parent_instance;

  /* Borrowed: children */
  GtkBox      *box;
  GtkDropDown *rows, *columns;
  GtkDropDown
      *values[SCOPE_SWEEP_MAX_AXES]; /* NULL: the axis has one value, or is the axis of rounds */

  ScopeSweepData *data;
  ScopeSweepSlice slice;
  GArray         *axes; /* of guint: the ones that can be chosen */
  gboolean        is_updating;
};

G_DEFINE_FINAL_TYPE (ScopeSweepChooser, scope_sweep_chooser, ADW_TYPE_BIN)

static guint changed_signal;

/* --- Contents --- */

static guint
find_choice (ScopeSweepChooser *self, guint axis)
{
  guint i = 0;

  while (i < self->axes->len && g_array_index (self->axes, guint, i) != axis)
    i++;
  return i;
}

static void
update (ScopeSweepChooser *self)
{
  self->is_updating = TRUE;
  gtk_drop_down_set_selected (self->rows, find_choice (self, self->slice.rows));
  gtk_drop_down_set_selected (self->columns, find_choice (self, self->slice.columns));
  for (guint i = 0; i < self->data->n_axes; i++)
    if (self->values[i])
      gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (self->values[i])),
                              i != self->slice.rows && i != self->slice.columns);
  self->is_updating = FALSE;
}

static void
on_axis (GtkDropDown *list, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  ScopeSweepChooser *self = data;
  guint              choice = gtk_drop_down_get_selected (list);

  if (self->is_updating || choice >= self->axes->len)
    return;
  scope_sweep_slice_set_axis (&self->slice, self->data, list == self->rows,
                              g_array_index (self->axes, guint, choice));
  update (self);
  g_signal_emit (self, changed_signal, 0);
}

static void
on_value (GtkDropDown *list, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  ScopeSweepChooser *self = data;

  for (guint i = 0; i < self->data->n_axes; i++)
    if (self->values[i] == list && gtk_drop_down_get_selected (list) < self->data->axes[i].n_values)
      {
        self->slice.positions[i] = gtk_drop_down_get_selected (list);
        g_signal_emit (self, changed_signal, 0);
      }
}

/* --- Children --- */

/* name: of the widget */
static GtkDropDown *
add_list (ScopeSweepChooser *self, const char *title, const char *name, const char *const *texts)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = scope_label_new (title, "dim-label");
  GtkWidget *list = gtk_drop_down_new_from_strings (texts);

  gtk_widget_set_name (list, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), list);
  gtk_box_append (self->box, line);
  return GTK_DROP_DOWN (list);
}

static void
add_values (ScopeSweepChooser *self, guint index)
{
  const ScopeAxis *axis = &self->data->axes[index];
  g_autofree char *name = g_strconcat ("sweep-value-", axis->name, NULL);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < axis->n_values; i++)
    g_ptr_array_add (texts, scope_axis_dup_value (axis, i));
  g_ptr_array_add (texts, NULL);
  self->values[index] =
      add_list (self, scope_axis_title (axis->name), name, (const char *const *) texts->pdata);
  g_signal_connect (self->values[index], "notify::selected", G_CALLBACK (on_value), self);
}

static GtkDropDown *
add_axes (ScopeSweepChooser *self, const char *title, const char *name)
{
  g_autoptr (GPtrArray) titles = g_ptr_array_new ();

  for (guint i = 0; i < self->axes->len; i++)
    {
      guint axis = g_array_index (self->axes, guint, i);

      g_ptr_array_add (titles, (gpointer) scope_axis_title (self->data->axes[axis].name));
    }
  g_ptr_array_add (titles, NULL);
  return add_list (self, title, name, (const char *const *) titles->pdata);
}

/* --- Object --- */

static void
scope_sweep_chooser_finalize (GObject *object)
{
  ScopeSweepChooser *self = SCOPE_SWEEP_CHOOSER (object);

  g_clear_pointer (&self->data, scope_sweep_data_unref);
  g_array_unref (self->axes);
  G_OBJECT_CLASS (scope_sweep_chooser_parent_class)->finalize (object);
}

static void
scope_sweep_chooser_class_init (ScopeSweepChooserClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_sweep_chooser_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
scope_sweep_chooser_init (ScopeSweepChooser *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->axes = g_array_new (FALSE, FALSE, sizeof (guint));
  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->box));
  adw_bin_set_child (ADW_BIN (self), scroller);
}

GtkWidget *
scope_sweep_chooser_new (ScopeSweepData *data)
{
  ScopeSweepChooser *self = g_object_new (SCOPE_TYPE_SWEEP_CHOOSER, NULL);

  self->data = scope_sweep_data_ref (data);
  scope_sweep_slice_init (&self->slice, data);
  for (guint i = 1; i < data->n_axes; i++)
    if (data->axes[i].n_values > 1 || i == self->slice.rows || i == self->slice.columns)
      g_array_append_val (self->axes, i);
  self->rows = add_axes (self, _ ("Rows"), "sweep-rows");
  self->columns = add_axes (self, _ ("Columns"), "sweep-columns");
  for (guint i = 1; i < data->n_axes; i++)
    if (data->axes[i].n_values > 1)
      add_values (self, i);
  update (self);
  g_signal_connect (self->rows, "notify::selected", G_CALLBACK (on_axis), self);
  g_signal_connect (self->columns, "notify::selected", G_CALLBACK (on_axis), self);
  return GTK_WIDGET (self);
}

const ScopeSweepSlice *
scope_sweep_chooser_get (ScopeSweepChooser *self)
{
  return &self->slice;
}
