/* view.c — following a workspace.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/view.h"

typedef struct
{
  ScopeWorkspace *workspace;
  gboolean        missed_document, missed_capture; /* while nobody saw it */
} ScopeViewPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ScopeView, scope_view, ADW_TYPE_BIN)

static gboolean
must_wait (ScopeView *self)
{
  return SCOPE_VIEW_GET_CLASS (self)->defers_until_mapped &&
         !gtk_widget_get_mapped (GTK_WIDGET (self));
}

static void
on_document (ScopeView *self)
{
  ScopeViewPrivate *private = scope_view_get_instance_private (self);
  ScopeViewClass *class = SCOPE_VIEW_GET_CLASS (self);

  private->missed_document = must_wait (self);
  if (!private->missed_document && class->document_changed)
    class->document_changed (self);
}

static void
on_selection (ScopeView *self)
{
  ScopeViewClass *class = SCOPE_VIEW_GET_CLASS (self);

  if (!must_wait (self) && class->selection_changed)
    class->selection_changed (self);
}

static void
on_capture (ScopeView *self)
{
  ScopeViewPrivate *private = scope_view_get_instance_private (self);
  ScopeViewClass *class = SCOPE_VIEW_GET_CLASS (self);

  private->missed_capture = must_wait (self);
  if (!private->missed_capture && class->capture_changed)
    class->capture_changed (self);
}

static void
scope_view_map (GtkWidget *widget)
{
  ScopeView *self = SCOPE_VIEW (widget);
  ScopeViewPrivate *private = scope_view_get_instance_private (self);
  ScopeViewClass *class = SCOPE_VIEW_GET_CLASS (self);

  GTK_WIDGET_CLASS (scope_view_parent_class)->map (widget);
  if (!class->defers_until_mapped || !private->workspace)
    return;
  if (private->missed_capture)
    {
      on_capture (self);
      private->missed_document &= class->document_changed != class->capture_changed;
    }
  if (private->missed_document)
    on_document (self);
  on_selection (self);
}

static void
on_reveal (ScopeView *self, guint32 box)
{
  scope_view_reveal (self, box);
}

ScopeWorkspace *
scope_view_get_workspace (ScopeView *self)
{
  ScopeViewPrivate *private = scope_view_get_instance_private (self);

  return private->workspace;
}

ScopeDocument *
scope_view_get_document (ScopeView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (self);

  return workspace ? scope_workspace_get_document (workspace) : NULL;
}

void
scope_view_set_workspace (ScopeView *self, ScopeWorkspace *workspace)
{
  ScopeViewPrivate *private = scope_view_get_instance_private (self);
  g_autoptr (ScopeWorkspace) before = private->workspace;

  if (before == workspace)
    {
      (void) g_steal_pointer (&before);
      return;
    }
  if (before)
    g_signal_handlers_disconnect_by_data (before, self);
  private->workspace = workspace ? g_object_ref (workspace) : NULL;
  if (workspace)
    {
      g_signal_connect_swapped (workspace, "document-changed", G_CALLBACK (on_document), self);
      g_signal_connect_swapped (workspace, "notify::selected", G_CALLBACK (on_selection), self);
      g_signal_connect_swapped (workspace, "capture-changed", G_CALLBACK (on_capture), self);
      g_signal_connect_swapped (workspace, "reveal", G_CALLBACK (on_reveal), self);
    }
  if (SCOPE_VIEW_GET_CLASS (self)->workspace_changed)
    SCOPE_VIEW_GET_CLASS (self)->workspace_changed (self, before);
  if (workspace)
    {
      on_document (self);
      on_capture (self);
    }
}

gboolean
scope_view_reveal (ScopeView *self, guint32 box)
{
  ScopeViewClass *class = SCOPE_VIEW_GET_CLASS (self);

  return class->reveal && class->reveal (self, box);
}

static void
scope_view_dispose (GObject *object)
{
  scope_view_set_workspace (SCOPE_VIEW (object), NULL);
  G_OBJECT_CLASS (scope_view_parent_class)->dispose (object);
}

static void
scope_view_class_init (ScopeViewClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_view_dispose;
  GTK_WIDGET_CLASS (class)->map = scope_view_map;
}

static void
scope_view_init (ScopeView *self G_GNUC_UNUSED)
{
}
