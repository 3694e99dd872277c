/* workspace-bookmarks.c — the boxes that the user has marked, by their ids, which survive reading the file again.
 *
 * An id that the document does not have stays: a changed file may have it again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#define MAX_BOOKMARKS 1000

static const char *
id_of (ScopeWorkspace *self, guint32 box)
{
  return viz_diagram_box (scope_document_get_diagram (self->document), box)->id;
}

static gboolean
find (ScopeWorkspace *self, guint32 box, guint *index)
{
  return self->document && box != VIZ_ROOT &&
         g_ptr_array_find_with_equal_func (self->bookmarks, id_of (self, box), g_str_equal, index);
}

gboolean
scope_workspace_has_bookmark (ScopeWorkspace *self, guint32 box)
{
  return find (self, box, NULL);
}

void
scope_workspace_toggle_bookmark (ScopeWorkspace *self, guint32 box)
{
  guint index;

  if (!self->document || box == VIZ_ROOT)
    return;
  if (find (self, box, &index))
    g_ptr_array_remove_index (self->bookmarks, index);
  else if (self->bookmarks->len < MAX_BOOKMARKS)
    g_ptr_array_add (self->bookmarks, g_strdup (id_of (self, box)));
  scope_workspace_emit (self, SCOPE_SIGNAL_BOOKMARKS);
}

void
scope_workspace_set_bookmarks (ScopeWorkspace *self, const char *const *ids)
{
  g_ptr_array_set_size (self->bookmarks, 0);
  for (guint i = 0; ids && ids[i] && i < MAX_BOOKMARKS; i++)
    g_ptr_array_add (self->bookmarks, g_strdup (ids[i]));
  scope_workspace_emit (self, SCOPE_SIGNAL_BOOKMARKS);
}

const GPtrArray *
scope_workspace_get_bookmarks (ScopeWorkspace *self)
{
  return self->bookmarks;
}

GArray *
scope_workspace_find_bookmarks (ScopeWorkspace *self)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; self->document && i < self->bookmarks->len; i++)
    {
      guint32 box = viz_diagram_find_id (scope_document_get_diagram (self->document),
                                         g_ptr_array_index (self->bookmarks, i));

      if (box != VIZ_ROOT)
        g_array_append_val (boxes, box);
    }
  return boxes;
}
