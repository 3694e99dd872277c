/* label.c — makes labels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/label.h"

GtkWidget *
scope_label_new (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

GtkWidget *
scope_label_new_wrapping (const char *text, const char *css_class)
{
  GtkWidget *label = scope_label_new (text, css_class);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  return label;
}
