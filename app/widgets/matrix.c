/* matrix.c — a matrix as a stretched image, with labels for blocks of its rows.
 *
 * The image has one pixel per value and is scaled without interpolation.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/matrix.h"

#include "app/widgets/theme.h"
#include "viz/diagram/palette.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#define MIN_HEIGHT    18
#define MAX_HEIGHT    300
#define DEFAULT_WIDTH 240

typedef struct
{
  gint64 row;
  char  *name;
} Block;

struct _ScopeMatrix
{
  GtkWidget parent_instance;
  double   *values;
  guint     n_rows, n_columns;
  gint64    rows, columns;
  double    scale;
  GArray   *blocks; /* of Block */
};

G_DEFINE_FINAL_TYPE (ScopeMatrix, scope_matrix, GTK_TYPE_WIDGET)

static guint picked_signal;

static void
clear_block (gpointer data)
{
  g_free (((Block *) data)->name);
}

static void
scope_matrix_measure (GtkWidget     *widget,
                      GtkOrientation orientation,
                      int            for_size,
                      int           *minimum,
                      int           *natural,
                      int           *minimum_baseline,
                      int           *natural_baseline)
{
  ScopeMatrix *self = SCOPE_MATRIX (widget);
  double       width = for_size > 0 ? for_size : DEFAULT_WIDTH, height;

  *minimum_baseline = *natural_baseline = -1;
  *minimum = *natural = 60;
  if (orientation == GTK_ORIENTATION_HORIZONTAL || self->columns < 1)
    return;
  height = width * (double) self->rows / (double) self->columns;
  /* Each label needs a line. */
  *minimum = *natural =
      (int) CLAMP (height, MAX (MIN_HEIGHT, (int) self->blocks->len * MIN_HEIGHT), MAX_HEIGHT);
}

static guint32
colour_of (const VizTheme *theme, double value, double scale)
{
  VizColour colour = { 0.85, 0, 0.55, 1 };

  if (!isnan (value))
    colour = viz_theme_difference (theme, scale > 0 ? CLAMP (value / scale, -1, 1) : 0);
  return 0xff000000u | (guint32) (colour.red * 255) << 16 | (guint32) (colour.green * 255) << 8 |
         (guint32) (colour.blue * 255);
}

static cairo_surface_t *
new_image (ScopeMatrix *self, const VizTheme *theme)
{
  cairo_surface_t *image =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) self->n_columns, (int) self->n_rows);
  guchar *data = cairo_image_surface_get_data (image);
  int     stride = cairo_image_surface_get_stride (image);

  if (!data)
    return image;
  cairo_surface_flush (image);
  for (guint row = 0; row < self->n_rows; row++)
    {
      guint32 *line = (guint32 *) (gpointer) (data + (gsize) row * (gsize) stride);

      for (guint column = 0; column < self->n_columns; column++)
        line[column] =
            colour_of (theme, self->values[(gsize) row * self->n_columns + column], self->scale);
    }
  cairo_surface_mark_dirty (image);
  return image;
}

static void
draw_block (ScopeMatrix *self, cairo_t *cr, const Block *block, int width, int height)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), block->name);
  double       y = height * (double) block->row / (double) self->rows;
  int          text_width, text_height;

  pango_layout_get_pixel_size (layout, &text_width, &text_height);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.75);
  if (block->row > 0)
    {
      cairo_rectangle (cr, 0, y - 0.5, width, 1);
      cairo_fill (cr);
    }
  cairo_set_source_rgba (cr, 1, 1, 1, 0.85);
  cairo_rectangle (cr, 2, y + 2, text_width + 6, text_height);
  cairo_fill (cr);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.9);
  cairo_move_to (cr, 5, y + 2);
  pango_cairo_show_layout (cr, layout);
  g_object_unref (layout);
}

static void
scope_matrix_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeMatrix     *self = SCOPE_MATRIX (widget);
  int              width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  const VizTheme  *theme = scope_theme_get ();
  cairo_surface_t *image;
  cairo_t         *cr;

  if (!self->values || width < 1 || height < 1)
    return;
  cr = gtk_snapshot_append_cairo (snapshot,
                                  &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  image = new_image (self, theme);
  cairo_save (cr);
  cairo_scale (cr, (double) width / self->n_columns, (double) height / self->n_rows);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
  for (guint i = 0; i < self->blocks->len; i++)
    draw_block (self, cr, &g_array_index (self->blocks, Block, i), width, height);
  cairo_surface_destroy (image);
  cairo_destroy (cr);
}

static const char *
find_block (ScopeMatrix *self, gint64 row)
{
  const char *name = NULL;

  for (guint i = 0; i < self->blocks->len; i++)
    if (g_array_index (self->blocks, Block, i).row <= row)
      name = g_array_index (self->blocks, Block, i).name;
  return name;
}

/* Finds the point of the image at a point of the widget.  FALSE: there is none. */
static gboolean
find_point (ScopeMatrix *self, double x, double y, guint *row, guint *column)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  int height = gtk_widget_get_height (GTK_WIDGET (self));

  if (!self->values || x < 0 || y < 0 || x >= width || y >= height)
    return FALSE;
  *row = (guint) ((gint64) y * self->n_rows / height);
  *column = (guint) ((gint64) x * self->n_columns / width);
  return TRUE;
}

static void
on_released (GtkGestureClick *gesture G_GNUC_UNUSED,
             int n                    G_GNUC_UNUSED,
             double                   x,
             double                   y,
             gpointer                 data)
{
  ScopeMatrix *self = data;
  guint        row, column;

  if (find_point (self, x, y, &row, &column))
    g_signal_emit (self, picked_signal, 0, (gint64) row * self->rows / self->n_rows,
                   (gint64) column * self->columns / self->n_columns);
}

static gboolean
on_tooltip (ScopeMatrix *self, int x, int y, gboolean by_key G_GNUC_UNUSED, GtkTooltip *tooltip)
{
  guint            row, column;
  gint64           real_row, real_column;
  const char      *block;
  g_autofree char *text = NULL;
  g_autofree char *full = NULL;

  if (!find_point (self, x, y, &row, &column))
    return FALSE;
  real_row = (gint64) row * self->rows / self->n_rows;
  real_column = (gint64) column * self->columns / self->n_columns;
  block = find_block (self, real_row);
  text =
      g_strdup_printf (_ ("Row %.0f, column %.0f: %.4g"), (double) real_row, (double) real_column,
                       self->values[(gsize) row * self->n_columns + column]);
  full = block ? g_strdup_printf ("%s (%s)", text, block) : NULL;
  gtk_tooltip_set_text (tooltip, full ? full : text);
  return TRUE;
}

static GtkSizeRequestMode
scope_matrix_get_request_mode (GtkWidget *widget G_GNUC_UNUSED)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
scope_matrix_finalize (GObject *object)
{
  ScopeMatrix *self = SCOPE_MATRIX (object);

  g_free (self->values);
  g_array_unref (self->blocks);
  G_OBJECT_CLASS (scope_matrix_parent_class)->finalize (object);
}

static void
scope_matrix_class_init (ScopeMatrixClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = scope_matrix_finalize;
  widget_class->measure = scope_matrix_measure;
  widget_class->get_request_mode = scope_matrix_get_request_mode;
  widget_class->snapshot = scope_matrix_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  picked_signal = g_signal_new ("picked", SCOPE_TYPE_MATRIX, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_INT64);
}

static void
scope_matrix_init (ScopeMatrix *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (click), "matrix-click");
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  self->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  g_array_set_clear_func (self->blocks, clear_block);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

GtkWidget *
scope_matrix_new (void)
{
  return g_object_new (SCOPE_TYPE_MATRIX, NULL);
}

void
scope_matrix_set_image (ScopeMatrix *self, const ScopeMatrixImage *image)
{
  gsize n = (gsize) image->n_rows * image->n_columns;

  g_free (self->values);
  self->values = g_memdup2 (image->values, n * sizeof (double));
  self->n_rows = image->n_rows;
  self->n_columns = image->n_columns;
  self->rows = image->rows;
  self->columns = image->columns;
  self->scale = image->scale;
  g_array_set_size (self->blocks, 0);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
scope_matrix_add_block (ScopeMatrix *self, gint64 row, const char *name)
{
  Block block = { row, g_strdup (name) };

  g_array_append_val (self->blocks, block);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}
