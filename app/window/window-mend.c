/* window-mend.c — remedies for findings: repair the model, choose its parameters, enter shapes.
 *
 * A repaired model is written to new files, which are opened in a new tab.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/mending.h"
#include "engine/open/open.h"

#include <glib/gi18n.h>

/* Changes named in the message above the graph; the log lists all. */
#define MAX_NAMED_CHANGES 2

/* --- Repairing --- */

static char *
describe_changes (const GPtrArray *changes)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (changes->len == 0)
    return g_strdup (_ ("The model was written again without changes"));
  g_string_append_printf (text,
                          g_dngettext (NULL,
                                       "Repaired with %u change: ",
                                       "Repaired with %u changes: ",
                                       changes->len),
                          changes->len);
  for (guint i = 0; i < MIN (changes->len, MAX_NAMED_CHANGES); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", (const char *) changes->pdata[i]);
  if (changes->len > MAX_NAMED_CHANGES)
    g_string_append (text, " …");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Shows the message once the page is ready, which hides earlier messages. */
static void
on_state (ScopeWorkspace *workspace, GParamSpec *property G_GNUC_UNUSED, gpointer data)
{
  g_autofree char *text = NULL;

  if (scope_workspace_get_state (workspace) != SCOPE_STATE_READY)
    return;
  text = g_object_steal_data (G_OBJECT (workspace), "mended");
  if (text)
    scope_page_show_message (data, text, _ ("Show Log"), "page.show-log");
}

/* A repair in progress. */
typedef struct
{
  ScopeWindow *window;
  ScopePage   *page; /* of the model that is repaired */
} MendRequest;

static void
mended_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autofree MendRequest *request = data;
  g_autoptr (ScopeWindow) self = request->window;
  g_autoptr (ScopePage) old = request->page;
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeMended) mended = scope_mend_finish (result, &error);
  ScopePage      *page;
  ScopeWorkspace *workspace;

  if (!mended)
    {
      scope_page_show_error (old, error);
      return;
    }
  if (!gtk_widget_get_root (GTK_WIDGET (old)))
    return; /* the tab was closed; the files are written */
  scope_window_open_as (self,
                        mended->symbol,
                        NULL,
                        scope_workspace_get_shapes (scope_page_get_workspace (old)));
  page = scope_window_get_page (self);
  workspace = scope_page_get_workspace (page);
  for (guint i = 0; i < mended->changes->len; i++)
    scope_workspace_log (workspace,
                         SCOPE_LOG_NOTE,
                         VIZ_ROOT,
                         "%s",
                         (const char *) mended->changes->pdata[i]);
  g_object_set_data_full (G_OBJECT (workspace),
                          "mended",
                          describe_changes (mended->changes),
                          g_free);
  g_signal_connect_object (workspace,
                           "notify::state",
                           G_CALLBACK (on_state),
                           page,
                           G_CONNECT_AFTER);
}

void
scope_window_mend (ScopeWindow *self, const char *path)
{
  ScopePage       *page = scope_window_get_page (self);
  ScopeWorkspace  *workspace = page ? scope_page_get_workspace (page) : NULL;
  ScopeDocument   *document = workspace ? scope_workspace_get_document (workspace) : NULL;
  g_autofree char *prefix = hyb_model_prefix_of (path);
  MendRequest     *request;

  if (!document)
    return;
  request = g_new (MendRequest, 1);
  *request = (MendRequest){ g_object_ref (self), g_object_ref (page) };
  scope_mend_async (&(ScopeMendOptions){ .path = scope_document_get_path (document),
                                         .params = scope_document_get_params (document),
                                         .shapes = scope_workspace_get_shapes (workspace),
                                         .prefix = prefix },
                    mended_cb,
                    request);
}

void
scope_window_set_parameters (ScopeWindow *self, const char *path)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
  GFile          *file = workspace ? scope_workspace_get_file (workspace) : NULL;
  g_autoptr (GFile) graph = file ? g_object_ref (file) : NULL;

  if (graph)
    scope_workspace_open (workspace, graph, path);
}

/* --- Dialogs --- */

static void
on_mended_file (ScopeWindow *self, GFile *file, const char *data G_GNUC_UNUSED)
{
  g_autofree char *path = g_file_get_path (file);

  if (path)
    scope_window_mend (self, path);
}

static void
on_parameter_file (ScopeWindow *self, GFile *file, const char *data G_GNUC_UNUSED)
{
  g_autofree char *path = g_file_get_path (file);

  if (path)
    scope_window_set_parameters (self, path);
}

/* Opens a dialog in the folder of the open model; does nothing if none is open. */
static void
choose_beside_model (ScopeWindow *self, ScopeFileDialog dialog)
{
  ScopePage *page = scope_window_get_page (self);
  GFile     *file = page ? scope_workspace_get_file (scope_page_get_workspace (page)) : NULL;
  g_autoptr (GFile) folder = file ? g_file_get_parent (file) : NULL;

  if (!file)
    return;
  dialog.folder = folder;
  scope_window_choose_file (self, &dialog);
}

static void
act_mend (ScopeWindow *self, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage       *page = scope_window_get_page (self);
  g_autofree char *proposal = NULL;

  if (!page)
    return;
  proposal = g_strconcat (scope_workspace_get_title (scope_page_get_workspace (page)),
                          "-mended-symbol.json",
                          NULL);
  choose_beside_model (self,
                       (ScopeFileDialog){ .title = _ ("Save the Repaired Model"),
                                          .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                          .name = proposal,
                                          .chosen = on_mended_file });
}

static void
act_choose_parameters (ScopeWindow        *self,
                       const char *name    G_GNUC_UNUSED,
                       GVariant *parameter G_GNUC_UNUSED)
{
  choose_beside_model (self,
                       (ScopeFileDialog){ .title = _ ("Choose the Parameters"),
                                          .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                          .chosen = on_parameter_file });
}

const ScopeWindowAction scope_window_mend_actions[] = {
  { "win.mend", NULL, act_mend },
  { "win.choose-parameters", NULL, act_choose_parameters },
  { NULL, NULL, NULL },
};
