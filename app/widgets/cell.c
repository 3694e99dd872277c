/* cell.c — one line of text in a list or table.
 *
 * Text is laid out when it is drawn; the size follows from the font alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/cell.h"

struct _ScopeCell
{
  GtkWidget parent_instance;
  char     *text;
  guint     min_chars, natural_chars;
  gboolean  is_number; /* to the right */
  double    part;      /* of the width that a bar fills */
};

G_DEFINE_FINAL_TYPE (ScopeCell, scope_cell, GTK_TYPE_WIDGET)

/* --- Size --- */

typedef struct
{
  PangoFontDescription *font;
  double                resolution;
  int                   character, line; /* pixels */
} Measure;

static guint
measure_hash (gconstpointer key)
{
  return pango_font_description_hash (((const Measure *) key)->font);
}

static gboolean
measure_equal (gconstpointer a, gconstpointer b)
{
  const Measure *x = a, *y = b;

  return x->resolution == y->resolution && pango_font_description_equal (x->font, y->font);
}

/* Character width and line height of the widget's font.  Cached, because Pango lays out a sample text for
 * font metrics.  Main thread only. */
static const Measure *
get_measure (GtkWidget *widget)
{
  static GHashTable *known;
  PangoContext      *context = gtk_widget_get_pango_context (widget);
  Measure            key = { pango_context_get_font_description (context),
                             pango_cairo_context_get_resolution (context), 0, 0 };
  Measure           *found = known ? g_hash_table_lookup (known, &key) : NULL;

  if (!found)
    {
      PangoFontMetrics *metrics = pango_context_get_metrics (context, key.font, NULL);

      found = g_new (Measure, 1);
      *found = key;
      found->font = pango_font_description_copy (key.font);
      found->character =
          PANGO_PIXELS_CEIL (MAX (pango_font_metrics_get_approximate_char_width (metrics),
                                  pango_font_metrics_get_approximate_digit_width (metrics)));
      found->line = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics));
      pango_font_metrics_unref (metrics);
      if (!known)
        known = g_hash_table_new (measure_hash, measure_equal);
      g_hash_table_add (known, found);
    }
  return found;
}

static void
scope_cell_measure (GtkWidget     *widget,
                    GtkOrientation orientation,
                    int for_size   G_GNUC_UNUSED,
                    int           *minimum,
                    int           *natural,
                    int           *minimum_baseline,
                    int           *natural_baseline)
{
  ScopeCell     *self = SCOPE_CELL (widget);
  const Measure *measure = get_measure (widget);

  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *minimum = *natural = measure->line;
      return;
    }
  *minimum = (int) self->min_chars * measure->character;
  *natural = (int) self->natural_chars * measure->character;
}

/* --- Drawing --- */

/* A bar from the left, in the colour of the text. */
static void
draw_bar (ScopeCell *self, GtkSnapshot *snapshot, float width, float height)
{
  GdkRGBA colour;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &colour);
  gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)), "accent_color",
                                  &colour);
  colour.alpha = 0.25f;
  gtk_snapshot_append_color (snapshot, &colour,
                             &GRAPHENE_RECT_INIT (0, 0, (float) MAX (self->part * width, 1),
                                                  height));
}

static void
scope_cell_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeCell *self = SCOPE_CELL (widget);
  int        width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget), line;
  g_autoptr (PangoLayout) layout = NULL;

  if (self->part > 0 && width > 0)
    draw_bar (self, snapshot, (float) width, (float) height);
  if (!self->text || width < 1)
    return;
  layout = gtk_widget_create_pango_layout (widget, self->text);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_MIDDLE);
  pango_layout_set_width (layout, width * PANGO_SCALE);
  if (self->is_number)
    pango_layout_set_alignment (layout, PANGO_ALIGN_RIGHT);
  pango_layout_get_pixel_size (layout, NULL, &line);
  gtk_snapshot_render_layout (snapshot, gtk_widget_get_style_context (widget), 0,
                              (height - line) / 2, layout);
}

/* --- Object --- */

static void
scope_cell_finalize (GObject *object)
{
  g_free (SCOPE_CELL (object)->text);
  G_OBJECT_CLASS (scope_cell_parent_class)->finalize (object);
}

static void
scope_cell_class_init (ScopeCellClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = scope_cell_finalize;
  widget_class->measure = scope_cell_measure;
  widget_class->snapshot = scope_cell_snapshot;
  gtk_widget_class_set_css_name (widget_class, "label");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
scope_cell_init (ScopeCell *self G_GNUC_UNUSED)
{
}

GtkWidget *
scope_cell_new (guint min_chars, guint natural_chars, gboolean is_number)
{
  ScopeCell *self = g_object_new (SCOPE_TYPE_CELL, NULL);

  self->min_chars = min_chars;
  self->natural_chars = natural_chars;
  self->is_number = is_number;
  if (is_number)
    gtk_widget_add_css_class (GTK_WIDGET (self), "numeric");
  return GTK_WIDGET (self);
}

const char *
scope_cell_get_text (ScopeCell *self)
{
  return self->text;
}

void
scope_cell_set_part (ScopeCell *self, double part)
{
  double shown = part > 0 ? MIN (part, 1) : 0;

  if (self->part == shown)
    return;
  self->part = shown;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
scope_cell_is_cut (GtkWidget *cell)
{
  const char *text = SCOPE_CELL (cell)->text;
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (cell, text ? text : "");
  int width;

  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width > gtk_widget_get_width (cell);
}

void
scope_cell_set_text (ScopeCell *self, const char *text)
{
  if (g_strcmp0 (self->text, text) == 0)
    return;
  g_free (self->text);
  self->text = g_strdup (text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  text ? text : "", -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
