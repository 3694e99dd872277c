/* page-message.c — the message above the views, and the start of a run, whose failure is shown there.
 *
 * Lowest of the page's files; the message is a revealer over the graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/views/remedies.h"
#include "engine/doctor/replace-operator.h"

#include <glib/gi18n.h>

void
scope_page_show_success (ScopePage *self, const char *text, const char *label, const char *action)
{
  scope_page_show_message (self, text, label, action);
  gtk_widget_add_css_class (gtk_revealer_get_child (self->banner), "done");
}

void
scope_page_show_message (ScopePage *self, const char *text, const char *label, const char *action)
{
  gtk_widget_remove_css_class (gtk_revealer_get_child (self->banner), "done");
  gtk_revealer_set_reveal_child (self->banner, text != NULL);
  if (!text)
    return;
  gtk_label_set_text (self->banner_label, text);
  gtk_widget_set_visible (GTK_WIDGET (self->banner_show), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->banner_button), label != NULL);
  if (!label)
    return;
  gtk_button_set_label (self->banner_button, label);
  scope_remedy_set_action (GTK_ACTIONABLE (self->banner_button), action);
}

gboolean
scope_page_find_messages (ScopePage *self, GtkWidget *relative, graphene_rect_t *area)
{
  return (gtk_revealer_get_reveal_child (self->banner) ||
          gtk_revealer_get_reveal_child (self->remeasured)) &&
         gtk_widget_compute_bounds (gtk_widget_get_parent (GTK_WIDGET (self->banner)), relative,
                                    area);
}

void
scope_page_show_error (ScopePage *self, const GError *error)
{
  ScopeRemedy    remedy = scope_remedy_get (hyb_error_get_remedy (error));
  ScopeDocument *document = scope_workspace_get_document (self->workspace);
  const char    *subject = document ? hyb_error_get_subject (error) : NULL;

  scope_page_show_message (self, error->message, remedy.label, remedy.action);
  if (document && hyb_error_get_remedy (error) == HYB_REMEDY_OPERATOR &&
      hyb_replace_is_possible (hyb_model_get_graph (scope_document_get_model (document)), subject))
    {
      gtk_button_set_label (self->banner_button, _ ("Replace Operator…"));
      scope_remedy_set_replacement (GTK_ACTIONABLE (self->banner_button), subject);
    }
  self->faulty = subject ? scope_document_find_name (document, subject) : VIZ_ROOT;
  gtk_widget_set_visible (GTK_WIDGET (self->banner_show), self->faulty != VIZ_ROOT);
}

void
scope_page_run_unlimited (ScopePage *self)
{
  const ScopeRunOptions *last = scope_workspace_get_run_options (self->workspace);
  g_autoptr (ScopeRunOptions) options = last ? scope_run_options_copy (last) : NULL;

  if (!options)
    return;
  options->patience = 0;
  scope_page_run (self, options);
}

gboolean
scope_page_run (ScopePage *self, const ScopeRunOptions *options)
{
  g_autoptr (GError) error = NULL;

  if (scope_workspace_is_running (self->workspace) ||
      !scope_workspace_get_document (self->workspace))
    return FALSE;
  scope_page_show_message (self, NULL, NULL, NULL);
  if (scope_workspace_run (self->workspace, options, &error))
    return TRUE;
  scope_page_show_error (self, error);
  return FALSE;
}
