/* window-compare.c — opens comparisons of forms as tabs.
 *
 * A comparison that is open already is selected instead of made again.  Start reading with
 * open_comparison().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/gallery.h"

/* --- Opening --- */

/* The tab that compares this already, or NULL. */
static AdwTabPage *
find_comparison (ScopeWindow *self, const ScopeCompareSource *source)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      AdwTabPage *tab = adw_tab_view_get_nth_page (self->tabs, i);
      GtkWidget  *child = adw_tab_page_get_child (tab);

      if (SCOPE_IS_COMPARE_PAGE (child) &&
          scope_compare_page_has_source (SCOPE_COMPARE_PAGE (child), source))
        return tab;
    }
  return NULL;
}

static void
open_comparison (ScopeWindow *self, const ScopeCompareSource *source)
{
  AdwTabPage *tab = find_comparison (self, source);
  GtkWidget  *page;

  if (!tab)
    {
      page = scope_compare_page_new ();
      tab = adw_tab_view_append (self->tabs, page);
      g_object_bind_property (page, "title", tab, "title", G_BINDING_SYNC_CREATE);
      g_object_bind_property (page, "busy", tab, "loading", G_BINDING_SYNC_CREATE);
      g_signal_connect_object (page,
                               "notify::title",
                               G_CALLBACK (scope_window_update),
                               self,
                               G_CONNECT_SWAPPED);
      scope_compare_page_open (SCOPE_COMPARE_PAGE (page), source);
    }
  adw_tab_view_set_selected_page (self->tabs, tab);
  scope_window_show_start (self, FALSE);
}

static void
act_compare (ScopeWindow *self, const char *name, GVariant *parameter)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
  const char     *model = workspace ? scope_workspace_get_model_name (workspace) : NULL;

  if (model && scope_window_check_inputs (self, name, parameter))
    open_comparison (self, &(ScopeCompareSource){ model, scope_workspace_get_shapes (workspace) });
}

typedef struct
{
  ScopeWindow *window;
  char        *model;
} ExampleForms;

static void
shapes_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ExampleForms *forms = data;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) shapes = scope_gallery_shapes_finish (result, &error);

  if (shapes)
    open_comparison (forms->window,
                     &(ScopeCompareSource){ forms->model, (const char *const *) shapes });
  else
    scope_window_toast (forms->window, error->message);
  g_object_unref (forms->window);
  g_free (forms->model);
  g_free (forms);
}

/* Compares the forms of an example that is not open. */
static void
act_compare_example (ScopeWindow *self, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  const char   *example = g_variant_get_string (parameter, NULL);
  ExampleForms *forms = g_new0 (ExampleForms, 1);

  forms->window = g_object_ref (self);
  forms->model = g_strconcat ("gallery:", example, NULL);
  scope_gallery_shapes_async (example, NULL, shapes_cb, forms);
}

const ScopeWindowAction scope_window_compare_actions[] = {
  { "win.compare-example", "s", act_compare_example },
  { "win.compare", NULL, act_compare },
  { NULL, NULL, NULL },
};
