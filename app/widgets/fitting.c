/* fitting.c — shows the child if the width that is given is enough for it.
 *
 * AdwSqueezer does the same with an animation, which requests a new size while sizes are allocated.  In a tab that is shown
 * again that request is lost, and nothing of the window is drawn until it is resized.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/fitting.h"

struct _ScopeFitting
{
  AdwBin   parent_instance;
  gboolean claims_room;
};

enum
{
  ASKS = 1,
};

G_DEFINE_FINAL_TYPE (ScopeFitting, scope_fitting, ADW_TYPE_BIN)

static void
scope_fitting_measure (GtkWidget     *widget,
                       GtkOrientation orientation,
                       int            for_size,
                       int           *minimum,
                       int           *natural,
                       int           *minimum_baseline,
                       int           *natural_baseline)
{
  GtkWidget *child = adw_bin_get_child (ADW_BIN (widget));

  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (child && gtk_widget_should_layout (child))
    gtk_widget_measure (child, orientation,
                        orientation == GTK_ORIENTATION_HORIZONTAL ? for_size : -1, minimum, natural,
                        NULL, NULL);
  /* It takes the rest of a line. */
  if (orientation != GTK_ORIENTATION_HORIZONTAL)
    return;
  *minimum = 0;
  if (!SCOPE_FITTING (widget)->claims_room)
    *natural = 0;
}

static void
scope_fitting_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GtkWidget *child = adw_bin_get_child (ADW_BIN (widget));
  int        least = 0;

  if (!child || !gtk_widget_should_layout (child))
    return;
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, height, &least, NULL, NULL, NULL);
  gtk_widget_set_child_visible (child, least <= width);
  if (least <= width)
    gtk_widget_allocate (child, width, height, baseline, NULL);
}

static void
scope_fitting_set_property (GObject          *object,
                            guint id          G_GNUC_UNUSED,
                            const GValue     *value,
                            GParamSpec *param G_GNUC_UNUSED)
{
  SCOPE_FITTING (object)->claims_room = g_value_get_boolean (value);
}

static void
scope_fitting_class_init (ScopeFittingClass *class)
{
  G_OBJECT_CLASS (class)->set_property = scope_fitting_set_property;
  /* Whether it claims its natural size before its siblings; else it takes the rest. */
  g_object_class_install_property (G_OBJECT_CLASS (class), ASKS,
                                   g_param_spec_boolean ("claims-room", NULL, NULL, FALSE,
                                                         G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY |
                                                             G_PARAM_STATIC_STRINGS));
  GTK_WIDGET_CLASS (class)->measure = scope_fitting_measure;
  GTK_WIDGET_CLASS (class)->size_allocate = scope_fitting_size_allocate;
}

static void
scope_fitting_init (ScopeFitting *self)
{
  gtk_widget_set_layout_manager (GTK_WIDGET (self), NULL);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}
