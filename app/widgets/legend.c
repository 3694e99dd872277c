/* legend.c — a colour ramp between its bounds, and a note about the measured run.
 *
 * Start reading with scope_legend_set().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/legend.h"

#include "app/widgets/tooltip.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#define RAMP_WIDTH     120
#define RAMP_HEIGHT    10
#define BADGE_SIDE     9
#define MIN_NOTE_CHARS 24 /* characters */

struct _ScopeLegend
{
  GtkWidget       parent_instance;
  VizOverlay     *overlay;
  const VizTheme *theme;
  GtkWidget      *low, *ramp, *high, *note, *badge, *badges; /* children */
};

G_DEFINE_FINAL_TYPE (ScopeLegend, scope_legend, GTK_TYPE_WIDGET)

static void
draw_ramp (GtkDrawingArea *area G_GNUC_UNUSED, cairo_t *cr, int width, int height, gpointer data)
{
  ScopeLegend *self = data;
  double       top = (height - RAMP_HEIGHT) / 2;

  if (!self->overlay)
    return;
  for (int x = 0; x < width; x++)
    {
      double    level = (x + 0.5) / width;
      VizColour colour = viz_overlay_scale (self->overlay) == VIZ_SCALE_DIFFERENCE
                             ? viz_theme_difference (self->theme, 2 * level - 1)
                             : viz_theme_heat (self->theme, level);

      cairo_set_source_rgb (cr, colour.red, colour.green, colour.blue);
      cairo_rectangle (cr, x, top, 1, RAMP_HEIGHT);
      cairo_fill (cr);
    }
}

/* The badge as it is drawn on boxes. */
static void
draw_badge (GtkDrawingArea *area G_GNUC_UNUSED, cairo_t *cr, int width, int height, gpointer data)
{
  ScopeLegend *self = data;
  double       bottom = (height + width) / 2.0;

  if (!self->theme)
    return;
  cairo_set_source_rgb (cr, self->theme->text.red, self->theme->text.green, self->theme->text.blue);
  cairo_move_to (cr, width, bottom - width);
  cairo_line_to (cr, width, bottom);
  cairo_line_to (cr, 0, bottom);
  cairo_fill (cr);
}

/* The meaning of the overlay's badges; nothing without any. */
static void
show_badges (ScopeLegend *self)
{
  const char *details, *note = viz_overlay_badges_note (self->overlay, &details);

  gtk_widget_set_visible (self->badge, note != NULL);
  gtk_widget_set_visible (self->badges, note != NULL);
  gtk_label_set_text (GTK_LABEL (self->badges), note ? note : "");
  scope_tooltip_set (self->badges, details);
}

/* Lines are not broken between a number and its sign. */
static void
show_note (ScopeLegend *self, const char *note)
{
  g_autoptr (GString) text = g_string_new (note);

  g_string_replace (text, "± ", "±\u00a0", 0);
  g_string_replace (text, "× ", "×\u00a0", 0);
  g_string_replace (text, " %", "\u00a0%", 0);
  gtk_label_set_text (GTK_LABEL (self->note), text->str);
}

void
scope_legend_set (ScopeLegend *self, VizOverlay *overlay, const VizTheme *theme)
{
  double           low, high;
  g_autofree char *low_text = NULL;
  g_autofree char *high_text = NULL;
  g_autofree char *name = NULL;

  if (overlay)
    viz_overlay_ref (overlay);
  g_clear_pointer (&self->overlay, viz_overlay_unref);
  self->overlay = overlay;
  self->theme = theme;
  gtk_widget_set_visible (GTK_WIDGET (self), overlay != NULL);
  if (!overlay)
    return;
  viz_overlay_ends (overlay, &low, &high);
  low_text = viz_overlay_format (overlay, low);
  high_text = viz_overlay_format (overlay, high);
  gtk_label_set_text (GTK_LABEL (self->low), low_text);
  gtk_label_set_text (GTK_LABEL (self->high), high_text);
  show_note (self, viz_overlay_note (overlay));
  scope_tooltip_set (GTK_WIDGET (self), viz_overlay_note (overlay));
  show_badges (self);
  name = g_strdup_printf (_ ("Colours from %s to %s"), low_text, high_text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_queue_draw (self->ramp);
  gtk_widget_queue_draw (self->badge);
}

static void
scope_legend_dispose (GObject *object)
{
  ScopeLegend *self = SCOPE_LEGEND (object);
  GtkWidget   *child;

  g_clear_pointer (&self->overlay, viz_overlay_unref);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (scope_legend_parent_class)->dispose (object);
}

static void
scope_legend_class_init (ScopeLegendClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_legend_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (class), "legend");
}

static GtkWidget *
add_label (ScopeLegend *self, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_widget_add_css_class (label, css_class);
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  return label;
}

/* The note has at most two lines, and is hidden where it does not fit. */
static void
add_note (ScopeLegend *self)
{
  GtkWidget *squeezer = adw_squeezer_new (), *note = gtk_label_new (NULL);

  self->note = note;
  gtk_widget_add_css_class (note, "dim-label");
  gtk_widget_add_css_class (note, "caption");
  gtk_label_set_wrap (GTK_LABEL (note), TRUE);
  gtk_label_set_lines (GTK_LABEL (note), 2);
  gtk_label_set_ellipsize (GTK_LABEL (note), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (note), MIN_NOTE_CHARS);
  gtk_label_set_xalign (GTK_LABEL (note), 0);
  adw_squeezer_add (ADW_SQUEEZER (squeezer), note);
  adw_squeezer_set_allow_none (ADW_SQUEEZER (squeezer), TRUE);
  adw_squeezer_set_homogeneous (ADW_SQUEEZER (squeezer), FALSE);
  adw_squeezer_set_xalign (ADW_SQUEEZER (squeezer), 0);
  gtk_widget_set_hexpand (squeezer, TRUE);
  gtk_widget_set_parent (squeezer, GTK_WIDGET (self));
}

static void
add_badges (ScopeLegend *self)
{
  self->badge = gtk_drawing_area_new ();
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (self->badge), BADGE_SIDE);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (self->badge), BADGE_SIDE);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->badge), draw_badge, self, NULL);
  gtk_widget_set_margin_start (self->badge, 8);
  gtk_widget_set_parent (self->badge, GTK_WIDGET (self));
  self->badges = add_label (self, "caption");
  gtk_widget_set_name (self->badges, "legend-badges");
  gtk_label_set_ellipsize (GTK_LABEL (self->badges), PANGO_ELLIPSIZE_END);
}

static void
scope_legend_init (ScopeLegend *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 8);
  self->low = add_label (self, "numeric");
  self->ramp = gtk_drawing_area_new ();
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (self->ramp), RAMP_WIDTH);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (self->ramp), RAMP_HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->ramp), draw_ramp, self, NULL);
  gtk_widget_set_parent (self->ramp, GTK_WIDGET (self));
  self->high = add_label (self, "numeric");
  add_badges (self);
  add_note (self);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
