/* sweep-heat.c — draws the heat map, and finds the field below the pointer.
 *
 * Sizes are in points of text of the usual size, which are as many pixels as scope_text_scale() says. Colours are as for costs in
 * a graph, by the logarithm of the value.  A map with many fields has no texts in them; the tooltip and the table have the
 * values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-heat.h"

#include "app/widgets/text-scale.h"
#include "app/widgets/theme.h"
#include "viz/paint/pen.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#define MAX_TEXTS    300 /* fields that have texts */
#define ROW_HEIGHT   24
#define SMALL_HEIGHT 8
#define MIN_WIDTH    64 /* of a column with texts */
#define MAX_WIDTH    180
#define SMALL_WIDTH  6
#define MAX_LABEL    30 /* characters */
#define GAP          8.0

struct _ScopeSweepHeat
{
  GtkWidget       parent_instance;
  ScopeSweepData *data;
  ScopeSweepSlice slice;
  guint           n_rows, n_columns;
  double          smallest, largest;
  double          label_width;
};

G_DEFINE_FINAL_TYPE (ScopeSweepHeat, scope_sweep_heat, GTK_TYPE_WIDGET)

static guint opened_signal;

/* --- Places --- */

static gboolean
has_texts (const ScopeSweepHeat *self)
{
  return self->n_rows * self->n_columns <= MAX_TEXTS;
}

static double
row_height (const ScopeSweepHeat *self)
{
  return has_texts (self) ? ROW_HEIGHT : SMALL_HEIGHT;
}

static double
column_width (ScopeSweepHeat *self)
{
  double scale = scope_text_scale (GTK_WIDGET (self));
  double room = gtk_widget_get_width (GTK_WIDGET (self)) / scale - self->label_width;

  return CLAMP (room / MAX (self->n_columns, 1), has_texts (self) ? MIN_WIDTH : SMALL_WIDTH,
                MAX_WIDTH);
}

/* The field at a pixel.  FALSE: none is there. */
static gboolean
find_field (ScopeSweepHeat *self, double x, double y, guint *row, guint *column)
{
  double scale = scope_text_scale (GTK_WIDGET (self));
  double left = x / scale - self->label_width, top = y / scale - ROW_HEIGHT;

  if (!self->data || left < 0 || top < 0)
    return FALSE;
  *row = (guint) (top / row_height (self));
  *column = (guint) (left / column_width (self));
  return *row < self->n_rows && *column < self->n_columns;
}

/* --- Drawing --- */

static char *
dup_label (const ScopeSweepHeat *self, guint axis, guint position)
{
  g_autofree char *value = scope_axis_dup_value (&self->data->axes[axis], position);

  return viz_text_shorten (value, MAX_LABEL);
}

static double
width_of (const char *text)
{
  return viz_measure_width (viz_measure_get (NULL), VIZ_TEXT_ROW, text);
}

/* A text in the small size, at a place with an alignment. */
static VizTextAt
text_at (double x, double y, double align, const VizColour *colour)
{
  return (VizTextAt){ .style = VIZ_TEXT_ROW, .x = x, .y = y, .align = align, .colour = *colour };
}

static void
draw_field (ScopeSweepHeat *self, VizPen *pen, const VizTheme *theme, guint row, guint column)
{
  double         width = column_width (self), height = row_height (self);
  ScopeCellState state;
  double         value = scope_sweep_slice_get (&self->slice, self->data, row, column, &state);
  VizColour      fill = theme->box;
  double         gap = has_texts (self) ? 1 : 0, radius = has_texts (self) ? 2 : 0;
  const VizRect rect = { self->label_width + column * width, ROW_HEIGHT + row * height, width - gap,
                         height - gap };
  g_autofree char *text = NULL;
  VizColour        colour = theme->text_faint;

  if (value > 0)
    {
      double range = log (self->largest / self->smallest);

      fill = viz_theme_heat (theme, range > 0 ? log (value / self->smallest) / range : 0);
      colour = viz_theme_text_on (theme, &fill);
    }
  else if (state == SCOPE_CELL_FAILED && !has_texts (self))
    fill = theme->problem;
  else if (state == SCOPE_CELL_FAILED)
    colour = theme->problem;
  pen->rect (pen, &rect, radius, &(VizStyle){ .fill = &fill });
  if (!has_texts (self))
    return;
  text = state == SCOPE_CELL_FAILED    ? g_strdup (_ ("failed"))
         : state == SCOPE_CELL_RUNNING ? g_strdup (_ ("running"))
         : state == SCOPE_CELL_WAITING ? g_strdup ("…")
                                       : scope_sweep_data_format (self->data, value);
  viz_pen_write (pen, text_at (rect.x + rect.width / 2, rect.y + height / 2 + 4, 0.5, &colour),
                 text);
}

static void
draw (ScopeSweepHeat *self, VizPen *pen, const VizTheme *theme)
{
  double   width = column_width (self), height = row_height (self);
  gboolean is_small = !has_texts (self);
  /* A label needs a line of its own. */
  guint every_row = is_small ? (guint) ceil (ROW_HEIGHT / height) : 1;
  guint every_column = is_small ? (guint) ceil (MIN_WIDTH / width) : 1;

  for (guint column = 0; column < self->n_columns; column += every_column)
    {
      g_autofree char *label = dup_label (self, self->slice.columns, column);
      g_autofree char *cut =
          viz_text_cut (label, (guint) MAX (every_column * width / 7, 3)); /* 7: a character */

      viz_pen_write (pen,
                     text_at (self->label_width + (column + every_column / 2.0) * width,
                              ROW_HEIGHT - 8, 0.5, &theme->text_faint),
                     cut);
    }
  for (guint row = 0; row < self->n_rows; row++)
    {
      if (row % every_row == 0)
        {
          g_autofree char *label = dup_label (self, self->slice.rows, row);

          viz_pen_write (pen,
                         text_at (self->label_width - GAP,
                                  ROW_HEIGHT + row * height + MIN (height, ROW_HEIGHT) / 2 + 4, 1,
                                  &theme->text),
                         label);
        }
      for (guint column = 0; column < self->n_columns; column++)
        draw_field (self, pen, theme, row, column);
    }
}

static void
scope_sweep_heat_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeSweepHeat *self = SCOPE_SWEEP_HEAT (widget);
  double          scale = scope_text_scale (widget);
  float           width = (float) gtk_widget_get_width (widget);
  float           height = (float) gtk_widget_get_height (widget);
  cairo_t        *cr;
  VizPen         *pen;

  if (!self->data)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  cairo_scale (cr, scale, scale);
  pen = viz_pen_new_cairo (cr, NULL);
  draw (self, pen, scope_theme_get ());
  viz_pen_free (pen);
  cairo_destroy (cr);
}

static void
scope_sweep_heat_measure (GtkWidget     *widget,
                          GtkOrientation orientation,
                          int for_size   G_GNUC_UNUSED,
                          int           *minimum,
                          int           *natural,
                          int           *minimum_baseline,
                          int           *natural_baseline)
{
  ScopeSweepHeat *self = SCOPE_SWEEP_HEAT (widget);
  int             column = has_texts (self) ? MIN_WIDTH : SMALL_WIDTH;
  double          size;

  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    size = self->label_width + self->n_columns * column;
  else
    size = ROW_HEIGHT + self->n_rows * row_height (self);
  *minimum = *natural = (int) (size * scope_text_scale (widget));
}

/* --- The pointer --- */

/* "batch 32, fused: 1.20 ms". */
static gboolean
on_tooltip (ScopeSweepHeat *self, int x, int y, gboolean by_key G_GNUC_UNUSED, GtkTooltip *tooltip)
{
  guint            row, column;
  ScopeCellState   state;
  double           value;
  g_autofree char *of_row = NULL, *of_column = NULL, *shown = NULL, *text = NULL;

  if (!find_field (self, x, y, &row, &column))
    return FALSE;
  value = scope_sweep_slice_get (&self->slice, self->data, row, column, &state);
  of_row = scope_axis_dup_value (&self->data->axes[self->slice.rows], row);
  of_column = scope_axis_dup_value (&self->data->axes[self->slice.columns], column);
  shown = state == SCOPE_CELL_FAILED    ? g_strdup (_ ("failed"))
          : state == SCOPE_CELL_RUNNING ? g_strdup (_ ("running"))
          : state == SCOPE_CELL_WAITING ? g_strdup (_ ("waiting"))
                                        : scope_sweep_data_format (self->data, value);
  text = g_strdup_printf ("%s %s, %s %s: %s",
                          scope_axis_title (self->data->axes[self->slice.rows].name), of_row,
                          scope_axis_title (self->data->axes[self->slice.columns].name), of_column,
                          shown);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* Opens the cell of the first round. */
static void
on_pressed (GtkGestureClick *gesture G_GNUC_UNUSED, int n_press, double x, double y, gpointer data)
{
  ScopeSweepHeat *self = data;
  guint           row, column;

  if (n_press == 2 && find_field (self, x, y, &row, &column))
    g_signal_emit (self, opened_signal, 0,
                   scope_sweep_slice_get_cell (&self->slice, self->data, row, column));
}

/* --- Object --- */

static void
scope_sweep_heat_finalize (GObject *object)
{
  g_clear_pointer (&SCOPE_SWEEP_HEAT (object)->data, scope_sweep_data_unref);
  G_OBJECT_CLASS (scope_sweep_heat_parent_class)->finalize (object);
}

static void
scope_sweep_heat_class_init (ScopeSweepHeatClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = scope_sweep_heat_finalize;
  widget_class->measure = scope_sweep_heat_measure;
  widget_class->snapshot = scope_sweep_heat_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  opened_signal = g_signal_new ("opened", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
scope_sweep_heat_init (ScopeSweepHeat *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (click), "sweep-heat-click");
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

GtkWidget *
scope_sweep_heat_new (void)
{
  return g_object_new (SCOPE_TYPE_SWEEP_HEAT, NULL);
}

static void
find_range (ScopeSweepHeat *self)
{
  self->smallest = INFINITY;
  self->largest = 0;
  for (guint row = 0; row < self->n_rows; row++)
    for (guint column = 0; column < self->n_columns; column++)
      {
        ScopeCellState state;
        double value = scope_sweep_slice_get (&self->slice, self->data, row, column, &state);

        if (value > 0)
          {
            self->smallest = MIN (self->smallest, value);
            self->largest = MAX (self->largest, value);
          }
      }
}

void
scope_sweep_heat_set (ScopeSweepHeat *self, ScopeSweepData *data, const ScopeSweepSlice *slice)
{
  scope_sweep_data_ref (data);
  g_clear_pointer (&self->data, scope_sweep_data_unref);
  self->data = data;
  self->slice = *slice;
  self->n_rows = MIN (data->axes[slice->rows].n_values, SCOPE_SWEEP_MAX_ROWS);
  self->n_columns = MIN (data->axes[slice->columns].n_values, SCOPE_SWEEP_MAX_COLUMNS);
  self->label_width = 0;
  for (guint row = 0; row < self->n_rows; row++)
    {
      g_autofree char *label = dup_label (self, slice->rows, row);

      self->label_width = MAX (self->label_width, width_of (label) + 2 * GAP);
    }
  find_range (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
