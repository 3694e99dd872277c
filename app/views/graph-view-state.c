/* graph-view-state.c — saves folds, camera, layout and selection in a key file, and restores them.
 *
 * The page decides when, and where the file is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#define GROUP "graph"

void
scope_graph_view_save_folds (ScopeGraphView *self, GKeyFile *file)
{
  g_autofree char *folds = self->folds ? viz_folds_to_string (self->folds) : NULL;

  if (folds)
    g_key_file_set_string (file, GROUP, "folds", folds);
}

void
scope_graph_view_save (ScopeGraphView *self, GKeyFile *file)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32        selected;
  double         x, y, zoom;

  if (!document || !self->folds)
    return;
  scope_graph_view_save_folds (self, file);
  scope_canvas_get_camera (self->canvas, &x, &y, &zoom);
  selected = scope_workspace_get_selected (scope_view_get_workspace (SCOPE_VIEW (self)));
  g_key_file_set_string (file, GROUP, "layout", self->layout);
  g_key_file_set_string (file, GROUP, "direction", viz_direction_name (self->direction));
  g_key_file_set_double (file, GROUP, "x", x);
  g_key_file_set_double (file, GROUP, "y", y);
  g_key_file_set_double (file, GROUP, "zoom", zoom);
  if (selected != VIZ_ROOT)
    g_key_file_set_string (file, GROUP, "selected",
                           viz_diagram_box (scope_document_get_diagram (document), selected)->id);
}

void
scope_graph_view_load (ScopeGraphView *self, GKeyFile *file)
{
  ScopeDocument   *document = scope_view_get_document (SCOPE_VIEW (self));
  g_autofree char *folds = g_key_file_get_string (file, GROUP, "folds", NULL);
  g_autofree char *layout = g_key_file_get_string (file, GROUP, "layout", NULL);
  g_autofree char *direction = g_key_file_get_string (file, GROUP, "direction", NULL);
  g_autofree char *selected = g_key_file_get_string (file, GROUP, "selected", NULL);

  if (!document || !self->folds)
    return;
  if (folds)
    viz_folds_from_string (self->folds, folds);
  if (layout && viz_layout_find (layout))
    {
      g_free (self->layout);
      self->layout = g_steal_pointer (&layout);
    }
  if (direction && viz_direction_find (direction, &self->direction))
    g_object_notify (G_OBJECT (self), "direction");
  self->saved_x = g_key_file_get_double (file, GROUP, "x", NULL);
  self->saved_y = g_key_file_get_double (file, GROUP, "y", NULL);
  self->saved_zoom = g_key_file_get_double (file, GROUP, "zoom", NULL);
  /* The file may be damaged: NaN or huge numbers would move the picture out of view. */
  self->has_saved_camera = self->saved_zoom > 1e-4 && self->saved_zoom < 100 &&
                           ABS (self->saved_x) < 1e8 && ABS (self->saved_y) < 1e8;
  scope_graph_view_update_layout (self, VIZ_ROOT);
  if (selected)
    scope_workspace_select (scope_view_get_workspace (SCOPE_VIEW (self)),
                            viz_diagram_find_id (scope_document_get_diagram (document), selected));
}
