/* view.h — base class of everything that shows a workspace.
 *
 * A view is a subclass in views/ with, where it has a fixed layout, a template in resources/ui, and a
 * line in the table of page/page-views.c.  Views never talk to each other: they read the workspace,
 * change its selection and follow its signals.
 *
 * Properties: "workspace" (can be bound), "title" (of the view's tab).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/workspace.h"

#include <adwaita.h>

#define SCOPE_TYPE_VIEW (scope_view_get_type ())
G_DECLARE_DERIVABLE_TYPE (ScopeView, scope_view, SCOPE, VIEW, AdwBin)

/* Every function may be NULL. */
struct _ScopeViewClass
{
  AdwBinClass parent_class;

  /* Another workspace is shown, or none.  before: (nullable) the old one; handlers that were connected
   * to it with the view as data are disconnected already. */
  void (*workspace_changed) (ScopeView *self, ScopeWorkspace *before);
  /* The workspace has another document, selection or measurement; also called for a new workspace. */
  void (*document_changed) (ScopeView *self);
  void (*selection_changed) (ScopeView *self);
  void (*capture_changed) (ScopeView *self);
  /* The three calls above are made only while the view is mapped; missed calls follow when it is
   * mapped again. */
  gboolean defers_until_mapped;

  /* Brings a box into view.  FALSE: the view does not show it. */
  gboolean (*reveal) (ScopeView *self, guint32 box);
};

ScopeWorkspace *scope_view_get_workspace (ScopeView *self); /* (nullable) */
/* Sets the workspace that the view shows. */
void           scope_view_set_workspace (ScopeView *self, ScopeWorkspace *workspace);
ScopeDocument *scope_view_get_document (ScopeView *self); /* of the workspace; (nullable) */
/* Changes the title of the view's tab. */
void scope_view_set_title (ScopeView *self, const char *title);
