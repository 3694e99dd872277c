/* workspace.c — the class of workspaces: creation and destruction.
 *
 * The functions of a workspace are in the files beside it: accessors and signals in workspace-state.c, opening in
 * workspace-open.c, shapes and values of inputs in workspace-inputs.c, running in workspace-run.c, captures in
 * workspace-capture.c, recorded values in workspace-values.c, numbers of the user in workspace-numbers.c, bookmarks in
 * workspace-bookmarks.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/document/log-item.h"
#include "app/process/file-guard.h"

G_DEFINE_FINAL_TYPE (ScopeWorkspace, scope_workspace, G_TYPE_OBJECT)

static void
scope_workspace_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  scope_workspace_get_value (SCOPE_WORKSPACE (object), id, value, pspec);
}

static void
scope_workspace_dispose (GObject *object)
{
  ScopeWorkspace *self = SCOPE_WORKSPACE (object);

  scope_file_guard_remove (self);
  scope_workspace_cancel (self);
  scope_workspace_drop_run (self);
  scope_workspace_unwatch (self);
  scope_workspace_clear_values (self);
  g_clear_pointer (&self->measurement, scope_measurement_unref);
  g_clear_pointer (&self->numbers, scope_node_data_unref);
  g_free (self->numbers_path);
  g_clear_object (&self->file);
  g_clear_object (&self->log);
  g_clear_object (&self->peers);
  g_clear_pointer (&self->document, scope_document_unref);
  G_OBJECT_CLASS (scope_workspace_parent_class)->dispose (object);
}

static void
scope_workspace_finalize (GObject *object)
{
  ScopeWorkspace *self = SCOPE_WORKSPACE (object);

  g_array_unref (self->focus);
  g_ptr_array_unref (self->bookmarks);
  g_free (self->title);
  g_free (self->error);
  g_free (self->etag);
  g_free (self->params);
  g_free (self->source);
  g_strfreev (self->source_shapes);
  g_strfreev (self->labels);
  g_strfreev (self->given_shapes);
  g_strfreev (self->shapes);
  g_strfreev (self->values_command);
  g_free (self->phase);
  g_clear_error (&self->last_error);
  g_free (self->next_capture);
  g_clear_pointer (&self->options, scope_run_options_free);
  g_free (self->capture_path);
  G_OBJECT_CLASS (scope_workspace_parent_class)->finalize (object);
}

static void
scope_workspace_class_init (ScopeWorkspaceClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);

  object_class->get_property = scope_workspace_get_property;
  object_class->dispose = scope_workspace_dispose;
  object_class->finalize = scope_workspace_finalize;
  scope_workspace_class_install (object_class);
}

static void
scope_workspace_init (ScopeWorkspace *self)
{
  self->log = g_list_store_new (SCOPE_TYPE_LOG_ITEM);
  self->focus = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->bookmarks = g_ptr_array_new_with_free_func (g_free);
  scope_file_guard_add (scope_workspace_check_files, self);
}

ScopeWorkspace *
scope_workspace_new (void)
{
  return g_object_new (SCOPE_TYPE_WORKSPACE, NULL);
}
