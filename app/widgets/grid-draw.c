/* grid-draw.c — draws the visible cells of a grid and the headings of its rows and columns.
 *
 * Start at scope_grid_draw().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/grid-private.h"

#include "app/widgets/theme.h"

#include <math.h>
#include <string.h>

#define PADDING 6

/* Opacity of the colour behind a number. */
#define SHADE 0.4f

typedef struct
{
  ScopeGrid     *grid;
  GtkSnapshot   *snapshot;
  PangoLayout   *layout;
  GdkRGBA        text, dim, accent;
  ScopeGridRange selection;
} Drawing;

void
scope_grid_measure_font (ScopeGrid *self)
{
  g_autoptr (PangoLayout) layout =
      gtk_widget_create_pango_layout (GTK_WIDGET (self), "-0.00012345");
  g_autofree char *last = g_strdup_printf ("%" G_GINT64_FORMAT, MAX (self->n_rows - 1, 100));
  int              height;

  pango_layout_get_pixel_size (layout, &self->cell_width, &height);
  self->cell_width += 2 * PADDING;
  self->line = height + PADDING;
  pango_layout_set_text (layout, last, -1);
  pango_layout_get_pixel_size (layout, &self->head_width, NULL);
  self->head_width += 2 * PADDING;
}

static graphene_rect_t
make_area (double x, double y, double width, double height)
{
  return GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height);
}

/* Aligned to the right edge of a cell; large integers are ellipsised. */
static void
draw_text (const Drawing *drawing, const char *text, const GdkRGBA *colour, double right, double y)
{
  int room = MAX (drawing->grid->cell_width, drawing->grid->head_width) - PADDING, width;

  pango_layout_set_width (drawing->layout, -1);
  pango_layout_set_text (drawing->layout, text, -1);
  pango_layout_get_pixel_size (drawing->layout, &width, NULL);
  if (width > room)
    {
      pango_layout_set_width (drawing->layout, room * PANGO_SCALE);
      width = room;
    }
  gtk_snapshot_save (drawing->snapshot);
  gtk_snapshot_translate (drawing->snapshot,
                          &GRAPHENE_POINT_INIT ((float) (right - PADDING - width),
                                                (float) y + PADDING / 2));
  gtk_snapshot_append_layout (drawing->snapshot, drawing->layout, colour);
  gtk_snapshot_restore (drawing->snapshot);
}

static void
draw_shade (const Drawing *drawing, const ScopeGridCell *cell, const graphene_rect_t *area)
{
  VizColour colour = { 0.85, 0, 0.55, 1 };
  GdkRGBA   shade;

  if (cell->shade == 0)
    return;
  if (!isnan (cell->shade))
    colour = viz_theme_difference (scope_theme_get (), CLAMP (cell->shade, -1, 1));
  shade = (GdkRGBA){ (float) colour.red, (float) colour.green, (float) colour.blue,
                     SHADE * (isnan (cell->shade) ? 1 : (float) MIN (fabs (cell->shade), 1)) };
  gtk_snapshot_append_color (drawing->snapshot, &shade, area);
}

static gboolean
is_selected (const ScopeGridRange *range, gint64 row, gint64 column)
{
  return row >= range->row && row < range->row + range->n_rows && column >= range->column &&
         column < range->column + range->n_columns;
}

static void
draw_cell (const Drawing *drawing, gint64 row, gint64 column, double x, double y)
{
  ScopeGrid            *grid = drawing->grid;
  const graphene_rect_t area = make_area (x, y, grid->cell_width, grid->line);
  ScopeGridCell         cell = { .text = "" };
  GdkRGBA               mark = drawing->accent;

  grid->function (row, column, &cell, grid->data);
  draw_shade (drawing, &cell, &area);
  /* The frame of the cursor is enough for a single cell. */
  if (drawing->selection.n_rows * drawing->selection.n_columns > 1 &&
      is_selected (&drawing->selection, row, column))
    {
      mark.alpha = 0.25f;
      gtk_snapshot_append_color (drawing->snapshot, &mark, &area);
    }
  draw_text (drawing, cell.text[0] ? cell.text : "…", cell.text[0] ? &drawing->text : &drawing->dim,
             x + grid->cell_width, y);
}

/* A frame around the cell of the cursor. */
static void
draw_cursor (const Drawing *drawing, double x, double y)
{
  const graphene_rect_t area = make_area (x, y, drawing->grid->cell_width, drawing->grid->line);
  GskRoundedRect        frame;
  GdkRGBA               colour = drawing->accent;
  float                 width = gtk_widget_has_focus (GTK_WIDGET (drawing->grid)) ? 2 : 1;

  gsk_rounded_rect_init_from_rect (&frame, &area, 2);
  gtk_snapshot_append_border (drawing->snapshot, &frame, (float[4]){ width, width, width, width },
                              (GdkRGBA[4]){ colour, colour, colour, colour });
}

static void
draw_cells (const Drawing *drawing, const ScopeGridRange *range, double left, double top)
{
  ScopeGrid      *grid = drawing->grid;
  graphene_rect_t area;

  area = make_area (grid->head_width, grid->line, gtk_widget_get_width (GTK_WIDGET (grid)),
                    gtk_widget_get_height (GTK_WIDGET (grid)));
  gtk_snapshot_push_clip (drawing->snapshot, &area);
  for (gint64 i = 0; i < range->n_rows; i++)
    for (gint64 k = 0; k < range->n_columns; k++)
      draw_cell (drawing, range->row + i, range->column + k, left + (double) k * grid->cell_width,
                 top + (double) i * grid->line);
  if (is_selected (range, grid->row, grid->column))
    draw_cursor (drawing, left + (double) (grid->column - range->column) * grid->cell_width,
                 top + (double) (grid->row - range->row) * grid->line);
  gtk_snapshot_pop (drawing->snapshot);
}

static void
draw_number (const Drawing *drawing, gint64 number, gboolean is_current, double right, double y)
{
  char text[32];

  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, number);
  draw_text (drawing, text, is_current ? &drawing->text : &drawing->dim, right, y);
}

static void
draw_heads (const Drawing *drawing, const ScopeGridRange *range, double left, double top)
{
  ScopeGrid      *grid = drawing->grid;
  graphene_rect_t area;
  GdkRGBA         line = drawing->text;
  int             width = gtk_widget_get_width (GTK_WIDGET (grid));
  int             height = gtk_widget_get_height (GTK_WIDGET (grid));

  area = make_area (grid->head_width, 0, width, grid->line);
  gtk_snapshot_push_clip (drawing->snapshot, &area);
  for (gint64 k = 0; k < range->n_columns; k++)
    draw_number (drawing, range->column + k, range->column + k == grid->column,
                 left + (double) (k + 1) * grid->cell_width, 0);
  gtk_snapshot_pop (drawing->snapshot);
  area = make_area (0, grid->line, grid->head_width, height);
  gtk_snapshot_push_clip (drawing->snapshot, &area);
  for (gint64 i = 0; i < range->n_rows; i++)
    draw_number (drawing, range->row + i, range->row + i == grid->row, grid->head_width,
                 top + (double) i * grid->line);
  gtk_snapshot_pop (drawing->snapshot);
  line.alpha = 0.15f;
  area = make_area (0, grid->line - 1, width, 1);
  gtk_snapshot_append_color (drawing->snapshot, &line, &area);
  area = make_area (grid->head_width - 1, 0, 1, height);
  gtk_snapshot_append_color (drawing->snapshot, &line, &area);
}

void
scope_grid_draw (ScopeGrid            *self,
                 GtkSnapshot          *snapshot,
                 const ScopeGridRange *visible,
                 const ScopeGridRange *selection)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (self));
  Drawing          drawing = { .grid = self,
                               .snapshot = snapshot,
                               .layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL),
                               .selection = *selection };
  g_autoptr (PangoAttrList) digits = pango_attr_list_new ();
  double left, top;

  pango_attr_list_insert (digits, pango_attr_font_features_new ("tnum"));
  pango_layout_set_attributes (drawing.layout, digits);
  pango_layout_set_ellipsize (drawing.layout, PANGO_ELLIPSIZE_END);
  gtk_style_context_get_color (context, &drawing.text);
  drawing.dim = drawing.text;
  drawing.dim.alpha *= 0.6f;
  if (!gtk_style_context_lookup_color (context, "accent_color", &drawing.accent))
    drawing.accent = drawing.text;
  /* Relative to the first visible cell: coordinates of float would not do for the last ones of a large grid. */
  left = self->head_width + ((double) visible->column * self->cell_width -
                             gtk_adjustment_get_value (self->hadjustment));
  top = self->line +
        ((double) visible->row * self->line - gtk_adjustment_get_value (self->vadjustment));
  if (self->function)
    draw_cells (&drawing, visible, left, top);
  draw_heads (&drawing, visible, left, top);
  g_object_unref (drawing.layout);
}
