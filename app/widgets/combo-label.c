/* combo-label.c — the label of the chosen entry; see combo-label.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/combo-label.h"

#define MIN_CHARS 8 /* of the chosen entry of a row, if it has as many */

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

static GtkListItemFactory *
new_factory (void)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (set_up_label), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_label), NULL);
  return factory;
}

/* Where there is little room, the subtitle of a row wraps before a short entry is cut. */
static void
keep_width (GtkListItemFactory *factory G_GNUC_UNUSED, GtkListItem *item)
{
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));

  gtk_label_set_width_chars (label,
                             (int) MIN (g_utf8_strlen (gtk_label_get_text (label), -1), MIN_CHARS));
}

void
scope_combo_row_show_whole (AdwComboRow *row)
{
  g_autoptr (GtkListItemFactory) factory = new_factory ();

  g_signal_connect (factory, "bind", G_CALLBACK (keep_width), NULL);
  adw_combo_row_set_list_factory (row, adw_combo_row_get_factory (row));
  adw_combo_row_set_factory (row, factory);
}

static void
limit_width (GtkListItemFactory *factory G_GNUC_UNUSED, GtkListItem *item, gpointer n_chars)
{
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));

  gtk_label_set_width_chars (label, GPOINTER_TO_INT (n_chars));
  gtk_label_set_xalign (label, 0);
}

void
scope_drop_down_show_whole (GtkDropDown *list, int n_chars)
{
  g_autoptr (GtkListItemFactory) factory = new_factory ();

  g_signal_connect (factory, "setup", G_CALLBACK (limit_width), GINT_TO_POINTER (n_chars));
  gtk_drop_down_set_list_factory (list, gtk_drop_down_get_factory (list));
  gtk_drop_down_set_factory (list, factory);
}
