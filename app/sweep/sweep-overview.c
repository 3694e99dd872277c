/* sweep-overview.c — the results of a sweep over two axes, and form by form.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-overview.h"

#include "app/process/conversion.h"
#include "app/sweep/sweep-chooser.h"
#include "app/sweep/sweep-curves.h"
#include "app/sweep/sweep-heat.h"
#include "app/widgets/label.h"

#include <glib/gi18n.h>

struct _ScopeSweepOverview
{
  AdwBin parent_instance;

  /* Borrowed: children */
  GtkBox    *box;
  GtkWidget *chooser, *heat, *left_out, *curves, *curves_note;
  GtkBox    *pairs;

  ScopeSweepData *data;
};

G_DEFINE_FINAL_TYPE (ScopeSweepOverview, scope_sweep_overview, ADW_TYPE_BIN)

static guint opened_signal;

static const char *const no_curves = N_ ("Curves appear where the rows are numbers, such as batch "
                                         "sizes, and two cells of a column are done.");

/* --- Two axes --- */

/* The problem with the heat map: it leaves values out.  (transfer full) NULL: nothing. */
static char *
dup_left_out (const ScopeSweepData *data, const ScopeSweepSlice *slice)
{
  guint n_rows = data->axes[slice->rows].n_values, n_columns = data->axes[slice->columns].n_values;

  if (n_rows <= SCOPE_SWEEP_MAX_ROWS && n_columns <= SCOPE_SWEEP_MAX_COLUMNS)
    return NULL;
  return g_strdup_printf (_ ("The map shows the first %u of %u rows and the first %u of %u "
                             "columns. The table has all cells."),
                          MIN (n_rows, SCOPE_SWEEP_MAX_ROWS), n_rows,
                          MIN (n_columns, SCOPE_SWEEP_MAX_COLUMNS), n_columns);
}

static void
show_slice (ScopeSweepOverview *self)
{
  const ScopeSweepSlice *slice = scope_sweep_chooser_get (SCOPE_SWEEP_CHOOSER (self->chooser));
  g_autofree char       *left_out = dup_left_out (self->data, slice);
  guint                  step = scope_sweep_curves_get_step (self->data, slice);
  g_autofree char *note = g_strdup_printf (_ ("The curves have a point for every %uth row."), step);
  gboolean         has_curves;

  scope_sweep_heat_set (SCOPE_SWEEP_HEAT (self->heat), self->data, slice);
  gtk_label_set_text (GTK_LABEL (self->left_out), left_out ? left_out : "");
  gtk_widget_set_visible (self->left_out, left_out != NULL);
  has_curves = scope_sweep_curves_set (self->curves, self->data, slice);
  gtk_label_set_text (GTK_LABEL (self->curves_note), has_curves ? note : _ (no_curves));
  gtk_widget_set_visible (self->curves, has_curves);
  gtk_widget_set_visible (self->curves_note, !has_curves || step > 1);
}

/* --- Pairs --- */

/* "fused against unrolled: faster in 3 of 4 pairs …".  (transfer full) */
static char *
dup_pair (const ScopeFormPair *pair)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (
      text, _ ("%s against %s: faster in %u of %u pairs, slower in %u, not certain in %u"),
      scope_conversion_title (pair->a), scope_conversion_title (pair->b), pair->n_faster,
      pair->n_faster + pair->n_slower + pair->n_undecided, pair->n_slower, pair->n_undecided);
  if (pair->n_other_machines > 0)
    g_string_append_printf (text, _ ("; %u of different machines"), pair->n_other_machines);
  if (pair->n_crowded > 0)
    g_string_append_printf (text, _ ("; %u measured while another cell ran"), pair->n_crowded);
  return g_string_free (text, FALSE);
}

static void
show_pairs (ScopeSweepOverview *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->pairs))))
    gtk_box_remove (self->pairs, child);
  gtk_widget_set_visible (GTK_WIDGET (self->pairs), self->data->n_pairs > 0);
  gtk_box_append (self->pairs, scope_label_new (_ ("Forms in Pairs"), "heading"));
  for (guint i = 0; i < self->data->n_pairs; i++)
    {
      g_autofree char *text = dup_pair (&self->data->pairs[i]);

      gtk_box_append (self->pairs, scope_label_new_wrapping (text, NULL));
    }
  if (self->data->n_crowded > 0)
    {
      g_autofree char *text =
          g_strdup_printf (_ ("%u cells were measured while another one ran on the same machine. "
                              "Their times are too long, and their pairs are not compared."),
                           self->data->n_crowded);

      gtk_box_append (self->pairs, scope_label_new_wrapping (text, "warning"));
    }
  gtk_box_append (self->pairs,
                  scope_label_new_wrapping (
                      _ ("A pair is two cells that differ in the form only and were measured on "
                         "the same machine. It is certain if their times differ by more than two "
                         "processes of the same form do. Cells of different machines are "
                         "not compared."),
                      "dim-label"));
}

void
scope_sweep_overview_update (ScopeSweepOverview *self, ScopeSweepData *data)
{
  scope_sweep_data_ref (data);
  g_clear_pointer (&self->data, scope_sweep_data_unref);
  self->data = data;
  show_slice (self);
  show_pairs (self);
}

/* --- Object --- */

static void
on_opened (ScopeSweepOverview *self, guint cell)
{
  g_signal_emit (self, opened_signal, 0, cell);
}

static void
scope_sweep_overview_finalize (GObject *object)
{
  g_clear_pointer (&SCOPE_SWEEP_OVERVIEW (object)->data, scope_sweep_data_unref);
  G_OBJECT_CLASS (scope_sweep_overview_parent_class)->finalize (object);
}

static void
scope_sweep_overview_class_init (ScopeSweepOverviewClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_sweep_overview_finalize;
  opened_signal = g_signal_new ("opened", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

/* The map scrolls by itself if it is wider than the window. */
static GtkWidget *
new_heat (ScopeSweepOverview *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->heat = scope_sweep_heat_new ();
  gtk_widget_set_name (self->heat, "sweep-heat");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->heat), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Heat map of the sweep"), -1);
  g_signal_connect_swapped (self->heat, "opened", G_CALLBACK (on_opened), self);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->heat);
  return scroller;
}

static void
scope_sweep_overview_init (ScopeSweepOverview *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 12));
  self->curves = scope_sweep_curves_new ();
  self->left_out = scope_label_new_wrapping (NULL, "dim-label");
  self->curves_note = scope_label_new_wrapping (NULL, "dim-label");
  self->pairs = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_widget_set_name (GTK_WIDGET (self->pairs), "sweep-pairs");
  gtk_widget_add_css_class (GTK_WIDGET (self->box), "panel-body");
  gtk_box_append (self->box, new_heat (self));
  gtk_box_append (self->box, self->left_out);
  gtk_box_append (self->box, self->curves);
  gtk_box_append (self->box, self->curves_note);
  gtk_box_append (self->box, GTK_WIDGET (self->pairs));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->box));
  gtk_widget_set_vexpand (scroller, TRUE);
  adw_bin_set_child (ADW_BIN (self), scroller);
}

GtkWidget *
scope_sweep_overview_new (ScopeSweepData *data)
{
  ScopeSweepOverview *self = g_object_new (SCOPE_TYPE_SWEEP_OVERVIEW, NULL);

  self->chooser = scope_sweep_chooser_new (data);
  gtk_box_prepend (self->box, self->chooser);
  g_signal_connect_swapped (self->chooser, "changed", G_CALLBACK (show_slice), self);
  scope_sweep_overview_update (self, data);
  return GTK_WIDGET (self);
}
