/* window-mend.c — the ways out that a finding offers: mend it, name the parameters, say shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/mending.h"
#include "engine/open/open.h"

#include <glib/gi18n.h>

/* Of the changes so many are told at once; the log has all. */
#define TOLD 2

/* --- Mending --- */

static char *
tell_changes (const GPtrArray *changes)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (changes->len == 0)
    return g_strdup (_ ("Written anew; nothing had to be changed"));
  g_string_append_printf (text,
                          g_dngettext (NULL,
                                       "Mended, %u change: ",
                                       "Mended, %u changes: ",
                                       changes->len),
                          changes->len);
  for (guint i = 0; i < MIN (changes->len, TOLD); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", (const char *) changes->pdata[i]);
  if (changes->len > TOLD)
    g_string_append (text, " …");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Once: a page that has read a file takes back what it said before. */
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

static void
mended_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopePage) page = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeMended) mended = scope_mend_finish (result, &error);
  GtkRoot        *root = gtk_widget_get_root (GTK_WIDGET (page));
  ScopeWorkspace *workspace;

  if (!mended)
    {
      scope_page_show_message (page, error->message, NULL, NULL);
      return;
    }
  if (!SCOPE_IS_WINDOW (root))
    return; /* closed meanwhile: the files are written all the same */
  scope_window_open_as (SCOPE_WINDOW (root),
                        mended->symbol,
                        NULL,
                        scope_workspace_get_shapes (scope_page_get_workspace (page)));
  page = (g_object_unref (page), g_object_ref (scope_window_get_page (SCOPE_WINDOW (root))));
  workspace = scope_page_get_workspace (page);
  for (guint i = 0; i < mended->changes->len; i++)
    scope_workspace_log (workspace,
                         SCOPE_LOG_NOTE,
                         VIZ_ROOT,
                         "%s",
                         (const char *) mended->changes->pdata[i]);
  g_object_set_data_full (G_OBJECT (workspace), "mended", tell_changes (mended->changes), g_free);
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

  if (!document)
    return;
  scope_mend_async (scope_document_get_path (document),
                    scope_document_get_params (document),
                    scope_workspace_get_shapes (workspace),
                    prefix,
                    mended_cb,
                    g_object_ref (page));
}

/* --- Choosing --- */

typedef struct
{
  const char          *title;
  GtkFileChooserAction action;
  void (*take) (ScopeWindow *self, const char *path);
} Choice;

static void
on_chosen (GtkNativeDialog *dialog, int response, gpointer data)
{
  ScopeWindow  *self = data;
  const Choice *choice = g_object_get_data (G_OBJECT (dialog), "choice");

  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *path = file ? g_file_get_path (file) : NULL;

      if (path)
        choice->take (self, path);
    }
  g_clear_object (&self->chooser);
}

/* In the folder of the model that is shown; NULL: none is. */
static GtkFileChooser *
choose (ScopeWindow *self, const Choice *choice)
{
  ScopePage *page = scope_window_get_page (self);
  GFile     *file = page ? scope_workspace_get_file (scope_page_get_workspace (page)) : NULL;
  g_autoptr (GFile) folder = file ? g_file_get_parent (file) : NULL;

  if (!file)
    return NULL;
  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new (_ (choice->title),
                                               GTK_WINDOW (self),
                                               choice->action,
                                               NULL,
                                               _ ("_Cancel"));
  if (folder)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (self->chooser), folder, NULL);
  g_object_set_data (G_OBJECT (self->chooser), "choice", (gpointer) choice);
  g_signal_connect (self->chooser, "response", G_CALLBACK (on_chosen), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
  return GTK_FILE_CHOOSER (self->chooser);
}

static void
act_mend (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  static const Choice choice = { N_ ("Write a Mended Pair"),
                                 GTK_FILE_CHOOSER_ACTION_SAVE,
                                 scope_window_mend };
  ScopeWindow        *self = SCOPE_WINDOW (widget);
  GtkFileChooser     *chooser = choose (self, &choice);
  g_autofree char    *proposal = NULL;

  if (!chooser)
    return;
  proposal = g_strconcat (scope_workspace_get_title (
                              scope_page_get_workspace (scope_window_get_page (self))),
                          "-mended-symbol.json",
                          NULL);
  gtk_file_chooser_set_current_name (chooser, proposal);
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

static void
act_choose_parameters (GtkWidget          *widget,
                       const char *name    G_GNUC_UNUSED,
                       GVariant *parameter G_GNUC_UNUSED)
{
  static const Choice choice = { N_ ("Choose the Parameters"),
                                 GTK_FILE_CHOOSER_ACTION_OPEN,
                                 scope_window_set_parameters };

  choose (SCOPE_WINDOW (widget), &choice);
}

static void
act_run_options (GtkWidget          *widget,
                 const char *name    G_GNUC_UNUSED,
                 GVariant *parameter G_GNUC_UNUSED)
{
  gtk_popover_popup (SCOPE_WINDOW (widget)->run_popover);
}

void
scope_window_class_add_mend_actions (GtkWidgetClass *class)
{
  gtk_widget_class_install_action (class, "win.mend", NULL, act_mend);
  gtk_widget_class_install_action (class, "win.choose-parameters", NULL, act_choose_parameters);
  gtk_widget_class_install_action (class, "win.run-options", NULL, act_run_options);
}
