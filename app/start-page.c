/* start-page.c — what one meets first: open, recent files, the gallery.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/start-page.h"

#include "app/gallery.h"
#include "app/settings.h"
#include "app/widgets/tooltip.h"

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
};

G_DEFINE_FINAL_TYPE (ScopeStartPage, scope_start_page, ADW_TYPE_BIN)

static char *
tell_age (GFile *file)
{
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_TIME_MODIFIED, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  g_autoptr (GDateTime) then = info != NULL ? g_file_info_get_modification_date_time (info) : NULL;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  gint64 minutes;

  if (then == NULL)
    return NULL;
  minutes = g_date_time_difference (now, then) / G_TIME_SPAN_MINUTE;
  if (minutes < 60)
    return g_strdup_printf (_ ("changed %d min ago"), (int) MAX (minutes, 0));
  if (minutes < 48 * 60)
    return g_strdup_printf (_ ("changed %d h ago"), (int) (minutes / 60));
  return g_strdup_printf (_ ("changed %d days ago"), (int) (minutes / 60 / 24));
}

static void
add_recent (ScopeStartPage *self, const char *uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (uri);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *path = g_file_get_parse_name (file);
  g_autofree char *age = tell_age (file);
  GtkWidget       *row = adw_action_row_new ();

  if (age == NULL) /* gone */
    return;
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), age);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
  scope_tooltip_set (row, path);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.open-uri");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", uri);
  gtk_list_box_append (self->recent, row);
}

void
scope_start_page_refresh (ScopeStartPage *self)
{
  g_auto (GStrv) uris = scope_settings_get_recent ();
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->recent))) != NULL)
    gtk_list_box_remove (self->recent, child);
  for (guint i = 0; uris[i] != NULL && i < 8; i++)
    add_recent (self, uris[i]);
  gtk_widget_set_visible (self->recent_box,
                          gtk_widget_get_first_child (GTK_WIDGET (self->recent)) != NULL);
}

static void
add_card (ScopeStartPage *self, const ScopeExample *example)
{
  GtkWidget *card = gtk_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *picture = gtk_picture_new (), *clamp;
  GtkWidget *name = gtk_label_new (example->name);
  GtkWidget *text = gtk_label_new (example->summary);

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
  gtk_accessible_update_property (GTK_ACCESSIBLE (card),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  example->name,
                                  -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (card), "win.open-example");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (card), "s", example->name);
  gtk_flow_box_append (self->gallery, card);
  scope_gallery_load_thumbnail (example->name, GTK_PICTURE (picture), self->listing);
}

/* What shows best how the program is meant; the others follow by name. */
static const char *const first[] = { "lstm-unrolled", "lstm-foreach", "lstm-hybrid", "cond", NULL };

static guint
rank_of (const ScopeExample *example)
{
  guint i = 0;

  while (first[i] != NULL && !g_str_equal (first[i], example->name))
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

  if (examples == NULL)
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

  if (self->listing != NULL)
    g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
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
}

static void
scope_start_page_init (ScopeStartPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->listing = g_cancellable_new ();
  scope_start_page_refresh (self);
  scope_gallery_list_async (self->listing, listed_cb, g_object_ref (self));
}

GtkWidget *
scope_start_page_new (void)
{
  return g_object_new (SCOPE_TYPE_START_PAGE, NULL);
}
