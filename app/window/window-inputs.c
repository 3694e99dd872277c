/* window-inputs.c — the requirements of a run: shapes of the model's inputs and values.
 *
 * scope_window_check_inputs() stands before every action that starts a child process with the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include <glib/gi18n.h>

static void
remember_refused (ScopeWindow *self, const char *action, GVariant *parameter)
{
  self->refused_page = scope_window_get_page (self);
  g_free (self->refused);
  g_clear_pointer (&self->refused_parameter, g_variant_unref);
  self->refused = g_strdup (action);
  self->refused_parameter = parameter ? g_variant_ref_sink (parameter) : NULL;
}

gboolean
scope_window_check_inputs (ScopeWindow *self, const char *action, GVariant *parameter)
{
  ScopePage       *page = scope_window_get_page (self);
  ScopeWorkspace  *workspace = scope_page_get_workspace (page);
  ScopeDocument   *document = scope_workspace_get_document (workspace);
  const char      *open = scope_workspace_get_open_input (workspace);
  g_autofree char *text = NULL;

  remember_refused (self, NULL, NULL);
  if (open)
    {
      text = g_strdup_printf (_ ("The shape of input “%s” is unknown, and nothing suggests one."),
                              open);
      scope_page_show_message (page, text, _ ("Give Shapes"), "win.give-shapes");
      return FALSE;
    }
  if (document && scope_workspace_lacks_values (workspace))
    {
      guint n = scope_document_get_totals (document)->n_missing;

      text = g_strdup_printf (g_dngettext (NULL,
                                           "%u parameter has no values. With random ones the times "
                                           "are real; the results mean nothing.",
                                           "%u parameters have no values. With random ones the "
                                           "times are real; the results mean nothing.",
                                           n),
                              n);
      scope_page_show_message (page, text, _ ("Fill with Random Values"), "win.fill");
      remember_refused (self, action, parameter);
      return FALSE;
    }
  return TRUE;
}

static void
act_fill (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage       *page = scope_window_get_page (self);
  g_autofree char *action = g_steal_pointer (&self->refused);
  g_autoptr (GVariant) target = g_steal_pointer (&self->refused_parameter);

  if (!page)
    return;
  scope_workspace_set_fills (scope_page_get_workspace (page), TRUE);
  scope_page_show_message (page, NULL, NULL, NULL);
  if (action && self->refused_page == page)
    gtk_widget_activate_action_variant (GTK_WIDGET (self), action, target);
}

static void
act_run_options (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_popover_popup (self->run_popover);
}

static void
act_give_shapes (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_popover_popup (self->run_popover);
  scope_run_panel_focus_inputs (self->run_panel);
}

const ScopeWindowAction scope_window_input_actions[] = {
  { "win.fill", NULL, act_fill },
  { "win.give-shapes", NULL, act_give_shapes },
  { "win.run-options", NULL, act_run_options },
  { NULL },
};
