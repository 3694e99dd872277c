/* canvas-faults.c — outlines of boxes with faults, and of closed groups that hold such boxes.
 *
 * An error has a solid outline and a disc, a warning a dashed outline and a triangle, so that they differ
 * without their colour.  The badge shows “!”, or the number of faults in a group.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

/* In pixels. */
#define OUTLINE      2.5
#define GAP          3
#define BADGE_RADIUS 8
#define FONT_SIZE    10
/* More marks could not be distinguished, and would cost frames. */
#define MAX_DRAWN 400
#define MAX_COUNT 9 /* higher numbers are shown as “9+” */

void
scope_canvas_set_faults (ScopeCanvas *self, const ScopeFault *faults, guint n)
{
  if (n == 0 && self->faults->len == 0)
    return;
  g_array_set_size (self->faults, 0);
  if (n > 0)
    g_array_append_vals (self->faults, faults, n);
  scope_canvas_update_faults (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const GArray *
scope_canvas_get_fault_marks (ScopeCanvas *self)
{
  return self->fault_marks;
}

void
scope_canvas_update_faults (ScopeCanvas *self)
{
  g_autoptr (GHashTable) places =
      g_hash_table_new (NULL, NULL); /* item → place in the array, from 1 */

  g_array_set_size (self->fault_marks, 0);
  for (guint i = 0; self->picture && i < self->faults->len; i++)
    {
      const ScopeFault *fault = &g_array_index (self->faults, ScopeFault, i);
      guint32           item = viz_picture_find_box (self->picture, fault->box);
      guint             place;
      ScopeFaultMark   *mark;

      if (item == VIZ_NO_ITEM)
        continue;
      place = GPOINTER_TO_UINT (g_hash_table_lookup (places, GUINT_TO_POINTER (item)));
      if (place == 0)
        {
          g_array_append_val (self->fault_marks, ((ScopeFaultMark){ .item = item }));
          place = self->fault_marks->len;
          g_hash_table_insert (places, GUINT_TO_POINTER (item), GUINT_TO_POINTER (place));
        }
      mark = &g_array_index (self->fault_marks, ScopeFaultMark, place - 1);
      mark->n_faults++;
      mark->is_error |= fault->is_error;
    }
}

static void
set_source (cairo_t *cr, const VizColour *colour)
{
  cairo_set_source_rgba (cr, colour->red, colour->green, colour->blue, colour->alpha);
}

static void
draw_outline (ScopeCanvas *self, cairo_t *cr, const VizItem *item, gboolean is_error)
{
  double pixel = 1 / self->zoom, gap = GAP * pixel;
  double dashes[] = { 6 * pixel, 4 * pixel };

  cairo_rectangle (cr, item->x - gap, item->y - gap, item->width + 2 * gap, item->height + 2 * gap);
  cairo_set_line_width (cr, OUTLINE * pixel);
  cairo_set_dash (cr, dashes, is_error ? 0 : (int) G_N_ELEMENTS (dashes), 0);
  set_source (cr, &self->theme->problem);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

/* The badge keeps its size on the screen, but is not larger than the box. */
static void
draw_badge (ScopeCanvas *self, cairo_t *cr, const VizItem *item, const ScopeFaultMark *mark)
{
  double size = MIN (1 / self->zoom, MIN (item->width, item->height) / (2 * BADGE_RADIUS));
  double radius = BADGE_RADIUS * size;
  double x = item->x + item->width, y = item->y;
  char   text[4] = "!";
  cairo_text_extents_t extents;
  VizColour            ink = viz_theme_text_on (self->theme, &self->theme->problem);

  if (mark->n_faults > 1)
    g_snprintf (text, sizeof text, mark->n_faults > MAX_COUNT ? "%u+" : "%u",
                MIN (mark->n_faults, MAX_COUNT));
  cairo_new_path (cr);
  if (mark->is_error)
    cairo_arc (cr, x, y, radius, 0, 2 * G_PI);
  else
    {
      cairo_move_to (cr, x, y - 1.3 * radius);
      cairo_line_to (cr, x + 1.3 * radius, y + radius);
      cairo_line_to (cr, x - 1.3 * radius, y + radius);
      cairo_close_path (cr);
    }
  set_source (cr, &self->theme->problem);
  cairo_fill_preserve (cr);
  set_source (cr, &self->theme->background);
  cairo_set_line_width (cr, size);
  cairo_stroke (cr);
  cairo_select_font_face (cr, viz_picture_font (self->picture), CAIRO_FONT_SLANT_NORMAL,
                          CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size (cr, FONT_SIZE * size);
  cairo_text_extents (cr, text, &extents);
  set_source (cr, &ink);
  cairo_move_to (cr, x - extents.width / 2 - extents.x_bearing,
                 y + (mark->is_error ? 0 : radius / 4) - extents.height / 2 - extents.y_bearing);
  cairo_show_text (cr, text);
  cairo_new_path (cr);
}

void
scope_canvas_draw_faults (ScopeCanvas *self, cairo_t *cr, const VizRect *view)
{
  double edge = 2 * BADGE_RADIUS / self->zoom;
  guint  n_drawn = 0;

  for (guint i = 0; i < self->fault_marks->len && n_drawn < MAX_DRAWN; i++)
    {
      const ScopeFaultMark *mark = &g_array_index (self->fault_marks, ScopeFaultMark, i);
      const VizItem        *item = viz_picture_item (self->picture, mark->item);

      if (item->x - edge > view->x + view->width || item->x + item->width + edge < view->x ||
          item->y - edge > view->y + view->height || item->y + item->height + edge < view->y)
        continue;
      draw_outline (self, cr, item, mark->is_error);
      draw_badge (self, cr, item, mark);
      n_drawn++;
    }
}
