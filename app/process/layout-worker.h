/* layout-worker.h — lays out graphs in a thread.
 *
 * There is one thread for the whole process, because Graphviz's cgraph is not thread-safe.  Requests
 * that were cancelled are skipped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/viz.h"

#include <gio/gio.h>

typedef struct
{
  VizDiagram     *diagram;
  const VizFolds *folds;  /* (nullable) copied */
  const char     *layout; /* name of a layout, or "auto" */
  VizDirection    direction;
  VizPoint        page;     /* for which the picture is shaped, in pixels; 0: unknown */
  VizPicture     *previous; /* (nullable) whose boxes keep their places where possible */
} ScopeLayoutRequest;

/* Queues a layout. */
void scope_layout_async (const ScopeLayoutRequest *request,
                         GCancellable             *cancellable,
                         GAsyncReadyCallback       callback,
                         gpointer                  user_data);
/* (transfer full) NULL and an error: cancelled, or the layout failed. */
VizPicture *scope_layout_finish (GAsyncResult *result, GError **error);
