/* page.c — one tab: start page, or a workspace with all its views.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page.h"

#include "app/settings.h"
#include "app/views/node-view.h"

#include <glib/gi18n.h>

struct _ScopePage
{
  AdwBin parent_instance;

  /* Template */
  GtkStack       *stack;
  GtkRevealer    *banner;
  GtkLabel       *banner_label;
  GtkButton      *banner_button;
  GtkPaned       *split;
  GtkPaned       *sides;
  ScopeGraphView *graph_view;
  ScopeNodeView  *node_view;
  AdwStatusPage  *failed;
  AdwStatusPage  *loading;

  /* Owned */
  ScopeWorkspace *workspace;
  guint           first_paint;
};

G_DEFINE_FINAL_TYPE (ScopePage, scope_page, ADW_TYPE_BIN)

void
scope_page_say (ScopePage *self, const char *text, const char *label, const char *action)
{
  gtk_revealer_set_reveal_child (self->banner, text != NULL);
  if (text == NULL)
    return;
  gtk_label_set_text (self->banner_label, text);
  gtk_widget_set_visible (GTK_WIDGET (self->banner_button), label != NULL);
  if (label != NULL)
    gtk_button_set_label (self->banner_button, label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->banner_button), action);
}

static void
act_dismiss (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_say (SCOPE_PAGE (widget), NULL, NULL, NULL);
}

static void
act_reload (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_workspace_reload (SCOPE_PAGE (widget)->workspace);
}

static void
show_failure (ScopePage *self)
{
  const char *message = scope_workspace_get_error (self->workspace);

  if (scope_workspace_get_document (self->workspace) != NULL)
    {
      scope_page_say (self, message, _ ("Try Again"), "page.reload");
      return;
    }
  adw_status_page_set_description (self->failed, message);
  gtk_stack_set_visible_child_name (self->stack, "failed");
}

static void
on_state (ScopePage *self)
{
  switch (scope_workspace_get_state (self->workspace))
    {
    case SCOPE_STATE_EMPTY:
      break;
    case SCOPE_STATE_LOADING:
      if (scope_workspace_get_document (self->workspace) == NULL)
        gtk_stack_set_visible_child_name (self->stack, "loading");
      break;
    case SCOPE_STATE_READY:
      scope_page_say (self, NULL, NULL, NULL);
      gtk_stack_set_visible_child_name (self->stack, "model");
      break;
    case SCOPE_STATE_FAILED:
      show_failure (self);
      break;
    }
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

static void
scope_page_dispose (GObject *object)
{
  ScopePage *self = SCOPE_PAGE (object);

  if (self->workspace != NULL)
    g_signal_handlers_disconnect_by_data (self->workspace, self);
  g_clear_object (&self->workspace);
  G_OBJECT_CLASS (scope_page_parent_class)->dispose (object);
}

static void
scope_page_class_init (ScopePageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_page_dispose;
  g_type_ensure (SCOPE_TYPE_GRAPH_VIEW);
  g_type_ensure (SCOPE_TYPE_NODE_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/page.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopePage, stack);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, banner);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, banner_label);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, banner_button);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, split);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, sides);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, graph_view);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, node_view);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, failed);
  gtk_widget_class_bind_template_child (widget_class, ScopePage, loading);
  gtk_widget_class_install_action (widget_class, "page.dismiss", NULL, act_dismiss);
  gtk_widget_class_install_action (widget_class, "page.reload", NULL, act_reload);
}

static void
scope_page_init (ScopePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->workspace = scope_workspace_new ();
  scope_view_set_workspace (SCOPE_VIEW (self->graph_view), self->workspace);
  scope_view_set_workspace (SCOPE_VIEW (self->node_view), self->workspace);
  g_signal_connect_swapped (self->workspace, "notify::state", G_CALLBACK (on_state), self);
}

GtkWidget *
scope_page_new (void)
{
  return g_object_new (SCOPE_TYPE_PAGE, NULL);
}
