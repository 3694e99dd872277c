/* grid.c — the class of grids: scrolling, the cursor, keys and mouse.
 *
 * Drawing is in grid-draw.c.  Start at move_cursor().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/grid-private.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

enum
{
  PROP_HADJUSTMENT = 1,
  PROP_VADJUSTMENT,
  PROP_HPOLICY,
  PROP_VPOLICY,
};

static guint moved_signal, scrolled_signal;

G_DEFINE_FINAL_TYPE_WITH_CODE (ScopeGrid,
                               scope_grid,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

/* --- Scrolling --- */

static double
cells_width (ScopeGrid *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)) - self->head_width, 0);
}

static double
cells_height (ScopeGrid *self)
{
  return MAX (gtk_widget_get_height (GTK_WIDGET (self)) - self->line, 0);
}

static void
configure (GtkAdjustment *adjustment, double upper, double page, double step)
{
  if (!adjustment)
    return;
  upper = MAX (upper, page);
  gtk_adjustment_configure (adjustment,
                            CLAMP (gtk_adjustment_get_value (adjustment), 0, upper - page), 0,
                            upper, step, MAX (page - step, step), page);
}

static void
update_adjustments (ScopeGrid *self)
{
  configure (self->hadjustment, (double) self->n_columns * self->cell_width, cells_width (self),
             self->cell_width);
  configure (self->vadjustment, (double) self->n_rows * self->line, cells_height (self),
             self->line);
}

static void
on_scrolled (ScopeGrid *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, scrolled_signal, 0);
}

static void
set_adjustment (ScopeGrid *self, GtkAdjustment **place, GtkAdjustment *adjustment)
{
  if (*place)
    g_signal_handlers_disconnect_by_data (*place, self);
  g_clear_object (place);
  *place = g_object_ref_sink (adjustment ? adjustment : gtk_adjustment_new (0, 0, 0, 0, 0, 0));
  update_adjustments (self);
  g_signal_connect_swapped (*place, "value-changed", G_CALLBACK (on_scrolled), self);
}

/* Moves an adjustment as little as shows the range from begin to end. */
static void
scroll_into_view (GtkAdjustment *adjustment, double begin, double size)
{
  double value = gtk_adjustment_get_value (adjustment);

  value = MAX (value, begin + size - gtk_adjustment_get_page_size (adjustment));
  gtk_adjustment_set_value (adjustment, MIN (value, begin));
}

static void
visible_part (GtkAdjustment *adjustment, int size, gint64 n, gint64 *first, gint64 *count)
{
  double value = gtk_adjustment_get_value (adjustment);
  gint64 end = (gint64) ceil ((value + gtk_adjustment_get_page_size (adjustment)) / size);

  *first = CLAMP ((gint64) floor (value / size), 0, n);
  *count = MIN (end, n) - *first;
}

void
scope_grid_get_visible (ScopeGrid *self, ScopeGridRange *range)
{
  visible_part (self->vadjustment, self->line, self->n_rows, &range->row, &range->n_rows);
  visible_part (self->hadjustment, self->cell_width, self->n_columns, &range->column,
                &range->n_columns);
}

/* --- Cursor and selection --- */

/* extends: the selection reaches to the cursor; otherwise it is the cursor alone. */
static void
move_cursor (ScopeGrid *self, gint64 row, gint64 column, gboolean extends)
{
  if (self->n_rows < 1 || self->n_columns < 1)
    return;
  self->row = CLAMP (row, 0, self->n_rows - 1);
  self->column = CLAMP (column, 0, self->n_columns - 1);
  if (!extends)
    {
      self->anchor_row = self->row;
      self->anchor_column = self->column;
    }
  scroll_into_view (self->vadjustment, (double) self->row * self->line, self->line);
  scroll_into_view (self->hadjustment, (double) self->column * self->cell_width, self->cell_width);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, moved_signal, 0);
}

void
scope_grid_set_cursor (ScopeGrid *self, gint64 row, gint64 column)
{
  move_cursor (self, row, column, FALSE);
}

gboolean
scope_grid_get_cursor (ScopeGrid *self, gint64 *row, gint64 *column)
{
  *row = self->row;
  *column = self->column;
  return self->n_rows > 0 && self->n_columns > 0;
}

void
scope_grid_get_selection (ScopeGrid *self, ScopeGridRange *range)
{
  *range =
      (ScopeGridRange){ MIN (self->row, self->anchor_row), MIN (self->column, self->anchor_column),
                        ABS (self->row - self->anchor_row) + 1,
                        ABS (self->column - self->anchor_column) + 1 };
}

void
scope_grid_set_size (ScopeGrid *self, gint64 n_rows, gint64 n_columns)
{
  self->n_rows = n_rows;
  self->n_columns = n_columns;
  scope_grid_measure_font (self);
  update_adjustments (self);
  if (n_rows > 0 && n_columns > 0)
    move_cursor (self, self->row, self->column, FALSE);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, scrolled_signal, 0);
}

void
scope_grid_set_function (ScopeGrid *self, ScopeGridFunc function, gpointer data)
{
  self->function = function;
  self->data = data;
}

/* --- Keys --- */

typedef enum
{
  MOVE_CELLS,
  MOVE_PAGES,
  MOVE_ROW_ENDS,
  MOVE_TABLE_ENDS,
} Move;

static gboolean
on_key (GtkWidget *widget, GVariant *arguments, gpointer unused G_GNUC_UNUSED)
{
  ScopeGrid *self = SCOPE_GRID (widget);
  int        move, down, right;
  gboolean   extends;
  gint64     page = MAX ((gint64) (cells_height (self) / MAX (self->line, 1)) - 1, 1);

  g_variant_get (arguments, "(iiib)", &move, &down, &right, &extends);
  switch ((Move) move)
    {
    case MOVE_CELLS:
      move_cursor (self, self->row + down, self->column + right, extends);
      break;
    case MOVE_PAGES:
      move_cursor (self, self->row + down * page, self->column, extends);
      break;
    case MOVE_ROW_ENDS:
      move_cursor (self, self->row, right > 0 ? self->n_columns : 0, extends);
      break;
    case MOVE_TABLE_ENDS:
      move_cursor (self, down > 0 ? self->n_rows : 0, down > 0 ? self->n_columns : 0, extends);
      break;
    }
  return TRUE;
}

static void
act_select_all (GtkWidget          *widget,
                const char *name    G_GNUC_UNUSED,
                GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGrid *self = SCOPE_GRID (widget);

  self->anchor_row = self->anchor_column = 0;
  self->row = MAX (self->n_rows - 1, 0);
  self->column = MAX (self->n_columns - 1, 0);
  gtk_widget_queue_draw (widget);
  g_signal_emit (self, moved_signal, 0);
}

static void
add_keys (GtkWidgetClass *class)
{
  static const struct
  {
    guint           key;
    GdkModifierType modifiers;
    Move            move;
    int             down, right;
  } keys[] = {
    { GDK_KEY_Up, 0, MOVE_CELLS, -1, 0 },
    { GDK_KEY_Down, 0, MOVE_CELLS, 1, 0 },
    { GDK_KEY_Left, 0, MOVE_CELLS, 0, -1 },
    { GDK_KEY_Right, 0, MOVE_CELLS, 0, 1 },
    { GDK_KEY_Page_Up, 0, MOVE_PAGES, -1, 0 },
    { GDK_KEY_Page_Down, 0, MOVE_PAGES, 1, 0 },
    { GDK_KEY_Home, 0, MOVE_ROW_ENDS, 0, -1 },
    { GDK_KEY_End, 0, MOVE_ROW_ENDS, 0, 1 },
    { GDK_KEY_Home, GDK_CONTROL_MASK, MOVE_TABLE_ENDS, -1, -1 },
    { GDK_KEY_End, GDK_CONTROL_MASK, MOVE_TABLE_ENDS, 1, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    for (gboolean extends = FALSE; extends <= TRUE; extends++)
      gtk_widget_class_add_binding (class, keys[i].key,
                                    keys[i].modifiers | (extends ? GDK_SHIFT_MASK : 0), on_key,
                                    "(iiib)", (int) keys[i].move, keys[i].down, keys[i].right,
                                    extends);
  gtk_widget_class_install_action (class, "grid.select-all", NULL, act_select_all);
  gtk_widget_class_add_binding_action (class, GDK_KEY_a, GDK_CONTROL_MASK, "grid.select-all", NULL);
}

/* --- Mouse --- */

/* Moves the cursor to the cell at a point; points on headings count as the nearest cell. */
static void
move_to_point (ScopeGrid *self, double x, double y, gboolean extends)
{
  double right = x - self->head_width + gtk_adjustment_get_value (self->hadjustment);
  double down = y - self->line + gtk_adjustment_get_value (self->vadjustment);

  move_cursor (self, (gint64) floor (down / self->line), (gint64) floor (right / self->cell_width),
               extends);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer data)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  gtk_widget_grab_focus (data);
  move_to_point (data, x, y, (state & GDK_SHIFT_MASK) != 0);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
  double x, y;

  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  move_to_point (data, x + dx, y + dy, TRUE);
}

/* --- Object --- */

static void
scope_grid_measure (GtkWidget     *widget,
                    GtkOrientation orientation,
                    int for_size   G_GNUC_UNUSED,
                    int           *minimum,
                    int           *natural,
                    int           *minimum_baseline,
                    int           *natural_baseline)
{
  ScopeGrid *self = SCOPE_GRID (widget);
  gboolean   is_wide = orientation == GTK_ORIENTATION_HORIZONTAL;

  scope_grid_measure_font (self);
  *minimum_baseline = *natural_baseline = -1;
  *minimum = is_wide ? self->head_width + self->cell_width : 3 * self->line;
  *natural = is_wide ? self->head_width + 6 * self->cell_width : 8 * self->line;
}

static void
scope_grid_size_allocate (GtkWidget   *widget,
                          int width    G_GNUC_UNUSED,
                          int height   G_GNUC_UNUSED,
                          int baseline G_GNUC_UNUSED)
{
  update_adjustments (SCOPE_GRID (widget));
  g_signal_emit (widget, scrolled_signal, 0);
}

static void
scope_grid_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeGridRange visible, selection;

  scope_grid_get_visible (SCOPE_GRID (widget), &visible);
  scope_grid_get_selection (SCOPE_GRID (widget), &selection);
  scope_grid_draw (SCOPE_GRID (widget), snapshot, &visible, &selection);
}

static void
scope_grid_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ScopeGrid *self = SCOPE_GRID (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      g_value_set_object (value, self->hadjustment);
      break;
    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->vadjustment);
      break;
    case PROP_HPOLICY:
      g_value_set_enum (value, (int) self->hpolicy);
      break;
    case PROP_VPOLICY:
      g_value_set_enum (value, (int) self->vpolicy);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
scope_grid_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ScopeGrid *self = SCOPE_GRID (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      set_adjustment (self, &self->hadjustment, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, &self->vadjustment, g_value_get_object (value));
      break;
    case PROP_HPOLICY:
      self->hpolicy = (GtkScrollablePolicy) g_value_get_enum (value);
      break;
    case PROP_VPOLICY:
      self->vpolicy = (GtkScrollablePolicy) g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
scope_grid_dispose (GObject *object)
{
  ScopeGrid *self = SCOPE_GRID (object);

  g_signal_handlers_disconnect_by_data (self->hadjustment, self);
  g_signal_handlers_disconnect_by_data (self->vadjustment, self);
  G_OBJECT_CLASS (scope_grid_parent_class)->dispose (object);
}

static void
scope_grid_finalize (GObject *object)
{
  g_object_unref (SCOPE_GRID (object)->hadjustment);
  g_object_unref (SCOPE_GRID (object)->vadjustment);
  G_OBJECT_CLASS (scope_grid_parent_class)->finalize (object);
}

static guint
new_signal (const char *name)
{
  return g_signal_new (name, SCOPE_TYPE_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                       0);
}

static void
scope_grid_class_init (ScopeGridClass *class)
{
  GObjectClass   *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  object_class->get_property = scope_grid_get_property;
  object_class->set_property = scope_grid_set_property;
  object_class->dispose = scope_grid_dispose;
  object_class->finalize = scope_grid_finalize;
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HPOLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VPOLICY, "vscroll-policy");
  widget_class->measure = scope_grid_measure;
  widget_class->size_allocate = scope_grid_size_allocate;
  widget_class->snapshot = scope_grid_snapshot;
  gtk_widget_class_set_css_name (widget_class, "numbers");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  add_keys (widget_class);
  moved_signal = new_signal ("moved");
  scrolled_signal = new_signal ("scrolled");
}

static void
scope_grid_init (ScopeGrid *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  set_adjustment (self, &self->hadjustment, NULL);
  set_adjustment (self, &self->vadjustment, NULL);
  scope_grid_measure_font (self);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (drag), "grid-drag");
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Table of values"), -1);
}
