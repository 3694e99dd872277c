/* combo-label.c — the label of the chosen entry; see combo-label.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/combo-label.h"

static void
set_up_label (GtkListItemFactory *factory G_GNUC_UNUSED, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_list_item_set_child (item, label);
}

static void
bind_label (GtkListItemFactory *factory G_GNUC_UNUSED, GtkListItem *item)
{
  GtkStringObject *entry = gtk_list_item_get_item (item);
  GtkWidget       *label = gtk_list_item_get_child (item);

  gtk_label_set_label (GTK_LABEL (label), gtk_string_object_get_string (entry));
  gtk_widget_set_tooltip_text (label, gtk_string_object_get_string (entry));
}

void
scope_combo_row_show_whole (AdwComboRow *row)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (set_up_label), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_label), NULL);
  adw_combo_row_set_list_factory (row, adw_combo_row_get_factory (row));
  adw_combo_row_set_factory (row, factory);
}
