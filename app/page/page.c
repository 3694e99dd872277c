/* page.c — one tab: a workspace with all its views.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/session/settings.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE (ScopePage, scope_page, ADW_TYPE_BIN)

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

/* --- Actions --- */

static void
act_dismiss (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_show_message (SCOPE_PAGE (widget), NULL, NULL, NULL);
}

static void
act_reload (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_workspace_reload (SCOPE_PAGE (widget)->workspace);
}

static void
act_stop (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_workspace_stop_run (SCOPE_PAGE (widget)->workspace);
}

static void
act_show_log (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_show_view (SCOPE_PAGE (widget), "log");
}

static void
act_side (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage *self = SCOPE_PAGE (widget);
  GtkWidget *pane = g_str_has_suffix (name, "outline") ? GTK_WIDGET (self->outline_view)
                                                       : GTK_WIDGET (self->node_view);

  gtk_widget_set_visible (pane, !gtk_widget_get_visible (pane));
}

void
scope_page_show_view (ScopePage *self, const char *name)
{
  gtk_stack_set_visible_child_name (self->panel, name);
  if (!gtk_revealer_get_reveal_child (self->panel_revealer))
    gtk_widget_activate_action (GTK_WIDGET (self), "page.panel", NULL);
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

/* --- Searching --- */

static void
on_found (ScopePage *self)
{
  guint          n;
  const guint32 *boxes = scope_outline_view_get_hits (self->outline_view, &n);

  scope_graph_view_set_hits (self->graph_view, boxes, n);
}

void
scope_page_search (ScopePage *self, const char *query)
{
  if (query && *query != '\0')
    gtk_widget_set_visible (GTK_WIDGET (self->outline_view), TRUE);
  scope_outline_view_search (self->outline_view, query);
}

void
scope_page_step_search (ScopePage *self, int direction)
{
  scope_outline_view_step (self->outline_view, direction);
}

/* --- Following the workspace --- */

static void
show_failure (ScopePage *self)
{
  const char *message = scope_workspace_get_error (self->workspace);

  if (scope_workspace_get_document (self->workspace))
    {
      scope_page_show_message (self, message, _ ("Try Again"), "page.reload");
      return;
    }
  adw_status_page_set_description (self->failed, message);
  gtk_stack_set_visible_child_name (self->stack, "failed");
}

/* The number of things that must not be missed, beside the word. */
static void
title_findings (ScopePage *self)
{
  GPtrArray *findings =
      scope_document_get_findings (scope_workspace_get_document (self->workspace));
  guint            n = 0;
  g_autofree char *title = NULL;

  for (guint i = 0; i < findings->len; i++)
    n += ((const HybFinding *) findings->pdata[i])->severity > HYB_SEVERITY_NOTE;
  title = n > 0 ? g_strdup_printf (_ ("Findings %u"), n) : g_strdup (_ ("Findings"));
  gtk_stack_page_set_title (self->findings_page, title);
}

static void
on_state (ScopePage *self)
{
  switch (scope_workspace_get_state (self->workspace))
    {
    case SCOPE_STATE_EMPTY:
      break;
    case SCOPE_STATE_LOADING:
      if (!scope_workspace_get_document (self->workspace))
        gtk_stack_set_visible_child_name (self->stack, "loading");
      break;
    case SCOPE_STATE_READY:
      scope_page_show_message (self, NULL, NULL, NULL);
      gtk_stack_set_visible_child_name (self->stack, "model");
      title_findings (self);
      scope_page_update_heat (self);
      scope_page_restore (self);
      break;
    case SCOPE_STATE_FAILED:
      show_failure (self);
      break;
    }
}

static void
on_running (ScopePage *self)
{
  gboolean is_running = scope_workspace_is_running (self->workspace);

  gtk_revealer_set_reveal_child (self->run_revealer, is_running);
  scope_page_update_heat_hint (self);
}

static void
on_progress (ScopePage *self)
{
  gtk_progress_bar_set_fraction (self->run_progress,
                                 scope_workspace_get_progress (self->workspace));
  if (scope_page_is_remeasuring (self))
    {
      g_autofree char *text = g_strdup_printf (_ ("Measuring this form as well: %s"),
                                               scope_workspace_get_phase (self->workspace));

      gtk_label_set_text (self->run_label, text);
      return;
    }
  gtk_label_set_text (self->run_label, scope_workspace_get_phase (self->workspace));
}

static void
on_complaint (ScopeWorkspace *workspace G_GNUC_UNUSED, const char *text, gpointer data)
{
  scope_page_show_message (data, text, _ ("Show Log"), "page.show-log");
}

void
scope_page_open (ScopePage *self, GFile *file)
{
  scope_workspace_open (self->workspace, file, NULL);
}

ScopeWorkspace *
scope_page_get_workspace (ScopePage *self)
{
  return self->workspace;
}

ScopeGraphView *
scope_page_get_graph_view (ScopePage *self)
{
  return self->graph_view;
}

ScopeOutlineView *
scope_page_get_outline_view (ScopePage *self)
{
  return self->outline_view;
}

ScopeOperatorsView *
scope_page_get_operators_view (ScopePage *self)
{
  return self->operators_view;
}

/* --- Object --- */

static void
scope_page_dispose (GObject *object)
{
  ScopePage *self = SCOPE_PAGE (object);

  scope_page_cancel_heat (self);
  if (self->workspace)
    {
      g_signal_handlers_disconnect_by_data (self->workspace, self);
      /* Nobody is left to look at what a run would bring. */
      scope_workspace_cancel (self->workspace);
      scope_workspace_stop_run (self->workspace);
      scope_workspace_stop_run (self->workspace);
    }
  g_clear_object (&self->workspace);
  g_clear_object (&self->pass_workspace);
  g_clear_pointer (&self->heat, g_free);
  g_clear_pointer (&self->heat_scale, g_free);
  scope_page_clear_family (self);
  scope_page_clear_remeasured (self);
  g_clear_pointer (&self->kept, g_free);
  G_OBJECT_CLASS (scope_page_parent_class)->dispose (object);
}

static void
ensure_types (void)
{
  g_type_ensure (SCOPE_TYPE_GRAPH_VIEW);
  g_type_ensure (SCOPE_TYPE_NODE_VIEW);
  g_type_ensure (SCOPE_TYPE_OUTLINE_VIEW);
  g_type_ensure (SCOPE_TYPE_OPERATORS_VIEW);
  g_type_ensure (SCOPE_TYPE_TIMELINE_VIEW);
  g_type_ensure (SCOPE_TYPE_MEMORY_VIEW);
  g_type_ensure (SCOPE_TYPE_FINDINGS_VIEW);
  g_type_ensure (SCOPE_TYPE_PASSES_VIEW);
  g_type_ensure (SCOPE_TYPE_LOG_VIEW);
  g_type_ensure (SCOPE_TYPE_LEGEND);
}

static void
bind_children (GtkWidgetClass *class)
{
  gtk_widget_class_bind_template_child (class, ScopePage, stack);
  gtk_widget_class_bind_template_child (class, ScopePage, banner);
  gtk_widget_class_bind_template_child (class, ScopePage, banner_label);
  gtk_widget_class_bind_template_child (class, ScopePage, banner_button);
  gtk_widget_class_bind_template_child (class, ScopePage, run_revealer);
  gtk_widget_class_bind_template_child (class, ScopePage, run_progress);
  gtk_widget_class_bind_template_child (class, ScopePage, run_label);
  gtk_widget_class_bind_template_child (class, ScopePage, again);
  gtk_widget_class_bind_template_child (class, ScopePage, again_label);
  gtk_widget_class_bind_template_child (class, ScopePage, split);
  gtk_widget_class_bind_template_child (class, ScopePage, left);
  gtk_widget_class_bind_template_child (class, ScopePage, sides);
  gtk_widget_class_bind_template_child (class, ScopePage, panel_button);
  gtk_widget_class_bind_template_child (class, ScopePage, switcher);
  gtk_widget_class_bind_template_child (class, ScopePage, panel_revealer);
  gtk_widget_class_bind_template_child (class, ScopePage, panel);
  gtk_widget_class_bind_template_child (class, ScopePage, findings_page);
  gtk_widget_class_bind_template_child (class, ScopePage, heat_hint);
  gtk_widget_class_bind_template_child (class, ScopePage, heat_button);
  gtk_widget_class_bind_template_child (class, ScopePage, legend);
  gtk_widget_class_bind_template_child (class, ScopePage, graph_view);
  gtk_widget_class_bind_template_child (class, ScopePage, graphs);
  gtk_widget_class_bind_template_child (class, ScopePage, pass_box);
  gtk_widget_class_bind_template_child (class, ScopePage, pass_label);
  gtk_widget_class_bind_template_child (class, ScopePage, passes_view);
  gtk_widget_class_bind_template_child (class, ScopePage, node_view);
  gtk_widget_class_bind_template_child (class, ScopePage, outline_view);
  gtk_widget_class_bind_template_child (class, ScopePage, operators_view);
  gtk_widget_class_bind_template_child (class, ScopePage, timeline_view);
  gtk_widget_class_bind_template_child (class, ScopePage, memory_view);
  gtk_widget_class_bind_template_child (class, ScopePage, findings_view);
  gtk_widget_class_bind_template_child (class, ScopePage, log_view);
  gtk_widget_class_bind_template_child (class, ScopePage, failed);
  gtk_widget_class_bind_template_child (class, ScopePage, loading);
}

static void
scope_page_class_init (ScopePageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_page_dispose;
  ensure_types ();
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/page.ui");
  bind_children (widget_class);
  gtk_widget_class_install_action (widget_class, "page.dismiss", NULL, act_dismiss);
  gtk_widget_class_install_action (widget_class, "page.reload", NULL, act_reload);
  gtk_widget_class_install_action (widget_class, "page.stop", NULL, act_stop);
  gtk_widget_class_install_action (widget_class, "page.show-log", NULL, act_show_log);
  gtk_widget_class_install_action (widget_class, "page.outline", NULL, act_side);
  gtk_widget_class_install_action (widget_class, "page.side", NULL, act_side);
  scope_page_class_add_state_actions (widget_class);
  scope_page_class_add_pass_actions (widget_class);
  scope_page_class_add_again_actions (widget_class);
}

static void
scope_page_init (ScopePage *self)
{
  ScopeView *views[9];

  gtk_widget_init_template (GTK_WIDGET (self));
  self->workspace = scope_workspace_new ();
  scope_page_init_heat (self);
  views[0] = SCOPE_VIEW (self->graph_view);
  views[1] = SCOPE_VIEW (self->node_view);
  views[2] = SCOPE_VIEW (self->outline_view);
  views[3] = SCOPE_VIEW (self->operators_view);
  views[4] = SCOPE_VIEW (self->timeline_view);
  views[5] = SCOPE_VIEW (self->memory_view);
  views[6] = SCOPE_VIEW (self->findings_view);
  views[7] = SCOPE_VIEW (self->log_view);
  views[8] = SCOPE_VIEW (self->passes_view);
  scope_page_init_pass (self);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    scope_view_set_workspace (views[i], self->workspace);
  /* A search that is on its way may outlive the page. */
  g_signal_connect_object (self->outline_view,
                           "found",
                           G_CALLBACK (on_found),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self->workspace, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect_swapped (self->workspace, "notify::running", G_CALLBACK (on_running), self);
  g_signal_connect_swapped (self->workspace, "notify::progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->workspace,
                            "capture-changed",
                            G_CALLBACK (scope_page_update_heat),
                            self);
  g_signal_connect (self->workspace, "complaint", G_CALLBACK (on_complaint), self);
}

GtkWidget *
scope_page_new (void)
{
  return g_object_new (SCOPE_TYPE_PAGE, NULL);
}
