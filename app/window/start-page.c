/* start-page.c — the start page: path entry, recent files, and a card for each example of the gallery.
 *
 * The template is resources/ui/start-page.ui; the gallery arrives in listed_cb().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/start-page.h"

#include "app/document/gallery.h"
#include "app/session/settings.h"
#include "app/widgets/theme.h"
#include "app/window/recent-row.h"

#include <glib/gi18n.h>

struct _ScopeStartPage
{
  AdwBin parent_instance;

  /* Template */
  GtkListBox *recent;
  GtkWidget  *recent_box;
  GtkFlowBox *gallery;
  GtkWidget  *gallery_box;

  GCancellable *listing;
  GPtrArray    *thumbnails; /* of GtkPicture, whose EXAMPLE is a name */
};

#define EXAMPLE "example"

G_DEFINE_FINAL_TYPE (ScopeStartPage, scope_start_page, ADW_TYPE_BIN)

/* The heading is hidden while no row is visible. */
static void
show_recent_box (ScopeStartPage *self)
{
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->recent));

  while (row && !gtk_widget_get_visible (row))
    row = gtk_widget_get_next_sibling (row);
  gtk_widget_set_visible (self->recent_box, row != NULL);
}

void
scope_start_page_refresh (ScopeStartPage *self)
{
  g_auto (GStrv) uris = scope_settings_get_recent ();
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->recent))) != NULL)
    gtk_list_box_remove (self->recent, child);
  for (guint i = 0; i < 8 && uris[i]; i++)
    {
      child = scope_recent_row_new (uris[i]);
      g_signal_connect_object (child, "notify::visible", G_CALLBACK (show_recent_box), self,
                               G_CONNECT_SWAPPED);
      gtk_list_box_append (self->recent, child);
    }
  show_recent_box (self);
}

static void
load_thumbnail (gpointer picture, gpointer data)
{
  ScopeStartPage *self = data;

  scope_gallery_load_thumbnail (g_object_get_data (picture, EXAMPLE), picture, scope_theme_get (),
                                self->listing);
}

/* Draws all thumbnails in the colours that the window has now. */
static void
reload_thumbnails (ScopeStartPage *self)
{
  g_ptr_array_foreach (self->thumbnails, load_thumbnail, self);
}

static void
add_card (ScopeStartPage *self, const ScopeExample *example)
{
  GtkWidget *card = gtk_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *picture = gtk_picture_new (), *clamp;
  GtkWidget *name = gtk_label_new (example->name);
  /* An empty text would become the head of the translation. */
  GtkWidget *text = gtk_label_new (*example->summary ? _ (example->summary) : "");

  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "gallery-card");
  gtk_widget_add_css_class (picture, "thumbnail");
  gtk_picture_set_can_shrink (GTK_PICTURE (picture), TRUE);
  gtk_widget_set_size_request (picture, 200, 120);
  gtk_widget_add_css_class (name, "heading");
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_yalign (GTK_LABEL (text), 0);
  gtk_label_set_wrap (GTK_LABEL (text), TRUE);
  gtk_label_set_lines (GTK_LABEL (text), 2);
  gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (text), 26);
  gtk_label_set_width_chars (GTK_LABEL (text), 26);
  gtk_widget_set_vexpand (text, TRUE);
  gtk_widget_add_css_class (text, "dim-label");
  gtk_widget_add_css_class (text, "caption");
  clamp = adw_clamp_new ();
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), 200);
  adw_clamp_set_child (ADW_CLAMP (clamp), picture);
  gtk_box_append (GTK_BOX (box), clamp);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), text);
  gtk_button_set_child (GTK_BUTTON (card), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (card), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  example->name, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (card), "win.open-example");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (card), "s", example->name);
  gtk_flow_box_append (self->gallery, card);
  g_object_set_data_full (G_OBJECT (picture), EXAMPLE, g_strdup (example->name), g_free);
  g_ptr_array_add (self->thumbnails, g_object_ref (picture));
  load_thumbnail (picture, self);
}

/* Examples that are listed first; the others follow in alphabetical order. */
static const char *const first[] = { "lstm-unrolled", "lstm-foreach", "lstm-hybrid", "cond", NULL };

static guint
rank_of (const ScopeExample *example)
{
  guint i = 0;

  while (first[i] && !g_str_equal (first[i], example->name))
    i++;
  return i;
}

static int
compare_examples (gconstpointer a, gconstpointer b)
{
  const ScopeExample *x = *(const ScopeExample *const *) a, *y = *(const ScopeExample *const *) b;

  return rank_of (x) != rank_of (y) ? (int) rank_of (x) - (int) rank_of (y)
                                    : g_strcmp0 (x->name, y->name);
}

static void
listed_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeStartPage) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) examples = scope_gallery_list_finish (result, &error);

  if (!examples)
    {
      g_debug ("no gallery: %s", error->message);
      return;
    }
  g_ptr_array_sort (examples, compare_examples);
  for (guint i = 0; i < examples->len; i++)
    add_card (self, examples->pdata[i]);
  gtk_widget_set_visible (self->gallery_box, examples->len > 0);
}

static void
scope_start_page_dispose (GObject *object)
{
  ScopeStartPage *self = SCOPE_START_PAGE (object);

  if (self->listing)
    g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  g_clear_pointer (&self->thumbnails, g_ptr_array_unref);
  G_OBJECT_CLASS (scope_start_page_parent_class)->dispose (object);
}

static void
on_path (GtkEntry *entry, gpointer data G_GNUC_UNUSED)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));
  g_autoptr (GFile) file = NULL;
  g_autofree char *uri = NULL;

  if (*text == '\0')
    return;
  if (g_str_has_prefix (text, "~/"))
    {
      g_autofree char *path = g_build_filename (g_get_home_dir (), text + 2, NULL);

      file = g_file_new_for_path (path);
    }
  else
    file = g_file_new_for_commandline_arg (text);
  uri = g_file_get_uri (file);
  gtk_widget_activate_action (GTK_WIDGET (entry), "win.open-uri", "s", uri);
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
}

static void
scope_start_page_class_init (ScopeStartPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_start_page_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/start-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeStartPage, recent);
  gtk_widget_class_bind_template_child (widget_class, ScopeStartPage, recent_box);
  gtk_widget_class_bind_template_child (widget_class, ScopeStartPage, gallery);
  gtk_widget_class_bind_template_child (widget_class, ScopeStartPage, gallery_box);
  gtk_widget_class_bind_template_callback (widget_class, on_path);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "win.new-tab", NULL);
}

static void
scope_start_page_init (ScopeStartPage *self)
{
  static const char *const colours[] = { "notify::dark", "notify::high-contrast" };

  gtk_widget_init_template (GTK_WIDGET (self));
  self->listing = g_cancellable_new ();
  self->thumbnails = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < G_N_ELEMENTS (colours); i++)
    g_signal_connect_object (adw_style_manager_get_default (), colours[i],
                             G_CALLBACK (reload_thumbnails), self, G_CONNECT_SWAPPED);
  scope_start_page_refresh (self);
  scope_gallery_list_async (self->listing, listed_cb, g_object_ref (self));
}
