/* window-convert.c — opens the model in another form, converted by the child process.
 *
 * Pages that show forms of one model are a family; a form that is already open is selected instead of
 * converted again.  Start reading with act_convert(), then open_form().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/compare/matching-nodes.h"
#include "app/process/conversion.h"
#include "app/process/worker.h"

#include <glib/gi18n.h>

typedef struct
{
  ScopeWindow *window;
  ScopePage   *page; /* of the model that is converted */
  char        *form;
  char       **shapes;
} ConversionRequest;

static void
request_free (ConversionRequest *request)
{
  g_object_unref (request->window);
  g_object_unref (request->page);
  g_strfreev (request->shapes);
  g_free (request->form);
  g_free (request);
}

/* --- Folds and selection --- */

typedef struct
{
  ScopePage       *from;
  ScopePage       *to; /* (transfer none) it owns the workspace whose handler this is */
  ScopeConversion *conversion;
} ViewTransfer;

static void
view_transfer_free (gpointer data, GClosure *closure G_GNUC_UNUSED)
{
  ViewTransfer *transfer = data;

  g_object_unref (transfer->from);
  g_clear_pointer (&transfer->conversion, scope_conversion_free);
  g_free (transfer);
}

typedef struct
{
  ScopeDocument   *old, *new;
  ScopeConversion *conversion; /* from old to new */
  guint32          box;        /* of old */
} FindJob;

static void
find_job_free (gpointer data)
{
  FindJob *job = data;

  scope_document_unref (job->old);
  scope_document_unref (job->new);
  scope_conversion_free (job->conversion);
  g_free (job);
}

static void
find_in_worker (GTask *task, gpointer data)
{
  const FindJob *job = data;
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (ScopeNodeMap) a = scope_node_map_new (job->old, NULL, SCOPE_MATCH_IDENTITY, names);
  g_autoptr (ScopeNodeMap) b =
      scope_node_map_new (job->new, job->conversion->matches, SCOPE_MATCH_FROM_REFERENCE, names);
  g_autoptr (GArray) partners = scope_node_map_find (a, job->box, b);

  g_task_return_int (task, partners->len > 0 ? g_array_index (partners, ScopeCounterpart, 0).box
                                             : VIZ_ROOT);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = SCOPE_WORKSPACE (source);
  const FindJob  *job = g_task_get_task_data (G_TASK (result));
  guint32         box = (guint32) g_task_propagate_int (G_TASK (result), NULL);

  if (box != VIZ_ROOT && scope_workspace_get_document (workspace) == job->new)
    scope_workspace_show (workspace, box);
}

/* Copies the folds of groups that both forms have, and selects the match of the selected node, which a
 * worker finds. */
static void
transfer_view (ViewTransfer *transfer)
{
  ScopeWorkspace *before = scope_page_get_workspace (transfer->from);
  ScopeWorkspace *after = scope_page_get_workspace (transfer->to);
  ScopeDocument  *old = scope_workspace_get_document (before);
  ScopeDocument *new = scope_workspace_get_document (after);
  g_autoptr (GKeyFile) state = g_key_file_new ();
  g_autoptr (GTask) task = NULL;
  FindJob *job;

  if (!old || !new)
    return;
  scope_graph_view_save_folds (scope_page_get_graph_view (transfer->from), state);
  scope_graph_view_load (scope_page_get_graph_view (transfer->to), state);
  if (scope_workspace_get_selected (before) == VIZ_ROOT)
    return;
  job = g_new (FindJob, 1);
  *job =
      (FindJob){ scope_document_ref (old), scope_document_ref (new),
                 g_steal_pointer (&transfer->conversion), scope_workspace_get_selected (before) };
  task = g_task_new (after, NULL, found_cb, NULL);
  g_task_set_task_data (task, job, find_job_free);
  scope_worker_run (task, find_in_worker);
}

static void
on_document (ScopeWorkspace *workspace, gpointer data)
{
  ViewTransfer *transfer = data;

  transfer_view (transfer);
  scope_page_remeasure (transfer->to, transfer->from);
  /* Once; later documents are reloads. */
  g_signal_handlers_disconnect_by_data (workspace, transfer);
}

/* --- Converting --- */

static void
open_form (ConversionRequest *request, ScopeConversion *conversion)
{
  ScopeWorkspace *workspace = scope_page_get_workspace (request->page);
  g_autoptr (GFile) file = g_file_new_for_path (conversion->path);
  g_autofree char *proof = scope_conversion_describe_proof (conversion);
  g_autofree char *toast =
      g_strdup_printf (_ ("Converted to %s, %s"), scope_conversion_title (request->form), proof);
  g_autofree char *proof_text =
      g_strdup_printf (_ ("Converted from %s, %s"), scope_workspace_get_title (workspace), proof);
  ScopePage    *page;
  ViewTransfer *transfer = g_new0 (ViewTransfer, 1);

  scope_window_open_as (request->window, file, NULL, (const char *const *) request->shapes);
  page = scope_window_get_page (request->window);
  /* The values of the new file are those that the conversion made. */
  scope_workspace_set_fills (scope_page_get_workspace (page),
                             scope_workspace_get_fills (workspace));
  scope_page_set_family (page, request->page, request->form, proof_text);
  transfer->from = g_object_ref (request->page);
  transfer->to = page;
  transfer->conversion = conversion;
  g_signal_connect_data (scope_page_get_workspace (page), "document-changed",
                         G_CALLBACK (on_document), transfer, view_transfer_free, G_CONNECT_AFTER);
  scope_window_toast (request->window, toast);
}

static void
converted_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ConversionRequest *request = data;
  g_autoptr (GError) error = NULL;
  ScopeConversion *conversion = scope_conversion_run_finish (result, &error);

  scope_form_menu_set_busy (request->window->form_menu, FALSE);
  if (conversion)
    open_form (request, conversion);
  else
    scope_page_show_error (request->page, error);
  request_free (request);
}

/* The tab of the same family that shows a form, or NULL. */
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
act_convert (ScopeWindow *self, GVariant *parameter)
{
  ScopePage         *page = scope_window_get_page (self);
  const char        *form = g_variant_get_string (parameter, NULL);
  ScopeWorkspace    *workspace = page ? scope_page_get_workspace (page) : NULL;
  const char        *model = workspace ? scope_workspace_get_model_name (workspace) : NULL;
  AdwTabPage        *sibling;
  ConversionRequest *request;

  if (!model)
    return;
  sibling = find_sibling (self, page, form);
  if (sibling)
    {
      adw_tab_view_set_selected_page (self->tabs, sibling);
      scope_page_remeasure (SCOPE_PAGE (adw_tab_page_get_child (sibling)), page);
      return;
    }
  if (!scope_window_check_inputs (self, "win.convert", parameter))
    return;
  request = g_new0 (ConversionRequest, 1);
  request->shapes = g_strdupv ((char **) scope_workspace_get_shapes (workspace));
  request->window = g_object_ref (self);
  request->page = g_object_ref (page);
  request->form = g_strdup (form);
  scope_form_menu_set_busy (self->form_menu, TRUE);
  scope_conversion_run_async (&(ScopeConversionOptions){ .model = model,
                                                         .params =
                                                             scope_window_get_params (workspace),
                                                         .shapes =
                                                             (const char *const *) request->shapes,
                                                         .form = form,
                                                         .title =
                                                             scope_page_get_family_title (page) },
                              NULL, converted_cb, request);
}

const ScopeWindowAction scope_window_convert_actions[] = {
  { "win.convert", "s", act_convert },
  { NULL },
};
