/* window-tabs.c — titles of the tabs, and that the selected one can be seen.
 *
 * The tab bar scrolls to a tab when it is selected, but not when the window becomes narrower.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/window/list-page.h"
#include "app/window/tab-titles.h"

/* --- Titles --- */

#define TAB_FRAME \
  72 /* of the width of a tab, in pixels: margins, icon and the button that closes it */
#define CHARACTER 8  /* typical width in pixels */
#define MIN_ROOM  12 /* characters that a tab in a narrow window shows */

/* The path of the file or folder that a tab shows, or NULL.  (transfer full) */
static char *
dup_path (GtkWidget *child)
{
  ScopeWorkspace *workspace =
      SCOPE_IS_PAGE (child) ? scope_page_get_workspace (SCOPE_PAGE (child)) : NULL;
  GFile *file = workspace ? scope_workspace_get_file (workspace) : NULL;

  if (SCOPE_IS_SWEEP_PAGE (child))
    return g_strdup (scope_sweep_page_get_folder (SCOPE_SWEEP_PAGE (child)));
  if (SCOPE_IS_LIST_PAGE (child))
    return g_strdup (scope_list_page_get_path (SCOPE_LIST_PAGE (child)));
  return file ? g_file_get_parse_name (file) : NULL;
}

char *
scope_window_dup_title (AdwTabPage *tab)
{
  GtkWidget *child = adw_tab_page_get_child (tab);
  char      *title = NULL;

  if (SCOPE_IS_PAGE (child))
    title = g_strdup (scope_workspace_get_title (scope_page_get_workspace (SCOPE_PAGE (child))));
  else
    g_object_get (child, "title", &title, NULL);
  return title ? title : g_strdup ("");
}

/* How many characters of a title a tab can show. */
static guint
find_room (ScopeWindow *self, guint n)
{
  int width = gtk_widget_get_width (self->tab_bar);

  return n > 0 && width > 0 ? (guint) MAX ((width / (int) n - TAB_FRAME) / CHARACTER, MIN_ROOM)
                            : MIN_ROOM;
}

void
scope_window_update_tabs (ScopeWindow *self)
{
  guint                n = (guint) adw_tab_view_get_n_pages (self->tabs);
  g_autofree ScopeTab *tabs = g_new0 (ScopeTab, n + 1);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) titles = NULL;

  for (guint i = 0; i < n; i++)
    {
      AdwTabPage      *tab = adw_tab_view_get_nth_page (self->tabs, (int) i);
      char            *name = scope_window_dup_title (tab);
      char            *path = dup_path (adw_tab_page_get_child (tab));
      char            *folder = path ? g_path_get_dirname (path) : NULL;
      g_autofree char *escaped = g_markup_escape_text (path ? path : name, -1);

      g_ptr_array_add (texts, name);
      g_ptr_array_add (texts, path);
      g_ptr_array_add (texts, folder);
      tabs[i] = (ScopeTab){ name, folder };
      adw_tab_page_set_tooltip (tab, escaped);
    }
  self->tab_room = find_room (self, n);
  titles = scope_tab_titles_new (tabs, n, self->tab_room);
  for (guint i = 0; i < n; i++)
    adw_tab_page_set_title (adw_tab_view_get_nth_page (self->tabs, (int) i), titles[i]);
}

/* --- The selected tab --- */

/* The widget of the tab bar for this page, or NULL. */
static GtkWidget *
find_tab (GtkWidget *widget, AdwTabPage *page)
{
  GtkWidget *found = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "page"))
    {
      g_autoptr (GObject) shown = NULL;

      g_object_get (widget, "page", &shown, NULL);
      if (shown == G_OBJECT (page))
        return widget;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && !found;
       child = gtk_widget_get_next_sibling (child))
    found = find_tab (child, page);
  return found;
}

static gboolean
show_selected (gpointer data)
{
  ScopeWindow    *self = data;
  AdwTabPage     *page = adw_tab_view_get_selected_page (self->tabs);
  GtkWidget      *tab = page ? find_tab (self->tab_bar, page) : NULL;
  GtkWidget      *pane = tab ? gtk_widget_get_ancestor (tab, GTK_TYPE_SCROLLED_WINDOW) : NULL;
  GtkAdjustment  *adjustment;
  graphene_rect_t bounds;
  double          right;

  self->showing = 0;
  if (self->tab_room != find_room (self, (guint) adw_tab_view_get_n_pages (self->tabs)))
    scope_window_update_tabs (self);
  if (!pane || !gtk_widget_compute_bounds (tab, pane, &bounds))
    return G_SOURCE_REMOVE;
  adjustment = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (pane));
  right = bounds.origin.x + bounds.size.width - gtk_widget_get_width (pane);
  if (right > 0)
    gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + right);
  else if (bounds.origin.x < 0)
    gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + bounds.origin.x);
  return G_SOURCE_REMOVE;
}

static void
on_resized (ScopeWindow *self)
{
  if (self->showing == 0)
    self->showing = g_idle_add (show_selected, self);
}

/* Follows the width of every scrolled area in the widget: that of tabs, and that of pinned tabs. */
static void
watch (ScopeWindow *self, GtkWidget *widget)
{
  if (GTK_IS_SCROLLED_WINDOW (widget))
    g_signal_connect_object (gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (widget)),
                             "changed", G_CALLBACK (on_resized), self, G_CONNECT_SWAPPED);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    watch (self, child);
}

void
scope_window_watch_tabs (ScopeWindow *self)
{
  watch (self, self->tab_bar);
}
