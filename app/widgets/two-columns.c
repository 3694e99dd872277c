/* two-columns.c — two columns of equal width, or one.
 *
 * Two columns need MIN_WIDTH each, which grows with the size of text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/two-columns.h"

#include "app/widgets/text-scale.h"

#define MIN_WIDTH 300
#define GAP       30

struct _ScopeTwoColumns
{
  GtkWidget  parent_instance;
  GtkWidget *first, *second; /* children */
};

G_DEFINE_FINAL_TYPE (ScopeTwoColumns, scope_two_columns, GTK_TYPE_WIDGET)

static int
least_width (GtkWidget *child)
{
  int least;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  return least;
}

static int
height_of (GtkWidget *child, int width)
{
  int least, natural;

  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &least, &natural, NULL, NULL);
  return natural;
}

/* The width of each of two columns; 0: there is no room for two. */
static int
column_width (ScopeTwoColumns *self, int width)
{
  int each = (width - GAP) / 2;
  int least = (int) (MIN_WIDTH * scope_text_scale (GTK_WIDGET (self)));

  least = MAX (least, MAX (least_width (self->first), least_width (self->second)));
  return each >= least ? each : 0;
}

static GtkSizeRequestMode
scope_two_columns_get_request_mode (GtkWidget *widget G_GNUC_UNUSED)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
scope_two_columns_measure (GtkWidget     *widget,
                           GtkOrientation orientation,
                           int            for_size,
                           int           *minimum,
                           int           *natural,
                           int           *minimum_baseline,
                           int           *natural_baseline)
{
  ScopeTwoColumns *self = SCOPE_TWO_COLUMNS (widget);

  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = MAX (least_width (self->first), least_width (self->second));
  else
    {
      int width = MAX (for_size, MAX (least_width (self->first), least_width (self->second)));
      int each = column_width (self, width);

      *minimum = *natural =
          each > 0 ? MAX (height_of (self->first, each), height_of (self->second, each))
                   : height_of (self->first, width) + GAP + height_of (self->second, width);
    }
}

static void
scope_two_columns_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ScopeTwoColumns *self = SCOPE_TWO_COLUMNS (widget);
  int              each = column_width (self, width);
  int              above = each > 0 ? height : height_of (self->first, width);
  GskTransform    *moved =
      gsk_transform_translate (NULL, each > 0 ? &GRAPHENE_POINT_INIT ((float) (each + GAP), 0)
                                              : &GRAPHENE_POINT_INIT (0, (float) (above + GAP)));

  gtk_widget_allocate (self->first, each > 0 ? each : width, above, baseline, NULL);
  gtk_widget_allocate (self->second, each > 0 ? each : width,
                       each > 0 ? height : MAX (height - above - GAP, 0), baseline, moved);
}

static void
scope_two_columns_dispose (GObject *object)
{
  ScopeTwoColumns *self = SCOPE_TWO_COLUMNS (object);

  g_clear_pointer (&self->first, gtk_widget_unparent);
  g_clear_pointer (&self->second, gtk_widget_unparent);
  G_OBJECT_CLASS (scope_two_columns_parent_class)->dispose (object);
}

static void
scope_two_columns_class_init (ScopeTwoColumnsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_two_columns_dispose;
  widget_class->get_request_mode = scope_two_columns_get_request_mode;
  widget_class->measure = scope_two_columns_measure;
  widget_class->size_allocate = scope_two_columns_size_allocate;
}

static void
scope_two_columns_init (ScopeTwoColumns *self G_GNUC_UNUSED)
{
}

GtkWidget *
scope_two_columns_new (GtkWidget *first, GtkWidget *second)
{
  ScopeTwoColumns *self = g_object_new (SCOPE_TYPE_TWO_COLUMNS, NULL);

  self->first = first;
  self->second = second;
  gtk_widget_set_parent (first, GTK_WIDGET (self));
  gtk_widget_set_parent (second, GTK_WIDGET (self));
  return GTK_WIDGET (self);
}
