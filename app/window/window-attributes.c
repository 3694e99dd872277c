/* window-attributes.c — a dialog that edits the attributes of one node.
 *
 * Each attribute is checked while it is typed, with a button for the probable word.  What follows is a
 * repair (scope_window_preview_attributes()).  Start reading with act_edit().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/widgets/label.h"
#include "engine/doctor/edit-attributes.h"
#include "engine/op/suggest.h"

#include <glib/gi18n.h>
#include <string.h>

/* One attribute. */
typedef struct
{
  char           *key;
  const HybParam *param; /* NULL: the operator has no such attribute */
  GtkEditable    *entry; /* borrowed: children */
  GtkLabel       *note;
  GtkButton      *suggestion;
  GtkWidget      *box;
  gboolean        is_removed;
} Row;

typedef struct
{
  GtkWidget     *dialog;   /* borrowed */
  ScopeDocument *document; /* whose graph owns the operator's node */
  const HybOp   *op;
  char          *node;
  char         **before; /* key, value, …, NULL: as in the file */
  GPtrArray     *rows;   /* of Row */
} Editor;

static void
row_free (gpointer data)
{
  Row *row = data;

  g_free (row->key);
  g_free (row);
}

static void
editor_free (gpointer data)
{
  Editor *editor = data;

  g_ptr_array_unref (editor->rows);
  g_strfreev (editor->before);
  scope_document_unref (editor->document);
  g_free (editor->node);
  g_free (editor);
}

/* --- Texts --- */

static const char *
text_of (const Row *row)
{
  return gtk_editable_get_text (row->entry);
}

static Row *
find_row (const Editor *editor, const char *key)
{
  for (guint i = 0; i < editor->rows->len; i++)
    {
      Row *row = editor->rows->pdata[i];

      if (g_str_equal (row->key, key))
        return row;
    }
  return NULL;
}

static void
add_pair (GStrvBuilder *builder, const char *key, const char *value)
{
  g_strv_builder_add (builder, key);
  g_strv_builder_add (builder, value);
}

/* All attributes: the file's in their order, then the new ones.  (transfer full) */
static char **
collect (const Editor *editor)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; editor->before[i]; i += 2)
    {
      const Row *row = find_row (editor, editor->before[i]);

      if (!row)
        add_pair (builder, editor->before[i], editor->before[i + 1]);
      else if (!row->is_removed && *text_of (row) != '\0')
        add_pair (builder, row->key, text_of (row));
    }
  for (guint i = 0; i < editor->rows->len; i++)
    {
      const Row *row = editor->rows->pdata[i];

      if (!row->is_removed && *text_of (row) != '\0' &&
          !hyb_attributes_get ((const char *const *) editor->before, row->key))
        add_pair (builder, row->key, text_of (row));
    }
  return g_strv_builder_end (builder);
}

/* --- Checking --- */

/* The values of an attribute: "max, avg, sum, lp · kind of pooling" */
static char *
describe (const HybParam *param)
{
  g_autofree char *choices = param->choices ? g_strjoinv (", ", (char **) param->choices) : NULL;

  if (choices && param->doc)
    return g_strdup_printf ("%s · %s", choices, gettext (param->doc));
  if (choices)
    return g_steal_pointer (&choices);
  return param->doc ? g_strdup (gettext (param->doc)) : NULL;
}

/* suggestion: (nullable) a nearby valid value. */
static void
show_note (Row *row, const char *note, gboolean is_error, const char *suggestion)
{
  gtk_label_set_text (row->note, note ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (row->note), note != NULL);
  if (is_error)
    {
      gtk_widget_remove_css_class (GTK_WIDGET (row->note), "dim-label");
      gtk_widget_add_css_class (GTK_WIDGET (row->note), "error");
      gtk_widget_add_css_class (GTK_WIDGET (row->entry), "error");
    }
  else
    {
      gtk_widget_add_css_class (GTK_WIDGET (row->note), "dim-label");
      gtk_widget_remove_css_class (GTK_WIDGET (row->note), "error");
      gtk_widget_remove_css_class (GTK_WIDGET (row->entry), "error");
    }
  g_object_set_data_full (G_OBJECT (row->suggestion), "word", g_strdup (suggestion), g_free);
  gtk_widget_set_visible (GTK_WIDGET (row->suggestion), suggestion != NULL);
  if (suggestion)
    {
      g_autofree char *label = g_strdup_printf (_ ("Did you mean “%s”?"), suggestion);

      gtk_button_set_label (row->suggestion, label);
    }
}

/* FALSE: the value cannot stand. */
static gboolean
check_row (const Editor *editor, Row *row)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *note = NULL;

  if (row->is_removed)
    return TRUE;
  if (!row->param)
    {
      note = g_strdup_printf (_ ("%s has no attribute of this name; it is ignored."),
                              editor->op->name);
      show_note (row, note, TRUE, hyb_suggest_param (editor->op->params, row->key));
      return TRUE;
    }
  if (hyb_attribute_check (row->param, text_of (row), &error))
    {
      note = describe (row->param);
      show_note (row, note, FALSE, NULL);
      return TRUE;
    }
  show_note (row, *text_of (row) == '\0' ? _ ("This attribute must be given.") : error->message,
             TRUE,
             hyb_suggest_choice (editor->op->params,
                                 (const char *const[]){ row->key, text_of (row), NULL }));
  return FALSE;
}

static void
check (Editor *editor)
{
  gboolean is_good = TRUE;
  g_auto (GStrv) now = NULL;

  for (guint i = 0; i < editor->rows->len; i++)
    is_good &= check_row (editor, editor->rows->pdata[i]);
  now = collect (editor);
  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (editor->dialog), "preview",
                                           is_good && !g_strv_equal ((const char *const *) now,
                                                                     (const char *const *)
                                                                         editor->before));
}

static void
on_suggestion (GtkButton *button, gpointer data)
{
  Editor          *editor = data;
  Row             *row = g_object_get_data (G_OBJECT (button), "row");
  g_autofree char *word = g_strdup (g_object_get_data (G_OBJECT (button), "word"));
  Row             *meant = row->param ? row : find_row (editor, word);

  if (row->param)
    gtk_editable_set_text (row->entry, word);
  else if (meant)
    {
      row->is_removed = TRUE;
      gtk_widget_set_visible (row->box, FALSE);
      gtk_editable_set_text (meant->entry, text_of (row));
    }
  gtk_widget_grab_focus (GTK_WIDGET (meant ? meant->entry : row->entry));
  check (editor);
}

/* --- The dialog --- */

static void
add_row (Editor *editor, GtkBox *list, const char *key, const char *value)
{
  Row             *row = g_new0 (Row, 1);
  GtkWidget       *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *entry = gtk_entry_new ();
  GtkWidget       *label = scope_label_new (key, NULL);
  GtkWidget       *note = scope_label_new_wrapping ("", "caption"), *suggestion = gtk_button_new ();
  g_autofree char *name = g_strconcat ("attribute-", key, NULL);
  g_autofree char *word = g_strconcat ("meant-", key, NULL);

  row->key = g_strdup (key);
  row->param = hyb_params_find (editor->op->params, key);
  row->entry = GTK_EDITABLE (entry);
  row->note = GTK_LABEL (note);
  row->suggestion = GTK_BUTTON (suggestion);
  row->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  g_ptr_array_add (editor->rows, row);
  gtk_label_set_width_chars (GTK_LABEL (label), 16);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_editable_set_text (row->entry, value ? value : "");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), row->param ? row->param->fallback : NULL);
  gtk_widget_set_sensitive (entry, row->param != NULL);
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_widget_set_name (entry, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, key, -1);
  gtk_widget_set_name (suggestion, word);
  gtk_widget_set_halign (suggestion, GTK_ALIGN_START);
  g_object_set_data (G_OBJECT (suggestion), "row", row);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), entry);
  gtk_box_append (GTK_BOX (row->box), line);
  gtk_box_append (GTK_BOX (row->box), note);
  gtk_box_append (GTK_BOX (row->box), suggestion);
  gtk_box_append (list, row->box);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (check), editor);
  g_signal_connect (suggestion, "clicked", G_CALLBACK (on_suggestion), editor);
}

/* Attributes of the file that the operator lacks come first, then the written ones, then the others. */
static GtkWidget *
list_new (Editor *editor)
{
  GtkWidget         *scroller = gtk_scrolled_window_new ();
  GtkWidget         *list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  const char *const *before = (const char *const *) editor->before;

  for (guint i = 0; before[i]; i += 2)
    if (!g_str_has_prefix (before[i], "__") && !hyb_params_find (editor->op->params, before[i]) &&
        !find_row (editor, before[i]))
      add_row (editor, GTK_BOX (list), before[i], before[i + 1]);
  for (int written = 1; written >= 0; written--)
    for (const HybParam *param = editor->op->params; param->name; param++)
      {
        const char *value = hyb_attributes_get (before, param->name);

        if (param->kind != HYB_PARAM_TENSOR && (value != NULL) == written)
          add_row (editor, GTK_BOX (list), param->name, value);
      }
  gtk_widget_set_margin_end (list, 12);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  /* Room for the message of a wrong value: the dialog does not grow while it is open. */
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller),
                                              (int) MIN (64 + 56 * editor->rows->len, 380));
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), 420);
  gtk_widget_set_size_request (scroller, 420, -1);
  return scroller;
}

static void
on_response (GtkWidget *dialog, const char *response, gpointer data)
{
  ScopeWindow  *self = data;
  const Editor *editor = g_object_get_data (G_OBJECT (dialog), "editor");
  g_auto (GStrv) attributes = collect (editor);

  if (g_str_equal (response, "preview"))
    scope_window_preview_attributes (self, editor->node, (const char *const *) attributes);
}

static void
ask (ScopeWindow *self, ScopeDocument *document, const HybEditableNode *found)
{
  const HybNode   *node = hyb_graph_get_node (found->graph, found->id);
  Editor          *editor = g_new0 (Editor, 1);
  g_autofree char *heading = g_strdup_printf (_ ("Attributes of %s"), found->op->name);

  editor->document = scope_document_ref (document);
  editor->op = found->op;
  editor->node = g_strdup (node->name);
  editor->before = node->attributes ? g_strdupv ((char **) node->attributes) : g_new0 (char *, 1);
  editor->rows = g_ptr_array_new_with_free_func (row_free);
  editor->dialog = adw_message_dialog_new (GTK_WINDOW (self), heading, node->name);
  gtk_widget_set_name (editor->dialog, "attributes-dialog");
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (editor->dialog), list_new (editor));
  g_object_set_data_full (G_OBJECT (editor->dialog), "editor", editor, editor_free);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (editor->dialog), "cancel", _ ("_Cancel"),
                                    "preview", _ ("Show _Changes…"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (editor->dialog), "preview",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (editor->dialog), "preview");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (editor->dialog), "cancel");
  g_signal_connect (editor->dialog, "response", G_CALLBACK (on_response), self);
  check (editor);
  gtk_window_present (GTK_WINDOW (editor->dialog));
}

/* The node of this name, or the first one that reads the parameter of this name. */
static gboolean
find_node (HybGraph *graph, const char *name, HybEditableNode *found)
{
  HybNodeId        variable = hyb_graph_find_variable (graph, name);
  guint            n_users = 0;
  const HybNodeId *users =
      variable == HYB_NO_ID
          ? NULL
          : hyb_graph_get_users (graph, hyb_graph_get_node (graph, variable)->first_output,
                                 &n_users);

  return hyb_attributes_find_node (graph,
                                   n_users > 0 ? hyb_graph_get_node (graph, users[0])->name : name,
                                   found);
}

/* parameter: the name of a node; "": that of the selection. */
static void
act_edit (ScopeWindow *self, GVariant *parameter)
{
  ScopePage        *page = scope_window_get_page (self);
  ScopeWorkspace   *workspace = page ? scope_page_get_workspace (page) : NULL;
  ScopeDocument    *document = workspace ? scope_workspace_get_document (workspace) : NULL;
  const char       *node = g_variant_get_string (parameter, NULL);
  const ScopePlace *place = NULL;
  HybEditableNode   found;

  if (!document || scope_document_is_generated (document))
    return;
  if (*node == '\0')
    place = scope_document_get_place (document, scope_workspace_get_selected (workspace));
  if (place)
    node = hyb_graph_get_node (place->graph, place->node)->name;
  if (find_node (scope_document_get_graph (document), node, &found))
    ask (self, document, &found);
  else
    scope_page_show_message (page,
                             *node == '\0' ? _ ("Select a node to edit its attributes.")
                                           : _ ("This node has no attributes that can be edited."),
                             NULL, NULL);
}

const ScopeWindowAction scope_window_attribute_actions[] = {
  { "win.edit-attributes", "s", act_edit },
  { NULL },
};
