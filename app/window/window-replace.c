/* window-replace.c — replaces an operator that the engine lacks.
 *
 * A worker finds the operators that fit, a dialog offers them, and what follows is a repair
 * (scope_window_preview_mend()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/process/worker.h"
#include "app/widgets/label.h"
#include "engine/doctor/replace-operator.h"

#include <glib/gi18n.h>

/* The search term and the matches. */
typedef struct
{
  ScopeDocument *document;
  char          *node;
  GPtrArray     *found; /* of const HybOp * */
} Search;

static void
search_free (gpointer data)
{
  Search *search = data;

  scope_document_unref (search->document);
  g_clear_pointer (&search->found, g_ptr_array_unref);
  g_free (search->node);
  g_free (search);
}

static void
search_in_worker (GTask *task, gpointer data)
{
  Search *search = data;

  search->found = hyb_replace_list (scope_document_get_model (search->document), search->node);
  g_task_return_boolean (task, TRUE);
}

/* --- The dialog --- */

static void
on_response (GtkWidget *dialog, const char *response, gpointer data)
{
  ScopeWindow  *self = data;
  const Search *search = g_object_get_data (G_OBJECT (dialog), "search");
  GtkDropDown  *choice = g_object_get_data (G_OBJECT (dialog), "choice");
  guint         selected = gtk_drop_down_get_selected (choice);

  if (!g_str_equal (response, "preview") || selected >= search->found->len)
    return;
  scope_window_preview_mend (self,
                             (const char *const[]){
                                 search->node,
                                 ((const HybOp *) search->found->pdata[selected])->name, NULL });
}

static void
describe_choice (GtkDropDown *choice, GParamSpec *property G_GNUC_UNUSED, gpointer data)
{
  GtkWidget    *dialog = data;
  const Search *search = g_object_get_data (G_OBJECT (dialog), "search");
  GtkLabel     *meaning = g_object_get_data (G_OBJECT (dialog), "meaning");
  guint         selected = gtk_drop_down_get_selected (choice);
  const HybOp  *op = selected < search->found->len ? search->found->pdata[selected] : NULL;

  gtk_label_set_text (meaning, op && op->doc ? gettext (op->doc) : "");
}

static GtkWidget *
choice_new (const GPtrArray *found)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  GtkExpression *text = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");
  GtkWidget     *choice;

  for (guint i = 0; i < found->len; i++)
    gtk_string_list_append (names, ((const HybOp *) found->pdata[i])->name);
  choice = gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&names)), text);
  gtk_drop_down_set_enable_search (GTK_DROP_DOWN (choice), TRUE);
  gtk_widget_set_name (choice, "replacement");
  return choice;
}

/* search: (transfer full) */
static void
ask (ScopeWindow *self, Search *search)
{
  HybGraph        *graph = hyb_model_get_graph (scope_document_get_model (search->document));
  guint            n = hyb_replace_count (graph, search->node);
  g_autofree char *heading = g_strdup_printf (g_dngettext (NULL, "Replace the Operator of %u Node",
                                                           "Replace the Operator of %u Nodes", n),
                                              n);
  GtkWidget       *dialog = adw_message_dialog_new (
            GTK_WINDOW (self), heading,
            _ ("The listed operators have as many inputs and fit the shapes that are known. The model "
                     "computes something else, unless the chosen operator does what the missing one did."));
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *choice = choice_new (search->found);
  GtkWidget *meaning = scope_label_new_wrapping ("", "dim-label");

  gtk_widget_set_name (dialog, "replace-dialog");
  gtk_box_append (GTK_BOX (box), choice);
  gtk_box_append (GTK_BOX (box), meaning);
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), box);
  g_object_set_data_full (G_OBJECT (dialog), "search", search, search_free);
  g_object_set_data (G_OBJECT (dialog), "choice", choice);
  g_object_set_data (G_OBJECT (dialog), "meaning", meaning);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "preview",
                                    _ ("Show _Changes…"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "preview",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect (choice, "notify::selected", G_CALLBACK (describe_choice), dialog);
  describe_choice (GTK_DROP_DOWN (choice), NULL, dialog);
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
searched_cb (GObject *source, GAsyncResult *result, gpointer data G_GNUC_UNUSED)
{
  ScopeWindow  *self = SCOPE_WINDOW (source);
  const Search *done = g_task_get_task_data (G_TASK (result));
  ScopePage    *page = scope_window_get_page (self);
  Search       *search;

  if (!page || scope_workspace_get_document (scope_page_get_workspace (page)) != done->document)
    return; /* another model is shown meanwhile */
  if (done->found->len == 0)
    {
      scope_page_show_message (page,
                               _ ("No operator of the engine has as many inputs and fits the "
                                  "shapes of the parameters."),
                               _ ("Show Findings"), "page.show-findings");
      return;
    }
  search = g_new (Search, 1);
  *search = (Search){ scope_document_ref (done->document), g_strdup (done->node),
                      g_ptr_array_ref (done->found) };
  ask (self, search);
}

static void
act_replace (ScopeWindow *self, GVariant *parameter)
{
  ScopePage     *page = scope_window_get_page (self);
  ScopeDocument *document =
      page ? scope_workspace_get_document (scope_page_get_workspace (page)) : NULL;
  g_autoptr (GTask) task = NULL;
  Search *search;

  if (!document)
    return;
  search = g_new0 (Search, 1);
  search->document = scope_document_ref (document);
  search->node = g_variant_dup_string (parameter, NULL);
  task = g_task_new (self, NULL, searched_cb, NULL);
  g_task_set_task_data (task, search, search_free);
  scope_worker_run (task, search_in_worker);
}

const ScopeWindowAction scope_window_replace_actions[] = {
  { "win.replace-operator", "s", act_replace },
  { NULL },
};
