/* window-mend.c — the remedy for most findings: repairs the model.
 *
 * The changes are shown first.  A repaired model is written to new files, which are opened in a new tab.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/mending.h"
#include "app/widgets/label.h"
#include "engine/doctor/change.h"
#include "engine/doctor/group-changes.h"
#include "engine/open/open.h"

#include <glib/gi18n.h>

/* Changes named in the message above the graph; the log lists all. */
#define MAX_NAMED_CHANGES 2
/* Changes that the preview lists. */
#define MAX_LISTED_CHANGES 200

/* --- Repairing --- */

static char *
describe_changes (const GPtrArray *changes)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) lines = hyb_group_changes (changes);

  if (changes->len == 0)
    return g_strdup (_ ("The model was written again without changes"));
  g_string_append_printf (text,
                          g_dngettext (NULL, "Repaired with %u change: ",
                                       "Repaired with %u changes: ", changes->len),
                          changes->len);
  for (guint i = 0; i < MIN (lines->len, MAX_NAMED_CHANGES); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", (const char *) lines->pdata[i]);
  if (lines->len > MAX_NAMED_CHANGES)
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
    scope_page_show_success (data, text, _ ("Show Log"), "page.show-log");
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
  scope_window_open_as (self, mended->symbol, NULL,
                        scope_workspace_get_shapes (scope_page_get_workspace (old)));
  page = scope_window_get_page (self);
  workspace = scope_page_get_workspace (page);
  for (guint i = 0; i < mended->changes->len; i++)
    scope_workspace_log (workspace, SCOPE_LOG_NOTE, VIZ_ROOT, "%s",
                         hyb_change_text (mended->changes, i));
  g_object_set_data_full (G_OBJECT (workspace), "mended", describe_changes (mended->changes),
                          g_free);
  g_signal_connect_object (workspace, "notify::state", G_CALLBACK (on_state), page,
                           G_CONNECT_AFTER);
}

/* The user's choice for a page before the preview, under one of these keys; NULL: nothing. */
#define REPLACEMENTS "replacements" /* pairs of nodes and operators */
#define EDITED       "edited-node"  /* a node … */
#define ATTRIBUTES   "attributes"   /* … and its attributes */

static gconstpointer
get_choice (ScopePage *page, const char *key)
{
  return g_object_get_data (G_OBJECT (page), key);
}

/* edited, attributes: (nullable) as in ScopeMendOptions */
static void
set_choices (ScopePage         *page,
             const char *const *replacements,
             const char        *edited,
             const char *const *attributes)
{
  g_object_set_data_full (G_OBJECT (page), REPLACEMENTS, g_strdupv ((char **) replacements),
                          (GDestroyNotify) g_strfreev);
  g_object_set_data_full (G_OBJECT (page), EDITED, g_strdup (edited), g_free);
  g_object_set_data_full (G_OBJECT (page), ATTRIBUTES, g_strdupv ((char **) attributes),
                          (GDestroyNotify) g_strfreev);
}

/* prefix: (nullable) NULL: the changes are only found. */
static void
start (ScopeWindow *self, const char *prefix, GAsyncReadyCallback callback)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
  ScopeDocument  *document = workspace ? scope_workspace_get_document (workspace) : NULL;
  MendRequest    *request;

  if (!document)
    return;
  request = g_new (MendRequest, 1);
  *request = (MendRequest){ g_object_ref (self), g_object_ref (page) };
  scope_mend_async (&(ScopeMendOptions){ .path = scope_document_get_path (document),
                                         .params = scope_document_get_named_params (document),
                                         .shapes = scope_workspace_get_shapes (workspace),
                                         .prefix = prefix,
                                         .replacements = get_choice (page, REPLACEMENTS),
                                         .edited = get_choice (page, EDITED),
                                         .attributes = get_choice (page, ATTRIBUTES) },
                    callback, request);
}

void
scope_window_mend (ScopeWindow *self, const char *path)
{
  g_autofree char *prefix = hyb_model_prefix_of (path);

  start (self, prefix, mended_cb);
}

/* --- Dialogs --- */

static void
choose_mended_file (ScopeWindow *self, ScopePage *page)
{
  g_autofree char *proposal =
      g_strconcat (scope_workspace_get_title (scope_page_get_workspace (page)),
                   "-mended-symbol.json", NULL);

  scope_window_choose_beside (self, (ScopeFileDialog){ .title = _ ("Save the Mended Model"),
                                                       .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                                       .name = proposal,
                                                       .path_chosen = scope_window_mend });
}

/* --- Preview --- */

#define LIST_WIDTH  420 /* pixels */
#define LIST_HEIGHT 320

static void
on_preview_response (GtkWidget *dialog G_GNUC_UNUSED, const char *response, gpointer data)
{
  ScopeWindow *self = data;
  ScopePage   *page = scope_window_get_page (self);

  if (page && g_str_equal (response, "save"))
    choose_mended_file (self, page);
}

static GtkWidget *
change_list_new (const GPtrArray *changes, const char *conflict)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  g_autoptr (GPtrArray) lines = hyb_group_changes (changes);
  int height;

  gtk_widget_set_name (list, "mend-changes");
  for (guint i = 0; i < MIN (lines->len, MAX_LISTED_CHANGES); i++)
    gtk_box_append (GTK_BOX (list), scope_label_new_wrapping (lines->pdata[i], NULL));
  if (lines->len > MAX_LISTED_CHANGES)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), lines->len - MAX_LISTED_CHANGES);

      gtk_box_append (GTK_BOX (list), scope_label_new_wrapping (more, "dim-label"));
    }
  if (conflict)
    {
      gtk_box_append (GTK_BOX (list),
                      scope_label_new_wrapping (_ ("The model will not run with this change:"),
                                                "error"));
      gtk_box_append (GTK_BOX (list), scope_label_new_wrapping (conflict, "dim-label"));
    }
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  /* The natural height is that of lines without breaks, too little for large text. */
  gtk_widget_measure (list, GTK_ORIENTATION_VERTICAL, LIST_WIDTH, NULL, &height, NULL, NULL);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller),
                                              MIN (height, LIST_HEIGHT));
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), LIST_HEIGHT);
  gtk_widget_set_size_request (scroller, LIST_WIDTH, -1);
  return scroller;
}

static void
show_preview (ScopeWindow *self, const GPtrArray *changes, const char *conflict)
{
  g_autofree char *heading = g_strdup_printf (g_dngettext (NULL, "Mend with %u Change?",
                                                           "Mend with %u Changes?", changes->len),
                                              changes->len);
  GtkWidget       *dialog = adw_message_dialog_new (GTK_WINDOW (self), heading,
                                                    _ ("The changes are made in a copy. The files of "
                                                             "this model stay as they are."));

  gtk_widget_set_name (dialog, "mend-preview");
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "save",
                                    _ ("_Save Mended Model…"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "save",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "save");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog),
                                      change_list_new (changes, conflict));
  g_signal_connect (dialog, "response", G_CALLBACK (on_preview_response), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
previewed_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autofree MendRequest *request = data;
  g_autoptr (ScopeWindow) self = request->window;
  g_autoptr (ScopePage) page = request->page;
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeMended) found = scope_mend_finish (result, &error);

  if (scope_window_get_page (self) != page)
    return; /* another tab was chosen meanwhile */
  if (!found)
    scope_page_show_error (page, error);
  else if (found->changes->len == 0)
    scope_page_show_message (page, _ ("No rule changes anything about this model."),
                             _ ("Show Findings"), "page.show-findings");
  else
    show_preview (self, found->changes, found->conflict);
}

void
scope_window_preview_mend (ScopeWindow *self, const char *const *replacements)
{
  ScopePage *page = scope_window_get_page (self);

  if (!page)
    return;
  set_choices (page, replacements, NULL, NULL);
  start (self, NULL, previewed_cb);
}

void
scope_window_preview_attributes (ScopeWindow *self, const char *node, const char *const *attributes)
{
  ScopePage *page = scope_window_get_page (self);

  if (!page)
    return;
  set_choices (page, NULL, node, attributes);
  start (self, NULL, previewed_cb);
}

static void
act_mend (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  scope_window_preview_mend (self, NULL);
}

const ScopeWindowAction scope_window_mend_actions[] = {
  { "win.mend", NULL, act_mend },
  { NULL },
};
