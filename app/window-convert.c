/* window-convert.c — the same model in another form: written in the child, then a tab.
 *
 * Tabs of one model in several forms are a family: a form that is open already is shown, not
 * written again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window-private.h"

#include "app/compare-window.h"
#include "app/conversion.h"
#include "app/partners.h"

#include <glib/gi18n.h>

typedef struct
{
  ScopeWindow *window;
  ScopePage   *page; /* it came from */
  char        *form;
} Conversion;

static void
conversion_free (Conversion *conversion)
{
  g_object_unref (conversion->window);
  g_object_unref (conversion->page);
  g_free (conversion->form);
  g_free (conversion);
}

/* ---- What is kept ---- */

typedef struct
{
  ScopePage       *from;
  ScopePage       *to; /* (transfer none): it owns the workspace that calls */
  ScopeConversion *conversion;
} Keep;

static void
keep_free (gpointer data, GClosure *closure G_GNUC_UNUSED)
{
  Keep *keep = data;

  g_object_unref (keep->from);
  scope_conversion_free (keep->conversion);
  g_free (keep);
}

/* What stood open in both, and what stands for the selection. */
static void
keep_view (ScopePage *from, ScopePage *to, const ScopeConversion *conversion)
{
  ScopeWorkspace *before = scope_page_get_workspace (from), *after = scope_page_get_workspace (to);
  ScopeDocument  *old = scope_workspace_get_document (before);
  ScopeDocument *new = scope_workspace_get_document (after);
  g_autoptr (GKeyFile) state = g_key_file_new ();
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (ScopeSide) a = NULL;
  g_autoptr (ScopeSide) b = NULL;
  g_autoptr (GArray) partners = NULL;

  if (old == NULL || new == NULL)
    return;
  scope_graph_view_save_folds (scope_page_get_graph_view (from), state);
  scope_graph_view_load (scope_page_get_graph_view (to), state);
  a = scope_side_new (old, NULL, SCOPE_TIES_ITSELF, names);
  b = scope_side_new (new, conversion->matches, SCOPE_TIES_FROM, names);
  partners = scope_side_find (a, scope_workspace_get_selected (before), b);
  if (partners->len > 0)
    scope_workspace_show (after, g_array_index (partners, ScopePartner, 0).box);
}

static void
on_document (ScopeWorkspace *workspace, gpointer data)
{
  Keep *keep = data;

  keep_view (keep->from, keep->to, keep->conversion);
  /* Once: what comes later is read from the same file again. */
  g_signal_handlers_disconnect_by_data (workspace, keep);
}

/* ---- Writing ---- */

static void
open_form (Conversion *request, ScopeConversion *conversion)
{
  ScopeWorkspace *workspace = scope_page_get_workspace (request->page);
  g_autoptr (GFile) file = g_file_new_for_path (conversion->path);
  g_autofree char *proof = scope_conversion_tell_proof (conversion);
  g_autofree char *told =
      g_strdup_printf (_ ("Written as %s; %s"), scope_conversion_title (request->form), proof);
  g_autofree char *full =
      g_strdup_printf (_ ("Written from %s; %s"), scope_workspace_get_title (workspace), proof);
  ScopePage *page;
  Keep      *keep = g_new0 (Keep, 1);

  scope_window_open_as (request->window, file, NULL, scope_workspace_get_shapes (workspace));
  page = scope_window_get_page (request->window);
  scope_page_set_family (page, request->page, request->form, full);
  keep->from = g_object_ref (request->page);
  keep->to = page;
  keep->conversion = conversion;
  g_signal_connect_data (scope_page_get_workspace (page),
                         "document-changed",
                         G_CALLBACK (on_document),
                         keep,
                         keep_free,
                         G_CONNECT_AFTER);
  scope_window_toast (request->window, told);
}

static void
converted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  Conversion *request = data;
  g_autoptr (GError) error = NULL;
  ScopeConversion *conversion = scope_conversion_run_finish (result, &error);

  scope_form_menu_set_busy (request->window->form_menu, FALSE);
  if (conversion != NULL)
    open_form (request, conversion);
  else
    scope_page_say (request->page, error->message, NULL, NULL);
  conversion_free (request);
}

/* The tab of this family that shows the form; NULL: none. */
static AdwTabPage *
find_sibling (ScopeWindow *self, ScopePage *page, const char *form)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      AdwTabPage *tab = adw_tab_view_get_nth_page (self->tabs, i);
      ScopePage  *other = SCOPE_PAGE (adw_tab_page_get_child (tab));

      if (g_strcmp0 (scope_page_get_form (other), form) == 0 &&
          g_strcmp0 (scope_page_get_family (other), scope_page_get_family (page)) == 0)
        return tab;
    }
  return NULL;
}

static void
act_convert (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  ScopeWindow    *self = SCOPE_WINDOW (widget);
  ScopePage      *page = scope_window_get_page (self);
  const char     *form = g_variant_get_string (parameter, NULL);
  ScopeWorkspace *workspace = page != NULL ? scope_page_get_workspace (page) : NULL;
  const char     *model = workspace != NULL ? scope_workspace_get_model_name (workspace) : NULL;
  AdwTabPage     *sibling;
  Conversion     *request;

  if (model == NULL)
    return;
  sibling = find_sibling (self, page, form);
  if (sibling != NULL)
    {
      adw_tab_view_set_selected_page (self->tabs, sibling);
      return;
    }
  request = g_new0 (Conversion, 1);
  request->window = g_object_ref (self);
  request->page = g_object_ref (page);
  request->form = g_strdup (form);
  scope_form_menu_set_busy (self->form_menu, TRUE);
  scope_conversion_run_async (model,
                              NULL,
                              scope_workspace_get_shapes (workspace),
                              form,
                              scope_page_get_family_title (page),
                              NULL,
                              converted_cb,
                              request);
}

static void
act_compare (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage      *page = scope_window_get_page (SCOPE_WINDOW (widget));
  ScopeWorkspace *workspace = page != NULL ? scope_page_get_workspace (page) : NULL;
  const char     *model = workspace != NULL ? scope_workspace_get_model_name (workspace) : NULL;

  if (model != NULL)
    scope_compare_window_show (GTK_WINDOW (widget), model, scope_workspace_get_shapes (workspace));
}

void
scope_window_class_add_convert_actions (GtkWidgetClass *class)
{
  gtk_widget_class_install_action (class, "win.compare", NULL, act_compare);
  gtk_widget_class_install_action (class, "win.convert", "s", act_convert);
}
