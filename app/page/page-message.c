/* page-message.c — the message above the views, and starting a run, which may fail with one.
 *
 * Lowest of the page's files; the message is a revealer above the stack of the page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

void
scope_page_show_message (ScopePage *self, const char *text, const char *label, const char *action)
{
  gtk_revealer_set_reveal_child (self->banner, text != NULL);
  if (!text)
    return;
  gtk_label_set_text (self->banner_label, text);
  gtk_widget_set_visible (GTK_WIDGET (self->banner_button), label != NULL);
  if (label)
    gtk_button_set_label (self->banner_button, label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->banner_button), action);
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
  scope_page_show_message (self, error->message, NULL, NULL);
  return FALSE;
}
