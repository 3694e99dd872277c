/* sheet.c — headings and rows of facts.
 *
 * Rows that lead to a box are buttons.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/sheet.h"

#include "app/widgets/label.h"
#include "app/widgets/tooltip.h"

struct _ScopeSheet
{
  GtkBox parent_instance;
};

G_DEFINE_FINAL_TYPE (ScopeSheet, scope_sheet, GTK_TYPE_BOX)

static guint link_signal;

static void
scope_sheet_class_init (ScopeSheetClass *class)
{
  link_signal = g_signal_new ("link", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
scope_sheet_init (ScopeSheet *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_widget_add_css_class (GTK_WIDGET (self), "sheet");
}

GtkWidget *
scope_sheet_new (void)
{
  return g_object_new (SCOPE_TYPE_SHEET, NULL);
}

void
scope_sheet_clear (ScopeSheet *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_box_remove (GTK_BOX (self), child);
}

void
scope_sheet_add (ScopeSheet *self, GtkWidget *widget)
{
  gtk_box_append (GTK_BOX (self), widget);
}

static GtkWidget *
new_label (const char *text, const char *css_class)
{
  GtkWidget     *label = scope_label_new_wrapping (text, css_class);
  PangoAttrList *attributes = pango_attr_list_new ();

  /* A hyphen where a long name is broken would look like a part of it. */
  pango_attr_list_insert (attributes, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  return label;
}

void
scope_sheet_add_text (ScopeSheet *self, const char *text, const char *css_class)
{
  GtkWidget *label = new_label (text, css_class);

  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  /* Selectable labels can be focused, which would lengthen the way through the pane by keyboard.  If only "focusable"
   * were FALSE, the label would claim to have taken the focus, and Tab would lead nowhere. */
  gtk_widget_set_can_focus (label, FALSE);
  gtk_box_append (GTK_BOX (self), label);
}

void
scope_sheet_add_title (ScopeSheet *self, const char *title, const char *subtitle)
{
  scope_sheet_add_text (self, title, "title-3");
  if (subtitle && *subtitle != '\0')
    scope_sheet_add_text (self, subtitle, "dim-label");
}

void
scope_sheet_add_heading (ScopeSheet *self, const char *text)
{
  GtkWidget *label = new_label (text, "heading");

  gtk_widget_add_css_class (label, "sheet-heading");
  gtk_box_append (GTK_BOX (self), label);
}

static void
on_link (GtkButton *button, gpointer data)
{
  g_signal_emit (data, link_signal, 0,
                 GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "box")));
}

/* Whether the name or the value is longer than its place. */
static gboolean
is_cut (GtkWidget *row)
{
  for (GtkWidget *label = gtk_widget_get_first_child (row); label;
       label = gtk_widget_get_next_sibling (label))
    if (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))))
      return TRUE;
  return FALSE;
}

/* Returns the label of the name.  A long value is ellipsised in the middle, where names differ least. */
static GtkWidget *
add_row (ScopeSheet *self, const char *name, const char *value, const char *hint, guint32 box)
{
  GtkWidget       *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget       *key = gtk_label_new (name);
  GtkWidget       *text = gtk_label_new (value);
  g_autofree char *full = hint ? g_strdup_printf ("%s\n%s: %s", hint, name, value)
                               : g_strdup_printf ("%s: %s", name, value);

  gtk_widget_add_css_class (row, "sheet-row");
  gtk_label_set_xalign (GTK_LABEL (key), 0);
  gtk_label_set_ellipsize (GTK_LABEL (key), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (key), MIN ((int) g_utf8_strlen (name, -1), 18));
  gtk_label_set_max_width_chars (GTK_LABEL (key), 26);
  gtk_widget_add_css_class (text, "sheet-value");
  gtk_label_set_xalign (GTK_LABEL (text), 1);
  gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_MIDDLE);
  /* Wide enough for most shapes, which cannot be understood when they are ellipsised. */
  gtk_label_set_width_chars (GTK_LABEL (text), MIN ((int) g_utf8_strlen (value, -1), 12));
  gtk_widget_set_hexpand (text, TRUE);
  gtk_box_append (GTK_BOX (row), key);
  gtk_box_append (GTK_BOX (row), text);
  if (hint)
    scope_tooltip_set (row, full);
  else
    scope_tooltip_set_whole (row, full, is_cut);
  if (box != 0)
    {
      GtkWidget *button = gtk_button_new ();

      gtk_button_set_child (GTK_BUTTON (button), row);
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_add_css_class (button, "sheet-link");
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, full,
                                      -1);
      g_object_set_data (G_OBJECT (button), "box", GUINT_TO_POINTER (box));
      g_signal_connect (button, "clicked", G_CALLBACK (on_link), self);
      row = button;
    }
  gtk_box_append (GTK_BOX (self), row);
  return key;
}

void
scope_sheet_add_row (ScopeSheet *self,
                     const char *name,
                     const char *value,
                     const char *hint,
                     guint32     box)
{
  gtk_widget_add_css_class (add_row (self, name, value, hint, box), "dim-label");
}

void
scope_sheet_add_strong_row (ScopeSheet *self,
                            const char *name,
                            const char *value,
                            const char *hint,
                            guint32     box)
{
  add_row (self, name, value, hint, box);
}
