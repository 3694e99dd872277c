/* view.c — the workspace of a view, and calls to its class when the workspace changes.
 *
 * scope_view_set_workspace() connects the signals; deferred calls are made up for when the view is
 * mapped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/view.h"

typedef struct
{
  ScopeWorkspace *workspace;
  char           *title;
  gboolean        missed_document, missed_capture; /* while not mapped */
} ScopeViewPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ScopeView, scope_view, ADW_TYPE_BIN)

enum
{
  PROP_WORKSPACE = 1,
  PROP_TITLE,
  N_PROPS,
};

static GParamSpec *props[N_PROPS];

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
  if (SCOPE_VIEW_GET_CLASS (self)->reveal)
    SCOPE_VIEW_GET_CLASS (self)->reveal (self, box);
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
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_WORKSPACE]);
}

void
scope_view_set_title (ScopeView *self, const char *title)
{
  ScopeViewPrivate *private = scope_view_get_instance_private (self);

  if (g_strcmp0 (private->title, title) == 0)
    return;
  g_free (private->title);
  private->title = g_strdup (title);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
}

/* --- Object --- */

static void
scope_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ScopeViewPrivate *private = scope_view_get_instance_private (SCOPE_VIEW (object));

  if (id == PROP_WORKSPACE)
    g_value_set_object (value, private->workspace);
  else if (id == PROP_TITLE)
    g_value_set_string (value, private->title);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
scope_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_WORKSPACE)
    scope_view_set_workspace (SCOPE_VIEW (object), g_value_get_object (value));
  else if (id == PROP_TITLE)
    scope_view_set_title (SCOPE_VIEW (object), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
scope_view_dispose (GObject *object)
{
  scope_view_set_workspace (SCOPE_VIEW (object), NULL);
  G_OBJECT_CLASS (scope_view_parent_class)->dispose (object);
}

static void
scope_view_finalize (GObject *object)
{
  ScopeViewPrivate *private = scope_view_get_instance_private (SCOPE_VIEW (object));

  g_free (private->title);
  G_OBJECT_CLASS (scope_view_parent_class)->finalize (object);
}

static void
scope_view_class_init (ScopeViewClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GParamFlags   flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = scope_view_get_property;
  object_class->set_property = scope_view_set_property;
  object_class->dispose = scope_view_dispose;
  object_class->finalize = scope_view_finalize;
  GTK_WIDGET_CLASS (class)->map = scope_view_map;
  props[PROP_WORKSPACE] =
      g_param_spec_object ("workspace", NULL, NULL, SCOPE_TYPE_WORKSPACE, flags);
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
scope_view_init (ScopeView *self G_GNUC_UNUSED)
{
}
