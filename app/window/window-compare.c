/* window-compare.c — opens comparisons of forms as tabs, and checks what they need.
 *
 * A comparison that is open already is selected instead of made again.  Start reading with
 * open_comparison().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/gallery.h"
#include "engine/graph/roles.h"

#include <glib/gi18n.h>
#include <string.h>

/* --- Shapes --- */

char **
scope_window_dup_shapes (ScopeWindow *self, ScopeWorkspace *workspace)
{
  g_autoptr (ScopeRunOptions) options = scope_run_panel_get_options (self->run_panel);
  g_auto (GStrv) typed = g_strsplit_set (options->shapes, " \t\n;", -1);
  const char *const *known = scope_workspace_get_shapes (workspace);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; known && known[i]; i++)
    g_strv_builder_add (builder, known[i]);
  for (guint i = 0; typed[i] != NULL; i++)
    if (*typed[i] != '\0')
      g_strv_builder_add (builder, typed[i]);
  return g_strv_builder_end (builder);
}

/* TRUE if shapes has one for an input. */
static gboolean
has_shape (const char *const *shapes, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 0; shapes[i] != NULL; i++)
    if (strncmp (shapes[i], name, length) == 0 && shapes[i][length] == '=')
      return TRUE;
  return FALSE;
}

gboolean
scope_window_check_shapes (ScopePage *page, const char *const *shapes)
{
  ScopeDocument   *document = scope_workspace_get_document (scope_page_get_workspace (page));
  HybGraph        *graph = document ? scope_document_get_graph (document) : NULL;
  const HybType   *types = graph ? scope_document_get_types (document, graph) : NULL;
  guint            n = 0;
  const HybNodeId *variables = graph ? hyb_graph_get_variables (graph, &n) : NULL;

  for (guint i = 0; i < n; i++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, variables[i]);
      g_autofree char *text = NULL;

      if (hyb_model_get_parameter (scope_document_get_model (document), node->name) ||
          hyb_graph_get_role (graph, variables[i], FALSE) != HYB_ROLE_DATA ||
          hyb_type_is_known (&types[node->first_output]) || has_shape (shapes, node->name))
        continue;
      text = g_strdup_printf (_ ("The shape of input %s is unknown, so the forms cannot be proved "
                                 "equal. "
                                 "Enter it in the menu beside Run, under Shapes: %s=…"),
                              node->name,
                              node->name);
      scope_page_show_message (page, text, NULL, NULL);
      return FALSE;
    }
  return TRUE;
}

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
act_compare (ScopeWindow *self, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
  const char     *model = workspace ? scope_workspace_get_model_name (workspace) : NULL;
  g_auto (GStrv) shapes = NULL;

  if (!model)
    return;
  shapes = scope_window_dup_shapes (self, workspace);
  if (scope_window_check_shapes (page, (const char *const *) shapes))
    open_comparison (self, &(ScopeCompareSource){ model, (const char *const *) shapes });
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
