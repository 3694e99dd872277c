/* view.h — one way of looking at a workspace.
 *
 * A view is a subclass with a .c and a .h in views/, a .ui file in resources/ui where it has a
 * fixed frame, and one child in page.ui.  Views never talk to each other: they
 * read the workspace, change its selection, and follow it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/workspace.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_VIEW (scope_view_get_type ())
G_DECLARE_DERIVABLE_TYPE (ScopeView, scope_view, SCOPE, VIEW, AdwBin)

struct _ScopeViewClass
{
  AdwBinClass parent_class;

  /* Shows another workspace, or nothing; workspace is that of before.  Connections to it with
   * the view as data are cut already. */
  void (*workspace_changed) (ScopeView *self, ScopeWorkspace *workspace);
  /* The parts of a workspace; NULL: does not matter to this view. */
  void (*document_changed) (ScopeView *self);
  void (*selection_changed) (ScopeView *self);
  void (*capture_changed) (ScopeView *self);
  /* Is told of changes only while it is on the screen, and of what it missed when it comes. */
  gboolean defers_until_mapped;

  /* Brings a box into sight.  FALSE: this view has no place for it. */
  gboolean (*reveal) (ScopeView *self, guint32 box);
};

ScopeWorkspace *scope_view_get_workspace (ScopeView *self); /* (nullable) */
void            scope_view_set_workspace (ScopeView *self, ScopeWorkspace *workspace);
ScopeDocument  *scope_view_get_document (ScopeView *self); /* (nullable) */
gboolean        scope_view_reveal (ScopeView *self, guint32 box);

G_END_DECLS
